/* vISA's systolic products: dst(r) = src0(r) + the sum over the depth of src1(s) * src2(r, s), of packed elements.
 * Source: docs/visa.md, "Running". */
#include "isa/visa/alu.h"

#include <string.h>

enum precision { U1 = 1, S1, U2, S2, U4, S4, U8, S8, BF, HF, TF32, PRECISIONS };
static const uint8_t bits_of[PRECISIONS] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32};

struct shape {
    unsigned weights, activations; /* of src1, src2: enum precision */
    unsigned depth, count;
    unsigned result, start; /* types of dst, src0 */
};

static bool is_float(const struct shape *s)
{
    return bits_of[s->weights] >= 16;
}

static bool is_dword(unsigned type)
{
    return type == VISA_D || type == VISA_UD;
}

static bool shape_of(struct visa_lower *l, struct shape *s)
{
    uint64_t options = visa_number_in(l, "options");
    *s = (struct shape){.weights = options & 255,
                        .activations = options >> 8 & 255,
                        .depth = options >> 16 & 255,
                        .count = options >> 24 & 255};
    s->result = visa_operand_own_type(l, visa_operand_in(l, "dst"));
    s->start = visa_is_null(visa_operand_in(l, "a")) ? s->result : visa_operand_own_type(l, visa_operand_in(l, "a"));
    bool known = s->weights && s->weights < PRECISIONS && s->activations && s->activations < PRECISIONS &&
                 bits_of[s->weights] == bits_of[s->activations] && bits_of[s->weights] >= 2 && s->depth == 8 &&
                 s->count >= 1 && s->count <= 8 && (is_float(s) || (is_dword(s->result) && is_dword(s->start)));
    if (!known)
        visa_stop(l, "not supported: %s of these precisions, types, depth or count", l->inst->row->name);
    return known;
}

/* Element `e` of a dword, as f32 or s32. */
static struct lane_operand element(struct visa_lower *l, struct lane_operand dword, unsigned precision, unsigned e)
{
    unsigned bits = bits_of[precision];
    if (precision == TF32)
        return dword;
    if (precision == BF)
        return e ? visa_two(l, LANE_OP_and, LANE_B32, dword, lane_imm(l->b, 32, 0xFFFF0000))
                 : visa_two(l, LANE_OP_shl, LANE_B32, dword, lane_imm(l->b, 32, 16));
    if (precision == HF) {
        struct lane_operand half = e ? visa_two(l, LANE_OP_shr, LANE_U32, dword, lane_imm(l->b, 32, 16)) : dword;
        return visa_cvt(l, LANE_F32, LANE_F16, visa_cvt(l, LANE_U16, LANE_U32, half));
    }
    bool is_signed = precision == S8 || precision == S4 || precision == S2;
    struct lane_operand src[3] = {dword, lane_imm(l->b, 32, e * bits), lane_imm(l->b, 32, bits)};
    return visa_pure(l, LANE_OP_bfe, is_signed ? LANE_S32 : LANE_U32, 32, 3, src);
}

/* sum + the products of two dwords' elements: floats in order, each step fused (named choice). */
static struct lane_operand products(struct visa_lower *l, const struct shape *s, struct lane_operand weights,
                                    struct lane_operand activations, struct lane_operand sum)
{
    unsigned count = 32 / bits_of[s->weights];
    if (bits_of[s->weights] == 8) {
        struct lane_operand src[3] = {weights, activations, sum};
        struct lane_operand d = visa_pure(l, LANE_OP_dp4a, s->weights == S8 ? LANE_S32 : LANE_U32, 32, 3, src);
        visa_last(l)->type2 = s->activations == S8 ? LANE_S32 : LANE_U32;
        return d;
    }
    for (unsigned e = 0; e < count; e++) {
        struct lane_operand a = element(l, weights, s->weights, e), b = element(l, activations, s->activations, e);
        sum = visa_three(l, is_float(s) ? LANE_OP_fma : LANE_OP_mad, is_float(s) ? LANE_F32 : LANE_S32, a, b, sum);
    }
    return sum;
}

/* Row r of the accumulator: an element a channel. */
static struct lane_operand start_of(struct visa_lower *l, const struct shape *s, unsigned r)
{
    const struct visa_operand *op = visa_operand_in(l, "a");
    unsigned bytes = visa_type_bytes(s->start);
    struct visa_value v = {lane_imm(l->b, 32, 0), is_float(s) ? VISA_F : VISA_D};
    if (visa_is_null(op))
        return v.v;
    v = (struct visa_value){visa_get_raw(l, op, r * l->channels * bytes, bytes, bytes), (uint8_t)s->start};
    return visa_convert(l, v, is_float(s) ? VISA_F : s->start, false).v;
}

/* Dword s of row r of the third source is the same for all channels. */
static struct lane_operand activation(struct visa_lower *l, unsigned at)
{
    struct visa_operand op = *visa_operand_in(l, "c");
    unsigned bytes = visa_type_bytes(visa_operand_own_type(l, &op)), channels = l->channels;
    op.class = VISA_RAW;
    op.bytes = (int32_t)(op.row * l->grf + op.column * bytes);
    l->channels = 1;
    l->scalar = true;
    struct lane_operand v = visa_get_raw(l, &op, 4 * at, 4, 4);
    l->channels = channels;
    l->scalar = false;
    return v;
}

void visa_dpas(struct visa_lower *l, const struct visa_does *does)
{
    struct shape s;
    struct lane_operand sums[8];
    (void)does;
    if (!shape_of(l, &s))
        return;
    l->no_mask = true; /* channels are not looked at */
    for (unsigned r = 0; r < s.count; r++) {
        sums[r] = start_of(l, &s, r);
        for (unsigned d = 0; d < s.depth; d++)
            sums[r] = products(l, &s, visa_get_raw(l, visa_operand_in(l, "b"), 4 * d * l->channels, 4, 4),
                               activation(l, r * s.depth + d), sums[r]);
    }
    unsigned bytes = visa_type_bytes(s.result);
    for (unsigned r = 0; r < s.count; r++) {
        struct visa_value v = {sums[r], is_float(&s) ? VISA_F : VISA_D};
        visa_put_raw(l, visa_operand_in(l, "dst"), r * l->channels * bytes, bytes, bytes,
                     visa_convert(l, v, s.result, false).v);
    }
}
