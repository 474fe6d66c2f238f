/* cvt between floats, and cvtpack.
 *
 * Narrowing rounds once in the mode asked for; widening is exact; the same type may round to an integral value
 * (RNI..RPI). Rounding modes RN..RP on an exact conversion change nothing. NaN: f32 and halves the canonical one; f64
 * the operand's, widened and quieted. */
#include "engine/meaning/kernels.h"

/* X(name, enum half_round) */
#define ROUNDS(X, ...)          \
    X(rn, HALF_RN, __VA_ARGS__) \
    X(rz, HALF_RZ, __VA_ARGS__) \
    X(rm, HALF_RM, __VA_ARGS__) \
    X(rp, HALF_RP, __VA_ARGS__) \
    X(rna, HALF_RNA, __VA_ARGS__)
_Static_assert((int)LANE_RN == HALF_RN && (int)LANE_RZ == HALF_RZ && (int)LANE_RM == HALF_RM && (int)LANE_RP == HALF_RP,
               "half_round follows lane_round");

/* X(name, post) */
#define POSTS(X, ...)               \
    X(none, HALF_NONE, __VA_ARGS__) \
    X(sat, HALF_SAT, __VA_ARGS__)   \
    X(relu, HALF_RELU, __VA_ARGS__)

/* Sources as 32 f32: exact, but f64 to odd (base/half.h). */
static inline void f32_load(float *out, const void *regs, bool ftz)
{
    const float *in = regs;
    LANE_LOOP(32)
    out[l] = f32_flush(in[l], ftz);
}

static inline void f64_load(float *out, const void *regs, bool ftz)
{
    const double *in = regs;
    (void)ftz;
    LANE_LOOP(32)
    out[l] = f32_from_bits(f32_from_f64_odd(in[l]));
}

static inline void f16_load(float *out, const void *regs, bool ftz)
{
    (void)ftz; /* concerns f32 only */
    f16_widen(out, regs, false);
}

static inline void bf16_load(float *out, const void *regs, bool ftz)
{
    (void)ftz;
    bf16_widen(out, regs, false);
}

/* ---- to halves ------------------------------------------------------------------------------------------- */

#define TO_HALF(name, post, rt, round, dt, st, ftz)                                               \
    static void cvt_##rt##_##name##_##dt##_##st(struct frame *f, const struct kernel_operands *s) \
    {                                                                                             \
        _Alignas(64) float x[32];                                                                 \
        st##_load(x, KERNEL_REG(const uint16_t, s->a), ftz);                                      \
        dt##_narrow(KERNEL_REG(uint16_t, s->d), x, round, false, post);                           \
    }
#define f32ftz_load                           f32_load
#define TO_HALF_ROUND(rt, round, dt, st, ftz) POSTS(TO_HALF, rt, round, dt, st, ftz)
ROUNDS(TO_HALF_ROUND, f16, f32, false)
ROUNDS(TO_HALF_ROUND, f16, f32ftz, true)
ROUNDS(TO_HALF_ROUND, f16, f64, false)
ROUNDS(TO_HALF_ROUND, f16, bf16, false)
ROUNDS(TO_HALF_ROUND, bf16, f32, false)
ROUNDS(TO_HALF_ROUND, bf16, f32ftz, true)
ROUNDS(TO_HALF_ROUND, bf16, f64, false)
ROUNDS(TO_HALF_ROUND, bf16, f16, false)

/* cvtpack of f32: d = {a high, b low}. */
#define PACK(name, post, rt, round, dt, st, ftz)                                                   \
    static void pack_##rt##_##name##_##dt##_##st(struct frame *f, const struct kernel_operands *s) \
    {                                                                                              \
        _Alignas(64) float x[32];                                                                  \
        _Alignas(64) uint16_t high[32], low[32];                                                   \
        uint32_t *d = KERNEL_REG(uint32_t, s->d);                                                  \
        f32_load(x, KERNEL_REG(const float, s->a), ftz);                                           \
        dt##_narrow(high, x, round, false, post);                                                  \
        f32_load(x, KERNEL_REG(const float, s->b), ftz);                                           \
        dt##_narrow(low, x, round, false, post);                                                   \
        LANE_LOOP(32)                                                                              \
        d[l] = (uint32_t)high[l] << 16 | low[l];                                                   \
    }
#define PACK_ROUND(rt, round, dt, st, ftz) POSTS(PACK, rt, round, dt, st, ftz)
ROUNDS(PACK_ROUND, f16, f32, false)
ROUNDS(PACK_ROUND, f16, f32ftz, true)
ROUNDS(PACK_ROUND, bf16, f32, false)
ROUNDS(PACK_ROUND, bf16, f32ftz, true)

/* Tables of the kernels above: [round][post]. */
#define HALF_ROW(rt, round, kind, dt, st) \
    {kind##_##rt##_none_##dt##_##st, kind##_##rt##_sat_##dt##_##st, kind##_##rt##_relu_##dt##_##st},
#define HALF_TABLE(kind, dt, st)       \
    {                                  \
        ROUNDS(HALF_ROW, kind, dt, st) \
    }

static unsigned half_round_of(unsigned round)
{
    return round <= LANE_RP ? round : round == LANE_RNA ? HALF_RNA : UINT32_MAX;
}

static kernel_fn *find_to_half(const struct lane_inst *inst)
{
    static kernel_fn *const table[2][4][5][3] = {
        {HALF_TABLE(cvt, f16, f32), HALF_TABLE(cvt, f16, f32ftz), HALF_TABLE(cvt, f16, f64),
         HALF_TABLE(cvt, f16, bf16)},
        {HALF_TABLE(cvt, bf16, f32), HALF_TABLE(cvt, bf16, f32ftz), HALF_TABLE(cvt, bf16, f64),
         HALF_TABLE(cvt, bf16, f16)},
    };
    unsigned round = half_round_of(inst->round), post = kernel_half_post(inst->flags);
    unsigned from = inst->type2 == LANE_F32 ? (inst->flags & LANE_FTZ ? 1 : 0) : inst->type2 == LANE_F64 ? 2 : 3;
    if (round == UINT32_MAX || post == HALF_POSTS)
        return NULL;
    return table[inst->type == LANE_BF16][from][round][post];
}

/* cvtpack of s32 always saturates. */
static inline uint32_t clamp_s32(int32_t x, int32_t lo, int32_t hi)
{
    x = x < lo ? lo : x;
    return (uint32_t)(x > hi ? hi : x) & 0xffff;
}
KERNEL2(pack_u16x2, 32, uint32_t, int32_t, int32_t, clamp_s32(a, 0, UINT16_MAX) << 16 | clamp_s32(b, 0, UINT16_MAX))
KERNEL2(pack_s16x2, 32, uint32_t, int32_t, int32_t,
        clamp_s32(a, INT16_MIN, INT16_MAX) << 16 | clamp_s32(b, INT16_MIN, INT16_MAX))

static kernel_fn *find_pack(const struct lane_inst *inst)
{
    static kernel_fn *const table[2][2][5][3] = {
        {HALF_TABLE(pack, f16, f32), HALF_TABLE(pack, f16, f32ftz)},
        {HALF_TABLE(pack, bf16, f32), HALF_TABLE(pack, bf16, f32ftz)},
    };
    unsigned round = half_round_of(inst->round), post = kernel_half_post(inst->flags);
    if (inst->type2 == LANE_S32 && (inst->type == LANE_U16X2 || inst->type == LANE_S16X2))
        return inst->type == LANE_U16X2 ? pack_u16x2 : pack_s16x2;
    if (inst->type2 != LANE_F32 || round == UINT32_MAX || post == HALF_POSTS)
        return NULL;
    if (inst->type != LANE_F16X2 && inst->type != LANE_BF16X2)
        return NULL;
    return table[inst->type == LANE_BF16X2][inst->flags & LANE_FTZ ? 1 : 0][round][post];
}

/* ---- to f32 ---------------------------------------------------------------------------------------------- */

/* f64 to f32: the host rounds to nearest; directed modes then step to the neighbour on the right side. */
static inline float f32_from_f64(double x, enum lane_round round)
{
    float f = (float)x;
    double back = (double)f;
    uint32_t bits = f32_bits(f);
    uint32_t outward = bits + 1, inward = bits - 1, down = bits >> 31 ? outward : inward,
             up = bits >> 31 ? inward : outward;
    if (round == LANE_RZ)
        bits = (f64_bits(back) & INT64_MAX) > (f64_bits(x) & INT64_MAX) && x == x ? inward : bits;
    if (round == LANE_RM)
        bits = back > x ? down : bits;
    if (round == LANE_RP)
        bits = back < x ? up : bits;
    return f32_from_bits(bits);
}

#define F64_TO_F32(rt, round)                                                                              \
    KERNEL1(cvt_##rt##_f32_f64, 32, uint32_t, double, f32_finish(f32_from_f64(a, round), false, false))    \
    KERNEL1(cvt_##rt##_f32_f64_ftz, 32, uint32_t, double, f32_finish(f32_from_f64(a, round), true, false)) \
    KERNEL1(cvt_##rt##_f32_f64_sat, 32, uint32_t, double, f32_finish(f32_from_f64(a, round), false, true)) \
    KERNEL1(cvt_##rt##_f32_f64_ftz_sat, 32, uint32_t, double, f32_finish(f32_from_f64(a, round), true, true))
F64_TO_F32(rn, LANE_RN)
F64_TO_F32(rz, LANE_RZ)
F64_TO_F32(rm, LANE_RM)
F64_TO_F32(rp, LANE_RP)

/* From f32 itself, rounded to an integral value or not, and from halves. */
#define F32_TO_F32(rt, ftz, expr)                                                           \
    static inline float rt##_f32(float a)                                                   \
    {                                                                                       \
        a = f32_flush(a, ftz);                                                              \
        return expr;                                                                        \
    }                                                                                       \
    KERNEL1(cvt_##rt##_f32_f32, 32, uint32_t, float, f32_finish(rt##_f32(a), false, false)) \
    KERNEL1(cvt_##rt##_f32_f32_sat, 32, uint32_t, float, f32_finish(rt##_f32(a), false, true))
F32_TO_F32(same, false, a)
F32_TO_F32(rni, false, __builtin_rintf(a))
F32_TO_F32(rzi, false, __builtin_truncf(a))
F32_TO_F32(rmi, false, __builtin_floorf(a))
F32_TO_F32(rpi, false, __builtin_ceilf(a))
F32_TO_F32(same_ftz, true, a)
F32_TO_F32(rmi_ftz, true, __builtin_floorf(a))
F32_TO_F32(rpi_ftz, true, __builtin_ceilf(a))

#define HALF_TO_F32(st, name, ftz, sat)                                              \
    static void cvt_f32_##st##name(struct frame *f, const struct kernel_operands *s) \
    {                                                                                \
        _Alignas(64) float x[32];                                                    \
        uint32_t *d = KERNEL_REG(uint32_t, s->d);                                    \
        st##_widen(x, KERNEL_REG(const uint16_t, s->a), false);                      \
        LANE_LOOP(32)                                                                \
        d[l] = f32_finish(x[l], ftz, sat);                                           \
    }
#define HALVES_TO_F32(st)              \
    HALF_TO_F32(st, , false, false)    \
    HALF_TO_F32(st, _ftz, true, false) \
    HALF_TO_F32(st, _sat, false, true) \
    HALF_TO_F32(st, _ftz_sat, true, true)
HALVES_TO_F32(f16)
HALVES_TO_F32(bf16)

/* Index of a table of five: 0 no integral rounding, 1..4 RNI..RPI; 5 where it is not allowed. */
static unsigned integral_of(unsigned round)
{
    return round <= LANE_RP ? 0 : round <= LANE_RPI ? round - LANE_RNI + 1 : 5;
}

static kernel_fn *find_to_f32(const struct lane_inst *inst)
{
    static kernel_fn *const from_f64[4][4] = {
        {cvt_rn_f32_f64, cvt_rn_f32_f64_ftz, cvt_rn_f32_f64_sat, cvt_rn_f32_f64_ftz_sat},
        {cvt_rz_f32_f64, cvt_rz_f32_f64_ftz, cvt_rz_f32_f64_sat, cvt_rz_f32_f64_ftz_sat},
        {cvt_rm_f32_f64, cvt_rm_f32_f64_ftz, cvt_rm_f32_f64_sat, cvt_rm_f32_f64_ftz_sat},
        {cvt_rp_f32_f64, cvt_rp_f32_f64_ftz, cvt_rp_f32_f64_sat, cvt_rp_f32_f64_ftz_sat},
    };
    /* An integral value is never subnormal, and RNI and RZI make a subnormal a zero of its sign: as FTZ would. */
    static kernel_fn *const from_f32[5][4] = {
        {cvt_same_f32_f32, cvt_same_ftz_f32_f32, cvt_same_f32_f32_sat, cvt_same_ftz_f32_f32_sat},
        {cvt_rni_f32_f32, cvt_rni_f32_f32, cvt_rni_f32_f32_sat, cvt_rni_f32_f32_sat},
        {cvt_rzi_f32_f32, cvt_rzi_f32_f32, cvt_rzi_f32_f32_sat, cvt_rzi_f32_f32_sat},
        {cvt_rmi_f32_f32, cvt_rmi_ftz_f32_f32, cvt_rmi_f32_f32_sat, cvt_rmi_ftz_f32_f32_sat},
        {cvt_rpi_f32_f32, cvt_rpi_ftz_f32_f32, cvt_rpi_f32_f32_sat, cvt_rpi_ftz_f32_f32_sat},
    };
    static kernel_fn *const from_half[2][4] = {
        {cvt_f32_f16, cvt_f32_f16_ftz, cvt_f32_f16_sat, cvt_f32_f16_ftz_sat},
        {cvt_f32_bf16, cvt_f32_bf16_ftz, cvt_f32_bf16_sat, cvt_f32_bf16_ftz_sat},
    };
    unsigned variant = (inst->flags & LANE_FTZ ? 1u : 0) + (inst->flags & LANE_SAT ? 2u : 0);
    unsigned integral = integral_of(inst->round);
    if (inst->type2 == LANE_F32)
        return integral < 5 ? from_f32[integral][variant] : NULL;
    if (inst->round > LANE_RP)
        return NULL;
    return inst->type2 == LANE_F64 ? from_f64[inst->round][variant] : from_half[inst->type2 == LANE_BF16][variant];
}

/* ---- to f64, and halves to themselves ------------------------------------------------------------------- */

#define F64_TO_F64(rt, expr)                                                     \
    KERNEL1(cvt_##rt##_f64_f64, 32, uint64_t, double, f64_finish(expr, a, 0, 0)) \
    KERNEL1(cvt_##rt##_f64_f64_sat, 32, double, double, f64_clamp(expr))
F64_TO_F64(same, a)
F64_TO_F64(rni, __builtin_rint(a))
F64_TO_F64(rzi, __builtin_trunc(a))
F64_TO_F64(rmi, __builtin_floor(a))
F64_TO_F64(rpi, __builtin_ceil(a))

#define TO_F64(st, ftz)                                                              \
    static void cvt_f64_##st(struct frame *f, const struct kernel_operands *s)       \
    {                                                                                \
        _Alignas(64) float x[32];                                                    \
        uint64_t *d = KERNEL_REG(uint64_t, s->d);                                    \
        st##_load(x, KERNEL_REG(const uint16_t, s->a), ftz);                         \
        LANE_LOOP(32)                                                                \
        d[l] = f64_finish((double)x[l], (double)x[l], 0, 0);                         \
    }                                                                                \
    static void cvt_f64_##st##_sat(struct frame *f, const struct kernel_operands *s) \
    {                                                                                \
        _Alignas(64) float x[32];                                                    \
        double *d = KERNEL_REG(double, s->d);                                        \
        st##_load(x, KERNEL_REG(const uint16_t, s->a), ftz);                         \
        LANE_LOOP(32)                                                                \
        d[l] = f64_clamp(x[l]);                                                      \
    }
TO_F64(f16, false)
TO_F64(bf16, false)
TO_F64(f32, false)
TO_F64(f32ftz, true)

static kernel_fn *find_to_f64(const struct lane_inst *inst)
{
    static kernel_fn *const from_f64[5][2] = {
        {cvt_same_f64_f64, cvt_same_f64_f64_sat}, {cvt_rni_f64_f64, cvt_rni_f64_f64_sat},
        {cvt_rzi_f64_f64, cvt_rzi_f64_f64_sat},   {cvt_rmi_f64_f64, cvt_rmi_f64_f64_sat},
        {cvt_rpi_f64_f64, cvt_rpi_f64_f64_sat},
    };
    static kernel_fn *const wider[4][2] = {
        {cvt_f64_f16, cvt_f64_f16_sat},
        {cvt_f64_bf16, cvt_f64_bf16_sat},
        {cvt_f64_f32, cvt_f64_f32_sat},
        {cvt_f64_f32ftz, cvt_f64_f32ftz_sat},
    };
    bool sat = inst->flags & LANE_SAT;
    unsigned integral = integral_of(inst->round);
    if (inst->type2 == LANE_F64)
        return integral < 5 ? from_f64[integral][sat] : NULL;
    if (integral != 0)
        return NULL;
    unsigned from = inst->type2 == LANE_F32 && inst->flags & LANE_FTZ ? 3 : inst->type2 - LANE_F16;
    return wider[from][sat];
}

#define HALF_TO_SELF(name, post, rt, t, expr)                                                   \
    static void cvt_##rt##_##name##_##t##_##t(struct frame *f, const struct kernel_operands *s) \
    {                                                                                           \
        _Alignas(64) float x[32];                                                               \
        t##_widen(x, KERNEL_REG(const uint16_t, s->a), false);                                  \
        LANE_LOOP(32)                                                                           \
        {                                                                                       \
            float a = x[l];                                                                     \
            x[l] = expr;                                                                        \
        }                                                                                       \
        t##_narrow(KERNEL_REG(uint16_t, s->d), x, HALF_RN, false, post);                        \
    }
#define HALVES_TO_SELF(t)                            \
    POSTS(HALF_TO_SELF, same, t, a)                  \
    POSTS(HALF_TO_SELF, rni, t, __builtin_rintf(a))  \
    POSTS(HALF_TO_SELF, rzi, t, __builtin_truncf(a)) \
    POSTS(HALF_TO_SELF, rmi, t, __builtin_floorf(a)) \
    POSTS(HALF_TO_SELF, rpi, t, __builtin_ceilf(a))
HALVES_TO_SELF(f16)
HALVES_TO_SELF(bf16)

static kernel_fn *find_half_to_self(const struct lane_inst *inst)
{
#define SELF_ROW(rt, t)                                                                \
    {                                                                                  \
        cvt_##rt##_none_##t##_##t, cvt_##rt##_sat_##t##_##t, cvt_##rt##_relu_##t##_##t \
    }
#define SELF_TABLE(t)                                                                             \
    {                                                                                             \
        SELF_ROW(same, t), SELF_ROW(rni, t), SELF_ROW(rzi, t), SELF_ROW(rmi, t), SELF_ROW(rpi, t) \
    }
    static kernel_fn *const table[2][5][3] = {SELF_TABLE(f16), SELF_TABLE(bf16)};
    unsigned integral = integral_of(inst->round), post = kernel_half_post(inst->flags);
    return integral < 5 && post < HALF_POSTS ? table[inst->type == LANE_BF16][integral][post] : NULL;
}

kernel_fn *KERNEL_NAME(kernel_find_cvt_float)(const struct lane_inst *inst)
{
    if (inst->op == LANE_OP_cvtpack)
        return find_pack(inst);
    if (inst->op != LANE_OP_cvt || inst->type2 < LANE_F16 || inst->type2 > LANE_F64)
        return NULL;
    bool relu = inst->flags & LANE_RELU;
    switch (inst->type) {
    case LANE_F16:
    case LANE_BF16:
        return inst->type == inst->type2 ? find_half_to_self(inst) : find_to_half(inst);
    case LANE_F32:
        return relu ? NULL : find_to_f32(inst);
    case LANE_F64:
        return relu ? NULL : find_to_f64(inst);
    }
    return NULL;
}
