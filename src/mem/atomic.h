/* Atomic operations: one table of operation x type. Each entry has a form that is indivisible between host threads
 * (C11 atomics; a compare-and-swap loop where the host has no instruction) and a plain form for memory that only
 * one host thread can reach (shared memory: a block lives on one host thread). Both have one meaning. */
#ifndef ATOLL_MEM_ATOMIC_H
#define ATOLL_MEM_ATOMIC_H

#include "lane/lane.h"

/* Applies op to *target (element type `type`): old value to *old (may be NULL), operands b and c (cas, fcas: b
 * compare, c new). All pointers are to values of the type's size; `target` is naturally aligned. `flush` says that
 * subnormals are flushed; to additions that keep NaNs, that the target lies in global memory. `order` is enum
 * lane_order: below ACQUIRE all count as relaxed. `c` is read by cas and fcas alone.
 *
 * The warp forms apply the operation for each lane of `mask`, lowest lane first: lane i works on target[i], with its
 * operands at element i of the arrays b and c and its old value to element i of `old` (elements have the type's size;
 * targets may coincide; other lanes' elements are left alone). Lanes that follow each other, want no old value and
 * reduce integers (add, min, max, and, or, xor) of one target are combined first and cost one operation; so are those
 * that add integers and want one: what they return is as if they had gone one by one. */
struct atomic_row {
    void (*shared)(void *target, void *old, const void *b, const void *c, bool flush, int order); /* indivisible */
    void (*plain)(void *target, void *old, const void *b, const void *c, bool flush, int order);
    void (*shared_warp)(void *const target[LANES], void *old, const void *b, const void *c, uint32_t mask, bool flush,
                        int order);
    void (*plain_warp)(void *const target[LANES], void *old, const void *b, const void *c, uint32_t mask, bool flush,
                       int order);
};

/* NULL when the combination has no meaning (and on float, ...). */
const struct atomic_row *atomic_find(enum lane_atomic op, enum lane_type type);
/* The same for an access to memory, whose words count. */
const struct atomic_row *atomic_find_access(const struct lane_access *access);
/* What `flush` is for an access, where its target lies in global memory or is a texel; elsewhere it is false. */
static inline bool atomic_flushes(const struct lane_access *access)
{
    return (access->flags & LANE_FTZ) || access->keeps_nan;
}

/* What changes nothing, of an integer reduction (add, min, max, and, or, xor): a op neutral = a. */
uint64_t atomic_neutral(enum lane_atomic op, enum lane_type type);

#endif
