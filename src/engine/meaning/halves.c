/* The kernels and rows of halves.h. */
#define MEANINGS "engine/meaning/halves.h"
#define ROWS     meanings_halves
#include "engine/meaning/family.h"
