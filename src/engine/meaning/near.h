/* 2^x and log2(x) in double, near enough to tell the f32 that is nearest in nearly all cases (approx.h): by arithmetic
 * alone, so that it can be done to many lanes at once. Engines that compile code do the same steps; with fused
 * multiply-adds errors are smaller.
 *
 * Over all arguments of f32 errors are at most 2^-52.28 (ex2) and 2^-51.43 (lg2) of the result: compared with the C
 * library's long double, one by one.
 *
 * Terms are those of the polynomial that meets the function in as many Chebyshev nodes. */
#ifndef ATOLL_ENGINE_MEANING_NEAR_H
#define ATOLL_ENGINE_MEANING_NEAR_H

#include <math.h>

#include "base/half.h"

/* Of 2^f, -1/2 <= f <= 1/2, by powers of f. */
enum { EX2_TERMS = 12 };
static const double ex2_terms[EX2_TERMS] = {
    0x1p+0,
    0x1.62e42fefa39efp-1,
    0x1.ebfbdff82c5aep-3,
    0x1.c6b08d704a0c6p-5,
    0x1.3b2ab6fb9f1a5p-7,
    0x1.5d87fe78a3f9cp-10,
    0x1.430913112c61bp-13,
    0x1.ffcbfc6da6ed1p-17,
    0x1.62bfc2c86d700p-20,
    0x1.b524ebd13a55fp-24,
    0x1.e6228acd1c6e5p-28,
    0x1.e9ec1fcb69a7fp-32,
};

/* Beyond, powers are infinite or zero in f32. */
#define EX2_MOST 200.0
/* What is added to it becomes a whole number, in the low bits. */
#define WHOLE 0x1.8p52

/* Of log2((1 + s) / (1 - s)) / s, where (1 + s) / (1 - s) lies between the square roots of 1/2 and 2, by powers of s^2.
 */
enum { LG2_TERMS = 10 };
static const double lg2_terms[LG2_TERMS] = {
    0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bf4p-1, 0x1.a61762a7b00fcp-2, 0x1.484b13d5ea10bp-2,
    0x1.0c9a858167a0ap-2, 0x1.c68ecb2ead1dfp-3, 0x1.8a0d8404e8541p-3, 0x1.58ba77586a360p-3, 0x1.63d5e7d025769p-3,
};
#define LG2_LEAST UINT64_C(0x3fe6a09e667f3bcd) /* bits of the square root of 1/2 */

/* A result this near the middle of two f32 is not settled: much more than its error. */
#define NEAR_SLACK 0x1p-50

static inline double near_terms(const double *terms, int n, double x)
{
    double y = terms[n - 1];
    for (int k = n - 2; k >= 0; k--)
        y = y * x + terms[k];
    return y;
}

/* x = whole + f: 2^f, with the whole number added to its exponent. */
static inline double ex2_near(float x)
{
    double t = x;
    t = t > EX2_MOST ? EX2_MOST : t;
    t = t < -EX2_MOST ? -EX2_MOST : t;
    double whole = t + WHOLE, f = t - (whole - WHOLE);
    return near_terms(ex2_terms, EX2_TERMS, f) * f64_from_bits((f64_bits(whole) + 1023) << 52);
}

/* x = m * 2^e, log2(x) = e + log2(m), m = (1 + s) / (1 - s). What is not a positive number gives an infinity. */
static inline double lg2_near(float x)
{
    uint64_t above = f64_bits(x) - LG2_LEAST;
    double m = f64_from_bits((above & (UINT64_MAX >> 12)) + LG2_LEAST), e = (double)(int32_t)((int64_t)above >> 52);
    double s = (m - 1) / (m + 1);
    double y = e + s * near_terms(lg2_terms, LG2_TERMS, s * s);
    return x > 0 && x < INFINITY ? y : INFINITY;
}

#endif
