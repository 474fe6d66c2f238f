/* Comparisons: setp, setp2, set2, testp.
 *
 * A loop leaves all ones or zero per lane in an array as wide as the data; mask_from_N makes the predicate's word of
 * it. */
#include "engine/meaning/kernels.h"

#define COMPARE(name, n, A, w, expr)                                            \
    static inline void name##_lanes(const A *va, const A *vb, uint##w##_t *out) \
    {                                                                           \
        LANE_LOOP(n)                                                            \
        {                                                                       \
            A a = va[l], b = vb[l];                                             \
            out[l] = (expr) ? (uint##w##_t) - 1 : 0;                            \
        }                                                                       \
    }
#define TEST(name, A, w, expr)                                         \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        const A *va = KERNEL_REG(const A, s->a);                       \
        _Alignas(64) uint##w##_t out[32];                              \
        LANE_LOOP(32)                                                  \
        {                                                              \
            A a = va[l];                                               \
            out[l] = (expr) ? (uint##w##_t) - 1 : 0;                   \
        }                                                              \
        *KERNEL_MASK(s->d) = mask_from_##w(out);                       \
    }
#define SETP(name, A, w, expr)                                                   \
    COMPARE(name, 32, A, w, expr)                                                \
    static void name(struct frame *f, const struct kernel_operands *s)           \
    {                                                                            \
        _Alignas(64) uint##w##_t out[32];                                        \
        name##_lanes(KERNEL_REG(const A, s->a), KERNEL_REG(const A, s->b), out); \
        *KERNEL_MASK(s->d) = mask_from_##w(out);                                 \
    }

/* ---- integers ---------------------------------------------------------------------------------------- */

/* AVX-512 compares into masks; compilers do not find that from the loop. */
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define CMP256(cmp, i) cmp(_mm256_load_si256((const __m256i *)va + (i)), _mm256_load_si256((const __m256i *)vb + (i)))
#define CMP512(cmp, i) \
    (uint32_t) cmp(_mm512_load_si512((const __m512i *)va + (i)), _mm512_load_si512((const __m512i *)vb + (i)))
#define MASK_8(cmp)                   CMP256(cmp, 0)
#define MASK_16(cmp)                  CMP512(cmp, 0)
#define MASK_32(cmp)                  (CMP512(cmp, 0) | CMP512(cmp, 1) << 16)
#define MASK_64(cmp)                  (CMP512(cmp, 0) | CMP512(cmp, 1) << 8 | CMP512(cmp, 2) << 16 | CMP512(cmp, 3) << 24)
#define BITS_8                        256
#define BITS_16                       512
#define BITS_32                       512
#define BITS_64                       512
#define HOST_NAME(bits, cmp, kind, w) _mm##bits##_cmp##cmp##_##kind##w##_mask
#define HOST_CMP(bits, cmp, kind, w)  HOST_NAME(bits, cmp, kind, w)
#define SETP_INT(name, A, w, expr, cmp, kind)                                        \
    static void name##w(struct frame *f, const struct kernel_operands *s)            \
    {                                                                                \
        const void *va = KERNEL_REG(const A, s->a), *vb = KERNEL_REG(const A, s->b); \
        *KERNEL_MASK(s->d) = MASK_##w(HOST_CMP(BITS_##w, cmp, kind, w));             \
    }
#else
#define SETP_INT(name, A, w, expr, cmp, kind) SETP(name##w, A, w, expr)
#endif

#define SETP_UNSIGNED(w)                             \
    SETP_INT(eq_u, uint##w##_t, w, a == b, eq, epu)  \
    SETP_INT(ne_u, uint##w##_t, w, a != b, neq, epu) \
    SETP_INT(lt_u, uint##w##_t, w, a < b, lt, epu)   \
    SETP_INT(le_u, uint##w##_t, w, a <= b, le, epu)  \
    SETP_INT(gt_u, uint##w##_t, w, a > b, gt, epu)   \
    SETP_INT(ge_u, uint##w##_t, w, a >= b, ge, epu)
#define SETP_SIGNED(w)                             \
    SETP_INT(lt_s, int##w##_t, w, a < b, lt, epi)  \
    SETP_INT(le_s, int##w##_t, w, a <= b, le, epi) \
    SETP_INT(gt_s, int##w##_t, w, a > b, gt, epi)  \
    SETP_INT(ge_s, int##w##_t, w, a >= b, ge, epi)
#define WIDTHS(X) X(8) X(16) X(32) X(64)
WIDTHS(SETP_UNSIGNED)
WIDTHS(SETP_SIGNED)

/* ---- floats ------------------------------------------------------------------------------------------ */

/* The comparisons of floats: X(name, enum lane_cmp, ...). */
#define FLOAT_CMPS(X, ...)        \
    X(eq, LANE_EQ, __VA_ARGS__)   \
    X(ne, LANE_NE, __VA_ARGS__)   \
    X(lt, LANE_LT, __VA_ARGS__)   \
    X(le, LANE_LE, __VA_ARGS__)   \
    X(gt, LANE_GT, __VA_ARGS__)   \
    X(ge, LANE_GE, __VA_ARGS__)   \
    X(equ, LANE_EQU, __VA_ARGS__) \
    X(neu, LANE_NEU, __VA_ARGS__) \
    X(ltu, LANE_LTU, __VA_ARGS__) \
    X(leu, LANE_LEU, __VA_ARGS__) \
    X(gtu, LANE_GTU, __VA_ARGS__) \
    X(geu, LANE_GEU, __VA_ARGS__) \
    X(num, LANE_NUM, __VA_ARGS__) \
    X(nans, LANE_NANS, __VA_ARGS__)

/* cmp is a constant. The U forms are the negations of the opposite ordered forms, and so true for NaN. */
#define FLOAT_COMPARE(name, A)                           \
    static inline bool name(A a, A b, enum lane_cmp cmp) \
    {                                                    \
        switch (cmp) {                                   \
        case LANE_EQ:                                    \
            return a == b;                               \
        case LANE_NE:                                    \
            return (a < b) | (a > b);                    \
        case LANE_LT:                                    \
            return a < b;                                \
        case LANE_LE:                                    \
            return a <= b;                               \
        case LANE_GT:                                    \
            return a > b;                                \
        case LANE_GE:                                    \
            return a >= b;                               \
        case LANE_EQU:                                   \
            return !((a < b) | (a > b));                 \
        case LANE_NEU:                                   \
            return a != b;                               \
        case LANE_LTU:                                   \
            return !(a >= b);                            \
        case LANE_LEU:                                   \
            return !(a > b);                             \
        case LANE_GTU:                                   \
            return !(a <= b);                            \
        case LANE_GEU:                                   \
            return !(a < b);                             \
        case LANE_NUM:                                   \
            return (a == a) & (b == b);                  \
        case LANE_NANS:                                  \
            return (a != a) | (b != b);                  \
        case LANE_CMPS:                                  \
            break;                                       \
        }                                                \
        return false;                                    \
    }
FLOAT_COMPARE(f32_compare, float)
FLOAT_COMPARE(f64_compare, double)

#define SETP_F32(name, cmp, ...) SETP(name##_f32, float, 32, f32_compare(a, b, cmp))
#define SETP_FTZ(name, cmp, ...) \
    SETP(name##_f32ftz, float, 32, f32_compare(f32_flush(a, true), f32_flush(b, true), cmp))
#define SETP_F64(name, cmp, ...) SETP(name##_f64, double, 64, f64_compare(a, b, cmp))
FLOAT_CMPS(SETP_F32)
FLOAT_CMPS(SETP_FTZ)
FLOAT_CMPS(SETP_F64)

/* ---- halves -------------------------------------------------------------------------------------------- */

/* Halves compare as 16-bit integers: turning sign and magnitude into two's complement keeps the order and maps both
 * zeros to 0; NaNs are the magnitudes above infinity's. Magnitudes below `least` count as 0 (FTZ). */
static inline int16_t half_order(uint16_t h, int16_t least)
{
    int16_t m = (int16_t)(h & 0x7fff);
    m = m < least ? 0 : m;
    return (int16_t)(h & 0x8000 ? -m : m);
}

static inline bool half_compare(uint16_t a, uint16_t b, enum lane_cmp cmp, int16_t infinity, int16_t least)
{
    bool nan = ((int16_t)(a & 0x7fff) > infinity) | ((int16_t)(b & 0x7fff) > infinity);
    int16_t x = half_order(a, least), y = half_order(b, least);
    switch (cmp) {
    case LANE_EQ:
        return !nan & (x == y);
    case LANE_NE:
        return !nan & (x != y);
    case LANE_LT:
        return !nan & (x < y);
    case LANE_LE:
        return !nan & (x <= y);
    case LANE_GT:
        return !nan & (x > y);
    case LANE_GE:
        return !nan & (x >= y);
    case LANE_EQU:
        return nan | (x == y);
    case LANE_NEU:
        return nan | (x != y);
    case LANE_LTU:
        return nan | (x < y);
    case LANE_LEU:
        return nan | (x <= y);
    case LANE_GTU:
        return nan | (x > y);
    case LANE_GEU:
        return nan | (x >= y);
    case LANE_NUM:
        return !nan;
    case LANE_NANS:
        return nan;
    case LANE_CMPS:
        break;
    }
    return false;
}

/* Predicates of the low and the high halves of 32 words. */
static inline void store_pairs(struct frame *f, const struct kernel_operands *s, const uint16_t *pairs)
{
    _Alignas(64) uint32_t low[32], high[32];
    for (unsigned l = 0; l < 32; l++) {
        low[l] = (uint32_t)pairs[2 * l] << 16;
        high[l] = (uint32_t)pairs[2 * l + 1] << 16;
    }
    if (s->d != KERNEL_NONE)
        *KERNEL_MASK(s->d) = mask_from_32(low);
    if (s->d2 != KERNEL_NONE)
        *KERNEL_MASK(s->d2) = mask_from_32(high);
}

/* setp of scalars, setp2 and set2 of packed pairs. */
#define HALF_KERNELS(name, cmp, t, infinity, least, one)                                               \
    SETP(name##_##t, uint16_t, 16, half_compare(a, b, cmp, infinity, least))                           \
    COMPARE(name##_##t##x2, 64, uint16_t, 16, half_compare(a, b, cmp, infinity, least))                \
    static void name##_##t##x2(struct frame *f, const struct kernel_operands *s)                       \
    {                                                                                                  \
        _Alignas(64) uint16_t out[64];                                                                 \
        name##_##t##x2_lanes(KERNEL_REG(const uint16_t, s->a), KERNEL_REG(const uint16_t, s->b), out); \
        store_pairs(f, s, out);                                                                        \
    }                                                                                                  \
    KERNEL2(name##_one_##t##x2, 64, uint16_t, uint16_t, uint16_t,                                      \
            half_compare(a, b, cmp, infinity, least) ? (one) : 0)                                      \
    KERNEL2(name##_mask_##t##x2, 64, uint16_t, uint16_t, uint16_t,                                     \
            half_compare(a, b, cmp, infinity, least) ? 0xffff : 0)
FLOAT_CMPS(HALF_KERNELS, f16, 0x7c00, 0, 0x3c00)
FLOAT_CMPS(HALF_KERNELS, f16ftz, 0x7c00, 0x0400, 0x3c00)
FLOAT_CMPS(HALF_KERNELS, bf16, 0x7f80, 0, 0x3f80)
FLOAT_CMPS(HALF_KERNELS, bf16ftz, 0x7f80, 0x0080, 0x3f80)

/* ---- testp ----------------------------------------------------------------------------------------------- */

/* Magnitudes of f32 and f64: below `normal` subnormal or zero, from `infinity` on infinity and NaN. Zero counts as
 * normal (PTX ISA, testp). */
#define TESTP(w, normal, infinity)                                                                        \
    TEST(testp_finite_##w, uint##w##_t, w, (MAGNITUDE(w) < (infinity)))                                   \
    TEST(testp_infinite_##w, uint##w##_t, w, (MAGNITUDE(w) == (infinity)))                                \
    TEST(testp_number_##w, uint##w##_t, w, (MAGNITUDE(w) <= (infinity)))                                  \
    TEST(testp_nan_##w, uint##w##_t, w, (MAGNITUDE(w) > (infinity)))                                      \
    TEST(testp_normal_##w, uint##w##_t, w, (MAGNITUDE(w) - 1 >= (normal)-1 && MAGNITUDE(w) < (infinity))) \
    TEST(testp_subnormal_##w, uint##w##_t, w, (MAGNITUDE(w) != 0 && MAGNITUDE(w) < (normal)))
#define MAGNITUDE(w) (a & (uint##w##_t) - 1 >> 1)
TESTP(32, 0x00800000u, 0x7f800000u)
TESTP(64, 0x0010000000000000u, 0x7ff0000000000000u)

static kernel_fn *find_testp(const struct lane_inst *inst)
{
    static kernel_fn *const table[2][LANE_TESTPS] = {
        {testp_finite_32, testp_infinite_32, testp_number_32, testp_nan_32, testp_normal_32, testp_subnormal_32},
        {testp_finite_64, testp_infinite_64, testp_number_64, testp_nan_64, testp_normal_64, testp_subnormal_64},
    };
    if (inst->mode >= LANE_TESTPS || (inst->type != LANE_F32 && inst->type != LANE_F64))
        return NULL;
    return table[inst->type == LANE_F64][inst->mode];
}

/* ---- finder ------------------------------------------------------------------------------------------------ */

static kernel_fn *find_integer(const struct lane_inst *inst)
{
#define UNSIGNED_ROW(w) {eq_u##w, ne_u##w, lt_u##w, le_u##w, gt_u##w, ge_u##w},
#define SIGNED_ROW(w)   {eq_u##w, ne_u##w, lt_s##w, le_s##w, gt_s##w, ge_s##w},
    static kernel_fn *const table[8][LANE_GE + 1] = {WIDTHS(UNSIGNED_ROW) WIDTHS(SIGNED_ROW)};
    enum lane_type type = kernel_integer(inst->type);
    if (type < LANE_U8 || type > LANE_S64 || inst->cmp > LANE_GE)
        return NULL;
    return table[type - LANE_U8][inst->cmp];
}

static kernel_fn *find_float(const struct lane_inst *inst)
{
    bool ftz = inst->flags & LANE_FTZ;
    switch (KERNEL_KEY(inst->op, inst->type) * LANE_CMPS + inst->cmp) {
#define KEY(op, type, cmp) (KERNEL_KEY(op, type) * LANE_CMPS + (cmp))
#define CASES(name, cmp, ...)                                        \
    case KEY(LANE_OP_setp, LANE_F32, cmp):                           \
        return ftz ? name##_f32ftz : name##_f32;                     \
    case KEY(LANE_OP_setp, LANE_F64, cmp):                           \
        return name##_f64;                                           \
    case KEY(LANE_OP_setp, LANE_F16, cmp):                           \
        return ftz ? name##_f16ftz : name##_f16;                     \
    case KEY(LANE_OP_setp, LANE_BF16, cmp):                          \
        return ftz ? name##_bf16ftz : name##_bf16;                   \
    case KEY(LANE_OP_setp2, LANE_F16X2, cmp):                        \
        return ftz ? name##_f16ftzx2 : name##_f16x2;                 \
    case KEY(LANE_OP_setp2, LANE_BF16X2, cmp):                       \
        return ftz ? name##_bf16ftzx2 : name##_bf16x2;               \
    case KEY(LANE_OP_set2, LANE_F16X2, cmp):                         \
        if (inst->mode)                                              \
            return ftz ? name##_mask_f16ftzx2 : name##_mask_f16x2;   \
        return ftz ? name##_one_f16ftzx2 : name##_one_f16x2;         \
    case KEY(LANE_OP_set2, LANE_BF16X2, cmp):                        \
        if (inst->mode)                                              \
            return ftz ? name##_mask_bf16ftzx2 : name##_mask_bf16x2; \
        return ftz ? name##_one_bf16ftzx2 : name##_one_bf16x2;
        FLOAT_CMPS(CASES)
    }
    return NULL;
}

kernel_fn *KERNEL_NAME(kernel_find_compare)(const struct lane_inst *inst)
{
    switch (inst->op) {
    case LANE_OP_testp:
        return find_testp(inst);
    case LANE_OP_setp:
    case LANE_OP_setp2:
    case LANE_OP_set2: {
        kernel_fn *kernel = inst->op == LANE_OP_setp ? find_integer(inst) : NULL;
        return kernel || inst->cmp >= LANE_CMPS ? kernel : find_float(inst);
    }
    }
    return NULL;
}
