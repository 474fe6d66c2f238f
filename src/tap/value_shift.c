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

/* A search through a function: of instructions looked at, those that are left to the launch. When there are none,
 * shifts are plain ones: programs can be made to be looked at for ever. */
struct search {
    const struct lane_func *func;
    uint64_t *left;
};

static bool spend(const struct search *in)
{
    *in->left -= *in->left < in->func->ninsts ? *in->left : in->func->ninsts;
    return *in->left > 0;
}

static bool same(struct lane_operand a, struct lane_operand b)
{
    return a.kind == b.kind && a.index == b.index;
}

static struct lane_operand operand_of(const struct search *in, const struct lane_inst *inst, unsigned operand)
{
    return in->func->operands[inst->first + operand];
}

static bool makes(const struct search *in, const struct lane_inst *inst, struct lane_operand reg)
{
    return reg.kind == LANE_REG && inst->ndst == 1 && same(operand_of(in, inst, 0), reg);
}

/* The one instruction that writes a register; NULL: there are others. */
static const struct lane_inst *maker(const struct search *in, struct lane_operand reg)
{
    const struct lane_inst *found = NULL;
    if (!spend(in))
        return NULL;
    for (uint32_t i = 0; i < in->func->ninsts; i++)
        for (unsigned d = 0; d < in->func->insts[i].ndst; d++) {
            if (!same(operand_of(in, &in->func->insts[i], d), reg))
                continue;
            if (found)
                return NULL;
            found = &in->func->insts[i];
        }
    return found;
}

/* Do registers have one value? Compilers compute a value again rather than keep it. */
static bool alike(const struct search *in, struct lane_operand a, struct lane_operand b, unsigned depth)
{
    if (same(a, b))
        return true;
    if (a.kind != LANE_REG || b.kind != LANE_REG || !depth)
        return false;
    const struct lane_inst *first = maker(in, a), *second = first ? maker(in, b) : NULL;
    bool pure = second && lane_is(first->op, LANE_PURE) && first->op == second->op && first->type == second->type &&
                first->type2 == second->type2 && first->flags == second->flags && first->cmp == second->cmp &&
                first->mode == second->mode && first->aux == second->aux && first->ndst == 1 && second->ndst == 1 &&
                first->nsrc == second->nsrc && first->guard.kind == LANE_NONE && second->guard.kind == LANE_NONE;
    for (unsigned k = 1; pure && k <= first->nsrc; k++)
        pure = alike(in, operand_of(in, first, k), operand_of(in, second, k), depth - 1);
    return pure;
}

static bool is_number(const struct search *in, struct lane_operand operand, unsigned number)
{
    if (!spend(in))
        return false;
    for (uint32_t i = 0; i < in->func->ninsts && operand.kind == LANE_REG; i++)
        if (in->func->insts[i].op == LANE_OP_mov && makes(in, &in->func->insts[i], operand))
            operand = operand_of(in, &in->func->insts[i], 1);
    return operand.kind == LANE_CONST && !in->func->consts[operand.index].symbol &&
           in->func->consts[operand.index].lo == number;
}

/* Is one amount what the other leaves of so many bits? */
static bool is_rest(const struct search *in, struct lane_operand rest, struct lane_operand amount, unsigned bits)
{
    if (!spend(in))
        return false;
    for (uint32_t i = 0; i < in->func->ninsts; i++) {
        const struct lane_inst *inst = &in->func->insts[i];
        if (inst->op == LANE_OP_sub && makes(in, inst, rest) && is_number(in, operand_of(in, inst, 1), bits) &&
            alike(in, operand_of(in, inst, 2), amount, DEPTH))
            return true;
    }
    return false;
}

/* Is one amount k - 64, where the other is 64 - k? */
static bool is_past(const struct search *in, struct lane_operand past, struct lane_operand rest, unsigned bits)
{
    if (!spend(in))
        return false;
    for (uint32_t i = 0; i < in->func->ninsts; i++) {
        const struct lane_inst *inst = &in->func->insts[i];
        unsigned less = inst->op == LANE_OP_add ? 0U - bits : bits;
        if ((inst->op == LANE_OP_add || inst->op == LANE_OP_sub) && makes(in, inst, past) &&
            is_number(in, operand_of(in, inst, 2), less) && is_rest(in, rest, operand_of(in, inst, 1), bits))
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
static bool is_other_half(const struct search *in, const struct lane_inst *inst, struct lane_operand other,
                          bool selected)
{
    unsigned bits = lane_type_bits(inst->type);
    struct lane_operand amount = operand_of(in, inst, 2);
    if (!spend(in))
        return false;
    for (uint32_t i = 0; i < in->func->ninsts; i++) {
        const struct lane_inst *made = &in->func->insts[i];
        if (!is_opposite(inst, made) || !makes(in, made, other))
            continue;
        struct lane_operand by = operand_of(in, made, 2);
        if (selected ? is_past(in, by, amount, bits) : is_rest(in, by, amount, bits) || is_rest(in, amount, by, bits))
            return true;
    }
    return false;
}

/* Is it joined with another half than `not_with`, where that is not NULL? */
static bool is_half(const struct search *in, const struct lane_inst *inst, const struct lane_inst *not_with)
{
    if (!spend(in))
        return false;
    for (uint32_t i = 0; i < in->func->ninsts; i++) {
        const struct lane_inst *joins = &in->func->insts[i];
        bool selects = joins->op == LANE_OP_selp;
        if (joins->op != LANE_OP_or && joins->op != LANE_OP_add && joins->op != LANE_OP_xor && !selects)
            continue;
        for (unsigned k = 1; k <= 2; k++) {
            struct lane_operand other = operand_of(in, joins, 3 - k);
            if (makes(in, inst, operand_of(in, joins, k)) && !(not_with && makes(in, not_with, other)) &&
                is_other_half(in, inst, other, selects))
                return true;
        }
    }
    return false;
}

/* A rotation has no lower word: its halves are of one. */
static bool is_word(const struct search *in, const struct lane_inst *inst)
{
    if (!spend(in))
        return false;
    for (uint32_t i = 0; i < in->func->ninsts; i++) {
        const struct lane_inst *half = &in->func->insts[i];
        if (is_opposite(inst, half) && alike(in, operand_of(in, half, 1), operand_of(in, inst, 1), DEPTH) &&
            is_rest(in, operand_of(in, half, 2), operand_of(in, inst, 2), lane_type_bits(inst->type)) &&
            is_half(in, half, inst))
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
    const struct search in = {step->func, &value->looks};
    if (*kind == UNKNOWN)
        *kind = is_word(&in, step->inst) ? WORD : is_half(&in, step->inst, NULL) ? HALF : PLAIN;
    return *kind == HALF ? bits : *kind == WORD ? 2 * bits - 1 : bits - 1;
}
