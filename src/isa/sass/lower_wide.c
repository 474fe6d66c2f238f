/* Sums of 64 bits that code makes of words: the low one gives a carry, the high one takes it.
 *
 *   SHR.U32 R3, R7, 30; ISCADD R4.CC, R7, c[lo], 2; IADD.X R5, R3, c[hi]       R4:R5 = R7 * 4 + c[lo:hi]
 *
 * Where one of the two that are added is known to be a word that was extended, and shifted, the sum is kept as a 64-bit
 * value beside the pair (docs/maxwell.md, "Arithmetic"): so engines see addresses that go on from lane to lane. */
#include "isa/sass/lower.h"

static bool same(struct lane_operand a, struct lane_operand b)
{
    return a.kind == b.kind && a.index == b.index;
}

/* The last instruction of the block at hand, before number `end`, that writes a register; UINT32_MAX: none. */
static uint32_t find_maker(const struct sass_lowerer *l, struct lane_operand v, uint32_t end)
{
    const struct lane_func *f = l->b.func;
    uint32_t first = f->nblocks ? f->blocks[f->nblocks - 1].first : 0;
    for (uint32_t i = end; i-- > first && v.kind == LANE_REG;)
        for (unsigned d = 0; d < f->insts[i].ndst; d++)
            if (same(f->operands[f->insts[i].first + d], v))
                return i;
    return UINT32_MAX;
}

/* Does an operand have now what it had before instruction number `then`? */
static bool is_kept(const struct sass_lowerer *l, struct lane_operand v, uint32_t then)
{
    uint32_t maker = find_maker(l, v, l->b.func->ninsts);
    return maker == UINT32_MAX || maker < then;
}

/* A shift by a number of bits, as which `v` was made before instruction `end`: of *of, which has not changed since. */
static bool is_shift(const struct sass_lowerer *l, struct lane_operand v, uint32_t end, enum lane_op op,
                     struct lane_operand *of, uint64_t *by, enum lane_type *type)
{
    uint32_t maker = find_maker(l, v, end);
    if (maker == UINT32_MAX)
        return false;
    const struct lane_inst *inst = &l->b.func->insts[maker];
    const struct lane_operand *src = &l->b.func->operands[inst->first + 1];
    if (inst->op != op || inst->guard.kind != LANE_NONE || src[0].kind != LANE_REG || !sass_is_const(l, src[1], by))
        return false;
    *of = src[0];
    *type = (enum lane_type)inst->type;
    return is_kept(l, src[0], maker);
}

/* Of two words that are added, high and low, the word that they are made of: extended, times 2^*by. */
static bool is_extended(const struct sass_lowerer *l, struct lane_operand low, struct lane_operand high,
                        struct lane_operand *of, uint64_t *by, enum lane_type *type)
{
    struct lane_operand other;
    enum lane_type unused;
    uint64_t right, zero;
    if (sass_is_const(l, high, &zero)) {
        *of = low;
        *by = 0;
        *type = LANE_U32;
        return zero == 0 && low.kind == LANE_REG && is_kept(l, low, l->carry.inst);
    }
    return is_shift(l, low, l->carry.inst, LANE_OP_shl, of, by, &unused) &&
           is_shift(l, high, l->b.func->ninsts, LANE_OP_shr, &other, &right, type) && same(*of, other) && *by &&
           *by < 32 && right == 32 - *by && (*type == LANE_U32 || *type == LANE_S32);
}

void sass_wide_low(struct sass_lowerer *l, unsigned n, struct lane_operand a, struct lane_operand b)
{
    l->carry.known = l->guard.kind == LANE_NONE && n < SASS_RZ - 1;
    l->carry.n = n;
    l->carry.inst = l->b.func->ninsts - 1;
    l->carry.a = a;
    l->carry.b = b;
}

/* Is nothing between the two sums that changes what the one has left to the other? */
static bool is_high(struct sass_lowerer *l, unsigned n)
{
    uint32_t low = l->carry.inst;
    return l->carry.known && !l->b.failed && n == l->carry.n + 1 && l->guard.kind == LANE_NONE &&
           find_maker(l, sass_register(l, n - 1), l->b.func->ninsts) == low &&
           find_maker(l, l->flags[SASS_C], l->b.func->ninsts) == low;
}

struct lane_operand sass_wide_high(struct sass_lowerer *l, unsigned n, struct lane_operand a, struct lane_operand b)
{
    const struct lane_operand low[2] = {l->carry.a, l->carry.b}, high[2] = {a, b};
    for (unsigned i = 0; i < 4 && is_high(l, n); i++) {
        struct lane_operand of, x = low[i % 2], y = high[i / 2], rest = low[1 - i % 2];
        enum lane_type type;
        uint64_t by;
        if (!is_kept(l, rest, l->carry.inst) || !is_extended(l, x, y, &of, &by, &type))
            continue;
        struct lane_operand sum = sass_temp(l, 64), src[] = {of, sass_imm(l, UINT32_C(1) << by), SASS_NOTHING};
        src[2] = sass_join(l, rest, high[1 - i / 2]);
        sass_emit_list(l, LANE_OP_madwide, type, 1, &sum, 3, src);
        return sum;
    }
    return SASS_NOTHING;
}
