/* The kernels and rows of moves.h. */
#define MEANINGS "engine/meaning/moves.h"
#define ROWS     meanings_moves
#include "engine/meaning/family.h"
