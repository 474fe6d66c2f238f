/* The kernels and rows of bits.h. */
#define MEANINGS "engine/meaning/bits.h"
#define ROWS     meanings_bits
#include "engine/meaning/family.h"
