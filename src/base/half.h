/* Half-precision floats in software: f16 (IEEE binary16: 1 sign, 5 exponent, 10 mantissa bits) and bf16 (the upper half
 * of an f32), exactly, in every rounding mode and without touching the host's floating-point environment.
 *
 * Everything here is branch-free integer arithmetic where it can be, so that loops around it vectorise; the rounding
 * mode is meant to be a compile-time constant.
 *
 * Rounding once: a value that is computed in more precision than f32 goes through `f32_from_f64_odd` (round to odd
 * keeps one sticky bit) and then through f16_from_f32 / bf16_from_f32; the two steps round like one (Boldo and
 * Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008), because
 * f32 has at least two more mantissa bits than either half.
 */
#ifndef ATOLL_BASE_HALF_H
#define ATOLL_BASE_HALF_H

#include <stdint.h>
#include <string.h>

/* Nearest even, toward zero, down, up, nearest with ties away from zero. The order is that of enum lane_round. */
enum half_round { HALF_RN, HALF_RZ, HALF_RM, HALF_RP, HALF_RNA };

/* What a NaN becomes (PTX ISA: canonical NaNs of .f16 and .bf16). */
enum { F16_NAN = 0x7fff, BF16_NAN = 0x7fff };

static inline uint32_t f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float f32_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t f64_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double f64_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 1 if a magnitude q + rest (rest in units where `half` is half a unit of q) rounds up to q + 1, else 0. sign: 0 or 1.
 * Conditions are spelled as selections, which gcc vectorises; it does not vectorise conversions of truth values. */
static inline uint32_t half_increment(uint32_t q, uint32_t rest, uint32_t half, uint32_t sign, enum half_round round)
{
    switch (round) {
    case HALF_RN:
        return rest + (q & 1) > half ? 1 : 0;
    case HALF_RZ:
        return 0;
    case HALF_RM:
        return rest != 0 ? sign : 0;
    case HALF_RP:
        return rest != 0 ? sign ^ 1 : 0;
    case HALF_RNA:
        return rest >= half ? 1 : 0;
    }
    return 0;
}

/* The largest magnitude that a finite value may round to: infinity, or the largest finite number where the mode
 * rounds away from infinity. `infinity` is the bit pattern of +infinity. */
static inline uint32_t half_limit(uint32_t infinity, uint32_t sign, enum half_round round)
{
    uint32_t stay = round == HALF_RZ ? 1 : round == HALF_RM ? sign ^ 1 : round == HALF_RP ? sign : 0;
    return infinity - stay;
}

/* The f16 bits of f32 bits. A NaN becomes F16_NAN. */
static inline uint16_t f16_from_f32_bits(uint32_t bits, enum half_round round)
{
    uint32_t sign = bits >> 31, m = bits & 0x7fffffff, e = m >> 23;
    /* Normal results (e >= 113): move the bias from 127 to 15 and drop 13 bits. Subnormal results: the unit is 2^-24,
     * so the significand shifts by 126 - e; 31 is as good as more. f32 subnormals (e = 0) only leave a sticky bit. */
    uint32_t normal_sig = m - (112u << 23);
    uint32_t small_sig = (m & 0x7fffff) | (uint32_t)(e != 0) << 23;
    uint32_t small_shift = e < 95 ? 31 : 126 - e;
    uint32_t sig = e >= 113 ? normal_sig : small_sig;
    uint32_t shift = e >= 113 ? 13 : small_shift;
    uint32_t q = sig >> shift, rest = sig & ((1u << shift) - 1);
    q += half_increment(q, rest, 1u << (shift - 1), sign, round);
    uint32_t limit = half_limit(0x7c00, sign, round);
    q = q > limit ? limit : q;
    q = m == 0x7f800000 ? 0x7c00 : q;
    q |= sign << 15;
    return (uint16_t)(m > 0x7f800000 ? F16_NAN : q);
}

/* The bf16 bits of f32 bits: the same exponent range, 16 mantissa bits fewer. A NaN becomes BF16_NAN. */
static inline uint16_t bf16_from_f32_bits(uint32_t bits, enum half_round round)
{
    uint32_t sign = bits >> 31, m = bits & 0x7fffffff;
    uint32_t q = m >> 16;
    q += half_increment(q, m & 0xffff, 0x8000, sign, round);
    uint32_t limit = half_limit(0x7f80, sign, round);
    q = q > limit ? limit : q;
    q = m == 0x7f800000 ? 0x7f80 : q;
    q |= sign << 15;
    return (uint16_t)(m > 0x7f800000 ? BF16_NAN : q);
}

static inline uint16_t f16_from_f32(float x, enum half_round round)
{
    return f16_from_f32_bits(f32_bits(x), round);
}

static inline uint16_t bf16_from_f32(float x, enum half_round round)
{
    return bf16_from_f32_bits(f32_bits(x), round);
}

/* The f32 bits of an f16; exact. A NaN keeps sign, quiet bit and payload. */
static inline uint32_t f16_to_f32_bits(uint16_t half)
{
    uint32_t h = half, sign = (h & 0x8000) << 16, m = h & 0x7fff;
    uint32_t normal = (m << 13) + (112u << 23);
    uint32_t special = (m << 13) | 0x7f800000;
    /* A subnormal is m * 2^-24: exact in f32, and the conversion normalises it. */
    uint32_t small = f32_bits((float)(int32_t)m * 0x1p-24f);
    uint32_t r = m < 0x0400 ? small : normal;
    r = m >= 0x7c00 ? special : r;
    return r | sign;
}

static inline float f16_to_f32(uint16_t half)
{
    return f32_from_bits(f16_to_f32_bits(half));
}

static inline float bf16_to_f32(uint16_t half)
{
    return f32_from_bits((uint32_t)half << 16);
}

/* The f32 bits of a double rounded to odd: toward zero, and the last bit set if that lost anything. A NaN stays a NaN.
 */
static inline uint32_t f32_from_f64_odd(double x)
{
    float f = (float)x; /* any rounding of the host will do: it is one of the two neighbours */
    uint32_t bits = f32_bits(f);
    double back = (double)f;
    uint64_t mag_x = f64_bits(x) << 1, mag_back = f64_bits(back) << 1;
    /* Even and too small: the odd neighbour is one up; even and too large: one down. */
    uint32_t even = ~bits & 1;
    uint32_t up = mag_back < mag_x ? even : 0, down = mag_back > mag_x ? even : 0;
    return x != x ? 0x7fffffff : bits + up - down;
}

static inline uint16_t f16_from_f64(double x, enum half_round round)
{
    return f16_from_f32_bits(f32_from_f64_odd(x), round);
}

static inline uint16_t bf16_from_f64(double x, enum half_round round)
{
    return bf16_from_f32_bits(f32_from_f64_odd(x), round);
}

#endif
