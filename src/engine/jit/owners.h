/* Atomic operations that nobody but one host thread can come between: they need not be indivisible.
 *
 * A block lives on one host thread. Where each element that an operation reaches is written by threads of one block
 * alone, whatever else the launch does, no other host thread writes between a read and a write of it; and others that
 * read find each element as it was before or after. That is found out when a launch begins to run compiled code: its
 * parameters, its grid and its surfaces are known then. A launch on one host thread needs no proof. */
#ifndef ATOLL_ENGINE_JIT_OWNERS_H
#define ATOLL_ENGINE_JIT_OWNERS_H

#include "engine/jit/flow.h"
#include "engine/run.h"

/* Sets `owned` of the sites of such operations. */
void owners_find(const struct run *run, const struct flow *flow, struct site *sites);

#endif
