/* Arithmetic of halves: add, sub, mul, fma, neg, abs of f16, bf16 and their packed pairs (64 elements); div, rcp, sqrt
 * of f16. To nearest even.
 *
 * One rounding only: operands widen exactly, the operation is done in f32 or f64, and the result is rounded to the
 * half. Where that could round twice, the wide result is exact or rounded to odd (base/half.h):
 *
 *   f16 add, sub    f32: 24 >= 2 * 11 + 2 bits make the first rounding harmless (Figueroa); subnormals are exact
 *   f16 mul         f32 is exact (22 bits, exponents -48..32)
 *   f16 fma         product exact in f32, sum rounded to odd
 *   f16 div, sqrt   f32: as add. Subnormal quotients too: one of 11 bits by 11 lies at least 2^-23 of itself beside a
 *                   middle of 12 bits or fewer, and the first rounding moves it by 2^-24 at most
 *   bf16 add, sub   f32, as above: 24 >= 2 * 8 + 2; both have the same least exponent
 *   bf16 mul        f64 is exact
 *   bf16 fma        product exact in f64, sum rounded to odd */
#ifndef ATOLL_ENGINE_MEANING_HALVES_H
#define ATOLL_ENGINE_MEANING_HALVES_H

#include "engine/meaning/shapes.h"

/* x + y rounded to odd, from the rounded sum and its exact error (Knuth's TwoSum). Infinities and NaNs have a NaN for
 * error and stay. */
#define SUM_ODD(name, F, U, bits_of, from_bits)                                         \
    static inline F name(F x, F y)                                                      \
    {                                                                                   \
        F s = x + y, part = s - x, error = (x - (s - part)) + (y - part);               \
        U bits = bits_of(s), opposite = (bits ^ bits_of(error)) >> (sizeof(U) * 8 - 1); \
        U odd = bits & 1 ? bits : bits + 1 - 2 * opposite;                              \
        U r = error > 0 ? odd : bits;                                                   \
        r = error < 0 ? odd : r;                                                        \
        return from_bits(r);                                                            \
    }
SUM_ODD(f32_sum_odd, float, uint32_t, f32_bits, f32_from_bits)
SUM_ODD(f64_sum_odd, double, uint64_t, f64_bits, f64_from_bits)

static inline float double_odd(double x)
{
    return f32_from_bits(f32_from_f64_odd(x));
}

#define TINY_f16  F16_TINY
#define TINY_bf16 BF16_TINY

/* The element function is that of widened operands (a, b, c as f32), whose result is ready to be rounded to the half. A
 * block is 32 halves: a scalar register, or half of a packed one; widening and rounding are the host's, 32 at a time.
 */
#define HALF_BLOCK(name, t, nsrc, ftz, post, ...)                                                                    \
    INLINE float name##_lane(float a, float b, float c)                                                              \
    {                                                                                                                \
        (void)b, (void)c;                                                                                            \
        return __VA_ARGS__;                                                                                          \
    }                                                                                                                \
    static __attribute__((noinline)) void name##_block(uint16_t *d, const uint16_t *va, const uint16_t *vb,          \
                                                       const uint16_t *vc)                                           \
    {                                                                                                                \
        _Alignas(64) float x[32], y[32], z[32], r[32];                                                               \
        t##_widen(x, va, ftz);                                                                                       \
        if ((nsrc) > 1)                                                                                              \
            t##_widen(y, vb, ftz);                                                                                   \
        if ((nsrc) > 2)                                                                                              \
            t##_widen(z, vc, ftz);                                                                                   \
        LANE_LOOP(32)                                                                                                \
        {                                                                                                            \
            float w = name##_lane(x[l], (nsrc) > 1 ? y[l] : 0, (nsrc) > 2 ? z[l] : 0);                               \
            r[l] = (ftz) ? half_flush_wide(w, TINY_##t) : w;                                                         \
        }                                                                                                            \
        t##_narrow(d, r, HALF_RN, post);                                                                             \
    }                                                                                                                \
    static void name(struct frame *f, const struct kernel_operands *s)                                               \
    {                                                                                                                \
        name##_block(KERNEL_REG(uint16_t, s->d), KERNEL_REG(const uint16_t, s->a), KERNEL_REG(const uint16_t, s->b), \
                     KERNEL_REG(const uint16_t, s->c));                                                              \
    }
#define HALF_BLOCKS(name, block)                                                                                 \
    static void name(struct frame *f, const struct kernel_operands *s)                                           \
    {                                                                                                            \
        for (unsigned i = 0; i < 2; i++)                                                                         \
            block##_block(KERNEL_REG(uint16_t, s->d) + 32 * i, KERNEL_REG(const uint16_t, s->a) + 32 * i,        \
                          KERNEL_REG(const uint16_t, s->b) + 32 * i, KERNEL_REG(const uint16_t, s->c) + 32 * i); \
    }

/* Every FTZ and post-processing, scalar and packed. */
#define HALF_OP1(op, t, T, suffix, nsrc, ftz, post, set, expr)                                                        \
    MEANING(HALF_BLOCK, op##_##t##suffix, (AT(op, T, ROUND(RN), WITHOUT(FTZ), FLAGS(set))), t, nsrc, ftz, post, expr) \
    MEANING(HALF_BLOCKS, op##_##t##x2##suffix, (AT(op, T##X2, ROUND(RN), WITHOUT(FTZ), FLAGS(set))), op##_##t##suffix)
#define HALF_OP(op, t, T, nsrc, expr)                                             \
    HALF_OP1(op, t, T, , nsrc, false, HALF_NONE, 0, expr)                         \
    HALF_OP1(op, t, T, _sat, nsrc, false, HALF_SAT, LANE_SAT, expr)               \
    HALF_OP1(op, t, T, _relu, nsrc, false, HALF_RELU, LANE_RELU, expr)            \
    HALF_OP1(op, t, T, _ftz, nsrc, true, HALF_NONE, LANE_FTZ, expr)               \
    HALF_OP1(op, t, T, _ftz_sat, nsrc, true, HALF_SAT, LANE_FTZ | LANE_SAT, expr) \
    HALF_OP1(op, t, T, _ftz_relu, nsrc, true, HALF_RELU, LANE_FTZ | LANE_RELU, expr)

/* Of f16 alone. */
#define F16_OP1(op, suffix, nsrc, ftz, post, set, expr)                                                             \
    MEANING(HALF_BLOCK, op##_f16##suffix, (AT(op, F16, ROUND(RN), WITHOUT(FTZ), FLAGS(set))), f16, nsrc, ftz, post, \
            expr)
#define F16_OP(op, nsrc, expr)                               \
    F16_OP1(op, , nsrc, false, HALF_NONE, 0, expr)           \
    F16_OP1(op, _sat, nsrc, false, HALF_SAT, LANE_SAT, expr) \
    F16_OP1(op, _ftz, nsrc, true, HALF_NONE, LANE_FTZ, expr) \
    F16_OP1(op, _ftz_sat, nsrc, true, HALF_SAT, LANE_FTZ | LANE_SAT, expr)

#endif

/* clang-format off */
HALF_OP(add, f16, F16, 2, a + b)
HALF_OP(add, bf16, BF16, 2, a + b)
HALF_OP(sub, f16, F16, 2, a - b)
HALF_OP(sub, bf16, BF16, 2, a - b)
HALF_OP(mul, f16, F16, 2, a * b)
HALF_OP(mul, bf16, BF16, 2, double_odd((double)a * b))
HALF_OP(fma, f16, F16, 3, f32_sum_odd(a * b, c))
HALF_OP(fma, bf16, BF16, 3, double_odd(f64_sum_odd((double)a * b, c)))
F16_OP(div, 2, a / b)
F16_OP(rcp, 1, 1 / a)
F16_OP(sqrt, 1, __builtin_sqrtf(a))
