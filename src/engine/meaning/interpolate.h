/* The functions that hardware approximates (LANE_APPROX), as it does: by quadratic interpolation in fixed point
 * (Oberman and Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH-17, 2005). The upper bits of
 * an argument choose a piece of the function, which is C0 * 2^a + C1 * x + C2 * x^2 of the others. The square is a
 * truncated one, and the sum is cut to 24 bits.
 *
 * Tables and biases are fitted to what an H100 gave (tests/hw/results/h100_approx by tests/hw/fit.py); all results then
 * were compared with that GPU's, of every argument there is (docs/hardware.md).
 *
 * No branches, so that it can be done to many lanes at once. Engines that compile code give the same. */
#ifndef ATOLL_ENGINE_MEANING_INTERPOLATE_H
#define ATOLL_ENGINE_MEANING_INTERPOLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/half.h"
#include "base/inline.h"

/* {C0, C1, C2} of each piece. */
enum { EX2_PIECES = 64, RCP_PIECES = 128, ROOT_PIECES = 128, LG2_PIECES = 64, SINE_PIECES = 64, TANH_PIECES = 51 };
extern const int32_t ex2_pieces[EX2_PIECES][3], rcp_pieces[RCP_PIECES][3], rsqrt_pieces[ROOT_PIECES][3],
    sqrt_pieces[ROOT_PIECES][3], lg2_pieces[LG2_PIECES][3], sine_pieces[SINE_PIECES][3], tanh_pieces[TANH_PIECES][3];

/* How many bits lie below those that choose a piece (of rcp one less: its pieces are half as long, at every other
 * place); where C0 stands; by how much C2 is multiplied; what is added before the sum is cut. */
enum { PIECE_BITS = 17 };
enum { EX2_SHIFT = 13, EX2_BIAS = 6114, EX2_CUT = 15 };
enum { RCP_SHIFT = 14, RCP_TIMES = 2, RCP_BIAS = 4046, RCP_CUT = 16 };
enum { RSQRT_SHIFT = 14, RSQRT_TIMES = 4, RSQRT_BIAS = 16383, RSQRT_CUT = 16 };
enum { SQRT_SHIFT = 15, SQRT_TIMES = 2, SQRT_BIAS = 32767, SQRT_CUT = 17 };
enum { LG2_SHIFT = 12, LG2_TIMES = 2, LG2_BIAS = 837, LG2_CUT = 2, LG2_POINT = 36 };
enum { SINE_SHIFT = 12, SINE_POINT = 37 };
enum { TANH_SHIFT = 14, TANH_POINT = 40 };

/* The binades of tanh, from 2^-8 on: the first piece of each, and how many bits of the mantissa are not looked at. */
enum { TANH_BINADES = 11, TANH_LEAST = 127 - 8 };
extern const int32_t tanh_binades[TANH_BINADES][2];

#define NAN_BITS      0x7fffffffu
#define INFINITY_BITS 0x7f800000u

/* ---- steps --------------------------------------------------------------------------------------------------------
 */

/* x * x / 2^19 of 17 bits, without the partial products below 2^19: the product of bits i and j < i stands at
 * 2^(i + j + 1), bit i itself at 2^(2i). With x = 2^10 * high + low that is 2 * high^2, and of each bit k of high the
 * product with the bits of low that are left of it. */
INLINE int32_t truncated_square(uint32_t x)
{
    uint32_t low = x & 0x3ff, high = x >> 10, sum = 2 * high * high;
    for (unsigned k = 0; k < PIECE_BITS - 10; k++)
        sum += -(high >> k & 1) & low >> (8 - k);
    return (int32_t)sum;
}

/* c ? a : b; of choices compilers make branches. */
INLINE uint32_t choose(bool c, uint32_t a, uint32_t b)
{
    uint32_t mask = -(uint32_t)c;
    return (a & mask) | (b & ~mask);
}

INLINE int64_t interpolate(const int32_t (*pieces)[3], uint32_t piece, uint32_t x, int shift, int times)
{
    const int32_t *c = pieces[0], i = (int32_t)piece * 3; /* one array, so that compilers see how to gather */
    int64_t square = (int64_t)(c[i + 2] * times) * truncated_square(x);
    return ((int64_t)c[i] << shift) + (int64_t)c[i + 1] * (int32_t)x + square;
}

/* The same plus a bias, without its lowest bits. Of the 4 lowest nothing is left, so C1 * x is done in two parts, and
 * 32 bits are enough. */
INLINE uint32_t interpolate_cut(const int32_t (*pieces)[3], uint32_t piece, uint32_t x, int shift, int times, int bias,
                                int cut)
{
    const int32_t *c = pieces[0], i = (int32_t)piece * 3;
    int32_t low = c[i + 1] * (int32_t)(x & 15) + (c[i + 2] * times) * truncated_square(x) + bias;
    int32_t sum = c[i + 1] * (int32_t)(x >> 4) + (low >> 4);
    return (uint32_t)(c[i] + (sum >> (shift - 4))) >> (cut - shift);
}

INLINE uint32_t piece_of(uint32_t fraction)
{
    return fraction >> PIECE_BITS;
}

INLINE uint32_t rest_of(uint32_t fraction)
{
    return fraction & ((1u << PIECE_BITS) - 1);
}

/* x / 2^point (0 <= x < 2^52), cut to an f32. The double is exact. */
INLINE uint32_t cut_fixed(int64_t x, int point)
{
    double exact = f64_from_bits((uint64_t)x | 0x4330000000000000) - 0x1p52;
    uint32_t bits = (uint32_t)(f64_bits(exact) >> 29) - ((uint32_t)(1023 - 127 + point) << 23);
    return choose(x == 0, 0, bits);
}

INLINE bool is_nan_bits(uint32_t x)
{
    return (x & 0x7fffffff) > INFINITY_BITS;
}

INLINE bool is_small(uint32_t x) /* zero or subnormal */
{
    return (x & INFINITY_BITS) == 0;
}

INLINE int32_t exponent_of(uint32_t x)
{
    return (int32_t)(x >> 23 & 255) - 127;
}

/* ---- functions of normal numbers; subnormals are zeros -------------------------------------------------------------
 */

INLINE uint32_t rcp_flushed(uint32_t x)
{
    uint32_t sign = x & 0x80000000, m = x & 0x7fffff, piece = m >> (PIECE_BITS - 1), rest = m << 1 & 0x1fffe;
    uint32_t sum = interpolate_cut(rcp_pieces, piece, rest, RCP_SHIFT, RCP_TIMES, RCP_BIAS, RCP_CUT);
    int32_t r = 0x3e800000 + (int32_t)sum - exponent_of(x) * (1 << 23);
    uint32_t y = choose((r < 0x00800000) | ((x & 0x7fffffff) == INFINITY_BITS), 0, (uint32_t)r);
    return choose(is_nan_bits(x), NAN_BITS, sign | choose(is_small(x), INFINITY_BITS, y));
}

/* A root's argument lies in [1, 4): 24 bits, the upper one the lowest of the exponent. */
INLINE uint32_t root_fraction(uint32_t x)
{
    return (x & 0xffffff) ^ 0x800000;
}

INLINE uint32_t root_exponent(uint32_t x) /* half of the even exponent, in place */
{
    return (uint32_t)(exponent_of(x) >> 1) << 23;
}

/* r; but of infinity, and of what is below zero. */
INLINE uint32_t root_special(uint32_t x, uint32_t infinity, uint32_t r)
{
    return choose(x > INFINITY_BITS, NAN_BITS, choose(x == INFINITY_BITS, infinity, r));
}

INLINE uint32_t rsqrt_mantissa(uint32_t f)
{
    uint32_t sum =
        interpolate_cut(rsqrt_pieces, piece_of(f), rest_of(f), RSQRT_SHIFT, RSQRT_TIMES, RSQRT_BIAS, RSQRT_CUT);
    return choose(f == 0, 0x3f800000, 0x3e800000 + sum);
}

INLINE uint32_t rsqrt_flushed(uint32_t x)
{
    uint32_t r = root_special(x, 0, rsqrt_mantissa(root_fraction(x)) - root_exponent(x));
    return choose(is_small(x), (x & 0x80000000) | INFINITY_BITS, r);
}

INLINE uint32_t sqrt_flushed(uint32_t x)
{
    uint32_t f = root_fraction(x);
    uint32_t sum = interpolate_cut(sqrt_pieces, piece_of(f), rest_of(f), SQRT_SHIFT, SQRT_TIMES, SQRT_BIAS, SQRT_CUT);
    uint32_t r = root_special(x, INFINITY_BITS, 0x3f000000 + sum + root_exponent(x));
    return choose(is_small(x), x & 0x80000000, r);
}

INLINE uint32_t lg2_flushed(uint32_t x)
{
    uint32_t f = x & 0x7fffff;
    int64_t sum = interpolate(lg2_pieces, piece_of(f), rest_of(f), LG2_SHIFT, LG2_TIMES);
    int64_t v = (int64_t)exponent_of(x) * ((int64_t)1 << LG2_POINT) + ((sum + LG2_BIAS) >> LG2_CUT), below = v >> 63;
    uint32_t r = cut_fixed(v ^ below, LG2_POINT) | ((uint32_t)below & 0x80000000);
    r = root_special(x, INFINITY_BITS, choose(x == 0x3f800000, 0, r));
    return choose(is_small(x), 0xff800000, r);
}

/* m * 2^left, whose bits above 2^32 do not matter; m has 24 bits, of left more than 25 is 25. */
INLINE uint32_t moved(uint32_t m, int32_t left)
{
    int32_t up = left > 25 ? 25 : left, down = -left > 31 ? 31 : -left;
    return choose(left >= 0, m << (up & 31), m >> (down & 31));
}

/* The argument in 2^-23, cut; of what is less than 0 the complement by one, but of whole numbers that by two. */
INLINE uint32_t ex2_flushed(uint32_t x)
{
    int32_t e = exponent_of(x), sign = (int32_t)x >> 31;
    int32_t v = (int32_t)moved((x & 0x7fffff) | 0x800000, e > 7 ? 7 : e);
    v = (v ^ sign) - (sign & -(int32_t)((v & 0x7fffff) == 0));
    uint32_t f = (uint32_t)v & 0x7fffff;
    uint32_t sum = interpolate_cut(ex2_pieces, piece_of(f), rest_of(f), EX2_SHIFT, 1, EX2_BIAS, EX2_CUT);
    uint32_t r = 0x3f000000 + sum + ((uint32_t)(v >> 23) << 23);
    r = choose((v >= 128 * (1 << 23)) | (e > 7), INFINITY_BITS, r);
    r = choose((v < -126 * (1 << 23)) | ((e > 7) & (sign != 0)), 0, r);
    return choose(is_nan_bits(x), NAN_BITS, r);
}

/* ---- sine and cosine ------------------------------------------------------------------------------------------------
 */

/* Turns: the argument times 1 / (2 pi), cut to an f32; what is below a whole turn, cut to 25 bits. */
INLINE uint32_t turns_of(uint32_t x)
{
    uint64_t product = (uint64_t)((x & 0x7fffff) | 0x800000) * 0xa2f983; /* 1 / (2 pi): 0x3e22f983 */
    uint32_t top = (uint32_t)(product >> 23), carry = top >> 24;
    uint32_t t = moved(top >> carry, exponent_of(x) - 1 + (int32_t)carry) & 0x1ffffff;
    return choose(is_small(x), 0, t);
}

/* Quarters of a turn that fall are the complement, by one. */
INLINE uint32_t wave(uint32_t turns, uint32_t sign)
{
    uint32_t f = (turns ^ -(turns >> 23 & 1)) & 0x7fffff;
    int64_t sum = interpolate(sine_pieces, piece_of(f), rest_of(f), SINE_SHIFT, 1);
    return (sign ^ (turns << 7 & 0x80000000)) | cut_fixed(sum, SINE_POINT);
}

INLINE uint32_t interpolated_sin(uint32_t x)
{
    uint32_t r = wave(turns_of(x), x & 0x80000000);
    return choose((x & INFINITY_BITS) == INFINITY_BITS, NAN_BITS, r);
}

INLINE uint32_t interpolated_cos(uint32_t x)
{
    uint32_t r = wave(turns_of(x) + (1u << 23), 0);
    return choose((x & INFINITY_BITS) == INFINITY_BITS, NAN_BITS, r);
}

/* ---- subnormals: what the instructions before and after do that the hardware has for forms without .ftz -----------
 */

/* A subnormal times 2^24, exact; others as they are. */
INLINE uint32_t raised(uint32_t x)
{
    uint32_t m = x & 0x7fffff, y = f32_bits((float)(int32_t)m) - (125u << 23);
    return choose(is_small(x), (x & 0x80000000) | choose(m == 0, 0, y), x);
}

INLINE uint32_t times(uint32_t x, uint32_t by)
{
    float y = f32_from_bits(x) * f32_from_bits(by);
    return choose(y != y, NAN_BITS, f32_bits(y));
}

enum { ONE_BITS = 0x3f800000 };

/* Of numbers beyond 2^126 that of a quarter of them. */
INLINE uint32_t interpolated_rcp(uint32_t x, bool ftz)
{
    uint32_t size = x & 0x7fffffff;
    bool large = (size > 0x7e800000) & (size < INFINITY_BITS);
    if (ftz)
        return rcp_flushed(x);
    uint32_t by = choose(is_small(x), 0x4b800000, choose(large, 0x3e800000, ONE_BITS)); /* 2^24, 1/4 */
    return times(rcp_flushed(raised(x) - choose(large, 2u << 23, 0)), by);
}

INLINE uint32_t interpolated_rsqrt(uint32_t x, bool ftz)
{
    uint32_t by = choose(is_small(x), 0x45800000, ONE_BITS); /* 2^12 */
    return ftz ? rsqrt_flushed(x) : times(rsqrt_flushed(raised(x)), by);
}

INLINE uint32_t interpolated_sqrt(uint32_t x, bool ftz)
{
    uint32_t by = choose(is_small(x), 0x39800000, ONE_BITS); /* 2^-12 */
    return ftz ? sqrt_flushed(x) : times(sqrt_flushed(raised(x)), by);
}

INLINE uint32_t interpolated_lg2(uint32_t x, bool ftz)
{
    if (ftz)
        return lg2_flushed(x);
    uint32_t y = lg2_flushed(raised(x)), lower = f32_bits(f32_from_bits(y) - 24);
    bool small = is_small(x), number = !is_nan_bits(y);
    return choose(small & number, lower, y);
}

/* Below -126 the square of that of half the argument. */
INLINE uint32_t interpolated_ex2(uint32_t x, bool ftz)
{
    bool low = (x > 0xc2fc0000) & (x <= 0xff800000);
    if (ftz)
        return ex2_flushed(x);
    uint32_t y = ex2_flushed(x - choose(low & (x != 0xff800000), 1u << 23, 0));
    return times(y, choose(low, y, ONE_BITS));
}

/* ---- others --------------------------------------------------------------------------------------------------------
 */

INLINE uint32_t interpolated_tanh(uint32_t x)
{
    int32_t binade = (int32_t)(x >> 23 & 255) - TANH_LEAST;
    bool in = (binade >= 0) & (binade < TANH_BINADES);
    const int32_t *b = tanh_binades[0], i = 2 * (int32_t)choose(in, (uint32_t)binade, 0);
    uint32_t f = (x & 0x7fffff) >> b[i + 1];
    int64_t sum = interpolate(tanh_pieces, (uint32_t)b[i] + piece_of(f), rest_of(f), TANH_SHIFT, 1);
    uint32_t y = (x & 0x80000000) | choose(in, cut_fixed(sum, TANH_POINT), ONE_BITS);
    return choose(is_nan_bits(x), NAN_BITS, choose(binade < 0, x, y));
}

/* The upper words of doubles: of the lower word of an argument nothing is seen, that of a result is 0. */
INLINE uint64_t rcp_high(uint64_t bits)
{
    uint32_t x = (uint32_t)(bits >> 32), sign = x & 0x80000000, y = rcp_flushed((x & 0xfffff) << 3 | 0x3f800000);
    int32_t e = (int32_t)(x >> 20 & 2047), top = (int32_t)(y >> 23) - 127 + 2046 - e;
    uint32_t r = top <= 0 ? 0 : (uint32_t)top << 20 | (y & 0x7fffff) >> 3;
    r = sign | (e == 0 ? 0x7ff00000 : e == 2047 ? 0 : r);
    return (uint64_t)(e == 2047 && x & 0xfffff ? NAN_BITS : r) << 32;
}

INLINE uint64_t rsqrt_high(uint64_t bits)
{
    uint32_t x = (uint32_t)(bits >> 32), f = ((x & 0x1fffff) << 3) ^ 0x800000, y = rsqrt_mantissa(f);
    int32_t e = (int32_t)(x >> 20 & 2047);
    uint32_t r = (uint32_t)((int32_t)(y >> 23) - 127 + 1023 - ((e - 1023) >> 1)) << 20 | (y & 0x7fffff) >> 3;
    r = x == 0x7ff00000 ? 0 : x > 0x7ff00000 ? NAN_BITS : r;
    return (uint64_t)(e == 0 ? (x & 0x80000000) | 0x7ff00000 : r) << 32;
}

/* Halves are what the f32 function gives, cut. */
INLINE uint16_t cut_f16(uint32_t x)
{
    uint32_t sign = x >> 16 & 0x8000, m = (x & 0x7fffff) | 0x800000;
    int32_t e = exponent_of(x);
    uint32_t normal = (uint32_t)(e + 15) << 10 | (m & 0x7fffff) >> 13, low = moved(m, 1 + e);
    uint32_t h = sign | (e > 15 ? 0x7c00 : e >= -14 ? normal : low);
    return (uint16_t)(is_nan_bits(x) ? F16_NAN : h);
}

INLINE uint16_t cut_bf16(uint32_t x)
{
    return (uint16_t)(is_nan_bits(x) ? F16_NAN : x >> 16);
}

#endif
