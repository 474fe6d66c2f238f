/* The kernels and rows of floats.h. */
#define MEANINGS "engine/meaning/floats.h"
#define ROWS     meanings_floats
#include "engine/meaning/family.h"
