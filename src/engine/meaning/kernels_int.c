/* Integer arithmetic: add to mad24, min and max, carries. An expression row per operation; the types are lists.
 *
 * Results wrap, so add, sub and low products are computed in unsigned types and shared by both signednesses. Named
 * choices: x/0 = all ones, x rem 0 = x, MIN/-1 = MIN, MIN rem -1 = 0. */
#include "engine/meaning/kernels.h"

typedef __int128 int128;
typedef unsigned __int128 uint128;

/* X(op, suffix, LANE type, C type, C type at least 32 bits wide, C type of twice the width, least, greatest value) */
#define UNSIGNED_8(X, op)  X(op, u8, U8, uint8_t, uint32_t, uint16_t, 0, UINT8_MAX)
#define UNSIGNED_16(X, op) X(op, u16, U16, uint16_t, uint32_t, uint32_t, 0, UINT16_MAX)
#define UNSIGNED_32(X, op) X(op, u32, U32, uint32_t, uint32_t, uint64_t, 0, UINT32_MAX)
#define UNSIGNED_64(X, op) X(op, u64, U64, uint64_t, uint64_t, uint128, 0, UINT64_MAX)
#define SIGNED_8(X, op)    X(op, s8, S8, int8_t, int32_t, int16_t, INT8_MIN, INT8_MAX)
#define SIGNED_16(X, op)   X(op, s16, S16, int16_t, int32_t, int32_t, INT16_MIN, INT16_MAX)
#define SIGNED_32(X, op)   X(op, s32, S32, int32_t, int32_t, int64_t, INT32_MIN, INT32_MAX)
#define SIGNED_64(X, op)   X(op, s64, S64, int64_t, int64_t, int128, INT64_MIN, INT64_MAX)

#define WRAPPING(X, op) UNSIGNED_8(X, op) UNSIGNED_16(X, op) UNSIGNED_32(X, op) UNSIGNED_64(X, op)
#define MEDIUM(X, op) \
    UNSIGNED_16(X, op) UNSIGNED_32(X, op) UNSIGNED_64(X, op) SIGNED_16(X, op) SIGNED_32(X, op) SIGNED_64(X, op)
#define ALL(X, op)              UNSIGNED_8(X, op) SIGNED_8(X, op) MEDIUM(X, op)
#define UNSIGNED_FROM_16(X, op) UNSIGNED_16(X, op) UNSIGNED_32(X, op) UNSIGNED_64(X, op)
#define SIGNED_FROM_16(X, op)   SIGNED_16(X, op) SIGNED_32(X, op) SIGNED_64(X, op)
#define SIGNED_ALL(X, op)       SIGNED_8(X, op) SIGNED_FROM_16(X, op)

#define DEFINE1(op, t, T, C, W, D, lo, hi) KERNEL1(op##_##t, 32, C, C, EXPR_##op(C, W, D, lo, hi))
#define DEFINE2(op, t, T, C, W, D, lo, hi) KERNEL2(op##_##t, 32, C, C, C, EXPR_##op(C, W, D, lo, hi))
#define DEFINE3(op, t, T, C, W, D, lo, hi) KERNEL3(op##_##t, 32, C, C, C, C, EXPR_##op(C, W, D, lo, hi))
#define CASE(op, t, T, C, W, D, lo, hi)      \
    case KERNEL_KEY(LANE_OP_##op, LANE_##T): \
        return op##_##t;

/* ---- add, sub, mul, mad ---------------------------------------------------------------------------- */

#define EXPR_add(C, W, D, lo, hi) ((W)a + (W)b)
#define EXPR_sub(C, W, D, lo, hi) ((W)a - (W)b)
#define EXPR_mul(C, W, D, lo, hi) ((W)a * (W)b)
#define EXPR_mad(C, W, D, lo, hi) ((W)a * (W)b + (W)c)
WRAPPING(DEFINE2, add)
WRAPPING(DEFINE2, sub)
WRAPPING(DEFINE2, mul)
UNSIGNED_FROM_16(DEFINE3, mad)

/* Saturating: computed in twice the width, then clamped. */
#define SATURATE(x, lo, hi)          ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
#define EXPR_addsat(C, W, D, lo, hi) SATURATE((D)a + (D)b, (D)(lo), (D)(hi))
#define EXPR_subsat(C, W, D, lo, hi) SATURATE((D)a - (D)b, (D)(lo), (D)(hi))
SIGNED_ALL(DEFINE2, addsat)
SIGNED_ALL(DEFINE2, subsat)
#define EXPR_addsatu(C, W, D, lo, hi) ((C)((W)a + (W)b) < a ? (hi) : (C)((W)a + (W)b))
#define EXPR_subsatu(C, W, D, lo, hi) (a < b ? 0 : a - b)
WRAPPING(DEFINE2, addsatu)
WRAPPING(DEFINE2, subsatu)

#define EXPR_mulhi(C, W, D, lo, hi) ((D)((D)a * (D)b) >> (sizeof(C) * 8))
#define EXPR_madhi(C, W, D, lo, hi) ((W)(C)((D)((D)a * (D)b) >> (sizeof(C) * 8)) + (W)c)
MEDIUM(DEFINE2, mulhi)
UNSIGNED_FROM_16(DEFINE3, madhi)
KERNEL3(madhi_s16, 32, int16_t, int16_t, int16_t, int16_t, (a * b >> 16) + c)
KERNEL3(madhi_s32, 32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)((int64_t)a *b >> 32) + c)
KERNEL3(madhi_s64, 32, uint64_t, int64_t, int64_t, uint64_t, (uint64_t)((int128)a *b >> 64) + c)
KERNEL3(madhi_sat_s32, 32, int32_t, int32_t, int32_t, int32_t,
        SATURATE(((int64_t)a * b >> 32) + c, INT32_MIN, INT32_MAX))

KERNEL2(mulwide_u16, 32, uint32_t, uint16_t, uint16_t, ((uint32_t)a * b))
KERNEL2(mulwide_s16, 32, int32_t, int16_t, int16_t, (a * b))
KERNEL2(mulwide_u32, 32, uint64_t, uint32_t, uint32_t, ((uint64_t)a * b))
KERNEL2(mulwide_s32, 32, int64_t, int32_t, int32_t, ((int64_t)a * b))
KERNEL3(madwide_u16, 32, uint32_t, uint16_t, uint16_t, uint32_t, ((uint32_t)a * b + c))
KERNEL3(madwide_s16, 32, uint32_t, int16_t, int16_t, uint32_t, ((uint32_t)(a * b) + c))
KERNEL3(madwide_u32, 32, uint64_t, uint32_t, uint32_t, uint64_t, ((uint64_t)a * b + c))
KERNEL3(madwide_s32, 32, uint64_t, int32_t, int32_t, uint64_t, ((uint64_t)((int64_t)a * b) + c))

/* ---- 24-bit products (48 bits) ------------------------------------------------------------------- */

static inline int64_t product24_s(int32_t a, int32_t b)
{
    return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}

static inline uint64_t product24_u(uint32_t a, uint32_t b)
{
    return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}

#define PRODUCTS24(t, C, U)                                                              \
    KERNEL2(mul24_lo_##t##32, 32, uint32_t, C, C, (uint32_t)product24_##t(a, b))         \
    KERNEL2(mul24_hi_##t##32, 32, uint32_t, C, C, (uint32_t)(product24_##t(a, b) >> 16)) \
    KERNEL3(mad24_lo_##t##32, 32, uint32_t, C, C, U, (uint32_t)product24_##t(a, b) + c)  \
    KERNEL3(mad24_hi_##t##32, 32, uint32_t, C, C, U, (uint32_t)(product24_##t(a, b) >> 16) + c)
PRODUCTS24(u, uint32_t, uint32_t)
PRODUCTS24(s, int32_t, uint32_t)
KERNEL3(mad24_hi_sat_s32, 32, int32_t, int32_t, int32_t, int32_t,
        SATURATE((product24_s(a, b) >> 16) + c, INT32_MIN, INT32_MAX))

/* ---- sad, abs, neg, min, max ---------------------------------------------------------------------- */

#define EXPR_sad(C, W, D, lo, hi) ((uint64_t)c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))
#define EXPR_abs(C, W, D, lo, hi) (a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
#define EXPR_neg(C, W, D, lo, hi) (0 - (uint64_t)a)
#define EXPR_min(C, W, D, lo, hi) (a < b ? a : b)
#define EXPR_max(C, W, D, lo, hi) (a > b ? a : b)
MEDIUM(DEFINE3, sad)
SIGNED_FROM_16(DEFINE1, abs)
SIGNED_FROM_16(DEFINE1, neg)
ALL(DEFINE2, min)
ALL(DEFINE2, max)

/* RELU: negative results become 0. */
#define EXPR_minrelu(C, W, D, lo, hi) (a < b ? a : b) < 0 ? 0 : (a < b ? a : b)
#define EXPR_maxrelu(C, W, D, lo, hi) (a > b ? a : b) < 0 ? 0 : (a > b ? a : b)
SIGNED_32(DEFINE2, minrelu)
SIGNED_32(DEFINE2, maxrelu)

/* Packed pairs of halfwords: 64 elements. */
#define PACKED(name, C, expr) KERNEL2(name, 64, C, C, C, expr)
PACKED(add_x2, uint16_t, a + b)
PACKED(sub_x2, uint16_t, a - b)
PACKED(addsat_u16x2, uint16_t, (uint16_t)(a + b) < a ? UINT16_MAX : a + b)
PACKED(subsat_u16x2, uint16_t, a < b ? 0 : a - b)
PACKED(addsat_s16x2, int16_t, SATURATE(a + b, INT16_MIN, INT16_MAX))
PACKED(subsat_s16x2, int16_t, SATURATE(a - b, INT16_MIN, INT16_MAX))
PACKED(min_u16x2, uint16_t, a < b ? a : b)
PACKED(max_u16x2, uint16_t, a > b ? a : b)
PACKED(min_s16x2, int16_t, a < b ? a : b)
PACKED(max_s16x2, int16_t, a > b ? a : b)
PACKED(minrelu_s16x2, int16_t, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
PACKED(maxrelu_s16x2, int16_t, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

/* ---- division ---------------------------------------------------------------------------------------- */

/* Up to 32 bits the quotient of two doubles, truncated, is exact: if a/b is no integer, its distance from the next one
 * is at least 1/b, more than 2^-32 of it, and a double is good to 2^-53. Division by 1 stands in for the undefined
 * ones. */
static inline uint32_t div_unsigned_32(uint32_t a, uint32_t b)
{
    int64_t q = (int64_t)((double)a / (double)(b ? b : 1));
    return b ? (uint32_t)q : UINT32_MAX;
}

static inline uint32_t rem_unsigned_32(uint32_t a, uint32_t b)
{
    return b ? a - div_unsigned_32(a, b) * b : a;
}

static inline int32_t div_signed_32(int32_t a, int32_t b)
{
    /* MIN/-1 = 2^31 wraps to MIN */
    int64_t q = (int64_t)((double)a / (double)(b ? b : 1));
    return b ? (int32_t)(uint32_t)(uint64_t)q : -1;
}

static inline int32_t rem_signed_32(int32_t a, int32_t b)
{
    return b ? (int32_t)((uint32_t)a - (uint32_t)div_signed_32(a, b) * (uint32_t)b) : a;
}

/* 64 bits divide in the host; the cases that would fault there divide by 1. */
static inline int64_t div_signed_64(int64_t a, int64_t b)
{
    int64_t q = a / (b == 0 || b == -1 ? 1 : b), negated = (int64_t)(0 - (uint64_t)a);
    q = b == -1 ? negated : q;
    return b == 0 ? -1 : q;
}

static inline int64_t rem_signed_64(int64_t a, int64_t b)
{
    int64_t r = a % (b == 0 || b == -1 ? 1 : b);
    return b == 0 ? a : r;
}

#define DIV(t, C, quotient, rest)           \
    KERNEL2(div_##t, 32, C, C, C, quotient) \
    KERNEL2(rem_##t, 32, C, C, C, rest)
DIV(u16, uint16_t, div_unsigned_32(a, b), rem_unsigned_32(a, b))
DIV(s16, int16_t, div_signed_32(a, b), rem_signed_32(a, b))
DIV(u32, uint32_t, div_unsigned_32(a, b), rem_unsigned_32(a, b))
DIV(s32, int32_t, div_signed_32(a, b), rem_signed_32(a, b))
DIV(u64, uint64_t, b ? a / (b ? b : 1) : UINT64_MAX, b ? a % (b ? b : 1) : a)
DIV(s64, int64_t, div_signed_64(a, b), rem_signed_64(a, b))

/* ---- carries --------------------------------------------------------------------------------------- */

static inline uint32_t carry_in(const struct frame *f, uint32_t offset)
{
    return offset == KERNEL_NONE ? 0 : *KERNEL_MASK(offset);
}

/* d = first step, then the carry in; either may carry out. d is written last: it may be a source. */
#define CARRY(name, w, in, first, carry1, second, carry2)                                                       \
    static void name(struct frame *f, const struct kernel_operands *s)                                          \
    {                                                                                                           \
        uint##w##_t *d = KERNEL_REG(uint##w##_t, s->d);                                                         \
        const uint##w##_t *va = KERNEL_REG(const uint##w##_t, s->a), *vb = KERNEL_REG(const uint##w##_t, s->b); \
        uint32_t word = carry_in(f, in);                                                                        \
        _Alignas(64) uint##w##_t out[32];                                                                       \
        LANE_LOOP(32)                                                                                           \
        {                                                                                                       \
            uint##w##_t a = va[l], b = vb[l], x = word & kernel_bit##w[l] ? 1 : 0;                              \
            uint##w##_t t = first, r = second;                                                                  \
            out[l] = (carry1) || (carry2) ? (uint##w##_t) - 1 : 0;                                              \
            d[l] = r;                                                                                           \
        }                                                                                                       \
        if (s->d2 != KERNEL_NONE)                                                                               \
            *KERNEL_MASK(s->d2) = mask_from_##w(out);                                                           \
    }
#if defined(__AVX512F__)
/* The same with masks for predicates: most of address arithmetic where registers have 32 bits. */
static void addc_32(struct frame *f, const struct kernel_operands *s)
{
    uint32_t *d = KERNEL_REG(uint32_t, s->d), word = carry_in(f, s->c), out = 0;
    const uint32_t *va = KERNEL_REG(const uint32_t, s->a), *vb = KERNEL_REG(const uint32_t, s->b);
    const __m512i one = _mm512_set1_epi32(1), zero = _mm512_setzero_si512();
    for (unsigned half = 0; half < 2; half++) {
        __mmask16 in = (__mmask16)(word >> 16 * half);
        __m512i a = _mm512_load_si512(va + 16 * half), t = _mm512_add_epi32(a, _mm512_load_si512(vb + 16 * half));
        __m512i r = _mm512_mask_add_epi32(t, in, t, one);
        __mmask16 carry = _mm512_cmplt_epu32_mask(t, a) | _mm512_mask_cmpeq_epi32_mask(in, r, zero);
        _mm512_store_si512(d + 16 * half, r);
        out |= (uint32_t)carry << 16 * half;
    }
    if (s->d2 != KERNEL_NONE)
        *KERNEL_MASK(s->d2) = out;
}
#else
CARRY(addc_32, 32, s->c, a + b, t < a, t + x, r < t)
#endif
CARRY(addc_64, 64, s->c, a + b, t < a, t + x, r < t)
CARRY(subc_32, 32, s->c, a - b, a < b, t - x, t < x)
CARRY(subc_64, 64, s->c, a - b, a < b, t - x, t < x)

/* madc: a half of a*b, + c + carry in. The two signednesses differ in the high half only. */
#define MADC(name, w, C, D, shift)                                                \
    static void name(struct frame *f, const struct kernel_operands *s)            \
    {                                                                             \
        uint##w##_t *d = KERNEL_REG(uint##w##_t, s->d);                           \
        const C *va = KERNEL_REG(const C, s->a), *vb = KERNEL_REG(const C, s->b); \
        const uint##w##_t *vc = KERNEL_REG(const uint##w##_t, s->c);              \
        uint32_t word = carry_in(f, s->e);                                        \
        _Alignas(64) uint##w##_t out[32];                                         \
        LANE_LOOP(32)                                                             \
        {                                                                         \
            uint##w##_t p = (uint##w##_t)((D)((D)va[l] * (D)vb[l]) >> (shift));   \
            uint##w##_t c = vc[l], x = word & kernel_bit##w[l] ? 1 : 0;           \
            uint##w##_t t = p + c, r = t + x;                                     \
            out[l] = t < p || r < t ? (uint##w##_t) - 1 : 0;                      \
            d[l] = r;                                                             \
        }                                                                         \
        if (s->d2 != KERNEL_NONE)                                                 \
            *KERNEL_MASK(s->d2) = mask_from_##w(out);                             \
    }
MADC(madc_lo_32, 32, uint32_t, uint64_t, 0)
MADC(madc_hi_u32, 32, uint32_t, uint64_t, 32)
MADC(madc_hi_s32, 32, int32_t, int64_t, 32)
MADC(madc_lo_64, 64, uint64_t, uint128, 0)
MADC(madc_hi_u64, 64, uint64_t, uint128, 64)
MADC(madc_hi_s64, 64, int64_t, int128, 64)

/* ---- finder ---------------------------------------------------------------------------------------- */

#define CASE_EITHER(op, t, T, C, W, D, lo, hi)                   \
    case KERNEL_KEY(LANE_OP_##op, LANE_##T):                     \
    case KERNEL_KEY(LANE_OP_##op, LANE_##T - LANE_U8 + LANE_S8): \
        return op##_##t;
#define CASE_SATURATED(op, t, T, C, W, D, lo, hi) \
    case KERNEL_KEY(LANE_OP_add, LANE_##T):       \
        return add##op##_##t;                     \
    case KERNEL_KEY(LANE_OP_sub, LANE_##T):       \
        return sub##op##_##t;

static kernel_fn *find_saturated(unsigned key)
{
    switch (key) {
        WRAPPING(CASE_SATURATED, satu)
        SIGNED_ALL(CASE_SATURATED, sat)
        CASE_SATURATED(sat, u16x2, U16X2, , , , , )
        CASE_SATURATED(sat, s16x2, S16X2, , , , , )
    case KERNEL_KEY(LANE_OP_madhi, LANE_S32):
        return madhi_sat_s32;
    }
    return NULL;
}

static kernel_fn *find_relu(unsigned key)
{
    switch (key) {
    case KERNEL_KEY(LANE_OP_min, LANE_S32):
        return minrelu_s32;
    case KERNEL_KEY(LANE_OP_max, LANE_S32):
        return maxrelu_s32;
    case KERNEL_KEY(LANE_OP_min, LANE_S16X2):
        return minrelu_s16x2;
    case KERNEL_KEY(LANE_OP_max, LANE_S16X2):
        return maxrelu_s16x2;
    }
    return NULL;
}

/* Operations with a mode: 0 low, 1 high part of a product. */
static kernel_fn *find_moded(unsigned key, unsigned mode, bool sat)
{
    if (mode > 1 || (sat && mode == 0))
        return NULL;
    switch (key) {
    case KERNEL_KEY(LANE_OP_mul24, LANE_U32):
        return mode ? mul24_hi_u32 : mul24_lo_u32;
    case KERNEL_KEY(LANE_OP_mul24, LANE_S32):
        return mode ? mul24_hi_s32 : mul24_lo_s32;
    case KERNEL_KEY(LANE_OP_mad24, LANE_U32):
        return sat ? NULL : mode ? mad24_hi_u32 : mad24_lo_u32;
    case KERNEL_KEY(LANE_OP_mad24, LANE_S32):
        return sat ? mad24_hi_sat_s32 : mode ? mad24_hi_s32 : mad24_lo_s32;
    case KERNEL_KEY(LANE_OP_madc, LANE_U32):
        return mode ? madc_hi_u32 : madc_lo_32;
    case KERNEL_KEY(LANE_OP_madc, LANE_S32):
        return mode ? madc_hi_s32 : madc_lo_32;
    case KERNEL_KEY(LANE_OP_madc, LANE_U64):
        return mode ? madc_hi_u64 : madc_lo_64;
    case KERNEL_KEY(LANE_OP_madc, LANE_S64):
        return mode ? madc_hi_s64 : madc_lo_64;
    }
    return NULL;
}

static kernel_fn *find_plain(unsigned key)
{
    switch (key) {
        WRAPPING(CASE_EITHER, add)
        WRAPPING(CASE_EITHER, sub)
        WRAPPING(CASE_EITHER, mul)
        UNSIGNED_FROM_16(CASE_EITHER, mad)
        MEDIUM(CASE, mulhi)
        MEDIUM(CASE, madhi)
        MEDIUM(CASE, sad)
        MEDIUM(CASE, div)
        MEDIUM(CASE, rem)
        SIGNED_FROM_16(CASE, abs)
        SIGNED_FROM_16(CASE, neg)
        ALL(CASE, min)
        ALL(CASE, max)
        UNSIGNED_16(CASE, mulwide)
        SIGNED_16(CASE, mulwide)
        UNSIGNED_32(CASE, mulwide)
        SIGNED_32(CASE, mulwide)
        UNSIGNED_16(CASE, madwide)
        SIGNED_16(CASE, madwide)
        UNSIGNED_32(CASE, madwide)
        SIGNED_32(CASE, madwide)
    case KERNEL_KEY(LANE_OP_add, LANE_U16X2):
    case KERNEL_KEY(LANE_OP_add, LANE_S16X2):
        return add_x2;
    case KERNEL_KEY(LANE_OP_sub, LANE_U16X2):
    case KERNEL_KEY(LANE_OP_sub, LANE_S16X2):
        return sub_x2;
        CASE(min, u16x2, U16X2, , , , , )
        CASE(max, u16x2, U16X2, , , , , )
        CASE(min, s16x2, S16X2, , , , , )
        CASE(max, s16x2, S16X2, , , , , )
    case KERNEL_KEY(LANE_OP_addc, LANE_U32):
    case KERNEL_KEY(LANE_OP_addc, LANE_S32):
        return addc_32;
    case KERNEL_KEY(LANE_OP_addc, LANE_U64):
    case KERNEL_KEY(LANE_OP_addc, LANE_S64):
        return addc_64;
    case KERNEL_KEY(LANE_OP_subc, LANE_U32):
    case KERNEL_KEY(LANE_OP_subc, LANE_S32):
        return subc_32;
    case KERNEL_KEY(LANE_OP_subc, LANE_U64):
    case KERNEL_KEY(LANE_OP_subc, LANE_S64):
        return subc_64;
    }
    return NULL;
}

kernel_fn *KERNEL_NAME(kernel_find_int)(const struct lane_inst *inst)
{
    unsigned key = KERNEL_KEY(inst->op, inst->type);
    bool sat = inst->flags & LANE_SAT;
    if (inst->op == LANE_OP_mul24 || inst->op == LANE_OP_mad24 || inst->op == LANE_OP_madc)
        return find_moded(key, inst->mode, sat);
    if (sat)
        return find_saturated(key);
    return inst->flags & LANE_RELU ? find_relu(key) : find_plain(key);
}
