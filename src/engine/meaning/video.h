/* Products and differences of packed bytes and halfwords: dp4a, dp2a, vabsdiff2, vabsdiff4. After the PTX ISA. */
#ifndef ATOLL_ENGINE_MEANING_VIDEO_H
#define ATOLL_ENGINE_MEANING_VIDEO_H

#include "engine/meaning/shapes.h"

/* Byte i, halfword i of a word, extended by its type. */
static inline int32_t packed_byte(uint32_t x, unsigned i, bool is_signed)
{
    uint32_t byte = x >> (8 * i) & 0xff;
    return is_signed ? (int8_t)byte : (int32_t)byte;
}

static inline int32_t packed_half(uint32_t x, unsigned i, bool is_signed)
{
    uint32_t half = x >> (16 * i) & 0xffff;
    return is_signed ? (int16_t)half : (int32_t)half;
}

static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb)
{
    for (unsigned i = 0; i < 4; i++)
        c += (uint32_t)(packed_byte(a, i, sa) * packed_byte(b, i, sb));
    return c;
}

static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, bool high)
{
    for (unsigned i = 0; i < 2; i++)
        c += (uint32_t)(packed_half(a, i, sa) * packed_byte(b, i + (high ? 2 : 0), sb));
    return c;
}

#define PACKED3(name, members, ...) \
    MEANING(KERNEL3, name, members, 32, uint32_t, uint32_t, uint32_t, uint32_t, __VA_ARGS__)
#define DOT(t, u, T, U, sa, sb)                                                            \
    PACKED3(dp4a_##t##u, (AT(dp4a, T, FROM(U))), dp4a(a, b, c, sa, sb))                    \
    PACKED3(dp2a_lo_##t##u, (AT(dp2a, T, FROM(U), MODE(0))), dp2a(a, b, c, sa, sb, false)) \
    PACKED3(dp2a_hi_##t##u, (AT(dp2a, T, FROM(U), MODE(1))), dp2a(a, b, c, sa, sb, true))

/* vabsdiff: .type is the destination's type, .type2 that of a and b. Without LANE_CLAMP the lanes of d
 * are the differences, truncated or (SAT) clamped to d's type; c would only fill lanes that a mask leaves out, and
 * there is no mask. With LANE_CLAMP (.add): d = c + sum of the differences. */
static inline uint32_t absdiff(uint32_t a, uint32_t b, unsigned i, bool bytes, bool is_signed)
{
    int32_t x = bytes ? packed_byte(a, i, is_signed) : packed_half(a, i, is_signed);
    int32_t y = bytes ? packed_byte(b, i, is_signed) : packed_half(b, i, is_signed);
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
#define VABSDIFF(n, t, T, bytes, is_signed)                                                                  \
    PACKED3(vabsdiff##n##_##t, (AT(vabsdiff, S32, FROM(T), MODE(n), WITHOUT(CLAMP))),                        \
            ((void)c, vabsdiff(a, b, bytes, is_signed, UINT16_MAX)))                                         \
    PACKED3(vabsdiff##n##_sat_##t, (AT(vabsdiff, S32, FROM(T), MODE(n), WITHOUT(CLAMP), .flags = LANE_SAT)), \
            ((void)c, vabsdiff(a, b, bytes, is_signed, (bytes) ? INT8_MAX : INT16_MAX)))                     \
    PACKED3(vabsdiff##n##_add_##t, (AT(vabsdiff, S32, FROM(T), MODE(n), WITH(CLAMP), .ignored = LANE_SAT)),  \
            vabsdiff_add(a, b, c, bytes, is_signed))                                                         \
    MEANING(WITHOUT_FUNCTION, vabsdiff##n##_##t,                                                             \
            (AT(vabsdiff, U32, FROM(T), MODE(n), WITHOUT(CLAMP), .ignored = LANE_SAT)))                      \
    MEANING(WITHOUT_FUNCTION, vabsdiff##n##_add_##t,                                                         \
            (AT(vabsdiff, U32, FROM(T), MODE(n), WITH(CLAMP), .ignored = LANE_SAT)))

#endif

/* clang-format off */
DOT(u, u, U32, U32, false, false)
DOT(u, s, U32, S32, false, true)
DOT(s, u, S32, U32, true, false)
DOT(s, s, S32, S32, true, true)
VABSDIFF(2, u, U32, false, false)
VABSDIFF(2, s, S32, false, true)
VABSDIFF(4, u, U32, true, false)
VABSDIFF(4, s, S32, true, true)
