/* f32 and f64 arithmetic in every rounding mode: add, sub, mul, div, fma, rcp, sqrt; the bit operations neg, abs,
 * copysign; min and max (minmax.h). neg, abs, min and max are those of halves too.
 *
 * fma is one rounding everywhere: the host's instruction, or the C library's fma() where the instruction set has
 * none.
 *
 * All are correctly rounded, but for quotients with LANE_APPROX: those are by the reciprocal of interpolate.h. */
#ifndef ATOLL_ENGINE_MEANING_FLOATS_H
#define ATOLL_ENGINE_MEANING_FLOATS_H

#include "engine/meaning/interpolate.h"
#include "engine/meaning/minmax.h"
#include "engine/meaning/shapes.h"

#define FLOAT1(name, round, F, U, ...) ROUNDED1(name, round, 32, U, F, __VA_ARGS__)
#define FLOAT2(name, round, F, U, ...) ROUNDED2(name, round, 32, U, F, F, __VA_ARGS__)
#define FLOAT3(name, round, F, U, ...) ROUNDED3(name, round, 32, U, F, F, F, __VA_ARGS__)

/* The operations: EXPR_op. A NaN operand decides an f64 result's NaN (f64_finish), so there the
 * operands that an operation has are named once more, in the order in which they do (kernels.h). */
#define SOURCES1               a, 0, 0
#define SOURCES2               a, b, 0
#define SOURCES3               a, b, c
#define F64_1(x)               f64_finish(x(a, 0, 0), a, 0, 0)
#define F64_2(x)               f64_finish(x(a, b, 0), b, a, 0)
#define F64_QUOTIENT(x)        f64_finish(x(a, b, 0), a, b, 0)
#define F64_3(x)               f64_finish(x(a, b, c), b, c, a)
#define EXPR_add(a, b, c)      ((a) + (b))
#define EXPR_sub(a, b, c)      ((a) - (b))
#define EXPR_mul(a, b, c)      ((a) * (b))
#define EXPR_div(a, b, c)      ((a) / (b))
#define EXPR_rcp(a, b, c)      (1 / (a))
#define EXPR_fma_f32(a, b, c)  __builtin_fmaf(a, b, c)
#define EXPR_fma_f64(a, b, c)  __builtin_fma(a, b, c)
#define EXPR_sqrt_f32(a, b, c) __builtin_sqrtf(a)
#define EXPR_sqrt_f64(a, b, c) __builtin_sqrt(a)

/* Is a result tiny (f32_flush_if)? Of mul and fma: twice the result rounds as if exponents had no end, where it may be
 * tiny. What overflows instead is none; but in modes that have the largest number for that, it might cancel in fma.
 * div, rcp: a quotient below 1 of such numbers is 1 - 2^-24 at most, so rounding makes no 1 of it; of what the scaling
 * changes none is near. Others are exact where they are subnormal, or never are. b2, c2: twice b and c. */
#define TINY(op) static inline bool f32_##op##_tiny(float a, float b, float b2, float c2, float r, bool nearest)

TINY(mul)
{
    (void)b, (void)c2, (void)r, (void)nearest;
    return __builtin_fabsf(a * b2) < 0x1p-125f;
}

TINY(div)
{
    (void)b2, (void)c2, (void)r, (void)nearest;
    return __builtin_fabsf(a) * 0x1p63f < __builtin_fabsf(b) * 0x1p-63f;
}

TINY(rcp)
{
    return f32_div_tiny(1, a + b, b2, c2, r, nearest); /* b is 0 */
}

TINY(fma)
{
    (void)b;
    bool small = (f32_bits(r) & 0x7fffffff) <= 0x00800000;
#ifdef __FMA__
    return (nearest | small) & (__builtin_fabsf(__builtin_fmaf(a, b2, c2)) < 0x1p-125f);
#else /* a call */
    (void)nearest;
    return small && __builtin_fabsf(__builtin_fmaf(a, b2, c2)) < 0x1p-125f;
#endif
}

TINY(exact)
{
    (void)a, (void)b, (void)b2, (void)c2, (void)nearest;
    return (f32_bits(r) & 0x7f800000) == 0;
}
#define f32_add_tiny  f32_exact_tiny
#define f32_sub_tiny  f32_exact_tiny
#define f32_sqrt_tiny f32_exact_tiny

/* Twice x, flushed; sooner there than twice what is flushed. */
static inline float f32_twice(float x, bool flush)
{
    return f32_flush_if(x + x, flush && (f32_bits(x) & 0x7f800000) == 0);
}

/* flush: the sources, too. */
#define F32_DONE(op, x)                                                                                      \
    INLINE uint32_t f32_##op##_done(float a, float b, float c, bool flush, bool ftz, bool sat, bool nearest) \
    {                                                                                                        \
        float p = f32_flush(a, flush), q = f32_flush(b, flush), r = x(p, q, f32_flush(c, flush));            \
        bool tiny = ftz && f32_##op##_tiny(p, q, f32_twice(b, flush), f32_twice(c, flush), r, nearest);      \
        return f32_finish(f32_flush_if(r, tiny), false, sat);                                                \
    }
F32_DONE(add, EXPR_add)
F32_DONE(sub, EXPR_sub)
F32_DONE(mul, EXPR_mul)
F32_DONE(div, EXPR_div)
F32_DONE(rcp, EXPR_rcp)
F32_DONE(fma, EXPR_fma_f32)
F32_DONE(sqrt, EXPR_sqrt_f32)

#define F32_VARIANT(op, n, r, R, suffix, ftz, sat, ...)                                                    \
    MEANING(FLOAT##n, op##_f32_##r##suffix, (AT(op, F32, HOST_ROUND(R), __VA_ARGS__)), R, float, uint32_t, \
            f32_##op##_done(SOURCES##n, ftz, ftz, sat, R == LANE_RN))
#define F32_F64(op, n, f64, r, R)                                                   \
    F32_VARIANT(op, n, r, R, , false, false, FTZ_APPROX(0))                         \
    F32_VARIANT(op, n, r, R, _ftz, true, false, FTZ_OF(LANE_FTZ))                   \
    F32_VARIANT(op, n, r, R, _sat, false, true, FTZ_APPROX(LANE_SAT))               \
    F32_VARIANT(op, n, r, R, _ftz_sat, true, true, FTZ_APPROX(LANE_FTZ | LANE_SAT)) \
    MEANING(FLOAT##n, op##_f64_##r, (AT(op, F64, HOST_ROUND(R))), R, double, uint64_t, f64)
/* .ftz of sources without subnormals: the result alone is flushed. */
#define FTZ_OF(set) .flags = (set), .asked = LANE_FTZ | LANE_APPROX | MEANING_FLUSHED
#define FLUSHED_SOURCES(op)                                                                                      \
    MEANING(FLOAT2, op##_f32_rn_flushed, (AT(op, F32, HOST_ROUND(LANE_RN), FTZ_OF(LANE_FTZ | MEANING_FLUSHED))), \
            LANE_RN, float, uint32_t, f32_##op##_done(a, b, 0, false, true, false, true))
#define ROUNDED(op, n, f64)          \
    F32_F64(op, n, f64, rn, LANE_RN) \
    F32_F64(op, n, f64, rz, LANE_RZ) \
    F32_F64(op, n, f64, rm, LANE_RM) \
    F32_F64(op, n, f64, rp, LANE_RP)

/* .approx: a * (1 / b). .full (LANE_CLAMP): of b beyond 2^126, whose reciprocal would be zero, a and b are a quarter
 * of themselves before. Without .ftz both are 2^24 times as large where b is subnormal. As hardware's own code does it.
 */
INLINE uint32_t quotient(float a, float b, bool full, bool ftz)
{
    a = f32_flush(a, ftz), b = f32_flush(b, ftz);
    bool large = full & (__builtin_fabsf(b) > 0x1p126f), small = !ftz & is_small(f32_bits(b));
    float by = f32_from_bits(choose(large, 0x3e800000, choose(small, 0x4b800000, ONE_BITS))); /* 1/4, 2^24 */
    return f32_mul_done(a * by, f32_from_bits(rcp_flushed(f32_bits(b * by))), 0, ftz, ftz, false, true);
}
#define QUOTIENT_FLAGS(set) .flags = (set), .asked = LANE_FTZ | LANE_APPROX | LANE_CLAMP
#define QUOTIENT(name, full, ftz, set)                                                            \
    MEANING(KERNEL2, div_##name, (AT(div, F32, QUOTIENT_FLAGS(set))), 32, uint32_t, float, float, \
            quotient(a, b, full, ftz))

static inline uint32_t f32_bits_flush(uint32_t bits, bool ftz)
{
    return f32_bits(f32_flush(f32_from_bits(bits), ftz));
}

/* minmax.h over n elements. LANE_NAN is its `nan`, LANE_ABS its `abs`. */
#define MINMAX1(op, t, T, n, kind, w, x, y, suffix, nan, abs, set, ...)                                                \
    MEANING(KERNEL2, op##_##t##suffix, (AT(op, T, FLAGS(set), __VA_ARGS__)), n, uint##w##_t, uint##w##_t, uint##w##_t, \
            kind##_minmax(x, y, LANE_OP_##op == LANE_OP_max, nan, abs))
#define MINMAX4(op, t, T, n, kind, w, x, y, suffix, set, ...)                                     \
    MINMAX1(op, t, T, n, kind, w, x, y, suffix, false, false, set, __VA_ARGS__)                   \
    MINMAX1(op, t, T, n, kind, w, x, y, suffix##_nan, true, false, (set) | LANE_NAN, __VA_ARGS__) \
    MINMAX1(op, t, T, n, kind, w, x, y, suffix##_abs, false, true, (set) | LANE_ABS, __VA_ARGS__) \
    MINMAX1(op, t, T, n, kind, w, x, y, suffix##_nan_abs, true, true, (set) | LANE_NAN | LANE_ABS, __VA_ARGS__)
#define MINMAX8(op, t, T, n, kind, w, flush)               \
    MINMAX4(op, t, T, n, kind, w, a, b, , 0, WITHOUT(FTZ)) \
    MINMAX4(op, t, T, n, kind, w, flush(a, true), flush(b, true), _ftz, LANE_FTZ, WITHOUT(FTZ))
#define MINMAXES(op)                                   \
    MINMAX8(op, f32, F32, 32, f32, 32, f32_bits_flush) \
    MINMAX4(op, f64, F64, 32, f64, 64, a, b, , 0, )    \
    MINMAX8(op, f16, F16, 32, f16, 16, f16_flush)      \
    MINMAX8(op, f16x2, F16X2, 64, f16, 16, f16_flush)  \
    MINMAX8(op, bf16, BF16, 32, bf16, 16, bf16_flush)  \
    MINMAX8(op, bf16x2, BF16X2, 64, bf16, 16, bf16_flush)

/* neg and abs over n elements. Plain ones are about the sign bit, whatever the other bits are. With LANE_NAN they are
 * additions of 0: a NaN is the canonical one then, of f64 itself, quieted (measured on an H100). */
#define SIGN_BIT(w)       ((uint##w##_t)1 << ((w)-1))
#define SIGN_neg(x, sign) ((x) ^ (sign))
#define SIGN_abs(x, sign) ((x) & ~(sign))
#define SIGNS2(op, t, T, n, kind, w, infinity, x, suffix, set, ...)                                             \
    MEANING(KERNEL1, op##_##t##suffix, (AT(op, T, FLAGS(set), __VA_ARGS__)), n, uint##w##_t, uint##w##_t,       \
            SIGN_##op(x, SIGN_BIT(w)))                                                                          \
    MEANING(KERNEL1, op##_##t##suffix##_nan, (AT(op, T, FLAGS((set) | LANE_NAN), __VA_ARGS__)), n, uint##w##_t, \
            uint##w##_t, (a & ~SIGN_BIT(w)) > (infinity) ? kind##_nan(a) : SIGN_##op(x, SIGN_BIT(w)))
#define SIGNS4(op, t, T, n, kind, w, infinity, flush)            \
    SIGNS2(op, t, T, n, kind, w, infinity, a, , 0, WITHOUT(FTZ)) \
    SIGNS2(op, t, T, n, kind, w, infinity, flush(a, true), _ftz, LANE_FTZ, WITHOUT(FTZ))
#define SIGNS(op)                                                   \
    SIGNS4(op, f32, F32, 32, f32, 32, 0x7f800000, f32_bits_flush)   \
    SIGNS2(op, f64, F64, 32, f64, 64, 0x7ff0000000000000, a, , 0, ) \
    SIGNS4(op, f16, F16, 32, f16, 16, 0x7c00, f16_flush)            \
    SIGNS4(op, f16x2, F16X2, 64, f16, 16, 0x7c00, f16_flush)        \
    SIGNS4(op, bf16, BF16, 32, bf16, 16, 0x7f80, bf16_flush)        \
    SIGNS4(op, bf16x2, BF16X2, 64, bf16, 16, 0x7f80, bf16_flush)

#endif

/* clang-format off */
ROUNDED(add, 2, F64_2(EXPR_add))
ROUNDED(sub, 2, F64_2(EXPR_sub))
ROUNDED(mul, 2, F64_2(EXPR_mul))
ROUNDED(div, 2, F64_QUOTIENT(EXPR_div))
QUOTIENT(approx, false, false, LANE_APPROX)
QUOTIENT(approx_ftz, false, true, LANE_APPROX | LANE_FTZ)
QUOTIENT(full, true, false, LANE_APPROX | LANE_CLAMP)
QUOTIENT(full_ftz, true, true, LANE_APPROX | LANE_CLAMP | LANE_FTZ)
ROUNDED(fma, 3, F64_3(EXPR_fma_f64))
FLUSHED_SOURCES(add)
FLUSHED_SOURCES(sub)
FLUSHED_SOURCES(mul)
ROUNDED(rcp, 1, F64_1(EXPR_rcp))
ROUNDED(sqrt, 1, F64_1(EXPR_sqrt_f64))

SIGNS(neg)
SIGNS(abs)
MEANING(KERNEL2, copysign_f32, (AT(copysign, F32)), 32, uint32_t, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))
MEANING(KERNEL2, copysign_f64, (AT(copysign, F64)), 32, uint64_t, uint64_t, uint64_t,
        (a & 1ull << 63) | (b & ~(1ull << 63)))
MINMAXES(min)
MINMAXES(max)
