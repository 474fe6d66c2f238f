/* Between registers and a packed array of 32 accesses of 1 << shift bytes each, for loops over all lanes. */
#ifndef ATOLL_MEM_SURFACE_PACKED_H
#define ATOLL_MEM_SURFACE_PACKED_H

#include "lane/lane.h"

/* ---- packed array -> registers -------------------------------------------------------------------------------- */

/* An access of up to 8 bytes is one little-endian word, of which a register gets (word >> shift) & mask; of 16 bytes,
 * two 64-bit words, of which `half` says which. */
#define UNPACK(raw, reg, words)                                                                                  \
    static void unpack_##raw##_##reg(const void *packed, unsigned half, unsigned shift, uint64_t mask, void *to) \
    {                                                                                                            \
        const uint##raw##_t *from = (const uint##raw##_t *)packed + half;                                        \
        uint##reg##_t *out = to;                                                                                 \
        uint##raw##_t ones = (uint##raw##_t)mask;                                                                \
        for (unsigned i = 0; i < LANES; i++)                                                                     \
            out[i] = (uint##reg##_t)(from[words * i] >> shift & ones);                                           \
    }
#define UNPACK2(reg)                                                                                         \
    static void unpack_128_##reg(const void *packed, unsigned half, unsigned shift, uint64_t mask, void *to) \
    {                                                                                                        \
        const uint64_t *from = (const uint64_t *)packed + half;                                              \
        uint##reg##_t *out = to;                                                                             \
        for (unsigned i = 0; i < LANES; i++)                                                                 \
            out[i] = (uint##reg##_t)(from[2 * i] >> shift & mask);                                           \
    }
#define UNPACKS(raw) UNPACK(raw, 8, 1) UNPACK(raw, 16, 1) UNPACK(raw, 32, 1) UNPACK(raw, 64, 1)
UNPACKS(8)
UNPACKS(16)
UNPACKS(32)
UNPACKS(64)
UNPACK2(8)
UNPACK2(16)
UNPACK2(32)
UNPACK2(64)

typedef void unpacker(const void *, unsigned, unsigned, uint64_t, void *);
#define UNPACK_ROW(raw)                                                           \
    {                                                                             \
        unpack_##raw##_8, unpack_##raw##_16, unpack_##raw##_32, unpack_##raw##_64 \
    }
static unpacker *const unpack[5][4] = {UNPACK_ROW(8), UNPACK_ROW(16), UNPACK_ROW(32), UNPACK_ROW(64), UNPACK_ROW(128)};

/* 8, 16, 32, 64 bits: 0 to 3. */
static unsigned width_index(uint8_t bits)
{
    return (unsigned)__builtin_ctz(bits) - 3;
}

#define BLEND(reg)                                                     \
    static void blend_##reg(void *to, const void *from, uint32_t mask) \
    {                                                                  \
        uint##reg##_t *out = to;                                       \
        const uint##reg##_t *in = from;                                \
        for (unsigned i = 0; i < LANES; i++)                           \
            out[i] = mask >> i & 1 ? in[i] : out[i];                   \
    }
BLEND(8)
BLEND(16)
BLEND(32)
BLEND(64)
static void (*const blend[4])(void *, const void *, uint32_t) = {blend_8, blend_16, blend_32, blend_64};

/* Registers whose elements are wider than the memory's: bit `bit` is copied into all above it. */
#define EXTEND(reg)                                                                 \
    static void extend_##reg(void *values, unsigned bit)                            \
    {                                                                               \
        uint##reg##_t *v = values, sign = (uint##reg##_t)((uint##reg##_t)1 << bit); \
        for (unsigned i = 0; i < LANES; i++)                                        \
            v[i] = (uint##reg##_t)((v[i] ^ sign) - sign);                           \
    }
EXTEND(8)
EXTEND(16)
EXTEND(32)
EXTEND(64)
static void (*const extend[4])(void *, unsigned) = {extend_8, extend_16, extend_32, extend_64};

static bool type_signed(uint8_t type)
{
    return type >= LANE_S8 && type <= LANE_S64;
}

/* ---- registers -> packed array -------------------------------------------------------------------------------- */

/* to[i] = with[i] | (register[i] & mask) << shift */
#define JOIN(acc, reg)                                                                                          \
    static void join_##acc##_##reg(void *to, const void *with, const void *from, uint64_t mask, unsigned shift) \
    {                                                                                                           \
        uint##acc##_t *out = to, ones = (uint##acc##_t)mask;                                                    \
        const uint##acc##_t *old = with;                                                                        \
        const uint##reg##_t *in = from;                                                                         \
        for (unsigned i = 0; i < LANES; i++)                                                                    \
            out[i] = (uint##acc##_t)(old[i] | ((uint##acc##_t)in[i] & ones) << shift);                          \
    }
JOIN(16, 8)
JOIN(16, 16)
JOIN(16, 32)
JOIN(16, 64)
JOIN(32, 8)
JOIN(32, 16)
JOIN(32, 32)
JOIN(32, 64)
JOIN(64, 8)
JOIN(64, 16)
JOIN(64, 32)
JOIN(64, 64)

typedef void joiner(void *, const void *, const void *, uint64_t, unsigned);
/* Into 16, 32 and 64 bits. */
static joiner *const join[3][4] = {{join_16_8, join_16_16, join_16_32, join_16_64},
                                   {join_32_8, join_32_16, join_32_32, join_32_64},
                                   {join_64_8, join_64_16, join_64_32, join_64_64}};

/* To join the first with: cheaper than to clear what is joined. */
static const uint64_t no_words[LANES];

#endif
