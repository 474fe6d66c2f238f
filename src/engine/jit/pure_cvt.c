/* Compiled forms: conversions (meaning/cvt_ints.h, meaning/cvt_floats.h). */
#include "engine/jit/jit.h"
#include "engine/jit/pure.h"

#include "engine/meaning/kernels.h"

static bool give(struct pure *p, value x)
{
    pure_result(p, 0, x);
    return true;
}

static unsigned from_bits(const struct pure *p)
{
    return lane_type_bits(p->inst->type2);
}

static bool integral(unsigned round)
{
    return round >= LANE_RNI && round <= LANE_RPI;
}

/* ---- integer to integer --------------------------------------------------------------------------------------------
 */

/* Clamps to what both the source's type and the destination's can have, so in the source's width. */
static value clamp_int(struct pure *p, value x)
{
    unsigned from = from_bits(p);
    bool from_sign = lane_type_signed(p->inst->type2), to_sign = lane_type_signed(p->inst->type);
    uint64_t greatest = UINT64_MAX >> (64 - p->bits + to_sign), range = UINT64_MAX >> (64 - from + from_sign);
    if (from_sign && (!to_sign || p->bits < from))
        x = pure_call2(p, "llvm.smax", x, pure_same(p, from, to_sign ? ~greatest : 0));
    if (greatest < range)
        x = pure_call2(p, from_sign ? "llvm.smin" : "llvm.umin", x, pure_same(p, from, greatest));
    return x;
}

static bool int_to_int(struct pure *p)
{
    value x = pure_source(p, 0);
    x = p->flags & LANE_SAT ? clamp_int(p, x) : x;
    return give(p, pure_resize(p, x, from_bits(p), p->bits, lane_type_signed(p->inst->type2)));
}

/* ---- float to integer ----------------------------------------------------------------------------------------------
 */

/* 2^exponent, as a float of `width` bits. */
static value power(struct pure *p, unsigned width, unsigned exponent, bool negative)
{
    uint64_t sign = (uint64_t)negative << (width - 1);
    return pure_real(p, width, sign | (width == 32 ? (127u + exponent) << 23 : (UINT64_C(1023) + exponent) << 52));
}

/* <32 x float> to s32 by the host's own conversion, which gives the least integer of what is out of range and of NaNs.
 * NULL: it has none for vectors as long as its own. */
static value converted(struct pure *p, value x)
{
#if defined(__x86_64__)
    struct emit *e = p->e;
    value parts[4], index[LANES];
    if (e->vector_bits != 256)
        return NULL;
    for (unsigned i = 0; i < LANES; i++)
        index[i] = emit_const(e, 32, i);
    for (unsigned i = 0; i < 4; i++) {
        value part = LL(BuildShuffleVector, x, x, e->llvm->ConstVector(index + 8 * i, 8));
        parts[i] = emit_host(e, "llvm.x86.avx.cvtt.ps2dq.256", e->llvm->VectorType(e->i32, 8), &part, 1);
    }
    for (unsigned i = 0; i < 2; i++)
        parts[i] = LL(BuildShuffleVector, parts[2 * i], parts[2 * i + 1], e->llvm->ConstVector(index, 16));
    return LL(BuildShuffleVector, parts[0], parts[1], e->llvm->ConstVector(index, LANES));
#else
    (void)p;
    (void)x;
    return NULL;
#endif
}

/* Truncates to an integer of 32 or 64 bits, clamped. What is out of range is not chosen where it is converted; a NaN
 * gives the least integer. */
static value truncated(struct pure *p, value x, unsigned width, unsigned bits, bool sign)
{
    struct emit *e = p->e;
    LLVMTypeRef type = pure_vector(p, emit_int(e, bits));
    uint64_t greatest = UINT64_MAX >> (64 - bits + sign);
    value least = pure_same(p, bits, sign ? ~greatest : 0), limit = power(p, width, bits - sign, false);
    bool whole = sign && width == 32 && bits == 32 && p->count == LANES;
    value by_host = whole ? converted(p, x) : NULL;
    if (by_host) /* the greatest is the complement of the least */
        return pure_xor(p, by_host, LL(BuildSExt, pure_fcmp(p, LLVMRealOGE, x, limit), type));
    value low = sign ? pure_fcmp(p, LLVMRealOGE, x, power(p, width, bits - 1, true))
                     : pure_fcmp(p, LLVMRealOGT, x, power(p, width, 0, true));
    value fits = pure_and(p, low, pure_fcmp(p, LLVMRealOLT, x, limit));
    value r = pure_select(p, fits, sign ? LL(BuildFPToSI, x, type) : LL(BuildFPToUI, x, type), least);
    return pure_select(p, pure_fcmp(p, LLVMRealOGE, x, limit), pure_same(p, bits, greatest), r);
}

/* Narrower integers by way of s32, which has all that they have. */
static value to_int(struct pure *p, value x, unsigned width, bool top)
{
    bool sign = lane_type_signed(p->inst->type);
    uint64_t greatest = UINT64_MAX >> (64 - p->bits + sign);
    value r;
    if (p->bits >= 32) {
        r = truncated(p, x, width, p->bits, sign);
    } else {
        r = truncated(p, x, width, 32, true);
        r = pure_call2(p, "llvm.smax", r, pure_same(p, 32, sign ? ~greatest : 0));
        r = pure_call2(p, "llvm.smin", r, pure_same(p, 32, greatest));
        r = pure_resize(p, r, 32, p->bits, false);
    }
    if (top == sign) /* already what a NaN has become */
        return r;
    value nan = pure_same(p, p->bits, top ? UINT64_C(1) << (p->bits - 1) : 0);
    return pure_select(p, pure_fcmp(p, LLVMRealUNO, x, x), nan, r);
}

/* A NaN gives the top bit where the float is an f64 or the integer has 64 bits, else 0. */
static bool float_to_int(struct pure *p)
{
    unsigned from = p->inst->type2, round = p->inst->round, width = from == LANE_F64 ? 64 : 32;
    if ((round != LANE_RZI && !pure_host_integral(p)) || (from == LANE_F16 && !pure_host_f16(p)) || !integral(round))
        return false;
    value x = from == LANE_F32 ? emit_loose(p->e, p->at, p->at->ndst) : pure_source(p, 0);
    if (pure_is_half(from)) {
        x = pure_widen(p, x, from == LANE_BF16);
    } else {
        x = p->flags & LANE_FTZ ? pure_flush(p, x, 32, 0x7f800000) : x;
        x = pure_to_float(p, x, width);
    }
    x = round == LANE_RZI ? x : pure_integral(p, x, round);
    return give(p, to_int(p, x, width, width == 64 || p->bits == 64));
}

/* ---- integer to float ----------------------------------------------------------------------------------------------
 */

static value from_int(struct pure *p, value x, unsigned width)
{
    struct emit *e = p->e;
    LLVMTypeRef type = pure_float_type(p, width);
    return lane_type_signed(p->inst->type2) ? LL(BuildSIToFP, x, type) : LL(BuildUIToFP, x, type);
}

/* SAT: 1 where it is positive. */
static bool int_to_unit(struct pure *p)
{
    static const uint64_t ones[LANE_TYPES] = {
        [LANE_F16] = 0x3c00, [LANE_BF16] = 0x3f80, [LANE_F32] = 0x3f800000, [LANE_F64] = 0x3ff0000000000000};
    LLVMIntPredicate how = lane_type_signed(p->inst->type2) ? LLVMIntSGT : LLVMIntUGT;
    value positive = pure_icmp(p, how, pure_source(p, 0), pure_same(p, from_bits(p), 0));
    return give(p, pure_select(p, positive, pure_same(p, p->bits, ones[p->inst->type]), pure_same(p, p->bits, 0)));
}

static value f64_to_f32(struct pure *p, value x, unsigned round);

/* Of more than 32 bits only to nearest, and not to halves: what is wider than a float would round twice. */
static bool int_to_float(struct pure *p)
{
    unsigned to = p->inst->type, round = p->inst->round, from = from_bits(p);
    if (p->flags & LANE_SAT)
        return int_to_unit(p);
    if ((from == 64 && (round != LANE_RN || pure_is_half(to))) || round > LANE_RP ||
        (to == LANE_F16 && round == LANE_RN && !pure_host_f16(p)))
        return false;
    value x = pure_source(p, 0);
    if (to == LANE_F64)
        return give(p, from_int(p, x, 64));
    if (to == LANE_F32)
        return give(p, from < 32 || round == LANE_RN ? from_int(p, x, 32) : f64_to_f32(p, from_int(p, x, 64), round));
    x = from < 32 ? from_int(p, x, 32) : pure_odd(p, from_int(p, x, 64));
    return give(p, pure_narrow(p, x, to == LANE_BF16, round));
}

/* ---- float to float ------------------------------------------------------------------------------------------------
 */

/* The host rounds to nearest; directed modes step from there to the neighbour on the right side (f32_from_f64). */
static value f64_to_f32(struct pure *p, value x, unsigned round)
{
    struct emit *e = p->e;
    value f = LL(BuildFPTrunc, x, pure_float_type(p, 32)), bits = pure_from_float(p, f, 32), wrong;
    if (round == LANE_RN)
        return f;
    value back = LL(BuildFPExt, f, pure_float_type(p, 64)), one = pure_same(p, 32, 1);
    value away = pure_add(p, bits, one), toward = pure_sub(p, bits, one);
    value negative = pure_icmp(p, LLVMIntSLT, bits, pure_same(p, 32, 0));
    if (round == LANE_RZ) {
        value less = pure_call1(p, "llvm.fabs", x), more = pure_call1(p, "llvm.fabs", back);
        return pure_to_float(p, pure_select(p, pure_fcmp(p, LLVMRealOGT, more, less), toward, bits), 32);
    }
    bool down = round == LANE_RM;
    wrong = pure_fcmp(p, down ? LLVMRealOGT : LLVMRealOLT, back, x);
    value next = pure_select(p, negative, down ? away : toward, down ? toward : away);
    return pure_to_float(p, pure_select(p, wrong, next, bits), 32);
}

static value flushed_from_f64(struct pure *p, value x, unsigned round, bool ftz)
{
    struct emit *e = p->e;
    value r = f64_to_f32(p, x, round);
    return ftz ? pure_flush_where(p, pure_below_half(p, f64_to_f32(p, LL(BuildFAdd, x, x), round)), r) : r;
}

/* A source as f32: exact, but f64 to odd. */
static value as_f32(struct pure *p, value x, unsigned from)
{
    if (pure_is_half(from))
        return pure_widen(p, x, from == LANE_BF16);
    if (from == LANE_F64)
        return pure_odd(p, pure_to_float(p, x, 64));
    return pure_to_float(p, p->flags & LANE_FTZ ? pure_flush(p, x, 32, 0x7f800000) : x, 32);
}

/* An f32 rounded to an integral value. */
static value integral_f32(struct pure *p, unsigned round)
{
    bool ftz = p->flags & LANE_FTZ, by_host = ftz && p->e->daz;
    value x = pure_loose(p, 0);
    x = pure_to_float(p, ftz && !by_host ? pure_flush(p, x, 32, 0x7f800000) : x, 32);
    return pure_integral(p, by_host ? loose_flush(p->e, x) : x, round);
}

/* cvt_floats.h, f16_of_nan, bf16_of_nan: halves that were made of f64, the NaNs among which are to be made of x. */
static value kept_nans(struct pure *p, value x, value half, bool bf16)
{
    value number = pure_to_float(p, x, 64), sign = pure_shr(p, x, pure_same(p, 64, 48), false);
    value rest = pure_shr(p, x, pure_same(p, 64, bf16 ? 45 : 42), false);
    sign = pure_and(p, sign, pure_same(p, 64, 0x8000));
    rest = pure_and(p, rest, pure_same(p, 64, bf16 ? 0x3f : 0x1ff));
    value nan = pure_or(p, pure_or(p, sign, rest), pure_same(p, 64, bf16 ? 0x7fc0 : 0x7e00));
    return pure_select(p, pure_fcmp(p, LLVMRealUNO, number, number), pure_resize(p, nan, 64, 16, false), half);
}

static bool to_half(struct pure *p)
{
    unsigned from = p->inst->type2, round = p->inst->round;
    bool bf16 = p->inst->type == LANE_BF16, same = from == p->inst->type;
    value given = pure_source(p, 0), x = as_f32(p, given, from);
    value half = same ? pure_narrow(p, pure_integral(p, x, round), bf16, LANE_RN) : pure_narrow(p, x, bf16, round);
    half = pure_finish16(p, half, bf16, p->flags);
    return give(p, from == LANE_F64 && !p->flags ? kept_nans(p, given, half, bf16) : half);
}

/* NaNs stay as the host makes them (f32_finish_number). */
static value f64_to_bits(struct pure *p, value x)
{
    value r = flushed_from_f64(p, pure_to_float(p, x, 64), p->inst->round, p->flags & LANE_FTZ);
    return pure_from_float(p, p->flags & LANE_SAT ? pure_clamp(p, r, 32) : r, 32);
}

static bool to_f32(struct pure *p)
{
    unsigned from = p->inst->type2, round = p->inst->round;
    bool ftz = p->flags & LANE_FTZ, sat = p->flags & LANE_SAT;
    if (from == LANE_F32 && integral(round))
        return give(p, pure_finish32(p, integral_f32(p, round), false, sat));
    value x = pure_source(p, 0);
    if (from == LANE_F64)
        return give(p, f64_to_bits(p, x));
    if (pure_is_half(from))
        return give(p, pure_finish32(p, as_f32(p, x, from), ftz, sat));
    return give(p, pure_finish32(p, as_f32(p, x, from), false, sat));
}

static bool to_f64(struct pure *p)
{
    struct emit *e = p->e;
    unsigned from = p->inst->type2;
    value x = pure_source(p, 0), a;
    a = from == LANE_F64 ? pure_to_float(p, x, 64) : LL(BuildFPExt, as_f32(p, x, from), pure_float_type(p, 64));
    value r = pure_integral(p, a, p->inst->round);
    return give(p, p->flags & LANE_SAT ? pure_clamp(p, r, 64) : pure_finish64(p, r, &a, 1));
}

static bool float_to_float(struct pure *p)
{
    unsigned to = p->inst->type, from = p->inst->type2, round = p->inst->round;
    bool f16 = from == LANE_F16 || (to == LANE_F16 && round == LANE_RN);
    if ((f16 && !pure_host_f16(p)) || (integral(round) && !pure_host_integral(p)))
        return false;
    return pure_is_half(to) ? to_half(p) : to == LANE_F32 ? to_f32(p) : to_f64(p);
}

static bool cvt(struct pure *p)
{
    unsigned to = p->inst->type, from = p->inst->type2;
    bool from_float = from == LANE_F32 || from == LANE_F64 || pure_is_half(from);
    bool to_float = to == LANE_F32 || to == LANE_F64 || pure_is_half(to);
    if (jit_is_int(from) && jit_is_int(to))
        return int_to_int(p);
    if (from_float && jit_is_int(to))
        return float_to_int(p);
    if (jit_is_int(from) && to_float)
        return int_to_float(p);
    return from_float && to_float && float_to_float(p);
}

/* ---- two into one --------------------------------------------------------------------------------------------------
 */

static bool pack_halves(struct pure *p)
{
    bool bf16 = pure_is_bf16(p->inst->type), ftz = p->flags & LANE_FTZ;
    unsigned round = p->inst->round;
    value half[2];
    if (p->inst->type2 != LANE_F32 || (!bf16 && round == LANE_RN && !pure_host_f16(p)))
        return false;
    p->count = LANES;
    for (unsigned k = 0; k < 2; k++) {
        value x = pure_source(p, k);
        x = pure_to_float(p, ftz ? pure_flush(p, x, 32, 0x7f800000) : x, 32);
        half[k] = pure_finish16(p, pure_narrow(p, x, bf16, round), bf16, p->flags);
    }
    return give(p, pure_join(p, half[1], half[0], 16));
}

static bool pack_ints(struct pure *p)
{
    bool sign = p->inst->type == LANE_S16X2;
    value half[2];
    if (p->inst->type2 != LANE_S32)
        return false;
    p->count = LANES;
    for (unsigned k = 0; k < 2; k++) {
        value x = pure_call2(p, "llvm.smax", pure_source(p, k), pure_same(p, 32, sign ? (uint64_t)INT16_MIN : 0));
        x = pure_call2(p, "llvm.smin", x, pure_same(p, 32, sign ? INT16_MAX : UINT16_MAX));
        half[k] = pure_resize(p, x, 32, 16, false);
    }
    return give(p, pure_join(p, half[1], half[0], 16));
}

const struct pure_form pure_cvts[] = {
    {LANE_OP_cvt, LANE_SAT | LANE_FTZ | LANE_RELU, PURE_ALL, cvt},
    {LANE_OP_cvtpack, LANE_SAT | LANE_FTZ | LANE_RELU, PURE_HALVES, pack_halves},
    {LANE_OP_cvtpack, 0, PURE_PACKED, pack_ints},
    {0},
};
