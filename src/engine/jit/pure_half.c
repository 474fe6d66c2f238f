/* Compiled forms: halves (meaning/halves.h, base/half.h), and comparisons of them (meaning/compares.h). */
#include "engine/jit/pure.h"

#include "engine/meaning/kernels.h"

static bool give(struct pure *p, value x)
{
    pure_result(p, 0, x);
    return true;
}

bool pure_is_bf16(unsigned type)
{
    return type == LANE_BF16 || type == LANE_BF16X2;
}

static uint16_t exponent_of(bool bf16)
{
    return bf16 ? 0x7f80 : 0x7c00;
}

/* ---- widening and narrowing ----------------------------------------------------------------------------------------
 */

/* The fence keeps LLVM from doing in f16, one by one, what follows: comparisons, conversions. */
value pure_widen(struct pure *p, value half, bool bf16)
{
    struct emit *e = p->e;
    if (bf16)
        return pure_to_float(p, pure_shl(p, pure_resize(p, half, 16, 32, false), pure_same(p, 32, 16)), 32);
    value f16 = pure_cast(p, half, pure_vector(p, e->llvm->HalfTypeInContext(e->context)));
    return pure_call1(p, "llvm.arithmetic.fence", LL(BuildFPExt, f16, pure_float_type(p, 32)));
}

/* base/half.h, half_increment: is a magnitude q, of which `rest` was cut off, one more? */
static value increment(struct pure *p, value q, value rest, value half, value negative, unsigned round)
{
    value zero = pure_same(p, 32, 0), one = pure_same(p, 32, 1), more = pure_icmp(p, LLVMIntNE, rest, zero);
    switch (round) {
    case LANE_RN:
        more = pure_icmp(p, LLVMIntUGT, pure_add(p, rest, pure_and(p, q, one)), half);
        break;
    case LANE_RM:
        more = pure_and(p, more, negative);
        break;
    case LANE_RP:
        more = pure_and(p, more, pure_not(p, negative));
        break;
    case LANE_RNA:
        more = pure_icmp(p, LLVMIntUGE, rest, half);
        break;
    default:
        return zero;
    }
    return pure_resize(p, more, 1, 32, false);
}

/* half_limit. */
static value limit(struct pure *p, uint16_t infinity, value negative, unsigned round)
{
    value all = pure_same(p, 32, infinity), finite = pure_same(p, 32, infinity - 1u);
    return round == LANE_RZ   ? finite
           : round == LANE_RM ? pure_select(p, negative, all, finite)
           : round == LANE_RP ? pure_select(p, negative, finite, all)
                              : all;
}

/* f16_from_f32_bits, from the magnitude m: significand and shift. */
static void cut_f16(struct pure *p, value m, value *significand, value *shift)
{
    value e = pure_shr(p, m, pure_same(p, 32, 23), false), one = pure_same(p, 32, 1);
    value hidden = pure_shl(p, pure_call2(p, "llvm.umin", e, one), pure_same(p, 32, 23));
    value small = pure_or(p, pure_and(p, m, pure_same(p, 32, 0x7fffff)), hidden);
    value by = pure_call2(p, "llvm.umin", pure_sub(p, pure_same(p, 32, 126), e), pure_same(p, 32, 31));
    value normal = pure_icmp(p, LLVMIntUGE, e, pure_same(p, 32, 113));
    *significand = pure_select(p, normal, pure_sub(p, m, pure_same(p, 32, 112u << 23)), small);
    *shift = pure_select(p, normal, pure_same(p, 32, 13), by);
}

/* f16_from_f32_bits, bf16_from_f32_bits. */
static value narrow_bits(struct pure *p, value bits, bool bf16, unsigned round)
{
    value m = pure_and(p, bits, pure_same(p, 32, 0x7fffffff)), one = pure_same(p, 32, 1);
    value negative = pure_icmp(p, LLVMIntSLT, bits, pure_same(p, 32, 0));
    value significand = m, shift = pure_same(p, 32, 16), infinity = pure_same(p, 32, 0x7f800000);
    if (!bf16)
        cut_f16(p, m, &significand, &shift);
    value q = pure_shr(p, significand, shift, false), unit = pure_shl(p, one, shift);
    value rest = pure_and(p, significand, pure_sub(p, unit, one));
    q = pure_add(p, q, increment(p, q, rest, pure_shr(p, unit, one, false), negative, round));
    q = pure_call2(p, "llvm.umin", q, limit(p, exponent_of(bf16), negative, round));
    q = pure_select(p, pure_icmp(p, LLVMIntEQ, m, infinity), pure_same(p, 32, exponent_of(bf16)), q);
    value sign = pure_and(p, pure_shr(p, bits, pure_same(p, 32, 16), false), pure_same(p, 32, 0x8000));
    value is_nan = pure_icmp(p, LLVMIntUGT, m, infinity);
    return pure_resize(p, pure_select(p, is_nan, pure_same(p, 32, F16_NAN), pure_or(p, q, sign)), 32, 16, false);
}

value pure_narrow(struct pure *p, value x, bool bf16, unsigned round)
{
    struct emit *e = p->e;
    if (bf16 || round != LANE_RN)
        return narrow_bits(p, pure_from_float(p, x, 32), bf16, round);
    value half = LL(BuildFPTrunc, x, pure_vector(p, e->llvm->HalfTypeInContext(e->context)));
    value is_nan = pure_fcmp(p, LLVMRealUNO, x, x);
    return pure_select(p, is_nan, pure_same(p, 16, F16_NAN), pure_cast(p, half, pure_vector(p, e->i16)));
}

value pure_finish16(struct pure *p, value half, bool bf16, unsigned flags)
{
    uint16_t exponent = exponent_of(bf16);
    value zero = pure_same(p, 16, 0), one = pure_same(p, 16, bf16 ? 0x3f80 : 0x3c00);
    if (!(flags & (LANE_SAT | LANE_RELU)))
        return half;
    value positive = pure_call2(p, "llvm.smax", half, zero);
    if (!(flags & LANE_SAT))
        return positive;
    value is_nan = pure_icmp(p, LLVMIntUGT, positive, pure_same(p, 16, exponent));
    return pure_select(p, is_nan, zero, pure_call2(p, "llvm.umin", positive, one));
}

/* f32_from_f64_odd. */
value pure_odd(struct pure *p, value x)
{
    struct emit *e = p->e;
    value f = LL(BuildFPTrunc, x, pure_float_type(p, 32)), bits = pure_from_float(p, f, 32), one = pure_same(p, 64, 1);
    value back = pure_from_float(p, LL(BuildFPExt, f, pure_float_type(p, 64)), 64);
    value from = pure_shl(p, pure_from_float(p, x, 64), one), zero = pure_same(p, 32, 0);
    value even = pure_and(p, pure_not(p, bits), pure_same(p, 32, 1));
    back = pure_shl(p, back, one);
    value up = pure_select(p, pure_icmp(p, LLVMIntULT, back, from), even, zero);
    value down = pure_select(p, pure_icmp(p, LLVMIntUGT, back, from), even, zero);
    value odd = pure_sub(p, pure_add(p, bits, up), down);
    return pure_to_float(p, pure_select(p, pure_fcmp(p, LLVMRealUNO, x, x), pure_same(p, 32, F32_NAN), odd), 32);
}

/* ---- arithmetic ----------------------------------------------------------------------------------------------------
 */

/* meaning/halves.h, SUM_ODD: x + y, of floats of `bits`. */
static value sum_odd(struct pure *p, value x, value y, unsigned bits)
{
    struct emit *e = p->e;
    value s = LL(BuildFAdd, x, y), part = LL(BuildFSub, s, x), one = pure_same(p, bits, 1),
          zero = pure_same(p, bits, 0);
    value error = LL(BuildFAdd, LL(BuildFSub, x, LL(BuildFSub, s, part)), LL(BuildFSub, y, part));
    value from = pure_from_float(p, s, bits), differ = pure_xor(p, from, pure_from_float(p, error, bits));
    value minus = pure_sub(p, from, one), plus = pure_add(p, from, one);
    value next = pure_select(p, pure_icmp(p, LLVMIntSLT, differ, zero), minus, plus);
    value even = pure_icmp(p, LLVMIntEQ, pure_and(p, from, one), zero);
    value lost = pure_fcmp(p, LLVMRealONE, error, pure_real(p, bits, 0));
    return pure_to_float(p, pure_select(p, pure_and(p, even, lost), next, from), bits);
}

/* What is rounded to the half: f32, exact, odd, or with bits enough. */
static value wide(struct pure *p, const value x[3], bool bf16)
{
    struct emit *e = p->e;
    LLVMTypeRef f64 = pure_float_type(p, 64);
    switch (p->inst->op) {
    case LANE_OP_add:
        return LL(BuildFAdd, x[0], x[1]);
    case LANE_OP_sub:
        return LL(BuildFSub, x[0], x[1]);
    case LANE_OP_div:
        return LL(BuildFDiv, x[0], x[1]);
    case LANE_OP_rcp:
        return LL(BuildFDiv, pure_real(p, 32, f32_bits(1)), x[0]);
    case LANE_OP_sqrt:
        return pure_call1(p, "llvm.sqrt", x[0]);
    }
    bool fma = p->inst->op == LANE_OP_fma;
    if (!bf16)
        return fma ? sum_odd(p, LL(BuildFMul, x[0], x[1]), x[2], 32) : LL(BuildFMul, x[0], x[1]);
    value product = LL(BuildFMul, LL(BuildFPExt, x[0], f64), LL(BuildFPExt, x[1], f64));
    return pure_odd(p, fma ? sum_odd(p, product, LL(BuildFPExt, x[2], f64), 64) : product);
}

static bool arithmetic(struct pure *p)
{
    bool bf16 = pure_is_bf16(p->inst->type), ftz = p->flags & LANE_FTZ;
    value x[3];
    if (p->inst->round != LANE_RN || (!bf16 && !pure_host_f16(p)))
        return false;
    for (unsigned k = 0; k < p->at->nsrc; k++) {
        value half = pure_source(p, k);
        x[k] = pure_widen(p, ftz ? pure_flush(p, half, 16, exponent_of(bf16)) : half, bf16);
    }
    value r = wide(p, x, bf16);
    if (ftz) { /* half_flush_wide */
        value magnitude = pure_and(p, pure_from_float(p, r, 32), pure_same(p, 32, 0x7fffffff));
        r = pure_flush_where(p, pure_icmp(p, LLVMIntULT, magnitude, pure_same(p, 32, bf16 ? BF16_TINY : F16_TINY)), r);
    }
    return give(p, pure_finish16(p, pure_narrow(p, r, bf16, LANE_RN), bf16, p->flags));
}

/* ---- comparison ----------------------------------------------------------------------------------------------------
 */

/* half_order: an integer with the order of the half; a magnitude below the least normal one is 0 (FTZ). */
static value ordered(struct pure *p, value half, bool bf16)
{
    value zero = pure_same(p, 16, 0), m = pure_and(p, half, pure_same(p, 16, 0x7fff));
    if (p->flags & LANE_FTZ)
        m = pure_select(p, pure_icmp(p, LLVMIntULT, m, pure_same(p, 16, bf16 ? 0x0080 : 0x0400)), zero, m);
    return pure_select(p, pure_icmp(p, LLVMIntSLT, half, zero), pure_sub(p, zero, m), m);
}

static value is_nan(struct pure *p, value half, bool bf16)
{
    value m = pure_and(p, half, pure_same(p, 16, 0x7fff));
    return pure_icmp(p, LLVMIntUGT, m, pure_same(p, 16, exponent_of(bf16)));
}

static value compare(struct pure *p, value a, value b)
{
    static const LLVMIntPredicate how[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    bool bf16 = pure_is_bf16(p->inst->type), or_nan = p->inst->cmp >= LANE_EQU;
    unsigned cmp = p->inst->cmp;
    value nan = pure_or(p, is_nan(p, a, bf16), is_nan(p, b, bf16));
    if (cmp == LANE_NANS)
        return nan;
    if (cmp == LANE_NUM)
        return pure_not(p, nan);
    value holds = pure_icmp(p, how[or_nan ? cmp - LANE_EQU : cmp], ordered(p, a, bf16), ordered(p, b, bf16));
    return or_nan ? pure_or(p, nan, holds) : pure_and(p, pure_not(p, nan), holds);
}

static bool setp(struct pure *p)
{
    return give(p, compare(p, pure_source(p, 0), pure_source(p, 1)));
}

static bool setp2(struct pure *p)
{
    value a[2], b[2];
    p->count = LANES;
    pure_split(p, pure_source(p, 0), 16, &a[0], &a[1]);
    pure_split(p, pure_source(p, 1), 16, &b[0], &b[1]);
    for (unsigned k = 0; k < 2; k++)
        pure_result(p, k, compare(p, a[k], b[k]));
    return true;
}

static bool set2(struct pure *p)
{
    uint16_t one = pure_is_bf16(p->inst->type) ? 0x3f80 : 0x3c00;
    value holds = compare(p, pure_source(p, 0), pure_source(p, 1));
    return give(p, pure_select(p, holds, pure_same(p, 16, p->inst->mode ? 0xffff : one), pure_same(p, 16, 0)));
}

#define POSTS (LANE_FTZ | LANE_SAT | LANE_RELU)
const struct pure_form pure_halves[] = {
    {LANE_OP_add, POSTS, PURE_HALVES, arithmetic},
    {LANE_OP_sub, POSTS, PURE_HALVES, arithmetic},
    {LANE_OP_mul, POSTS, PURE_HALVES, arithmetic},
    {LANE_OP_fma, POSTS, PURE_HALVES, arithmetic},
    {LANE_OP_div, POSTS, PURE_TYPE(F16), arithmetic},
    {LANE_OP_rcp, POSTS, PURE_TYPE(F16), arithmetic},
    {LANE_OP_sqrt, POSTS, PURE_TYPE(F16), arithmetic},
    {LANE_OP_setp, LANE_FTZ, PURE_HALVES, setp},
    {LANE_OP_setp2, LANE_FTZ, PURE_HALVES, setp2},
    {LANE_OP_set2, LANE_FTZ, PURE_HALVES, set2},
    {0},
};
