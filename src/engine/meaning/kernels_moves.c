/* Moves and selection: mov, selp, slct, pack, unpack. Bits are never touched. */
#include "engine/meaning/kernels.h"

struct quad { /* a 128-bit element */
    uint64_t word[2];
};

KERNEL1(mov_8, 32, uint8_t, uint8_t, a)
KERNEL1(mov_16, 32, uint16_t, uint16_t, a)
KERNEL1(mov_32, 32, uint32_t, uint32_t, a)
KERNEL1(mov_64, 32, uint64_t, uint64_t, a)
KERNEL1(mov_128, 64, uint64_t, uint64_t, a)

static void mov_pred(struct frame *f, const struct kernel_operands *s)
{
    *KERNEL_MASK(s->d) = *KERNEL_MASK(s->a);
}

/* selp: groups of as many lanes as a bit table has entries. */
#define SELP(width, group)                                                     \
    static void selp_##width(struct frame *f, const struct kernel_operands *s) \
    {                                                                          \
        uint##width##_t *d = KERNEL_REG(uint##width##_t, s->d);                \
        const uint##width##_t *a = KERNEL_REG(const uint##width##_t, s->a);    \
        const uint##width##_t *b = KERNEL_REG(const uint##width##_t, s->b);    \
        uint32_t word = *KERNEL_MASK(s->c);                                    \
        for (unsigned g = 0; g < 32; g += (group)) {                           \
            uint##width##_t bits = (uint##width##_t)(word >> g);               \
            LANE_LOOP(group)                                                   \
            {                                                                  \
                uint##width##_t x = a[g + l], y = b[g + l];                    \
                d[g + l] = bits & kernel_bit##width[l] ? x : y;                \
            }                                                                  \
        }                                                                      \
    }
SELP(8, 8)
SELP(16, 16)
SELP(32, 32)
SELP(64, 32)

static void selp_128(struct frame *f, const struct kernel_operands *s)
{
    struct quad *d = KERNEL_REG(struct quad, s->d);
    const struct quad *a = KERNEL_REG(const struct quad, s->a), *b = KERNEL_REG(const struct quad, s->b);
    uint32_t word = *KERNEL_MASK(s->c);
    for (unsigned l = 0; l < 32; l++)
        d[l] = word >> l & 1 ? a[l] : b[l];
}

static void selp_pred(struct frame *f, const struct kernel_operands *s)
{
    uint32_t a = *KERNEL_MASK(s->a), b = *KERNEL_MASK(s->b);
    uint32_t c = *KERNEL_MASK(s->c);
    *KERNEL_MASK(s->d) = (a & c) | (b & ~c);
}

/* slct: c >= 0; NaN selects b; -0 and (FTZ) negative subnormals count as 0. */
#define SLCT(width)                                                                                           \
    KERNEL3(slct_s32_##width, 32, uint##width##_t, uint##width##_t, uint##width##_t, int32_t, c >= 0 ? a : b) \
    KERNEL3(slct_f32_##width, 32, uint##width##_t, uint##width##_t, uint##width##_t, float, c >= 0 ? a : b)   \
    KERNEL3(slct_ftz_##width, 32, uint##width##_t, uint##width##_t, uint##width##_t, float,                   \
            f32_flush(c, true) >= 0 ? a : b)
SLCT(8)
SLCT(16)
SLCT(32)
SLCT(64)

/* pack and unpack: n = whole/part elements of `part` bits in one of the whole. s->more: offsets of destinations,
 * then sources. Wholes of up to 64 bits are put together by shifts, which vectorise; 128-bit ones are copied in parts.
 */
#define PACK(whole, part)                                                                                   \
    static void pack_##whole##_##part(struct frame *f, const struct kernel_operands *s)                     \
    {                                                                                                       \
        enum { N = (whole) / (part) };                                                                      \
        const uint32_t *offsets = s->more;                                                                  \
        uint##whole##_t *d = KERNEL_REG(uint##whole##_t, offsets[0]);                                       \
        const uint##part##_t *a[N];                                                                         \
        for (unsigned i = 0; i < N; i++)                                                                    \
            a[i] = KERNEL_REG(const uint##part##_t, offsets[1 + i]);                                        \
        LANE_LOOP(32)                                                                                       \
        {                                                                                                   \
            uint##whole##_t word = 0;                                                                       \
            for (unsigned i = 0; i < N; i++)                                                                \
                word = (uint##whole##_t)(word | (uint##whole##_t)((uint##whole##_t)a[i][l] << ((part)*i))); \
            d[l] = word;                                                                                    \
        }                                                                                                   \
    }                                                                                                       \
    static void unpack_##whole##_##part(struct frame *f, const struct kernel_operands *s)                   \
    {                                                                                                       \
        enum { N = (whole) / (part) };                                                                      \
        const uint32_t *offsets = s->more;                                                                  \
        const uint##whole##_t *a = KERNEL_REG(const uint##whole##_t, offsets[N]);                           \
        for (unsigned i = 0; i < N; i++) {                                                                  \
            if (offsets[i] == KERNEL_NONE)                                                                  \
                continue;                                                                                   \
            uint##part##_t *d = KERNEL_REG(uint##part##_t, offsets[i]);                                     \
            LANE_LOOP(32)                                                                                   \
            d[l] = (uint##part##_t)(a[l] >> ((part)*i));                                                    \
        }                                                                                                   \
    }
#define PACK_128(whole, part)                                                           \
    static void pack_128_##part(struct frame *f, const struct kernel_operands *s)       \
    {                                                                                   \
        enum { N = 128 / (part) };                                                      \
        const uint32_t *offsets = s->more;                                              \
        uint##part##_t *d = KERNEL_REG(uint##part##_t, offsets[0]);                     \
        for (unsigned i = 0; i < N; i++) {                                              \
            const uint##part##_t *a = KERNEL_REG(const uint##part##_t, offsets[1 + i]); \
            LANE_LOOP(32)                                                               \
            d[l * N + i] = a[l];                                                        \
        }                                                                               \
    }                                                                                   \
    static void unpack_128_##part(struct frame *f, const struct kernel_operands *s)     \
    {                                                                                   \
        enum { N = 128 / (part) };                                                      \
        const uint32_t *offsets = s->more;                                              \
        const uint##part##_t *a = KERNEL_REG(const uint##part##_t, offsets[N]);         \
        for (unsigned i = 0; i < N; i++) {                                              \
            if (offsets[i] == KERNEL_NONE)                                              \
                continue;                                                               \
            uint##part##_t *d = KERNEL_REG(uint##part##_t, offsets[i]);                 \
            LANE_LOOP(32)                                                               \
            d[l] = a[l * N + i];                                                        \
        }                                                                               \
    }
/* Every pair of widths, part < whole. */
#define PARTS(X)     X(16, 8) X(32, 8) X(32, 16) X(64, 8) X(64, 16) X(64, 32)
#define PARTS_128(X) X(128, 8) X(128, 16) X(128, 32) X(128, 64)
PARTS(PACK)
PARTS_128(PACK_128)

static kernel_fn *find_parts(bool pack, unsigned whole, unsigned part)
{
    switch (whole << 8 | part) {
#define CASE(whole, part)       \
    case (whole) << 8 | (part): \
        return pack ? pack_##whole##_##part : unpack_##whole##_##part;
        PARTS(CASE)
        PARTS_128(CASE)
#undef CASE
    }
    return NULL;
}

static kernel_fn *find_slct(const struct lane_inst *inst)
{
    unsigned kind = inst->type2 == LANE_S32                             ? 0
                    : inst->type2 == LANE_F32 && inst->flags & LANE_FTZ ? 2
                    : inst->type2 == LANE_F32                           ? 1
                                                                        : 3;
    static kernel_fn *const table[4][3] = {
        {slct_s32_8, slct_f32_8, slct_ftz_8},
        {slct_s32_16, slct_f32_16, slct_ftz_16},
        {slct_s32_32, slct_f32_32, slct_ftz_32},
        {slct_s32_64, slct_f32_64, slct_ftz_64},
    };
    unsigned bits = lane_type_bits(inst->type);
    if (kind == 3 || bits < 8 || bits > 64)
        return NULL;
    return table[bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3][kind];
}

static kernel_fn *by_width(enum lane_type type, kernel_fn *const kernels[6])
{
    switch (lane_type_bits(type)) {
    case 1:
        return kernels[0];
    case 8:
        return kernels[1];
    case 16:
        return kernels[2];
    case 32:
        return kernels[3];
    case 64:
        return kernels[4];
    case 128:
        return kernels[5];
    }
    return NULL;
}

kernel_fn *KERNEL_NAME(kernel_find_moves)(const struct lane_inst *inst)
{
    static kernel_fn *const movs[6] = {mov_pred, mov_8, mov_16, mov_32, mov_64, mov_128};
    static kernel_fn *const selps[6] = {selp_pred, selp_8, selp_16, selp_32, selp_64, selp_128};
    switch (inst->op) {
    case LANE_OP_mov:
        return by_width(inst->type, movs);
    case LANE_OP_selp:
        return by_width(inst->type, selps);
    case LANE_OP_slct:
        return find_slct(inst);
    case LANE_OP_pack:
    case LANE_OP_unpack:
        return find_parts(inst->op == LANE_OP_pack, lane_type_bits(inst->type), lane_type_bits(inst->type2));
    }
    return NULL;
}
