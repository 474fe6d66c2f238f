/* cvt with an integer on one side at least: integer to integer, float to integer, integer to float.
 *
 * Float to integer (PTX ISA, cvt): rounds to an integral value, clamps to the range; a NaN gives 0, but 1 << (bits - 1)
 * when it is an f64 or the integer has 64 bits. */
#include "engine/meaning/kernels.h"

/* X(..., signedness, suffix, LANE type, C type, least, greatest value) */
#define INTEGERS(X, ...)                                       \
    X(__VA_ARGS__, u, u8, U8, uint8_t, 0, UINT8_MAX)           \
    X(__VA_ARGS__, u, u16, U16, uint16_t, 0, UINT16_MAX)       \
    X(__VA_ARGS__, u, u32, U32, uint32_t, 0, UINT32_MAX)       \
    X(__VA_ARGS__, u, u64, U64, uint64_t, 0, UINT64_MAX)       \
    X(__VA_ARGS__, s, s8, S8, int8_t, INT8_MIN, INT8_MAX)      \
    X(__VA_ARGS__, s, s16, S16, int16_t, INT16_MIN, INT16_MAX) \
    X(__VA_ARGS__, s, s32, S32, int32_t, INT32_MIN, INT32_MAX) \
    X(__VA_ARGS__, s, s64, S64, int64_t, INT64_MIN, INT64_MAX)
/* The same list again, for the inner one of two nested lists (a macro does not expand within itself). */
#define INTEGERS_INNER(X, ...)                                 \
    X(__VA_ARGS__, u, u8, U8, uint8_t, 0, UINT8_MAX)           \
    X(__VA_ARGS__, u, u16, U16, uint16_t, 0, UINT16_MAX)       \
    X(__VA_ARGS__, u, u32, U32, uint32_t, 0, UINT32_MAX)       \
    X(__VA_ARGS__, u, u64, U64, uint64_t, 0, UINT64_MAX)       \
    X(__VA_ARGS__, s, s8, S8, int8_t, INT8_MIN, INT8_MAX)      \
    X(__VA_ARGS__, s, s16, S16, int16_t, INT16_MIN, INT16_MAX) \
    X(__VA_ARGS__, s, s32, S32, int32_t, INT32_MIN, INT32_MAX) \
    X(__VA_ARGS__, s, s64, S64, int64_t, INT64_MIN, INT64_MAX)

/* ---- integer to integer ------------------------------------------------------------------------------ */

/* Truncates or extends by the source's signedness, or clamps. */
static inline uint64_t clamp_s(int64_t x, int64_t lo, uint64_t hi)
{
    x = x < lo ? lo : x;
    return x > 0 && (uint64_t)x > hi ? hi : (uint64_t)x;
}

static inline uint64_t clamp_u(uint64_t x, int64_t lo, uint64_t hi)
{
    (void)lo;
    return x > hi ? hi : x;
}

#define CVT_II(none, sk, st, ST, S, slo, shi, dk, dt, DT, D, dlo, dhi) \
    KERNEL1(cvt_##dt##_##st, 32, D, S, (D)a)                           \
    KERNEL1(cvt_sat_##dt##_##st, 32, D, S, clamp_##sk(a, dlo, dhi))
#define CVT_FROM(none, sk, st, ST, S, slo, shi) INTEGERS_INNER(CVT_II, , sk, st, ST, S, slo, shi)
INTEGERS(CVT_FROM, )

static kernel_fn *find_int_to_int(enum lane_type to, enum lane_type from, bool sat)
{
#define ENTRY(none, sk, st, ST, S, slo, shi, dk, dt, ...) {cvt_##dt##_##st, cvt_sat_##dt##_##st},
#define ROW(none, sk, st, ST, S, slo, shi)                {INTEGERS_INNER(ENTRY, , sk, st, ST, S, slo, shi)},
    static kernel_fn *const table[8][8][2] = {INTEGERS(ROW, )};
    return table[from - LANE_U8][to - LANE_U8][sat];
}

/* ---- float to integer ---------------------------------------------------------------------------------- */

/* Truncation, clamping and NaN for 32 and 64 bits; narrower types clamp further. The values are in range where C's
 * conversions are defined, and the selections vectorise. top: all ones where a NaN becomes the integer's top bit. */
#define TRUNCATE(F, p, top)                                                                              \
    static inline int32_t p##_to_s32(F x)                                                                \
    {                                                                                                    \
        int32_t r = x >= -0x1p31 && x < 0x1p31 ? (int32_t)x : INT32_MIN;                                 \
        r = x >= (F)0x1p31 ? INT32_MAX : r;                                                              \
        return x != x ? INT32_MIN & (top) : r;                                                           \
    }                                                                                                    \
    static inline int64_t p##_to_s64(F x)                                                                \
    {                                                                                                    \
        int64_t r = x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;                                 \
        r = x >= (F)0x1p63 ? INT64_MAX : r;                                                              \
        return x != x ? INT64_MIN : r;                                                                   \
    }                                                                                                    \
    /* The upper half of the range converts 2^31 lower, as a signed number; the subtraction is exact. */ \
    static inline uint32_t p##_to_u32(F x)                                                               \
    {                                                                                                    \
        F low = x >= (F)0x1p31 ? x - (F)0x1p31 : x;                                                      \
        uint32_t half = x >= (F)0x1p31 ? 0x80000000u : 0;                                                \
        uint32_t r = (uint32_t)p##_to_s32(low) ^ half;                                                   \
        r = x >= (F)0x1p32 ? UINT32_MAX : r;                                                             \
        r = x > 0 ? r : 0;                                                                               \
        return x != x ? 0x80000000u & (uint32_t)(top) : r;                                               \
    }                                                                                                    \
    static inline uint64_t p##_to_u64(F x)                                                               \
    {                                                                                                    \
        F low = x >= (F)0x1p63 ? x - (F)0x1p63 : x;                                                      \
        uint64_t half = x >= (F)0x1p63 ? 1ull << 63 : 0;                                                 \
        uint64_t r = (uint64_t)p##_to_s64(low) ^ half;                                                   \
        r = x >= (F)0x1p64 ? UINT64_MAX : r;                                                             \
        r = x > 0 ? r : 0;                                                                               \
        return x != x ? 1ull << 63 : r;                                                                  \
    }                                                                                                    \
    static inline int16_t p##_to_s16(F x)                                                                \
    {                                                                                                    \
        int32_t r = p##_to_s32(x);                                                                       \
        r = r < INT16_MIN ? INT16_MIN : r;                                                               \
        return (int16_t)(r > INT16_MAX ? INT16_MAX : r);                                                 \
    }                                                                                                    \
    static inline int8_t p##_to_s8(F x)                                                                  \
    {                                                                                                    \
        int32_t r = p##_to_s32(x);                                                                       \
        r = r < INT8_MIN ? INT8_MIN : r;                                                                 \
        return (int8_t)(r > INT8_MAX ? INT8_MAX : r);                                                    \
    }                                                                                                    \
    static inline uint16_t p##_to_u16(F x)                                                               \
    {                                                                                                    \
        int32_t r = p##_to_s32(x);                                                                       \
        r = r < 0 ? 0 : r;                                                                               \
        r = r > UINT16_MAX ? UINT16_MAX : r;                                                             \
        return (uint16_t)(x != x ? 0x8000 & (top) : r);                                                  \
    }                                                                                                    \
    static inline uint8_t p##_to_u8(F x)                                                                 \
    {                                                                                                    \
        int32_t r = p##_to_s32(x);                                                                       \
        r = r < 0 ? 0 : r;                                                                               \
        r = r > UINT8_MAX ? UINT8_MAX : r;                                                               \
        return (uint8_t)(x != x ? 0x80 & (top) : r);                                                     \
    }
TRUNCATE(float, f32, 0)
TRUNCATE(double, f64, -1)

#define CVT_F64_TO(none, rt, round, dk, dt, DT, D, dlo, dhi) \
    KERNEL1(cvt_##rt##_##dt##_f64, 32, D, double, f64_to_##dt(round))
#define CVT_F32_TO(none, rt, round, dk, dt, DT, D, dlo, dhi)         \
    KERNEL1(cvt_##rt##_##dt##_f32, 32, D, float, f32_to_##dt(round)) \
    HALF_TO(f16, rt, round, dt, D)                                   \
    HALF_TO(bf16, rt, round, dt, D)
/* FTZ of f32: a subnormal counts as 0, which matters for rounding up and down only; one kernel set with it suffices. */
#define CVT_FTZ_TO(none, rt, round, dk, dt, DT, D, dlo, dhi) \
    static inline D ftz_##rt##_##dt(float a)                 \
    {                                                        \
        a = f32_flush(a, true);                              \
        return f32_to_##dt(round);                           \
    }                                                        \
    KERNEL1(cvt_##rt##_##dt##_f32ftz, 32, D, float, ftz_##rt##_##dt(a))
#define HALF_TO(st, rt, round, dt, D)                                                    \
    static void cvt_##rt##_##dt##_##st(struct frame *f, const struct kernel_operands *s) \
    {                                                                                    \
        D *d = KERNEL_REG(D, s->d);                                                      \
        _Alignas(64) float x[32];                                                        \
        st##_widen(x, KERNEL_REG(const uint16_t, s->a), false);                          \
        LANE_LOOP(32)                                                                    \
        {                                                                                \
            float a = x[l];                                                              \
            d[l] = f32_to_##dt(round);                                                   \
        }                                                                                \
    }
/* Truncation is part of the conversion. */
INTEGERS(CVT_F64_TO, , rni, __builtin_rint(a))
INTEGERS(CVT_F64_TO, , rzi, a)
INTEGERS(CVT_F64_TO, , rmi, __builtin_floor(a))
INTEGERS(CVT_F64_TO, , rpi, __builtin_ceil(a))
INTEGERS(CVT_F32_TO, , rni, __builtin_rintf(a))
INTEGERS(CVT_F32_TO, , rzi, a)
INTEGERS(CVT_F32_TO, , rmi, __builtin_floorf(a))
INTEGERS(CVT_F32_TO, , rpi, __builtin_ceilf(a))
INTEGERS(CVT_FTZ_TO, , rmi, __builtin_floorf(a))
INTEGERS(CVT_FTZ_TO, , rpi, __builtin_ceilf(a))

static kernel_fn *find_float_to_int(const struct lane_inst *inst, enum lane_type to)
{
#define TO(none, st, dk, dt, ...) {cvt_rni_##dt##_##st, cvt_rzi_##dt##_##st, cvt_rmi_##dt##_##st, cvt_rpi_##dt##_##st},
#define FTZ(none, dk, dt, ...)    {cvt_rni_##dt##_f32, cvt_rzi_##dt##_f32, cvt_rmi_##dt##_f32ftz, cvt_rpi_##dt##_f32ftz},
    static kernel_fn *const table[5][8][4] = {
        {INTEGERS(TO, , f16)}, {INTEGERS(TO, , bf16)}, {INTEGERS(TO, , f32)}, {INTEGERS(TO, , f64)}, {INTEGERS(FTZ, )},
    };
    if (inst->round < LANE_RNI || inst->round > LANE_RPI)
        return NULL;
    unsigned from = inst->type2 == LANE_F32 && inst->flags & LANE_FTZ ? 4 : inst->type2 - LANE_F16;
    return table[from][to - LANE_U8][inst->round - LANE_RNI];
}

/* ---- integer to float ------------------------------------------------------------------------------------ */

/* v in sign and magnitude, the magnitude cut to its top `bits` bits: the parts are exact in the float. unit: of the
 * last bit kept, 0 if nothing was lost. */
struct cut {
    uint64_t kept, unit;
    bool negative;
};

static inline struct cut cut_bits(uint64_t magnitude, bool negative, unsigned bits)
{
    unsigned length = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
    unsigned drop = length > bits ? length - bits : 0;
    uint64_t rest = magnitude & ((1ull << drop) - 1);
    return (struct cut){magnitude - rest, rest ? 1ull << drop : 0, negative};
}

static inline bool cut_up(const struct cut *c, enum lane_round round)
{
    return round == LANE_RP ? !c->negative : round == LANE_RM ? c->negative : false;
}

/* Directed rounding. */
static inline double f64_from_cut(uint64_t magnitude, bool negative, enum lane_round round)
{
    struct cut c = cut_bits(magnitude, negative, 53);
    double r = (double)c.kept + (cut_up(&c, round) ? (double)c.unit : 0);
    return negative ? -r : r;
}

static inline float f32_from_cut(uint64_t magnitude, bool negative, enum lane_round round)
{
    struct cut c = cut_bits(magnitude, negative, 24);
    double r = (double)c.kept + (cut_up(&c, round) ? (double)c.unit : 0);
    return (float)(negative ? -r : r);
}

/* To odd: the last bit kept says that something was lost. */
static inline float f32_from_int_odd(uint64_t magnitude, bool negative)
{
    struct cut c = cut_bits(magnitude, negative, 24);
    float r = (float)(c.kept | c.unit);
    return negative ? -r : r;
}

#define MAGNITUDE_u(x) (x)
#define NEGATIVE_u(x)  false
#define MAGNITUDE_s(x) ((x) < 0 ? 0 - (uint64_t)(x) : (uint64_t)(x))
#define NEGATIVE_s(x)  ((x) < 0)
#define CVT_TO_FLOATS(none, k, st, ST, S, slo, shi)                 \
    KERNEL1(cvt_rn_f32_##st, 32, float, S, (float)a)                \
    KERNEL1(cvt_rn_f64_##st, 32, double, S, (double)a)              \
    KERNEL1(cvt_sat_f32_##st, 32, float, S, a > 0 ? 1 : 0)          \
    KERNEL1(cvt_sat_f64_##st, 32, double, S, a > 0 ? 1 : 0)         \
    KERNEL1(cvt_sat_f16_##st, 32, uint16_t, S, a > 0 ? 0x3c00 : 0)  \
    KERNEL1(cvt_sat_bf16_##st, 32, uint16_t, S, a > 0 ? 0x3f80 : 0) \
    CVT_DIRECTED(k, st, S, rz, LANE_RZ)                             \
    CVT_DIRECTED(k, st, S, rm, LANE_RM)                             \
    CVT_DIRECTED(k, st, S, rp, LANE_RP)                             \
    CVT_TO_HALVES(k, st, S, rn, HALF_RN)                            \
    CVT_TO_HALVES(k, st, S, rz, HALF_RZ)                            \
    CVT_TO_HALVES(k, st, S, rm, HALF_RM)                            \
    CVT_TO_HALVES(k, st, S, rp, HALF_RP)
#define CVT_DIRECTED(k, st, S, rt, round)                                                              \
    KERNEL1(cvt_##rt##_f32_##st, 32, float, S, f32_from_cut(MAGNITUDE_##k(a), NEGATIVE_##k(a), round)) \
    KERNEL1(cvt_##rt##_f64_##st, 32, double, S, f64_from_cut(MAGNITUDE_##k(a), NEGATIVE_##k(a), round))
#define CVT_TO_HALVES(k, st, S, rt, round)                                            \
    KERNEL1(cvt_##rt##_f16_##st, 32, uint16_t, S,                                     \
            f16_from_f32(f32_from_int_odd(MAGNITUDE_##k(a), NEGATIVE_##k(a)), round)) \
    KERNEL1(cvt_##rt##_bf16_##st, 32, uint16_t, S,                                    \
            bf16_from_f32(f32_from_int_odd(MAGNITUDE_##k(a), NEGATIVE_##k(a)), round))
INTEGERS(CVT_TO_FLOATS, )

static kernel_fn *find_int_to_float(const struct lane_inst *inst, enum lane_type from)
{
#define FROM(none, dt, sk, st, ...) \
    {cvt_rn_##dt##_##st, cvt_rz_##dt##_##st, cvt_rm_##dt##_##st, cvt_rp_##dt##_##st, cvt_sat_##dt##_##st},
    static kernel_fn *const table[4][8][5] = {
        {INTEGERS(FROM, , f16)},
        {INTEGERS(FROM, , bf16)},
        {INTEGERS(FROM, , f32)},
        {INTEGERS(FROM, , f64)},
    };
    if (inst->round > LANE_RP)
        return NULL;
    return table[inst->type - LANE_F16][from - LANE_U8][inst->flags & LANE_SAT ? 4 : inst->round];
}

_Static_assert(LANE_F64 - LANE_F16 == 3 && LANE_BF16 - LANE_F16 == 1 && LANE_S64 - LANE_U8 == 7, "order of lane types");

kernel_fn *KERNEL_NAME(kernel_find_cvt_int)(const struct lane_inst *inst)
{
    enum lane_type to = kernel_integer(inst->type), from = kernel_integer(inst->type2);
    bool to_int = to >= LANE_U8 && to <= LANE_S64, from_int = from >= LANE_U8 && from <= LANE_S64;
    bool to_float = to >= LANE_F16 && to <= LANE_F64, from_float = from >= LANE_F16 && from <= LANE_F64;
    if (inst->op != LANE_OP_cvt)
        return NULL;
    if (to_int && from_int)
        return find_int_to_int(to, from, inst->flags & LANE_SAT);
    if (to_int && from_float)
        return find_float_to_int(inst, to);
    return to_float && from_int && !(inst->flags & LANE_RELU) ? find_int_to_float(inst, from) : NULL;
}
