/* Comparisons: setp, setp2, set2, testp. */
#ifndef ATOLL_ENGINE_MEANING_COMPARES_H
#define ATOLL_ENGINE_MEANING_COMPARES_H

#include "engine/meaning/shapes.h"

/* ---- integers ---------------------------------------------------------------------------------------- */

/* AVX-512 compares into masks; compilers do not find that from the loop. */
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define CMP256(cmp, i) cmp(_mm256_load_si256((const __m256i *)va + (i)), _mm256_load_si256((const __m256i *)vb + (i)))
#define CMP512(cmp, i) \
    (uint32_t) cmp(_mm512_load_si512((const __m512i *)va + (i)), _mm512_load_si512((const __m512i *)vb + (i)))
#define MASK_8(cmp)                   CMP256(cmp, 0)
#define MASK_16(cmp)                  CMP512(cmp, 0)
#define MASK_32(cmp)                  (CMP512(cmp, 0) | CMP512(cmp, 1) << 16)
#define MASK_64(cmp)                  (CMP512(cmp, 0) | CMP512(cmp, 1) << 8 | CMP512(cmp, 2) << 16 | CMP512(cmp, 3) << 24)
#define BITS_8                        256
#define BITS_16                       512
#define BITS_32                       512
#define BITS_64                       512
#define HOST_NAME(bits, cmp, kind, w) _mm##bits##_cmp##cmp##_##kind##w##_mask
#define HOST_CMP(bits, cmp, kind, w)  HOST_NAME(bits, cmp, kind, w)
#define SETP_INT(name, A, w, cmp, kind, ...)                                         \
    INLINE bool name##_lane(A a, A b)                                                \
    {                                                                                \
        return __VA_ARGS__;                                                          \
    }                                                                                \
    static void name(struct frame *f, const struct kernel_operands *s)               \
    {                                                                                \
        const void *va = KERNEL_REG(const A, s->a), *vb = KERNEL_REG(const A, s->b); \
        *KERNEL_MASK(s->d) = MASK_##w(HOST_CMP(BITS_##w, cmp, kind, w));             \
    }
#else
#define SETP_INT(name, A, w, cmp, kind, ...) TEST2(name, A, w, __VA_ARGS__)
#endif

/* Equality is the same for both signednesses; b8..b64 are compared as u8..u64. */
#define SETP_BOTH(w, name, CMP_, cmp, expr)                                                     \
    MEANING(SETP_INT, name##_u##w, (AT(setp, U##w, CMP(CMP_))), uint##w##_t, w, cmp, epu, expr) \
    MEANING(WITHOUT_FUNCTION, name##_u##w, (AT(setp, S##w, CMP(CMP_))))
#define SETP_EACH(w, name, CMP_, cmp, expr)                                                     \
    MEANING(SETP_INT, name##_u##w, (AT(setp, U##w, CMP(CMP_))), uint##w##_t, w, cmp, epu, expr) \
    MEANING(SETP_INT, name##_s##w, (AT(setp, S##w, CMP(CMP_))), int##w##_t, w, cmp, epi, expr)
#define SETP(w)                            \
    SETP_BOTH(w, eq, LANE_EQ, eq, a == b)  \
    SETP_BOTH(w, ne, LANE_NE, neq, a != b) \
    SETP_EACH(w, lt, LANE_LT, lt, a < b)   \
    SETP_EACH(w, le, LANE_LE, le, a <= b)  \
    SETP_EACH(w, gt, LANE_GT, gt, a > b)   \
    SETP_EACH(w, ge, LANE_GE, ge, a >= b)

/* ---- floats ------------------------------------------------------------------------------------------ */

/* The comparisons of floats: X(name, enum lane_cmp, ...). */
#define FLOAT_CMPS(X, ...)        \
    X(eq, LANE_EQ, __VA_ARGS__)   \
    X(ne, LANE_NE, __VA_ARGS__)   \
    X(lt, LANE_LT, __VA_ARGS__)   \
    X(le, LANE_LE, __VA_ARGS__)   \
    X(gt, LANE_GT, __VA_ARGS__)   \
    X(ge, LANE_GE, __VA_ARGS__)   \
    X(equ, LANE_EQU, __VA_ARGS__) \
    X(neu, LANE_NEU, __VA_ARGS__) \
    X(ltu, LANE_LTU, __VA_ARGS__) \
    X(leu, LANE_LEU, __VA_ARGS__) \
    X(gtu, LANE_GTU, __VA_ARGS__) \
    X(geu, LANE_GEU, __VA_ARGS__) \
    X(num, LANE_NUM, __VA_ARGS__) \
    X(nans, LANE_NANS, __VA_ARGS__)

/* cmp is a constant. The U forms are the negations of the opposite ordered forms, and so true for NaN. */
#define FLOAT_COMPARE(name, A)                           \
    static inline bool name(A a, A b, enum lane_cmp cmp) \
    {                                                    \
        switch (cmp) {                                   \
        case LANE_EQ:                                    \
            return a == b;                               \
        case LANE_NE:                                    \
            return (a < b) | (a > b);                    \
        case LANE_LT:                                    \
            return a < b;                                \
        case LANE_LE:                                    \
            return a <= b;                               \
        case LANE_GT:                                    \
            return a > b;                                \
        case LANE_GE:                                    \
            return a >= b;                               \
        case LANE_EQU:                                   \
            return !((a < b) | (a > b));                 \
        case LANE_NEU:                                   \
            return a != b;                               \
        case LANE_LTU:                                   \
            return !(a >= b);                            \
        case LANE_LEU:                                   \
            return !(a > b);                             \
        case LANE_GTU:                                   \
            return !(a <= b);                            \
        case LANE_GEU:                                   \
            return !(a < b);                             \
        case LANE_NUM:                                   \
            return (a == a) & (b == b);                  \
        case LANE_NANS:                                  \
            return (a != a) | (b != b);                  \
        case LANE_CMPS:                                  \
            break;                                       \
        }                                                \
        return false;                                    \
    }
FLOAT_COMPARE(f32_compare, float)
FLOAT_COMPARE(f64_compare, double)

#define SETP_FLOATS(name, cmp, ...)                                                                        \
    MEANING(TEST2, name##_f32, (AT(setp, F32, CMP(cmp), WITHOUT(FTZ))), float, 32, f32_compare(a, b, cmp)) \
    MEANING(TEST2, name##_f32ftz, (AT(setp, F32, CMP(cmp), WITH(FTZ))), float, 32,                         \
            f32_compare(f32_flush(a, true), f32_flush(b, true), cmp))                                      \
    MEANING(TEST2, name##_f64, (AT(setp, F64, CMP(cmp))), double, 64, f64_compare(a, b, cmp))

/* ---- halves -------------------------------------------------------------------------------------------- */

/* Halves compare as 16-bit integers: turning sign and magnitude into two's complement keeps the order and maps both
 * zeros to 0; NaNs are the magnitudes above infinity's. Magnitudes below `least` count as 0 (FTZ). */
static inline int16_t half_order(uint16_t h, int16_t least)
{
    int16_t m = (int16_t)(h & 0x7fff);
    m = m < least ? 0 : m;
    return (int16_t)(h & 0x8000 ? -m : m);
}

static inline bool half_compare(uint16_t a, uint16_t b, enum lane_cmp cmp, int16_t infinity, int16_t least)
{
    bool nan = ((int16_t)(a & 0x7fff) > infinity) | ((int16_t)(b & 0x7fff) > infinity);
    int16_t x = half_order(a, least), y = half_order(b, least);
    switch (cmp) {
    case LANE_EQ:
        return !nan & (x == y);
    case LANE_NE:
        return !nan & (x != y);
    case LANE_LT:
        return !nan & (x < y);
    case LANE_LE:
        return !nan & (x <= y);
    case LANE_GT:
        return !nan & (x > y);
    case LANE_GE:
        return !nan & (x >= y);
    case LANE_EQU:
        return nan | (x == y);
    case LANE_NEU:
        return nan | (x != y);
    case LANE_LTU:
        return nan | (x < y);
    case LANE_LEU:
        return nan | (x <= y);
    case LANE_GTU:
        return nan | (x > y);
    case LANE_GEU:
        return nan | (x >= y);
    case LANE_NUM:
        return !nan;
    case LANE_NANS:
        return nan;
    case LANE_CMPS:
        break;
    }
    return false;
}

/* Predicates of the low and the high halves of 32 words. */
static inline void store_pairs(struct frame *f, const struct kernel_operands *s, const uint16_t *pairs)
{
    _Alignas(64) uint32_t low[32], high[32];
    for (unsigned l = 0; l < 32; l++) {
        low[l] = (uint32_t)pairs[2 * l] << 16;
        high[l] = (uint32_t)pairs[2 * l + 1] << 16;
    }
    if (s->d != KERNEL_NONE)
        *KERNEL_MASK(s->d) = mask_from_32(low);
    if (s->d2 != KERNEL_NONE)
        *KERNEL_MASK(s->d2) = mask_from_32(high);
}

/* Two predicates, of 64 elements. */
#define TEST2_PAIRS(name, ...)                                                                       \
    INLINE bool name##_lane(uint16_t a, uint16_t b)                                                  \
    {                                                                                                \
        return __VA_ARGS__;                                                                          \
    }                                                                                                \
    static void name(struct frame *f, const struct kernel_operands *s)                               \
    {                                                                                                \
        const uint16_t *a = KERNEL_REG(const uint16_t, s->a), *b = KERNEL_REG(const uint16_t, s->b); \
        _Alignas(64) uint16_t out[64];                                                               \
        LANE_LOOP(64)                                                                                \
        out[l] = name##_lane(a[l], b[l]) ? UINT16_MAX : 0;                                           \
        store_pairs(f, s, out);                                                                      \
    }

/* setp of scalars, setp2 and set2 of packed pairs. */
#define SETP_HALVES(name, cmp, t, T, with, infinity, least, one)                                                   \
    MEANING(TEST2, name##_##t, (AT(setp, T, CMP(cmp), with(FTZ))), uint16_t, 16,                                   \
            half_compare(a, b, cmp, infinity, least))                                                              \
    MEANING(TEST2_PAIRS, name##_##t##x2, (AT(setp2, T##X2, CMP(cmp), with(FTZ))),                                  \
            half_compare(a, b, cmp, infinity, least))                                                              \
    MEANING(KERNEL2, name##_one_##t##x2, (AT(set2, T##X2, CMP(cmp), MODE(0), with(FTZ))), 64, uint16_t, uint16_t,  \
            uint16_t, half_compare(a, b, cmp, infinity, least) ? (one) : 0)                                        \
    MEANING(KERNEL2, name##_mask_##t##x2, (AT(set2, T##X2, CMP(cmp), MODE(1), with(FTZ))), 64, uint16_t, uint16_t, \
            uint16_t, half_compare(a, b, cmp, infinity, least) ? 0xffff : 0)

/* ---- testp ----------------------------------------------------------------------------------------------- */

/* Magnitudes of f32 and f64: below `least` subnormal or zero, from `top` on infinity and NaN. Zero counts as
 * normal (PTX ISA, testp). */
#define TESTP_OF(w, name, test, expr) \
    MEANING(TEST1, testp_##name##_##w, (AT(testp, F##w, MODE(test))), uint##w##_t, w, expr)
#define TESTP(w, least, top)                                                                      \
    TESTP_OF(w, finite, LANE_TESTP_FINITE, MAGNITUDE(w) < (top))                                  \
    TESTP_OF(w, infinite, LANE_TESTP_INFINITE, MAGNITUDE(w) == (top))                             \
    TESTP_OF(w, number, LANE_TESTP_NUMBER, MAGNITUDE(w) <= (top))                                 \
    TESTP_OF(w, nan, LANE_TESTP_NOTANUMBER, MAGNITUDE(w) > (top))                                 \
    TESTP_OF(w, normal, LANE_TESTP_NORMAL, MAGNITUDE(w) - 1 >= (least)-1 && MAGNITUDE(w) < (top)) \
    TESTP_OF(w, subnormal, LANE_TESTP_SUBNORMAL, MAGNITUDE(w) != 0 && MAGNITUDE(w) < (least))
#define MAGNITUDE(w) (a & (uint##w##_t) - 1 >> 1)

#endif

/* clang-format off */
SETP(8) SETP(16) SETP(32) SETP(64)
FLOAT_CMPS(SETP_FLOATS, )
FLOAT_CMPS(SETP_HALVES, f16, F16, WITHOUT, 0x7c00, 0, 0x3c00)
FLOAT_CMPS(SETP_HALVES, f16ftz, F16, WITH, 0x7c00, 0x0400, 0x3c00)
FLOAT_CMPS(SETP_HALVES, bf16, BF16, WITHOUT, 0x7f80, 0, 0x3f80)
FLOAT_CMPS(SETP_HALVES, bf16ftz, BF16, WITH, 0x7f80, 0x0080, 0x3f80)
TESTP(32, 0x00800000u, 0x7f800000u)
TESTP(64, 0x0010000000000000u, 0x7ff0000000000000u)
