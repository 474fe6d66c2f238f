/* Products and differences of packed bytes and halfwords: dp4a, dp2a, vabsdiff2, vabsdiff4. After the PTX ISA. */
#include "engine/meaning/kernels.h"

/* Byte i, halfword i of a word, extended by its type. */
static inline int32_t byte_of(uint32_t x, unsigned i, bool is_signed)
{
    uint32_t byte = x >> (8 * i) & 0xff;
    return is_signed ? (int8_t)byte : (int32_t)byte;
}

static inline int32_t half_of(uint32_t x, unsigned i, bool is_signed)
{
    uint32_t half = x >> (16 * i) & 0xffff;
    return is_signed ? (int16_t)half : (int32_t)half;
}

static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb)
{
    for (unsigned i = 0; i < 4; i++)
        c += (uint32_t)(byte_of(a, i, sa) * byte_of(b, i, sb));
    return c;
}

static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, bool high)
{
    for (unsigned i = 0; i < 2; i++)
        c += (uint32_t)(half_of(a, i, sa) * byte_of(b, i + (high ? 2 : 0), sb));
    return c;
}

#define DOT(t, u, sa, sb)                                                                             \
    KERNEL3(dp4a_##t##u, 32, uint32_t, uint32_t, uint32_t, uint32_t, dp4a(a, b, c, sa, sb))           \
    KERNEL3(dp2a_lo_##t##u, 32, uint32_t, uint32_t, uint32_t, uint32_t, dp2a(a, b, c, sa, sb, false)) \
    KERNEL3(dp2a_hi_##t##u, 32, uint32_t, uint32_t, uint32_t, uint32_t, dp2a(a, b, c, sa, sb, true))
DOT(u, u, false, false)
DOT(u, s, false, true)
DOT(s, u, true, false)
DOT(s, s, true, true)

/* vabsdiff: .type is the destination's type, .type2 that of a and b (none: as .type). Without LANE_CLAMP the lanes of d
 * are the differences, truncated or (SAT) clamped to d's type; c would only fill lanes that a mask leaves out, and
 * there is no mask. With LANE_CLAMP (.add): d = c + sum of the differences. */
static inline uint32_t absdiff(uint32_t a, uint32_t b, unsigned i, bool bytes, bool is_signed)
{
    int32_t x = bytes ? byte_of(a, i, is_signed) : half_of(a, i, is_signed);
    int32_t y = bytes ? byte_of(b, i, is_signed) : half_of(b, i, is_signed);
    return (uint32_t)(x < y ? y - x : x - y);
}

static inline uint32_t vabsdiff(uint32_t a, uint32_t b, bool bytes, bool is_signed, uint32_t limit)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < (bytes ? 4 : 2); i++) {
        uint32_t t = absdiff(a, b, i, bytes, is_signed);
        r |= (t < limit ? t : limit) << (i * (bytes ? 8 : 16));
    }
    return r;
}

static inline uint32_t vabsdiff_add(uint32_t a, uint32_t b, uint32_t c, bool bytes, bool is_signed)
{
    for (unsigned i = 0; i < (bytes ? 4 : 2); i++)
        c += absdiff(a, b, i, bytes, is_signed);
    return c;
}

/* A difference never exceeds the unsigned range of a lane, so only signed destinations clamp. */
#define VABSDIFF(n, t, bytes, is_signed)                                                                       \
    KERNEL2(vabsdiff##n##_##t, 32, uint32_t, uint32_t, uint32_t, vabsdiff(a, b, bytes, is_signed, UINT16_MAX)) \
    KERNEL2(vabsdiff##n##_sat_##t, 32, uint32_t, uint32_t, uint32_t,                                           \
            vabsdiff(a, b, bytes, is_signed, (bytes) ? INT8_MAX : INT16_MAX))                                  \
    KERNEL3(vabsdiff##n##_add_##t, 32, uint32_t, uint32_t, uint32_t, uint32_t, vabsdiff_add(a, b, c, bytes, is_signed))
VABSDIFF(2, u, false, false)
VABSDIFF(2, s, false, true)
VABSDIFF(4, u, true, false)
VABSDIFF(4, s, true, true)

static kernel_fn *find_vabsdiff(const struct lane_inst *inst)
{
    static kernel_fn *const table[2][2][3] = {
        {{vabsdiff2_u, vabsdiff2_sat_u, vabsdiff2_add_u}, {vabsdiff2_s, vabsdiff2_sat_s, vabsdiff2_add_s}},
        {{vabsdiff4_u, vabsdiff4_sat_u, vabsdiff4_add_u}, {vabsdiff4_s, vabsdiff4_sat_s, vabsdiff4_add_s}},
    };
    unsigned sources = inst->type2 == LANE_VOID ? inst->type : inst->type2;
    unsigned kind = inst->flags & LANE_CLAMP ? 2 : inst->flags & LANE_SAT && inst->type == LANE_S32 ? 1 : 0;
    if ((inst->mode != 2 && inst->mode != 4) || (sources != LANE_U32 && sources != LANE_S32))
        return NULL;
    return table[inst->mode == 4][sources == LANE_S32][kind];
}

kernel_fn *KERNEL_NAME(kernel_find_video)(const struct lane_inst *inst)
{
    static kernel_fn *const dots[3][2][2] = {
        {{dp4a_uu, dp4a_us}, {dp4a_su, dp4a_ss}},
        {{dp2a_lo_uu, dp2a_lo_us}, {dp2a_lo_su, dp2a_lo_ss}},
        {{dp2a_hi_uu, dp2a_hi_us}, {dp2a_hi_su, dp2a_hi_ss}},
    };
    bool sa = inst->type == LANE_S32, sb = inst->type2 == LANE_S32;
    switch (inst->op) {
    case LANE_OP_dp4a:
        return dots[0][sa][sb];
    case LANE_OP_dp2a:
        return inst->mode < 2 ? dots[1 + inst->mode][sa][sb] : NULL;
    case LANE_OP_vabsdiff:
        return find_vabsdiff(inst);
    }
    return NULL;
}
