/* cvt with an integer on one side at least: integer to integer, float to integer, integer to float.
 *
 * Float to integer (PTX ISA, cvt): rounds to an integral value, clamps to the range; a NaN gives 0, but 1 << (bits - 1)
 * when it is an f64 or the integer has 64 bits. */
#ifndef ATOLL_ENGINE_MEANING_CVT_INTS_H
#define ATOLL_ENGINE_MEANING_CVT_INTS_H

#include "engine/meaning/shapes.h"

/* X(..., signedness, suffix, LANE type, C type, least, greatest value) */
#define INTEGERS(X, ...)                                       \
    X(__VA_ARGS__, u, u8, U8, uint8_t, 0, UINT8_MAX)           \
    X(__VA_ARGS__, u, u16, U16, uint16_t, 0, UINT16_MAX)       \
    X(__VA_ARGS__, u, u32, U32, uint32_t, 0, UINT32_MAX)       \
    X(__VA_ARGS__, u, u64, U64, uint64_t, 0, UINT64_MAX)       \
    X(__VA_ARGS__, s, s8, S8, int8_t, INT8_MIN, INT8_MAX)      \
    X(__VA_ARGS__, s, s16, S16, int16_t, INT16_MIN, INT16_MAX) \
    X(__VA_ARGS__, s, s32, S32, int32_t, INT32_MIN, INT32_MAX) \
    X(__VA_ARGS__, s, s64, S64, int64_t, INT64_MIN, INT64_MAX)
/* The same list again, for the inner one of two nested lists (a macro does not expand within itself). */
#define INTEGERS_INNER(X, ...)                                 \
    X(__VA_ARGS__, u, u8, U8, uint8_t, 0, UINT8_MAX)           \
    X(__VA_ARGS__, u, u16, U16, uint16_t, 0, UINT16_MAX)       \
    X(__VA_ARGS__, u, u32, U32, uint32_t, 0, UINT32_MAX)       \
    X(__VA_ARGS__, u, u64, U64, uint64_t, 0, UINT64_MAX)       \
    X(__VA_ARGS__, s, s8, S8, int8_t, INT8_MIN, INT8_MAX)      \
    X(__VA_ARGS__, s, s16, S16, int16_t, INT16_MIN, INT16_MAX) \
    X(__VA_ARGS__, s, s32, S32, int32_t, INT32_MIN, INT32_MAX) \
    X(__VA_ARGS__, s, s64, S64, int64_t, INT64_MIN, INT64_MAX)

/* ---- integer to integer ------------------------------------------------------------------------------ */

/* Truncates or extends by the source's signedness, or clamps. */
static inline uint64_t clamp_s(int64_t x, int64_t lo, uint64_t hi)
{
    x = x < lo ? lo : x;
    return x > 0 && (uint64_t)x > hi ? hi : (uint64_t)x;
}

static inline uint64_t clamp_u(uint64_t x, int64_t lo, uint64_t hi)
{
    (void)lo;
    return x > hi ? hi : x;
}

#define CVT_II(none, sk, st, ST, S, slo, shi, dk, dt, DT, D, dlo, dhi)      \
    MEANING(KERNEL1, cvt_##dt##_##st, (AT(cvt, DT, FROM(ST))), 32, D, S, a) \
    MEANING(KERNEL1, cvt_sat_##dt##_##st, (AT(cvt, DT, FROM(ST), FLAGS(LANE_SAT))), 32, D, S, clamp_##sk(a, dlo, dhi))
#define CVT_FROM(none, sk, st, ST, S, slo, shi) INTEGERS_INNER(CVT_II, , sk, st, ST, S, slo, shi)

/* ---- float to integer ---------------------------------------------------------------------------------- */

/* Truncation, clamping and NaN for 32 and 64 bits; narrower types clamp further. The values are in range where C's
 * conversions are defined, and the selections vectorise. top: all ones where a NaN becomes the integer's top bit. */
#define TRUNCATE(F, p, top)                                                                              \
    static inline int32_t p##_to_s32(F x)                                                                \
    {                                                                                                    \
        int32_t r = x >= -0x1p31 && x < 0x1p31 ? (int32_t)x : INT32_MIN;                                 \
        r = x >= (F)0x1p31 ? INT32_MAX : r;                                                              \
        return x != x ? INT32_MIN & (top) : r;                                                           \
    }                                                                                                    \
    static inline int64_t p##_to_s64(F x)                                                                \
    {                                                                                                    \
        int64_t r = x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;                                 \
        r = x >= (F)0x1p63 ? INT64_MAX : r;                                                              \
        return x != x ? INT64_MIN : r;                                                                   \
    }                                                                                                    \
    /* The upper half of the range converts 2^31 lower, as a signed number; the subtraction is exact. */ \
    static inline uint32_t p##_to_u32(F x)                                                               \
    {                                                                                                    \
        F low = x >= (F)0x1p31 ? x - (F)0x1p31 : x;                                                      \
        uint32_t half = x >= (F)0x1p31 ? 0x80000000u : 0;                                                \
        uint32_t r = (uint32_t)p##_to_s32(low) ^ half;                                                   \
        r = x >= (F)0x1p32 ? UINT32_MAX : r;                                                             \
        r = x > 0 ? r : 0;                                                                               \
        return x != x ? 0x80000000u & (uint32_t)(top) : r;                                               \
    }                                                                                                    \
    static inline uint64_t p##_to_u64(F x)                                                               \
    {                                                                                                    \
        F low = x >= (F)0x1p63 ? x - (F)0x1p63 : x;                                                      \
        uint64_t half = x >= (F)0x1p63 ? 1ull << 63 : 0;                                                 \
        uint64_t r = (uint64_t)p##_to_s64(low) ^ half;                                                   \
        r = x >= (F)0x1p64 ? UINT64_MAX : r;                                                             \
        r = x > 0 ? r : 0;                                                                               \
        return x != x ? 1ull << 63 : r;                                                                  \
    }                                                                                                    \
    static inline int16_t p##_to_s16(F x)                                                                \
    {                                                                                                    \
        int32_t r = p##_to_s32(x);                                                                       \
        r = r < INT16_MIN ? INT16_MIN : r;                                                               \
        return (int16_t)(r > INT16_MAX ? INT16_MAX : r);                                                 \
    }                                                                                                    \
    static inline int8_t p##_to_s8(F x)                                                                  \
    {                                                                                                    \
        int32_t r = p##_to_s32(x);                                                                       \
        r = r < INT8_MIN ? INT8_MIN : r;                                                                 \
        return (int8_t)(r > INT8_MAX ? INT8_MAX : r);                                                    \
    }                                                                                                    \
    static inline uint16_t p##_to_u16(F x)                                                               \
    {                                                                                                    \
        int32_t r = p##_to_s32(x);                                                                       \
        r = r < 0 ? 0 : r;                                                                               \
        r = r > UINT16_MAX ? UINT16_MAX : r;                                                             \
        return (uint16_t)(x != x ? 0x8000 & (top) : r);                                                  \
    }                                                                                                    \
    static inline uint8_t p##_to_u8(F x)                                                                 \
    {                                                                                                    \
        int32_t r = p##_to_s32(x);                                                                       \
        r = r < 0 ? 0 : r;                                                                               \
        r = r > UINT8_MAX ? UINT8_MAX : r;                                                               \
        return (uint8_t)(x != x ? 0x80 & (top) : r);                                                     \
    }
TRUNCATE(float, f32, 0)
TRUNCATE(double, f64, -1)

/* From f32, f64 and halves in a mode that the expression applies to its operand; truncation is part of the conversion.
 * FTZ of f32: a subnormal counts as 0, which matters for rounding up and down only. SAT adds nothing. */
#define FROM_FLOAT(from, round, ...) FROM(from), ROUND(round), .ignored = LANE_SAT, __VA_ARGS__
#define F64_TO(none, rt, RT, round, dk, dt, DT, D, dlo, dhi) \
    MEANING(KERNEL1, cvt_##rt##_##dt##_f64, (AT(cvt, DT, FROM_FLOAT(F64, RT))), 32, D, double, f64_to_##dt(round(a)))
#define F32_TO(none, rt, RT, round, with, dk, dt, DT, D, dlo, dhi)                                               \
    MEANING(KERNEL1, cvt_##rt##_##dt##_f32, (AT(cvt, DT, FROM_FLOAT(F32, RT, with))), 32, D, float,              \
            f32_to_##dt(round(a)))                                                                               \
    MEANING(FROM_HALF, cvt_##rt##_##dt##_f16, (AT(cvt, DT, FROM_FLOAT(F16, RT))), f16, D, f32_to_##dt(round(a))) \
    MEANING(FROM_HALF, cvt_##rt##_##dt##_bf16, (AT(cvt, DT, FROM_FLOAT(BF16, RT))), bf16, D, f32_to_##dt(round(a)))
#define FTZ_TO(none, rt, RT, round, dk, dt, DT, D, dlo, dhi)                                                \
    MEANING(KERNEL1, cvt_##rt##_##dt##_f32ftz, (AT(cvt, DT, FROM_FLOAT(F32, RT, WITH(FTZ)))), 32, D, float, \
            f32_to_##dt(round(f32_flush(a, true))))
#define AS_IT_IS(x) (x)

/* ---- integer to float ------------------------------------------------------------------------------------ */

/* v in sign and magnitude, the magnitude cut to its top `bits` bits: the parts are exact in the float. unit: of the
 * last bit kept, 0 if nothing was lost. */
struct cut {
    uint64_t kept, unit;
    bool negative;
};

static inline struct cut cut_bits(uint64_t magnitude, bool negative, unsigned bits)
{
    unsigned length = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
    unsigned drop = length > bits ? length - bits : 0;
    uint64_t rest = magnitude & ((1ull << drop) - 1);
    return (struct cut){magnitude - rest, rest ? 1ull << drop : 0, negative};
}

static inline bool cut_up(const struct cut *c, enum lane_round round)
{
    return round == LANE_RP ? !c->negative : round == LANE_RM ? c->negative : false;
}

/* Directed rounding. */
static inline double f64_from_cut(uint64_t magnitude, bool negative, enum lane_round round)
{
    struct cut c = cut_bits(magnitude, negative, 53);
    double r = (double)c.kept + (cut_up(&c, round) ? (double)c.unit : 0);
    return negative ? -r : r;
}

static inline float f32_from_cut(uint64_t magnitude, bool negative, enum lane_round round)
{
    struct cut c = cut_bits(magnitude, negative, 24);
    double r = (double)c.kept + (cut_up(&c, round) ? (double)c.unit : 0);
    return (float)(negative ? -r : r);
}

/* To odd: the last bit kept says that something was lost. */
static inline float f32_from_int_odd(uint64_t magnitude, bool negative)
{
    struct cut c = cut_bits(magnitude, negative, 24);
    float r = (float)(c.kept | c.unit);
    return negative ? -r : r;
}

#define MAGNITUDE_u(x) (x)
#define NEGATIVE_u(x)  false
#define MAGNITUDE_s(x) ((x) < 0 ? 0 - (uint64_t)(x) : (uint64_t)(x))
#define NEGATIVE_s(x)  ((x) < 0)
#define CVT_SAT(k, st, ST, S, dt, DT, D, one) \
    MEANING(KERNEL1, cvt_sat_##dt##_##st, (AT(cvt, DT, FROM(ST), FLAGS(LANE_SAT))), 32, D, S, a > 0 ? (one) : 0)
#define CVT_F32_F64(k, st, ST, S, rt, RT, to_f32, to_f64)                                            \
    MEANING(KERNEL1, cvt_##rt##_f32_##st, (AT(cvt, F32, FROM(ST), ROUND(RT))), 32, float, S, to_f32) \
    MEANING(KERNEL1, cvt_##rt##_f64_##st, (AT(cvt, F64, FROM(ST), ROUND(RT))), 32, double, S, to_f64)
#define CVT_DIRECTED(k, st, ST, S, rt, RT)                                                        \
    CVT_F32_F64(k, st, ST, S, rt, RT, f32_from_cut(MAGNITUDE_##k(a), NEGATIVE_##k(a), LANE_##RT), \
                f64_from_cut(MAGNITUDE_##k(a), NEGATIVE_##k(a), LANE_##RT))
#define CVT_TO_HALVES(k, st, ST, S, rt, RT)                                                       \
    MEANING(KERNEL1, cvt_##rt##_f16_##st, (AT(cvt, F16, FROM(ST), ROUND(RT))), 32, uint16_t, S,   \
            f16_from_f32(f32_from_int_odd(MAGNITUDE_##k(a), NEGATIVE_##k(a)), HALF_##RT))         \
    MEANING(KERNEL1, cvt_##rt##_bf16_##st, (AT(cvt, BF16, FROM(ST), ROUND(RT))), 32, uint16_t, S, \
            bf16_from_f32(f32_from_int_odd(MAGNITUDE_##k(a), NEGATIVE_##k(a)), HALF_##RT))
#define CVT_TO_FLOATS(none, k, st, ST, S, slo, shi)   \
    CVT_F32_F64(k, st, ST, S, rn, RN, a, a)           \
    CVT_DIRECTED(k, st, ST, S, rz, RZ)                \
    CVT_DIRECTED(k, st, ST, S, rm, RM)                \
    CVT_DIRECTED(k, st, ST, S, rp, RP)                \
    CVT_TO_HALVES(k, st, ST, S, rn, RN)               \
    CVT_TO_HALVES(k, st, ST, S, rz, RZ)               \
    CVT_TO_HALVES(k, st, ST, S, rm, RM)               \
    CVT_TO_HALVES(k, st, ST, S, rp, RP)               \
    CVT_SAT(k, st, ST, S, f32, F32, float, 1)         \
    CVT_SAT(k, st, ST, S, f64, F64, double, 1)        \
    CVT_SAT(k, st, ST, S, f16, F16, uint16_t, 0x3c00) \
    CVT_SAT(k, st, ST, S, bf16, BF16, uint16_t, 0x3f80)

#endif

/* clang-format off */
INTEGERS(CVT_FROM, )
INTEGERS(F64_TO, , rni, RNI, __builtin_rint)
INTEGERS(F64_TO, , rzi, RZI, AS_IT_IS)
INTEGERS(F64_TO, , rmi, RMI, __builtin_floor)
INTEGERS(F64_TO, , rpi, RPI, __builtin_ceil)
INTEGERS(F32_TO, , rni, RNI, __builtin_rintf, )
INTEGERS(F32_TO, , rzi, RZI, AS_IT_IS, )
INTEGERS(F32_TO, , rmi, RMI, __builtin_floorf, WITHOUT(FTZ))
INTEGERS(F32_TO, , rpi, RPI, __builtin_ceilf, WITHOUT(FTZ))
INTEGERS(FTZ_TO, , rmi, RMI, __builtin_floorf)
INTEGERS(FTZ_TO, , rpi, RPI, __builtin_ceilf)
INTEGERS(CVT_TO_FLOATS, )
