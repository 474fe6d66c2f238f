/* Lowering of mov, ld, st and the address conversions. */
#include "isa/ptx/lower.h"
#include "mem/space.h"

enum { PARTS = 16 };

/* ---- mov ------------------------------------------------------------------------------------------------ */

/* The value of mov's source as one register: elements side by side, the first in the low bits. */
static struct lane_operand joined(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    struct insn_operand parts[PARTS];
    struct lane_operand src[PARTS];
    if (!insn_is_vector(op))
        return lower_source(l, op, type);
    unsigned count = lower_parts(op, parts, PARTS);
    uint16_t part = ptx_bits_type(ptx_type_bits(type) / (count > 0 ? count : 1));
    for (unsigned i = 0; i < count; i++)
        src[i] = lower_source(l, &parts[i], part);
    if (count == 1)
        return src[0];
    struct lane_operand d = lower_temp(l, type);
    lower_emit(l, LANE_OP_pack, type, 1, &d, count, src)->type2 = (uint8_t)ptx_type_lane(part);
    return d;
}

static void split_into(struct lowerer *l, const struct insn_operand *op, uint16_t type, struct lane_operand value)
{
    struct insn_operand parts[PARTS];
    struct lane_operand dst[PARTS];
    unsigned count = lower_parts(op, parts, PARTS);
    uint16_t part = ptx_bits_type(ptx_type_bits(type) / (count > 0 ? count : 1));
    for (unsigned i = 0; i < count; i++)
        dst[i] = lower_dest(l, &parts[i], part, false);
    if (count == 1 && dst[0].kind != LANE_NONE)
        lower_emit(l, LANE_OP_mov, type, 1, dst, 1, &value);
    else if (count > 1)
        lower_emit(l, LANE_OP_unpack, type, count, dst, 1, &value)->type2 = (uint8_t)ptx_type_lane(part);
}

void lower_mov(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *to = &insn->operands[0], *from = &insn->operands[1];
    uint16_t type = ptx_bits_type(ptx_type_bits(form->types[0]));
    if (insn_is_vector(from) && !insn_is_vector(to)) {
        struct insn_operand parts[PARTS];
        struct lane_operand src[PARTS], d = lower_dest(l, to, type, true);
        unsigned count = lower_parts(from, parts, PARTS);
        uint16_t part = ptx_bits_type(ptx_type_bits(type) / (count > 0 ? count : 1));
        for (unsigned i = 0; i < count; i++)
            src[i] = lower_source(l, &parts[i], part);
        enum lane_op op = count > 1 ? LANE_OP_pack : LANE_OP_mov;
        lower_emit(l, op, type, 1, &d, count, src)->type2 = count > 1 ? (uint8_t)ptx_type_lane(part) : 0;
        return;
    }
    if (from->kind == INSN_SREG && to->kind == INSN_REG && lower_special(l, from, to))
        return;
    /* an immediate's float keeps its meaning: mov.f32 rounds 1.5 (0d) to f32 */
    struct lane_operand a = insn_is_vector(from) ? joined(l, from, type) : lower_source(l, from, form->types[0]);
    if (insn_is_vector(to)) {
        split_into(l, to, type, a);
        return;
    }
    struct lane_operand d = lower_dest(l, to, type, true);
    lower_emit(l, LANE_OP_mov, type, 1, &d, 1, &a);
}

/* Element by element; all are read before the first is written. */
void lower_mov_vector(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct insn_operand to[PARTS], from[PARTS];
    struct lane_operand values[PARTS];
    uint16_t type = ptx_bits_type(ptx_type_bits(form->types[0]));
    unsigned count = lower_parts(&insn->operands[0], to, PARTS);
    if (insn->operands[1].kind == INSN_SREG) {
        for (unsigned i = 0; i < count; i++) { /* the parts follow the whole in the table */
            from[i] = insn->operands[1];
            from[i].value += i + 1;
        }
    } else {
        lower_parts(&insn->operands[1], from, PARTS);
    }
    for (unsigned i = 0; i < count; i++) {
        struct lane_operand a = lower_source(l, &from[i], form->types[0]);
        values[i] = lower_temp(l, type);
        lower_emit(l, LANE_OP_mov, type, 1, &values[i], 1, &a);
    }
    for (unsigned i = 0; i < count; i++) {
        struct lane_operand d = lower_dest(l, &to[i], type, false);
        if (d.kind != LANE_NONE)
            lower_emit(l, LANE_OP_mov, type, 1, &d, 1, &values[i]);
    }
}

void lower_zero(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    struct lane_operand d = lower_dest(l, &insn->operands[0], PTX_b64, true), zero = lower_const(l, PTX_b64, 0);
    lower_emit(l, LANE_OP_mov, PTX_b64, 1, &d, 1, &zero);
}

/* ---- memory ------------------------------------------------------------------------------------------------ */

void lower_ld(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct insn_operand parts[PARTS];
    struct lane_operand dst[PARTS];
    struct lane_access access = {.type = (uint8_t)ptx_type_lane(form->types[0]), .vec = form->vec};
    unsigned count = lower_parts(&insn->operands[0], parts, PARTS);
    lower_order(form, &access);
    struct lane_operand at = lower_address(l, &insn->operands[1], form->space, &access);
    access.read_only = ptx_form_has(form, PTX_nc);
    for (unsigned i = 0; i < count; i++)
        dst[i] = lower_dest_data(l, &parts[i]);
    lane_emit(&l->b, LANE_OP_ld, LANE_VOID, count, dst, 1, &at)->aux = lane_access(&l->b, &access);
}

void lower_st(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct insn_operand parts[PARTS];
    struct lane_operand src[PARTS + 1];
    struct lane_access access = {.type = (uint8_t)ptx_type_lane(form->types[0]), .vec = form->vec};
    lower_order(form, &access);
    unsigned count = lower_parts(&insn->operands[1], parts, PARTS);
    src[0] = lower_address(l, &insn->operands[0], form->space, &access);
    if (access.space == LANE_PARAM) /* the parameters of calls are in the frame; a kernel's own are read-only */
        access.space = LANE_LOCAL;
    access.passes = access.space != LANE_LOCAL;
    for (unsigned i = 0; i < count; i++)
        src[i + 1] = lower_data(l, &parts[i], form->types[0]);
    lane_emit(&l->b, LANE_OP_st, LANE_VOID, 0, NULL, count + 1, src)->aux = lane_access(&l->b, &access);
}

/* ---- addresses ------------------------------------------------------------------------------------------------ */

/* Where a space's window begins in generic addresses; 0: its addresses are generic ones. */
static uint64_t window(const struct lowerer *l, uint16_t space)
{
    switch (lower_space(space)) {
    case LANE_SHARED:
        return SPACE_SHARED;
    case LANE_LOCAL:
        return SPACE_LOCAL;
    case LANE_PARAM:
        return l->func->entry ? SPACE_PARAM : SPACE_LOCAL;
    default:
        return 0;
    }
}

void lower_cvta(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t type = form->types[0];
    struct insn_operand from = insn->operands[1];
    uint64_t base = window(l, form->space);
    bool to = ptx_form_has(form, PTX_to);
    struct lane_operand d = lower_dest(l, &insn->operands[0], type, true);
    bool fold = from.kind == INSN_SYMBOL && from.decl != NULL && from.decl->kind == PTX_DECL_VAR &&
                from.decl->space == PTX_shared && !to; /* the window goes into the constant */
    if (fold)
        from.value += base;
    struct lane_operand src[2] = {lower_source(l, &from, type), lower_const(l, type, base)};
    if (fold || base == 0)
        lower_emit(l, LANE_OP_mov, ptx_bits_type(ptx_type_bits(type)), 1, &d, 1, src);
    else
        lower_emit(l, to ? LANE_OP_sub : LANE_OP_add, type, 1, &d, 2, src);
}

void lower_isspacep(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand a = lower_source(l, &insn->operands[1], PTX_u64);
    struct lane_operand p = lower_dest(l, &insn->operands[0], PTX_pred, true);
    lane_emit(&l->b, LANE_OP_isspacep, LANE_VOID, 1, &p, 1, &a)->mode = (uint8_t)lower_space(form->space);
}
