/* min and max of floats: minmax.h over 32 lanes. LANE_NAN is its `nan`, LANE_ABS its `abs`. */
#include "engine/meaning/minmax.h"

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
