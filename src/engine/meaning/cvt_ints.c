/* The kernels and rows of cvt_ints.h. */
#define MEANINGS "engine/meaning/cvt_ints.h"
#define ROWS     meanings_cvt_ints
#include "engine/meaning/family.h"
