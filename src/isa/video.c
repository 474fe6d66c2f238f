/* Scalar video operations in lane operations. */
#include "isa/video.h"

static struct lane_operand emit(struct lane_builder *b, enum lane_op op, enum lane_type type, unsigned nsrc,
                                struct lane_operand x, struct lane_operand y, struct lane_operand z)
{
    struct lane_operand d = lane_reg(b, lane_type_bits(type), NULL), src[3] = {x, y, z};
    lane_emit(b, op, type, 1, &d, nsrc, src);
    return d;
}

static struct lane_operand emit2(struct lane_builder *b, enum lane_op op, enum lane_type type, struct lane_operand x,
                                 struct lane_operand y)
{
    return emit(b, op, type, 2, x, y, y);
}

static struct lane_operand cast(struct lane_builder *b, enum lane_type to, enum lane_type from, bool sat,
                                struct lane_operand x)
{
    struct lane_operand d = lane_reg(b, lane_type_bits(to), NULL);
    struct lane_inst *inst = lane_emit(b, LANE_OP_cvt, to, 1, &d, 1, &x);
    inst->type2 = (uint8_t)from;
    inst->flags = sat ? LANE_SAT : 0;
    return d;
}

/* ---- sources ---------------------------------------------------------------------------------------------- */

struct video_source video_part(struct lane_builder *b, struct lane_operand word, unsigned at, unsigned bits,
                               bool is_signed)
{
    enum lane_type type = is_signed ? LANE_S32 : LANE_U32;
    if (bits < 32)
        word = emit(b, LANE_OP_bfe, type, 3, word, lane_imm(b, 32, at), lane_imm(b, 32, bits));
    return (struct video_source){cast(b, LANE_S64, type, false, word), bits, is_signed};
}

struct video_source video_constant(struct lane_builder *b, int64_t value, unsigned bits, bool is_signed)
{
    return (struct video_source){lane_imm(b, 64, (uint64_t)value), bits, is_signed};
}

/* ---- operations ------------------------------------------------------------------------------------------- */

/* An unsigned word shifted left by 32 needs all 64 bits. */
static struct lane_operand shift(struct lane_builder *b, enum video_op op, bool wrap, const struct video_source *x,
                                 const struct video_source *y)
{
    struct lane_operand amount = cast(b, LANE_U32, LANE_S64, false, y->value);
    enum lane_type right = x->is_signed ? LANE_S64 : LANE_U64;
    amount = wrap ? emit2(b, LANE_OP_and, LANE_B32, amount, lane_imm(b, 32, 31))
                  : emit2(b, LANE_OP_min, LANE_U32, amount, lane_imm(b, 32, 32));
    return op == VIDEO_SHL ? emit2(b, LANE_OP_shl, LANE_B64, x->value, amount)
                           : emit2(b, LANE_OP_shr, right, x->value, amount);
}

struct lane_operand video_operate(struct lane_builder *b, enum video_op op, bool wrap, const struct video_source *x,
                                  const struct video_source *y)
{
    switch (op) {
    case VIDEO_ADD:
        return emit2(b, LANE_OP_add, LANE_S64, x->value, y->value);
    case VIDEO_SUB:
        return emit2(b, LANE_OP_sub, LANE_S64, x->value, y->value);
    case VIDEO_ABSDIFF: {
        struct lane_operand d = emit2(b, LANE_OP_sub, LANE_S64, x->value, y->value);
        return emit(b, LANE_OP_abs, LANE_S64, 1, d, d, d);
    }
    case VIDEO_MIN:
        return emit2(b, LANE_OP_min, LANE_S64, x->value, y->value);
    case VIDEO_MAX:
        return emit2(b, LANE_OP_max, LANE_S64, x->value, y->value);
    default:
        return shift(b, op, wrap, x, y);
    }
}

struct lane_operand video_compare(struct lane_builder *b, enum lane_cmp cmp, const struct video_source *x,
                                  const struct video_source *y)
{
    struct lane_operand d = lane_reg(b, 1, NULL), src[2] = {x->value, y->value};
    lane_emit(b, LANE_OP_setp, LANE_S64, 1, &d, 2, src)->cmp = (uint8_t)cmp;
    return d;
}

/* ---- results ---------------------------------------------------------------------------------------------- */

/* Clamped to what the destination has room for, or cut, to 32 bits. */
static struct lane_operand narrowed(struct lane_builder *b, const struct video_end *end, enum lane_type wide,
                                    struct lane_operand result)
{
    static const uint8_t types[2][3] = {{LANE_U8, LANE_U16, LANE_U32}, {LANE_S8, LANE_S16, LANE_S32}};
    unsigned bits = end->with == VIDEO_MERGED ? end->bits : 32;
    enum lane_type type = (enum lane_type)types[end->is_signed][bits / 16];
    if (!end->sat)
        return cast(b, LANE_U32, wide, false, result);
    result = cast(b, type, wide, true, result);
    return bits == 32 ? result : cast(b, LANE_U32, type, false, result);
}

struct lane_operand video_end(struct lane_builder *b, const struct video_end *end, enum lane_type wide,
                              struct lane_operand result, struct lane_operand c)
{
    enum lane_type type = end->is_signed ? LANE_S32 : LANE_U32;
    result = narrowed(b, end, wide, result);
    switch (end->with) {
    case VIDEO_WITH_ADD:
        return emit2(b, LANE_OP_add, LANE_U32, result, c);
    case VIDEO_WITH_MIN:
        return emit2(b, LANE_OP_min, type, result, c);
    case VIDEO_WITH_MAX:
        return emit2(b, LANE_OP_max, type, result, c);
    case VIDEO_MERGED: {
        struct lane_operand d = lane_reg(b, 32, NULL);
        struct lane_operand src[4] = {result, c, lane_imm(b, 32, end->at), lane_imm(b, 32, end->bits)};
        lane_emit(b, LANE_OP_bfi, LANE_B32, 1, &d, 4, src);
        return d;
    }
    default:
        return result;
    }
}

/* Two unsigned words have a product of 64 bits: where a minus gives the result a sign, only products below 2^62 are
 * told apart; the others saturate all the same. */
struct lane_operand video_mad(struct lane_builder *b, const struct video_mad *mad, const struct video_source *x,
                              const struct video_source *y, struct lane_operand c)
{
    bool words = !x->is_signed && !y->is_signed && x->bits == 32 && y->bits == 32;
    bool is_signed = x->is_signed || y->is_signed || mad->minus || mad->minus_c;
    enum lane_type wide = is_signed ? LANE_S64 : LANE_U64, narrow = is_signed ? LANE_S32 : LANE_U32;
    struct lane_operand product = emit2(b, LANE_OP_mul, LANE_U64, x->value, y->value), sum;
    c = cast(b, wide, narrow, false, c);
    if (words && is_signed && mad->sat)
        product = emit2(b, LANE_OP_min, LANE_U64, product, lane_imm(b, 64, UINT64_C(1) << 62));
    if (mad->minus)
        sum = emit2(b, LANE_OP_sub, LANE_U64, c, product);
    else
        sum = emit2(b, mad->minus_c ? LANE_OP_sub : LANE_OP_add, LANE_U64, product, c);
    if (mad->more)
        sum = emit2(b, LANE_OP_add, LANE_U64, sum, lane_imm(b, 64, 1));
    if (mad->shift)
        sum = emit2(b, LANE_OP_shr, wide, sum, lane_imm(b, 32, mad->shift));
    return cast(b, mad->sat ? narrow : LANE_U32, wide, mad->sat, sum);
}
