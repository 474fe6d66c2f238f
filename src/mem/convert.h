/* Conversions between one component of a texel and the 32-bit value that an instruction sees. Kept branch-free so that
 * the loops of the warp engine vectorise; format.c and surface_warp.c share them.
 *
 * Sources: sust.p on an RTX 3060 for integer and float formats, on an H100 (tests/hw) for these and for unorm and snorm
 * in fixed point; else unorm and snorm are OpenCL's convert_*_sat_rte. */
#ifndef ATOLL_MEM_CONVERT_H
#define ATOLL_MEM_CONVERT_H

#include "base/half.h"

/* All ones in the low `bits` (1..32). */
static inline uint32_t convert_max(unsigned bits)
{
    return UINT32_MAX >> (32 - bits);
}

static inline uint32_t convert_to_uint(uint32_t v, uint32_t max)
{
    return v < max ? v : max;
}

/* max = 2^(bits-1) - 1. The result's upper bits are sign bits: mask them. */
static inline uint32_t convert_to_sint(uint32_t v, uint32_t max)
{
    int32_t high = (int32_t)max, low = -high - 1, s = (int32_t)v;
    s = s < low ? low : s;
    return (uint32_t)(s > high ? high : s);
}

/* rint(v * max) to an integer, half to even. |v| <= 1 has 24 significant bits and max at most 16, so the product is
 * exact in a double; adding 1.5 * 2^52 rounds it to an integer, which then is in the low bits. */
static inline uint32_t convert_scale(float v, uint32_t max)
{
    return (uint32_t)f64_bits((double)v * (double)(int32_t)max + 0x1.8p52);
}

/* In fixed point, as an H100 does it: v's magnitude with four bits more than the result has, what is beyond them
 * dropped, times max; the nearest number, the lower one where two are as near. So it is there for all codes of 7, 8,
 * 10, 15 and 16 bits: the least v of each was searched for. `bits` without the sign; 0 <= v <= 1. */
static inline uint32_t convert_scale_fixed(float v, unsigned bits)
{
    uint64_t x = (uint64_t)(int64_t)(v * (float)(UINT32_C(16) << bits));
    return (uint32_t)(((x << bits) - x + (UINT64_C(8) << bits) - 1) >> (bits + 4));
}

/* Clamped; NaN becomes 0. */
static inline float convert_clamp(uint32_t v, float low)
{
    float f = f32_from_bits(v);
    f = f == f ? f : 0.0f;
    f = f > low ? f : low;
    return f < 1.0f ? f : 1.0f;
}

/* max = 2^bits - 1 */
static inline uint32_t convert_to_unorm(uint32_t v, uint32_t max)
{
    return convert_scale(convert_clamp(v, 0.0f), max);
}

/* The two bits of rgb10a2unorm come from ten: 0 below 192, 1 below 512, 2 below 832 (H100). */
static inline uint32_t convert_to_unorm_fixed(uint32_t v, unsigned bits)
{
    uint32_t code = convert_scale_fixed(convert_clamp(v, 0.0f), bits == 2 ? 10 : bits);
    return bits == 2 ? (code >= 192 ? 1u : 0) + (code >= 512 ? 1u : 0) + (code >= 832 ? 1u : 0) : code;
}

/* max = 2^(bits-1) - 1; -max - 1 is never written. Mask the result's upper bits. */
static inline uint32_t convert_to_snorm(uint32_t v, uint32_t max)
{
    return convert_scale(convert_clamp(v, -1.0f), max);
}

/* bits: with the sign. */
static inline uint32_t convert_to_snorm_fixed(uint32_t v, unsigned bits)
{
    float f = convert_clamp(v, -1.0f);
    uint32_t code = convert_scale_fixed(f < 0 ? -f : f, bits - 1);
    return f < 0 ? -code : code;
}

/* f16: toward zero, finite numbers at most to +-65504. A NaN keeps its sign and the top of its payload; a payload whose
 * top is 0 would read as infinity and becomes 1 (H100). */
static inline uint32_t convert_to_f16(uint32_t v)
{
    uint32_t m = v & 0x7fffffff, sign = v >> 16 & 0x8000;
    uint32_t number = f16_from_f32_bits(v, HALF_RZ) & 0x7fffu;
    uint32_t limit = m < 0x7f800000 ? 0x7bff : 0x7c00;
    uint32_t payload = m >> 13 & 0x3ff;
    uint32_t nan = 0x7c00 | (payload ? payload : 1);
    number = number < limit ? number : limit;
    return sign | (m > 0x7f800000 ? nan : number);
}

/* The unsigned floats of r11g11b10float: 5 exponent bits and `bits` - 5 of mantissa, no sign; f16 less its sign and
 * its low mantissa bits. Named choice: negative values (-0 too) become 0; rounding, infinity and NaN as for f16. */
static inline uint32_t convert_to_small(uint32_t v, unsigned bits)
{
    unsigned drop = 15 - bits;
    uint32_t half = convert_to_f16(v), m = half & 0x7fff;
    uint32_t number = half >> 15 ? 0 : m >> drop;
    uint32_t payload = (m & 0x3ff) >> drop;
    uint32_t nan = 0x7c00u >> drop | (payload ? payload : 1);
    return m > 0x7c00 ? nan : number;
}

static inline uint32_t convert_from_small(uint32_t c, unsigned bits)
{
    return f16_to_f32_bits((uint16_t)(c << (15 - bits)));
}

/* c / max: both are exact in f32, so the division rounds once. */
static inline uint32_t convert_from_unorm(uint32_t c, uint32_t max)
{
    return f32_bits((float)(int32_t)c / (float)(int32_t)max);
}

/* `c` sign-extended, max = 2^(bits-1) - 1. */
static inline uint32_t convert_from_snorm(int32_t c, uint32_t max)
{
    float f = (float)c / (float)(int32_t)max;
    return f32_bits(f > -1.0f ? f : -1.0f);
}

#endif
