/* Atomic operations: one table of operation x type. Each entry has a form that is indivisible between host threads
 * (C11 atomics; a compare-and-swap loop where the host has no instruction) and a plain form for memory that only
 * one host thread can reach (shared memory: a block lives on one host thread). Both have one meaning. */
#ifndef ATOLL_MEM_ATOMIC_H
#define ATOLL_MEM_ATOMIC_H

#include "lane/lane.h"

/* Applies op to *target (element type `type`): old value to *old (may be NULL), operands b and c (cas: b compare, c new).
 * All pointers are to values of the type's size; `target` is naturally aligned. `flush` is FTZ for f32.
 * `order` is enum lane_order. */
struct atomic_row {
    void (*shared)(void *target, void *old, const void *b, const void *c, bool flush, int order); /* indivisible */
    void (*plain)(void *target, void *old, const void *b, const void *c, bool flush, int order);
};

/* NULL when the combination has no meaning (and on float, ...). */
const struct atomic_row *atomic_find(enum lane_atomic op, enum lane_type type);

#endif
