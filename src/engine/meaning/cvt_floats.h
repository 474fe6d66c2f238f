/* cvt between floats, and cvtpack.
 *
 * Narrowing rounds once in the mode asked for; widening is exact; the same type may round to an integral value
 * (RNI..RPI). Rounding modes RN..RP on an exact conversion change nothing. NaN: f32 and halves the canonical one; where
 * one side is f64 the operand's, widened or cut, quieted (measured on an H100: tests/hw/results/h100.txt.gz). */
#ifndef ATOLL_ENGINE_MEANING_CVT_FLOATS_H
#define ATOLL_ENGINE_MEANING_CVT_FLOATS_H

#include "engine/meaning/shapes.h"

/* X(..., name, ROUND) and X(..., name, flags, POST): roundings, and what happens to a half after them. */
#define ROUNDS(X, ...)     \
    X(__VA_ARGS__, rn, RN) \
    X(__VA_ARGS__, rz, RZ) \
    X(__VA_ARGS__, rm, RM) \
    X(__VA_ARGS__, rp, RP) \
    X(__VA_ARGS__, rna, RNA)
#define POSTS(X, ...)                   \
    X(__VA_ARGS__, , 0, NONE)           \
    X(__VA_ARGS__, _sat, LANE_SAT, SAT) \
    X(__VA_ARGS__, _relu, LANE_RELU, RELU)

/* Sources as 32 f32: exact, but f64 to odd (base/half.h). */
static inline void f32_load(float *out, const void *regs, bool ftz)
{
    const float *in = regs;
    LANE_LOOP(32)
    out[l] = f32_flush(in[l], ftz);
}

static inline void f64_load(float *out, const void *regs, bool ftz)
{
    const double *in = regs;
    (void)ftz;
    LANE_LOOP(32)
    out[l] = f32_from_bits(f32_from_f64_odd(in[l]));
}

static inline void f16_load(float *out, const void *regs, bool ftz)
{
    (void)ftz; /* concerns f32 only */
    f16_widen(out, regs, false);
}

static inline void bf16_load(float *out, const void *regs, bool ftz)
{
    (void)ftz;
    bf16_widen(out, regs, false);
}

/* ---- to halves ------------------------------------------------------------------------------------------- */

/* An f64 that is a NaN as a half: its sign, the quiet bit, the top of the rest. */
static inline uint16_t f16_of_nan(uint64_t bits)
{
    return (uint16_t)((bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x1ff));
}

static inline uint16_t bf16_of_nan(uint64_t bits)
{
    return (uint16_t)((bits >> 48 & 0x8000) | 0x7fc0 | (bits >> 45 & 0x3f));
}

/* NaNs among results, which are the canonical one so far. */
#define NANS_f32(f, s, t, post)  (void)0
#define NANS_f16(f, s, t, post)  (void)0
#define NANS_bf16(f, s, t, post) (void)0
#define NANS_f64(f, s, t, post)  t##_keep_nans(KERNEL_REG(uint16_t, s->d), KERNEL_REG(const uint64_t, s->a), post)
#define KEEP_NANS(t)                                                                      \
    static inline void t##_keep_nans(uint16_t *d, const uint64_t *a, enum half_post post) \
    {                                                                                     \
        if (post != HALF_NONE)                                                            \
            return;                                                                       \
        LANE_LOOP(32)                                                                     \
        d[l] = (a[l] & INT64_MAX) > 0x7ff0000000000000 ? t##_of_nan(a[l]) : d[l];         \
    }
KEEP_NANS(f16)
KEEP_NANS(bf16)

#define SET(ftz, set) .flags = ((ftz) ? LANE_FTZ : 0) | (set)

/* The element function is that of a value as f32, exact or rounded to odd; of numbers alone, where it was an f64. */
#define NARROWED(name, t, round, post, ...)                               \
    INLINE uint16_t name##_lane(float a)                                  \
    {                                                                     \
        return t##_finish(t##_from_f32(__VA_ARGS__, round), false, post); \
    }
#define TO_HALF(name, t, st, ftz, round, post)                         \
    NARROWED(name, t, round, post, a)                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        _Alignas(64) float x[32];                                      \
        st##_load(x, KERNEL_REG(const uint16_t, s->a), ftz);           \
        t##_narrow(KERNEL_REG(uint16_t, s->d), x, round, post);        \
        NANS_##st(f, s, t, post);                                      \
    }
#define CVT_TO_HALF(t, T, st, ST, suffix, ftz, with, rt, RT, post, set, POST) \
    MEANING(TO_HALF, cvt_##rt##_##t##_##st##suffix##post,                     \
            (AT(cvt, T, FROM(ST), ROUND(RT), SET(ftz, set), .asked = with)), t, st, ftz, HALF_##RT, HALF_##POST)
#define CVT_TO_HALF_POSTS(...) POSTS(CVT_TO_HALF, __VA_ARGS__)
#define CVT_TO_HALVES(t, T, other, OTHER)                           \
    ROUNDS(CVT_TO_HALF_POSTS, t, T, f32, F32, , false, LANE_FTZ)    \
    ROUNDS(CVT_TO_HALF_POSTS, t, T, f32, F32, _ftz, true, LANE_FTZ) \
    ROUNDS(CVT_TO_HALF_POSTS, t, T, f64, F64, , false, 0)           \
    ROUNDS(CVT_TO_HALF_POSTS, t, T, other, OTHER, , false, 0)

/* cvtpack of f32: d = {a high, b low}. */
#define PACK_HALVES(name, t, ftz, round, post)                         \
    NARROWED(name, t, round, post, f32_flush(a, ftz))                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        _Alignas(64) float x[32];                                      \
        _Alignas(64) uint16_t high[32], low[32];                       \
        uint32_t *d = KERNEL_REG(uint32_t, s->d);                      \
        f32_load(x, KERNEL_REG(const float, s->a), ftz);               \
        t##_narrow(high, x, round, post);                              \
        f32_load(x, KERNEL_REG(const float, s->b), ftz);               \
        t##_narrow(low, x, round, post);                               \
        LANE_LOOP(32)                                                  \
        d[l] = (uint32_t)high[l] << 16 | low[l];                       \
    }
#define CVTPACK(t, T, suffix, ftz, rt, RT, post, set, POST)        \
    MEANING(PACK_HALVES, cvtpack_##rt##_##t##x2_f32##suffix##post, \
            (AT(cvtpack, T##X2, FROM(F32), ROUND(RT), WITHOUT(FTZ), SET(ftz, set))), t, ftz, HALF_##RT, HALF_##POST)
#define CVTPACK_POSTS(...) POSTS(CVTPACK, __VA_ARGS__)

/* cvtpack of s32 always saturates. */
static inline uint32_t clamp_s32(int32_t x, int32_t lo, int32_t hi)
{
    x = x < lo ? lo : x;
    return (uint32_t)(x > hi ? hi : x) & 0xffff;
}

/* ---- to f32 ---------------------------------------------------------------------------------------------- */

/* f64 to f32: the host rounds to nearest; directed modes then step to the neighbour on the right side. Hosts keep the
 * sign of a NaN and the top of what it carries, and set its quiet bit, as an H100 does. */
static inline float f32_from_f64(double x, enum lane_round round)
{
    float f = (float)x;
    double back = (double)f;
    uint32_t bits = f32_bits(f);
    uint32_t outward = bits + 1, inward = bits - 1, down = bits >> 31 ? outward : inward,
             up = bits >> 31 ? inward : outward;
    if (round == LANE_RZ)
        bits = (f64_bits(back) & INT64_MAX) > (f64_bits(x) & INT64_MAX) && x == x ? inward : bits;
    if (round == LANE_RM)
        bits = back > x ? down : bits;
    if (round == LANE_RP)
        bits = back < x ? up : bits;
    return f32_from_bits(bits);
}

/* FTZ of it, as of arithmetic: twice the number rounds as if exponents had no end. */
static inline float f32_flushed_from_f64(double x, enum lane_round round, bool ftz)
{
    float r = f32_from_f64(x, round);
    return ftz ? f32_flush_if(r, __builtin_fabsf(f32_from_f64(x + x, round)) < 0x1p-125f) : r;
}

/* X(..., name, flush, set, saturate) */
#define FTZ_SAT(X, ...)                         \
    X(__VA_ARGS__, , false, 0, false)           \
    X(__VA_ARGS__, _ftz, true, 0, false)        \
    X(__VA_ARGS__, _sat, false, LANE_SAT, true) \
    X(__VA_ARGS__, _ftz_sat, true, LANE_SAT, true)
#define AS_IT_IS(x) (x)

#define F64_TO_F32(rt, RT, suffix, ftz, set, sat)                                                                   \
    MEANING(KERNEL1, cvt_##rt##_f32_f64##suffix, (AT(cvt, F32, FROM(F64), ROUND(RT), WITHOUT(FTZ), SET(ftz, set))), \
            32, uint32_t, double, f32_finish_number(f32_flushed_from_f64(a, LANE_##RT, ftz), false, sat))
#define F32_TO_F32(rt, rounds, integral, suffix, ftz, set, sat)                                                      \
    MEANING(KERNEL1, cvt_##rt##_f32_f32##suffix, (AT(cvt, F32, FROM(F32), rounds, WITHOUT(FTZ), SET(ftz, set))), 32, \
            uint32_t, float, f32_finish(integral(f32_flush(a, ftz)), false, sat))
#define HALF_TO_F32(t, T, suffix, ftz, set, sat)                                                                      \
    MEANING(FROM_HALF, cvt_f32_##t##suffix, (AT(cvt, F32, FROM(T), EXACT, WITHOUT(FTZ), SET(ftz, set))), t, uint32_t, \
            f32_finish(a, ftz, sat))

/* ---- to f64, and halves to themselves ------------------------------------------------------------------- */

#define F64_TO_F64(rt, rounds, integral)                                                                             \
    MEANING(KERNEL1, cvt_##rt##_f64_f64, (AT(cvt, F64, FROM(F64), rounds)), 32, uint64_t, double,                    \
            f64_finish(integral(a), a, 0, 0))                                                                        \
    MEANING(KERNEL1, cvt_##rt##_f64_f64_sat, (AT(cvt, F64, FROM(F64), rounds, FLAGS(LANE_SAT))), 32, double, double, \
            f64_clamp(integral(a)))
#define F32_TO_F64(suffix, ftz)                                                                                      \
    MEANING(KERNEL1, cvt_f64_f32##suffix, (AT(cvt, F64, FROM(F32), EXACT, WITHOUT(FTZ), SET(ftz, 0))), 32, uint64_t, \
            float, f64_finish((double)f32_flush(a, ftz), (double)f32_flush(a, ftz), 0, 0))                           \
    MEANING(KERNEL1, cvt_f64_f32##suffix##_sat, (AT(cvt, F64, FROM(F32), EXACT, WITHOUT(FTZ), SET(ftz, LANE_SAT))),  \
            32, double, float, f64_clamp((double)f32_flush(a, ftz)))
#define HALF_TO_F64(t, T)                                                                             \
    MEANING(FROM_HALF, cvt_f64_##t, (AT(cvt, F64, FROM(T), EXACT)), t, uint64_t,                      \
            f64_finish((double)a, (double)a, 0, 0))                                                   \
    MEANING(FROM_HALF, cvt_f64_##t##_sat, (AT(cvt, F64, FROM(T), EXACT, FLAGS(LANE_SAT))), t, double, \
            f64_clamp((double)a))

#define TO_SELF(name, t, integral, post)                               \
    NARROWED(name, t, HALF_RN, post, integral(a))                      \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        _Alignas(64) float x[32];                                      \
        t##_widen(x, KERNEL_REG(const uint16_t, s->a), false);         \
        LANE_LOOP(32)                                                  \
        x[l] = integral(x[l]);                                         \
        t##_narrow(KERNEL_REG(uint16_t, s->d), x, HALF_RN, post);      \
    }
#define HALF_TO_SELF(t, T, rt, rounds, integral, post, set, POST) \
    MEANING(TO_SELF, cvt_##rt##_##t##_##t##post, (AT(cvt, T, FROM(T), rounds, FLAGS(set))), t, integral, HALF_##POST)
#define HALVES_TO_SELF(t, T)                                     \
    POSTS(HALF_TO_SELF, t, T, same, EXACT, AS_IT_IS)             \
    POSTS(HALF_TO_SELF, t, T, rni, ROUND(RNI), __builtin_rintf)  \
    POSTS(HALF_TO_SELF, t, T, rzi, ROUND(RZI), __builtin_truncf) \
    POSTS(HALF_TO_SELF, t, T, rmi, ROUND(RMI), __builtin_floorf) \
    POSTS(HALF_TO_SELF, t, T, rpi, ROUND(RPI), __builtin_ceilf)

#endif

/* clang-format off */
CVT_TO_HALVES(f16, F16, bf16, BF16)
CVT_TO_HALVES(bf16, BF16, f16, F16)
ROUNDS(CVTPACK_POSTS, f16, F16, , false)
ROUNDS(CVTPACK_POSTS, f16, F16, _ftz, true)
ROUNDS(CVTPACK_POSTS, bf16, BF16, , false)
ROUNDS(CVTPACK_POSTS, bf16, BF16, _ftz, true)
MEANING(KERNEL2, cvtpack_u16x2, (AT(cvtpack, U16X2, FROM(S32), .ignored = LANE_SAT)), 32, uint32_t, int32_t, int32_t,
        clamp_s32(a, 0, UINT16_MAX) << 16 | clamp_s32(b, 0, UINT16_MAX))
MEANING(KERNEL2, cvtpack_s16x2, (AT(cvtpack, S16X2, FROM(S32), .ignored = LANE_SAT)), 32, uint32_t, int32_t, int32_t,
        clamp_s32(a, INT16_MIN, INT16_MAX) << 16 | clamp_s32(b, INT16_MIN, INT16_MAX))
FTZ_SAT(F64_TO_F32, rn, RN)
FTZ_SAT(F64_TO_F32, rz, RZ)
FTZ_SAT(F64_TO_F32, rm, RM)
FTZ_SAT(F64_TO_F32, rp, RP)
FTZ_SAT(F32_TO_F32, same, EXACT, AS_IT_IS)
FTZ_SAT(F32_TO_F32, rni, ROUND(RNI), __builtin_rintf)
FTZ_SAT(F32_TO_F32, rzi, ROUND(RZI), __builtin_truncf)
FTZ_SAT(F32_TO_F32, rmi, ROUND(RMI), __builtin_floorf)
FTZ_SAT(F32_TO_F32, rpi, ROUND(RPI), __builtin_ceilf)
FTZ_SAT(HALF_TO_F32, f16, F16)
FTZ_SAT(HALF_TO_F32, bf16, BF16)
F64_TO_F64(same, EXACT, AS_IT_IS)
F64_TO_F64(rni, ROUND(RNI), __builtin_rint)
F64_TO_F64(rzi, ROUND(RZI), __builtin_trunc)
F64_TO_F64(rmi, ROUND(RMI), __builtin_floor)
F64_TO_F64(rpi, ROUND(RPI), __builtin_ceil)
F32_TO_F64(, false)
F32_TO_F64(_ftz, true)
HALF_TO_F64(f16, F16)
HALF_TO_F64(bf16, BF16)
HALVES_TO_SELF(f16, F16)
HALVES_TO_SELF(bf16, BF16)
