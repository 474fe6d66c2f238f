/* Integer arithmetic: add to mad24, min and max, carries. An expression per operation; the types are lists.
 *
 * Results wrap, so add, sub and low products are computed in unsigned types and shared by both signednesses. Named
 * choices: x/0 = all ones, x rem 0 = x, MIN/-1 = MIN, MIN rem -1 = 0. */
#ifndef ATOLL_ENGINE_MEANING_INTS_H
#define ATOLL_ENGINE_MEANING_INTS_H

#include "engine/meaning/shapes.h"

typedef __int128 int128;
typedef unsigned __int128 uint128;

/* X(suffix, LANE type, C type, unsigned C type at least 32 bits wide, C type of twice the width, least, greatest value,
 * ...) */
#define UNSIGNED_8(X, ...)  X(u8, U8, uint8_t, uint32_t, uint16_t, 0, UINT8_MAX, __VA_ARGS__)
#define UNSIGNED_16(X, ...) X(u16, U16, uint16_t, uint32_t, uint32_t, 0, UINT16_MAX, __VA_ARGS__)
#define UNSIGNED_32(X, ...) X(u32, U32, uint32_t, uint32_t, uint64_t, 0, UINT32_MAX, __VA_ARGS__)
#define UNSIGNED_64(X, ...) X(u64, U64, uint64_t, uint64_t, uint128, 0, UINT64_MAX, __VA_ARGS__)
#define SIGNED_8(X, ...)    X(s8, S8, int8_t, uint32_t, int16_t, INT8_MIN, INT8_MAX, __VA_ARGS__)
#define SIGNED_16(X, ...)   X(s16, S16, int16_t, uint32_t, int32_t, INT16_MIN, INT16_MAX, __VA_ARGS__)
#define SIGNED_32(X, ...)   X(s32, S32, int32_t, uint32_t, int64_t, INT32_MIN, INT32_MAX, __VA_ARGS__)
#define SIGNED_64(X, ...)   X(s64, S64, int64_t, uint64_t, int128, INT64_MIN, INT64_MAX, __VA_ARGS__)

#define UNSIGNED_FROM_16(X, ...) UNSIGNED_16(X, __VA_ARGS__) UNSIGNED_32(X, __VA_ARGS__) UNSIGNED_64(X, __VA_ARGS__)
#define SIGNED_FROM_16(X, ...)   SIGNED_16(X, __VA_ARGS__) SIGNED_32(X, __VA_ARGS__) SIGNED_64(X, __VA_ARGS__)
#define UNSIGNED_ALL(X, ...)     UNSIGNED_8(X, __VA_ARGS__) UNSIGNED_FROM_16(X, __VA_ARGS__)
#define SIGNED_ALL(X, ...)       SIGNED_8(X, __VA_ARGS__) SIGNED_FROM_16(X, __VA_ARGS__)
#define MEDIUM(X, ...)           UNSIGNED_FROM_16(X, __VA_ARGS__) SIGNED_FROM_16(X, __VA_ARGS__)
#define ALL(X, ...)              UNSIGNED_ALL(X, __VA_ARGS__) SIGNED_ALL(X, __VA_ARGS__)
#define PRODUCTS(X, ...) \
    UNSIGNED_16(X, __VA_ARGS__) UNSIGNED_32(X, __VA_ARGS__) SIGNED_16(X, __VA_ARGS__) SIGNED_32(X, __VA_ARGS__)

/* Meanings of an operation for one type: `name` and its EXPR_name, and the flags. EITHER is for the signed type too. */
#define OF1(t, T, C, W, D, lo, hi, op, name, set) \
    MEANING(KERNEL1, name##_##t, (AT(op, T, FLAGS(set))), 32, C, C, EXPR_##name(C, W, D, lo, hi))
#define OF2(t, T, C, W, D, lo, hi, op, name, set) \
    MEANING(KERNEL2, name##_##t, (AT(op, T, FLAGS(set))), 32, C, C, C, EXPR_##name(C, W, D, lo, hi))
#define OF3(t, T, C, W, D, lo, hi, op, name, set) \
    MEANING(KERNEL3, name##_##t, (AT(op, T, FLAGS(set))), 32, C, C, C, C, EXPR_##name(C, W, D, lo, hi))
#define ALSO_SIGNED(name, op_, T) \
    MEANING(WITHOUT_FUNCTION, name, (.op = LANE_OP_##op_, .type = LANE_##T - LANE_U8 + LANE_S8))
#define EITHER2(t, T, C, W, D, lo, hi, op) OF2(t, T, C, W, D, lo, hi, op, op, 0) ALSO_SIGNED(op##_##t, op, T)
#define EITHER3(t, T, C, W, D, lo, hi, op) OF3(t, T, C, W, D, lo, hi, op, op, 0) ALSO_SIGNED(op##_##t, op, T)
/* The result is twice as wide. */
#define WIDE2(t, T, C, W, D, lo, hi, op) MEANING(KERNEL2, op##_##t, (AT(op, T)), 32, D, C, C, (D)a *(D)b)
#define WIDE3(t, T, C, W, D, lo, hi, op) MEANING(KERNEL3, op##_##t, (AT(op, T)), 32, D, C, C, D, EXPR_##op(D))

#define EXPR_add(C, W, D, lo, hi) ((W)a + (W)b)
#define EXPR_sub(C, W, D, lo, hi) ((W)a - (W)b)
#define EXPR_mul(C, W, D, lo, hi) ((W)a * (W)b)
#define EXPR_mad(C, W, D, lo, hi) ((W)a * (W)b + (W)c)
/* Saturating: computed in twice the width, then clamped. */
#define SATURATE(x, lo, hi)            ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
#define EXPR_addsat(C, W, D, lo, hi)   SATURATE((D)a + (D)b, (D)(lo), (D)(hi))
#define EXPR_subsat(C, W, D, lo, hi)   SATURATE((D)a - (D)b, (D)(lo), (D)(hi))
#define EXPR_addsatu(C, W, D, lo, hi)  ((C)((W)a + (W)b) < a ? (hi) : (C)((W)a + (W)b))
#define EXPR_subsatu(C, W, D, lo, hi)  (a < b ? 0 : a - b)
#define EXPR_mulhi(C, W, D, lo, hi)    ((D)((D)a * (D)b) >> (sizeof(C) * 8))
#define EXPR_madhi(C, W, D, lo, hi)    ((W)((D)((D)a * (D)b) >> (sizeof(C) * 8)) + (W)c)
#define EXPR_madhisat(C, W, D, lo, hi) SATURATE(((D)a * b >> (sizeof(C) * 8)) + c, lo, hi)
#define EXPR_madwide(D)                ((uint64_t)((D)a * (D)b) + (uint64_t)c)
#define EXPR_sad(C, W, D, lo, hi)      ((uint64_t)c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))
#define EXPR_abs(C, W, D, lo, hi)      (a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
#define EXPR_neg(C, W, D, lo, hi)      (0 - (uint64_t)a)
#define EXPR_min(C, W, D, lo, hi)      (a < b ? a : b)
#define EXPR_max(C, W, D, lo, hi)      (a > b ? a : b)
/* RELU: negative results become 0. */
#define EXPR_minrelu(C, W, D, lo, hi) (a < b ? a : b) < 0 ? 0 : (a < b ? a : b)
#define EXPR_maxrelu(C, W, D, lo, hi) (a > b ? a : b) < 0 ? 0 : (a > b ? a : b)

/* Packed pairs of halfwords: 64 elements. */
#define PACKED(name, op, T, set, C, expr) MEANING(KERNEL2, name, (AT(op, T, FLAGS(set))), 64, C, C, C, expr)

/* ---- 24-bit products (48 bits) ------------------------------------------------------------------- */

static inline int64_t product24_s32(int32_t a, int32_t b)
{
    return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}

static inline uint64_t product24_u32(uint32_t a, uint32_t b)
{
    return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}

#define PRODUCTS24(t, T, C)                                                                                            \
    MEANING(KERNEL2, mul24_lo_##t, (AT(mul24, T, MODE(0))), 32, uint32_t, C, C, (uint32_t)product24_##t(a, b))         \
    MEANING(KERNEL2, mul24_hi_##t, (AT(mul24, T, MODE(1))), 32, uint32_t, C, C, (uint32_t)(product24_##t(a, b) >> 16)) \
    MEANING(KERNEL3, mad24_lo_##t, (AT(mad24, T, MODE(0))), 32, uint32_t, C, C, uint32_t,                              \
            (uint32_t)product24_##t(a, b) + c)                                                                         \
    MEANING(KERNEL3, mad24_hi_##t, (AT(mad24, T, MODE(1))), 32, uint32_t, C, C, uint32_t,                              \
            (uint32_t)(product24_##t(a, b) >> 16) + c)

/* ---- division ---------------------------------------------------------------------------------------- */

/* Up to 32 bits the quotient of two doubles, truncated, is exact: if a/b is no integer, its distance from the next one
 * is at least 1/b, more than 2^-32 of it, and a double is good to 2^-53. Division by 1 stands in for the undefined
 * ones; by 0 quotient and remainder are all ones (named choice: measured on an H100, all types). */
static inline uint32_t div_unsigned_32(uint32_t a, uint32_t b)
{
    int64_t q = (int64_t)((double)a / (double)(b ? b : 1));
    return b ? (uint32_t)q : UINT32_MAX;
}

static inline uint32_t rem_unsigned_32(uint32_t a, uint32_t b)
{
    return b ? a - div_unsigned_32(a, b) * b : UINT32_MAX;
}

static inline int32_t div_signed_32(int32_t a, int32_t b)
{
    /* MIN/-1 = 2^31 wraps to MIN */
    int64_t q = (int64_t)((double)a / (double)(b ? b : 1));
    return b ? (int32_t)(uint32_t)(uint64_t)q : -1;
}

static inline int32_t rem_signed_32(int32_t a, int32_t b)
{
    return b ? (int32_t)((uint32_t)a - (uint32_t)div_signed_32(a, b) * (uint32_t)b) : -1;
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
    return b == 0 ? -1 : r;
}

#define EXPR_div_u16                        div_unsigned_32(a, b)
#define EXPR_rem_u16                        rem_unsigned_32(a, b)
#define EXPR_div_s16                        div_signed_32(a, b)
#define EXPR_rem_s16                        rem_signed_32(a, b)
#define EXPR_div_u32                        div_unsigned_32(a, b)
#define EXPR_rem_u32                        rem_unsigned_32(a, b)
#define EXPR_div_s32                        div_signed_32(a, b)
#define EXPR_rem_s32                        rem_signed_32(a, b)
#define EXPR_div_u64                        b ? a / (b ? b : 1) : UINT64_MAX
#define EXPR_rem_u64                        b ? a % (b ? b : 1) : UINT64_MAX
#define EXPR_div_s64                        div_signed_64(a, b)
#define EXPR_rem_s64                        rem_signed_64(a, b)
#define QUOTIENT(t, T, C, W, D, lo, hi, op) MEANING(KERNEL2, op##_##t, (AT(op, T)), 32, C, C, C, EXPR_##op##_##t)

/* ---- carries --------------------------------------------------------------------------------------- */

static inline uint32_t carry_in(const struct frame *f, uint32_t offset)
{
    return offset == KERNEL_NONE ? 0 : *KERNEL_MASK(offset);
}

/* d = first step, then the carry in x; either may carry out. */
#define CARRY_LANE(name, w, first, carry1, second, carry2)                                     \
    INLINE uint##w##_t name##_lane(uint##w##_t a, uint##w##_t b, uint##w##_t x, bool *carried) \
    {                                                                                          \
        uint##w##_t t = first, r = second;                                                     \
        *carried = (carry1) || (carry2);                                                       \
        return r;                                                                              \
    }
#define CARRY(name, w, ...)                                                                                   \
    CARRY_LANE(name, w, __VA_ARGS__)                                                                          \
    static void name(struct frame *f, const struct kernel_operands *s)                                        \
    {                                                                                                         \
        uint##w##_t *d = KERNEL_REG(uint##w##_t, s->d);                                                       \
        const uint##w##_t *a = KERNEL_REG(const uint##w##_t, s->a), *b = KERNEL_REG(const uint##w##_t, s->b); \
        uint32_t word = carry_in(f, s->c);                                                                    \
        _Alignas(64) uint##w##_t out[32];                                                                     \
        LANE_LOOP(32)                                                                                         \
        {                                                                                                     \
            bool carried;                                                                                     \
            uint##w##_t r = name##_lane(a[l], b[l], word & kernel_bit##w[l] ? 1 : 0, &carried);               \
            out[l] = carried ? (uint##w##_t) - 1 : 0;                                                         \
            d[l] = r;                                                                                         \
        }                                                                                                     \
        if (s->d2 != KERNEL_NONE)                                                                             \
            *KERNEL_MASK(s->d2) = mask_from_##w(out);                                                         \
    }
#if defined(__AVX512F__)
/* With masks for predicates: most of address arithmetic where registers have 32 bits. */
#define ADD_WORDS(name, ...)                                                                                           \
    CARRY_LANE(name, 32, __VA_ARGS__)                                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s)                                                 \
    {                                                                                                                  \
        uint32_t *d = KERNEL_REG(uint32_t, s->d), word = carry_in(f, s->c), out = 0;                                   \
        const uint32_t *va = KERNEL_REG(const uint32_t, s->a), *vb = KERNEL_REG(const uint32_t, s->b);                 \
        const __m512i one = _mm512_set1_epi32(1), zero = _mm512_setzero_si512();                                       \
        for (unsigned half = 0; half < 2; half++) {                                                                    \
            __mmask16 in = (__mmask16)(word >> 16 * half);                                                             \
            __m512i a = _mm512_load_si512(va + 16 * half), t = _mm512_add_epi32(a, _mm512_load_si512(vb + 16 * half)); \
            __m512i r = _mm512_mask_add_epi32(t, in, t, one);                                                          \
            __mmask16 carry = _mm512_cmplt_epu32_mask(t, a) | _mm512_mask_cmpeq_epi32_mask(in, r, zero);               \
            _mm512_store_si512(d + 16 * half, r);                                                                      \
            out |= (uint32_t)carry << 16 * half;                                                                       \
        }                                                                                                              \
        if (s->d2 != KERNEL_NONE)                                                                                      \
            *KERNEL_MASK(s->d2) = out;                                                                                 \
    }
#else
#define ADD_WORDS(name, ...) CARRY(name, 32, __VA_ARGS__)
#endif

/* madc: a half of a*b, + c + carry in. The two signednesses differ in the high half only. */
#define MADC(name, w, C, D, shift)                                                                    \
    INLINE uint##w##_t name##_lane(C a, C b, uint##w##_t c, uint##w##_t x, bool *carried)             \
    {                                                                                                 \
        uint##w##_t p = (uint##w##_t)((D)((D)a * (D)b) >> (shift)), t = p + c, r = t + x;             \
        *carried = t < p || r < t;                                                                    \
        return r;                                                                                     \
    }                                                                                                 \
    static void name(struct frame *f, const struct kernel_operands *s)                                \
    {                                                                                                 \
        uint##w##_t *d = KERNEL_REG(uint##w##_t, s->d);                                               \
        const C *a = KERNEL_REG(const C, s->a), *b = KERNEL_REG(const C, s->b);                       \
        const uint##w##_t *c = KERNEL_REG(const uint##w##_t, s->c);                                   \
        uint32_t word = carry_in(f, s->e);                                                            \
        _Alignas(64) uint##w##_t out[32];                                                             \
        LANE_LOOP(32)                                                                                 \
        {                                                                                             \
            bool carried;                                                                             \
            uint##w##_t r = name##_lane(a[l], b[l], c[l], word & kernel_bit##w[l] ? 1 : 0, &carried); \
            out[l] = carried ? (uint##w##_t) - 1 : 0;                                                 \
            d[l] = r;                                                                                 \
        }                                                                                             \
        if (s->d2 != KERNEL_NONE)                                                                     \
            *KERNEL_MASK(s->d2) = mask_from_##w(out);                                                 \
    }

#endif

/* clang-format off */
UNSIGNED_ALL(EITHER2, add)
UNSIGNED_ALL(EITHER2, sub)
UNSIGNED_ALL(EITHER2, mul)
UNSIGNED_FROM_16(EITHER3, mad)
UNSIGNED_ALL(OF2, add, addsatu, LANE_SAT)
UNSIGNED_ALL(OF2, sub, subsatu, LANE_SAT)
SIGNED_ALL(OF2, add, addsat, LANE_SAT)
SIGNED_ALL(OF2, sub, subsat, LANE_SAT)
MEDIUM(OF2, mulhi, mulhi, 0)
MEDIUM(OF3, madhi, madhi, 0)
SIGNED_32(OF3, madhi, madhisat, LANE_SAT)
PRODUCTS(WIDE2, mulwide)
PRODUCTS(WIDE3, madwide)
PRODUCTS24(u32, U32, uint32_t)
PRODUCTS24(s32, S32, int32_t)
MEANING(KERNEL3, mad24_hi_sat_s32, (AT(mad24, S32, MODE(1), FLAGS(LANE_SAT))), 32, int32_t, int32_t, int32_t, int32_t,
        SATURATE((product24_s32(a, b) >> 16) + c, INT32_MIN, INT32_MAX))
MEDIUM(OF3, sad, sad, 0)
SIGNED_FROM_16(OF1, abs, abs, 0)
SIGNED_FROM_16(OF1, neg, neg, 0)
ALL(OF2, min, min, 0)
ALL(OF2, max, max, 0)
SIGNED_32(OF2, min, minrelu, LANE_RELU)
SIGNED_32(OF2, max, maxrelu, LANE_RELU)
MEDIUM(QUOTIENT, div)
MEDIUM(QUOTIENT, rem)

PACKED(add_u16x2, add, U16X2, 0, uint16_t, a + b)
PACKED(sub_u16x2, sub, U16X2, 0, uint16_t, a - b)
MEANING(WITHOUT_FUNCTION, add_u16x2, (AT(add, S16X2)))
MEANING(WITHOUT_FUNCTION, sub_u16x2, (AT(sub, S16X2)))
PACKED(addsat_u16x2, add, U16X2, LANE_SAT, uint16_t, (uint16_t)(a + b) < a ? UINT16_MAX : a + b)
PACKED(subsat_u16x2, sub, U16X2, LANE_SAT, uint16_t, a < b ? 0 : a - b)
PACKED(addsat_s16x2, add, S16X2, LANE_SAT, int16_t, SATURATE(a + b, INT16_MIN, INT16_MAX))
PACKED(subsat_s16x2, sub, S16X2, LANE_SAT, int16_t, SATURATE(a - b, INT16_MIN, INT16_MAX))
PACKED(min_u16x2, min, U16X2, 0, uint16_t, a < b ? a : b)
PACKED(max_u16x2, max, U16X2, 0, uint16_t, a > b ? a : b)
PACKED(min_s16x2, min, S16X2, 0, int16_t, a < b ? a : b)
PACKED(max_s16x2, max, S16X2, 0, int16_t, a > b ? a : b)
PACKED(minrelu_s16x2, min, S16X2, LANE_RELU, int16_t, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
PACKED(maxrelu_s16x2, max, S16X2, LANE_RELU, int16_t, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

MEANING(ADD_WORDS, addc_u32, (AT(addc, U32)), a + b, t < a, t + x, r < t)
ALSO_SIGNED(addc_u32, addc, U32)
MEANING(CARRY, addc_u64, (AT(addc, U64)), 64, a + b, t < a, t + x, r < t)
ALSO_SIGNED(addc_u64, addc, U64)
MEANING(CARRY, subc_u32, (AT(subc, U32)), 32, a - b, a < b, t - x, t < x)
ALSO_SIGNED(subc_u32, subc, U32)
MEANING(CARRY, subc_u64, (AT(subc, U64)), 64, a - b, a < b, t - x, t < x)
ALSO_SIGNED(subc_u64, subc, U64)
MEANING(MADC, madc_lo_u32, (AT(madc, U32, MODE(0))), 32, uint32_t, uint64_t, 0)
MEANING(WITHOUT_FUNCTION, madc_lo_u32, (AT(madc, S32, MODE(0))))
MEANING(MADC, madc_lo_u64, (AT(madc, U64, MODE(0))), 64, uint64_t, uint128, 0)
MEANING(WITHOUT_FUNCTION, madc_lo_u64, (AT(madc, S64, MODE(0))))
MEANING(MADC, madc_hi_u32, (AT(madc, U32, MODE(1))), 32, uint32_t, uint64_t, 32)
MEANING(MADC, madc_hi_s32, (AT(madc, S32, MODE(1))), 32, int32_t, int64_t, 32)
MEANING(MADC, madc_hi_u64, (AT(madc, U64, MODE(1))), 64, uint64_t, uint128, 64)
MEANING(MADC, madc_hi_s64, (AT(madc, S64, MODE(1))), 64, int64_t, int128, 64)
