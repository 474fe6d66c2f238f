/* Atomic operations: what they store, as code. */
#ifndef ATOLL_ENGINE_JIT_REDUCE_H
#define ATOLL_ENGINE_JIT_REDUCE_H

#include "engine/jit/emit.h"

/* What an operation of mem/atomic.c on integers stores: a is the value in memory, b and c (of cas) the operands. All
 * are scalars, or all vectors. Not of fcas and predec. */
LLVMValueRef reduce_update(struct emit *e, const struct decoded *at, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

#endif
