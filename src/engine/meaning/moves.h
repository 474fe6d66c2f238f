/* Moves and selection: mov, selp, slct, pack, unpack. Bits are never touched. */
#ifndef ATOLL_ENGINE_MEANING_MOVES_H
#define ATOLL_ENGINE_MEANING_MOVES_H

#include "engine/meaning/shapes.h"

struct quad { /* a 128-bit element */
    uint64_t word[2];
};

/* selp: groups of as many lanes as a bit table has entries. */
#define SELP(name, width, group)                                                     \
    INLINE uint##width##_t name##_lane(uint##width##_t a, uint##width##_t b, bool c) \
    {                                                                                \
        return c ? a : b;                                                            \
    }                                                                                \
    static void name(struct frame *f, const struct kernel_operands *s)               \
    {                                                                                \
        uint##width##_t *d = KERNEL_REG(uint##width##_t, s->d);                      \
        const uint##width##_t *a = KERNEL_REG(const uint##width##_t, s->a);          \
        const uint##width##_t *b = KERNEL_REG(const uint##width##_t, s->b);          \
        uint32_t word = *KERNEL_MASK(s->c);                                          \
        for (unsigned g = 0; g < 32; g += (group)) {                                 \
            uint##width##_t bits = (uint##width##_t)(word >> g);                     \
            LANE_LOOP(group)                                                         \
            d[g + l] = name##_lane(a[g + l], b[g + l], bits & kernel_bit##width[l]); \
        }                                                                            \
    }

#define SELP_QUAD(name, ...)                                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s)                                        \
    {                                                                                                         \
        struct quad *d = KERNEL_REG(struct quad, s->d);                                                       \
        const struct quad *a = KERNEL_REG(const struct quad, s->a), *b = KERNEL_REG(const struct quad, s->b); \
        uint32_t word = *KERNEL_MASK(s->c);                                                                   \
        for (unsigned l = 0; l < 32; l++)                                                                     \
            d[l] = word >> l & 1 ? a[l] : b[l];                                                               \
    }

/* pack and unpack: n = whole/part elements of `part` bits in one of the whole. s->more: offsets of destinations,
 * then sources. Wholes of up to 64 bits are put together by shifts, which vectorise; 128-bit ones are copied in parts.
 * They have no element functions: what they do is in their widths. */
#define PACK(name, whole, part)                                                                             \
    static void name(struct frame *f, const struct kernel_operands *s)                                      \
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
    }
#define UNPACK(name, whole, part)                                                 \
    static void name(struct frame *f, const struct kernel_operands *s)            \
    {                                                                             \
        enum { N = (whole) / (part) };                                            \
        const uint32_t *offsets = s->more;                                        \
        const uint##whole##_t *a = KERNEL_REG(const uint##whole##_t, offsets[N]); \
        for (unsigned i = 0; i < N; i++) {                                        \
            if (offsets[i] == KERNEL_NONE)                                        \
                continue;                                                         \
            uint##part##_t *d = KERNEL_REG(uint##part##_t, offsets[i]);           \
            LANE_LOOP(32)                                                         \
            d[l] = (uint##part##_t)(a[l] >> ((part)*i));                          \
        }                                                                         \
    }
#define PACK_QUAD(name, whole, part)                                                    \
    static void name(struct frame *f, const struct kernel_operands *s)                  \
    {                                                                                   \
        enum { N = (whole) / (part) };                                                  \
        const uint32_t *offsets = s->more;                                              \
        uint##part##_t *d = KERNEL_REG(uint##part##_t, offsets[0]);                     \
        for (unsigned i = 0; i < N; i++) {                                              \
            const uint##part##_t *a = KERNEL_REG(const uint##part##_t, offsets[1 + i]); \
            LANE_LOOP(32)                                                               \
            d[l * N + i] = a[l];                                                        \
        }                                                                               \
    }
#define UNPACK_QUAD(name, whole, part)                                          \
    static void name(struct frame *f, const struct kernel_operands *s)          \
    {                                                                           \
        enum { N = (whole) / (part) };                                          \
        const uint32_t *offsets = s->more;                                      \
        const uint##part##_t *a = KERNEL_REG(const uint##part##_t, offsets[N]); \
        for (unsigned i = 0; i < N; i++) {                                      \
            if (offsets[i] == KERNEL_NONE)                                      \
                continue;                                                       \
            uint##part##_t *d = KERNEL_REG(uint##part##_t, offsets[i]);         \
            LANE_LOOP(32)                                                       \
            d[l] = a[l * N + i];                                                \
        }                                                                       \
    }

/* Wholes and parts, all pairs of widths. */
#define PARTS(quad, whole, part)                                                                 \
    MEANING(PACK##quad, pack_##whole##_##part, (AT(pack, B##whole, FROM(B##part))), whole, part) \
    MEANING(UNPACK##quad, unpack_##whole##_##part, (AT(unpack, B##whole, FROM(B##part))), whole, part)

/* slct: c >= 0; NaN selects b; -0 and (FTZ) negative subnormals count as 0. */
#define SLCT(w)                                                                                                       \
    MEANING(KERNEL3, slct_s32_##w, (AT(slct, B##w, FROM(S32))), 32, uint##w##_t, uint##w##_t, uint##w##_t, int32_t,   \
            c >= 0 ? a : b)                                                                                           \
    MEANING(KERNEL3, slct_f32_##w, (AT(slct, B##w, FROM(F32), WITHOUT(FTZ))), 32, uint##w##_t, uint##w##_t,           \
            uint##w##_t, float, c >= 0 ? a : b)                                                                       \
    MEANING(KERNEL3, slct_ftz_##w, (AT(slct, B##w, FROM(F32), WITH(FTZ))), 32, uint##w##_t, uint##w##_t, uint##w##_t, \
            float, f32_flush(c, true) >= 0 ? a : b)

#endif

/* clang-format off */
MEANING(PREDICATE1, mov_pred, (AT(mov, PRED)), a)
MEANING(KERNEL1, mov_8, (AT(mov, B8)), 32, uint8_t, uint8_t, a)
MEANING(KERNEL1, mov_16, (AT(mov, B16)), 32, uint16_t, uint16_t, a)
MEANING(KERNEL1, mov_32, (AT(mov, B32)), 32, uint32_t, uint32_t, a)
MEANING(KERNEL1, mov_64, (AT(mov, B64)), 32, uint64_t, uint64_t, a)
MEANING(KERNEL1, mov_128, (AT(mov, B128)), 64, uint64_t, uint64_t, a)
MEANING(SELP, selp_8, (AT(selp, B8)), 8, 8)
MEANING(SELP, selp_16, (AT(selp, B16)), 16, 16)
MEANING(SELP, selp_32, (AT(selp, B32)), 32, 32)
MEANING(SELP, selp_64, (AT(selp, B64)), 64, 32)
MEANING(SELP_QUAD, selp_128, (AT(selp, B128)))
SLCT(8) SLCT(16) SLCT(32) SLCT(64)
PARTS(, 16, 8) PARTS(, 32, 8) PARTS(, 32, 16) PARTS(, 64, 8) PARTS(, 64, 16) PARTS(, 64, 32)
PARTS(_QUAD, 128, 8) PARTS(_QUAD, 128, 16) PARTS(_QUAD, 128, 32) PARTS(_QUAD, 128, 64)
