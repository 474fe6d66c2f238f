/* Shifts that compilers write past the width on purpose, because such shifts give zeros: parts of shifts of two words.
 *
 *   rotate     x << k | x >> (64 - k)                            k = 0: one is by all bits, and gives nothing
 *   128 bits   k > 63 ? low << (k - 64) : high << k | low >> (64 - k)      the same; high may be known to be 0
 *              low << k                                          64 bits or more: nothing is left of it
 */
#include "tap/value.h"

#include <stdlib.h>

enum { UNKNOWN, PLAIN, HALF /* of the first kind */, WORD /* of the last */ };
enum { DEPTH = 12 /* of what is computed again */ };

static bool same(struct lane_operand a, struct lane_operand b)
{
    return a.kind == b.kind && a.index == b.index;
}

static struct lane_operand operand_of(const struct lane_func *func, const struct lane_inst *inst, unsigned operand)
{
    return func->operands[inst->first + operand];
}

static bool makes(const struct lane_func *func, const struct lane_inst *inst, struct lane_operand reg)
{
    return reg.kind == LANE_REG && inst->ndst == 1 && same(operand_of(func, inst, 0), reg);
}

/* The one instruction that writes a register; NULL: there are others. */
static const struct lane_inst *maker(const struct lane_func *func, struct lane_operand reg)
{
    const struct lane_inst *found = NULL;
    for (uint32_t i = 0; i < func->ninsts; i++)
        for (unsigned d = 0; d < func->insts[i].ndst; d++) {
            if (!same(operand_of(func, &func->insts[i], d), reg))
                continue;
            if (found)
                return NULL;
            found = &func->insts[i];
        }
    return found;
}

/* Do registers have one value? Compilers compute a value again rather than keep it. */
static bool alike(const struct lane_func *func, struct lane_operand a, struct lane_operand b, unsigned depth)
{
    if (same(a, b))
        return true;
    if (a.kind != LANE_REG || b.kind != LANE_REG || !depth)
        return false;
    const struct lane_inst *first = maker(func, a), *second = first ? maker(func, b) : NULL;
    bool pure = second && lane_is(first->op, LANE_PURE) && first->op == second->op && first->type == second->type &&
                first->type2 == second->type2 && first->flags == second->flags && first->cmp == second->cmp &&
                first->mode == second->mode && first->aux == second->aux && first->ndst == 1 && second->ndst == 1 &&
                first->nsrc == second->nsrc && first->guard.kind == LANE_NONE && second->guard.kind == LANE_NONE;
    for (unsigned k = 1; pure && k <= first->nsrc; k++)
        pure = alike(func, operand_of(func, first, k), operand_of(func, second, k), depth - 1);
    return pure;
}

static bool is_number(const struct lane_func *func, struct lane_operand operand, unsigned number)
{
    for (uint32_t i = 0; i < func->ninsts && operand.kind == LANE_REG; i++)
        if (func->insts[i].op == LANE_OP_mov && makes(func, &func->insts[i], operand))
            operand = operand_of(func, &func->insts[i], 1);
    return operand.kind == LANE_CONST && !func->consts[operand.index].symbol &&
           func->consts[operand.index].lo == number;
}

/* Is one amount what the other leaves of so many bits? */
static bool is_rest(const struct lane_func *func, struct lane_operand rest, struct lane_operand amount, unsigned bits)
{
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *inst = &func->insts[i];
        if (inst->op == LANE_OP_sub && makes(func, inst, rest) && is_number(func, operand_of(func, inst, 1), bits) &&
            alike(func, operand_of(func, inst, 2), amount, DEPTH))
            return true;
    }
    return false;
}

/* Is one amount k - 64, where the other is 64 - k? */
static bool is_past(const struct lane_func *func, struct lane_operand past, struct lane_operand rest, unsigned bits)
{
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *inst = &func->insts[i];
        unsigned less = inst->op == LANE_OP_add ? 0U - bits : bits;
        if ((inst->op == LANE_OP_add || inst->op == LANE_OP_sub) && makes(func, inst, past) &&
            is_number(func, operand_of(func, inst, 2), less) && is_rest(func, rest, operand_of(func, inst, 1), bits))
            return true;
    }
    return false;
}

/* A shift the other way, of as many bits. */
static bool is_opposite(const struct lane_inst *inst, const struct lane_inst *other)
{
    return (other->op == LANE_OP_shl || other->op == LANE_OP_shr) && other->op != inst->op &&
           lane_type_bits(other->type) == lane_type_bits(inst->type);
}

/* Is `other` made by a shift the other way, by the rest of the bits, or of what is past them? */
static bool is_other_half(const struct lane_func *func, const struct lane_inst *inst, struct lane_operand other,
                          bool selected)
{
    unsigned bits = lane_type_bits(inst->type);
    struct lane_operand amount = operand_of(func, inst, 2);
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *made = &func->insts[i];
        if (!is_opposite(inst, made) || !makes(func, made, other))
            continue;
        struct lane_operand by = operand_of(func, made, 2);
        if (selected ? is_past(func, by, amount, bits)
                     : is_rest(func, by, amount, bits) || is_rest(func, amount, by, bits))
            return true;
    }
    return false;
}

/* Is it joined with another half than `not_with`, where that is not NULL? */
static bool is_half(const struct lane_func *func, const struct lane_inst *inst, const struct lane_inst *not_with)
{
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *joins = &func->insts[i];
        bool selects = joins->op == LANE_OP_selp;
        if (joins->op != LANE_OP_or && joins->op != LANE_OP_add && joins->op != LANE_OP_xor && !selects)
            continue;
        for (unsigned k = 1; k <= 2; k++) {
            struct lane_operand other = operand_of(func, joins, 3 - k);
            if (makes(func, inst, operand_of(func, joins, k)) && !(not_with && makes(func, not_with, other)) &&
                is_other_half(func, inst, other, selects))
                return true;
        }
    }
    return false;
}

/* A rotation has no lower word: its halves are of one. */
static bool is_word(const struct lane_func *func, const struct lane_inst *inst)
{
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *half = &func->insts[i];
        if (is_opposite(inst, half) && alike(func, operand_of(func, half, 1), operand_of(func, inst, 1), DEPTH) &&
            is_rest(func, operand_of(func, half, 2), operand_of(func, inst, 2), lane_type_bits(inst->type)) &&
            is_half(func, half, inst))
            return true;
    }
    return false;
}

uint32_t value_shift_most(struct value *value, const struct tap_step *step)
{
    uint32_t bits = lane_type_bits(step->inst->type);
    if (!value->shifts && !(value->shifts = calloc(value->launch->sites, 1)))
        return bits - 1;
    uint8_t *kind = &value->shifts[step->site];
    if (*kind == UNKNOWN)
        *kind = is_word(step->func, step->inst) ? WORD : is_half(step->func, step->inst, NULL) ? HALF : PLAIN;
    return *kind == HALF ? bits : *kind == WORD ? 2 * bits - 1 : bits - 1;
}
