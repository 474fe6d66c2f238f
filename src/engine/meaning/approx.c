/* The kernels and rows of approx.h. */
#define MEANINGS "engine/meaning/approx.h"
#define ROWS     meanings_approx
#include "engine/meaning/family.h"
