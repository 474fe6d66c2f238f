/* What a launch's threads have in registers: sums of their indices, as far as that can be known when it begins.
 *
 *   (base + by[0] * ctaid.x + by[1] * ctaid.y + ... + by[5] * tid.z) mod 2^bits
 *
 * Parameters and extents are numbers then, so x = ctaid.x * ntid.x + tid.x is such a sum, and so is an address that is
 * computed of it. What a loop changes, what is loaded and what depends on a branch is not known. Of an address that
 * machine code adds up in halves, with a carry, the lower half is. */
#ifndef ATOLL_ENGINE_JIT_LINEAR_H
#define ATOLL_ENGINE_JIT_LINEAR_H

#include "engine/jit/flow.h"
#include "engine/run.h"

enum { LINEAR_BLOCK = 3 /* indices of blocks, and of threads */, LINEAR_INDICES = 6 };
enum linear_state { LINEAR_UNSEEN, LINEAR_KNOWN, LINEAR_VARIES }; /* no thread came there; a sum; any number */

struct linear {
    uint8_t is;                 /* enum linear_state */
    bool low;                   /* of a register of 64 bits it is the lower half alone that is known */
    uint64_t base;              /* of the register's bits */
    int64_t by[LINEAR_INDICES]; /* the same, extended by their sign */
};

/* A number wide enough for all values that a sum has as an integer. */
__extension__ typedef __int128 linear_wide;

struct linears {
    const struct run *run;
    const struct flow *flow;
    uint32_t count[LINEAR_INDICES]; /* of each index: it is below */
    uint32_t *fixed_at;             /* of offset / 4: number in `fixed`, plus 1 */
    struct linear *fixed;           /* of invariants' results */
    struct linear *at_start;        /* of each slot at the start of each segment */
    bool *reached, *changed;        /* segments that threads come to; with more than when they were looked at */
    struct linear *state;           /* of each slot, at an instruction */
};

/* Of l->run and l->flow. Calls `visit` for each instruction that threads come to, with what they have before it in
 * l->state. False: no memory, or the kernel is too large for that. */
typedef void linear_visit(struct linears *l, const struct decoded *at, void *with);
bool linear_find(struct arena *arena, struct linears *l, linear_visit *visit, void *with);

/* What operand k has there. */
struct linear linear_operand(const struct linears *l, const struct decoded *at, unsigned k);
struct linear linear_constant(uint64_t value);
struct linear linear_sum(const struct linear *a, const struct linear *b, unsigned bits);
/* As a register of 64 bits. Not known if that wraps around in some thread. */
struct linear linear_extend(const struct linears *l, const struct linear *a, unsigned bits, bool is_signed);
/* The least and the greatest integer that the sum comes to, from `base` on. */
void linear_range(const struct linears *l, const struct linear *a, linear_wide base, linear_wide *least,
                  linear_wide *most);

static inline bool linear_is_constant(const struct linear *a)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < LINEAR_INDICES; i++)
        any |= (uint64_t)a->by[i];
    return a->is == LINEAR_KNOWN && !a->low && !any;
}

static inline int64_t linear_signed(uint64_t x, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1), mask = UINT64_MAX >> (64 - bits);
    return (int64_t)(((x & mask) ^ sign) - sign);
}

#endif
