/* Words of CTM's texture instructions, and lookups in plain C. */
#ifndef ATOLL_TESTS_CTM_TEX_H
#define ATOLL_TESTS_CTM_TEX_H

#include <math.h>

#include "ctm_run.h"

enum { R, G, B, A };
enum { WRITES_ALL = 15 };

static inline uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* A lookup of all channels at r and g of `src`, unscaled. */
static inline struct ctm_inst tex(enum ctm_tex_inst op, unsigned dst, unsigned input, unsigned src)
{
    struct ctm_inst inst = {{0}};
    static const uint8_t swizzles[][2] = {{CTM_SRC_S_SWIZ, R}, {CTM_SRC_T_SWIZ, G}, {CTM_SRC_R_SWIZ, B},
                                          {CTM_SRC_Q_SWIZ, A}, {CTM_DST_R_SWIZ, R}, {CTM_DST_G_SWIZ, G},
                                          {CTM_DST_B_SWIZ, B}, {CTM_DST_A_SWIZ, A}};
    for (unsigned i = 0; i < 8; i++)
        ctm_set(&inst, (enum ctm_field)swizzles[i][0], swizzles[i][1]);
    ctm_set(&inst, CTM_TYPE, CTM_TYPE_TEX);
    ctm_set(&inst, CTM_TEX_INST, op);
    ctm_set(&inst, CTM_TEX_ID, input);
    ctm_set(&inst, CTM_SRC_ADDR, src);
    ctm_set(&inst, CTM_DST_ADDR, dst);
    ctm_set(&inst, CTM_TEX_UNSCALED, 1);
    ctm_set(&inst, CTM_RGB_WMASK, 7);
    ctm_set(&inst, CTM_ALPHA_WMASK, 1);
    return inst;
}

static inline struct ctm_inst with(struct ctm_inst inst, enum ctm_field field, uint32_t value)
{
    ctm_set(&inst, field, value);
    return inst;
}

static inline struct ctm_inst masked(struct ctm_inst inst, unsigned channels)
{
    return with(with(inst, CTM_RGB_WMASK, channels & 7), CTM_ALPHA_WMASK, channels >> 3);
}

static inline struct ctm_inst waits(struct ctm_inst inst)
{
    return with(inst, CTM_TEX_SEM_WAIT, 1);
}

static inline struct ctm_inst acquires(struct ctm_inst inst)
{
    return with(with(inst, CTM_TEX_SEM_WAIT, 1), CTM_TEX_SEM_ACQUIRE, 1);
}

/* channels of rD = bits of rS, with a swizzle of a letter a channel. */
static inline struct ctm_inst copy_temp(unsigned dst, unsigned src, unsigned channels, const uint8_t swizzle[4])
{
    struct ctm_inst inst = ctm_copy_out(src, 0);
    static const uint8_t fields[2][4] = {{CTM_RED_SWIZ_A, CTM_GREEN_SWIZ_A, CTM_BLUE_SWIZ_A, CTM_ALPHA_SWIZ_A},
                                         {CTM_RED_SWIZ_B, CTM_GREEN_SWIZ_B, CTM_BLUE_SWIZ_B, CTM_ALPHA_SWIZ_B}};
    for (unsigned c = 0; c < 4 && swizzle; c++)
        for (unsigned arg = 0; arg < 2; arg++)
            ctm_set(&inst, (enum ctm_field)fields[arg][c], swizzle[c]);
    ctm_set(&inst, CTM_TYPE, CTM_TYPE_ALU);
    ctm_set(&inst, CTM_RGB_OMASK, 0);
    ctm_set(&inst, CTM_ALPHA_OMASK, 0);
    ctm_set(&inst, CTM_RGB_TARGET, 0);
    ctm_set(&inst, CTM_ALPHA_TARGET, 0);
    ctm_set(&inst, CTM_RGB_ADDRD, dst);
    ctm_set(&inst, CTM_ALPHA_ADDRD, dst);
    return masked(inst, channels);
}

/* Predicate bits of all channels: channel of rS < 0. */
static inline struct ctm_inst below_zero(unsigned src)
{
    struct ctm_inst inst = copy_temp(0, src, 0, NULL);
    ctm_set(&inst, CTM_RGB_OMASK, 7);
    ctm_set(&inst, CTM_ALPHA_OMASK, 1);
    ctm_set(&inst, CTM_RGB_TARGET, CTM_TEST_LT);
    ctm_set(&inst, CTM_ALPHA_TARGET, CTM_TEST_LT);
    return inst;
}

/* An uncached write of rS.r at (rS.g, rS.b). */
static inline struct ctm_inst send(unsigned src, bool acquire)
{
    return with(ctm_copy_out(src, acquire ? CTM_UMRT_OWN_ACQUIRE : CTM_UMRT_OWN), CTM_ALPHA_TARGET, 0);
}

/* floor, as lookups have it: subnormals are 0, NaN is 0, what is beyond is the largest or smallest. */
static inline int32_t floor_ref(float v)
{
    if (isnan(v) || (bits_of(v) & 0x7f800000) == 0)
        return 0;
    float f = floorf(v);
    return f >= 0x1p31f ? INT32_MAX : f < -0x1p31f ? INT32_MIN : (int32_t)f;
}

static inline float flush_ref(float v)
{
    return bits_of(v) & 0x7f800000 ? v : float_of(bits_of(v) & 0x80000000);
}

static inline uint32_t clamp_ref(int64_t v, uint32_t extent)
{
    return v < 0 ? 0 : v >= extent ? extent - 1 : (uint32_t)v;
}

/* The four channels that a surface gives at a place, clamped to its edges; of a quad, of four places. */
static inline void texel_ref(const struct surface *s, int32_t x, int32_t y, uint32_t out[4])
{
    static const uint8_t dx[] = {1, 0, 1, 0}, dy[] = {0, 1, 1, 0};
    uint32_t rgba[4];
    for (unsigned n = 0; n < 4; n++) {
        bool quad = s->shape.quad;
        uint32_t u = clamp_ref((int64_t)x + (quad ? dx[n] : 0), s->width);
        uint32_t v = clamp_ref((int64_t)y + (quad ? dy[n] : 0), s->height);
        format_load(s->format, s->texels + s->layout->offset(s, (uint64_t)u * s->format->bytes, v, 0), rgba);
        if (!quad)
            memcpy(out, rgba, sizeof rgba);
        else
            out[n] = rgba[0];
    }
}

#endif
