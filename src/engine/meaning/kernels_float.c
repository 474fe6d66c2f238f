/* f32 and f64 arithmetic in every rounding mode: add, sub, mul, div, fma, rcp, sqrt; and the bit operations neg, abs,
 * copysign.
 *
 * Directed rounding sets the host's mode around the loop (round_enter). fma is one rounding everywhere: the host's
 * instruction, or the C library's fma() where the instruction set has none.
 *
 * .approx and .full forms give the correctly rounded result too (named choice: the PTX ISA bounds their error, and zero
 * is within every bound). So LANE_APPROX changes nothing here, not even div.approx.f32 of divisors above 2^126. */
#include "engine/meaning/kernels.h"

#define F32_OPS(X)                     \
    X(add, 2, a + b)                   \
    X(sub, 2, a - b)                   \
    X(mul, 2, (a * b))                 \
    X(div, 2, a / b)                   \
    X(fma, 3, __builtin_fmaf(a, b, c)) \
    X(rcp, 1, (1.0f / a))              \
    X(sqrt, 1, __builtin_sqrtf(a))
#define F64_OPS(X)                    \
    X(add, 2, a + b)                  \
    X(sub, 2, a - b)                  \
    X(mul, 2, (a * b))                \
    X(div, 2, a / b)                  \
    X(fma, 3, __builtin_fma(a, b, c)) \
    X(rcp, 1, (1.0 / a))              \
    X(sqrt, 1, __builtin_sqrt(a))

/* n: how many sources there are; a step's other offsets mean nothing. */
#define F32_KERNEL(name, op, n, round, ftz, sat, expr)                                        \
    static void op##_f32_##name(struct frame *f, const struct kernel_operands *s)             \
    {                                                                                         \
        uint32_t *d = KERNEL_REG(uint32_t, s->d);                                             \
        const float *va = KERNEL_REG(const float, s->a), *vb = KERNEL_REG(const float, s->b); \
        const float *vc = KERNEL_REG(const float, s->c);                                      \
        unsigned mode = round_enter(round);                                                   \
        LANE_LOOP(32)                                                                         \
        {                                                                                     \
            float a = f32_flush(va[l], ftz), b = (n) > 1 ? f32_flush(vb[l], ftz) : 0;         \
            float c = (n) > 2 ? f32_flush(vc[l], ftz) : 0;                                    \
            (void)b, (void)c;                                                                 \
            d[l] = f32_finish(expr, ftz, sat);                                                \
        }                                                                                     \
        round_leave(round, mode);                                                             \
    }
#define F32_ROUND(op, n, expr, r, R)                 \
    F32_KERNEL(r, op, n, R, false, false, expr)      \
    F32_KERNEL(r##_ftz, op, n, R, true, false, expr) \
    F32_KERNEL(r##_sat, op, n, R, false, true, expr) \
    F32_KERNEL(r##_ftz_sat, op, n, R, true, true, expr)
#define F32_OP(op, n, expr)             \
    F32_ROUND(op, n, expr, rn, LANE_RN) \
    F32_ROUND(op, n, expr, rz, LANE_RZ) \
    F32_ROUND(op, n, expr, rm, LANE_RM) \
    F32_ROUND(op, n, expr, rp, LANE_RP)
F32_OPS(F32_OP)

/* A NaN operand decides the result's NaN (f64_finish), so operands that an operation lacks must not be looked at. */
#define F64_KERNEL(r, op, n, round, expr)                                                        \
    static void op##_f64_##r(struct frame *f, const struct kernel_operands *s)                   \
    {                                                                                            \
        uint64_t *d = KERNEL_REG(uint64_t, s->d);                                                \
        const double *va = KERNEL_REG(const double, s->a), *vb = KERNEL_REG(const double, s->b); \
        const double *vc = KERNEL_REG(const double, s->c);                                       \
        unsigned mode = round_enter(round);                                                      \
        LANE_LOOP(32)                                                                            \
        {                                                                                        \
            double a = va[l], b = (n) > 1 ? vb[l] : 0, c = (n) > 2 ? vc[l] : 0;                  \
            d[l] = f64_finish(expr, a, b, c);                                                    \
        }                                                                                        \
        round_leave(round, mode);                                                                \
    }
#define F64_OP(op, n, expr)              \
    F64_KERNEL(rn, op, n, LANE_RN, expr) \
    F64_KERNEL(rz, op, n, LANE_RZ, expr) \
    F64_KERNEL(rm, op, n, LANE_RM, expr) \
    F64_KERNEL(rp, op, n, LANE_RP, expr)
F64_OPS(F64_OP)

static kernel_fn *find_rounded(const struct lane_inst *inst)
{
    bool ftz = inst->flags & LANE_FTZ, sat = inst->flags & LANE_SAT;
    unsigned round = inst->round;
    if (round > LANE_RP || inst->flags & LANE_RELU)
        return NULL;
#define TABLE32(op, ...)                                                      \
    static kernel_fn *const op##_f32[4][4] = {                                \
        {op##_f32_rn, op##_f32_rn_ftz, op##_f32_rn_sat, op##_f32_rn_ftz_sat}, \
        {op##_f32_rz, op##_f32_rz_ftz, op##_f32_rz_sat, op##_f32_rz_ftz_sat}, \
        {op##_f32_rm, op##_f32_rm_ftz, op##_f32_rm_sat, op##_f32_rm_ftz_sat}, \
        {op##_f32_rp, op##_f32_rp_ftz, op##_f32_rp_sat, op##_f32_rp_ftz_sat}, \
    };
#define TABLE64(op, ...) static kernel_fn *const op##_f64[4] = {op##_f64_rn, op##_f64_rz, op##_f64_rm, op##_f64_rp};
    F32_OPS(TABLE32)
    F64_OPS(TABLE64)
    switch (KERNEL_KEY(inst->op, inst->type)) {
#define CASE(op, ...)                          \
    case KERNEL_KEY(LANE_OP_##op, LANE_F32):   \
        return op##_f32[round][ftz + 2 * sat]; \
    case KERNEL_KEY(LANE_OP_##op, LANE_F64):   \
        return sat ? NULL : op##_f64[round];
        F32_OPS(CASE)
    }
    return NULL;
}

/* ---- sign operations: bits only, NaN payloads stay; FTZ flushes ------------------------------------- */

KERNEL1(neg_f32, 32, uint32_t, uint32_t, a ^ 0x80000000)
KERNEL1(neg_f32_ftz, 32, uint32_t, float, f32_bits(f32_flush(a, true)) ^ 0x80000000)
KERNEL1(neg_f64, 32, uint64_t, uint64_t, a ^ 1ull << 63)
KERNEL1(abs_f32, 32, uint32_t, uint32_t, a & 0x7fffffff)
KERNEL1(abs_f32_ftz, 32, uint32_t, float, f32_bits(f32_flush(a, true)) & 0x7fffffff)
KERNEL1(abs_f64, 32, uint64_t, uint64_t, a & ~(1ull << 63))
KERNEL2(copysign_f32, 32, uint32_t, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))
KERNEL2(copysign_f64, 32, uint64_t, uint64_t, uint64_t, (a & 1ull << 63) | (b & ~(1ull << 63)))

kernel_fn *KERNEL_NAME(kernel_find_float)(const struct lane_inst *inst)
{
    bool ftz = inst->flags & LANE_FTZ;
    switch (KERNEL_KEY(inst->op, inst->type)) {
    case KERNEL_KEY(LANE_OP_neg, LANE_F32):
        return ftz ? neg_f32_ftz : neg_f32;
    case KERNEL_KEY(LANE_OP_neg, LANE_F64):
        return neg_f64;
    case KERNEL_KEY(LANE_OP_abs, LANE_F32):
        return ftz ? abs_f32_ftz : abs_f32;
    case KERNEL_KEY(LANE_OP_abs, LANE_F64):
        return abs_f64;
    case KERNEL_KEY(LANE_OP_copysign, LANE_F32):
        return copysign_f32;
    case KERNEL_KEY(LANE_OP_copysign, LANE_F64):
        return copysign_f64;
    }
    return find_rounded(inst);
}
