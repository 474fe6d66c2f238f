/* The kernels and rows of cvt_floats.h. */
#define MEANINGS "engine/meaning/cvt_floats.h"
#define ROWS     meanings_cvt_floats
#include "engine/meaning/family.h"
