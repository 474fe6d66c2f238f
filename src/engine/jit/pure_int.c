/* Compiled forms: integers (meaning/ints.h, meaning/video.h). */
#include "engine/jit/pure.h"

static bool is_signed(const struct pure *p)
{
    return lane_type_signed(p->inst->type) || p->inst->type == LANE_S16X2;
}

static bool give(struct pure *p, value x)
{
    pure_result(p, 0, x);
    return true;
}

/* ---- sums ----------------------------------------------------------------------------------------------------------
 */

static bool add(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1);
    if (p->flags & LANE_SAT)
        return give(p, pure_call2(p, is_signed(p) ? "llvm.sadd.sat" : "llvm.uadd.sat", a, b));
    return give(p, pure_add(p, a, b));
}

static bool sub(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1);
    if (p->flags & LANE_SAT)
        return give(p, pure_call2(p, is_signed(p) ? "llvm.ssub.sat" : "llvm.usub.sat", a, b));
    return give(p, pure_sub(p, a, b));
}

static value absolute(struct pure *p, value a)
{
    value negative = pure_icmp(p, LLVMIntSLT, a, pure_same(p, p->bits, 0));
    return pure_select(p, negative, pure_sub(p, pure_same(p, p->bits, 0), a), a);
}

static bool abs_int(struct pure *p)
{
    return give(p, absolute(p, pure_source(p, 0)));
}

static bool neg(struct pure *p)
{
    return give(p, pure_sub(p, pure_same(p, p->bits, 0), pure_source(p, 0)));
}

static value least(struct pure *p, value a, value b, bool sign)
{
    return pure_call2(p, sign ? "llvm.smin" : "llvm.umin", a, b);
}

static value greatest(struct pure *p, value a, value b, bool sign)
{
    return pure_call2(p, sign ? "llvm.smax" : "llvm.umax", a, b);
}

static bool min_max(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1);
    bool sign = is_signed(p);
    value r = p->inst->op == LANE_OP_min ? least(p, a, b, sign) : greatest(p, a, b, sign);
    return give(p, p->flags & LANE_RELU ? greatest(p, r, pure_same(p, p->bits, 0), true) : r);
}

static bool sad(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1);
    bool sign = is_signed(p);
    value difference = pure_sub(p, greatest(p, a, b, sign), least(p, a, b, sign));
    return give(p, pure_add(p, pure_source(p, 2), difference));
}

/* ---- products ------------------------------------------------------------------------------------------------------
 */

/* All bits of a product. */
static value wide_product(struct pure *p, value a, value b, bool sign)
{
    unsigned to = 2 * p->bits;
    return pure_mul(p, pure_resize(p, a, p->bits, to, sign), pure_resize(p, b, p->bits, to, sign));
}

/* The high half of a product of 64 bits, from four of 32. */
static value high_product64(struct pure *p, value a, value b)
{
    value low = pure_same(p, 64, UINT32_MAX), shift = pure_same(p, 64, 32);
    value al = pure_and(p, a, low), ah = pure_shr(p, a, shift, false);
    value bl = pure_and(p, b, low), bh = pure_shr(p, b, shift, false);
    value ll = pure_mul(p, al, bl), lh = pure_mul(p, al, bh), hl = pure_mul(p, ah, bl), hh = pure_mul(p, ah, bh);
    value middle = pure_add(p, hl, pure_shr(p, ll, shift, false));
    value rest = pure_add(p, lh, pure_and(p, middle, low));
    value high = pure_add(p, hh, pure_shr(p, middle, shift, false));
    return pure_add(p, high, pure_shr(p, rest, shift, false));
}

/* What of b the high half has too much, where a is negative and taken as unsigned. */
static value excess(struct pure *p, value a, value b)
{
    return pure_and(p, pure_shr(p, a, pure_same(p, 64, 63), true), b);
}

static value high_product(struct pure *p, value a, value b)
{
    bool sign = is_signed(p);
    if (p->bits == 64) {
        value high = high_product64(p, a, b);
        return sign ? pure_sub(p, pure_sub(p, high, excess(p, a, b)), excess(p, b, a)) : high;
    }
    value high = pure_shr(p, wide_product(p, a, b, sign), pure_same(p, 2 * p->bits, p->bits), false);
    return pure_resize(p, high, 2 * p->bits, p->bits, false);
}

static bool mul(struct pure *p)
{
    return give(p, pure_mul(p, pure_source(p, 0), pure_source(p, 1)));
}

static bool mad(struct pure *p)
{
    return give(p, pure_add(p, pure_mul(p, pure_source(p, 0), pure_source(p, 1)), pure_source(p, 2)));
}

static bool mulhi(struct pure *p)
{
    return give(p, high_product(p, pure_source(p, 0), pure_source(p, 1)));
}

/* The sum of 64 bits, clamped to s32. */
static value clamp_s32(struct pure *p, value x)
{
    x = greatest(p, x, pure_same(p, 64, (uint64_t)INT32_MIN), true);
    return pure_resize(p, least(p, x, pure_same(p, 64, INT32_MAX), true), 64, 32, true);
}

static bool madhi(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), c = pure_source(p, 2);
    if (!(p->flags & LANE_SAT))
        return give(p, pure_add(p, high_product(p, a, b), c));
    value high = pure_shr(p, wide_product(p, a, b, true), pure_same(p, 64, 32), true);
    return give(p, clamp_s32(p, pure_add(p, high, pure_resize(p, c, 32, 64, true))));
}

static bool mulwide(struct pure *p)
{
    return give(p, wide_product(p, pure_source(p, 0), pure_source(p, 1), is_signed(p)));
}

static bool madwide(struct pure *p)
{
    value product = wide_product(p, pure_source(p, 0), pure_source(p, 1), is_signed(p));
    return give(p, pure_add(p, product, pure_source(p, 2)));
}

/* The low 24 bits, extended. */
static value low24(struct pure *p, value a)
{
    value eight = pure_same(p, 32, 8);
    return is_signed(p) ? pure_shr(p, pure_shl(p, a, eight), eight, true) : pure_and(p, a, pure_same(p, 32, 0xffffff));
}

static bool mul24(struct pure *p)
{
    value a = low24(p, pure_source(p, 0)), b = low24(p, pure_source(p, 1)), r;
    bool sums = p->inst->op == LANE_OP_mad24;
    if (p->inst->mode == 0) {
        r = pure_mul(p, a, b);
    } else {
        r = pure_shr(p, wide_product(p, a, b, is_signed(p)), pure_same(p, 64, 16), true);
        if (p->flags & LANE_SAT)
            return give(p, clamp_s32(p, pure_add(p, r, pure_resize(p, pure_source(p, 2), 32, 64, true))));
        r = pure_resize(p, r, 64, 32, false);
    }
    return give(p, sums ? pure_add(p, r, pure_source(p, 2)) : r);
}

/* ---- carries -------------------------------------------------------------------------------------------------------
 */

/* 1 where source k, a predicate that may be absent, is true. */
static value carry_in(struct pure *p, unsigned k)
{
    if (!emit_has(p->at, p->at->ndst + k))
        return pure_same(p, p->bits, 0);
    return pure_resize(p, pure_source(p, k), 1, p->bits, false);
}

/* a + b + carry in, with its carry. */
static bool add_carry(struct pure *p, value a, value b, value carry)
{
    value t = pure_add(p, a, b), r = pure_add(p, t, carry);
    pure_result(p, 0, r);
    pure_result(p, 1, pure_or(p, pure_icmp(p, LLVMIntULT, t, a), pure_icmp(p, LLVMIntULT, r, t)));
    return true;
}

static bool addc(struct pure *p)
{
    return add_carry(p, pure_source(p, 0), pure_source(p, 1), carry_in(p, 2));
}

static bool subc(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), borrow = carry_in(p, 2), t = pure_sub(p, a, b);
    pure_result(p, 0, pure_sub(p, t, borrow));
    pure_result(p, 1, pure_or(p, pure_icmp(p, LLVMIntULT, a, b), pure_icmp(p, LLVMIntULT, t, borrow)));
    return true;
}

static bool madc(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), c = pure_source(p, 2);
    return add_carry(p, p->inst->mode ? high_product(p, a, b) : pure_mul(p, a, b), c, carry_in(p, 3));
}

/* ---- parts of words ------------------------------------------------------------------------------------------------
 */

/* Part i of `width` bits, extended. */
static value part(struct pure *p, value x, unsigned i, unsigned width, bool sign)
{
    value top = pure_shl(p, x, pure_same(p, 32, 32 - width * (i + 1)));
    return pure_shr(p, top, pure_same(p, 32, 32 - width), sign);
}

static bool mad16(struct pure *p)
{
    uint32_t mode = p->inst->aux;
    value a = pure_source(p, 0), b = pure_source(p, 1), c = pure_source(p, 2), sixteen = pure_same(p, 32, 16);
    value r = pure_mul(p, part(p, a, mode & LANE_MAD16_A_HIGH ? 1 : 0, 16, mode & LANE_MAD16_A_SIGNED),
                       part(p, b, mode & LANE_MAD16_B_HIGH ? 1 : 0, 16, mode & LANE_MAD16_B_SIGNED));
    value b_high = pure_shl(p, b, sixteen);
    r = mode & LANE_MAD16_SHIFT ? pure_shl(p, r, sixteen) : r;
    c = mode & LANE_MAD16_C_LOW ? pure_and(p, c, pure_same(p, 32, 0xffff)) : c;
    c = mode & LANE_MAD16_C_HIGH ? pure_shr(p, c, sixteen, false) : c;
    c = mode & LANE_MAD16_C_PLUS_B ? pure_add(p, c, b_high) : c;
    r = pure_add(p, r, c);
    return give(p, mode & LANE_MAD16_MERGE ? pure_or(p, pure_and(p, r, pure_same(p, 32, 0xffff)), b_high) : r);
}

/* type: a's signedness; type2: b's. */
static bool dot(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), sum = pure_source(p, 2);
    bool bytes = p->inst->op == LANE_OP_dp4a, sb = lane_type_signed(p->inst->type2);
    unsigned n = bytes ? 4 : 2, first = !bytes && p->inst->mode ? 2 : 0;
    for (unsigned i = 0; i < n; i++)
        sum = pure_add(p, sum, pure_mul(p, part(p, a, i, bytes ? 8 : 16, is_signed(p)), part(p, b, first + i, 8, sb)));
    return give(p, sum);
}

/* Without CLAMP the differences side by side, with it their sum and c. */
static bool vabsdiff(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), r = p->flags & LANE_CLAMP ? pure_source(p, 2) : NULL;
    bool sign = lane_type_signed(p->inst->type2);
    unsigned n = p->inst->mode, width = 32 / n;
    uint64_t limit = (UINT64_C(1) << (width - (p->flags & LANE_SAT ? 1 : 0))) - 1;
    for (unsigned i = 0; i < n; i++) {
        value x = part(p, a, i, width, sign), y = part(p, b, i, width, sign);
        value t = pure_sub(p, greatest(p, x, y, true), least(p, x, y, true));
        if (p->flags & LANE_CLAMP) {
            r = pure_add(p, r, t);
            continue;
        }
        t = pure_shl(p, least(p, t, pure_same(p, 32, limit), false), pure_same(p, 32, i * width));
        r = r ? pure_or(p, r, t) : t;
    }
    return give(p, r);
}

#define WORDS (PURE_TYPE(B32) | PURE_TYPE(U32) | PURE_TYPE(S32))
const struct pure_form pure_ints[] = {
    {LANE_OP_add, LANE_SAT, PURE_INTS | PURE_PACKED, add},
    {LANE_OP_sub, LANE_SAT, PURE_INTS | PURE_PACKED, sub},
    {LANE_OP_mul, 0, PURE_INTS, mul},
    {LANE_OP_mulhi, 0, PURE_INTS, mulhi},
    {LANE_OP_mulwide, 0, PURE_INTS, mulwide},
    {LANE_OP_mad, 0, PURE_INTS, mad},
    {LANE_OP_madhi, LANE_SAT, PURE_INTS, madhi},
    {LANE_OP_madwide, 0, PURE_INTS, madwide},
    {LANE_OP_mul24, 0, WORDS, mul24},
    {LANE_OP_mad24, LANE_SAT, WORDS, mul24},
    {LANE_OP_mad16, 0, WORDS, mad16},
    {LANE_OP_sad, 0, PURE_INTS, sad},
    {LANE_OP_abs, 0, PURE_SIGNED, abs_int},
    {LANE_OP_neg, 0, PURE_SIGNED, neg},
    {LANE_OP_min, LANE_RELU, PURE_INTS | PURE_PACKED, min_max},
    {LANE_OP_max, LANE_RELU, PURE_INTS | PURE_PACKED, min_max},
    {LANE_OP_addc, 0, PURE_INTS, addc},
    {LANE_OP_subc, 0, PURE_INTS, subc},
    {LANE_OP_madc, 0, PURE_INTS, madc},
    {LANE_OP_dp4a, 0, WORDS, dot},
    {LANE_OP_dp2a, 0, WORDS, dot},
    {LANE_OP_vabsdiff, LANE_SAT | LANE_CLAMP, WORDS, vabsdiff},
    {0},
};
