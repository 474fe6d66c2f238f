/* The operations that hardware approximates: rsqrt, sin, cos, lg2, ex2, tanh, and the start values rcp64h and rsqrt64h;
 * and pow, of vector machines. With LANE_APPROX, and of start values, results are those of the interpolation by tables
 * in interpolate.h; so are those of rcp and sqrt then. Without it they are the correctly rounded ones (named choice),
 * so they do not depend on the host's C library as long as that is good to a few units in the last place of a double.
 *
 * How those: the function is computed in double; where the double is so near the middle between two f32 that its own
 * error could decide (about once in 2^26 results), it is computed once more in long double, which settles all but about
 * one in 2^37 of those where long double has 64 bits of mantissa. Scalar code, by the C library; but ex2 and lg2 of
 * f32, which OpenCL has, are computed in all lanes at once (near.h). */
#ifndef ATOLL_ENGINE_MEANING_APPROX_H
#define ATOLL_ENGINE_MEANING_APPROX_H

#include <math.h>

#include "engine/meaning/interpolate.h"
#include "engine/meaning/near.h"
#include "engine/meaning/shapes.h"

/* ---- f32 and halves through the C library --------------------------------------------------------------- */

/* True if no error of the double up to 2^-50 of it can change its f32 rounding. */
static inline bool settled(double y)
{
    double slack = fabs(y) * NEAR_SLACK;
    return (float)(y - slack) == (float)(y + slack) || !(slack < INFINITY);
}

#define THROUGH_DOUBLE(name, in_double, in_long_double)                       \
    static float name##_rounded(float x)                                      \
    {                                                                         \
        double y = in_double((double)x);                                      \
        return settled(y) ? (float)y : (float)in_long_double((long double)x); \
    }
THROUGH_DOUBLE(sin, sin, sinl)
THROUGH_DOUBLE(cos, cos, cosl)
THROUGH_DOUBLE(lg2, log2, log2l)
THROUGH_DOUBLE(ex2, exp2, exp2l)
THROUGH_DOUBLE(tanh, tanh, tanhl)

/* All lanes by a function of near.h; what is not settled by it one by one. */
#define KERNEL_NEAR(name, n, D, A, op, ftz)                                               \
    INLINE D name##_lane(A a)                                                             \
    {                                                                                     \
        return f32_finish(op##_rounded(f32_flush(a, ftz)), ftz, false);                   \
    }                                                                                     \
    static void name(struct frame *f, const struct kernel_operands *s)                    \
    {                                                                                     \
        D *d = KERNEL_REG(D, s->d), apart[n], any = 0;                                    \
        A given[n]; /* the result may lie where it was */                                 \
        memcpy(given, KERNEL_REG(const A, s->a), sizeof given);                           \
        LANE_LOOP(n)                                                                      \
        {                                                                                 \
            double y = op##_near(f32_flush(given[l], ftz)), slack = fabs(y) * NEAR_SLACK; \
            float low = (float)(y - slack), high = (float)(y + slack);                    \
            d[l] = f32_finish(low, ftz, false);                                           \
            apart[l] = f32_bits(low) ^ f32_bits(high);                                    \
        }                                                                                 \
        for (unsigned l = 0; l < (n); l++)                                                \
            any |= apart[l];                                                              \
        for (unsigned l = 0; any && l < (n); l++)                                         \
            d[l] = apart[l] ? name##_lane(given[l]) : d[l];                               \
    }
#define F32_NEAR(op)                                                                             \
    MEANING(KERNEL_NEAR, op##_f32, (AT(op, F32, FTZ_APPROX(0))), 32, uint32_t, float, op, false) \
    MEANING(KERNEL_NEAR, op##_f32_ftz, (AT(op, F32, FTZ_APPROX(LANE_FTZ))), 32, uint32_t, float, op, true)

#define F32_FUNCTION(op)                                                                           \
    MEANING(KERNEL_SCALAR, op##_f32, (AT(op, F32, FTZ_APPROX(0))), 32, uint32_t, float,            \
            f32_finish(op##_rounded(a), false, false))                                             \
    MEANING(KERNEL_SCALAR, op##_f32_ftz, (AT(op, F32, FTZ_APPROX(LANE_FTZ))), 32, uint32_t, float, \
            f32_finish(op##_rounded(f32_flush(a, true)), true, false))

/* Halves have 2^16 arguments, and none comes near a middle in double. */
#define HALF_FUNCTIONS(op, in_double)                   \
    HALF_FUNCTION(op, in_double, f16, F16, f16, 32)     \
    HALF_FUNCTION(op, in_double, f16x2, F16X2, f16, 64) \
    HALF_FUNCTION(op, in_double, bf16, BF16, bf16, 32)  \
    HALF_FUNCTION(op, in_double, bf16x2, BF16X2, bf16, 64)
#define HALF_FUNCTION(op, in_double, t, T, half, n)                                                  \
    MEANING(KERNEL_SCALAR, op##_##t, (AT(op, T, FTZ_APPROX(0))), n, uint16_t, uint16_t,              \
            half##_function(in_double, a, false))                                                    \
    MEANING(KERNEL_SCALAR, op##_##t##_ftz, (AT(op, T, FTZ_APPROX(LANE_FTZ))), n, uint16_t, uint16_t, \
            half##_function(in_double, a, true))

static uint16_t f16_function(double (*in_double)(double), uint16_t a, bool ftz)
{
    double y = in_double(f16_to_f32(f16_flush(a, ftz)));
    return f16_finish(f16_from_f64(y, HALF_RN), ftz, HALF_NONE);
}

static uint16_t bf16_function(double (*in_double)(double), uint16_t a, bool ftz)
{
    double y = in_double(bf16_to_f32(bf16_flush(a, ftz)));
    return bf16_finish(bf16_from_f64(y, HALF_RN), ftz, HALF_NONE);
}

/* ---- sine and cosine of turns ------------------------------------------------------------------------------ */

/* sin(2 pi x), or with a quarter more cos(2 pi x). The part of a turn and its distance from the nearest quarter, at
 * most 1/8, are exact, so the function's argument has the error of pi and of one product alone. Results are irrational
 * but at quarters of a turn (Niven's theorem), and those are exact. Zeros have the sign of IEEE 754-2019, 9.2.1, sinPi
 * and cosPi.
 */
#define TURNS(suffix, real, sine, cosine, pi)                     \
    static real turn_##suffix(float x, unsigned quarters)         \
    {                                                             \
        double part = x - rint((double)x), near = rint(4 * part); \
        real angle = 2 * (pi) * (real)(part - near / 4);          \
        unsigned quarter = ((unsigned)(int)near + quarters) & 3;  \
        real y = quarter & 1 ? cosine(angle) : sine(angle);       \
        return quarter & 2 ? -y : y;                              \
    }
TURNS(double, double, sin, cos, 3.14159265358979323846)
TURNS(long_double, long double, sinl, cosl, 3.14159265358979323846264338327950288L)

static float turn_rounded(float x, bool cosine)
{
    if (!(fabsf(x) < INFINITY))
        return NAN;
    double y = turn_double(x, cosine);
    if (y == 0)
        return cosine ? 0 : copysignf(0, x);
    return settled(y) ? (float)y : (float)turn_long_double(x, cosine);
}
static float sinturn_rounded(float x)
{
    return turn_rounded(x, false);
}
static float costurn_rounded(float x)
{
    return turn_rounded(x, true);
}

/* ---- pow -------------------------------------------------------------------------------------------------- */

/* Powers that a number of 24 significant bits raised to another has exactly, and in so few bits that they may be the
 * middle between two f32 (25 bits) or halves: a double and long double next to them would not tell. x = odd * 2^e, y =
 * n / 2^k; the power is a dyadic number only if x is a 2^k-th one, and then root^n, where n > 0 or odd = 1. */
static inline bool pow_exact(double x, double y, double *power)
{
    int e, scale, k = 0;
    double odd = ldexp(frexp(x, &e), 53);
    e -= 53;
    while (fmod(odd, 2) == 0)
        odd /= 2, e++;
    if (odd == 1) { /* 2^(e * y), by a whole number or irrational */
        *power = fabs(e * y) < 4096 && rint(e * y) == e * y ? ldexp(1, (int)(e * y)) : 0;
        return *power != 0;
    }
    double n = ldexp(frexp(y, &scale), 53); /* odd >= 3: at most 15 factors of its root, which is at least 3 */
    for (k = 53 - scale; fmod(n, 2) == 0 && k > 0; k--)
        n /= 2;
    n = ldexp(n, k < 0 ? -k : 0);
    for (; k > 0 && e % 2 == 0 && sqrt(odd) == rint(sqrt(odd)); k--)
        odd = sqrt(odd), e /= 2;
    if (k > 0 || !(n > 0) || n > 15)
        return false;
    *power = 1;
    for (int i = 0; i < (int)n; i++)
        *power *= odd;
    bool few = *power < 0x1p53;
    *power = ldexp(*power, e * (int)n);
    return few;
}

/* x^y of numbers, x > 0, in double; for f32 correctly rounded from there. IEEE 754-2008, 9.2.1, powr: by 2^(y *
 * log2(x)) alone. So 0^0, infinity^0 and 1^infinity are NaN, and powers of what is less than 0. */
static inline bool powr_special(double x, double y, double *power)
{
    if (x != x || y != y || x < 0 || (x == 0 && y == 0) || (x == INFINITY && y == 0) || (x == 1 && fabs(y) == INFINITY))
        *power = NAN;
    else if (x == 0 || x == INFINITY)
        *power = (x == 0) == (y < 0) ? INFINITY : 0;
    else if (fabs(y) == INFINITY)
        *power = (x < 1) == (y < 0) ? INFINITY : 0;
    else
        return false;
    return true;
}

static inline float pow_f32_of(float x, float y)
{
    double power;
    if (powr_special(x, y, &power))
        return (float)power;
    power = pow((double)x, (double)y);
    if (settled(power) || pow_exact(x, y, &power))
        return (float)power;
    return (float)powl((long double)x, (long double)y);
}

static inline uint16_t pow_f16_of(uint16_t a, uint16_t b, bool ftz)
{
    double x = f16_to_f32(f16_flush(a, ftz)), y = f16_to_f32(f16_flush(b, ftz)), power;
    if (!powr_special(x, y, &power) && !pow_exact(x, y, &power))
        power = pow(x, y);
    return f16_finish(f16_from_f64(power, HALF_RN), ftz, HALF_NONE);
}

/* ---- rsqrt ------------------------------------------------------------------------------------------------ */

/* Whether 1/sqrt(m) > middle, where m = square * 2^-52 (54 bits) and middle = half * 2^-54 (54 bits), so whether
 * square * half^2 < 2^160. Exact; equality cannot be, half being odd. */
static bool rsqrt_above(uint64_t square, uint64_t half)
{
    unsigned __int128 p = (unsigned __int128)half * half;
    unsigned __int128 low = (unsigned __int128)square * (uint64_t)p,
                      high = (unsigned __int128)square * (uint64_t)(p >> 64);
    return (high + (low >> 64)) >> 96 == 0;
}

/* 1/sqrt(x) to nearest, for positive finite x. */
static double rsqrt_rounded(double x)
{
    int exponent;
    double m = 2 * frexp(x, &exponent); /* x = m * 2^(exponent - 1), m in [1, 2) */
    exponent--;
    if (exponent & 1) {
        m *= 2;
        exponent--;
    }
    uint64_t square = (uint64_t)(m * 0x1p52), root = (uint64_t)(1 / sqrt(m) * 0x1p53); /* off by a unit or two */
    while (rsqrt_above(square, 2 * root + 1))
        root++;
    while (!rsqrt_above(square, 2 * root - 1))
        root--;
    return ldexp((double)root, -53 - exponent / 2);
}

static double rsqrt_any_f64(double x)
{
    return x > 0 && x < INFINITY ? rsqrt_rounded(x) : 1 / sqrt(x);
}

static double rsqrt_half(double x)
{
    return 1 / sqrt(x);
}

/* rsqrt.approx.f64 has an .ftz form; subnormal results do not occur. */
static double f64_flush(double x)
{
    return fabs(x) < 0x1p-1022 ? copysign(0, x) : x;
}

/* ---- interpolation ----------------------------------------------------------------------------------------- */

#define F32_INTERPOLATED(op)                                                                                         \
    MEANING(KERNEL1, op##_f32_approx, (AT(op, F32, FTZ_APPROX(LANE_APPROX))), 32, uint32_t, uint32_t,                \
            interpolated_##op(a, false))                                                                             \
    MEANING(KERNEL1, op##_f32_approx_ftz, (AT(op, F32, FTZ_APPROX(LANE_APPROX | LANE_FTZ))), 32, uint32_t, uint32_t, \
            interpolated_##op(a, true))
/* The same with .ftz and without. */
#define F32_INTERPOLATED_ANY(op) \
    MEANING(KERNEL1, op##_f32_approx, (AT(op, F32, WITH(APPROX))), 32, uint32_t, uint32_t, interpolated_##op(a))
#define HALF_INTERPOLATED(op, t, T, half, n, of)                                                \
    MEANING(KERNEL_SCALAR, op##_##t##_approx, (AT(op, T, WITH(APPROX))), n, uint16_t, uint16_t, \
            cut_##half(of(f32_bits(half##_to_f32(a)))))
#define HALVES_INTERPOLATED(op, of)                  \
    HALF_INTERPOLATED(op, f16, F16, f16, 32, of)     \
    HALF_INTERPOLATED(op, f16x2, F16X2, f16, 64, of) \
    HALF_INTERPOLATED(op, bf16, BF16, bf16, 32, of)  \
    HALF_INTERPOLATED(op, bf16x2, BF16X2, bf16, 64, of)

#endif

/* clang-format off */
F32_FUNCTION(sin)
F32_FUNCTION(cos)
F32_FUNCTION(sinturn)
F32_FUNCTION(costurn)
F32_NEAR(lg2)
F32_NEAR(ex2)
F32_FUNCTION(tanh)
HALF_FUNCTION(sin, sin, f16, F16, f16, 32)
HALF_FUNCTION(cos, cos, f16, F16, f16, 32)
HALF_FUNCTION(lg2, log2, f16, F16, f16, 32)
HALF_FUNCTION(rsqrt, rsqrt_half, f16, F16, f16, 32)
MEANING(KERNEL_SCALAR2, pow_f32, (AT(pow, F32, WITHOUT(FTZ))), 32, uint32_t, float, float,
        f32_finish(pow_f32_of(a, b), false, false))
MEANING(KERNEL_SCALAR2, pow_f32_ftz, (AT(pow, F32, WITH(FTZ))), 32, uint32_t, float, float,
        f32_finish(pow_f32_of(f32_flush(a, true), f32_flush(b, true)), true, false))
MEANING(KERNEL_SCALAR2, pow_f16, (AT(pow, F16, WITHOUT(FTZ))), 32, uint16_t, uint16_t, uint16_t, pow_f16_of(a, b, false))
MEANING(KERNEL_SCALAR2, pow_f16_ftz, (AT(pow, F16, WITH(FTZ))), 32, uint16_t, uint16_t, uint16_t, pow_f16_of(a, b, true))
HALF_FUNCTIONS(ex2, exp2)
HALF_FUNCTIONS(tanh, tanh)
/* Through double: of the 2^24 significands and exponent parities none rounds twice (checked one by one). */
MEANING(KERNEL1, rsqrt_f32, (AT(rsqrt, F32, FTZ_APPROX(0))), 32, uint32_t, float,
        f32_finish((float)(1.0 / __builtin_sqrt((double)a)), false, false))
MEANING(KERNEL1, rsqrt_f32_ftz, (AT(rsqrt, F32, FTZ_APPROX(LANE_FTZ))), 32, uint32_t, float,
        f32_finish((float)(1.0 / __builtin_sqrt((double)f32_flush(a, true))), true, false))
MEANING(KERNEL_SCALAR, rsqrt_f64, (AT(rsqrt, F64, WITHOUT(FTZ))), 32, uint64_t, double, f64_finish(rsqrt_any_f64(a), a, 0, 0))
MEANING(KERNEL_SCALAR, rsqrt_f64_ftz, (AT(rsqrt, F64, WITH(FTZ))), 32, uint64_t, double,
        f64_finish(rsqrt_any_f64(f64_flush(a)), a, 0, 0))
F32_INTERPOLATED(ex2)
F32_INTERPOLATED(lg2)
F32_INTERPOLATED(rcp)
F32_INTERPOLATED(rsqrt)
F32_INTERPOLATED(sqrt)
F32_INTERPOLATED_ANY(sin)
F32_INTERPOLATED_ANY(cos)
F32_INTERPOLATED_ANY(tanh)
HALVES_INTERPOLATED(ex2, ex2_flushed)
HALVES_INTERPOLATED(tanh, interpolated_tanh)
MEANING(KERNEL_SCALAR, rcp64h, (AT(rcp64h, F64)), 32, uint64_t, uint64_t, rcp_high(a))
MEANING(KERNEL_SCALAR, rsqrt64h, (AT(rsqrt64h, F64)), 32, uint64_t, uint64_t, rsqrt_high(a))
