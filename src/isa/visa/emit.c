/* Emitting for the instruction at hand: pure operations, masks, channel ranges, patterns of elements. */
#include "isa/visa/lower.h"

#include <assert.h>
#include <string.h>

enum {
    ALL_LANES = 32,
    PATTERN_BYTES = offsetof(struct visa_pattern, bytes) + 1 /* without what is between them and the register */
};

/* ---- emitting --------------------------------------------------------------------------------------------- */

unsigned visa_whole(const struct visa_lower *l)
{
    return l->no_mask || l->scalar ? LANE_WHOLE : 0;
}

struct lane_inst *visa_last(struct visa_lower *l)
{
    return l->b->failed || !l->b->func->ninsts ? &l->b->dummy : &l->b->func->insts[l->b->func->ninsts - 1];
}

struct lane_operand visa_pure(struct visa_lower *l, enum lane_op op, enum lane_type type, unsigned bits, unsigned nsrc,
                              const struct lane_operand *src)
{
    struct lane_operand d = lane_reg(l->b, bits, NULL);
    lane_emit(l->b, op, type, 1, &d, nsrc, src)->flags |= (uint16_t)visa_whole(l);
    return d;
}

struct lane_operand visa_one(struct visa_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a)
{
    return visa_pure(l, op, type, lane_type_bits(type), 1, &a);
}

struct lane_operand visa_two(struct visa_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                             struct lane_operand b)
{
    return visa_pure(l, op, type, lane_type_bits(type), 2, (struct lane_operand[]){a, b});
}

struct lane_operand visa_three(struct visa_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                               struct lane_operand b, struct lane_operand c)
{
    return visa_pure(l, op, type, lane_type_bits(type), 3, (struct lane_operand[]){a, b, c});
}

struct lane_operand visa_compare(struct visa_lower *l, enum lane_cmp cmp, enum lane_type type, struct lane_operand a,
                                 struct lane_operand b)
{
    struct lane_operand d = visa_pure(l, LANE_OP_setp, type, 1, 2, (struct lane_operand[]){a, b});
    visa_last(l)->cmp = (uint8_t)cmp;
    return d;
}

struct lane_operand visa_cvt(struct visa_lower *l, enum lane_type to, enum lane_type from, struct lane_operand a)
{
    struct lane_operand d = visa_pure(l, LANE_OP_cvt, to, lane_type_bits(to), 1, &a);
    visa_last(l)->type2 = (uint8_t)from;
    return d;
}

struct lane_operand visa_and(struct visa_lower *l, struct lane_operand a, struct lane_operand b)
{
    if (a.kind == LANE_NONE || b.kind == LANE_NONE)
        return a.kind == LANE_NONE ? b : a;
    return visa_two(l, LANE_OP_and, LANE_PRED, a, b);
}

struct lane_operand visa_broadcast(struct visa_lower *l, struct lane_operand v, unsigned bits, unsigned lane)
{
    struct lane_operand parts[2], got[2], d;
    unsigned count = bits == 64 ? 2 : 1;
    if (count == 2) {
        parts[0] = lane_reg(l->b, 32, NULL);
        parts[1] = lane_reg(l->b, 32, NULL);
        struct lane_inst *inst = lane_emit(l->b, LANE_OP_unpack, LANE_B64, 2, parts, 1, &v);
        inst->type2 = LANE_B32;
        inst->flags |= LANE_WHOLE;
    } else
        parts[0] = bits < 32 ? visa_cvt(l, LANE_U32, bits == 8 ? LANE_U8 : LANE_U16, v) : v;
    for (unsigned i = 0; i < count; i++) {
        struct lane_operand dst[2] = {lane_reg(l->b, 32, NULL), {LANE_NONE, 0}};
        struct lane_operand src[4] = {parts[i], lane_imm(l->b, 32, lane), lane_imm(l->b, 32, 31),
                                      lane_imm(l->b, 32, UINT32_MAX)};
        struct lane_inst *inst = lane_emit(l->b, LANE_OP_shfl, LANE_VOID, 2, dst, 4, src);
        inst->mode = LANE_SHFL_IDX;
        inst->flags |= LANE_WHOLE;
        got[i] = dst[0];
    }
    if (count == 1)
        return bits < 32 ? visa_cvt(l, bits == 8 ? LANE_U8 : LANE_U16, LANE_U32, got[0]) : got[0];
    d = lane_reg(l->b, 64, NULL);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_pack, LANE_B64, 1, &d, 2, got);
    inst->type2 = LANE_B32;
    inst->flags |= LANE_WHOLE;
    return d;
}

/* ---- ranges of channels, patterns of elements --------------------------------------------------------------- */

unsigned visa_reach(const struct visa_lower *l)
{
    return l->no_mask && !l->packable ? ALL_LANES : l->simd;
}

uint32_t visa_mask(unsigned first, unsigned count)
{
    return (count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1) << first;
}

struct lane_operand visa_range(struct visa_lower *l, unsigned first, unsigned count)
{
    if (first == 0 && count >= visa_reach(l))
        return (struct lane_operand){LANE_NONE, 0};
    assert(first + count <= ALL_LANES);
    struct visa_range *range = &l->ranges[first][count];
    assert(l->collecting || range->asked);
    range->asked = true;
    return l->collecting ? lane_reg(l->b, 1, NULL) : range->pred;
}

struct lane_operand visa_pattern_of(struct visa_lower *l, const struct visa_pattern *p)
{
    unsigned i = 0;
    while (i < l->npatterns && memcmp(&l->patterns[i], p, PATTERN_BYTES) != 0)
        i++;
    if (i == VISA_PATTERNS) {
        visa_stop(l, "not supported: a kernel with more than %d different regions in the register file", VISA_PATTERNS);
        return lane_imm(l->b, 32, 0);
    }
    if (i == l->npatterns) {
        assert(l->collecting);
        l->patterns[l->npatterns++] = *p;
    }
    return l->collecting ? lane_reg(l->b, 32, NULL) : l->patterns[i].reg;
}

struct lane_operand visa_active(struct visa_lower *l)
{
    struct lane_operand range = visa_range(l, l->first, l->channels * l->members);
    if (l->guard.kind == LANE_NONE || range.kind == LANE_NONE)
        return l->guard.kind == LANE_NONE ? range : l->guard;
    struct lane_operand guard = l->guard;
    if (l->guard_not)
        guard = visa_one(l, LANE_OP_not, LANE_PRED, guard);
    return visa_and(l, guard, range);
}

struct lane_inst *visa_masked_if(struct visa_lower *l, struct lane_operand condition, enum lane_op op, unsigned ndst,
                                 const struct lane_operand *dst, unsigned nsrc, const struct lane_operand *src)
{
    struct lane_operand active = visa_active(l);
    bool not = l->guard_not && l->guard.kind != LANE_NONE && active.index == l->guard.index;
    if (not &&condition.kind != LANE_NONE) {
        active = visa_one(l, LANE_OP_not, LANE_PRED, active);
        not = false;
    }
    active = visa_and(l, active, condition);
    struct lane_inst *inst = lane_emit(l->b, op, LANE_VOID, ndst, dst, nsrc, src);
    inst->guard = active;
    inst->guard_not = not ;
    if (l->no_mask)
        inst->flags |= LANE_WHOLE;
    return inst;
}

struct lane_inst *visa_masked(struct visa_lower *l, enum lane_op op, unsigned ndst, const struct lane_operand *dst,
                              unsigned nsrc, const struct lane_operand *src)
{
    return visa_masked_if(l, (struct lane_operand){LANE_NONE, 0}, op, ndst, dst, nsrc, src);
}
