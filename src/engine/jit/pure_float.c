/* Compiled forms: f32 and f64 arithmetic (meaning/floats.h, meaning/kernels.h), comparisons of them
 * (meaning/compares.h).
 *
 * Only to nearest: the host's mode is not changed here. */
#include "engine/jit/pure.h"

#include "engine/meaning/kernels.h"

static bool give(struct pure *p, value x)
{
    pure_result(p, 0, x);
    return true;
}

/* ---- numbers -------------------------------------------------------------------------------------------------------
 */

LLVMTypeRef pure_float_type(struct pure *p, unsigned bits)
{
    return pure_vector(p, bits == 32 ? p->e->f32 : p->e->f64);
}

value pure_to_float(struct pure *p, value bits, unsigned width)
{
    return pure_cast(p, bits, pure_float_type(p, width));
}

value pure_from_float(struct pure *p, value x, unsigned width)
{
    return pure_cast(p, x, pure_vector(p, emit_int(p->e, width)));
}

value pure_real(struct pure *p, unsigned bits, uint64_t pattern)
{
    return pure_to_float(p, pure_same(p, bits, pattern), bits);
}

static value flush_where(struct pure *p, value tiny, value bits, unsigned width)
{
    value sign = pure_same(p, width, UINT64_C(1) << (width - 1));
    return pure_select(p, tiny, pure_and(p, bits, sign), bits);
}

value pure_flush(struct pure *p, value bits, unsigned width, uint64_t exponent)
{
    value zero = pure_same(p, width, 0);
    return flush_where(p, pure_icmp(p, LLVMIntEQ, pure_and(p, bits, pure_same(p, width, exponent)), zero), bits, width);
}

value pure_flush_where(struct pure *p, value tiny, value x)
{
    return pure_to_float(p, flush_where(p, tiny, pure_from_float(p, x, 32), 32), 32);
}

/* 2^exponent. */
static value power(struct pure *p, int exponent)
{
    return pure_real(p, 32, (uint32_t)(127 + exponent) << 23);
}

value pure_below_half(struct pure *p, value twice)
{
    return pure_fcmp(p, LLVMRealOLT, pure_call1(p, "llvm.fabs", twice), power(p, -125));
}

value pure_clamp(struct pure *p, value x, unsigned bits)
{
    value zero = pure_real(p, bits, 0), one = pure_real(p, bits, bits == 32 ? f32_bits(1) : f64_bits(1));
    value low = pure_select(p, pure_fcmp(p, LLVMRealOGT, x, zero), x, zero);
    return pure_select(p, pure_fcmp(p, LLVMRealOLT, low, one), low, one);
}

value pure_finish32(struct pure *p, value x, bool ftz, bool sat)
{
    x = sat ? pure_clamp(p, x, 32) : x;
    value bits = pure_from_float(p, x, 32);
    bool loose = emit_is_loose(p->e, p->at, 0);
    if (!loose && !sat)
        return loose_finish(p->e, bits, ftz);
    return ftz && !(loose && p->e->daz) ? pure_flush(p, bits, 32, 0x7f800000) : bits;
}

value pure_finish64(struct pure *p, value x, const value *operands, unsigned nsrc)
{
    value nan = pure_same(p, 64, F64_NAN_MADE), quiet = pure_same(p, 64, F64_NAN_QUIET);
    for (unsigned k = nsrc; k-- > 0;) {
        value is_nan = pure_fcmp(p, LLVMRealUNO, operands[k], operands[k]);
        nan = pure_select(p, is_nan, pure_or(p, pure_from_float(p, operands[k], 64), quiet), nan);
    }
    return pure_select(p, pure_fcmp(p, LLVMRealUNO, x, x), nan, pure_from_float(p, x, 64));
}

bool pure_host_integral(const struct pure *p)
{
#if defined(__x86_64__)
    return p->e->vector_bits > 128; /* SSE4.1 would do */
#else
    (void)p;
    return true;
#endif
}

bool pure_host_f16(const struct pure *p)
{
    return p->e->has_fma; /* hosts with it have conversions of f16 too */
}

value pure_integral(struct pure *p, value x, unsigned round)
{
    static const char *const names[LANE_ROUNDS] = {
        [LANE_RNI] = "llvm.rint", [LANE_RZI] = "llvm.trunc", [LANE_RMI] = "llvm.floor", [LANE_RPI] = "llvm.ceil"};
    return names[round] ? pure_call1(p, names[round], x) : x;
}

/* ---- arithmetic ----------------------------------------------------------------------------------------------------
 */

static value compute(struct pure *p, unsigned op, const value x[3])
{
    struct emit *e = p->e;
    switch (op) {
    case LANE_OP_add:
        return LL(BuildFAdd, x[0], x[1]);
    case LANE_OP_sub:
        return LL(BuildFSub, x[0], x[1]);
    case LANE_OP_mul:
        return LL(BuildFMul, x[0], x[1]);
    case LANE_OP_div:
        return LL(BuildFDiv, x[0], x[1]);
    case LANE_OP_fma:
        return pure_call3(p, "llvm.fma", x[0], x[1], x[2]);
    case LANE_OP_rcp:
        return LL(BuildFDiv, pure_real(p, p->bits, p->bits == 32 ? f32_bits(1) : f64_bits(1)), x[0]);
    default:
        return pure_call1(p, "llvm.sqrt", x[0]);
    }
}

/* Source k as a float, flushed where the operation does, the host does not, and it may be subnormal. */
static value number(struct pure *p, unsigned k)
{
    if (p->bits != 32)
        return pure_to_float(p, pure_source(p, k), p->bits);
    bool flush = p->at->flags & LANE_FTZ && !(p->at->flags & MEANING_FLUSHED) && !p->e->daz;
    value bits = pure_loose(p, k);
    return pure_to_float(p, flush ? pure_flush(p, bits, 32, 0x7f800000) : bits, 32);
}

/* meaning/floats.h, f32_mul_tiny and the others, of x, not of the result: to nearest they need not see that. NULL: the
 * bits of the result say it. Where subnormals are none for the host, it has flushed by this very rule. */
static value tiny(struct pure *p, unsigned op, const value x[3])
{
    struct emit *e = p->e;
    if (e->daz || !(p->flags & LANE_FTZ) || p->bits != 32)
        return NULL;
    if (op == LANE_OP_mul || op == LANE_OP_fma) {
        value twice[3] = {x[0], LL(BuildFAdd, x[1], x[1]), op == LANE_OP_fma ? LL(BuildFAdd, x[2], x[2]) : NULL};
        return pure_below_half(p, compute(p, op, twice));
    }
    if (op != LANE_OP_div)
        return NULL;
    value a = LL(BuildFMul, pure_call1(p, "llvm.fabs", x[0]), power(p, 63));
    return pure_fcmp(p, LLVMRealOLT, a, LL(BuildFMul, pure_call1(p, "llvm.fabs", x[1]), power(p, -63)));
}

value pure_product(struct pure *p, value x, value y, bool ftz)
{
    value both[3] = {x, y, NULL}, r = compute(p, LANE_OP_mul, both), flush = tiny(p, LANE_OP_mul, both);
    return pure_finish32(p, flush ? pure_flush_where(p, flush, r) : r, ftz && !flush, false);
}

/* f64: the operands in the order in which their NaNs count (meaning/kernels.h). */
static value finish64(struct pure *p, value r, const value x[3])
{
    value last_first[] = {x[1], x[0]}, second_first[] = {x[1], x[2], x[0]};
    unsigned n = p->at->nsrc;
    bool in_order = n == 1 || p->inst->op == LANE_OP_div;
    return pure_finish64(p, r, in_order ? x : n == 2 ? last_first : second_first, n);
}

static bool arithmetic(struct pure *p)
{
    unsigned n = p->at->nsrc, op = p->inst->op;
    value x[3] = {NULL};
    if (p->inst->round != LANE_RN || (op == LANE_OP_fma && !p->e->has_fma))
        return false;
    for (unsigned k = 0; k < n; k++)
        x[k] = number(p, k);
    value r = compute(p, op, x), flush = tiny(p, op, x);
    r = flush ? pure_flush_where(p, flush, r) : r;
    return give(p, p->bits == 32 ? pure_finish32(p, r, p->flags & LANE_FTZ && !flush, p->flags & LANE_SAT)
                                 : finish64(p, r, x));
}

/* Through f64, as the meaning does: no result rounds twice. */
static bool rsqrt(struct pure *p)
{
    struct emit *e = p->e;
    bool ftz = p->flags & LANE_FTZ;
    value a = pure_source(p, 0);
    a = pure_to_float(p, ftz ? pure_flush(p, a, 32, 0x7f800000) : a, 32);
    value root = pure_call1(p, "llvm.sqrt", LL(BuildFPExt, a, pure_float_type(p, 64)));
    value r = LL(BuildFDiv, pure_real(p, 64, f64_bits(1)), root);
    return give(p, pure_finish32(p, LL(BuildFPTrunc, r, pure_float_type(p, 32)), ftz, false));
}

/* ---- bits of floats ------------------------------------------------------------------------------------------------
 */

static uint64_t infinity_of(unsigned type)
{
    switch (type) {
    case LANE_F16:
    case LANE_F16X2:
        return 0x7c00;
    case LANE_BF16:
    case LANE_BF16X2:
        return 0x7f80;
    case LANE_F32:
        return 0x7f800000;
    default:
        return 0x7ff0000000000000;
    }
}

static value flushed(struct pure *p, unsigned k)
{
    value x = pure_source(p, k);
    return p->flags & LANE_FTZ ? pure_flush(p, x, p->bits, infinity_of(p->inst->type)) : x;
}

static value magnitude(struct pure *p, value x)
{
    return pure_and(p, x, pure_same(p, p->bits, UINT64_MAX >> (65 - p->bits)));
}

static value sign_bit(struct pure *p, value x)
{
    return pure_and(p, x, pure_same(p, p->bits, UINT64_C(1) << (p->bits - 1)));
}

/* The number x with the sign that neg or abs gives it. */
static value with_sign(struct pure *p, value x)
{
    return p->inst->op == LANE_OP_abs ? magnitude(p, x)
                                      : pure_xor(p, x, pure_same(p, p->bits, UINT64_C(1) << (p->bits - 1)));
}

/* With LANE_NAN, f32: finished as sums are, so a chain of operations is left with the sign alone (pure_nan.c). */
static value signed_f32(struct pure *p)
{
    struct emit *e = p->e;
    bool ftz = p->flags & LANE_FTZ;
    value x = e->daz && !ftz ? pure_source(p, 0) : emit_loose(e, p->at, p->at->ndst);
    x = with_sign(p, ftz && !e->daz ? pure_flush(p, x, 32, 0x7f800000) : x);
    return pure_finish32(p, pure_to_float(p, x, 32), ftz && e->daz, false);
}

static value is_nan(struct pure *p, value x);

static bool neg_abs(struct pure *p)
{
    if (!(p->flags & LANE_NAN))
        return give(p, with_sign(p, flushed(p, 0)));
    if (p->bits == 32)
        return give(p, signed_f32(p));
    value x = flushed(p, 0);
    value nan = p->bits == 64 ? pure_or(p, x, pure_same(p, 64, F64_NAN_QUIET)) : pure_same(p, 16, F16_NAN);
    return give(p, pure_select(p, is_nan(p, x), nan, with_sign(p, x)));
}

static bool copysign_(struct pure *p)
{
    return give(p, pure_or(p, sign_bit(p, pure_source(p, 0)), magnitude(p, pure_source(p, 1))));
}

static bool testp(struct pure *p)
{
    uint64_t top = infinity_of(p->inst->type), least = p->bits == 32 ? 0x00800000 : 0x0010000000000000;
    value m = magnitude(p, pure_source(p, 0)), infinity = pure_same(p, p->bits, top), zero = pure_same(p, p->bits, 0);
    value below = pure_icmp(p, LLVMIntULT, m, infinity);
    value small = pure_icmp(p, LLVMIntULT, m, pure_same(p, p->bits, least)), is_zero = pure_icmp(p, LLVMIntEQ, m, zero);
    switch (p->inst->mode) {
    case LANE_TESTP_FINITE:
        return give(p, below);
    case LANE_TESTP_INFINITE:
        return give(p, pure_icmp(p, LLVMIntEQ, m, infinity));
    case LANE_TESTP_NUMBER:
        return give(p, pure_icmp(p, LLVMIntULE, m, infinity));
    case LANE_TESTP_NOTANUMBER:
        return give(p, pure_icmp(p, LLVMIntUGT, m, infinity));
    case LANE_TESTP_NORMAL:
        return give(p, pure_and(p, below, pure_or(p, is_zero, pure_not(p, small))));
    default:
        return give(p, pure_and(p, small, pure_not(p, is_zero)));
    }
}

/* ---- minimum and maximum (meaning/minmax.h) ------------------------------------------------------------------------
 */

/* Bits whose order as integers is that of the numbers. */
static value ordered(struct pure *p, value x)
{
    value sign = pure_shr(p, x, pure_same(p, p->bits, p->bits - 1), true);
    return pure_xor(p, x, magnitude(p, sign));
}

static value is_nan(struct pure *p, value x)
{
    return pure_icmp(p, LLVMIntUGT, magnitude(p, x), pure_same(p, p->bits, infinity_of(p->inst->type)));
}

static value made_nan(struct pure *p, value nan_b, value a, value b)
{
    if (p->bits != 64)
        return pure_same(p, p->bits, p->bits == 32 ? F32_NAN : F16_NAN);
    return pure_or(p, pure_select(p, nan_b, b, a), pure_same(p, 64, F64_NAN_QUIET));
}

/* Of halves, by integers: the least or greatest of the operands, `made` aside. */
static value choose_by_bits(struct pure *p, value a, value b)
{
    LLVMIntPredicate how = p->inst->op == LANE_OP_max ? LLVMIntSGT : LLVMIntSLT;
    value r = pure_select(p, pure_icmp(p, how, ordered(p, a), ordered(p, b)), a, b);
    r = pure_select(p, is_nan(p, a), b, r);
    return pure_select(p, is_nan(p, b), a, r);
}

/* Of f32 and f64, a NaN loses. Not LLVM's maxnum: hosts differ in what it gives of signaling NaNs. Equal numbers differ
 * in the sign of zero at most: the greatest has all the bits that both have, the least all that one has. */
static value choose(struct pure *p, value a, value b)
{
    bool max = p->inst->op == LANE_OP_max;
    value x = pure_to_float(p, a, p->bits), y = pure_to_float(p, b, p->bits);
    value r = pure_select(p, pure_fcmp(p, max ? LLVMRealOGT : LLVMRealOLT, x, y), a, b);
    r = pure_select(p, pure_fcmp(p, LLVMRealUNO, y, y), a, r);
    return pure_select(p, pure_fcmp(p, LLVMRealOEQ, x, y), max ? pure_and(p, a, b) : pure_or(p, a, b), r);
}

static value nan_of(struct pure *p, value a)
{
    if (p->bits == 16)
        return is_nan(p, a);
    value x = pure_to_float(p, a, p->bits);
    return pure_fcmp(p, LLVMRealUNO, x, x);
}

/* A NaN is chosen where both operands are one. */
static bool min_max(struct pure *p)
{
    value a = flushed(p, 0), b = flushed(p, 1), nan_b = nan_of(p, b);
    value made = made_nan(p, nan_b, a, b), sign = sign_bit(p, pure_xor(p, a, b));
    bool abs = p->flags & LANE_ABS;
    value x = abs ? magnitude(p, a) : a, y = abs ? magnitude(p, b) : b;
    value r = p->bits == 16 ? choose_by_bits(p, x, y) : choose(p, x, y);
    value nan = p->flags & LANE_NAN ? pure_or(p, nan_of(p, a), nan_b) : nan_of(p, r);
    return give(p, pure_select(p, nan, made, abs ? pure_or(p, r, sign) : r));
}

/* ---- comparison ----------------------------------------------------------------------------------------------------
 */

/* An integer whose order is that of the numbers; both zeros are 0. */
static value ranked(struct pure *p, unsigned k)
{
    value x = pure_source(p, k), zero = pure_same(p, 32, 0);
    value down = pure_sub(p, pure_same(p, 32, 0x80000000), x);
    return pure_select(p, pure_icmp(p, LLVMIntSLT, x, zero), down, x);
}

/* Of subnormals that are none for the host (e->daz). Comparisons from LANE_EQU on are true of a NaN. */
static value compare_by_bits(struct pure *p)
{
    static const LLVMIntPredicate how[LANE_CMPS] = {
        [LANE_EQ] = LLVMIntEQ,   [LANE_NE] = LLVMIntNE,   [LANE_LT] = LLVMIntSLT,  [LANE_LE] = LLVMIntSLE,
        [LANE_GT] = LLVMIntSGT,  [LANE_GE] = LLVMIntSGE,  [LANE_EQU] = LLVMIntEQ,  [LANE_NEU] = LLVMIntNE,
        [LANE_LTU] = LLVMIntSLT, [LANE_LEU] = LLVMIntSLE, [LANE_GTU] = LLVMIntSGT, [LANE_GEU] = LLVMIntSGE,
    };
    unsigned cmp = p->inst->cmp;
    value nan = pure_or(p, is_nan(p, pure_source(p, 0)), is_nan(p, pure_source(p, 1)));
    if (cmp == LANE_NUM || cmp == LANE_NANS)
        return cmp == LANE_NUM ? pure_not(p, nan) : nan;
    value is = pure_icmp(p, how[cmp], ranked(p, 0), ranked(p, 1));
    return cmp >= LANE_EQU ? pure_or(p, is, nan) : pure_and(p, is, pure_not(p, nan));
}

static value compare(struct pure *p)
{
    static const LLVMRealPredicate how[LANE_CMPS] = {
        [LANE_EQ] = LLVMRealOEQ,  [LANE_NE] = LLVMRealONE,   [LANE_LT] = LLVMRealOLT,  [LANE_LE] = LLVMRealOLE,
        [LANE_GT] = LLVMRealOGT,  [LANE_GE] = LLVMRealOGE,   [LANE_EQU] = LLVMRealUEQ, [LANE_NEU] = LLVMRealUNE,
        [LANE_LTU] = LLVMRealULT, [LANE_LEU] = LLVMRealULE,  [LANE_GTU] = LLVMRealUGT, [LANE_GEU] = LLVMRealUGE,
        [LANE_NUM] = LLVMRealORD, [LANE_NANS] = LLVMRealUNO,
    };
    if (p->e->daz && !(p->inst->flags & LANE_FTZ))
        return compare_by_bits(p);
    return pure_fcmp(p, how[p->inst->cmp], number(p, 0), number(p, 1));
}

static bool setp(struct pure *p)
{
    return give(p, compare(p));
}

const struct pure_form pure_floats[] = {
    {LANE_OP_add, LANE_FTZ | LANE_SAT, PURE_FLOATS, arithmetic},
    {LANE_OP_sub, LANE_FTZ | LANE_SAT, PURE_FLOATS, arithmetic},
    {LANE_OP_mul, LANE_FTZ | LANE_SAT, PURE_FLOATS, arithmetic},
    {LANE_OP_div, LANE_FTZ | LANE_SAT, PURE_FLOATS, arithmetic},
    {LANE_OP_fma, LANE_FTZ | LANE_SAT, PURE_FLOATS, arithmetic},
    {LANE_OP_rcp, LANE_FTZ | LANE_SAT, PURE_FLOATS, arithmetic},
    {LANE_OP_sqrt, LANE_FTZ | LANE_SAT, PURE_FLOATS, arithmetic},
    {LANE_OP_rsqrt, LANE_FTZ, PURE_TYPE(F32), rsqrt},
    {LANE_OP_neg, LANE_FTZ | LANE_NAN, PURE_FLOATS | PURE_HALVES, neg_abs},
    {LANE_OP_abs, LANE_FTZ | LANE_NAN, PURE_FLOATS | PURE_HALVES, neg_abs},
    {LANE_OP_copysign, 0, PURE_FLOATS, copysign_},
    {LANE_OP_testp, 0, PURE_FLOATS, testp},
    {LANE_OP_min, LANE_FTZ | LANE_NAN | LANE_ABS, PURE_FLOATS | PURE_HALVES, min_max},
    {LANE_OP_max, LANE_FTZ | LANE_NAN | LANE_ABS, PURE_FLOATS | PURE_HALVES, min_max},
    {LANE_OP_setp, LANE_FTZ, PURE_FLOATS, setp},
    {0},
};
