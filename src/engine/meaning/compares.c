/* The kernels and rows of compares.h. */
#define MEANINGS "engine/meaning/compares.h"
#define ROWS     meanings_compares
#include "engine/meaning/family.h"
