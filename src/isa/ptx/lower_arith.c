/* Lowering of arithmetic, comparison, selection and conversion: the one-operation case by notation, then the rows that
 * need more than one operation. */
#include "isa/ptx/check_mods.h"
#include "isa/ptx/lower.h"

#include <string.h>

static const struct lane_operand none = {LANE_NONE, 0};

uint8_t lower_flags(const struct ptx_form *form)
{
    static const struct {
        uint16_t word;
        uint8_t flag;
    } flags[] = {
        {PTX_ftz, LANE_FTZ},        {PTX_sat, LANE_SAT},
        {PTX_approx, LANE_APPROX},  {PTX_full, LANE_APPROX | LANE_CLAMP},
        {PTX_relu, LANE_RELU},      {PTX_NaN, LANE_NAN},
        {PTX_xorsign, LANE_ABS},    {PTX_clamp, LANE_CLAMP},
        {PTX_shiftamt, LANE_CLAMP}, {PTX_uni, LANE_UNI},
    };
    unsigned set = 0;
    for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (ptx_form_has(form, flags[i].word))
            set |= flags[i].flag;
    return (uint8_t)set;
}

uint8_t lower_round(const struct ptx_form *form)
{
    switch (form->round) {
    case PTX_rz:
        return LANE_RZ;
    case PTX_rm:
        return LANE_RM;
    case PTX_rp:
        return LANE_RP;
    case PTX_rna:
        return LANE_RNA;
    case PTX_rni:
        return LANE_RNI;
    case PTX_rzi:
        return LANE_RZI;
    case PTX_rmi:
        return LANE_RMI;
    case PTX_rpi:
        return LANE_RPI;
    default:
        return LANE_RN;
    }
}

/* neg and abs of floats are additions of 0 (measured on an H100: tests/hw/results/h100.txt.gz). */
static unsigned nan_flag(enum lane_op op, unsigned type)
{
    return (op == LANE_OP_neg || op == LANE_OP_abs) && lane_type_float((enum lane_type)type) ? LANE_NAN : 0;
}

/* add, sub, mul of floats without a rounding modifier (PTX ISA: they may be fused). bf16: ptxas fuses them, too. */
static bool may_fuse(enum lane_op op, const struct ptx_form *form)
{
    bool arithmetic = op == LANE_OP_add || op == LANE_OP_sub || op == LANE_OP_mul;
    return arithmetic && form->round == 0 && lane_type_float((enum lane_type)ptx_type_lane(form->types[0]));
}

void ptx_lower_simple(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    enum lane_op op = form->pattern->op;
    struct lane_operand dst[2] = {none, none}, src[INSN_OPERANDS];
    const struct insn_operand *to = NULL;
    uint16_t to_type = 0;
    unsigned ndst = 0, nsrc = 0, next = 0;
    struct ptx_token token;
    for (const char *at = form->pattern->operands; next < insn->noperands && ptx_next_token(&at, &token); next++) {
        uint16_t type = ptx_token_type(&token, form);
        if (!token.dest) {
            src[nsrc++] = lower_source(l, &insn->operands[next], type);
            continue;
        }
        to = &insn->operands[next];
        to_type = type;
        dst[ndst++] = lower_dest(l, to, type, true);
    }
    bool untyped = strcmp(lane_rows[op].types, ".") == 0;
    struct lane_inst *inst =
        lane_emit(&l->b, op, untyped ? LANE_VOID : ptx_type_lane(form->types[0]), ndst, dst, nsrc, src);
    inst->type2 = (uint8_t)ptx_type_lane(form->types[1]);
    inst->round = lower_round(form);
    inst->flags = (uint8_t)(lower_flags(form) | nan_flag(op, inst->type));
    inst->mode = form->pattern->mode;
    inst->flags |= l->module->fmad && may_fuse(op, form) ? LANE_FUSES : 0;
    if (to != NULL)
        lower_finish(l, to, to_type, dst[0]);
}

void lower_three(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t type = form->types[0];
    struct lane_operand src[2], d = lower_dest(l, &insn->operands[0], type, true);
    src[0] = lower_source(l, &insn->operands[1], type);
    for (unsigned i = 2; i < insn->noperands; i++) {
        bool last = i + 1u == insn->noperands;
        struct lane_operand to = last ? d : lower_temp(l, type);
        src[1] = lower_source(l, &insn->operands[i], type);
        lower_emit(l, form->pattern->op, type, 1, &to, 2, src)->flags = lower_flags(form);
        src[0] = to;
    }
}

/* ---- carry ---------------------------------------------------------------------------------------------- */

/* The condition code register CC.CF, one of each function (PTX ISA, "Extended-Precision Integer Arithmetic"). */
static struct lane_operand carry_register(struct lowerer *l)
{
    if (l->state->carry.kind == LANE_NONE)
        l->state->carry = lane_reg(&l->b, 1, "%cc");
    return l->state->carry;
}

static struct lane_operand not_of(struct lowerer *l, struct lane_operand a)
{
    struct lane_operand d = lower_temp(l, PTX_pred);
    lane_emit(&l->b, LANE_OP_not, LANE_PRED, 1, &d, 1, &a);
    return d;
}

/* CC.CF is the carry of an adder, also after sub.cc, where it is set if there was no borrow: nvcc's 128-bit division
 * reads the outcome of subc.cc with addc. The lane program's subc has a borrow, so it goes in and out inverted. */
void lower_carry(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t type = form->types[0];
    const struct ptx_row *row = form->row;
    bool takes = row == &ptx_row_addc || row == &ptx_row_subc || row == &ptx_row_madc;
    bool gives = ptx_form_has(form, PTX_cc), borrow = form->pattern->op == LANE_OP_subc;
    struct lane_operand src[4], dst[2] = {lower_dest(l, &insn->operands[0], type, true), none};
    unsigned nsrc = 0;
    for (unsigned i = 1; i < insn->noperands; i++)
        src[nsrc++] = lower_source(l, &insn->operands[i], type);
    src[nsrc++] = !takes ? none : borrow ? not_of(l, carry_register(l)) : carry_register(l);
    if (gives)
        dst[1] = borrow ? lower_temp(l, PTX_pred) : carry_register(l);
    lower_emit(l, form->pattern->op, type, 2, dst, nsrc, src)->mode = form->pattern->mode;
    if (gives && borrow) {
        struct lane_operand carry = carry_register(l);
        lane_emit(&l->b, LANE_OP_not, LANE_PRED, 1, &carry, 1, &dst[1]);
    }
    lower_finish(l, &insn->operands[0], type, dst[0]);
}

/* ---- pairs of f32 ------------------------------------------------------------------------------------------ */

static void split(struct lowerer *l, struct lane_operand from, struct lane_operand halves[2])
{
    halves[0] = lower_temp(l, PTX_b32);
    halves[1] = lower_temp(l, PTX_b32);
    lower_emit(l, LANE_OP_unpack, PTX_b64, 2, halves, 1, &from)->type2 = LANE_B32;
}

void lower_f32x2(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand src[3][2], result[2];
    unsigned count = insn->noperands - 1u;
    for (unsigned i = 0; i < count; i++)
        split(l, lower_source(l, &insn->operands[i + 1], PTX_b64), src[i]);
    for (unsigned half = 0; half < 2; half++) {
        struct lane_operand part[3];
        for (unsigned i = 0; i < count; i++)
            part[i] = src[i][half];
        result[half] = lower_temp(l, PTX_f32);
        struct lane_inst *inst = lower_emit(l, form->pattern->op, PTX_f32, 1, &result[half], count, part);
        inst->round = lower_round(form);
        inst->flags = lower_flags(form);
    }
    struct lane_operand d = lower_dest(l, &insn->operands[0], PTX_b64, true);
    lower_emit(l, LANE_OP_pack, PTX_b64, 1, &d, 2, result)->type2 = LANE_B32;
}

/* ---- predicates ----------------------------------------------------------------------------------------- */

static enum lane_cmp compare(uint16_t cmp)
{
    switch (cmp) {
    case PTX_eq:
        return LANE_EQ;
    case PTX_ne:
        return LANE_NE;
    case PTX_lt:
    case PTX_lo:
        return LANE_LT;
    case PTX_le:
    case PTX_ls:
        return LANE_LE;
    case PTX_gt:
    case PTX_hi:
        return LANE_GT;
    case PTX_ge:
    case PTX_hs:
        return LANE_GE;
    case PTX_equ:
        return LANE_EQU;
    case PTX_neu:
        return LANE_NEU;
    case PTX_ltu:
        return LANE_LTU;
    case PTX_leu:
        return LANE_LEU;
    case PTX_gtu:
        return LANE_GTU;
    case PTX_geu:
        return LANE_GEU;
    case PTX_num:
        return LANE_NUM;
    default:
        return LANE_NANS;
    }
}

static enum lane_op boolean(uint16_t op)
{
    return op == PTX_and ? LANE_OP_and : op == PTX_or ? LANE_OP_or : LANE_OP_xor;
}

/* a op c (a itself without an op) in d, or in a fresh register where d is LANE_NONE. */
static struct lane_operand combine_into(struct lowerer *l, struct lane_operand d, uint16_t op, struct lane_operand a,
                                        struct lane_operand c)
{
    if (op == 0)
        return a;
    if (d.kind == LANE_NONE)
        d = lower_temp(l, PTX_pred);
    struct lane_operand src[2] = {a, c};
    lane_emit(&l->b, boolean(op), LANE_PRED, 1, &d, 2, src);
    return d;
}

static struct lane_operand combine(struct lowerer *l, uint16_t op, struct lane_operand a, struct lane_operand c)
{
    return combine_into(l, none, op, a, c);
}

static void move_pred(struct lowerer *l, const struct insn_operand *op, struct lane_operand value)
{
    struct lane_operand d = lower_dest(l, op, PTX_pred, false);
    if (d.kind != LANE_NONE)
        lane_emit(&l->b, LANE_OP_mov, LANE_PRED, 1, &d, 1, &value);
}

/* An instruction that writes its own guard before its last operation needs a copy of it. */
static void save_guard(struct lowerer *l)
{
    if (l->b.guard.kind == LANE_NONE)
        return;
    struct lane_operand copy = lower_temp(l, PTX_pred), guard = l->b.guard;
    bool negated = l->b.guard_not;
    l->b.guard = none;
    l->b.guard_not = false;
    lane_emit(&l->b, LANE_OP_mov, LANE_PRED, 1, &copy, 1, &guard);
    l->b.guard = copy;
    l->b.guard_not = negated;
}

static struct lane_inst *emit_compare(struct lowerer *l, const struct insn *insn, const struct ptx_form *form,
                                      enum lane_op op, uint16_t type, unsigned ndst, const struct lane_operand *dst)
{
    struct lane_operand src[2] = {lower_source(l, &insn->operands[1], type), lower_source(l, &insn->operands[2], type)};
    struct lane_inst *inst = lower_emit(l, op, type, ndst, dst, 2, src);
    inst->cmp = (uint8_t)compare(form->cmp);
    inst->flags = lower_flags(form);
    return inst;
}

/* One predicate: the last operation writes it. */
static void lower_setp_one(struct lowerer *l, const struct insn *insn, const struct ptx_form *form,
                           const struct insn_operand *p)
{
    struct lane_operand d = lower_dest(l, p, PTX_pred, true), t = form->op == 0 ? d : lower_temp(l, PTX_pred);
    struct lane_operand c = form->op != 0 ? lower_source(l, &insn->operands[3], PTX_pred) : none;
    emit_compare(l, insn, form, LANE_OP_setp, form->types[0], 1, &t);
    combine_into(l, d, form->op, t, c);
}

void lower_setp(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *d = &insn->operands[0];
    const struct insn_operand *p = d->kind == INSN_PIPE ? &d->children[0] : d;
    const struct insn_operand *q = d->kind == INSN_PIPE ? &d->children[1] : NULL;
    bool packed = form->pattern->op == LANE_OP_setp2, second = q != NULL && q->kind == INSN_REG;
    if (!packed && !second) {
        lower_setp_one(l, insn, form, p);
        return;
    }
    save_guard(l);
    struct lane_operand t[2] = {lower_temp(l, PTX_pred), packed ? lower_temp(l, PTX_pred) : none};
    emit_compare(l, insn, form, form->pattern->op, form->types[0], packed ? 2 : 1, t);
    struct lane_operand c = form->op != 0 ? lower_source(l, &insn->operands[3], PTX_pred) : none;
    struct lane_operand first = combine(l, form->op, t[0], c), other = none;
    if (second)
        other = combine(l, form->op, packed ? t[1] : not_of(l, t[0]), c);
    move_pred(l, p, first);
    if (second)
        move_pred(l, q, other);
}

static struct lane_operand select(struct lowerer *l, uint16_t type, struct lane_operand d, struct lane_operand a,
                                  struct lane_operand b, struct lane_operand c)
{
    struct lane_operand src[3] = {a, b, c};
    lower_emit(l, LANE_OP_selp, ptx_bits_type(ptx_type_bits(type)), 1, &d, 3, src);
    return d;
}

/* "True" of set: 1.0 for floats, all ones for integers. */
static uint64_t true_value(uint16_t type)
{
    switch (type) {
    case PTX_f16:
        return 0x3c00;
    case PTX_f16x2:
        return 0x3c003c00;
    case PTX_bf16:
        return 0x3f80;
    case PTX_bf16x2:
        return 0x3f803f80;
    case PTX_f32:
        return 0x3f800000;
    default:
        return UINT64_MAX;
    }
}

/* set on packed halves; the predicate c goes into both halves. */
static void lower_set2(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t type = form->types[0];
    bool ones = type == PTX_u32 || type == PTX_s32;
    struct lane_operand d = lower_dest(l, &insn->operands[0], PTX_b32, true);
    struct lane_operand r = form->op == 0 ? d : lower_temp(l, PTX_b32);
    emit_compare(l, insn, form, LANE_OP_set2, form->types[1], 1, &r)->mode = ones;
    if (form->op == 0)
        return;
    struct lane_operand all = lower_const(l, PTX_b32, true_value(type)), zero = lower_const(l, PTX_b32, 0);
    struct lane_operand c = lower_source(l, &insn->operands[3], PTX_pred), flipped = lower_temp(l, PTX_b32);
    struct lane_operand src[2] = {r, all};
    switch (form->op) {
    case PTX_and:
        select(l, PTX_b32, d, r, zero, c);
        break;
    case PTX_or:
        select(l, PTX_b32, d, all, r, c);
        break;
    default:
        lane_emit(&l->b, LANE_OP_xor, LANE_B32, 1, &flipped, 2, src);
        select(l, PTX_b32, d, flipped, r, c);
        break;
    }
}

void lower_set(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t type = form->types[0];
    if (form->pattern->op == LANE_OP_set2) {
        lower_set2(l, insn, form);
        return;
    }
    struct lane_operand t = lower_temp(l, PTX_pred);
    emit_compare(l, insn, form, LANE_OP_setp, form->types[1], 1, &t);
    if (form->op != 0)
        t = combine(l, form->op, t, lower_source(l, &insn->operands[3], PTX_pred));
    struct lane_operand d = lower_dest(l, &insn->operands[0], type, true);
    select(l, type, d, lower_const(l, type, true_value(type)), lower_const(l, type, 0), t);
    lower_finish(l, &insn->operands[0], type, d);
}

void lower_select(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t type = form->types[0], bits = ptx_bits_type(ptx_type_bits(type));
    uint16_t third = form->pattern->op == LANE_OP_selp ? PTX_pred : form->types[1];
    struct lane_operand src[3] = {lower_source(l, &insn->operands[1], type), lower_source(l, &insn->operands[2], type),
                                  lower_source(l, &insn->operands[3], third)};
    struct lane_operand d = lower_dest(l, &insn->operands[0], type, true);
    struct lane_inst *inst = lower_emit(l, form->pattern->op, bits, 1, &d, 3, src);
    inst->flags = lower_flags(form);
    if (third != PTX_pred)
        inst->type2 = (uint8_t)ptx_type_lane(third);
    lower_finish(l, &insn->operands[0], type, d);
}

/* ---- bits ------------------------------------------------------------------------------------------------ */

void lower_lop3(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *d = &insn->operands[0];
    const struct insn_operand *to = d->kind == INSN_PIPE ? &d->children[0] : d;
    struct lane_operand src[3];
    for (unsigned i = 0; i < 3; i++)
        src[i] = lower_source(l, &insn->operands[i + 1], PTX_b32);
    struct lane_operand r = lower_dest(l, to, PTX_b32, true);
    if (form->op == 0) {
        lower_emit(l, LANE_OP_lop3, PTX_b32, 1, &r, 3, src)->aux = insn->operands[4].value & 0xff;
        return;
    }
    struct lane_operand q = lower_source(l, &insn->operands[5], PTX_pred), t = lower_temp(l, PTX_pred);
    lower_emit(l, LANE_OP_lop3, PTX_b32, 1, &r, 3, src)->aux = insn->operands[4].value & 0xff;
    struct lane_operand pair[2] = {r, lower_const(l, PTX_b32, 0)};
    lower_emit(l, LANE_OP_setp, PTX_b32, 1, &t, 2, pair)->cmp = LANE_NE;
    move_pred(l, &d->children[1], combine(l, form->op, t, q));
}
