/* ALU and OUTPUT instructions: what the RGB and the alpha unit compute, and where it goes. docs/ctm.md, "The ALU" has
 * the rules and where they come from.
 *
 * All is computed before anything is written, and only what is written. Numbers are f32 whose subnormals are zeros of
 * their sign (LANE_FTZ) and whose NaN is 0x7fffffff, which is what the lane program's arithmetic gives; so an output
 * modifier other than DISABLED has nothing to do after it. What is left out is only what changes no bit: factors 1 and
 * -1 before an addition, the addition of -0. */
#include "isa/ctm/effects.h"
#include "isa/ctm/lower.h"

#include <string.h>

enum corner { TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, CORNERS }; /* of a quad */
enum arg { ARG_A, ARG_B, ARG_C };
enum { ALPHA = 3, RGB_CHANNELS = 3 };
enum { MINUS_ZERO = 0x80000000u, PLUS_ONE = 0x3f800000u, MINUS_ONE = 0xbf800000u };

struct alu {
    struct ctm_lower *l;
    /* By select, channel and modifier: what has been computed. */
    struct lane_operand made[4][CTM_CHANNELS][4];
    struct lane_operand corner[CORNERS]; /* lanes */
    struct lane_operand dot, scalar;     /* of both units */
    bool needs[CTM_CHANNELS];            /* results that something takes */
};

/* A result before the output modifier. */
struct result {
    struct lane_operand value;
    bool as_is;  /* bits of an operand: NaN and subnormals as they were */
    bool shared; /* of both units */
};

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static bool constant(const struct ctm_lower *l, struct lane_operand op, uint32_t *bits)
{
    if (op.kind != LANE_CONST || l->b->failed)
        return false;
    *bits = (uint32_t)l->b->func->consts[op.index].lo;
    return true;
}

static bool is_bits(const struct ctm_lower *l, struct lane_operand op, uint32_t wanted)
{
    uint32_t bits;
    return constant(l, op, &bits) && bits == wanted;
}

/* A number that is not NaN, infinite or, with `nonzero`, 0. */
static bool is_finite(const struct ctm_lower *l, struct lane_operand op, bool nonzero)
{
    uint32_t bits;
    return constant(l, op, &bits) && (bits >> 23 & 255) != 255 && (!nonzero || bits << 1);
}

static bool same(struct lane_operand a, struct lane_operand b)
{
    return a.kind == b.kind && a.index == b.index;
}

static struct lane_inst *last_inst(struct ctm_lower *l)
{
    return l->b->failed ? &l->b->dummy : &l->b->func->insts[l->b->func->ninsts - 1];
}

static struct lane_operand one(struct ctm_lower *l, enum lane_op op, struct lane_operand a)
{
    struct lane_operand d = ctm_one(l, op, LANE_F32, a);
    last_inst(l)->flags |= LANE_FTZ;
    return d;
}

static struct lane_operand two(struct ctm_lower *l, enum lane_op op, struct lane_operand a, struct lane_operand b)
{
    struct lane_operand d = ctm_two(l, op, LANE_F32, a, b);
    last_inst(l)->flags |= LANE_FTZ;
    return d;
}

/* 0 * x = 0 (docs/ctm.md, "Choices", zero times anything): where a factor is 0 a NaN becomes +0; min of a NaN and a
 * number is the number, and of zeros the negative one. */
static struct lane_operand zero_times(struct ctm_lower *l, struct lane_operand a, struct lane_operand b,
                                      struct lane_operand product)
{
    struct lane_operand zero = ctm_u32(l, 0), least = two(l, LANE_OP_min, a, b);
    last_inst(l)->flags |= LANE_ABS;
    struct lane_operand is_zero = ctm_compare(l, LANE_EQ, LANE_F32, least, zero);
    struct lane_inst *inst =
        lane_emit(l->b, LANE_OP_min, LANE_F32, 1, &product, 2, (struct lane_operand[]){product, zero});
    inst->guard = is_zero;
    return product;
}

static struct lane_operand multiply(struct ctm_lower *l, struct lane_operand a, struct lane_operand b)
{
    uint32_t x, y;
    if (constant(l, a, &x) && constant(l, b, &y)) {
        float f, g;
        memcpy(&f, &x, sizeof f);
        memcpy(&g, &y, sizeof g);
        return ctm_float(l, f * g); /* of swizzles and inline constants: exact */
    }
    struct lane_operand product = two(l, LANE_OP_mul, a, b);
    bool plain = !ctm_zero_times(l->program) || is_finite(l, a, true) || is_finite(l, b, true);
    return plain ? product : zero_times(l, a, b, product);
}

/* A*B+C: the product is rounded, then the sum. */
static struct lane_operand multiply_add(struct ctm_lower *l, struct lane_operand a, struct lane_operand b,
                                        struct lane_operand c)
{
    if (is_bits(l, a, PLUS_ONE) || is_bits(l, a, MINUS_ONE)) {
        struct lane_operand swap = a;
        a = b;
        b = swap;
    }
    if (is_bits(l, b, PLUS_ONE))
        return two(l, LANE_OP_add, a, c);
    if (is_bits(l, b, MINUS_ONE))
        return two(l, LANE_OP_sub, c, a);
    struct lane_operand product = multiply(l, a, b);
    bool square = same(a, b); /* +0 at least, or NaN: +0 more is nothing */
    if ((is_bits(l, c, MINUS_ZERO) || (square && is_bits(l, c, 0))) && product.kind == LANE_REG)
        return product;
    return two(l, LANE_OP_add, product, c);
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

static unsigned unit_of(unsigned channel)
{
    return channel == ALPHA ? CTM_ALPHA : CTM_RGB;
}

static struct lane_operand source(struct ctm_lower *l, unsigned slot, unsigned channel)
{
    struct ctm_access a = ctm_source(l->inst, unit_of(channel), slot);
    if (a.place == CTM_PLACE_FLOAT)
        return ctm_read_const(l, a.number, a.relative, channel);
    if (a.place == CTM_PLACE_INLINE)
        return ctm_float(l, ctm_inline_value(a.number));
    return ctm_read_temp(l, a.number, a.relative, channel);
}

/* srcp. */
static struct lane_operand presubtract(struct ctm_lower *l, unsigned channel)
{
    struct lane_operand unit = ctm_float(l, 1), s0 = source(l, 0, channel);
    switch (ctm_in(l, ctm_units[unit_of(channel)].srcp)) {
    case CTM_SRCP_BIAS:
        return two(l, LANE_OP_sub, unit, two(l, LANE_OP_mul, s0, ctm_float(l, 2)));
    case CTM_SRCP_SUB:
        return two(l, LANE_OP_sub, source(l, 1, channel), s0);
    case CTM_SRCP_ADD:
        return two(l, LANE_OP_add, source(l, 1, channel), s0);
    default:
        return two(l, LANE_OP_sub, unit, s0);
    }
}

/* Modifiers change the sign bit, that of NaN too. */
static struct lane_operand modify(struct ctm_lower *l, struct lane_operand op, enum ctm_imod mod)
{
    uint32_t bits;
    if (mod == CTM_IMOD_OFF)
        return op;
    if (constant(l, op, &bits)) {
        uint32_t magnitude = bits & 0x7fffffff;
        return ctm_u32(l, mod == CTM_IMOD_NEG   ? bits ^ 0x80000000
                          : mod == CTM_IMOD_ABS ? magnitude
                                                : magnitude | 0x80000000);
    }
    if (mod != CTM_IMOD_NEG)
        op = ctm_one(l, LANE_OP_abs, LANE_F32, op);
    return mod == CTM_IMOD_ABS ? op : ctm_one(l, LANE_OP_neg, LANE_F32, op);
}

/* A channel of a source or srcp, modified: computed once. */
static struct lane_operand selected(struct alu *u, unsigned select, unsigned channel, enum ctm_imod mod)
{
    struct lane_operand *made = &u->made[select][channel][mod];
    if (made->kind != LANE_NONE)
        return *made;
    if (mod != CTM_IMOD_OFF)
        *made = modify(u->l, selected(u, select, channel, CTM_IMOD_OFF), mod);
    else
        *made = select == CTM_SEL_SRCP ? presubtract(u->l, channel) : source(u->l, select, channel);
    return *made;
}

static enum ctm_imod modifier(const struct ctm_lower *l, enum arg arg, unsigned channel)
{
    return (enum ctm_imod)ctm_in(l, ctm_units[unit_of(channel)].mod[arg]);
}

static struct lane_operand operand(struct alu *u, enum arg arg, unsigned channel)
{
    static const float values[] = {0, 0.5f, 1, 0 /* 7, which is not used */};
    struct ctm_lower *l = u->l;
    const struct ctm_unit *unit = &ctm_units[unit_of(channel)];
    unsigned swizzle = ctm_in(l, unit->swizzle[arg][channel]);
    if (swizzle >= CTM_SWIZ_ZERO)
        return modify(l, ctm_float(l, values[swizzle - CTM_SWIZ_ZERO]), modifier(l, arg, channel));
    return selected(u, ctm_in(l, unit->sel[arg]), swizzle, modifier(l, arg, channel));
}

/* ---- operations ----------------------------------------------------------------------------------------------- */

/* What both units have. */
enum operation { OP_MAD, OP_MIN, OP_MAX, OP_CND, OP_CMP, OP_FRC, OP_MDH, OP_MDV };

static struct lane_operand select_of(struct ctm_lower *l, struct lane_operand p, struct lane_operand a,
                                     struct lane_operand b)
{
    struct lane_operand d = lane_reg(l->b, 32, NULL);
    lane_emit(l->b, LANE_OP_selp, LANE_B32, 1, &d, 3, (struct lane_operand[]){a, b, p});
    return d;
}

/* MIN, MAX: B where one is NaN and where both are zeros, so comparisons leave out equality. */
static struct lane_operand extreme(struct ctm_lower *l, enum lane_cmp cmp, struct lane_operand a, struct lane_operand b)
{
    return same(a, b) ? a : select_of(l, ctm_compare(l, cmp, LANE_F32, a, b), a, b);
}

/* CND, CMP: B where any of the three is NaN. */
static struct lane_operand conditional(struct alu *u, enum lane_cmp cmp, float with, unsigned channel)
{
    struct ctm_lower *l = u->l;
    struct lane_operand a = operand(u, ARG_A, channel), b = operand(u, ARG_B, channel);
    if (same(a, b))
        return a;
    struct lane_operand p = ctm_compare(l, cmp, LANE_F32, operand(u, ARG_C, channel), ctm_float(l, with));
    bool a_known = is_finite(l, a, false), b_known = is_finite(l, b, false);
    if (!a_known || !b_known)
        p = ctm_both(l, p, ctm_compare(l, LANE_NUM, LANE_F32, a_known ? b : a, b_known ? a : b));
    return select_of(l, p, a, b);
}

static struct lane_operand fraction(struct ctm_lower *l, struct lane_operand a)
{
    struct lane_operand whole = one(l, LANE_OP_cvt, a);
    last_inst(l)->type2 = LANE_F32;
    last_inst(l)->round = LANE_RMI;
    return two(l, LANE_OP_sub, a, whole);
}

/* The lane of a processor of this one's quad. */
static struct lane_operand corner_lane(struct alu *u, enum corner corner)
{
    struct ctm_lower *l = u->l;
    struct lane_operand *lane = &u->corner[corner];
    if (lane->kind != LANE_NONE)
        return *lane;
    if (corner != TOP_LEFT) {
        struct lane_operand first = corner_lane(u, TOP_LEFT);
        *lane = ctm_two(l, LANE_OP_or, LANE_B32, first, ctm_u32(l, corner == TOP_RIGHT ? 1 : CTM_BLOCK_X));
    } else {
        struct lane_operand id = ctm_sreg(l, LANE_SREG_LANEID);
        *lane = ctm_two(l, LANE_OP_and, LANE_B32, id, ctm_u32(l, ~(1u | CTM_BLOCK_X)));
    }
    return *lane;
}

/* src0 of a processor of the quad, with the modifier of an operand. */
static struct lane_operand of_quad(struct alu *u, enum corner corner, enum arg arg, unsigned channel)
{
    struct ctm_lower *l = u->l;
    struct lane_operand value = selected(u, 0, channel, CTM_IMOD_OFF), d[] = {lane_reg(l->b, 32, NULL), none};
    struct lane_operand src[] = {value, corner_lane(u, corner), ctm_u32(l, 31), ctm_u32(l, UINT32_MAX)};
    lane_emit(l->b, LANE_OP_shfl, LANE_VOID, 2, d, 4, src)->mode = LANE_SHFL_IDX;
    return modify(l, d[0], modifier(l, arg, channel));
}

static struct lane_operand gradient(struct alu *u, bool vertical, unsigned channel)
{
    struct lane_operand a = of_quad(u, TOP_LEFT, ARG_A, channel);
    struct lane_operand c = of_quad(u, vertical ? BOTTOM_LEFT : TOP_RIGHT, ARG_C, channel);
    return multiply_add(u->l, a, operand(u, ARG_B, channel), c);
}

/* A*B+C; with -C, which is a register's, a subtraction: the same, signs of zeros too. */
static struct lane_operand mad(struct alu *u, unsigned channel)
{
    struct ctm_lower *l = u->l;
    const struct ctm_unit *unit = &ctm_units[unit_of(channel)];
    struct lane_operand a = operand(u, ARG_A, channel), b = operand(u, ARG_B, channel);
    unsigned swizzle = ctm_in(l, unit->swizzle[ARG_C][channel]);
    if (is_bits(l, b, PLUS_ONE) && swizzle < CTM_SWIZ_ZERO && modifier(l, ARG_C, channel) == CTM_IMOD_NEG) {
        unsigned select = ctm_in(l, unit->sel[ARG_C]);
        return two(l, LANE_OP_sub, a, selected(u, select, swizzle, CTM_IMOD_OFF));
    }
    return multiply_add(l, a, b, operand(u, ARG_C, channel));
}

static struct result operate(struct alu *u, enum operation op, unsigned channel)
{
    struct ctm_lower *l = u->l;
    struct result r = {.as_is = op == OP_MIN || op == OP_MAX || op == OP_CND || op == OP_CMP};
    switch (op) {
    case OP_MAD:
        r.value = mad(u, channel);
        break;
    case OP_MIN:
        r.value = extreme(l, LANE_LT, operand(u, ARG_A, channel), operand(u, ARG_B, channel));
        break;
    case OP_MAX:
        r.value = extreme(l, LANE_GT, operand(u, ARG_A, channel), operand(u, ARG_B, channel));
        break;
    case OP_CND:
        r.value = conditional(u, LANE_GT, 0.5f, channel);
        break;
    case OP_CMP:
        r.value = conditional(u, LANE_GE, 0, channel);
        break;
    case OP_FRC:
        r.value = fraction(l, operand(u, ARG_A, channel));
        break;
    default:
        r.value = gradient(u, op == OP_MDV, channel);
    }
    return r;
}

/* Products are summed from red on, each sum rounded. */
static struct lane_operand dot(struct alu *u)
{
    struct ctm_lower *l = u->l;
    unsigned op = ctm_in(l, CTM_RGB_OP);
    unsigned count = op == CTM_RGB_DP4 ? 4 : op == CTM_RGB_DP3 ? 3 : 2;
    if (u->dot.kind != LANE_NONE)
        return u->dot;
    struct lane_operand sum = none;
    for (unsigned c = 0; c < count; c++) {
        struct lane_operand product = multiply(l, operand(u, ARG_A, c), operand(u, ARG_B, c));
        sum = c ? two(l, LANE_OP_add, sum, product) : product;
    }
    if (op == CTM_RGB_D2A)
        sum = two(l, LANE_OP_add, sum, operand(u, ARG_C, 2));
    return u->dot = sum;
}

/* The alpha unit's functions; LANE_OPS: not one of them. */
static enum lane_op scalar_op(unsigned alpha_op)
{
    static const uint16_t ops[] = {LANE_OP_ex2,   LANE_OP_lg2,     LANE_OP_rcp,
                                   LANE_OP_rsqrt, LANE_OP_sinturn, LANE_OP_costurn};
    return alpha_op >= CTM_ALPHA_EX2 && alpha_op <= CTM_ALPHA_COS ? (enum lane_op)ops[alpha_op - CTM_ALPHA_EX2]
                                                                  : LANE_OPS;
}

static struct lane_operand scalar(struct alu *u, enum lane_op op)
{
    if (u->scalar.kind == LANE_NONE)
        u->scalar = one(u->l, op, operand(u, ARG_A, ALPHA));
    return u->scalar;
}

static struct result wrong(struct ctm_lower *l, const char *what)
{
    ctm_stop(l, "not supported: %s", what);
    return (struct result){.value = ctm_u32(l, 0)};
}

/* Does RGB need what alpha computes, or the other way round? */
static bool both_need(const struct alu *u)
{
    return u->needs[ALPHA] && (u->needs[0] || u->needs[1] || u->needs[2]);
}

static struct result rgb_result(struct alu *u, unsigned channel)
{
    static const uint8_t ops[] = {
        [CTM_RGB_MAD] = OP_MAD, [CTM_RGB_MIN] = OP_MIN, [CTM_RGB_MAX] = OP_MAX, [CTM_RGB_CND] = OP_CND,
        [CTM_RGB_CMP] = OP_CMP, [CTM_RGB_FRC] = OP_FRC, [CTM_RGB_MDH] = OP_MDH, [CTM_RGB_MDV] = OP_MDV};
    struct ctm_lower *l = u->l;
    unsigned op = ctm_in(l, CTM_RGB_OP);
    if (ctm_is_dot(op))
        return (struct result){.value = dot(u), .shared = ctm_in(l, CTM_ALPHA_OP) == CTM_ALPHA_DP && both_need(u)};
    if (op == CTM_RGB_SOP) {
        enum lane_op function = scalar_op(ctm_in(l, CTM_ALPHA_OP));
        if (function == LANE_OPS)
            return wrong(l, "OP_RGB_SOP beside an alpha operation that is not EX2, LN2, RCP, RSQ, SIN or COS");
        return (struct result){.value = scalar(u, function), .shared = both_need(u)};
    }
    if (op >= sizeof ops / sizeof *ops || op == 6)
        return wrong(l, "a reserved RGB_OP");
    return operate(u, (enum operation)ops[op], channel);
}

static struct result alpha_result(struct alu *u)
{
    static const uint8_t ops[] = {
        [CTM_ALPHA_MAD] = OP_MAD, [CTM_ALPHA_MIN] = OP_MIN, [CTM_ALPHA_MAX] = OP_MAX, [CTM_ALPHA_CND] = OP_CND,
        [CTM_ALPHA_CMP] = OP_CMP, [CTM_ALPHA_FRC] = OP_FRC, [CTM_ALPHA_MDH] = OP_MDH, [CTM_ALPHA_MDV] = OP_MDV};
    struct ctm_lower *l = u->l;
    unsigned op = ctm_in(l, CTM_ALPHA_OP), rgb = ctm_in(l, CTM_RGB_OP);
    enum lane_op function = scalar_op(op);
    if (function != LANE_OPS)
        return (struct result){.value = scalar(u, function), .shared = rgb == CTM_RGB_SOP && both_need(u)};
    if (op == CTM_ALPHA_DP)
        return ctm_is_dot(rgb) ? (struct result){.value = dot(u), .shared = both_need(u)}
                               : wrong(l, "OP_ALPHA_DP beside an RGB operation that is not DP3, DP4 or D2A");
    if (op == 4)
        return wrong(l, "a reserved ALPHA_OP");
    return operate(u, (enum operation)ops[op], ALPHA);
}

/* ---- output modifiers and clamps -------------------------------------------------------------------------------- */

/* The last instruction made the value and can clamp it as well. */
static bool clamp_in_place(struct ctm_lower *l, const struct result *r)
{
    struct lane_inst *inst = last_inst(l);
    bool can = inst->op == LANE_OP_add || inst->op == LANE_OP_sub || inst->op == LANE_OP_mul || inst->op == LANE_OP_rcp;
    if (l->b->failed || r->shared || !can || inst->guard.kind != LANE_NONE ||
        !same(l->b->func->operands[inst->first], r->value))
        return false;
    inst->flags |= LANE_SAT;
    return true;
}

static struct lane_operand finish(struct alu *u, const struct result *r, bool alpha)
{
    static const float factors[] = {1, 2, 4, 8, 0.5f, 0.25f, 0.125f};
    struct ctm_lower *l = u->l;
    unsigned omod = ctm_in(l, alpha ? CTM_ALPHA_OMOD : CTM_RGB_OMOD);
    bool clamp = ctm_in(l, alpha ? CTM_ALPHA_CLAMP : CTM_RGB_CLAMP);
    if (omod == CTM_OMOD_DISABLED)
        return r->value;
    if (omod == CTM_OMOD_U1 && !r->as_is && (!clamp || clamp_in_place(l, r)))
        return r->value;
    struct lane_operand value = two(l, LANE_OP_mul, r->value, ctm_float(l, factors[omod]));
    if (clamp)
        last_inst(l)->flags |= LANE_SAT;
    return value;
}

/* ---- where results go ------------------------------------------------------------------------------------------- */

/* Channels in a mask of RGB and one of alpha. */
static unsigned mask_of(const struct ctm_lower *l, enum ctm_field rgb, enum ctm_field alpha)
{
    return ctm_in(l, rgb) | ctm_in(l, alpha) << ALPHA;
}

static unsigned result_channel(const struct ctm_lower *l)
{
    return ctm_in(l, CTM_ALU_RESULT_SEL) ? ALPHA : 0;
}

/* Only flow control reads it. */
static bool writes_alu_result(const struct ctm_lower *l)
{
    return l->flows && ctm_in(l, CTM_ALU_WMASK);
}

static bool writes_cond(const struct ctm_lower *l)
{
    return ctm_in(l, CTM_TYPE) == CTM_TYPE_OUTPUT && ctm_in(l, CTM_W_OMASK);
}

static void find_needs(struct alu *u)
{
    const struct ctm_lower *l = u->l;
    unsigned needs = mask_of(l, CTM_RGB_WMASK, CTM_ALPHA_WMASK) | mask_of(l, CTM_RGB_OMASK, CTM_ALPHA_OMASK);
    if (writes_alu_result(l))
        needs |= 1u << result_channel(l);
    if (writes_cond(l))
        needs |= 1u << ALPHA;
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        u->needs[c] = needs >> c & 1;
}

/* Results of the channels that something takes. Those of one operation for all channels are one value. */
static void compute(struct alu *u, struct lane_operand value[CTM_CHANNELS])
{
    unsigned rgb_op = ctm_in(u->l, CTM_RGB_OP);
    bool broadcast = ctm_is_dot(rgb_op) || rgb_op == CTM_RGB_SOP;
    struct lane_operand first = none;
    for (unsigned c = 0; c < CTM_CHANNELS; c++) {
        value[c] = none;
        if (!u->needs[c])
            continue;
        if (c < RGB_CHANNELS && broadcast && first.kind != LANE_NONE) {
            value[c] = first;
            continue;
        }
        struct result r = c == ALPHA ? alpha_result(u) : rgb_result(u, c);
        value[c] = finish(u, &r, c == ALPHA);
        first = first.kind == LANE_NONE ? value[c] : first;
    }
    /* Bits that are only moved are a register's that may be written here: taken along first. */
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (value[c].kind == LANE_REG && ctm_in(u->l, c == ALPHA ? CTM_ALPHA_OMOD : CTM_RGB_OMOD) == CTM_OMOD_DISABLED)
            value[c] = ctm_one(u->l, LANE_OP_mov, LANE_B32, value[c]);
}

/* A place that takes the result of a channel. */
struct taker {
    enum { TO_TEMP, TO_COND, TO_OUTPUT } kind;
    unsigned channel;
};
enum { TAKERS = 2 * CTM_CHANNELS + 1 };

static unsigned find_takers(const struct ctm_lower *l, struct taker out[TAKERS])
{
    unsigned n = 0, temps = mask_of(l, CTM_RGB_WMASK, CTM_ALPHA_WMASK);
    unsigned outputs = mask_of(l, CTM_RGB_OMASK, CTM_ALPHA_OMASK);
    if (ctm_in(l, CTM_TYPE) != CTM_TYPE_OUTPUT || ctm_uncached(l->program))
        outputs = 0;
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (temps >> c & 1)
            out[n++] = (struct taker){TO_TEMP, c};
    if (writes_cond(l))
        out[n++] = (struct taker){TO_COND, ALPHA};
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (outputs >> c & 1)
            out[n++] = (struct taker){TO_OUTPUT, c};
    return n;
}

static void write_one(struct ctm_lower *l, struct taker taker, struct lane_operand value)
{
    unsigned c = taker.channel;
    struct lane_operand guard = ctm_writes(l, c);
    bool alpha = c == ALPHA;
    if (taker.kind == TO_TEMP)
        ctm_write_temp(l, ctm_in(l, alpha ? CTM_ALPHA_ADDRD : CTM_RGB_ADDRD),
                       ctm_in(l, alpha ? CTM_ALPHA_ADDRD_REL : CTM_RGB_ADDRD_REL), c, guard, value);
    else if (taker.kind == TO_COND)
        ctm_write_cond(l, guard, value);
    else
        ctm_write_output(l, ctm_in(l, alpha ? CTM_ALPHA_TARGET : CTM_RGB_TARGET), c, guard, value);
}

/* A value that several places take stays until the last has it. What a temporary has got without a guard is read there:
 * places of one instruction differ by their channels. */
static void write_all(struct ctm_lower *l, struct lane_operand value[CTM_CHANNELS])
{
    struct taker takers[TAKERS];
    unsigned n = find_takers(l, takers);
    bool held[CTM_CHANNELS] = {false}; /* in a temporary */
    for (unsigned i = 0; i < n; i++) {
        unsigned c = takers[i].channel;
        struct lane_operand v = value[c], guard = ctm_writes(l, c);
        bool again = false, moves = takers[i].kind == TO_TEMP && guard.kind == LANE_NONE && !l->temps_indexed;
        for (unsigned k = i + 1; k < n; k++)
            again |= same(value[takers[k].channel], v);
        bool stored = takers[i].kind == TO_TEMP && l->temps_indexed;
        if ((held[c] || (again && !moves)) && !stored && v.kind == LANE_REG)
            v = ctm_one(l, LANE_OP_mov, LANE_B32, v);
        write_one(l, takers[i], v);
        for (unsigned k = 0; k < CTM_CHANNELS && again && moves; k++)
            if (same(value[k], v)) {
                value[k] = l->temp[ctm_in(l, c == ALPHA ? CTM_ALPHA_ADDRD : CTM_RGB_ADDRD)][c];
                held[k] = true;
            }
    }
}

/* All four channels, or those that the masks leave. */
static void send(struct ctm_lower *l, const struct lane_operand value[CTM_CHANNELS])
{
    unsigned mask = mask_of(l, CTM_RGB_OMASK, CTM_ALPHA_OMASK);
    struct lane_operand sent[CTM_CHANNELS];
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        sent[c] = mask >> c & 1 ? value[c] : none;
    ctm_uncached_output(l, sent);
}

/* Compares with 0, after modifier and clamp; a NaN is only not equal. */
static struct lane_operand compare(struct ctm_lower *l, enum lane_cmp cmp, struct lane_operand value)
{
    return ctm_compare(l, cmp, LANE_F32, value, ctm_u32(l, 0));
}

/* Predicate bits and the ALU result, of values before anything else is written. */
static void compare_all(struct ctm_lower *l, const struct lane_operand value[CTM_CHANNELS],
                        struct lane_operand bits[CTM_CHANNELS], struct lane_operand *alu_result)
{
    static const uint8_t tests[] = {
        [CTM_TEST_EQ] = LANE_EQ, [CTM_TEST_LT] = LANE_LT, [CTM_TEST_GE] = LANE_GE, [CTM_TEST_NE] = LANE_NEU};
    static const uint8_t compares[] = {
        [CTM_EQUAL] = LANE_EQ, [CTM_LESS] = LANE_LT, [CTM_GREATER_EQUAL] = LANE_GE, [CTM_NOT_EQUAL] = LANE_NEU};
    unsigned mask = ctm_in(l, CTM_TYPE) == CTM_TYPE_ALU ? mask_of(l, CTM_RGB_OMASK, CTM_ALPHA_OMASK) : 0;
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        bits[c] =
            mask >> c & 1
                ? compare(l, (enum lane_cmp)tests[ctm_in(l, c == ALPHA ? CTM_ALPHA_TARGET : CTM_RGB_TARGET)], value[c])
                : none;
    *alu_result = writes_alu_result(l)
                      ? compare(l, (enum lane_cmp)compares[ctm_in(l, CTM_ALU_RESULT_OP)], value[result_channel(l)])
                      : none;
}

void ctm_alu(struct ctm_lower *l)
{
    struct alu u = {.l = l};
    struct lane_operand value[CTM_CHANNELS], bits[CTM_CHANNELS], alu_result;
    struct lane_operand running = ctm_running(l);
    find_needs(&u);
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (u.needs[c])
            ctm_writes(l, c); /* who writes is known before the first operation */
    compute(&u, value);
    compare_all(l, value, bits, &alu_result);
    if (ctm_in(l, CTM_TYPE) == CTM_TYPE_OUTPUT && ctm_uncached(l->program))
        send(l, value);
    write_all(l, value);
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (bits[c].kind != LANE_NONE)
            ctm_write_pred(l, c, ctm_writes(l, c), bits[c]);
    if (alu_result.kind != LANE_NONE)
        ctm_give(l, running, l->alu_result, alu_result);
}
