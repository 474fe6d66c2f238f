/* Bit operations: logic, shifts, bit fields, counts, permutes. Meanings after the PTX ISA. */
#ifndef ATOLL_ENGINE_MEANING_BITS_H
#define ATOLL_ENGINE_MEANING_BITS_H

#include "engine/meaning/prmt.h"
#include "engine/meaning/shapes.h"

#define WIDTHS(X) X(8) X(16) X(32) X(64)

/* Of words. */
#define WORD2(name, members, ...) MEANING(KERNEL2, name, members, 32, uint32_t, uint32_t, uint32_t, __VA_ARGS__)
#define WORD3(name, members, ...) \
    MEANING(KERNEL3, name, members, 32, uint32_t, uint32_t, uint32_t, uint32_t, __VA_ARGS__)

/* Logic: on predicates, on b8..b64. */
#define LOGIC2_AT(w, op, expr) \
    MEANING(KERNEL2, op##_##w, (AT(op, B##w)), 32, uint##w##_t, uint##w##_t, uint##w##_t, expr)
#define LOGIC2(op, expr)                                 \
    MEANING(PREDICATE2, op##_pred, (AT(op, PRED)), expr) \
    LOGIC2_AT(8, op, expr) LOGIC2_AT(16, op, expr) LOGIC2_AT(32, op, expr) LOGIC2_AT(64, op, expr)
#define NOT(w)  MEANING(KERNEL1, not_##w, (AT(not, B##w)), 32, uint##w##_t, uint##w##_t, ~a)
#define CNOT(w) MEANING(KERNEL1, cnot_##w, (AT(cnot, B##w)), 32, uint##w##_t, uint##w##_t, a == 0)

/* ---- lop3: bit (a << 2 | b << 1 | c) of the table ------------------------------------------------- */

/* A tree of bit selections; the leaves are all ones or zero. With a constant table it folds into a few operations. */
static inline uint32_t select_bits(uint32_t mask, uint32_t ones, uint32_t zeros)
{
    return zeros ^ (mask & (ones ^ zeros));
}

static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t pair[4];
    for (unsigned i = 0; i < 4; i++)
        pair[i] = select_bits(c, -(table >> (2 * i + 1) & 1), -(table >> (2 * i) & 1));
    return select_bits(a, select_bits(b, pair[3], pair[2]), select_bits(b, pair[1], pair[0]));
}

/* Tables that compilers emit often: three-way and, or, xor, majority, bit selections, and-or, or-and, ... */
/* clang-format off */
#define LOP3_TABLES(X)                                                                    \
    X(0x80) X(0xfe) X(0x96) X(0xe8) X(0xca) X(0xe2) X(0xd8) X(0xb8) X(0xac) X(0xea)       \
    X(0xec) X(0xf8) X(0xa8) X(0xc8) X(0xe0) X(0x6a) X(0x6c) X(0x78) X(0x56) X(0x36)       \
    X(0x1e) X(0x40) X(0x20) X(0x08) X(0xf2) X(0xf4) X(0xba) X(0xce)
/* clang-format on */
#define LOP3(table) WORD3(lop3_##table, (AT(lop3, B32, AUX(table))), lop3(a, b, c, table))

/* ---- shifts ------------------------------------------------------------------------------------------ */

/* Amounts are 32 bits whatever the operand's width, and clamped. */
#define SHIFTS(w)                                                                       \
    MEANING(KERNEL2, shl_##w, (AT(shl, B##w)), 32, uint##w##_t, uint##w##_t, uint32_t,  \
            b < (w) ? (uint##w##_t)(a << (b & ((w)-1))) : 0)                            \
    MEANING(KERNEL2, shr_u##w, (AT(shr, U##w)), 32, uint##w##_t, uint##w##_t, uint32_t, \
            b < (w) ? (uint##w##_t)(a >> (b & ((w)-1))) : 0)                            \
    MEANING(KERNEL2, shr_s##w, (AT(shr, S##w)), 32, int##w##_t, int##w##_t, uint32_t, a >> (b < (w) ? b : (w)-1))

/* Funnel shifts of {b,a}: 64-bit shifts by n in 0..32. */
static inline uint32_t shf_left(uint32_t a, uint32_t b, uint32_t n)
{
    return (uint32_t)((((uint64_t)b << 32 | a) << n) >> 32);
}

static inline uint32_t shf_right(uint32_t a, uint32_t b, uint32_t n)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

/* ---- bit fields -------------------------------------------------------------------------------------- */

/* bfe, bfi: shifts past the width give 0 (or the sign). Of 32 bits position and length are 0..255 (PTX ISA); of 64 bits
 * all of their 32 bits count, although the PTX ISA says the same there (named choice: measured on an H100). */
#define FIELD_SIZES_32 255
#define FIELD_SIZES_64 UINT32_MAX
#define FIELD(w)                                                                                      \
    static inline uint##w##_t ones_##w(uint32_t len)                                                  \
    {                                                                                                 \
        return len < (w) ? ((uint##w##_t)1 << (len & ((w)-1))) - 1 : (uint##w##_t) - 1;               \
    }                                                                                                 \
    static inline uint##w##_t left_##w(uint##w##_t a, uint32_t n)                                     \
    {                                                                                                 \
        return n < (w) ? a << (n & ((w)-1)) : 0;                                                      \
    }                                                                                                 \
    static inline uint##w##_t bfe_unsigned_##w(uint##w##_t a, uint32_t pos, uint32_t len)             \
    {                                                                                                 \
        return (pos < (w) ? a >> (pos & ((w)-1)) : 0) & ones_##w(len);                                \
    }                                                                                                 \
    /* The field runs into the sign when it ends past the width: the arithmetic shift supplies it. */ \
    static inline int##w##_t bfe_signed_##w(int##w##_t a, uint32_t pos, uint32_t len)                 \
    {                                                                                                 \
        int##w##_t field = a >> (pos < (w) ? pos : (w)-1);                                            \
        uint32_t unused = len < (w) ? (w)-len : 0;                                                    \
        unused = unused < (w) ? unused : (w)-1;                                                       \
        field = (int##w##_t)((uint##w##_t)field << unused) >> unused;                                 \
        return len == 0 ? 0 : field;                                                                  \
    }                                                                                                 \
    static inline uint##w##_t bfi_##w##_of(uint##w##_t a, uint##w##_t b, uint32_t pos, uint32_t len)  \
    {                                                                                                 \
        uint##w##_t mask = left_##w(ones_##w(len), pos);                                              \
        return (b & ~mask) | (left_##w(a, pos) & mask);                                               \
    }
FIELD(32)
FIELD(64)

#define FIELDS(w)                                                                                             \
    MEANING(KERNEL3, bfe_u##w, (AT(bfe, U##w)), 32, uint##w##_t, uint##w##_t, uint32_t, uint32_t,             \
            bfe_unsigned_##w(a, b &FIELD_SIZES_##w, c &FIELD_SIZES_##w))                                      \
    MEANING(KERNEL3, bfe_s##w, (AT(bfe, S##w)), 32, int##w##_t, int##w##_t, uint32_t, uint32_t,               \
            bfe_signed_##w(a, b &FIELD_SIZES_##w, c &FIELD_SIZES_##w))                                        \
    MEANING(KERNEL4, bfi_##w, (AT(bfi, B##w)), 32, uint##w##_t, uint##w##_t, uint##w##_t, uint32_t, uint32_t, \
            bfi_##w##_of(a, b, c &FIELD_SIZES_##w, e &FIELD_SIZES_##w))

/* bmsk: ones from bit a, b of them; wrap takes both modulo 32 (PTX ISA, bmsk). */
static inline uint32_t bmsk(uint32_t a, uint32_t b, bool clamp)
{
    uint32_t start = a & 31, width = b & 31, end = start + width;
    uint32_t from_start = UINT32_MAX << start, from_end = end < 32 ? UINT32_MAX << (end & 31) : 0;
    from_start = clamp && a >= 32 ? 0 : from_start;
    from_end = clamp && b >= 32 ? 0 : from_end;
    return from_start & ~from_end;
}

/* szext: the low b bits, extended; b = 0 gives 0, b >= 32 gives a (clamp) or b mod 32 (wrap). */
static inline uint32_t szext_unsigned(uint32_t a, uint32_t b, bool clamp)
{
    uint32_t kept = a & ((1u << (b & 31)) - 1);
    return clamp && b >= 32 ? a : kept;
}

static inline uint32_t szext_signed(uint32_t a, uint32_t b, bool clamp)
{
    uint32_t bits = b & 31, unused = (32 - bits) & 31;
    uint32_t kept = (uint32_t)((int32_t)(a << unused) >> unused);
    kept = bits == 0 ? 0 : kept;
    return clamp && b >= 32 ? a : kept;
}

/* ---- counting ------------------------------------------------------------------------------------------ */

static inline uint32_t popc32(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

static inline uint32_t popc64(uint64_t x)
{
    return popc32((uint32_t)x) + popc32((uint32_t)(x >> 32));
}

static inline uint32_t clz32(uint32_t x)
{
#ifdef __AVX512CD__
    return x ? (uint32_t)__builtin_clz(x) : 32;
#else
    for (unsigned n = 1; n < 32; n *= 2)
        x |= x >> n;
    return popc32(~x);
#endif
}

static inline uint32_t clz64(uint64_t x)
{
    uint32_t high = (uint32_t)(x >> 32);
    uint32_t rest = clz32(high ? high : (uint32_t)x);
    return high ? rest : 32 + rest;
}

static inline uint32_t brev32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return x >> 24 | (x >> 8 & 0xff00) | (x & 0xff00) << 8 | x << 24;
}

static inline uint64_t brev64(uint64_t x)
{
    return (uint64_t)brev32((uint32_t)x) << 32 | brev32((uint32_t)(x >> 32));
}

#define COUNTS(w)                                                                       \
    MEANING(KERNEL1, popc_##w, (AT(popc, B##w)), 32, uint32_t, uint##w##_t, popc##w(a)) \
    MEANING(KERNEL1, clz_##w, (AT(clz, B##w)), 32, uint32_t, uint##w##_t, clz##w(a))    \
    MEANING(KERNEL1, brev_##w, (AT(brev, B##w)), 32, uint##w##_t, uint##w##_t, brev##w(a))

/* bfind: the highest bit that differs from the sign; shiftamt (LANE_CLAMP) counts it from the top. x: the operand, ones
 * where it differs from its sign. */
#define BFIND_OF(name, w, type, A, x)                                                      \
    MEANING(KERNEL1, bfind_##name, (AT(bfind, type, WITHOUT(CLAMP))), 32, uint32_t, A,     \
            (x) ? (w)-1 - clz##w((uint##w##_t)(x)) : UINT32_MAX)                           \
    MEANING(KERNEL1, bfind_amount_##name, (AT(bfind, type, WITH(CLAMP))), 32, uint32_t, A, \
            (x) ? clz##w((uint##w##_t)(x)) : UINT32_MAX)
#define BFIND(w)                            \
    BFIND_OF(u##w, w, U##w, uint##w##_t, a) \
    BFIND_OF(s##w, w, S##w, int##w##_t, a ^ a >> ((w)-1))

/* fns: the |offset|-th set bit of the mask, counted from bit `base` upwards (offset > 0) or downwards; offset 0 asks
 * for the base bit itself. A base above 31 is undefined in the PTX ISA; here nothing is found. */
static uint32_t fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (base > 31)
        return UINT32_MAX;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    int32_t step = offset > 0 ? 1 : -1;
    int64_t left = offset > 0 ? offset : -(int64_t)offset;
    for (int32_t pos = (int32_t)base; pos >= 0 && pos < 32; pos += step)
        if (mask >> pos & 1 && --left == 0)
            return (uint32_t)pos;
    return UINT32_MAX;
}

#define FNS(name, ...)                                                                               \
    INLINE uint32_t name##_lane(uint32_t a, uint32_t b, int32_t c)                                   \
    {                                                                                                \
        return fns(a, b, c);                                                                         \
    }                                                                                                \
    static void name(struct frame *f, const struct kernel_operands *s)                               \
    {                                                                                                \
        uint32_t *d = KERNEL_REG(uint32_t, s->d);                                                    \
        const uint32_t *a = KERNEL_REG(const uint32_t, s->a), *b = KERNEL_REG(const uint32_t, s->b); \
        const int32_t *c = KERNEL_REG(const int32_t, s->c);                                          \
        for (unsigned l = 0; l < 32; l++)                                                            \
            d[l] = name##_lane(a[l], b[l], c[l]);                                                    \
    }

/* ---- prmt ---------------------------------------------------------------------------------------------- */

/* Nibble i of the selector picks byte i of the result out of the eight of {b,a}; its top bit asks for the byte's sign,
 * replicated. */
static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t nibble = selector >> (4 * i);
        uint32_t byte = (uint32_t)(bytes >> (8 * (nibble & 7))) & 0xff;
        uint32_t sign = (byte >> 7) * 0xff;
        r |= (nibble & 8 ? sign : byte) << (8 * i);
    }
    return r;
}

#define PRMT(name, mode) WORD3(prmt_##name, (AT(prmt, B32, MODE(mode))), prmt(a, b, prmt_selectors[mode][c & 3]))

/* ---- mad16: halves multiplied (enum lane_mad16) ------------------------------------------------------- */

static inline uint32_t half_of(uint32_t value, bool high, bool is_signed)
{
    uint32_t top = high ? value & 0xffff0000u : value << 16;
    return is_signed ? (uint32_t)((int32_t)top >> 16) : top >> 16;
}

static inline uint32_t mad16(uint32_t a, uint32_t b, uint32_t c, uint32_t mode)
{
    uint32_t p = half_of(a, mode & LANE_MAD16_A_HIGH, mode & LANE_MAD16_A_SIGNED) *
                 half_of(b, mode & LANE_MAD16_B_HIGH, mode & LANE_MAD16_B_SIGNED);
    if (mode & LANE_MAD16_SHIFT)
        p <<= 16;
    if (mode & LANE_MAD16_C_LOW)
        c &= 0xffff;
    if (mode & LANE_MAD16_C_HIGH)
        c >>= 16;
    if (mode & LANE_MAD16_C_PLUS_B)
        c += b << 16;
    p += c;
    return mode & LANE_MAD16_MERGE ? (p & 0xffff) | b << 16 : p;
}

/* What compilers emit for products of 32 bits: any halves; merged; shifted; for the upper word. */
#define MAD16_MODES(X) X(0) X(1) X(2) X(3) X(256) X(258) X(144) X(145) X(146) X(147) X(64) X(65) X(66) X(67) X(16) X(17)
#define MAD16(mode)    WORD3(mad16_##mode, (AT(mad16, B32, AUX(mode))), mad16(a, b, c, mode))

#endif

/* clang-format off */
LOGIC2(and, a & b)
LOGIC2(or, a | b)
LOGIC2(xor, a ^ b)
MEANING(PREDICATE1, not_pred, (AT(not, PRED)), ~a)
WIDTHS(NOT)
WIDTHS(CNOT)
MEANING(KERNEL3_AUX, lop3_any, (AT(lop3, B32)), lop3(a, b, c, aux))
LOP3_TABLES(LOP3)
WIDTHS(SHIFTS)
WORD3(shf_left_wrap, (AT(shf, B32, MODE(0), WITHOUT(CLAMP))), shf_left(a, b, c & 31))
WORD3(shf_left_clamp, (AT(shf, B32, MODE(0), WITH(CLAMP))), shf_left(a, b, c < 32 ? c : 32))
WORD3(shf_right_wrap, (AT(shf, B32, MODE(1), WITHOUT(CLAMP))), shf_right(a, b, c & 31))
WORD3(shf_right_clamp, (AT(shf, B32, MODE(1), WITH(CLAMP))), shf_right(a, b, c < 32 ? c : 32))
FIELDS(32)
FIELDS(64)
WORD2(bmsk_wrap, (AT(bmsk, B32, WITHOUT(CLAMP))), bmsk(a, b, false))
WORD2(bmsk_clamp, (AT(bmsk, B32, WITH(CLAMP))), bmsk(a, b, true))
WORD2(szext_u_wrap, (AT(szext, U32, WITHOUT(CLAMP))), szext_unsigned(a, b, false))
WORD2(szext_u_clamp, (AT(szext, U32, WITH(CLAMP))), szext_unsigned(a, b, true))
WORD2(szext_s_wrap, (AT(szext, S32, WITHOUT(CLAMP))), szext_signed(a, b, false))
WORD2(szext_s_clamp, (AT(szext, S32, WITH(CLAMP))), szext_signed(a, b, true))
COUNTS(32)
COUNTS(64)
BFIND(32)
BFIND(64)
MEANING(FNS, fns_32, (AT(fns, B32)))
WORD3(prmt_idx, (AT(prmt, B32, MODE(LANE_PRMT_IDX))), prmt(a, b, c))
PRMT(f4e, LANE_PRMT_F4E)
PRMT(b4e, LANE_PRMT_B4E)
PRMT(rc8, LANE_PRMT_RC8)
PRMT(ecl, LANE_PRMT_ECL)
PRMT(ecr, LANE_PRMT_ECR)
PRMT(rc16, LANE_PRMT_RC16)
MEANING(KERNEL3_AUX, mad16_any, (AT(mad16, B32)), mad16(a, b, c, aux))
MAD16_MODES(MAD16)
