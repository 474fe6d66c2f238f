/* Integer, bit, video and move kernels against references that follow the text of the PTX ISA bit by bit, in 128-bit
 * integers, with no thought of speed. */
#include "kernels_run.h"

typedef __int128 wide;

/* One lane's operands, as zero-extended bits. */
struct operands {
    uint64_t a, b, c, e;
    bool pa, pb, pc, pe; /* where an operand is a predicate */
    const struct lane_inst *inst;
    unsigned bits; /* of .type */
    uint64_t d2;   /* second result */
};

static uint64_t ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

/* The value of `bits` bits read by a type's signedness. */
static wide value_of(uint64_t x, unsigned bits, bool is_signed)
{
    wide v = (wide)(x & ones(bits));
    return is_signed && x >> (bits - 1) & 1 ? v - ((wide)1 << bits) : v;
}

static wide value(const struct operands *o, uint64_t x)
{
    return value_of(x, o->bits, lane_type_signed(o->inst->type));
}

static wide clamp(const struct operands *o, wide v)
{
    bool is_signed = lane_type_signed(o->inst->type);
    wide least = is_signed ? -((wide)1 << (o->bits - 1)) : 0;
    wide greatest = is_signed ? ((wide)1 << (o->bits - 1)) - 1 : ((wide)1 << o->bits) - 1;
    return v < least ? least : v > greatest ? greatest : v;
}

static wide saturated(const struct operands *o, wide v)
{
    return o->inst->flags & LANE_SAT ? clamp(o, v) : v;
}

/* High half of a product; 64 x 64 bits need the care that the sign of a 128-bit product takes. */
static wide high_half(const struct operands *o)
{
    if (o->bits < 64)
        return (value(o, o->a) * value(o, o->b)) >> o->bits;
    unsigned __int128 p = (unsigned __int128)o->a * o->b;
    uint64_t high = (uint64_t)(p >> 64);
    if (lane_type_signed(o->inst->type)) {
        high -= o->a >> 63 ? o->b : 0;
        high -= o->b >> 63 ? o->a : 0;
    }
    return value(o, high);
}

static uint64_t ref_add(struct operands *o)
{
    return (uint64_t)saturated(o, value(o, o->a) + value(o, o->b));
}

static uint64_t ref_sub(struct operands *o)
{
    return (uint64_t)saturated(o, value(o, o->a) - value(o, o->b));
}

static uint64_t ref_mul(struct operands *o)
{
    return o->a * o->b;
}

static uint64_t ref_mulhi(struct operands *o)
{
    return (uint64_t)high_half(o);
}

static uint64_t ref_mulwide(struct operands *o)
{
    return (uint64_t)(value(o, o->a) * value(o, o->b));
}

static uint64_t ref_mad(struct operands *o)
{
    return o->a * o->b + o->c;
}

static uint64_t ref_madhi(struct operands *o)
{
    return (uint64_t)saturated(o, high_half(o) + value(o, o->c));
}

static uint64_t ref_madwide(struct operands *o)
{
    return (uint64_t)(value(o, o->a) * value(o, o->b)) + o->c;
}

static wide product24(struct operands *o)
{
    bool is_signed = lane_type_signed(o->inst->type);
    wide p = value_of(o->a, 24, is_signed) * value_of(o->b, 24, is_signed);
    return o->inst->mode ? (wide)(int32_t)(p >> 16) : p;
}

static uint64_t ref_mul24(struct operands *o)
{
    return (uint64_t)product24(o);
}

static uint64_t ref_mad24(struct operands *o)
{
    return (uint64_t)saturated(o, product24(o) + value(o, o->c));
}

static uint64_t ref_sad(struct operands *o)
{
    wide a = value(o, o->a), b = value(o, o->b);
    return o->c + (uint64_t)(a < b ? b - a : a - b);
}

static uint64_t ref_div(struct operands *o)
{
    return o->b == 0 ? UINT64_MAX : (uint64_t)(value(o, o->a) / value(o, o->b));
}

static uint64_t ref_rem(struct operands *o)
{
    return o->b == 0 ? UINT64_MAX : (uint64_t)(value(o, o->a) % value(o, o->b));
}

static uint64_t ref_abs(struct operands *o)
{
    wide a = value(o, o->a);
    return (uint64_t)(a < 0 ? -a : a);
}

static uint64_t ref_neg(struct operands *o)
{
    return (uint64_t)-value(o, o->a);
}

static uint64_t relu(struct operands *o, wide v)
{
    return (uint64_t)(o->inst->flags & LANE_RELU && v < 0 ? 0 : v);
}

static uint64_t ref_min(struct operands *o)
{
    wide a = value(o, o->a), b = value(o, o->b);
    return relu(o, a < b ? a : b);
}

static uint64_t ref_max(struct operands *o)
{
    wide a = value(o, o->a), b = value(o, o->b);
    return relu(o, a > b ? a : b);
}

static uint64_t ref_addc(struct operands *o)
{
    wide r = value_of(o->a, o->bits, false) + value_of(o->b, o->bits, false) + o->pc;
    o->d2 = (uint64_t)(r >> o->bits) & 1;
    return (uint64_t)r;
}

static uint64_t ref_subc(struct operands *o)
{
    wide r = value_of(o->a, o->bits, false) - value_of(o->b, o->bits, false) - o->pc;
    o->d2 = r < 0;
    return (uint64_t)r;
}

static uint64_t ref_madc(struct operands *o)
{
    uint64_t p = (o->inst->mode ? (uint64_t)high_half(o) : o->a * o->b) & ones(o->bits);
    wide r = (wide)p + (wide)o->c + o->pe;
    o->d2 = (uint64_t)(r >> o->bits) & 1;
    return (uint64_t)r;
}

static uint64_t ref_dp4a(struct operands *o)
{
    wide sum = (wide)o->c;
    for (unsigned i = 0; i < 4; i++)
        sum += value_of(o->a >> (8 * i), 8, o->inst->type == LANE_S32) *
               value_of(o->b >> (8 * i), 8, o->inst->type2 == LANE_S32);
    return (uint64_t)sum;
}

static uint64_t ref_dp2a(struct operands *o)
{
    wide sum = (wide)o->c;
    for (unsigned i = 0; i < 2; i++)
        sum += value_of(o->a >> (16 * i), 16, o->inst->type == LANE_S32) *
               value_of(o->b >> (8 * (i + 2 * o->inst->mode)), 8, o->inst->type2 == LANE_S32);
    return (uint64_t)sum;
}

static uint64_t ref_vabsdiff(struct operands *o)
{
    unsigned n = o->inst->mode, w = 32 / n;
    wide sum = (wide)o->c;
    uint64_t lanes = 0;
    for (unsigned i = 0; i < n; i++) {
        wide a = value_of(o->a >> (w * i), w, o->inst->type2 == LANE_S32);
        wide b = value_of(o->b >> (w * i), w, o->inst->type2 == LANE_S32);
        wide t = a < b ? b - a : a - b;
        sum += t;
        if (o->inst->flags & LANE_SAT && o->inst->type == LANE_S32 && t >= (wide)1 << (w - 1))
            t = ((wide)1 << (w - 1)) - 1;
        lanes |= ((uint64_t)t & ones(w)) << (w * i);
    }
    return o->inst->flags & LANE_CLAMP ? (uint64_t)sum : lanes;
}

static uint64_t ref_and(struct operands *o)
{
    return o->a & o->b;
}

static uint64_t ref_or(struct operands *o)
{
    return o->a | o->b;
}

static uint64_t ref_xor(struct operands *o)
{
    return o->a ^ o->b;
}

static uint64_t ref_not(struct operands *o)
{
    return ~o->a;
}

static uint64_t ref_cnot(struct operands *o)
{
    return o->a == 0;
}

static uint64_t ref_lop3(struct operands *o)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned index = (unsigned)((o->a >> i & 1) << 2 | (o->b >> i & 1) << 1 | (o->c >> i & 1));
        r |= (uint64_t)(o->inst->aux >> index & 1) << i;
    }
    return r;
}

static uint64_t ref_shl(struct operands *o)
{
    uint32_t n = (uint32_t)o->b;
    return n >= o->bits ? 0 : o->a << n;
}

static uint64_t ref_shr(struct operands *o)
{
    uint32_t n = (uint32_t)o->b > o->bits ? o->bits : (uint32_t)o->b;
    return (uint64_t)(value(o, o->a) >> n);
}

static uint64_t ref_shf(struct operands *o)
{
    uint32_t c = (uint32_t)o->c, n = o->inst->flags & LANE_CLAMP ? (c < 32 ? c : 32) : c & 31;
    unsigned __int128 both = (unsigned __int128)(o->b << 32 | o->a);
    return (uint64_t)(o->inst->mode ? both >> n : both << n >> 32);
}

/* Of 64 bits positions and lengths are whole words (the choice). */
static uint64_t ref_place(const struct operands *o, uint64_t x)
{
    return x & (o->bits == 64 ? UINT32_MAX : 0xff);
}

static uint64_t ref_bfe(struct operands *o)
{
    uint64_t msb = o->bits - 1, pos = ref_place(o, o->b), len = ref_place(o, o->c);
    uint64_t last = pos + len - 1 < msb ? pos + len - 1 : msb;
    uint64_t sign = lane_type_signed(o->inst->type) && len != 0 ? o->a >> last & 1 : 0, d = 0;
    for (uint64_t i = 0; i <= msb; i++)
        d |= (i < len && pos + i <= msb ? o->a >> (pos + i) & 1 : sign) << i;
    return d;
}

static uint64_t ref_bfi(struct operands *o)
{
    uint64_t msb = o->bits - 1, pos = ref_place(o, o->c), len = ref_place(o, o->e), f = o->b;
    for (uint64_t i = 0; i < len && pos + i <= msb; i++)
        f = (f & ~(1ull << (pos + i))) | (o->a >> i & 1) << (pos + i);
    return f;
}

static uint64_t ref_bfind(struct operands *o)
{
    uint64_t a = o->a;
    int msb = (int)o->bits - 1;
    if (lane_type_signed(o->inst->type) && a >> msb & 1)
        a = ~a & ones(o->bits);
    for (int i = msb; i >= 0; i--)
        if (a >> i & 1)
            return (uint64_t)(o->inst->flags & LANE_CLAMP ? msb - i : i);
    return UINT32_MAX;
}

static uint64_t ref_brev(struct operands *o)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < o->bits; i++)
        d |= (o->a >> i & 1) << (o->bits - 1 - i);
    return d;
}

static uint64_t ref_clz(struct operands *o)
{
    unsigned n = 0;
    while (n < o->bits && !(o->a >> (o->bits - 1 - n) & 1))
        n++;
    return n;
}

static uint64_t ref_popc(struct operands *o)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < o->bits; i++)
        n += o->a >> i & 1;
    return n;
}

static uint64_t ref_fns(struct operands *o)
{
    uint32_t mask = (uint32_t)o->a, base = (uint32_t)o->b;
    int64_t offset = (int32_t)o->c, count = offset < 0 ? -offset : offset;
    if (base > 31) /* undefined in the ISA: nothing is found */
        return UINT32_MAX;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    count--;
    for (int pos = (int)base; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1)
        if (mask >> pos & 1) {
            if (count == 0)
                return (uint64_t)pos;
            count--;
        }
    return UINT32_MAX;
}

/* Bytes of the result, highest first, by mode and c mod 4 (PTX ISA, prmt). */
static const char *const prmt_rows[LANE_PRMTS][4] = {
    [LANE_PRMT_F4E] = {"3210", "4321", "5432", "6543"}, [LANE_PRMT_B4E] = {"5670", "6701", "7012", "0123"},
    [LANE_PRMT_RC8] = {"0000", "1111", "2222", "3333"}, [LANE_PRMT_ECL] = {"3210", "3211", "3222", "3333"},
    [LANE_PRMT_ECR] = {"0000", "1110", "2210", "3210"}, [LANE_PRMT_RC16] = {"1010", "3232", "1010", "3232"},
};

static uint64_t ref_prmt(struct operands *o)
{
    uint64_t both = o->b << 32 | o->a, d = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned selector = (unsigned)(o->c >> (4 * i)) & 15;
        if (o->inst->mode != LANE_PRMT_IDX)
            selector = (unsigned)(prmt_rows[o->inst->mode][o->c & 3][3 - i] - '0');
        uint64_t byte = both >> (8 * (selector & 7)) & 0xff;
        if (selector & 8)
            byte = byte & 0x80 ? 0xff : 0;
        d |= byte << (8 * i);
    }
    return d;
}

/* bmsk and szext as the ISA writes them. */
static uint64_t ref_bmsk(struct operands *o)
{
    uint32_t a = (uint32_t)o->a, b = (uint32_t)o->b, a1 = a & 31, b1 = b & 31, sum = a1 + b1;
    bool is_clamp = o->inst->flags & LANE_CLAMP, gone = sum >= 32;
    uint32_t mask0 = UINT32_MAX << a1, mask1 = gone ? 0 : UINT32_MAX << sum;
    if (is_clamp && a >= 32) {
        gone = true;
        mask0 = 0;
    }
    gone |= is_clamp && b >= 32;
    mask1 = gone ? 0 : b1 == 0 ? UINT32_MAX : mask1;
    return mask0 & ~mask1;
}

static uint64_t ref_szext(struct operands *o)
{
    uint32_t a = (uint32_t)o->a, b = (uint32_t)o->b, b1 = b & 31;
    bool too_large = b >= 32 && o->inst->flags & LANE_CLAMP;
    uint32_t mask = too_large ? 0 : UINT32_MAX << b1;
    bool sign = b1 != 0 && !too_large && o->inst->type == LANE_S32 && a >> (b1 - 1) & 1;
    return (a & ~mask) | (sign ? mask : 0);
}

static uint64_t ref_mov(struct operands *o)
{
    return o->a;
}

static uint64_t ref_selp(struct operands *o)
{
    return o->pc ? o->a : o->b;
}

static uint64_t ref_slct(struct operands *o)
{
    uint32_t bits = (uint32_t)o->c;
    if (o->inst->type2 == LANE_S32)
        return (int32_t)bits >= 0 ? o->a : o->b;
    if (o->inst->flags & LANE_FTZ && (bits & 0x7f800000) == 0)
        return o->a;
    float c;
    memcpy(&c, &bits, sizeof c);
    return c >= 0 ? o->a : o->b;
}

static uint64_t ref_cvt(struct operands *o)
{
    wide v = value_of(o->a, lane_type_bits(o->inst->type2), lane_type_signed(o->inst->type2));
    return (uint64_t)saturated(o, v);
}

static uint64_t ref_setp(struct operands *o)
{
    wide a = value(o, o->a), b = value(o, o->b);
    const bool r[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return r[o->inst->cmp];
}

typedef uint64_t reference(struct operands *);

/* ---- driver ---------------------------------------------------------------------------------------------- */

static const uint64_t edges[] = {
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    17,
    23,
    24,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    129,
    255,
    256,
    0x101,
    0x7fff,
    0x8000,
    0x8001,
    0xfffe,
    0xffff,
    0x10000,
    0x7fffff,
    0x800000,
    0xffffff,
    0x1234567,
    0x7ffffffe,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xaaaaaaaa,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xaaaaaaaa55555555,
    0xfffffffffffffffe,
    0xffffffffffffffff,
};
enum { EDGES = sizeof edges / sizeof *edges };

static uint64_t seed = 0x123456789abcdefull;

static uint64_t load(const struct kernel_lanes *lanes, unsigned slot, unsigned bits, unsigned lane)
{
    uint64_t x = 0;
    if (bits == 1) {
        memcpy(&x, lanes->slot[slot], 4);
        return x >> lane & 1;
    }
    memcpy(&x, lanes->slot[slot] + lane * bits / 8, bits / 8);
    return x;
}

static void check(const struct lane_inst *inst, reference *ref, const struct kernel_lanes *lanes)
{
    const struct lane_row *row = &lane_rows[inst->op];
    unsigned width[4] = {0};
    for (unsigned i = 0; i < strlen(row->src); i++)
        width[i] = lane_letter_width(inst, row->src[i]);
    unsigned out = lane_letter_width(inst, row->dst[0]);
    for (unsigned l = 0; l < 32; l++) {
        struct operands o = {.inst = inst, .bits = lane_type_bits(inst->type)};
        uint64_t *const source[4] = {&o.a, &o.b, &o.c, &o.e};
        bool *const predicate[4] = {&o.pa, &o.pb, &o.pc, &o.pe};
        for (unsigned i = 0; i < 4 && width[i]; i++)
            *(source[i]) = load(lanes, KERNEL_A + i, width[i], l), *(predicate[i]) = *(source[i]) & 1;
        uint64_t want = ref(&o) & ones(out), got = load(lanes, KERNEL_D, out, l);
        if (got != want)
            fail_msg("%s: a %#llx b %#llx c %#llx e %#llx: %#llx, not %#llx", kernel_describe(inst),
                     (unsigned long long)o.a, (unsigned long long)o.b, (unsigned long long)o.c, (unsigned long long)o.e,
                     (unsigned long long)got, (unsigned long long)want);
        if (row->dst[1])
            assert_int_equal(load(lanes, KERNEL_D2, 1, l), o.d2);
    }
}

/* Every pair of edges for a and b, with c and e drawn from edges and random numbers, then random numbers for all. */
static void verify(const struct lane_inst *inst, reference *ref)
{
    struct kernel_lanes lanes;
    for (unsigned pair = 0; pair < EDGES * EDGES + 512; pair += 32) {
        for (unsigned slot = KERNEL_A; slot < KERNEL_SLOTS; slot++) {
            unsigned bits = strlen(lane_rows[inst->op].src) > slot - KERNEL_A
                                ? lane_letter_width(inst, lane_rows[inst->op].src[slot - KERNEL_A])
                                : 0;
            for (unsigned l = 0; l < 32 && bits >= 8; l++) {
                unsigned p = pair + l;
                uint64_t r = kernel_random(&seed), x = r % 3 == 0 ? r >> 2 : edges[(r >> 2) % EDGES];
                if (p < EDGES * EDGES && slot == KERNEL_A)
                    x = edges[p / EDGES];
                if (p < EDGES * EDGES && slot == KERNEL_B)
                    x = edges[p % EDGES];
                memcpy(lanes.slot[slot] + l * bits / 8, &x, bits / 8);
            }
            if (bits == 1)
                *KERNEL_SLOT(&lanes, uint32_t, slot) = (uint32_t)(kernel_random(&seed) >> 16);
        }
        kernel_run(inst, &lanes);
        check(inst, ref, &lanes);
    }
}

#define U_N LANE_U16, LANE_U32, LANE_U64
#define S_N LANE_S16, LANE_S32, LANE_S64
#define B_N LANE_B8, LANE_B16, LANE_B32, LANE_B64
#define M_N LANE_U32, LANE_S32, LANE_U64, LANE_S64
#define I_N LANE_U8, LANE_S8, U_N, S_N

/* An operation, its types, the flags and the number of modes or comparisons to try. */
static const struct row {
    uint16_t op;
    reference *ref;
    uint8_t types[12]; /* ended by LANE_VOID */
    uint8_t flags[3];
    uint8_t modes, cmps;
} rows[] = {
    {LANE_OP_add, ref_add, {I_N}, {0, LANE_SAT}, 1, 1},
    {LANE_OP_sub, ref_sub, {I_N}, {0, LANE_SAT}, 1, 1},
    {LANE_OP_mul, ref_mul, {I_N}, {0}, 1, 1},
    {LANE_OP_mulhi, ref_mulhi, {U_N, S_N}, {0}, 1, 1},
    {LANE_OP_mulwide, ref_mulwide, {LANE_U16, LANE_S16, LANE_U32, LANE_S32}, {0}, 1, 1},
    {LANE_OP_mad, ref_mad, {U_N, S_N}, {0}, 1, 1},
    {LANE_OP_madhi, ref_madhi, {U_N, S_N}, {0}, 1, 1},
    {LANE_OP_madhi, ref_madhi, {LANE_S32}, {LANE_SAT}, 1, 1},
    {LANE_OP_madwide, ref_madwide, {LANE_U16, LANE_S16, LANE_U32, LANE_S32}, {0}, 1, 1},
    {LANE_OP_mul24, ref_mul24, {LANE_U32, LANE_S32}, {0}, 2, 1},
    {LANE_OP_mad24, ref_mad24, {LANE_U32, LANE_S32}, {0}, 2, 1},
    {LANE_OP_sad, ref_sad, {U_N, S_N}, {0}, 1, 1},
    {LANE_OP_div, ref_div, {U_N, S_N}, {0}, 1, 1},
    {LANE_OP_rem, ref_rem, {U_N, S_N}, {0}, 1, 1},
    {LANE_OP_abs, ref_abs, {S_N}, {0}, 1, 1},
    {LANE_OP_neg, ref_neg, {S_N}, {0}, 1, 1},
    {LANE_OP_min, ref_min, {I_N}, {0}, 1, 1},
    {LANE_OP_max, ref_max, {I_N}, {0}, 1, 1},
    {LANE_OP_min, ref_min, {LANE_S32}, {LANE_RELU}, 1, 1},
    {LANE_OP_max, ref_max, {LANE_S32}, {LANE_RELU}, 1, 1},
    {LANE_OP_addc, ref_addc, {M_N}, {0}, 1, 1},
    {LANE_OP_subc, ref_subc, {M_N}, {0}, 1, 1},
    {LANE_OP_madc, ref_madc, {M_N}, {0}, 2, 1},
    {LANE_OP_and, ref_and, {LANE_PRED, B_N}, {0}, 1, 1},
    {LANE_OP_or, ref_or, {LANE_PRED, B_N}, {0}, 1, 1},
    {LANE_OP_xor, ref_xor, {LANE_PRED, B_N}, {0}, 1, 1},
    {LANE_OP_not, ref_not, {LANE_PRED, B_N}, {0}, 1, 1},
    {LANE_OP_cnot, ref_cnot, {B_N}, {0}, 1, 1},
    {LANE_OP_shl, ref_shl, {B_N}, {0}, 1, 1},
    {LANE_OP_shr, ref_shr, {B_N}, {0}, 1, 1},
    {LANE_OP_shr, ref_shr, {I_N}, {0}, 1, 1},
    {LANE_OP_shf, ref_shf, {LANE_B32}, {0, LANE_CLAMP}, 2, 1},
    {LANE_OP_bfe, ref_bfe, {M_N}, {0}, 1, 1},
    {LANE_OP_bfi, ref_bfi, {LANE_B32, LANE_B64}, {0}, 1, 1},
    {LANE_OP_bfind, ref_bfind, {M_N}, {0, LANE_CLAMP}, 1, 1},
    {LANE_OP_brev, ref_brev, {LANE_B32, LANE_B64}, {0}, 1, 1},
    {LANE_OP_clz, ref_clz, {LANE_B32, LANE_B64}, {0}, 1, 1},
    {LANE_OP_popc, ref_popc, {LANE_B32, LANE_B64}, {0}, 1, 1},
    {LANE_OP_fns, ref_fns, {LANE_B32}, {0}, 1, 1},
    {LANE_OP_prmt, ref_prmt, {LANE_B32}, {0}, LANE_PRMTS, 1},
    {LANE_OP_bmsk, ref_bmsk, {LANE_B32}, {0, LANE_CLAMP}, 1, 1},
    {LANE_OP_szext, ref_szext, {LANE_U32, LANE_S32}, {0, LANE_CLAMP}, 1, 1},
    {LANE_OP_mov, ref_mov, {LANE_PRED, B_N}, {0}, 1, 1},
    {LANE_OP_selp, ref_selp, {B_N}, {0}, 1, 1},
    {LANE_OP_setp, ref_setp, {I_N}, {0}, 1, 6},
    {LANE_OP_setp, ref_setp, {B_N}, {0}, 1, 6},
};

static void test_against_references(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct lane_inst inst = {.op = row->op};
        for (unsigned t = 0; t < 12 && (inst.type = row->types[t]) != LANE_VOID; t++)
            for (unsigned flag = 0; flag < 3 && (flag == 0 || row->flags[flag]); flag++)
                for (inst.mode = 0; inst.mode < row->modes; inst.mode++)
                    for (inst.cmp = 0; inst.cmp < row->cmps; inst.cmp++) {
                        inst.flags = row->flags[flag];
                        verify(&inst, row->ref);
                    }
    }
    verify(&(struct lane_inst){.op = LANE_OP_mad24, .type = LANE_S32, .mode = 1, .flags = LANE_SAT}, ref_mad24);
}

static void test_lop3(void **state)
{
    (void)state;
    for (uint32_t table = 0; table < 256; table++)
        verify(&(struct lane_inst){.op = LANE_OP_lop3, .type = LANE_B32, .aux = table}, ref_lop3);
}

static void test_second_types(void **state)
{
    static const uint8_t integers[] = {I_N, B_N};
    struct lane_inst inst = {.type = LANE_U32};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        inst = (struct lane_inst){.type = i & 1 ? LANE_S32 : LANE_U32, .type2 = i & 2 ? LANE_S32 : LANE_U32};
        inst.op = LANE_OP_dp4a;
        verify(&inst, ref_dp4a);
        inst.op = LANE_OP_dp2a;
        for (inst.mode = 0; inst.mode < 2; inst.mode++)
            verify(&inst, ref_dp2a);
        inst.op = LANE_OP_vabsdiff;
        for (inst.mode = 2; inst.mode <= 4; inst.mode += 2)
            for (unsigned flag = 0; flag < 3; flag++) {
                inst.flags = flag == 0 ? 0 : flag == 1 ? LANE_SAT : LANE_CLAMP;
                verify(&inst, ref_vabsdiff);
            }
    }
    for (unsigned to = 0; to < sizeof integers; to++)
        for (unsigned from = 0; from < sizeof integers; from++)
            for (unsigned sat = 0; sat < 2; sat++)
                verify(
                    &(struct lane_inst){
                        .op = LANE_OP_cvt, .type = integers[to], .type2 = integers[from], .flags = sat ? LANE_SAT : 0},
                    ref_cvt);
    for (unsigned type = LANE_B8; type <= LANE_B64; type++) {
        verify(&(struct lane_inst){.op = LANE_OP_slct, .type = (uint8_t)type, .type2 = LANE_S32}, ref_slct);
        verify(&(struct lane_inst){.op = LANE_OP_slct, .type = (uint8_t)type, .type2 = LANE_F32}, ref_slct);
        verify(&(struct lane_inst){.op = LANE_OP_slct, .type = (uint8_t)type, .type2 = LANE_F32, .flags = LANE_FTZ},
               ref_slct);
    }
}

/* Packed halfwords: each half as the scalar operation. */
static void test_packed(void **state)
{
    static const struct {
        uint16_t op;
        reference *ref;
        uint8_t flags;
    } ops[] = {{LANE_OP_add, ref_add, 0},         {LANE_OP_sub, ref_sub, 0},        {LANE_OP_add, ref_add, LANE_SAT},
               {LANE_OP_sub, ref_sub, LANE_SAT},  {LANE_OP_min, ref_min, 0},        {LANE_OP_max, ref_max, 0},
               {LANE_OP_min, ref_min, LANE_RELU}, {LANE_OP_max, ref_max, LANE_RELU}};
    struct kernel_lanes lanes;
    (void)state;
    for (unsigned i = 0; i < 2 * sizeof ops / sizeof *ops; i++) {
        struct lane_inst inst = {
            .op = ops[i / 2].op, .type = i & 1 ? LANE_S16X2 : LANE_U16X2, .flags = ops[i / 2].flags};
        struct lane_inst scalar = inst;
        scalar.type = i & 1 ? LANE_S16 : LANE_U16;
        if (inst.flags == LANE_RELU && !(i & 1))
            continue;
        for (unsigned round = 0; round < 100; round++) {
            for (unsigned h = 0; h < 128; h++) {
                uint16_t x = (uint16_t)(h & 1 ? kernel_random(&seed) : edges[kernel_random(&seed) % EDGES]);
                memcpy(lanes.slot[KERNEL_A + h / 64] + h % 64 * 2, &x, 2);
            }
            kernel_run(&inst, &lanes);
            for (unsigned h = 0; h < 64; h++) {
                struct operands o = {.inst = &scalar, .bits = 16};
                memcpy(&o.a, lanes.slot[KERNEL_A] + h * 2, 2);
                memcpy(&o.b, lanes.slot[KERNEL_B] + h * 2, 2);
                assert_int_equal(KERNEL_SLOT(&lanes, uint16_t, KERNEL_D)[h], ops[i / 2].ref(&o) & 0xffff);
            }
        }
    }
}

/* cvt.pack.sat: two s32 to halfwords, a high. */
static void test_pack_saturating(void **state)
{
    struct kernel_lanes lanes;
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        bool is_signed = i & 1;
        struct lane_inst inst = {.op = LANE_OP_cvtpack, .type = is_signed ? LANE_S16X2 : LANE_U16X2, .type2 = LANE_S32};
        for (unsigned l = 0; l < 64; l++)
            KERNEL_SLOT(&lanes, uint32_t, KERNEL_A + l / 32)
        [l % 32] = (uint32_t)(i < 32 ? edges[(l + i) % EDGES] : kernel_random(&seed) >> 40);
        kernel_run(&inst, &lanes);
        for (unsigned l = 0; l < 32; l++) {
            struct lane_inst half = {.type = is_signed ? LANE_S16 : LANE_U16};
            struct operands o = {.inst = &half, .bits = 16};
            uint64_t a = (uint64_t)clamp(&o, KERNEL_SLOT(&lanes, int32_t, KERNEL_A)[l]) & 0xffff;
            uint64_t b = (uint64_t)clamp(&o, KERNEL_SLOT(&lanes, int32_t, KERNEL_B)[l]) & 0xffff;
            assert_int_equal(KERNEL_SLOT(&lanes, uint32_t, KERNEL_D)[l], a << 16 | b);
        }
    }
}

/* pack, then unpack: bytes in order, and nothing but them; a destination may be missing. */
static void test_pack_and_unpack(void **state)
{
    static const uint8_t types[] = {LANE_B8, LANE_B16, LANE_B32, LANE_B64, LANE_B128};
    kernel_finder *sets[3];
    unsigned n = kernel_sets(sets);
    (void)state;
    for (unsigned i = 0; i < n * 25; i++) {
        unsigned whole = lane_type_bits(types[i / 5 % 5]), part = lane_type_bits(types[i % 5]), parts = whole / part;
        struct lane_inst inst = {.op = LANE_OP_pack, .type = types[i / 5 % 5], .type2 = types[i % 5]};
        if (part >= whole)
            continue;
        static _Alignas(64) unsigned char regs[40 * 512], expected[512];
        for (unsigned b = 0; b < sizeof regs; b++)
            regs[b] = (unsigned char)(kernel_random(&seed) >> 24);
        uint32_t offsets[17] = {0};
        for (unsigned p = 0; p < parts; p++)
            offsets[1 + p] = 512 * (1 + p);
        for (unsigned b = 0; b < 32 * whole / 8; b++) {
            unsigned lane = b / (whole / 8), byte = b % (whole / 8), p = byte / (part / 8);
            expected[b] = regs[512 * (1 + p) + lane * part / 8 + byte % (part / 8)];
        }
        struct frame f = {regs, UINT32_MAX};
        struct kernel_operands s = {.more = offsets};
        sets[i / 25](&inst)->run(&f, &s);
        assert_memory_equal(regs, expected, 32 * whole / 8);
        inst.op = LANE_OP_unpack;
        for (unsigned p = 0; p < parts; p++)
            offsets[p] = p == 1 ? KERNEL_NONE : 512 * (20 + p);
        offsets[parts] = 0;
        memset(regs + 512 * 20, 0x55, sizeof regs - 512 * 20);
        sets[i / 25](&inst)->run(&f, &s);
        for (unsigned p = 0; p < parts; p++)
            for (unsigned b = 0; b < 32 * part / 8; b++)
                assert_int_equal(regs[512 * (20 + p) + b], p == 1 ? 0x55 : regs[512 * (1 + p) + b]);
    }
}

/* Carries may be missing on either side. */
static void test_missing_carries(void **state)
{
    kernel_finder *sets[3];
    unsigned n = kernel_sets(sets);
    (void)state;
    for (unsigned i = 0; i < n; i++) {
        static _Alignas(64) uint32_t regs[4][32];
        for (unsigned l = 0; l < 32; l++)
            regs[1][l] = UINT32_MAX, regs[2][l] = l, regs[3][l] = 7;
        struct lane_inst inst = {.op = LANE_OP_addc, .type = LANE_U32};
        struct frame f = {(unsigned char *)regs, UINT32_MAX};
        struct kernel_operands s = {.d = 0, .d2 = KERNEL_NONE, .a = 128, .b = 256, .c = KERNEL_NONE};
        sets[i](&inst)->run(&f, &s);
        for (unsigned l = 0; l < 32; l++) {
            assert_int_equal(regs[0][l], l - 1);
            assert_int_equal(regs[3][l], 7);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_references), cmocka_unit_test(test_lop3),
        cmocka_unit_test(test_second_types),       cmocka_unit_test(test_packed),
        cmocka_unit_test(test_pack_saturating),    cmocka_unit_test(test_pack_and_unpack),
        cmocka_unit_test(test_missing_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
