/* Ranges of numbers: a walk back from an operand through the instructions that make it. */
#include "engine/jit/ranges.h"

#include "engine/jit/flow.h"

enum { DEEP = 8 }; /* instructions on a way back */

static uint64_t all_ones(unsigned bits)
{
    return UINT64_MAX >> (64 - bits);
}

static struct range anything(unsigned bits)
{
    return (struct range){all_ones(bits), 0};
}

static struct range exactly(uint64_t x)
{
    return (struct range){x, x ? (unsigned)__builtin_ctzll(x) : 64};
}

static unsigned fewer(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static struct range sum(struct range a, struct range b, unsigned bits)
{
    uint64_t x, all = all_ones(bits);
    bool wraps = __builtin_add_overflow(a.most, b.most, &x) || x > all;
    return (struct range){wraps ? all : x, fewer(a.zeros, b.zeros)};
}

static struct range product(struct range a, struct range b, unsigned bits)
{
    uint64_t x, all = all_ones(bits);
    bool wraps = __builtin_mul_overflow(a.most, b.most, &x) || x > all;
    return (struct range){wraps ? all : x, fewer(a.zeros + b.zeros, 64)};
}

static struct range conjunction(struct range a, struct range b)
{
    return (struct range){a.most < b.most ? a.most : b.most, a.zeros > b.zeros ? a.zeros : b.zeros};
}

/* Of or, xor. */
static struct range union_of(struct range a, struct range b)
{
    uint64_t any = a.most | b.most;
    return (struct range){any ? UINT64_MAX >> __builtin_clzll(any) : 0, fewer(a.zeros, b.zeros)};
}

static struct range right(struct range a, uint64_t n, unsigned bits)
{
    if (n >= bits)
        return exactly(0);
    return (struct range){a.most >> n, a.zeros > n ? a.zeros - (unsigned)n : 0};
}

/* The number keeps its value in another width, if it fits. */
static struct range resized(struct range a, unsigned bits)
{
    uint64_t all = all_ones(bits);
    return (struct range){a.most > all ? all : a.most, a.zeros};
}

struct range ranges_plus(struct range range, uint64_t constant, unsigned bits)
{
    return sum(range, exactly(constant & all_ones(bits)), bits);
}

static struct range walk(struct emit *e, const struct decoded *at, unsigned k, unsigned deep);

/* Of a result, by what makes it. */
static struct range result(struct emit *e, const struct decoded *at, unsigned deep)
{
    unsigned bits = at->bits[0], n = at->ndst;
    uint64_t by;
    if (at->op >= LANE_OPS || bits < 8 || bits > 64 || (at->inst->flags & LANE_SAT) ||
        lane_type_bits(at->inst->type) > bits)
        return anything(bits < 8 || bits > 64 ? 64 : bits);
#define SOURCE(k) walk(e, at, n + (k), deep)
    switch (at->op) {
    case LANE_OP_mov:
        return SOURCE(0);
    case LANE_OP_and:
        return conjunction(SOURCE(0), SOURCE(1));
    case LANE_OP_or:
    case LANE_OP_xor:
        return union_of(SOURCE(0), SOURCE(1));
    case LANE_OP_shl:
        return emit_constant(e, at, n + 1, &by) && by < bits ? product(SOURCE(0), exactly(UINT64_C(1) << by), bits)
                                                             : anything(bits);
    case LANE_OP_shr:
        return emit_constant(e, at, n + 1, &by) && !lane_type_signed(at->inst->type) ? right(SOURCE(0), by, bits)
                                                                                     : anything(bits);
    default:
        break;
    }
    if (lane_type_float(at->inst->type) || lane_type_float(at->inst->type2))
        return anything(bits);
    switch (at->op) {
    case LANE_OP_add:
        return lane_type_bits(at->inst->type) == bits ? sum(SOURCE(0), SOURCE(1), bits) : anything(bits);
    case LANE_OP_mul:
        return lane_type_bits(at->inst->type) == bits ? product(SOURCE(0), SOURCE(1), bits) : anything(bits);
    case LANE_OP_mulwide:
        return lane_type_signed(at->inst->type) ? anything(bits) : product(SOURCE(0), SOURCE(1), bits);
    case LANE_OP_mad:
        return sum(product(SOURCE(0), SOURCE(1), bits), SOURCE(2), bits);
    case LANE_OP_cvt: /* of integers without a sign */
        return lane_type_signed(at->inst->type2) ? anything(bits) : resized(SOURCE(0), bits);
    default:
        return anything(bits);
    }
#undef SOURCE
}

/* The last instruction before `at` that writes the slot; NULL: there is none in the segment, or it has a guard. */
static const struct decoded *maker(struct emit *e, const struct decoded *at, uint32_t offset)
{
    const struct func *func = e->func;
    const struct decoded *first = &func->decoded[e->flow->segments[e->segment].first];
    bool once = at >= func->invariants && at < func->invariants + func->ninvariants;
    if (flow_fixed(e->flow, offset)) {
        first = func->invariants;
        at = func->invariants + func->ninvariants;
    } else if (once) {
        return NULL;
    }
    while (at-- > first)
        for (unsigned k = 0; k < at->ndst; k++)
            if (at->bits[k] && at->offsets[k] == offset)
                return k || at->guard != KERNEL_NONE ? NULL : at;
    return NULL;
}

static struct range walk(struct emit *e, const struct decoded *at, unsigned k, unsigned deep)
{
    unsigned bits = at->bits[k];
    uint64_t x;
    if (bits < 8 || bits > 64)
        return anything(64);
    if (emit_constant(e, at, k, &x))
        return exactly(x & all_ones(bits));
    const struct decoded *by = deep ? maker(e, at, at->offsets[k]) : NULL;
    return by && by->bits[0] == bits ? result(e, by, deep - 1) : anything(bits);
}

struct range ranges_of(struct emit *e, const struct decoded *at, unsigned k)
{
    return walk(e, at, k, DEEP);
}
