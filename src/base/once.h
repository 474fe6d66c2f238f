/* What a process makes once, at its first use, and keeps to its end: the only state outside of a call's arguments.
 *
 *   MADE_ONCE(struct thing) shared;
 *
 * is NULL until one of the threads that need the thing has made it. Several may make it at a time; who comes second
 * throws its own away (once_keep gives it back), so that nobody waits. What is kept never changes. */
#ifndef ATOLL_BASE_ONCE_H
#define ATOLL_BASE_ONCE_H

#include <stdatomic.h>

#define MADE_ONCE(type) static _Atomic(type *)

/* NULL: not made yet. */
#define once_get(shared) atomic_load_explicit(&(shared), memory_order_acquire)

/* Keeps `made`, unless another thread was first: then `first` is what that one made, else NULL. */
#define once_keep(shared, made, first)                                                                         \
    atomic_compare_exchange_strong_explicit(&(shared), ((first) = NULL, &(first)), made, memory_order_acq_rel, \
                                            memory_order_acquire)

#endif
