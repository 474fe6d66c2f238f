/* Floats for tests of Maxwell instructions: bits and values, random operands with many edges, roundings. */
#ifndef ATOLL_TESTS_SASS_FLOATS_H
#define ATOLL_TESTS_SASS_FLOATS_H

#include <fenv.h>

#include "sass_rig.h"

static const int round_modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
static const char *const round_texts[] = {"", ".RM", ".RP", ".RZ"};

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* xorshift64: the same operands in every run. */
static inline uint64_t random_word(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Any bits; near 1; zeros, subnormals, neighbours of powers of two, infinities, NaNs. */
static inline uint32_t random_f32(void)
{
    static const uint32_t edges[] = {0,          1,          0x007fffff, 0x00800000, 0x00800001, 0x3effffff,
                                     0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x4b000000,
                                     0x4b000001, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
                                     0x33800000, 0x00400000, 0x4f000000, 0x5f000000};
    uint32_t r = (uint32_t)(random_word() >> 20);
    switch (random_word() >> 40 & 3) {
    case 0:
        return edges[r % (sizeof edges / sizeof *edges)] | (r & 0x80000000);
    case 1:
        return r;
    case 2: /* few digits make ties */
        return (r & 0x807ff000) | (120 + (r >> 24) % 16) << 23;
    default:
        return (r & 0x807fffff) | (120 + (r >> 24) % 16) << 23;
    }
}

static inline uint64_t random_f64(void)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x3fefffffffffffff,
                                     0x3ff0000000000000,
                                     0x3ff0000000000001,
                                     0x4330000000000001,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0x7ff8000000000000,
                                     0x7ff0000000000001,
                                     0x41dfffffffc00000,
                                     0x41f0000000000000,
                                     0x43e0000000000000,
                                     0x3fe0000000000000,
                                     0x4004000000000000};
    uint64_t r = random_word(), sign = r & UINT64_C(1) << 63;
    switch (random_word() >> 40 & 3) {
    case 0:
        return edges[(r >> 8) % (sizeof edges / sizeof *edges)] | sign;
    case 1:
        return r;
    case 2:
        return (r & 0x800fffff00000000) | (1015 + (r >> 24) % 24) << 52;
    default:
        return (r & 0x800fffffffffffff) | (1015 + (r >> 54) % 70) << 52;
    }
}

static inline void fill_floats(struct sass_rig *t)
{
    for (unsigned n = 0; n < SASS_CASES; n++)
        for (unsigned k = 0; k < SASS_INPUTS; k++)
            t->in[n][k] = random_f32();
}

/* Pairs from R8 on. */
static inline void fill_doubles(struct sass_rig *t)
{
    for (unsigned n = 0; n < SASS_CASES; n++)
        for (unsigned k = 0; k < SASS_INPUTS; k += 2) {
            uint64_t x = random_f64();
            t->in[n][k] = (uint32_t)x;
            t->in[n][k + 1] = (uint32_t)(x >> 32);
        }
}

static inline void expect_word(const struct sass_rig *t, const char *text, unsigned n, unsigned k, uint32_t want)
{
    if (t->out[n][k] != want)
        fail_msg("%s: case %u (%08x %08x %08x %08x): R%u is %08x, not %08x", text, n, t->in[n][0], t->in[n][1],
                 t->in[n][2], t->in[n][3], k, t->out[n][k], want);
}

#endif
