/* Warps that have nothing to do in a part of a block: see idle.c. */
#ifndef ATOLL_ENGINE_JIT_IDLE_H
#define ATOLL_ENGINE_JIT_IDLE_H

#include "engine/jit/control.h"

/* Once all segments are emitted: what is between the choice of a warp and its start. */
void idle_emit(struct blocks *b);

#endif
