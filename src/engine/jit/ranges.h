/* What is known of numbers when code is made: how large they can be, and which powers of two divide them. */
#ifndef ATOLL_ENGINE_JIT_RANGES_H
#define ATOLL_ENGINE_JIT_RANGES_H

#include "engine/jit/emit.h"

struct range {
    uint64_t most;  /* no lane that runs has more, without a sign; all ones: nothing is known */
    unsigned zeros; /* low bits that are 0 */
};

/* Of source k, from the instructions before it in its segment. */
struct range ranges_of(struct emit *e, const struct decoded *at, unsigned k);
/* Of the sum of a number of `bits` bits and a constant. */
struct range ranges_plus(struct range range, uint64_t constant, unsigned bits);

#endif
