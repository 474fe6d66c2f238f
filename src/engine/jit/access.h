/* Accesses to memory that is addressed by bytes, while they are emitted: which way they go (access.c), and what each
 * way does (elements.c). */
#ifndef ATOLL_ENGINE_JIT_ACCESS_H
#define ATOLL_ENGINE_JIT_ACCESS_H

#include "engine/jit/rows.h"

enum { PIECES = LANES / 8 }; /* of a warp's elements that are a row each, at most */

/* An access that is being emitted. */
struct access {
    const struct decoded *at;
    unsigned vec, bits, bytes; /* elements of a lane; bits of one; bytes of all */
    bool store;
    struct region region;
    LLVMValueRef lanes;
    LLVMValueRef address; /* of each lane, 32 or 64 bits */
    LLVMBasicBlockRef step, done;
    LLVMBasicBlockRef scattered;
    bool surely; /* all lanes that run have addresses in the region */
    /* Loads of elements that registers do not hold as they are: all ways leave them side by side in this variable, and
     * the registers are made of it behind them, once. NULL: each way does that. */
    LLVMValueRef row;
    LLVMBasicBlockRef out; /* where fast ways go */
    LLVMValueRef elements; /* that are stored, of one a lane; NULL: what lanes have in operands */
    bool is_common;        /* emitted in a function that accesses share (scattered.c): its callers count */
};

/* Does the memory of a space belong to the block, to a thread, or to nobody? Then other host threads do not see
 * accesses. */
static inline bool access_is_own(unsigned space)
{
    return space == LANE_SHARED || space == LANE_REGFILE || space == LANE_PARAM || space == LANE_LOCAL;
}

/* Loads of one address: goes on to a->scattered where it is not that, or lies outside. `first`: lane 0's. */
void access_one_ways(struct emit *e, const struct access *a, LLVMValueRef first);

/* ---- elements.c -------------------------------------------------------------------------------------------------- */

/* Has an address, or a vector of them, 32 bits? As one of 64 bits. */
bool elements_narrow(struct emit *e, LLVMValueRef address);
LLVMValueRef elements_wide(struct emit *e, LLVMValueRef address);
/* i1: do `bytes` bytes from an address of 64 bits on lie in the region, the address aligned to an access? Do the
 * elements of all lanes that run? */
LLVMValueRef elements_inside(struct emit *e, const struct access *a, LLVMValueRef address, uint64_t bytes);
LLVMValueRef elements_all_inside(struct emit *e, const struct access *a);

/* Each of these is the end of a way. The elements of all lanes that run, from `first` on; of each `n` lanes, or one
 * that they all have; one, at an address of 64 bits; anywhere, at a->address. */
void elements_load_row(struct emit *e, const struct access *a, LLVMValueRef first);
void elements_load_pieces(struct emit *e, const struct access *a, const LLVMValueRef *firsts, unsigned n, bool one);
void elements_load_one(struct emit *e, const struct access *a, LLVMValueRef address);
void elements_load_each(struct emit *e, const struct access *a);
void elements_store_row(struct emit *e, const struct access *a, LLVMValueRef first);
void elements_store_pieces(struct emit *e, const struct access *a, const LLVMValueRef *firsts, unsigned n);
void elements_store_last(struct emit *e, const struct access *a, LLVMValueRef address);
void elements_store_each(struct emit *e, const struct access *a);

/* The end of a way by others: what was loaded, side by side, as elements or as all of a lane's; what was stored. */
void elements_give(struct emit *e, const struct access *a, LLVMValueRef row);
void elements_done(struct emit *e, const struct access *a);
/* What lanes store, side by side; where passes of the store begin (local memory is each lane's own). */
LLVMValueRef elements_stored(struct emit *e, const struct access *a);
uint32_t elements_starts(const struct access *a);

/* Can the host store some elements of a row, and leave the others alone - or as they are, where nobody else stores? Can
 * it load elements from anywhere at once? */
bool elements_masked(const struct emit *e, const struct access *a);
bool elements_gather(const struct emit *e, const struct access *a);
/* Does the access want a->row, of this type? What comes behind the step of one that has it. */
bool elements_join(const struct access *a);
LLVMTypeRef elements_row_type(struct emit *e, const struct access *a);
void elements_join_step(struct emit *e, const struct access *a);

#endif
