/* min and max of floats, all as integer operations on the bits: the order of sign-magnitude numbers is that of integers
 * once the magnitude bits of negative ones are flipped, and then -0 < +0, which is what the PTX ISA asks for.
 *
 * A NaN loses to a number; of two, or with LANE_NAN of one, the result is the canonical NaN (f64: the first NaN
 * operand, quieted). LANE_ABS (.xorsign.abs) compares magnitudes and gives a number the product of the signs. */
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
        uint##w##_t made = t##_nan(nan_a ? a : b);                                                   \
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

static inline uint32_t f32_bits_flush(uint32_t bits, bool ftz)
{
    return f32_bits(f32_flush(f32_from_bits(bits), ftz));
}

static inline uint64_t f64_flush(uint64_t bits, bool ftz)
{
    (void)ftz; /* f64 never flushes */
    return bits;
}

#define KERNEL(name, n, t, w, flush, max, ftz, nan, abs) \
    KERNEL2(name, n, uint##w##_t, uint##w##_t, uint##w##_t, t##_minmax(flush(a, ftz), flush(b, ftz), max, nan, abs))
/* Eight variants, indexed by ftz + 2 * nan + 4 * abs. */
#define VARIANTS(name, n, t, w, flush, max)                    \
    KERNEL(name##_0, n, t, w, flush, max, false, false, false) \
    KERNEL(name##_1, n, t, w, flush, max, true, false, false)  \
    KERNEL(name##_2, n, t, w, flush, max, false, true, false)  \
    KERNEL(name##_3, n, t, w, flush, max, true, true, false)   \
    KERNEL(name##_4, n, t, w, flush, max, false, false, true)  \
    KERNEL(name##_5, n, t, w, flush, max, true, false, true)   \
    KERNEL(name##_6, n, t, w, flush, max, false, true, true)   \
    KERNEL(name##_7, n, t, w, flush, max, true, true, true)    \
    static kernel_fn *const name[8] = {name##_0, name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, name##_7};
VARIANTS(min_f32, 32, f32, 32, f32_bits_flush, false)
VARIANTS(max_f32, 32, f32, 32, f32_bits_flush, true)
VARIANTS(min_f64, 32, f64, 64, f64_flush, false)
VARIANTS(max_f64, 32, f64, 64, f64_flush, true)
VARIANTS(min_f16, 32, f16, 16, f16_flush, false)
VARIANTS(max_f16, 32, f16, 16, f16_flush, true)
VARIANTS(min_f16x2, 64, f16, 16, f16_flush, false)
VARIANTS(max_f16x2, 64, f16, 16, f16_flush, true)
VARIANTS(min_bf16, 32, bf16, 16, bf16_flush, false)
VARIANTS(max_bf16, 32, bf16, 16, bf16_flush, true)
VARIANTS(min_bf16x2, 64, bf16, 16, bf16_flush, false)
VARIANTS(max_bf16x2, 64, bf16, 16, bf16_flush, true)

kernel_fn *KERNEL_NAME(kernel_find_minmax)(const struct lane_inst *inst)
{
    unsigned variant =
        (inst->flags & LANE_FTZ ? 1u : 0) + (inst->flags & LANE_NAN ? 2u : 0) + (inst->flags & LANE_ABS ? 4u : 0);
    if (inst->flags & LANE_RELU)
        return NULL;
    switch (KERNEL_KEY(inst->op, inst->type)) {
#define CASES(t, T)                         \
    case KERNEL_KEY(LANE_OP_min, LANE_##T): \
        return min_##t[variant];            \
    case KERNEL_KEY(LANE_OP_max, LANE_##T): \
        return max_##t[variant];
        CASES(f32, F32)
        CASES(f64, F64)
        CASES(f16, F16)
        CASES(f16x2, F16X2)
        CASES(bf16, BF16)
        CASES(bf16x2, BF16X2)
    }
    return NULL;
}
