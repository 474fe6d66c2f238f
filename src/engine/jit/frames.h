/* Frames between compiled parts of a block: of slots with forms, lane 0 alone (barriers.c). */
#ifndef ATOLL_ENGINE_JIT_FRAMES_H
#define ATOLL_ENGINE_JIT_FRAMES_H

#include "engine/jit/jit.h"

/* Gives all lanes of a frame what the forms at the start of a segment say of lane 0. */
void frames_unfold(const struct flow *flow, uint32_t segment, unsigned char *regs);
/* Gives lane 0 what they say of the lanes of `live`, not none. False: these differ otherwise, nothing can be said. */
bool frames_fold(const struct flow *flow, uint32_t segment, unsigned char *regs, uint32_t live);

#endif
