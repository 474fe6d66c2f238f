/* Atomics on the block's memory. */
#ifndef ATOLL_ENGINE_JIT_UPDATE_H
#define ATOLL_ENGINE_JIT_UPDATE_H

#include "engine/jit/emit.h"

/* Is `at` an atomic operation on the block's memory that has a compiled form? */
bool update_is(const struct decoded *at);
/* False: nothing was emitted. */
bool update_emit(struct emit *e, const struct decoded *at);

/* A reduction (reduce.h) of elements that are the host thread's own, at r->offset (32 bits), whose results nobody
 * reads. */
struct reduction;
void update_held(struct emit *e, const struct reduction *r, LLVMValueRef elements);

/* Is the result of an atomic operation read? */
bool update_wants(struct emit *e, const struct decoded *at);
/* The addresses of an access to the block's memory, 32 bits, with the offset. */
LLVMValueRef update_addresses(struct emit *e, const struct decoded *at);
/* Is it known of an access with addresses of 32 bits that all lanes that run have one in the block's memory, aligned?
 */
bool update_surely_inside(struct emit *e, const struct decoded *at);
/* i1: do those of `lanes` lie in the block's memory, aligned? NULL: they do whatever runs. */
LLVMValueRef update_inside(struct emit *e, const struct decoded *at, LLVMValueRef address, LLVMValueRef lanes);
/* Where the block's memory lies in the host's. */
LLVMValueRef update_memory(struct emit *e);

#endif
