/* Arithmetic of halves: add, sub, mul, fma, neg, abs of f16, bf16 and their packed pairs (64 elements). To nearest
 * even.
 *
 * One rounding only: operands widen exactly, the operation is done in f32 or f64, and the result is rounded to the
 * half. Where that could round twice, the wide result is exact or rounded to odd (base/half.h): f16 add, sub   f32: 24
 * >= 2 * 11 + 2 bits make the first rounding harmless (Figueroa); subnormals are exact f16 mul        f32 is exact (22
 * bits, exponents -48..32) f16 fma        product exact in f32, sum rounded to odd bf16 add, sub  f32, as above: 24 >=
 * 2 * 8 + 2; both have the same least exponent bf16 mul       f64 is exact bf16 fma       product exact in f64, sum
 * rounded to odd
 */
#include "engine/meaning/kernels.h"

/* x + y rounded to odd, from the rounded sum and its exact error (Knuth's TwoSum). Infinities and NaNs have a NaN for
 * error and stay. */
#define SUM_ODD(name, F, U, bits_of, from_bits)                                         \
    static inline F name(F x, F y)                                                      \
    {                                                                                   \
        F s = x + y, part = s - x, error = (x - (s - part)) + (y - part);               \
        U bits = bits_of(s), opposite = (bits ^ bits_of(error)) >> (sizeof(U) * 8 - 1); \
        U odd = bits & 1 ? bits : bits + 1 - 2 * opposite;                              \
        U r = error > 0 ? odd : bits;                                                   \
        r = error < 0 ? odd : r;                                                        \
        return from_bits(r);                                                            \
    }
SUM_ODD(f32_sum_odd, float, uint32_t, f32_bits, f32_from_bits)
SUM_ODD(f64_sum_odd, double, uint64_t, f64_bits, f64_from_bits)

static inline float double_odd(double x)
{
    return f32_from_bits(f32_from_f64_odd(x));
}

/* The operations on widened operands; the result is ready to be rounded to the half. */
#define HALF_OPS(X)                              \
    X(add, 2, a + b, a + b)                      \
    X(sub, 2, a - b, a - b)                      \
    X(mul, 2, (a * b), double_odd((double)a *b)) \
    X(fma, 3, f32_sum_odd(a *b, c), double_odd(f64_sum_odd((double)a *b, c)))

/* A block is 32 halves: a scalar register, or half of a packed one. */
#define HALF_BLOCK(name, t, nsrc, ftz, post, expr)                                                                   \
    static __attribute__((noinline)) void name##_block(uint16_t *d, const uint16_t *va, const uint16_t *vb,          \
                                                       const uint16_t *vc)                                           \
    {                                                                                                                \
        _Alignas(64) float x[32], y[32], z[32], r[32];                                                               \
        t##_widen(x, va, ftz);                                                                                       \
        t##_widen(y, vb, ftz);                                                                                       \
        if ((nsrc) > 2)                                                                                              \
            t##_widen(z, vc, ftz);                                                                                   \
        LANE_LOOP(32)                                                                                                \
        {                                                                                                            \
            float a = x[l], b = y[l], c = (nsrc) > 2 ? z[l] : 0;                                                     \
            (void)c;                                                                                                 \
            r[l] = expr;                                                                                             \
        }                                                                                                            \
        t##_narrow(d, r, HALF_RN, ftz, post);                                                                        \
    }                                                                                                                \
    static void name(struct frame *f, const struct kernel_operands *s)                                               \
    {                                                                                                                \
        name##_block(KERNEL_REG(uint16_t, s->d), KERNEL_REG(const uint16_t, s->a), KERNEL_REG(const uint16_t, s->b), \
                     KERNEL_REG(const uint16_t, s->c));                                                              \
    }                                                                                                                \
    static void name##_x2(struct frame *f, const struct kernel_operands *s)                                          \
    {                                                                                                                \
        for (unsigned i = 0; i < 2; i++)                                                                             \
            name##_block(KERNEL_REG(uint16_t, s->d) + 32 * i, KERNEL_REG(const uint16_t, s->a) + 32 * i,             \
                         KERNEL_REG(const uint16_t, s->b) + 32 * i, KERNEL_REG(const uint16_t, s->c) + 32 * i);      \
    }
/* Every FTZ and post-processing, scalar and packed. */
#define VARIANTS(op, t, nsrc, expr)                                              \
    HALF_BLOCK(op##_##t##_none, t, nsrc, false, HALF_NONE, expr)                 \
    HALF_BLOCK(op##_##t##_sat, t, nsrc, false, HALF_SAT, expr)                   \
    HALF_BLOCK(op##_##t##_relu, t, nsrc, false, HALF_RELU, expr)                 \
    HALF_BLOCK(op##_##t##_ftz_none, t, nsrc, true, HALF_NONE, expr)              \
    HALF_BLOCK(op##_##t##_ftz_sat, t, nsrc, true, HALF_SAT, expr)                \
    HALF_BLOCK(op##_##t##_ftz_relu, t, nsrc, true, HALF_RELU, expr)              \
    static kernel_fn *const op##_##t[2][3] = {                                   \
        {op##_##t##_none, op##_##t##_sat, op##_##t##_relu},                      \
        {op##_##t##_ftz_none, op##_##t##_ftz_sat, op##_##t##_ftz_relu},          \
    };                                                                           \
    static kernel_fn *const op##_##t##x2[2][3] = {                               \
        {op##_##t##_none_x2, op##_##t##_sat_x2, op##_##t##_relu_x2},             \
        {op##_##t##_ftz_none_x2, op##_##t##_ftz_sat_x2, op##_##t##_ftz_relu_x2}, \
    };
#define TYPES(op, nsrc, f16_expr, bf16_expr) \
    VARIANTS(op, f16, nsrc, f16_expr)        \
    VARIANTS(op, bf16, nsrc, bf16_expr)
HALF_OPS(TYPES)

/* neg, abs: bits only; NaN payloads stay. */
#define SIGNS(t, n, flush)                                                 \
    KERNEL1(neg_##t, n, uint16_t, uint16_t, a ^ 0x8000)                    \
    KERNEL1(neg_##t##_ftz, n, uint16_t, uint16_t, flush(a, true) ^ 0x8000) \
    KERNEL1(abs_##t, n, uint16_t, uint16_t, a & 0x7fff)                    \
    KERNEL1(abs_##t##_ftz, n, uint16_t, uint16_t, flush(a, true) & 0x7fff)
SIGNS(f16, 32, f16_flush)
SIGNS(f16x2, 64, f16_flush)
SIGNS(bf16, 32, bf16_flush)
SIGNS(bf16x2, 64, bf16_flush)

kernel_fn *KERNEL_NAME(kernel_find_half)(const struct lane_inst *inst)
{
    bool ftz = inst->flags & LANE_FTZ;
    unsigned post = kernel_half_post(inst->flags);
    if (inst->round != LANE_RN || post == HALF_POSTS)
        return NULL;
    switch (KERNEL_KEY(inst->op, inst->type)) {
#define CASES(op, ...)                          \
    case KERNEL_KEY(LANE_OP_##op, LANE_F16):    \
        return op##_f16[ftz][post];             \
    case KERNEL_KEY(LANE_OP_##op, LANE_F16X2):  \
        return op##_f16x2[ftz][post];           \
    case KERNEL_KEY(LANE_OP_##op, LANE_BF16):   \
        return op##_bf16[ftz][post];            \
    case KERNEL_KEY(LANE_OP_##op, LANE_BF16X2): \
        return op##_bf16x2[ftz][post];
        HALF_OPS(CASES)
#define SIGN_CASES(op, t, T)                 \
    case KERNEL_KEY(LANE_OP_##op, LANE_##T): \
        return ftz ? op##_##t##_ftz : op##_##t;
        SIGN_CASES(neg, f16, F16)
        SIGN_CASES(neg, f16x2, F16X2)
        SIGN_CASES(neg, bf16, BF16)
        SIGN_CASES(neg, bf16x2, BF16X2)
        SIGN_CASES(abs, f16, F16)
        SIGN_CASES(abs, f16x2, F16X2)
        SIGN_CASES(abs, bf16, BF16)
        SIGN_CASES(abs, bf16x2, BF16X2)
    }
    return NULL;
}
