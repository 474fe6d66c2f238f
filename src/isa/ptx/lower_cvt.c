/* Lowering of cvt: one operation where it can be; .satfinite is a limit before it, four elements are two pairs. */
#include "isa/ptx/lower.h"

static struct lane_operand binary(struct lowerer *l, enum lane_op op, uint16_t type, struct lane_operand a,
                                  struct lane_operand b, unsigned flags)
{
    struct lane_operand d = lower_temp(l, type), src[2] = {a, b};
    lower_emit(l, op, type, 1, &d, 2, src)->flags = (uint8_t)flags;
    return d;
}

static struct lane_operand limited(struct lowerer *l, uint16_t type, struct lane_operand a, uint64_t least,
                                   uint64_t greatest, unsigned flags)
{
    a = binary(l, LANE_OP_max, type, a, lower_const(l, type, least), flags);
    return binary(l, LANE_OP_min, type, a, lower_const(l, type, greatest), flags);
}

/* The largest finite number of a format, as f32. The small formats that are not here saturate by themselves. */
static uint32_t largest_finite(uint16_t type)
{
    switch (type) {
    case PTX_f16:
    case PTX_f16x2:
        return 0x477fe000;
    case PTX_bf16:
    case PTX_bf16x2:
        return 0x7f7f0000;
    case PTX_tf32:
        return 0x7f7fe000;
    case PTX_ue8m0x2:
        return 0x7f000000;
    default:
        return 0;
    }
}

/* A source of a conversion. Under .satfinite it is limited to what the destination has: nothing beyond rounds to less,
 * and a NaN stays one. */
static struct lane_operand converted(struct lowerer *l, const struct insn_operand *op, const struct ptx_form *form)
{
    uint16_t from = form->types[1];
    uint64_t limit = largest_finite(form->types[0]), sign = 0x80000000;
    struct lane_operand a = lower_source(l, op, from);
    if (!ptx_form_has(form, PTX_satfinite) || limit == 0 || form->round == PTX_rna)
        return a;
    if (from == PTX_bf16x2) {
        limit = limit >> 16 | limit;
        sign = 0x80008000;
    }
    return limited(l, from, a, limit | sign, limit, LANE_NAN);
}

/* .ftz does nothing where the result is an f16 (measured on an H100: cvt.rp.ftz.f16.f32 of 2^-149 is 2^-24; ptxas makes
 * no .FTZ of it for older machines either). */
static void convert(struct lowerer *l, enum lane_op op, uint16_t to, const struct ptx_form *form, struct lane_operand d,
                    unsigned nsrc, const struct lane_operand *src)
{
    struct lane_inst *inst = lower_emit(l, op, to, 1, &d, nsrc, src);
    inst->type2 = (uint8_t)ptx_type_lane(form->types[1]);
    inst->round = op == LANE_OP_cvtrs ? 0 : lower_round(form);
    inst->flags = lower_flags(form);
    if (to == PTX_f16)
        inst->flags &= (uint8_t)~LANE_FTZ;
}

/* What ptxas 13.0 makes of a conversion to the same f32 or f64 is a move: of NaNs and subnormals too. */
static bool is_move(const struct ptx_form *form)
{
    return form->types[0] == form->types[1] && (form->types[0] == PTX_f32 || form->types[0] == PTX_f64) &&
           !form->round && !ptx_form_has(form, PTX_ftz) && !ptx_form_has(form, PTX_sat);
}

/* .ftz.f64.f32 flushes by an instruction of its own, which makes a NaN the canonical one of f32 (as ptxas does). */
static struct lane_operand flushed(struct lowerer *l, struct lane_operand a)
{
    struct lane_operand d = lower_temp(l, PTX_f32);
    struct lane_inst *inst = lower_emit(l, LANE_OP_cvt, PTX_f32, 1, &d, 1, &a);
    inst->type2 = LANE_F32;
    inst->flags = LANE_FTZ;
    return d;
}

/* .rna.satfinite.tf32 takes one unit off what is infinity or NaN after the conversion (as ptxas does). */
static void limit_tf32(struct lowerer *l, struct lane_operand d)
{
    struct lane_operand magnitude = binary(l, LANE_OP_and, PTX_b32, d, lower_const(l, PTX_b32, 0x7fffffff), 0);
    struct lane_operand less = binary(l, LANE_OP_sub, PTX_u32, d, lower_const(l, PTX_u32, 0x2000), 0);
    struct lane_operand finite = lane_reg(&l->b, 1, NULL);
    struct lane_operand compared[] = {magnitude, lower_const(l, PTX_u32, 0x7f800000)}, chosen[] = {d, less, finite};
    lower_emit(l, LANE_OP_setp, PTX_u32, 1, &finite, 2, compared)->cmp = LANE_LT;
    lower_emit(l, LANE_OP_selp, PTX_b32, 1, &d, 3, chosen);
}

void lower_cvt(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t to = form->types[0], from = form->types[1];
    struct lane_operand a = converted(l, &insn->operands[1], form);
    struct lane_operand d = lower_dest(l, &insn->operands[0], to, true);
    if (to == PTX_f64 && from == PTX_f32 && ptx_form_has(form, PTX_ftz))
        a = flushed(l, a);
    if (is_move(form))
        lower_emit(l, LANE_OP_mov, to == PTX_f32 ? PTX_b32 : PTX_b64, 1, &d, 1, &a);
    else if (to == PTX_f32 && from == PTX_bf16) /* bits alone, of a NaN too */
        lower_emit(l, LANE_OP_pack, PTX_b32, 1, &d, 2, (struct lane_operand[]){lower_const(l, PTX_b16, 0), a})->type2 =
            LANE_B16;
    else
        convert(l, LANE_OP_cvt, to, form, d, 1, &a);
    if (form->round == PTX_rna && ptx_form_has(form, PTX_satfinite))
        limit_tf32(l, d);
    lower_finish(l, &insn->operands[0], to, d);
}

void lower_cvt_pair(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t to = form->types[0];
    to = to == PTX_u16 ? PTX_u16x2 : to == PTX_s16 ? PTX_s16x2 : to;
    struct lane_operand src[2] = {converted(l, &insn->operands[1], form), converted(l, &insn->operands[2], form)};
    struct lane_operand d = lower_dest(l, &insn->operands[0], to, true);
    convert(l, LANE_OP_cvtpack, to, form, d, 2, src);
    lower_finish(l, &insn->operands[0], to, d);
}

/* cvt.pack to 8 bits and less: d = {c, saturated a, saturated b}, cut to 32 bits (PTX ISA, cvt.pack). */
void lower_cvt_pack(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t type = form->types[0];
    bool is_signed = ptx_type_kind(type) == 's';
    unsigned bits = ptx_type_bits(type);
    uint32_t greatest = (1U << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? ~greatest : 0;
    struct lane_operand a = limited(l, PTX_s32, lower_source(l, &insn->operands[1], PTX_s32), least, greatest, 0);
    struct lane_operand b = limited(l, PTX_s32, lower_source(l, &insn->operands[2], PTX_s32), least, greatest, 0);
    struct lane_operand c = lower_source(l, &insn->operands[3], PTX_b32), size = lower_const(l, PTX_b32, bits);
    struct lane_operand d = lower_dest(l, &insn->operands[0], PTX_b32, true), low = lower_temp(l, PTX_b32);
    c = binary(l, LANE_OP_shl, PTX_b32, c, lower_const(l, PTX_b32, 2 * bits), 0);
    lower_emit(l, LANE_OP_bfi, PTX_b32, 1, &low, 4, (struct lane_operand[]){b, c, lower_const(l, PTX_b32, 0), size});
    lower_emit(l, LANE_OP_bfi, PTX_b32, 1, &d, 4, (struct lane_operand[]){a, low, size, size});
    lower_finish(l, &insn->operands[0], PTX_b32, d);
}

/* ---- stochastic rounding ------------------------------------------------------------------------------------ */

void lower_cvt_random(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand src[3] = {converted(l, &insn->operands[1], form), converted(l, &insn->operands[2], form),
                                  lower_source(l, &insn->operands[3], PTX_b32)};
    struct lane_operand d = lower_dest(l, &insn->operands[0], PTX_b32, true);
    convert(l, LANE_OP_cvtrs, form->types[0], form, d, 3, src);
}

static uint16_t pair_type(uint16_t four)
{
    switch (four) {
    case PTX_e4m3x4:
        return PTX_e4m3x2;
    case PTX_e5m2x4:
        return PTX_e5m2x2;
    case PTX_e2m3x4:
        return PTX_e2m3x2;
    case PTX_e3m2x4:
        return PTX_e3m2x2;
    default:
        return PTX_e2m1x2;
    }
}

/* Two of four elements {a, b, e, f}: with 16 random bits, given by two bytes of rbits, for each of the two. */
static struct lane_operand random_pair(struct lowerer *l, const struct insn *insn, const struct ptx_form *form,
                                       unsigned first, uint32_t bytes)
{
    const struct insn_operand *from = &insn->operands[1].children[first];
    uint16_t to = pair_type(form->types[0]);
    struct lane_operand bits = lower_source(l, &insn->operands[2], PTX_b32), both = lower_temp(l, PTX_b32);
    lower_emit(l, LANE_OP_prmt, PTX_b32, 1, &both, 3,
               (struct lane_operand[]){bits, bits, lower_const(l, PTX_b32, bytes)});
    struct lane_operand src[3] = {lower_source(l, &from[0], PTX_f32), lower_source(l, &from[1], PTX_f32), both};
    struct lane_operand d = lower_temp(l, to);
    convert(l, LANE_OP_cvtrs, to, form, d, 3, src);
    return d;
}

/* PTX ISA, cvt, "rbits": to 8 and 6 bits, the upper 16 bits are for a and b, the lower for e and f; to e2m1x4 the upper
 * bytes of both halves for a and b, the lower ones for e and f. Named choice: both of a pair take all 16. */
void lower_cvt_random4(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    bool small = form->types[0] == PTX_e2m1x4;
    uint16_t whole = small ? PTX_b16 : PTX_b32;
    struct lane_operand src[2] = {random_pair(l, insn, form, 2, small ? 0x2020 : 0x1010),
                                  random_pair(l, insn, form, 0, small ? 0x3131 : 0x3232)};
    struct lane_operand d = lower_dest(l, &insn->operands[0], whole, true);
    lower_emit(l, LANE_OP_pack, whole, 1, &d, 2, src)->type2 = small ? LANE_B8 : LANE_B16;
}

/* ---- mixed precision ---------------------------------------------------------------------------------------- */

/* add, sub, fma .f32.f16 and .f32.bf16: the sources but the last are halves, which f32 holds exactly. */
void lower_mixed(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand src[3];
    unsigned last = insn->noperands - 1u;
    for (unsigned i = 1; i < last; i++) {
        struct lane_operand half = lower_source(l, &insn->operands[i], form->types[1]);
        src[i - 1] = lower_temp(l, PTX_f32);
        lower_emit(l, LANE_OP_cvt, PTX_f32, 1, &src[i - 1], 1, &half)->type2 = (uint8_t)ptx_type_lane(form->types[1]);
    }
    src[last - 1] = lower_source(l, &insn->operands[last], PTX_f32);
    struct lane_operand d = lower_dest(l, &insn->operands[0], PTX_f32, true);
    struct lane_inst *inst = lower_emit(l, form->pattern->op, PTX_f32, 1, &d, last, src);
    inst->round = lower_round(form);
    inst->flags = lower_flags(form);
}
