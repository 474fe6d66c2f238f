/* Compiled forms of functions that hardware approximates (LANE_APPROX): rcp, rsqrt, sqrt, lg2, ex2, sin, cos and div of
 * f32, as engine/meaning/interpolate.h has them. The pieces are looked up and summed as integers; what is computed with
 * floats before and behind minds that the host may take subnormals for zero (loose.c says where it does not). */
#include "engine/jit/pure.h"
#include "engine/jit/rows.h"

#include "engine/meaning/interpolate.h"
#include "engine/meaning/kernel.h"

#include <assert.h>

/* A function's pieces, and what interpolate.h says of it. */
struct table {
    const char *name;
    const int32_t (*pieces)[3];
    unsigned count;
    int shift, times, bias, cut;
};

static const struct table ex2_table = {"atoll_ex2", ex2_pieces, EX2_PIECES, EX2_SHIFT, 1, EX2_BIAS, EX2_CUT};
static const struct table rcp_table = {"atoll_rcp", rcp_pieces, RCP_PIECES, RCP_SHIFT, RCP_TIMES, RCP_BIAS, RCP_CUT};
static const struct table rsqrt_table = {"atoll_rsqrt", rsqrt_pieces, ROOT_PIECES, RSQRT_SHIFT,
                                         RSQRT_TIMES,   RSQRT_BIAS,   RSQRT_CUT};
static const struct table sqrt_table = {"atoll_sqrt", sqrt_pieces, ROOT_PIECES, SQRT_SHIFT,
                                        SQRT_TIMES,   SQRT_BIAS,   SQRT_CUT};
static const struct table lg2_table = {"atoll_lg2", lg2_pieces, LG2_PIECES, LG2_SHIFT, LG2_TIMES, LG2_BIAS, LG2_CUT};
static const struct table sine_table = {"atoll_sine", sine_pieces, SINE_PIECES, SINE_SHIFT, 1, 0, 0};

/* ---- vectors of 32 and 64 bits -------------------------------------------------------------------------------------
 */

static value word(struct pure *p, uint32_t x)
{
    return pure_same(p, 32, x);
}

static value wide(struct pure *p, uint64_t x)
{
    return pure_same(p, 64, x);
}

static value mask(struct pure *p, value x, uint32_t bits)
{
    return pure_and(p, x, word(p, bits));
}

static value right(struct pure *p, value x, uint32_t n, bool is_signed)
{
    return pure_shr(p, x, word(p, n), is_signed);
}

static value left(struct pure *p, value x, uint32_t n)
{
    return pure_shl(p, x, word(p, n));
}

static value is(struct pure *p, value x, uint32_t what)
{
    return pure_icmp(p, LLVMIntEQ, x, word(p, what));
}

static value is_beyond(struct pure *p, value x, uint32_t what)
{
    return pure_icmp(p, LLVMIntUGT, x, word(p, what));
}

static value magnitude_of(struct pure *p, value x)
{
    return mask(p, x, 0x7fffffff);
}

static value sign_of(struct pure *p, value x)
{
    return mask(p, x, 0x80000000);
}

static value no_exponent(struct pure *p, value x)
{
    return is(p, mask(p, x, INFINITY_BITS), 0);
}

static value exponent(struct pure *p, value x)
{
    return pure_sub(p, mask(p, right(p, x, 23, false), 255), word(p, 127));
}

static value float_of(struct pure *p, value bits)
{
    return pure_to_float(p, bits, 32);
}

static value times_real(struct pure *p, value bits, value by)
{
    struct emit *e = p->e;
    return LL(BuildFMul, float_of(p, bits), by);
}

static value real32(struct pure *p, float x)
{
    return pure_real(p, 32, f32_bits(x));
}

/* ---- pieces --------------------------------------------------------------------------------------------------------
 */

enum { C1_BITS = 18, C2_BITS = 14 };

/* C0, 32 bits; C2, multiplied; C1. */
static uint64_t packed(const struct table *t, unsigned i)
{
    const int32_t *c = t->pieces[i];
    assert(c[1] >> (C1_BITS - 1) == c[1] >> 31 && (c[2] * t->times) >> (C2_BITS - 1) == (c[2] * t->times) >> 31);
    uint32_t low = (uint32_t)c[1] & ((1u << C1_BITS) - 1);
    return (uint64_t)(uint32_t)c[0] << 32 | (uint32_t)(c[2] * t->times) << C1_BITS | low;
}

/* The constant array of the module. */
static LLVMValueRef array_of(struct emit *e, const struct table *t)
{
    LLVMValueRef rows[ROOT_PIECES], array = e->llvm->GetNamedGlobal(e->module, t->name);
    if (array)
        return array;
    for (unsigned i = 0; i < t->count; i++)
        rows[i] = emit_const(e, 64, packed(t, i));
    array = e->llvm->AddGlobal(e->module, e->llvm->ArrayType2(e->i64, t->count), t->name);
    e->llvm->SetInitializer(array, e->llvm->ConstArray2(e->i64, rows, t->count));
    e->llvm->SetGlobalConstant(array, true);
    e->llvm->SetLinkage(array, LLVMPrivateLinkage);
    return array;
}

static value load_row(struct emit *e, LLVMValueRef array, LLVMValueRef piece)
{
    LLVMValueRef at = LL(BuildZExt, piece, e->i64);
    return LL(BuildLoad2, e->i64, LL(BuildGEP2, e->i64, array, &at, 1));
}

static value load_each(struct pure *p, LLVMValueRef array, value piece)
{
    struct emit *e = p->e;
    value rows = e->llvm->GetPoison(pure_vector(p, e->i64));
    for (unsigned i = 0; i < p->count; i++) {
        LLVMValueRef lane = emit_const(e, 32, i), row = load_row(e, array, LL(BuildExtractElement, piece, lane));
        rows = LL(BuildInsertElement, rows, row, lane);
    }
    return rows;
}

static value row_of(struct pure *p, const struct table *t, value piece)
{
    struct emit *e = p->e;
    LLVMValueRef array = array_of(e, t);
    if (p->count == 1)
        return load_row(e, array, piece);
    if (!e->gathers_tables)
        return load_each(p, array, piece);
    value index = pure_resize(p, piece, 32, 64, false);
    return rows_gather(e, LL(BuildGEP2, e->i64, array, &index, 1), 64, emit_const(e, 32, UINT32_MAX));
}

/* Bit k of high, times low, cut as far as 2^(8 - k): (2^6 * low) * (2^2 * 2^k) / 2^16, the upper half of a product. */
static value partial(struct pure *p, value low, value high, unsigned k)
{
    value bit = pure_and(p, high, pure_same(p, 16, 1u << (k + 2)));
    value product = pure_mul(p, pure_resize(p, low, 16, 32, false), pure_resize(p, bit, 16, 32, false));
    return pure_resize(p, right(p, product, 16, false), 32, 16, false);
}

/* truncated_square, by x = 2^10 * high + low: 2 * high^2, and low * 2^k of each bit k of high, cut. 16 bits hold all.
 */
static value square(struct pure *p, value x)
{
    value low = pure_resize(p, mask(p, x, 0x3ff), 32, 16, false);
    value high = pure_resize(p, right(p, x, 10, false), 32, 16, false);
    value sum = pure_shl(p, pure_mul(p, high, high), pure_same(p, 16, 1));
    value low6 = pure_shl(p, low, pure_same(p, 16, 6)), high2 = pure_shl(p, high, pure_same(p, 16, 2));
    for (unsigned k = 0; k < PIECE_BITS - 10; k++)
        sum = pure_add(p, sum, partial(p, low6, high2, k));
    return pure_resize(p, sum, 16, 32, false);
}

struct terms {
    value c0, c1, square; /* 32 bits; C2 is in the square */
};

static struct terms terms_of(struct pure *p, const struct table *t, value piece, value x)
{
    value row = row_of(p, t, piece), low = pure_resize(p, row, 64, 32, false);
    return (struct terms){
        .c0 = pure_resize(p, pure_shr(p, row, wide(p, 32), false), 64, 32, false),
        .c1 = right(p, left(p, low, 32 - C1_BITS), 32 - C1_BITS, true),
        .square = pure_mul(p, right(p, low, C1_BITS, true), square(p, x)),
    };
}

/* interpolate_cut. Without the lowest 4 bits, of which nothing is left, 32 are enough: those
 * of C1 * x are apart, and C0's are above what is cut first. */
static value sum_cut(struct pure *p, const struct table *t, value piece, value x)
{
    struct terms s = terms_of(p, t, piece, x);
    value low = pure_add(p, pure_mul(p, s.c1, mask(p, x, 15)), pure_add(p, s.square, word(p, (uint32_t)t->bias)));
    value sum = pure_add(p, pure_mul(p, s.c1, right(p, x, 4, false)), right(p, low, 4, true));
    sum = pure_add(p, s.c0, right(p, sum, (uint32_t)t->shift - 4, true));
    return right(p, sum, (uint32_t)(t->cut - t->shift), true);
}

/* The same of 64 bits. */
static value sum_wide(struct pure *p, const struct table *t, value piece, value x)
{
    struct terms s = terms_of(p, t, piece, x);
    value c0 = pure_shl(p, pure_resize(p, s.c0, 32, 64, false), wide(p, (uint64_t)t->shift));
    value c1 = pure_mul(p, pure_resize(p, s.c1, 32, 64, true), pure_resize(p, x, 32, 64, false));
    value low = pure_resize(p, pure_add(p, s.square, word(p, (uint32_t)t->bias)), 32, 64, true);
    value sum = pure_add(p, pure_add(p, c0, c1), low);
    return t->cut ? pure_shr(p, sum, wide(p, (uint64_t)t->cut), true) : sum;
}

static value piece_in(struct pure *p, value fraction)
{
    return right(p, fraction, PIECE_BITS, false);
}

static value rest_in(struct pure *p, value fraction)
{
    return mask(p, fraction, (1u << PIECE_BITS) - 1);
}

/* cut_fixed. */
static value cut_wide(struct pure *p, value x, int point)
{
    struct emit *e = p->e;
    value magic = pure_to_float(p, pure_or(p, x, wide(p, 0x4330000000000000)), 64);
    value exact = LL(BuildFSub, magic, pure_real(p, 64, f64_bits(0x1p52)));
    value top = pure_shr(p, pure_from_float(p, exact, 64), wide(p, 29), false);
    value bits = pure_sub(p, pure_resize(p, top, 64, 32, false), word(p, (uint32_t)(1023 - 127 + point) << 23));
    return pure_select(p, pure_icmp(p, LLVMIntEQ, x, wide(p, 0)), word(p, 0), bits);
}

/* ---- functions of normal numbers -----------------------------------------------------------------------------------
 */

static value rcp_of(struct pure *p, value x)
{
    value m = mask(p, x, 0x7fffff), sign = sign_of(p, x), size = magnitude_of(p, x);
    value sum = sum_cut(p, &rcp_table, right(p, m, PIECE_BITS - 1, false), mask(p, left(p, m, 1), 0x1fffe));
    value r = pure_sub(p, pure_add(p, word(p, 0x3e800000), sum), left(p, exponent(p, x), 23));
    r = pure_select(p, pure_icmp(p, LLVMIntSLT, r, word(p, 0x00800000)), word(p, 0), r);
    r = pure_select(p, is(p, size, INFINITY_BITS), word(p, 0), r);
    r = pure_or(p, sign, pure_select(p, no_exponent(p, x), word(p, INFINITY_BITS), r));
    return pure_select(p, is_beyond(p, size, INFINITY_BITS), word(p, NAN_BITS), r);
}

static value root_in(struct pure *p, value x)
{
    return pure_xor(p, mask(p, x, 0xffffff), word(p, 0x800000));
}

static value half_exponent(struct pure *p, value x)
{
    return left(p, right(p, exponent(p, x), 1, true), 23);
}

static value rsqrt_of(struct pure *p, value x)
{
    value f = root_in(p, x);
    value sum = sum_cut(p, &rsqrt_table, piece_in(p, f), rest_in(p, f));
    value r = pure_select(p, is(p, f, 0), word(p, 0x3f800000), pure_add(p, word(p, 0x3e800000), sum));
    r = pure_sub(p, r, half_exponent(p, x));
    r = pure_select(p, is(p, x, INFINITY_BITS), word(p, 0), r);
    r = pure_select(p, is_beyond(p, x, INFINITY_BITS), word(p, NAN_BITS), r);
    return pure_select(p, no_exponent(p, x), pure_or(p, sign_of(p, x), word(p, INFINITY_BITS)), r);
}

static value sqrt_of(struct pure *p, value x)
{
    value f = root_in(p, x);
    value sum = sum_cut(p, &sqrt_table, piece_in(p, f), rest_in(p, f));
    value r = pure_add(p, pure_add(p, word(p, 0x3f000000), sum), half_exponent(p, x));
    r = pure_select(p, is(p, x, INFINITY_BITS), x, r);
    r = pure_select(p, is_beyond(p, x, INFINITY_BITS), word(p, NAN_BITS), r);
    return pure_select(p, no_exponent(p, x), sign_of(p, x), r);
}

static value lg2_of(struct pure *p, value x)
{
    value f = mask(p, x, 0x7fffff), sum = sum_wide(p, &lg2_table, piece_in(p, f), rest_in(p, f));
    value whole = pure_shl(p, pure_resize(p, exponent(p, x), 32, 64, true), wide(p, LG2_POINT));
    value v = pure_add(p, whole, sum), below = pure_shr(p, v, wide(p, 63), true);
    value r = cut_wide(p, pure_xor(p, v, below), LG2_POINT);
    r = pure_or(p, r, sign_of(p, pure_resize(p, below, 64, 32, false)));
    r = pure_select(p, is(p, x, 0x3f800000), word(p, 0), r);
    r = pure_select(p, is(p, x, INFINITY_BITS), x, r);
    r = pure_select(p, is_beyond(p, x, INFINITY_BITS), word(p, NAN_BITS), r);
    return pure_select(p, no_exponent(p, x), word(p, 0xff800000), r);
}

/* The argument in 2^-23, cut by the host; what is out of range is any number until the end. */
static value ex2_of(struct pure *p, value x)
{
    struct emit *e = p->e;
    value real = float_of(p, x), scaled = LL(BuildFMul, real, real32(p, 0x1p23f));
    value v = LL(BuildFreeze, LL(BuildFPToSI, scaled, pure_vector(p, e->i32)));
    value part = pure_icmp(p, LLVMIntNE, mask(p, v, 0x7fffff), word(p, 0));
    value down = pure_and(p, part, pure_icmp(p, LLVMIntSLT, x, word(p, 0)));
    v = pure_select(p, down, pure_sub(p, v, word(p, 1)), v);
    value f = mask(p, v, 0x7fffff), sum = sum_cut(p, &ex2_table, piece_in(p, f), rest_in(p, f));
    value r = pure_add(p, pure_add(p, word(p, 0x3f000000), sum), mask(p, v, 0xff800000));
    r = pure_select(p, pure_fcmp(p, LLVMRealOGE, real, real32(p, 128)), word(p, INFINITY_BITS), r);
    r = pure_select(p, pure_fcmp(p, LLVMRealOLT, real, real32(p, -126)), word(p, 0), r);
    return pure_select(p, pure_fcmp(p, LLVMRealUNO, real, real), word(p, NAN_BITS), r);
}

/* ---- sine and cosine -----------------------------------------------------------------------------------------------
 */

static value least(struct pure *p, value a, uint32_t b)
{
    return pure_call2(p, "llvm.smin", a, word(p, b));
}

/* moved: where the bits above 25 do not matter. */
static value moved_by(struct pure *p, value m, value n)
{
    value up = pure_icmp(p, LLVMIntSGE, n, word(p, 0)), zero = word(p, 0);
    value by = pure_select(p, up, least(p, n, 25), zero), down = least(p, pure_sub(p, zero, n), 31);
    return pure_select(p, up, pure_shl(p, m, by), pure_shr(p, m, pure_select(p, up, zero, down), false));
}

/* 25 bits. */
static value turns(struct pure *p, value x)
{
    value m = pure_or(p, mask(p, x, 0x7fffff), word(p, 0x800000));
    value product = pure_mul(p, pure_resize(p, m, 32, 64, false), wide(p, 0xa2f983));
    value top = pure_resize(p, pure_shr(p, product, wide(p, 23), false), 64, 32, false);
    value carry = right(p, top, 24, false), n = pure_add(p, pure_sub(p, exponent(p, x), word(p, 1)), carry);
    value t = mask(p, moved_by(p, pure_shr(p, top, carry, false), n), 0x1ffffff);
    return pure_select(p, no_exponent(p, x), word(p, 0), t);
}

static value wave_of(struct pure *p, value t, value sign, value x)
{
    value zero = word(p, 0), falls = pure_icmp(p, LLVMIntNE, mask(p, t, 0x800000), zero);
    value f = mask(p, pure_xor(p, t, pure_select(p, falls, word(p, 0x7fffff), zero)), 0x7fffff);
    value r = cut_wide(p, sum_wide(p, &sine_table, piece_in(p, f), rest_in(p, f)), SINE_POINT);
    r = pure_or(p, r, pure_xor(p, sign, sign_of(p, left(p, t, 7))));
    return pure_select(p, is(p, mask(p, x, INFINITY_BITS), INFINITY_BITS), word(p, NAN_BITS), r);
}

/* ---- forms ---------------------------------------------------------------------------------------------------------
 */

static bool is_ftz(const struct pure *p)
{
    return p->flags & LANE_FTZ;
}

/* Loose is enough where subnormals are zeros; a NaN may be any. */
static value argument(struct pure *p, unsigned k, bool flushes)
{
    return flushes || !p->e->daz ? pure_loose(p, k) : pure_source(p, k);
}

static bool give(struct pure *p, value bits)
{
    pure_result(p, 0, bits);
    return true;
}

/* A float's bits; a NaN is the canonical one. */
static value finished(struct pure *p, value x)
{
    return pure_select(p, pure_fcmp(p, LLVMRealUNO, x, x), word(p, NAN_BITS), pure_from_float(p, x, 32));
}

static value raise(struct pure *p, value x)
{
    struct emit *e = p->e;
    value m = magnitude_of(p, x), y = pure_from_float(p, LL(BuildSIToFP, m, pure_float_type(p, 32)), 32);
    y = pure_select(p, is(p, m, 0), word(p, 0), pure_sub(p, y, word(p, 125u << 23)));
    return pure_or(p, sign_of(p, x), y);
}

static bool rcp(struct pure *p)
{
    value x = argument(p, 0, is_ftz(p)), small = no_exponent(p, x), one = real32(p, 1);
    if (is_ftz(p))
        return give(p, rcp_of(p, x));
    value large = pure_and(p, is_beyond(p, magnitude_of(p, x), 0x7e800000),
                           pure_icmp(p, LLVMIntULT, magnitude_of(p, x), word(p, INFINITY_BITS)));
    value y = pure_select(p, large, pure_sub(p, x, word(p, 2u << 23)), x);
    value by = pure_select(p, small, real32(p, 0x1p24f), pure_select(p, large, real32(p, 0.25f), one));
    return give(p, finished(p, times_real(p, rcp_of(p, pure_select(p, small, raise(p, x), y)), by)));
}

static bool root(struct pure *p)
{
    bool inverse = p->inst->op == LANE_OP_rsqrt;
    value (*of)(struct pure *, value) = inverse ? rsqrt_of : sqrt_of;
    value x = argument(p, 0, is_ftz(p)), small = no_exponent(p, x);
    if (is_ftz(p))
        return give(p, of(p, x));
    value y = of(p, pure_select(p, small, raise(p, x), x));
    value by = pure_select(p, small, real32(p, inverse ? 0x1p12f : 0x1p-12f), real32(p, 1));
    return give(p, finished(p, times_real(p, y, by)));
}

static bool lg2(struct pure *p)
{
    struct emit *e = p->e;
    value x = argument(p, 0, is_ftz(p)), small = no_exponent(p, x);
    if (is_ftz(p))
        return give(p, lg2_of(p, x));
    value y = float_of(p, lg2_of(p, pure_select(p, small, raise(p, x), x)));
    return give(p, finished(p, pure_select(p, small, LL(BuildFSub, y, real32(p, 24)), y)));
}

/* A subnormal result: not where the host flushes it. */
static bool ex2(struct pure *p)
{
    struct emit *e = p->e;
    if (e->daz && !is_ftz(p))
        return false;
    value x = argument(p, 0, true);
    if (is_ftz(p))
        return give(p, ex2_of(p, x));
    value low = pure_fcmp(p, LLVMRealOLT, float_of(p, x), real32(p, -126));
    value by = pure_select(p, low, real32(p, 0.5f), real32(p, 1));
    value y = float_of(p, ex2_of(p, pure_from_float(p, times_real(p, x, by), 32)));
    return give(p, finished(p, pure_select(p, low, LL(BuildFMul, y, y), y)));
}

static bool sine(struct pure *p)
{
    if (!(p->flags & LANE_APPROX)) /* correctly rounded: the only one of these that has no form */
        return false;
    value x = argument(p, 0, true);
    if (p->inst->op == LANE_OP_sin)
        return give(p, wave_of(p, turns(p, x), sign_of(p, x), x));
    value t = mask(p, pure_add(p, turns(p, x), word(p, 1u << 23)), 0x1ffffff);
    return give(p, wave_of(p, t, word(p, 0), x));
}

/* meaning/floats.h, quotient. */
static bool quotient(struct pure *p)
{
    struct emit *e = p->e;
    value a = argument(p, 0, is_ftz(p)), b = argument(p, 1, is_ftz(p)), by = NULL;
    bool flush = is_ftz(p) && !e->daz;
    a = flush ? pure_flush(p, a, 32, INFINITY_BITS) : a;
    b = flush ? pure_flush(p, b, 32, INFINITY_BITS) : b;
    if (p->flags & LANE_CLAMP)
        by = pure_select(p, is_beyond(p, magnitude_of(p, b), 0x7e800000), real32(p, 0.25f), real32(p, 1));
    if (!is_ftz(p))
        by = pure_select(p, no_exponent(p, b), real32(p, 0x1p24f), by ? by : real32(p, 1));
    value x = by ? times_real(p, a, by) : float_of(p, a), y = by ? pure_from_float(p, times_real(p, b, by), 32) : b;
    return give(p, pure_product(p, x, float_of(p, rcp_of(p, y)), is_ftz(p)));
}

const struct pure_form pure_interpolated[] = {
    {LANE_OP_rcp, LANE_FTZ | LANE_APPROX, PURE_TYPE(F32), rcp},
    {LANE_OP_rsqrt, LANE_FTZ | LANE_APPROX, PURE_TYPE(F32), root},
    {LANE_OP_sqrt, LANE_FTZ | LANE_APPROX, PURE_TYPE(F32), root},
    {LANE_OP_lg2, LANE_FTZ | LANE_APPROX, PURE_TYPE(F32), lg2},
    {LANE_OP_ex2, LANE_FTZ | LANE_APPROX, PURE_TYPE(F32), ex2},
    {LANE_OP_sin, LANE_APPROX, PURE_TYPE(F32), sine},
    {LANE_OP_cos, LANE_APPROX, PURE_TYPE(F32), sine},
    {LANE_OP_div, LANE_FTZ | LANE_APPROX | LANE_CLAMP, PURE_TYPE(F32), quotient},
    {0},
};
