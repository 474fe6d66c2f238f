/* Floats of 4 to 8 bits, as the PTX ISA ("cvt") and the OCP formats (OFP8, MX) define them, tf32, and stochastic
 * rounding. Everything is integer arithmetic; formats are meant to be compile-time constants, so that loops vectorise.
 *
 *   e4m3  s eeee mmm   no infinity; 0x7f is the NaN       e5m2  s eeeee mm   as IEEE 754; NaN made here: 0x7f
 *   e2m3  s ee mmm     neither infinity nor NaN           e3m2  s eee mm     neither
 *   e2m1  s ee m       neither                            ue8m0 eeeeeeee     2^(e - 127), 0xff is the NaN
 *   tf32  an f32 without its 13 lowest bits
 */
#ifndef ATOLL_BASE_MINIFLOAT_H
#define ATOLL_BASE_MINIFLOAT_H

#include <stdbool.h>

#include "base/half.h"

struct minifloat {
    uint8_t exponent, mantissa; /* bits; the sign comes before them */
    uint8_t bias;
    uint16_t largest;  /* what magnitudes too large become: the largest finite one, or infinity */
    uint16_t infinity; /* 0: none */
    uint16_t nan;      /* what a NaN becomes; a format without NaN has its largest number there (PTX ISA, .satfinite) */
    bool has_nan;
    uint8_t random; /* bits that stochastic rounding takes */
};

#define MINIFLOAT_E4M3 ((struct minifloat){4, 3, 7, 0x7e, 0, 0x7f, true, 16})
#define MINIFLOAT_E5M2 ((struct minifloat){5, 2, 15, 0x7b, 0x7c, 0x7f, true, 16})
#define MINIFLOAT_E2M3 ((struct minifloat){2, 3, 1, 0x1f, 0, 0x1f, false, 16})
#define MINIFLOAT_E3M2 ((struct minifloat){3, 2, 3, 0x1f, 0, 0x1f, false, 16})
#define MINIFLOAT_E2M1 ((struct minifloat){2, 1, 1, 0x7, 0, 0x7, false, 16})
/* The halves, for stochastic rounding: they do not saturate. */
#define MINIFLOAT_F16  ((struct minifloat){5, 10, 15, 0x7c00, 0x7c00, F16_NAN, true, 13})
#define MINIFLOAT_BF16 ((struct minifloat){8, 7, 127, 0x7f80, 0x7f80, BF16_NAN, true, 16})

/* An f32 magnitude m in units of the format: how far to shift its significand, which it returns. */
static inline uint32_t minifloat_significand(uint32_t m, struct minifloat f, uint32_t *shift)
{
    uint32_t e = m >> 23, least = 128u - f.bias; /* f32 exponent of the smallest normal number */
    uint32_t normal = m - ((127u - f.bias) << 23), small = (m & 0x7fffff) | (uint32_t)(e != 0) << 23;
    *shift = 23u - f.mantissa + (e >= least ? 0 : least - (e != 0 ? e : 1));
    return e >= least ? normal : small;
}

/* Range, NaN, sign and RELU (what is negative becomes +0; NaN has no sign). */
static inline uint32_t minifloat_finish(uint32_t bits, uint32_t q, struct minifloat f, bool relu)
{
    uint32_t m = bits & 0x7fffffff, sign = bits >> 31;
    q = q > f.largest ? f.largest : q;
    uint32_t kept = q | sign << (f.exponent + f.mantissa);
    uint32_t number = relu && sign ? 0 : kept;
    return m > 0x7f800000 ? f.nan : number;
}

/* f32 to nearest even, saturating. */
static inline uint32_t minifloat_from_f32(uint32_t bits, struct minifloat f, bool relu)
{
    uint32_t shift, sig = minifloat_significand(bits & 0x7fffffff, f, &shift);
    shift = shift > 31 ? 31 : shift;
    uint32_t q = sig >> shift, rest = sig & ((1u << shift) - 1);
    q += half_increment(q, rest, 1u << (shift - 1), 0, HALF_RN);
    return minifloat_finish(bits, q, f, relu);
}

/* f32 rounded away from zero if adding the random bits to the bits that are cut off carries. Named choice: the f.random
 * lowest bits of `random` are added at the top of what is cut off, whose lower bits meet zeros. */
static inline uint32_t minifloat_from_f32_stochastic(uint32_t bits, struct minifloat f, uint32_t random, bool relu)
{
    uint32_t shift, sig = minifloat_significand(bits & 0x7fffffff, f, &shift);
    shift = shift > 62 ? 62 : shift;
    uint64_t added = (uint64_t)(random & ((1u << f.random) - 1)) << (shift - f.random);
    uint64_t rest = sig & ((UINT64_C(1) << shift) - 1);
    uint64_t q = ((uint64_t)sig >> shift) + ((rest + added) >> shift);
    return minifloat_finish(bits, (uint32_t)q, f, relu);
}

/* The f32 bits of a number; exact. Bits above the sign do not count. */
static inline uint32_t minifloat_to_f32_bits(uint32_t code, struct minifloat f)
{
    uint32_t width = (uint32_t)f.exponent + f.mantissa, m = code & ((1u << width) - 1), sign = code >> width & 1;
    uint32_t normal = (m << (23 - f.mantissa)) + ((127u - f.bias) << 23);
    float unit = f32_from_bits((128u - f.bias - f.mantissa) << 23);
    uint32_t small = f32_bits((float)(int32_t)m * unit);
    uint32_t r = (m >> f.mantissa) == 0 ? small : normal;
    r = f.infinity && m >= f.infinity ? 0x7f800000 | (m - f.infinity) << (23 - f.mantissa) : r;
    r = f.has_nan && !f.infinity && m == f.nan ? 0x7fc00000 : r;
    return r | sign << 31;
}

/* The f16 of a number; exact. NaN becomes F16_NAN. */
static inline uint32_t minifloat_to_f16(uint32_t code, struct minifloat f, bool relu)
{
    uint32_t h = f16_from_f32_bits(minifloat_to_f32_bits(code, f), HALF_RN);
    return relu && h >> 15 ? 0 : h;
}

/* ---- ue8m0 ----------------------------------------------------------------------------------------------- */

/* The exponent of |x|, rounded down or up; 2^-127 is the least. What is too large becomes 0xff, the NaN: to saturate,
 * limit x first. Sign, limits: cuda_fp8.hpp of CUDA 12.8 and later, __nv_cvt_float_to_e8m0. */
static inline uint32_t ue8m0_from_f32(uint32_t bits, bool up)
{
    uint32_t m = bits & 0x7fffffff, e = m >> 23;
    uint32_t above = (m & 0x7fffff) != 0 && m > 0x400000 && m < 0x7f800000 ? 1 : 0;
    return up ? e + above : e;
}

static inline uint32_t ue8m0_to_bf16(uint32_t code)
{
    uint32_t number = code == 0 ? 0x0040 : code << 7;
    return code == 0xff ? BF16_NAN : number;
}

/* ---- tf32 ------------------------------------------------------------------------------------------------ */

/* NaN (measured on an H100): 0x7fffe000; RNA, which is no instruction there, cuts it. */
static inline uint32_t tf32_from_f32(uint32_t bits, enum half_round round, bool relu)
{
    uint32_t sign = bits >> 31, m = bits & 0x7fffffff, q = m >> 13;
    q += half_increment(q, m & 0x1fff, 0x1000, sign, round);
    q = m >= 0x7f800000 ? m >> 13 : q;
    uint32_t number = q << 13 | sign << 31, nan = round == HALF_RNA ? number : 0x7fffe000;
    number = relu && sign ? 0 : number;
    return m > 0x7f800000 ? nan : number;
}

#endif
