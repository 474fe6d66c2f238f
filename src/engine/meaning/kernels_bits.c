/* Bit operations: logic, shifts, bit fields, counts, permutes. Meanings after the PTX ISA. */
#include "engine/meaning/kernels.h"

/* ---- logic: on predicates (a word), on b8..b64 --------------------------------------------------- */

#define WIDTHS(X) X(8) X(16) X(32) X(64)

#define LOGIC2(name, expr)                                                    \
    static void name##_pred(struct frame *f, const struct kernel_operands *s) \
    {                                                                         \
        uint32_t a = *KERNEL_MASK(s->a), b = *KERNEL_MASK(s->b);              \
        *KERNEL_MASK(s->d) = expr;                                            \
    }                                                                         \
    KERNEL2(name##_8, 32, uint8_t, uint8_t, uint8_t, expr)                    \
    KERNEL2(name##_16, 32, uint16_t, uint16_t, uint16_t, expr)                \
    KERNEL2(name##_32, 32, uint32_t, uint32_t, uint32_t, expr)                \
    KERNEL2(name##_64, 32, uint64_t, uint64_t, uint64_t, expr)
LOGIC2(and, a &b)
LOGIC2(or, a | b)
LOGIC2(xor, a ^ b)

static void not_pred(struct frame *f, const struct kernel_operands *s)
{
    *KERNEL_MASK(s->d) = ~*KERNEL_MASK(s->a);
}

#define NOT(w)  KERNEL1(not_##w, 32, uint##w##_t, uint##w##_t, ~a)
#define CNOT(w) KERNEL1(cnot_##w, 32, uint##w##_t, uint##w##_t, a == 0)
WIDTHS(NOT)
WIDTHS(CNOT)

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

KERNEL3(lop3_any, 32, uint32_t, uint32_t, uint32_t, uint32_t, lop3(a, b, c, s->aux))

/* Tables that compilers emit often: three-way and, or, xor, majority, bit selections, and-or, or-and, ... */
/* clang-format off */
#define LOP3_TABLES(X)                                                                    \
    X(0x80) X(0xfe) X(0x96) X(0xe8) X(0xca) X(0xe2) X(0xd8) X(0xb8) X(0xac) X(0xea)       \
    X(0xec) X(0xf8) X(0xa8) X(0xc8) X(0xe0) X(0x6a) X(0x6c) X(0x78) X(0x56) X(0x36)       \
    X(0x1e) X(0x40) X(0x20) X(0x08) X(0xf2) X(0xf4) X(0xba) X(0xce)
/* clang-format on */
#define LOP3(table) KERNEL3(lop3_##table, 32, uint32_t, uint32_t, uint32_t, uint32_t, lop3(a, b, c, table))
LOP3_TABLES(LOP3)

static kernel_fn *find_lop3(uint32_t table)
{
    switch (table & 0xff) {
#define CASE(table) \
    case table:     \
        return lop3_##table;
        LOP3_TABLES(CASE)
#undef CASE
    }
    return lop3_any;
}

/* ---- shifts ------------------------------------------------------------------------------------------ */

/* Amounts are 32 bits whatever the operand's width, and clamped. */
#define SHL(w) KERNEL2(shl_##w, 32, uint##w##_t, uint##w##_t, uint32_t, b < (w) ? (uint##w##_t)(a << (b & ((w)-1))) : 0)
#define SHR_U(w) \
    KERNEL2(shr_u##w, 32, uint##w##_t, uint##w##_t, uint32_t, b < (w) ? (uint##w##_t)(a >> (b & ((w)-1))) : 0)
#define SHR_S(w) KERNEL2(shr_s##w, 32, int##w##_t, int##w##_t, uint32_t, a >> (b < (w) ? b : (w)-1))
WIDTHS(SHL)
WIDTHS(SHR_U)
WIDTHS(SHR_S)

/* Funnel shifts of {b,a}: 64-bit shifts by n in 0..32. */
static inline uint32_t shf_left(uint32_t a, uint32_t b, uint32_t n)
{
    return (uint32_t)((((uint64_t)b << 32 | a) << n) >> 32);
}

static inline uint32_t shf_right(uint32_t a, uint32_t b, uint32_t n)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

KERNEL3(shf_left_wrap, 32, uint32_t, uint32_t, uint32_t, uint32_t, shf_left(a, b, c & 31))
KERNEL3(shf_left_clamp, 32, uint32_t, uint32_t, uint32_t, uint32_t, shf_left(a, b, c < 32 ? c : 32))
KERNEL3(shf_right_wrap, 32, uint32_t, uint32_t, uint32_t, uint32_t, shf_right(a, b, c & 31))
KERNEL3(shf_right_clamp, 32, uint32_t, uint32_t, uint32_t, uint32_t, shf_right(a, b, c < 32 ? c : 32))

/* ---- bit fields -------------------------------------------------------------------------------------- */

/* bfe, bfi: position and length are 0..255. Shifts past the width give 0 (or the sign). */
#define FIELD(w)                                                                                               \
    static inline uint##w##_t ones_##w(uint32_t len)                                                           \
    {                                                                                                          \
        return len < (w) ? ((uint##w##_t)1 << (len & ((w)-1))) - 1 : (uint##w##_t) - 1;                        \
    }                                                                                                          \
    static inline uint##w##_t left_##w(uint##w##_t a, uint32_t n)                                              \
    {                                                                                                          \
        return n < (w) ? a << (n & ((w)-1)) : 0;                                                               \
    }                                                                                                          \
    static inline uint##w##_t bfe_unsigned_##w(uint##w##_t a, uint32_t pos, uint32_t len)                      \
    {                                                                                                          \
        return (pos < (w) ? a >> (pos & ((w)-1)) : 0) & ones_##w(len);                                         \
    }                                                                                                          \
    /* The field runs into the sign when it ends past the width: the arithmetic shift supplies it. */          \
    static inline int##w##_t bfe_signed_##w(int##w##_t a, uint32_t pos, uint32_t len)                          \
    {                                                                                                          \
        int##w##_t field = a >> (pos < (w) ? pos : (w)-1);                                                     \
        uint32_t unused = len < (w) ? (w)-len : 0;                                                             \
        unused = unused < (w) ? unused : (w)-1;                                                                \
        field = (int##w##_t)((uint##w##_t)field << unused) >> unused;                                          \
        return len == 0 ? 0 : field;                                                                           \
    }                                                                                                          \
    KERNEL3(bfe_u##w, 32, uint##w##_t, uint##w##_t, uint32_t, uint32_t, bfe_unsigned_##w(a, b & 255, c & 255)) \
    KERNEL3(bfe_s##w, 32, int##w##_t, int##w##_t, uint32_t, uint32_t, bfe_signed_##w(a, b & 255, c & 255))     \
    static void bfi_##w(struct frame *f, const struct kernel_operands *s)                                      \
    {                                                                                                          \
        uint##w##_t *d = KERNEL_REG(uint##w##_t, s->d);                                                        \
        const uint##w##_t *a = KERNEL_REG(const uint##w##_t, s->a), *b = KERNEL_REG(const uint##w##_t, s->b);  \
        const uint32_t *c = KERNEL_REG(const uint32_t, s->c), *e = KERNEL_REG(const uint32_t, s->e);           \
        LANE_LOOP(32)                                                                                          \
        {                                                                                                      \
            uint32_t pos = c[l] & 255;                                                                         \
            uint##w##_t mask = left_##w(ones_##w(e[l] & 255), pos);                                            \
            d[l] = (b[l] & ~mask) | (left_##w(a[l], pos) & mask);                                              \
        }                                                                                                      \
    }
FIELD(32)
FIELD(64)

/* bmsk: ones from bit a, b of them; wrap takes both modulo 32 (PTX ISA, bmsk). */
static inline uint32_t bmsk(uint32_t a, uint32_t b, bool clamp)
{
    uint32_t start = a & 31, width = b & 31, end = start + width;
    uint32_t from_start = UINT32_MAX << start, from_end = end < 32 ? UINT32_MAX << (end & 31) : 0;
    from_start = clamp && a >= 32 ? 0 : from_start;
    from_end = clamp && b >= 32 ? 0 : from_end;
    return from_start & ~from_end;
}
KERNEL2(bmsk_wrap, 32, uint32_t, uint32_t, uint32_t, bmsk(a, b, false))
KERNEL2(bmsk_clamp, 32, uint32_t, uint32_t, uint32_t, bmsk(a, b, true))

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
KERNEL2(szext_u_wrap, 32, uint32_t, uint32_t, uint32_t, szext_unsigned(a, b, false))
KERNEL2(szext_u_clamp, 32, uint32_t, uint32_t, uint32_t, szext_unsigned(a, b, true))
KERNEL2(szext_s_wrap, 32, uint32_t, uint32_t, uint32_t, szext_signed(a, b, false))
KERNEL2(szext_s_clamp, 32, uint32_t, uint32_t, uint32_t, szext_signed(a, b, true))

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

KERNEL1(popc_32, 32, uint32_t, uint32_t, popc32(a))
KERNEL1(popc_64, 32, uint32_t, uint64_t, popc64(a))
KERNEL1(clz_32, 32, uint32_t, uint32_t, clz32(a))
KERNEL1(clz_64, 32, uint32_t, uint64_t, clz64(a))
KERNEL1(brev_32, 32, uint32_t, uint32_t, brev32(a))
KERNEL1(brev_64, 32, uint64_t, uint64_t, brev64(a))

/* bfind: the highest bit that differs from the sign; shiftamt counts it from the top. */
#define BFIND(w)                                                                               \
    KERNEL1(bfind_u##w, 32, uint32_t, uint##w##_t, a ? (w)-1 - clz##w(a) : UINT32_MAX)         \
    KERNEL1(bfind_s##w, 32, uint32_t, int##w##_t,                                              \
            (a ^ a >> ((w)-1)) ? (w)-1 - clz##w((uint##w##_t)(a ^ a >> ((w)-1))) : UINT32_MAX) \
    KERNEL1(bfind_amount_u##w, 32, uint32_t, uint##w##_t, a ? clz##w(a) : UINT32_MAX)          \
    KERNEL1(bfind_amount_s##w, 32, uint32_t, int##w##_t,                                       \
            (a ^ a >> ((w)-1)) ? clz##w((uint##w##_t)(a ^ a >> ((w)-1))) : UINT32_MAX)
BFIND(32)
BFIND(64)

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

static void fns_32(struct frame *f, const struct kernel_operands *s)
{
    uint32_t *d = KERNEL_REG(uint32_t, s->d);
    const uint32_t *a = KERNEL_REG(const uint32_t, s->a), *b = KERNEL_REG(const uint32_t, s->b);
    const int32_t *c = KERNEL_REG(const int32_t, s->c);
    for (unsigned l = 0; l < 32; l++)
        d[l] = fns(a[l], b[l], c[l]);
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

/* The other modes are selectors that depend on c mod 4 (PTX ISA, prmt, table of modes). */
static const uint16_t prmt_selectors[LANE_PRMTS][4] = {
    [LANE_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [LANE_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [LANE_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [LANE_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [LANE_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [LANE_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

KERNEL3(prmt_idx, 32, uint32_t, uint32_t, uint32_t, uint32_t, prmt(a, b, c))
#define PRMT(name, mode) \
    KERNEL3(name, 32, uint32_t, uint32_t, uint32_t, uint32_t, prmt(a, b, prmt_selectors[mode][c & 3]))
PRMT(prmt_f4e, LANE_PRMT_F4E)
PRMT(prmt_b4e, LANE_PRMT_B4E)
PRMT(prmt_rc8, LANE_PRMT_RC8)
PRMT(prmt_ecl, LANE_PRMT_ECL)
PRMT(prmt_ecr, LANE_PRMT_ECR)
PRMT(prmt_rc16, LANE_PRMT_RC16)

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

KERNEL3(mad16_any, 32, uint32_t, uint32_t, uint32_t, uint32_t, mad16(a, b, c, s->aux))
/* What compilers emit for products of 32 bits: any halves; merged; shifted; for the upper word. */
#define MAD16_MODES(X) X(0) X(1) X(2) X(3) X(256) X(258) X(144) X(145) X(146) X(147) X(64) X(65) X(66) X(67) X(16) X(17)
#define MAD16(mode)    KERNEL3(mad16_##mode, 32, uint32_t, uint32_t, uint32_t, uint32_t, mad16(a, b, c, mode))
MAD16_MODES(MAD16)

static kernel_fn *find_mad16(uint32_t mode)
{
    switch (mode) {
#define MAD16_CASE(mode) \
    case mode:           \
        return mad16_##mode;
        MAD16_MODES(MAD16_CASE)
    }
    return mad16_any;
}

/* ---- finder ---------------------------------------------------------------------------------------------- */

static kernel_fn *find_moded(const struct lane_inst *inst)
{
    static kernel_fn *const prmts[LANE_PRMTS] = {prmt_idx, prmt_f4e, prmt_b4e, prmt_rc8, prmt_ecl, prmt_ecr, prmt_rc16};
    bool clamp = inst->flags & LANE_CLAMP;
    switch (inst->op) {
    case LANE_OP_lop3:
        return find_lop3(inst->aux);
    case LANE_OP_mad16:
        return find_mad16(inst->aux);
    case LANE_OP_shf:
        if (inst->mode == 0)
            return clamp ? shf_left_clamp : shf_left_wrap;
        return clamp ? shf_right_clamp : shf_right_wrap;
    case LANE_OP_fns:
        return fns_32;
    case LANE_OP_prmt:
        return inst->mode < LANE_PRMTS ? prmts[inst->mode] : NULL;
    case LANE_OP_bmsk:
        return clamp ? bmsk_clamp : bmsk_wrap;
    case LANE_OP_szext:
        if (inst->type == LANE_S32)
            return clamp ? szext_s_clamp : szext_s_wrap;
        return clamp ? szext_u_clamp : szext_u_wrap;
    }
    return NULL;
}

kernel_fn *KERNEL_NAME(kernel_find_bits)(const struct lane_inst *inst)
{
    bool amount = inst->flags & LANE_CLAMP;
    switch (KERNEL_KEY(inst->op, inst->op == LANE_OP_shr || inst->op == LANE_OP_bfe || inst->op == LANE_OP_bfind
                                     ? kernel_integer(inst->type)
                                     : inst->type)) {
#define PREDICATE(op)                         \
    case KERNEL_KEY(LANE_OP_##op, LANE_PRED): \
        return op##_pred;
        PREDICATE(and)
        PREDICATE(or)
        PREDICATE(xor)
        PREDICATE(not )
#define WIDTH(w)                              \
    case KERNEL_KEY(LANE_OP_and, LANE_B##w):  \
        return and_##w;                       \
    case KERNEL_KEY(LANE_OP_or, LANE_B##w):   \
        return or_##w;                        \
    case KERNEL_KEY(LANE_OP_xor, LANE_B##w):  \
        return xor_##w;                       \
    case KERNEL_KEY(LANE_OP_not, LANE_B##w):  \
        return not_##w;                       \
    case KERNEL_KEY(LANE_OP_cnot, LANE_B##w): \
        return cnot_##w;                      \
    case KERNEL_KEY(LANE_OP_shl, LANE_B##w):  \
        return shl_##w;                       \
    case KERNEL_KEY(LANE_OP_shr, LANE_U##w):  \
        return shr_u##w;                      \
    case KERNEL_KEY(LANE_OP_shr, LANE_S##w):  \
        return shr_s##w;
        WIDTHS(WIDTH)
#define WIDE(w)                                         \
    case KERNEL_KEY(LANE_OP_bfe, LANE_U##w):            \
        return bfe_u##w;                                \
    case KERNEL_KEY(LANE_OP_bfe, LANE_S##w):            \
        return bfe_s##w;                                \
    case KERNEL_KEY(LANE_OP_bfi, LANE_B##w):            \
        return bfi_##w;                                 \
    case KERNEL_KEY(LANE_OP_bfind, LANE_U##w):          \
        return amount ? bfind_amount_u##w : bfind_u##w; \
    case KERNEL_KEY(LANE_OP_bfind, LANE_S##w):          \
        return amount ? bfind_amount_s##w : bfind_s##w; \
    case KERNEL_KEY(LANE_OP_brev, LANE_B##w):           \
        return brev_##w;                                \
    case KERNEL_KEY(LANE_OP_clz, LANE_B##w):            \
        return clz_##w;                                 \
    case KERNEL_KEY(LANE_OP_popc, LANE_B##w):           \
        return popc_##w;
        WIDE(32)
        WIDE(64)
    }
    return find_moded(inst);
}
