/* The kernels and rows of cvt_small.h. */
#define MEANINGS "engine/meaning/cvt_small.h"
#define ROWS     meanings_cvt_small
#include "engine/meaning/family.h"
