/* Which tokens lanes hold where: of kernels that are `stacked`, by the stack policy. */
#ifndef ATOLL_ENGINE_JIT_TOKENS_H
#define ATOLL_ENGINE_JIT_TOKENS_H

#include "engine/jit/flow.h"

/* Fills flow->waits, resumed and pops_to in. False: no memory, or *why says why the kernel is not compiled. */
bool tokens_find(struct arena *arena, struct flow *flow, const char **why);

#endif
