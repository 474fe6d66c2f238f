/* vISA's mathematical functions and sums of products of floats. Source: docs/visa.md, "Running". */
#include "isa/visa/alu.h"

#include <string.h>

static void finish(struct visa_lower *l, unsigned type, struct lane_operand v)
{
    visa_result(l, &l->inst->ops[0], (struct visa_value){v, (uint8_t)type});
}

/* Source `n` as the float type that the function is computed in: what is no float becomes f, so does hf where the lane
 * program has no other. */
static struct lane_operand source(struct visa_lower *l, unsigned n, unsigned type)
{
    return visa_convert(l, visa_source(l, &l->inst->ops[n], true), type, false).v;
}

static unsigned math_type(const struct visa_lower *l)
{
    unsigned type = visa_operand_own_type(l, &l->inst->ops[1]);
    return type == VISA_DF || visa_operand_own_type(l, &l->inst->ops[0]) == VISA_DF ? VISA_DF : VISA_F;
}

static struct lane_operand compute(struct visa_lower *l, enum lane_op op, unsigned type, unsigned count,
                                   const struct lane_operand *src)
{
    enum lane_type lane = visa_lane_type(type);
    struct lane_operand d = visa_pure(l, op, lane, lane_type_bits(lane), count, src);
    visa_last(l)->flags |= (uint16_t)visa_flush(l, type);
    return d;
}

static struct lane_operand rounded(struct visa_lower *l, enum lane_op op, unsigned type, unsigned count,
                                   const struct lane_operand *src)
{
    struct lane_operand d = compute(l, op, type, count, src);
    visa_last(l)->round = (uint8_t)visa_rounding(l);
    return d;
}

/* exp, log, sin, cos, rsqrt (mode 0), sqrt, inv (mode 1: rounded as %cr0 says). Correctly rounded: of hf the result of
 * f rounded once more. */
void visa_math(struct visa_lower *l, const struct visa_does *does)
{
    unsigned type = math_type(l);
    if (type == VISA_DF && does->mode == 0 && does->op != LANE_OP_rsqrt) {
        visa_stop(l, "not supported: %s of df", l->inst->row->name);
        return;
    }
    struct lane_operand v = source(l, 1, type);
    finish(l, type, does->mode ? rounded(l, does->op, type, 1, &v) : compute(l, does->op, type, 1, &v));
}

void visa_pow(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[2] = {source(l, 1, VISA_F), source(l, 2, VISA_F)};
    finish(l, VISA_F, compute(l, does->op, VISA_F, 2, src));
}

/* rndd, rndu, rnde, rndz: mode is the rounding. */
void visa_round(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_value v = visa_source(l, &l->inst->ops[1], true);
    unsigned type = visa_type_float(v.type) ? v.type : VISA_F;
    v = visa_convert(l, v, type, false);
    struct lane_operand d = visa_cvt(l, visa_lane_type(type), visa_lane_type(type), v.v);
    struct lane_inst *inst = visa_last(l);
    inst->round = does->mode;
    inst->flags |= (uint16_t)visa_flush(l, type);
    finish(l, type, d);
}

/* v - floor(v), which is less than 1: what would round up to 1 is the number before it (named choice). */
void visa_frc(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[2] = {source(l, 1, VISA_F), {LANE_NONE, 0}};
    (void)does;
    src[1] = visa_cvt(l, LANE_F32, LANE_F32, src[0]);
    visa_last(l)->round = LANE_RMI;
    struct lane_operand d = compute(l, LANE_OP_sub, VISA_F, 2, src);
    struct lane_operand one = visa_compare(l, LANE_GE, LANE_F32, d, lane_imm(l->b, 32, 0x3F800000));
    finish(l, VISA_F, visa_three(l, LANE_OP_selp, LANE_B32, lane_imm(l->b, 32, 0x3F7FFFFF), d, one));
}

/* div: of floats one operation, of integers towards zero. mod: what remains. */
void visa_divide(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    struct visa_value a = visa_source(l, &ops[1], true), b = visa_source(l, &ops[2], true);
    unsigned type = visa_common(a.type, b.type);
    if (does->op == LANE_OP_rem && visa_type_float(type)) {
        visa_stop(l, "not supported: %s of floats", l->inst->row->name);
        return;
    }
    if (type == VISA_HF || type == VISA_BF)
        type = VISA_F;
    struct lane_operand src[2] = {visa_convert(l, a, type, false).v, visa_convert(l, b, type, false).v};
    finish(l, type, visa_type_float(type) ? rounded(l, does->op, type, 2, src) : compute(l, does->op, type, 2, src));
}

/* ---- sums of products ------------------------------------------------------------------------------------------ */

static struct lane_operand fused(struct visa_lower *l, struct lane_operand a, struct lane_operand b,
                                 struct lane_operand c)
{
    return rounded(l, LANE_OP_fma, VISA_F, 3, (struct lane_operand[]){a, b, c});
}

static struct lane_operand product(struct visa_lower *l, struct lane_operand a, struct lane_operand b)
{
    return rounded(l, LANE_OP_mul, VISA_F, 2, (struct lane_operand[]){a, b});
}

/* An element of the register where an operand begins, for all channels. */
static struct lane_operand element(struct visa_lower *l, unsigned n, unsigned at)
{
    struct visa_operand op = l->inst->ops[n];
    op.region = (uint16_t)visa_region(1, 2, 1); /* <0;1,0> */
    op.column = (uint8_t)(op.column + at);
    return visa_convert(l, visa_source(l, &op, true), VISA_F, false).v;
}

/* a[0] * b + a[3] */
void visa_line(struct visa_lower *l, const struct visa_does *does)
{
    (void)does;
    if (l->inst->ops[1].class != VISA_GENERAL) {
        visa_stop(l, "line: wanted a variable as its first source");
        return;
    }
    finish(l, VISA_F, fused(l, element(l, 1, 0), source(l, 2, VISA_F), element(l, 1, 3)));
}

/* a[0] * u + a[1] * v + a[3], with u and v in turn, 8 channels each. */
void visa_plane(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_operand u = l->inst->ops[2], v;
    (void)does;
    if (l->inst->ops[1].class != VISA_GENERAL || u.class != VISA_GENERAL) {
        visa_stop(l, "plane: wanted variables as sources");
        return;
    }
    u.region = (uint16_t)(l->channels > 8 ? visa_region(6, 5, 2) : visa_region(5, 5, 2)); /* <16;8,1> */
    v = u;
    v.column = (uint8_t)(v.column + 8);
    struct lane_operand a = visa_convert(l, visa_source(l, &u, true), VISA_F, false).v;
    struct lane_operand b = visa_convert(l, visa_source(l, &v, true), VISA_F, false).v;
    finish(l, VISA_F, fused(l, element(l, 1, 0), a, fused(l, element(l, 1, 1), b, element(l, 1, 3))));
}

/* b * a + c * (1 - a) */
void visa_lrp(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand a = source(l, 1, VISA_F), b = source(l, 2, VISA_F), c = source(l, 3, VISA_F);
    (void)does;
    struct lane_operand one[2] = {lane_imm(l->b, 32, 0x3F800000), a};
    struct lane_operand rest = rounded(l, LANE_OP_sub, VISA_F, 2, one);
    finish(l, VISA_F, fused(l, b, a, product(l, c, rest)));
}

/* Element `k` of a channel's group of `group` elements. False: the region is no row of elements. */
static bool member(struct visa_lower *l, unsigned n, unsigned group, unsigned k, struct visa_value *v)
{
    struct visa_operand op = l->inst->ops[n];
    unsigned w = op.region >> 4 & 15, h = op.region >> 8 & 15, code = group == 4 ? 4 : 3;
    if (op.class == VISA_IMMEDIATE || (op.class == VISA_GENERAL && h == 1 && (op.region & 15) == 1)) {
        *v = visa_source(l, &op, true);
        return true;
    }
    bool row = op.class == VISA_GENERAL && ((h == 2 && w >= code) || (w == 2 && (op.region & 15) == 2));
    if (!row)
        return false;
    op.region = (uint16_t)visa_region(code, code, 1); /* <4;4,0> */
    op.column = (uint8_t)(op.column + k);
    *v = visa_source(l, &op, true);
    return true;
}

/* dp2, dp3, dp4, dph: what four channels have together, in all of them. mode: products; op2: 1 for the last factor of a
 * taken as 1 (dph). Summed in order, each step fused (named choice). */
void visa_dot(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand sum = {LANE_NONE, 0};
    for (unsigned k = 0; k < does->mode; k++) {
        struct visa_value a, b;
        if (!member(l, 1, 4, k, &a) || !member(l, 2, 4, k, &b)) {
            visa_stop(l, "not supported: %s of sources that are no rows of elements", l->inst->row->name);
            return;
        }
        a = visa_convert(l, a, VISA_F, false);
        b = visa_convert(l, b, VISA_F, false);
        if (does->op2 && k == 3)
            a.v = lane_imm(l->b, 32, 0x3F800000);
        sum = k ? fused(l, a.v, b.v, sum) : product(l, a.v, b.v);
    }
    finish(l, VISA_F, sum);
}

/* |a[i] - b[i]| + |a[i + 1] - b[i + 1]| for even i; odd channels get the same (named choice). mode 1: + c. */
void visa_sad2(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand sum = lane_imm(l->b, 32, 0);
    for (unsigned k = 0; k < 2; k++) {
        struct visa_value a, b;
        if (!member(l, 1, 2, k, &a) || !member(l, 2, 2, k, &b)) {
            visa_stop(l, "not supported: %s of sources that are no rows of elements", l->inst->row->name);
            return;
        }
        struct lane_operand x = visa_convert(l, a, VISA_D, false).v, y = visa_convert(l, b, VISA_D, false).v;
        sum = visa_three(l, LANE_OP_sad, LANE_S32, x, y, sum);
    }
    if (does->mode)
        sum = visa_two(l, LANE_OP_add, LANE_S32, sum,
                       visa_convert(l, visa_source(l, &l->inst->ops[3], true), VISA_D, false).v);
    finish(l, VISA_D, sum);
}
