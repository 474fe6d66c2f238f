/* Instructions that do the same for channels after each other - (M1, 16) and (M5, 16) of a kernel of 32 - are carried
 * out as one where their operands are one register: elements that go on where the others end, or variables of their own
 * whose registers can be one, as no lane of one is a lane of the other. */
#include "isa/visa/lower.h"

#include <string.h>

enum { LEAST = 8 /* channels */ };

const struct visa_operand *visa_member_operand(const struct visa_lower *l, const struct visa_operand *op, unsigned m)
{
    const struct visa_inst *inst = l->inst, *other = inst + m;
    if (op >= inst->ops && op < inst->ops + inst->nops)
        return &other->ops[op - inst->ops];
    for (unsigned i = 0; i < inst->nops; i++) {
        const struct visa_operand *list = &inst->ops[i];
        if (list->class == VISA_LIST_OF && op >= list->list && op < list->list + list->value)
            return &other->ops[i].list[op - list->list];
    }
    return NULL;
}

/* What operands must have in common to be one; registers are looked at when they are accessed. */
static bool operand_like(const struct visa_operand *a, const struct visa_operand *b)
{
    if (a->class != b->class || a->modifier != b->modifier)
        return false;
    switch (a->class) {
    case VISA_GENERAL:
        return a->region == b->region;
    case VISA_RAW:
        return (a->id == VISA_NULL) == (b->id == VISA_NULL);
    case VISA_IMMEDIATE:
        return a->type == b->type && a->value == b->value;
    case VISA_PREDICATE:
    case VISA_NUMBER:
        return a->value == b->value;
    case VISA_SURFACE:
    case VISA_SAMPLER:
        return a->id == b->id;
    case VISA_LIST_OF:
        if (a->value != b->value)
            return false;
        for (uint64_t i = 0; i < a->value; i++)
            if (!operand_like(&a->list[i], &b->list[i]))
                return false;
        return true;
    default:
        return false;
    }
}

/* Types of variables: those of operands are theirs. */
static bool types_like(const struct visa_lower *l, const struct visa_operand *a, const struct visa_operand *b)
{
    return a->class != VISA_GENERAL || visa_operand_own_type(l, a) == visa_operand_own_type(l, b);
}

static bool inst_like(const struct visa_lower *l, const struct visa_inst *a, const struct visa_inst *b, unsigned after)
{
    if (a->row != b->row || a->nops != b->nops || a->predicate != b->predicate ||
        (a->exec & (VISA_NO_MASK | 15)) != (b->exec & (VISA_NO_MASK | 15)) ||
        visa_exec_first(b->exec) != visa_exec_first(a->exec) + after)
        return false;
    for (unsigned i = 0; i < a->nops; i++)
        if (!operand_like(&a->ops[i], &b->ops[i]) || !types_like(l, &a->ops[i], &b->ops[i]))
            return false;
    return true;
}

/* Rows whose channels do nothing together. */
static bool may_fuse(const struct visa_inst *inst)
{
    switch (visa_row_id(inst->row)) {
    case VISA_ROW_setp:
    case VISA_ROW_movs:
    case VISA_ROW_addr_add:
    case VISA_ROW_gather:
    case VISA_ROW_scatter:
    case VISA_ROW_dpas:
    case VISA_ROW_dpasw:
    case VISA_ROW_lsc_load_strided:
    case VISA_ROW_lsc_store_strided:
        return false;
    default:
        break;
    }
    if (inst->row->is & (VISA_IS_FLOW | VISA_IS_SYNC | VISA_IS_BLOCK | VISA_IS_DEBUG | VISA_IS_MEDIA))
        return false;
    if (inst->nops && inst->ops[inst->nops - 1].class == VISA_PREDICATE && visa_row_id(inst->row) == VISA_ROW_mov)
        return false;
    return visa_exec_channels(inst->exec) >= LEAST && !(inst->predicate & (VISA_PRED_ANY | VISA_PRED_ALL));
}

/* How many there are that look alike: 4, 2 or 1. */
static unsigned alike(const struct visa_lower *l, const struct visa_inst *inst)
{
    const struct visa_inst *end = l->object->insts + l->object->ninsts;
    unsigned channels = visa_exec_channels(inst->exec), count = 1;
    if (!may_fuse(inst))
        return 1;
    while (count < 4 && inst + count < end && visa_exec_first(inst->exec) + (count + 1) * channels <= 32 &&
           inst_like(l, inst, inst + count, count * channels))
        count++;
    return count == 3 ? 2 : count;
}

/* Tried in the pass that collects what registers there are, which is thrown away. */
static bool attempt(struct visa_lower *l, const struct visa_inst *inst, unsigned members)
{
    struct visa_known known[VISA_KNOWNS];
    memcpy(known, l->known, sizeof known);
    visa_inst_lower(l, inst, members);
    memcpy(l->known, known, sizeof known);
    return !l->apart;
}

unsigned visa_fused(struct visa_lower *l, const struct visa_inst *inst)
{
    uint8_t *fused = &l->fused[inst - l->object->insts];
    if (!l->decided)
        return 1;
    if (l->collecting && !*fused) {
        unsigned members = alike(l, inst);
        while (members > 1 && !attempt(l, inst, members))
            members /= 2;
        *fused = (uint8_t)members;
    }
    return *fused ? *fused : 1;
}
