/* Which bits of a result are undefined, by the undefined bits of the sources. What only moves bits, logic and sums are
 * told to the bit, as are products by powers of two; other products from the lowest undefined bit up; packed numbers
 * one by one; comparisons by what the sources may be. Of everything else an undefined bit makes all of the result
 * undefined.
 */
#include "tap/init.h"

#include "lane/form.h"

typedef bool rule_fn(const struct bits_view *v, struct undef *out);

/* ---- help ------------------------------------------------------------------------------------------------------ */

static unsigned width(const struct bits_view *v)
{
    return lane_type_bits((enum lane_type)v->inst->type);
}

static uint64_t all(const struct bits_view *v)
{
    return bits_below(width(v));
}

/* What source `i` has in the lane. */
static uint64_t value(const struct bits_view *v, unsigned i)
{
    return v->engine->value(v->step, v->inst->ndst + i, v->lane);
}

static bool undefined(const struct bits_view *v, unsigned i)
{
    return v->in[i].lo || v->in[i].hi;
}

/* Are two sources one register? Then they are the same, whatever it is. */
static bool are_one(const struct bits_view *v, unsigned i, unsigned k)
{
    const struct lane_operand *from = &v->step->func->operands[v->inst->first + v->inst->ndst];
    return from[i].kind == LANE_REG && from[k].kind == LANE_REG && from[i].index == from[k].index;
}

static void fill(struct undef *out)
{
    *out = (struct undef){UINT64_MAX, UINT64_MAX};
}

/* Nothing is known but that a source is undefined. */
static bool rule_any(const struct bits_view *v, struct undef *out)
{
    for (unsigned i = 0; i < v->inst->ndst; i++)
        fill(&out[i]);
    return false;
}

/* Of sources `from` on: do any of their undefined bits count? */
static bool any_of(const struct bits_view *v, unsigned from)
{
    bool any = false;
    for (unsigned i = from; i < v->inst->nsrc; i++)
        any = any || undefined(v, i);
    return any;
}

static uint64_t extend(uint64_t bits, unsigned from)
{
    return bits >> (from - 1) & 1 ? bits | ~bits_below(from) : bits & bits_below(from);
}

/* ---- moves --------------------------------------------------------------------------------------------------------
 */

static bool rule_mov(const struct bits_view *v, struct undef *out)
{
    out[0] = v->in[0];
    return true;
}

/* Either of the first two: bits that are the same in both are as good as known. */
static bool either(const struct bits_view *v, struct undef *out)
{
    uint64_t differ = width(v) > 64 ? UINT64_MAX : value(v, 0) ^ value(v, 1);
    out[0].lo = v->in[0].lo | v->in[1].lo | differ;
    out[0].hi = v->in[0].hi | v->in[1].hi | (width(v) > 64 ? UINT64_MAX : 0);
    return false;
}

static bool rule_selp(const struct bits_view *v, struct undef *out)
{
    if (undefined(v, 2))
        return either(v, out);
    out[0] = v->in[value(v, 2) & 1 ? 0 : 1];
    return true;
}

static bool rule_slct(const struct bits_view *v, struct undef *out)
{
    bool number = v->inst->type2 == LANE_F32;
    uint32_t c = (uint32_t)value(v, 2), magnitude = c & 0x7fffffff;
    if (number ? undefined(v, 2) : v->in[2].lo >> 31 & 1)
        return either(v, out);
    bool first = number ? magnitude <= 0x7f800000 && (!(c >> 31) || !magnitude) : !(c >> 31);
    out[0] = v->in[first ? 0 : 1];
    return true;
}

static void put(struct undef *out, unsigned at, unsigned bits, uint64_t part)
{
    part &= bits_below(bits);
    if (at < 64)
        out->lo |= part << at;
    else
        out->hi |= part << (at - 64);
}

static bool rule_pack(const struct bits_view *v, struct undef *out)
{
    unsigned part = lane_type_bits((enum lane_type)v->inst->type2);
    out[0] = (struct undef){0, 0};
    for (unsigned i = 0; i < v->inst->nsrc; i++)
        put(&out[0], i * part, part, v->in[i].lo);
    return true;
}

static bool rule_unpack(const struct bits_view *v, struct undef *out)
{
    unsigned part = lane_type_bits((enum lane_type)v->inst->type2);
    for (unsigned i = 0; i < v->inst->ndst; i++) {
        unsigned at = i * part;
        out[i].lo = (at < 64 ? v->in[0].lo >> at : v->in[0].hi >> (at - 64)) & bits_below(part);
        out[i].hi = 0;
    }
    return true;
}

static bool is_integer(unsigned type)
{
    return type >= LANE_B8 && type <= LANE_S64 && type != LANE_B128;
}

static bool rule_cvt(const struct bits_view *v, struct undef *out)
{
    const struct lane_inst *inst = v->inst;
    if (!is_integer(inst->type) || !is_integer(inst->type2) || inst->flags & LANE_SAT)
        return rule_any(v, out);
    unsigned from = lane_type_bits((enum lane_type)inst->type2);
    uint64_t bits = v->in[0].lo & bits_below(from);
    out[0].lo = (lane_type_signed((enum lane_type)inst->type2) ? extend(bits, from) : bits) & all(v);
    out[0].hi = 0;
    return true;
}

/* ---- bits --------------------------------------------------------------------------------------------------------
 */

static bool rule_and(const struct bits_view *v, struct undef *out)
{
    uint64_t a = v->in[0].lo, b = v->in[1].lo;
    *out = (struct undef){(a | b) & (a | value(v, 0)) & (b | value(v, 1)), 0};
    return true;
}

static bool rule_or(const struct bits_view *v, struct undef *out)
{
    uint64_t a = v->in[0].lo, b = v->in[1].lo;
    *out = (struct undef){(a | b) & (a | ~value(v, 0)) & (b | ~value(v, 1)), 0};
    return true;
}

static bool rule_xor(const struct bits_view *v, struct undef *out)
{
    *out = (struct undef){are_one(v, 0, 1) ? 0 : v->in[0].lo | v->in[1].lo, 0};
    return true;
}

/* Can the sources be as the bits of i say? */
static bool may_be(const struct bits_view *v, unsigned i)
{
    for (unsigned s = 0; s < 2; s++)
        for (unsigned t = s + 1; t < 3; t++)
            if (are_one(v, s, t) && (i >> (2 - s) & 1) != (i >> (2 - t) & 1))
                return false;
    return true;
}

/* A bit is undefined where the table gives 0 for some of what its sources may be, and 1 for others. */
static bool rule_lop3(const struct bits_view *v, struct undef *out)
{
    uint64_t zero = 0, one = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t may = may_be(v, i) ? UINT64_MAX : 0;
        for (unsigned s = 0; s < 3; s++)
            may &= v->in[s].lo | ~(value(v, s) ^ (i >> (2 - s) & 1 ? UINT64_MAX : 0));
        if (v->inst->aux >> i & 1)
            one |= may;
        else
            zero |= may;
    }
    *out = (struct undef){zero & one & all(v), 0};
    return true;
}

static bool rule_shl(const struct bits_view *v, struct undef *out)
{
    uint64_t by = value(v, 1) & UINT32_MAX;
    if (undefined(v, 1))
        return rule_any(v, out);
    *out = (struct undef){by >= width(v) ? 0 : v->in[0].lo << by & all(v), 0};
    /* What loses undefined bits is the product that a compiler makes a shift of, and puts no bytes together. */
    return !by || by >= width(v) || !((v->in[0].lo & all(v)) >> (width(v) - by));
}

static bool rule_shr(const struct bits_view *v, struct undef *out)
{
    uint64_t by = value(v, 1) & UINT32_MAX;
    bool sign = lane_type_signed((enum lane_type)v->inst->type);
    if (undefined(v, 1))
        return rule_any(v, out);
    if (by >= width(v)) {
        by = width(v) - 1;
        *out = (struct undef){sign ? extend(v->in[0].lo >> by, 1) & all(v) : 0, 0};
        return true;
    }
    uint64_t bits = sign ? extend(v->in[0].lo, width(v)) : v->in[0].lo;
    *out = (struct undef){(sign ? (uint64_t)((int64_t)bits >> by) : bits >> by) & all(v), 0};
    return true;
}

static bool rule_shf(const struct bits_view *v, struct undef *out)
{
    uint64_t by = value(v, 2) & UINT32_MAX, both = v->in[1].lo << 32 | (v->in[0].lo & UINT32_MAX);
    if (undefined(v, 2))
        return rule_any(v, out);
    by = v->inst->flags & LANE_CLAMP ? (by > 32 ? 32 : by) : by & 31;
    *out = (struct undef){v->inst->mode ? both >> by & UINT32_MAX : both << by >> 32, 0};
    return true;
}

/* A position or length of a bit field (meaning/bits.h), no more than 255: what is past the end is all the same. */
static unsigned field_place(const struct bits_view *v, unsigned k)
{
    uint32_t n = (uint32_t)value(v, k);
    return width(v) == 64 && n > 255 ? 255 : n & 255;
}

/* PTX ISA, bfe: what lies past the end is the sign, or 0. */
static bool rule_bfe(const struct bits_view *v, struct undef *out)
{
    unsigned at = field_place(v, 1), length = field_place(v, 2), last = width(v) - 1;
    bool sign = lane_type_signed((enum lane_type)v->inst->type);
    if (any_of(v, 1))
        return rule_any(v, out);
    uint64_t bits = at > last ? 0 : v->in[0].lo >> at & bits_below(length);
    unsigned top = at + length - (length != 0) < last ? at + length - (length != 0) : last;
    unsigned kept = top >= at ? top - at + 1 : 0;
    if (sign && length && v->in[0].lo >> top & 1)
        bits |= ~bits_below(kept ? kept - 1 : 0);
    *out = (struct undef){length ? bits & all(v) : 0, 0};
    return true;
}

static bool rule_bfi(const struct bits_view *v, struct undef *out)
{
    unsigned at = field_place(v, 2), length = field_place(v, 3);
    if (any_of(v, 2))
        return rule_any(v, out);
    uint64_t mask = at < width(v) ? bits_below(length) << at & all(v) : 0;
    *out = (struct undef){(v->in[1].lo & ~mask) | (at < width(v) ? v->in[0].lo << at & mask : 0), 0};
    return true;
}

static bool rule_brev(const struct bits_view *v, struct undef *out)
{
    *out = (struct undef){0, 0};
    for (unsigned i = 0; i < width(v); i++)
        out->lo |= (v->in[0].lo >> i & 1) << (width(v) - 1 - i);
    return true;
}

static bool rule_prmt(const struct bits_view *v, struct undef *out)
{
    uint64_t both = v->in[1].lo << 32 | (v->in[0].lo & UINT32_MAX), selector = value(v, 2);
    if (undefined(v, 2) || v->inst->mode != LANE_PRMT_IDX)
        return rule_any(v, out);
    *out = (struct undef){0, 0};
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = selector >> 4 * i & 15;
        uint64_t byte = both >> 8 * (from & 7) & 255;
        put(out, 8 * i, 8, from & 8 ? (byte >> 7 ? 255 : 0) : byte);
    }
    return true;
}

static bool rule_szext(const struct bits_view *v, struct undef *out)
{
    uint64_t by = value(v, 1) & UINT32_MAX;
    if (undefined(v, 1) || (!(v->inst->flags & LANE_CLAMP) && by > 31))
        return rule_any(v, out);
    unsigned kept = by > 32 ? 32 : (unsigned)by;
    uint64_t bits = v->in[0].lo & bits_below(kept);
    if (lane_type_signed((enum lane_type)v->inst->type) && kept)
        bits = extend(bits, kept);
    *out = (struct undef){bits & all(v), 0};
    return true;
}

/* ---- numbers -----------------------------------------------------------------------------------------------------
 */

/* A source, or what is made of some. */
struct number {
    uint64_t value, undefined; /* bits of value that are undefined say nothing */
};

/* Source `i`, of `bits` bits, as wide as the result. */
static struct number number(const struct bits_view *v, unsigned i, unsigned bits)
{
    bool sign = lane_type_signed((enum lane_type)v->inst->type);
    uint64_t x = value(v, i) & bits_below(bits), u = v->in[i].lo & bits_below(bits);
    return (struct number){sign ? extend(x, bits) : x, sign ? extend(u, bits) : u};
}

static struct number inverted(struct number a)
{
    return (struct number){~a.value, a.undefined};
}

/* a + b + carry: a bit is known where the least and the most that the sources may be give it the same carry. */
static struct number sum(struct number a, struct number b, struct number carry)
{
    uint64_t least = (a.value & ~a.undefined) + (b.value & ~b.undefined) + (carry.value & ~carry.undefined);
    uint64_t most = (a.value | a.undefined) + (b.value | b.undefined) + (carry.value | carry.undefined);
    return (struct number){least, a.undefined | b.undefined | carry.undefined | (least ^ most)};
}

/* How many bits from the lowest one on are zeros for certain. */
static unsigned zeros_below(uint64_t ones)
{
    return ones ? (unsigned)__builtin_ctzll(ones) : 64;
}

/* Carries go up. */
static uint64_t upwards(uint64_t bits)
{
    return bits | (0 - bits);
}

static bool power_of_two(struct number n)
{
    return !n.undefined && n.value && !(n.value & (n.value - 1));
}

/* a * b: shifted by a power of two, else undefined from where the lowest undefined bit comes to. */
static struct number product(struct number a, struct number b)
{
    struct number power = power_of_two(a) ? a : b, other = power_of_two(a) ? b : a;
    if (power_of_two(power))
        return (struct number){a.value * b.value, other.undefined * power.value};
    unsigned from = zeros_below(a.undefined) + zeros_below(b.value | b.undefined);
    unsigned also = zeros_below(b.undefined) + zeros_below(a.value | a.undefined);
    from = also < from ? also : from;
    return (struct number){a.value * b.value, from < 64 ? UINT64_MAX << from : 0};
}

static bool rule_sum(const struct bits_view *v, struct undef *out)
{
    static const struct number zero = {0, 0}, one = {1, 0};
    unsigned bits = width(v), last = v->inst->nsrc - 1u;
    if (!is_integer(v->inst->type) || v->inst->flags & LANE_SAT)
        return rule_any(v, out);
    struct number b = number(v, last, bits), a = last ? number(v, 0, bits) : zero;
    if (v->inst->op == LANE_OP_sub && are_one(v, 0, 1))
        a = b = zero;
    struct number result = v->inst->op == LANE_OP_add ? sum(a, b, zero) : sum(a, inverted(b), one);
    *out = (struct undef){result.undefined & all(v), 0};
    return false;
}

/* Undefined bits that a constant only shifts, and of which none leaves the width of the source, are moved: a compiler
 * puts bytes together so. */
static bool shifts(const struct bits_view *v, struct number a, struct number b)
{
    const struct lane_operand *from = &v->step->func->operands[v->inst->first + v->inst->ndst];
    unsigned constant = from[0].kind == LANE_CONST ? 0 : 1;
    struct number by = constant ? b : a, other = constant ? a : b;
    if (from[constant].kind != LANE_CONST || !power_of_two(by))
        return false;
    uint64_t undefined = other.undefined & all(v);
    return undefined <= all(v) / by.value;
}

static bool rule_product(const struct bits_view *v, struct undef *out)
{
    bool wide = v->inst->op == LANE_OP_mulwide || v->inst->op == LANE_OP_madwide;
    unsigned bits = width(v), whole = wide ? 2 * bits : bits;
    if (!is_integer(v->inst->type) || v->inst->flags & LANE_SAT)
        return rule_any(v, out);
    struct number a = number(v, 0, bits), b = number(v, 1, bits), result = product(a, b);
    if (v->inst->nsrc > 2)
        result = sum(result, number(v, 2, whole), (struct number){0, 0});
    *out = (struct undef){result.undefined & bits_below(whole), 0};
    return v->inst->nsrc == 2 && shifts(v, a, b);
}

/* Of a sum with a carry; the carry that comes out is not looked at. */
static bool rule_carry(const struct bits_view *v, struct undef *out)
{
    bool less = v->inst->op == LANE_OP_subc;
    struct number a = number(v, 0, width(v)), b = number(v, 1, width(v));
    struct number carry = {(value(v, 2) & 1) ^ less, v->in[2].lo & 1};
    out[0] = (struct undef){sum(a, less ? inverted(b) : b, carry).undefined & all(v), 0};
    fill(&out[1]);
    return false;
}

/* A product of halves and a sum: only the halves that are used count. */
static bool rule_mad16(const struct bits_view *v, struct undef *out)
{
    unsigned mode = v->inst->aux;
    uint64_t a = v->in[0].lo >> (mode & LANE_MAD16_A_HIGH ? 16 : 0) & 0xffff;
    uint64_t b = v->in[1].lo >> (mode & LANE_MAD16_B_HIGH ? 16 : 0) & 0xffff;
    uint64_t c = mode & LANE_MAD16_C_LOW    ? v->in[2].lo & 0xffff
                 : mode & LANE_MAD16_C_HIGH ? v->in[2].lo >> 16 & 0xffff
                                            : v->in[2].lo;
    uint64_t product = upwards((a | b) << (mode & LANE_MAD16_SHIFT ? 16 : 0));
    uint64_t sum = upwards(product | c | (mode & LANE_MAD16_C_PLUS_B ? v->in[1].lo << 16 : 0));
    *out =
        (struct undef){(mode & LANE_MAD16_MERGE ? (sum & 0xffff) | (v->in[1].lo & 0xffff) << 16 : sum) & UINT32_MAX, 0};
    return false;
}

/* The least and the most that a source may be, in an order of unsigned numbers. */
static void bounds(const struct bits_view *v, unsigned i, uint64_t *least, uint64_t *most)
{
    uint64_t sign = lane_type_signed((enum lane_type)v->inst->type) ? UINT64_C(1) << (width(v) - 1) : 0;
    uint64_t known = (value(v, i) ^ sign) & ~v->in[i].lo & all(v);
    *least = known;
    *most = known | (v->in[i].lo & all(v));
}

static bool rule_setp(const struct bits_view *v, struct undef *out)
{
    uint64_t low[2], high[2];
    uint64_t differ = (value(v, 0) ^ value(v, 1)) & ~(v->in[0].lo | v->in[1].lo) & all(v);
    bool known;
    if (!is_integer(v->inst->type))
        return rule_any(v, out);
    bounds(v, 0, &low[0], &high[0]);
    bounds(v, 1, &low[1], &high[1]);
    switch (v->inst->cmp) {
    case LANE_EQ:
    case LANE_NE:
        known = differ != 0;
        break;
    case LANE_LT:
    case LANE_GE:
        known = high[0] < low[1] || low[0] >= high[1];
        break;
    case LANE_LE:
    case LANE_GT:
        known = high[0] <= low[1] || low[0] > high[1];
        break;
    default:
        known = false;
    }
    *out = (struct undef){!known && !are_one(v, 0, 1), 0};
    return false;
}

/* A bit that is 1 settles it. */
static bool rule_cnot(const struct bits_view *v, struct undef *out)
{
    *out = (struct undef){value(v, 0) & ~v->in[0].lo & all(v) ? 0 : 1, 0};
    return false;
}

/* ---- packed numbers ------------------------------------------------------------------------------------------------
 */

/* Has a source undefined bits in this part? */
static bool part_of(const struct bits_view *v, unsigned at, unsigned bits)
{
    bool any = false;
    for (unsigned i = 0; i < v->inst->nsrc; i++)
        any = any || (v->in[i].lo >> at & bits_below(bits));
    return any;
}

/* Each part of the result is made of those of the sources. */
static bool rule_parts(const struct bits_view *v, struct undef *out)
{
    unsigned bits = v->inst->op == LANE_OP_vabsdiff ? 32u / v->inst->mode : 16;
    *out = (struct undef){0, 0};
    for (unsigned at = 0; at < 32; at += bits)
        put(out, at, bits, part_of(v, at, bits) ? UINT64_MAX : 0);
    return false;
}

static bool rule_absdiff(const struct bits_view *v, struct undef *out)
{
    return v->inst->flags & LANE_CLAMP ? rule_any(v, out) : rule_parts(v, out);
}

static bool rule_setp2(const struct bits_view *v, struct undef *out)
{
    for (unsigned i = 0; i < 2; i++)
        out[i] = (struct undef){part_of(v, 16 * i, 16), 0};
    return false;
}

/* The first source becomes the high part. */
static bool rule_cvtpack(const struct bits_view *v, struct undef *out)
{
    unsigned part = width(v) / 2;
    *out = (struct undef){0, 0};
    for (unsigned i = 0; i < 2; i++)
        put(out, i * part, part, undefined(v, 1 - i) ? UINT64_MAX : 0);
    return false;
}

static bool is_packed(unsigned type)
{
    return type == LANE_F16X2 || type == LANE_BF16X2 || type == LANE_U16X2 || type == LANE_S16X2;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static rule_fn *const rules[LANE_OPS] = {
    [LANE_OP_mov] = rule_mov,          [LANE_OP_selp] = rule_selp,     [LANE_OP_slct] = rule_slct,
    [LANE_OP_pack] = rule_pack,        [LANE_OP_unpack] = rule_unpack, [LANE_OP_cvt] = rule_cvt,
    [LANE_OP_and] = rule_and,          [LANE_OP_or] = rule_or,         [LANE_OP_xor] = rule_xor,
    [LANE_OP_not] = rule_mov,          [LANE_OP_lop3] = rule_lop3,     [LANE_OP_shl] = rule_shl,
    [LANE_OP_shr] = rule_shr,          [LANE_OP_shf] = rule_shf,       [LANE_OP_bfe] = rule_bfe,
    [LANE_OP_bfi] = rule_bfi,          [LANE_OP_brev] = rule_brev,     [LANE_OP_prmt] = rule_prmt,
    [LANE_OP_szext] = rule_szext,      [LANE_OP_add] = rule_sum,       [LANE_OP_sub] = rule_sum,
    [LANE_OP_mul] = rule_product,      [LANE_OP_mad] = rule_product,   [LANE_OP_mulwide] = rule_product,
    [LANE_OP_madwide] = rule_product,  [LANE_OP_neg] = rule_sum,       [LANE_OP_addc] = rule_carry,
    [LANE_OP_subc] = rule_carry,       [LANE_OP_mad16] = rule_mad16,   [LANE_OP_setp] = rule_setp,
    [LANE_OP_cnot] = rule_cnot,        [LANE_OP_setp2] = rule_setp2,   [LANE_OP_cvtpack] = rule_cvtpack,
    [LANE_OP_vabsdiff] = rule_absdiff,
};

bool init_bits(const struct bits_view *view, struct undef *out)
{
    rule_fn *rule = rules[view->inst->op];
    bool converts = lane_uses(&lane_rows[view->inst->op], '2');
    if (is_packed(view->inst->type) && !converts && view->inst->op != LANE_OP_setp2)
        rule = rule_parts;
    return rule ? rule(view, out) : rule_any(view, out);
}
