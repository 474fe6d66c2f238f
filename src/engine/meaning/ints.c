/* The kernels and rows of ints.h. */
#define MEANINGS "engine/meaning/ints.h"
#define ROWS     meanings_ints
#include "engine/meaning/family.h"
