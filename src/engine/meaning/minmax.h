/* min and max of floats, all as integer operations on the bits: the order of sign-magnitude numbers is that of integers
 * once the magnitude bits of negative ones are flipped, and then -0 < +0, which is what the PTX ISA asks for.
 *
 * A NaN loses to a number; of two, or with `nan` of one, the result is the canonical NaN (f64: the last NaN operand,
 * quieted). `abs` (.xorsign.abs) compares magnitudes and gives a number the product of the signs. */
#ifndef ATOLL_ENGINE_INTERP_MINMAX_H
#define ATOLL_ENGINE_INTERP_MINMAX_H

#include "engine/meaning/kernels.h"

#define MINMAX(t, w, infinity)                                                                       \
    static inline int##w##_t t##_order(uint##w##_t x)                                                \
    {                                                                                                \
        uint##w##_t flip = (uint##w##_t)((int##w##_t)x >> ((w)-1)) & ((uint##w##_t) - 1 >> 1);       \
        return (int##w##_t)(x ^ flip);                                                               \
    }                                                                                                \
    static inline uint##w##_t t##_minmax(uint##w##_t a, uint##w##_t b, bool max, bool nan, bool abs) \
    {                                                                                                \
        const uint##w##_t magnitude = (uint##w##_t) - 1 >> 1;                                        \
        uint##w##_t sign = (uint##w##_t)((a ^ b) & ~magnitude);                                      \
        bool nan_a = (a & magnitude) > (infinity), nan_b = (b & magnitude) > (infinity);             \
        uint##w##_t made = t##_nan(nan_b ? b : a);                                                   \
        a = abs ? a & magnitude : a;                                                                 \
        b = abs ? b & magnitude : b;                                                                 \
        bool first = max ? t##_order(a) > t##_order(b) : t##_order(a) < t##_order(b);                \
        uint##w##_t r = first ? a : b;                                                               \
        r = nan_a ? b : r;                                                                           \
        r = nan_b ? a : r;                                                                           \
        r = (uint##w##_t)(r | (abs ? sign : 0));                                                     \
        return (nan ? nan_a | nan_b : nan_a & nan_b) ? made : r;                                     \
    }

/* The NaN that stands for a result: canonical, or made of the operand. */
static inline uint32_t f32_nan(uint32_t operand)
{
    (void)operand;
    return F32_NAN;
}

static inline uint64_t f64_nan(uint64_t operand)
{
    return operand | F64_NAN_QUIET;
}

static inline uint16_t f16_nan(uint16_t operand)
{
    (void)operand;
    return F16_NAN;
}

static inline uint16_t bf16_nan(uint16_t operand)
{
    (void)operand;
    return BF16_NAN;
}

MINMAX(f32, 32, 0x7f800000)
MINMAX(f64, 64, 0x7ff0000000000000)
MINMAX(f16, 16, 0x7c00)
MINMAX(bf16, 16, 0x7f80)

#endif
