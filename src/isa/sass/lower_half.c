/* Lowering of operations on pairs of f16: HADD2 HMUL2 HFMA2 HSET2 HSETP2.
 *
 * A source is a pair (no suffix), one of its halves twice (.H0_H0, .H1_H1), or an f32 that stands for both (.F32;
 * constants of banks always are f32). Named choice: where a source or the result is an f32, both lanes compute in f32,
 * rounded to nearest, and what becomes a half is rounded again. Otherwise each half is rounded once. */
#include "isa/sass/lower_math.h"

/* A source: one f16x2, or two f32. */
struct pair {
    struct lane_operand packed, lane[2];
    bool single; /* an f32 */
};

/* ---- sources --------------------------------------------------------------------------------------------------- */

static struct lane_operand swizzled(struct sass_lowerer *l, struct lane_operand word, unsigned swizzle)
{
    uint64_t known;
    if (swizzle == SASS_HSW_PAIR)
        return word;
    if (sass_is_const(l, word, &known)) {
        uint32_t half = (uint32_t)(swizzle == SASS_HSW_HIGH ? known >> 16 : known) & 0xffff;
        return sass_imm(l, half << 16 | half);
    }
    return sass_op3(l, LANE_OP_prmt, LANE_B32, word, word, sass_imm(l, swizzle == SASS_HSW_HIGH ? 0x3232 : 0x1010));
}

static struct pair source(struct sass_lowerer *l, unsigned i)
{
    const struct isa_operand *op = &l->op[i];
    unsigned swizzle = op->suffix_names ? op->suffix & 3 : SASS_HSW_PAIR;
    struct pair p = {.single = swizzle == SASS_HSW_F32 || op->kind == ISA_CONSTANT};
    struct lane_operand word = sass_raw(l, i);
    if (p.single)
        p.lane[0] = p.lane[1] = sass_sign(l, LANE_F32, word, op->abs, op->neg);
    else
        p.packed = sass_sign(l, LANE_F16X2, swizzled(l, word, swizzle), op->abs, op->neg);
    return p;
}

/* An immediate pair is two operands, the upper half first. */
static struct pair immediate(struct sass_lowerer *l, unsigned i)
{
    uint32_t high = (uint32_t)l->op[i].value & 0xffff, low = (uint32_t)l->op[i + 1].value & 0xffff;
    return (struct pair){.packed = sass_imm(l, high << 16 | low)};
}

/* The source at *i, which moves on. */
static struct pair next_source(struct sass_lowerer *l, unsigned *i)
{
    bool pair = l->op[*i].letter == 'h';
    struct pair p = pair ? immediate(l, *i) : source(l, *i);
    *i += pair ? 2 : 1;
    return p;
}

/* Subnormal halves to zeros: a multiplication by 1. */
static struct lane_operand flushed(struct sass_lowerer *l, struct lane_operand packed)
{
    struct sass_mode mode = {LANE_F16X2, 0, LANE_FTZ};
    return sass_op_mode(l, LANE_OP_mul, mode, packed, sass_imm(l, 0x3c003c00), SASS_NOTHING);
}

static void widen(struct sass_lowerer *l, struct pair *p, bool ftz)
{
    struct lane_operand half[2] = {sass_temp(l, 16), sass_temp(l, 16)};
    if (p->single)
        return;
    if (ftz)
        p->packed = flushed(l, p->packed);
    sass_emit_list(l, LANE_OP_unpack, LANE_B32, 2, half, 1, &p->packed)->type2 = LANE_B16;
    for (unsigned k = 0; k < 2; k++)
        p->lane[k] = sass_convert(l, LANE_F32, LANE_F16, half[k]);
}

/* ---- results --------------------------------------------------------------------------------------------------- */

/* Two halves, or the one that is wanted into its place in operand 0. */
static void put_packed(struct sass_lowerer *l, unsigned format, struct lane_operand value)
{
    struct lane_operand d = sass_result(l, sass_number(l, 0));
    if (format == SASS_OFMT_PAIR)
        sass_emit1(l, LANE_OP_mov, LANE_B32, d, value);
    else /* bytes 0-3 are the old register's, 4-7 the result's */
        sass_emit3(l, LANE_OP_prmt, LANE_B32, d, sass_register(l, sass_number(l, 0)), value,
                   sass_imm(l, format == SASS_OFMT_LOW ? 0x3254 : 0x7610));
}

static void put_lanes(struct sass_lowerer *l, unsigned format, const struct lane_operand *lane)
{
    if (format == SASS_OFMT_F32) {
        sass_set(l, sass_number(l, 0), lane[0]);
        return;
    }
    struct lane_operand value = sass_temp(l, 32);
    struct lane_inst *inst = sass_emit2(l, LANE_OP_cvtpack, LANE_F16X2, value, lane[1], lane[0]);
    inst->type2 = LANE_F32;
    if (sass_mode(l, LANE_F16X2).flags & LANE_FTZ)
        value = flushed(l, value);
    put_packed(l, format, value);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------ */

/* .FMZ: a zero factor makes the product +0. In halves: wherever one of the factors is zero, both become +0. */
static struct lane_operand nonzero_mask(struct sass_lowerer *l, struct lane_operand packed)
{
    struct lane_operand d = sass_temp(l, 32);
    struct lane_inst *inst = sass_emit2(l, LANE_OP_set2, LANE_F16X2, d, packed, sass_imm(l, 0));
    inst->cmp = LANE_NEU;
    inst->mode = 1;
    inst->flags = LANE_FTZ;
    return d;
}

static void drop_zero_products(struct sass_lowerer *l, struct pair *a, struct pair *b)
{
    struct lane_operand keep =
        sass_op2(l, LANE_OP_and, LANE_B32, nonzero_mask(l, a->packed), nonzero_mask(l, b->packed));
    a->packed = sass_op2(l, LANE_OP_and, LANE_B32, a->packed, keep);
    b->packed = sass_op2(l, LANE_OP_and, LANE_B32, b->packed, keep);
}

static void drop_zero_products_f32(struct sass_lowerer *l, struct pair *a, struct pair *b)
{
    struct sass_mode mode = {LANE_F32, 0, LANE_FTZ};
    struct lane_operand zero = sass_imm(l, 0);
    for (unsigned k = 0; k < 2; k++) {
        struct lane_operand p = sass_compare_floats(l, 2, mode, a->lane[k], zero);
        p = sass_combine(l, 1, p, sass_compare_floats(l, 2, mode, b->lane[k], zero));
        a->lane[k] = sass_op3(l, LANE_OP_selp, LANE_B32, zero, a->lane[k], p);
        b->lane[k] = sass_op3(l, LANE_OP_selp, LANE_B32, zero, b->lane[k], p);
    }
}

static void compute(struct sass_lowerer *l, enum lane_op op, struct pair *s, unsigned count)
{
    unsigned format = sass_value(l, SASS_ROLE_ofmt, SASS_OFMT_PAIR);
    bool wide = format == SASS_OFMT_F32, fmz = sass_is_fmz(l) && op != LANE_OP_add;
    for (unsigned i = 0; i < count; i++)
        wide |= s[i].single;
    struct sass_mode mode = sass_mode(l, wide ? LANE_F32 : LANE_F16X2);
    for (unsigned i = 0; wide && i < count; i++)
        widen(l, &s[i], mode.flags & LANE_FTZ);
    if (fmz && wide)
        drop_zero_products_f32(l, &s[0], &s[1]);
    else if (fmz)
        drop_zero_products(l, &s[0], &s[1]);
    if (!wide) {
        put_packed(l, format,
                   sass_op_mode(l, op, mode, s[0].packed, s[1].packed, count > 2 ? s[2].packed : SASS_NOTHING));
        return;
    }
    struct lane_operand lane[2];
    for (unsigned k = 0; k < 2; k++)
        lane[k] = sass_op_mode(l, op, mode, s[0].lane[k], s[1].lane[k], count > 2 ? s[2].lane[k] : SASS_NOTHING);
    put_lanes(l, format, lane);
}

static void lower_arithmetic(struct sass_lowerer *l, enum lane_op op, unsigned count)
{
    struct pair s[3];
    unsigned at = 1;
    if (sass_value(l, SASS_ROLE_fmz, 0) == SASS_FMZ_RESERVED) {
        sass_cannot(l, "reserved subnormal mode");
        return;
    }
    for (unsigned i = 0; i < count; i++)
        s[i] = next_source(l, &at);
    compute(l, op, s, count);
}

SASS_LOWER(hadd2)
{
    lower_arithmetic(l, LANE_OP_add, 2);
}

SASS_LOWER(hmul2)
{
    lower_arithmetic(l, LANE_OP_mul, 2);
}

SASS_LOWER(hfma2)
{
    lower_arithmetic(l, LANE_OP_fma, 3);
}

/* ---- comparison ------------------------------------------------------------------------------------------------ */

/* Predicates of the low and the high lane of sources *at and after it. */
static void compare(struct sass_lowerer *l, unsigned *at, struct lane_operand t[2])
{
    unsigned cmp = sass_value(l, SASS_ROLE_cmp, 0);
    struct pair a = next_source(l, at), b = next_source(l, at);
    struct sass_mode mode = sass_mode(l, LANE_F32);
    t[0] = t[1] = sass_bool(l, cmp == SASS_CMP_T);
    if (cmp == SASS_CMP_F || cmp == SASS_CMP_T)
        return;
    if (a.single || b.single) {
        widen(l, &a, mode.flags & LANE_FTZ);
        widen(l, &b, mode.flags & LANE_FTZ);
        for (unsigned k = 0; k < 2; k++)
            t[k] = sass_compare_floats(l, cmp, mode, a.lane[k], b.lane[k]);
        return;
    }
    t[0] = sass_temp(l, 1);
    t[1] = sass_temp(l, 1);
    struct lane_operand src[2] = {a.packed, b.packed};
    struct lane_inst *inst = sass_emit_list(l, LANE_OP_setp2, LANE_F16X2, 2, t, 2, src);
    inst->cmp = (uint8_t)sass_cmp4(cmp);
    inst->flags = mode.flags & LANE_FTZ;
}

/* Per lane all ones or (.BF) 1.0, else 0. */
SASS_LOWER(hset2)
{
    uint32_t yes = sass_has(l, SASS_MOD_BF) ? 0x3c00 : 0xffff;
    struct lane_operand t[2], half[2], with, d;
    unsigned bop, at = 1;
    if (!sass_bop(l, &bop))
        return;
    compare(l, &at, t);
    with = sass_predicate(l, at);
    for (unsigned k = 0; k < 2; k++) {
        half[k] = sass_temp(l, 32);
        sass_choose(l, half[k], sass_imm(l, yes << 16 * k), sass_imm(l, 0), sass_combine(l, bop, t[k], with));
    }
    d = sass_result(l, sass_number(l, 0));
    sass_emit2(l, LANE_OP_or, LANE_B32, d, half[0], half[1]);
}

/* P from the low lane, Q from the high one; .H_AND: P where both hold, Q where not. */
SASS_LOWER(hsetp2)
{
    struct lane_operand t[2], with, one, two;
    unsigned bop, at = 2;
    if (!sass_bop(l, &bop))
        return;
    compare(l, &at, t);
    if (sass_has(l, SASS_MOD_H_AND)) {
        sass_set_both(l, 0, at, bop, sass_combine(l, 0, t[0], t[1]));
        return;
    }
    with = sass_predicate(l, at);
    one = sass_combine(l, bop, t[0], with);
    two = sass_combine(l, bop, t[1], with);
    if (l->op[0].reg != SASS_PT && l->op[1].reg != SASS_PT) {
        sass_hold_guard(l, 1u << l->op[0].reg);
        if (two.kind == LANE_REG) /* it may be the very predicate that the first result replaces */
            two = sass_op1(l, LANE_OP_mov, LANE_PRED, two);
    }
    sass_set_predicate(l, 0, one);
    sass_set_predicate(l, 1, two);
}
