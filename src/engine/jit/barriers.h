/* Barriers of the whole block in compiled code. */
#ifndef ATOLL_ENGINE_JIT_BARRIERS_H
#define ATOLL_ENGINE_JIT_BARRIERS_H

#include "engine/jit/control.h"

/* Does a segment end at a barrier of the whole block, after which code can be entered? Does a part begin there? */
bool barriers_meets(const struct blocks *b, uint32_t segment);
bool barriers_begins(const struct blocks *b, uint32_t segment);
/* Does each way from a segment to another end a part? */
bool barriers_between(const struct blocks *b, uint32_t from, uint32_t to);
/* Before anything is emitted. False: no memory. */
bool barriers_find(struct blocks *b);
/* There: what is live goes to the frame, as the next part wants it. */
void barriers_park(struct blocks *b, uint32_t segment);
/* The end of a segment that meets: when all lanes of the warp are there, the next warp runs. */
void barriers_meet(struct blocks *b, uint32_t segment);

#endif
