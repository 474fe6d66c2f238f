/* Instructions that do the same for channels after each other - (M1, 16) and (M5, 16) of a kernel of 32 - are carried
 * out as one where their operands are one register: elements that go on where the others end, or variables of their own
 * whose registers can be one, as no lane of one is a lane of the other.
 *
 * They stand side by side, or in periods: what the first channels do, then the same of the next ones. Those of one
 * period touch nothing of other channels, so that those of the next can go before them; but for memory, which one
 * instruction of a period may access, and state variables, which each period sets to the same numbers. */
#include "isa/visa/lower.h"

#include <string.h>

enum { LEAST = 8 /* channels */, LONGEST = 16 /* instructions of a period */ };

const struct visa_operand *visa_member_operand(const struct visa_lower *l, const struct visa_operand *op, unsigned m)
{
    const struct visa_inst *inst = l->inst, *other = inst + m * l->period;
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
        return a->type == b->type && a->value == b->value && a->type != VISA_V && a->type != VISA_UV &&
               a->type != VISA_VF;
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

/* A state variable is set to a number. */
static bool sets_state(const struct visa_inst *inst)
{
    return visa_row_id(inst->row) == VISA_ROW_movs && inst->nops == 2 && inst->ops[1].class == VISA_IMMEDIATE &&
           !inst->predicate;
}

static bool sets_alike(const struct visa_inst *a, const struct visa_inst *b)
{
    const struct visa_operand *x = a->ops, *y = b->ops;
    return a->row == b->row && sets_state(a) && sets_state(b) && a->exec == b->exec && x[0].class == y[0].class &&
           x[0].space == y[0].space && x[0].id == y[0].id && x[0].element == y[0].element && x[1].type == y[1].type &&
           x[1].value == y[1].value;
}

/* How many periods look alike, up to 4; at most one instruction of a period accesses memory, and all that set no state
 * have the same channels. */
static unsigned periods_alike(const struct visa_lower *l, const struct visa_inst *inst, unsigned period)
{
    const struct visa_inst *end = l->object->insts + l->object->ninsts, *lead = NULL;
    unsigned most = 4, messages = 0;
    for (unsigned k = 0; k < period && most > 1; k++) {
        const struct visa_inst *a = inst + k;
        bool state = period > 1 && sets_state(a);
        unsigned channels = visa_exec_channels(a->exec), count = 1;
        if (!state && (!may_fuse(a) || (lead && lead->exec != a->exec)))
            return 1;
        lead = state ? lead : a;
        messages += !state && !(a->row->is & (VISA_IS_ALU | VISA_IS_LOGIC));
        while (count < most && a + count * period < end &&
               (state ? sets_alike(a, a + count * period)
                      : visa_exec_first(a->exec) + (count + 1) * channels <= 32 &&
                            inst_like(l, a, a + count * period, count * channels)))
            count++;
        most = count;
    }
    if (!lead || (period > 1 && messages > 1))
        return 1;
    return most == 3 ? 2 : most;
}

struct visa_fusion visa_fusion_of(struct visa_fusion fusion, const struct visa_inst *inst)
{
    return fusion.members > 1 && !sets_state(inst) ? fusion : (struct visa_fusion){1, 1};
}

/* Tried in the pass that collects what registers there are, which is thrown away. */
static bool attempt(struct visa_lower *l, const struct visa_inst *inst, struct visa_fusion fusion)
{
    struct visa_known known[VISA_KNOWNS];
    bool together = true;
    memcpy(known, l->known, sizeof known);
    for (unsigned k = 0; k < fusion.period && together; k++) {
        visa_inst_lower(l, inst + k, visa_fusion_of(fusion, inst + k));
        together = !l->apart;
    }
    memcpy(l->known, known, sizeof known);
    return together;
}

static struct visa_fusion fusion_find(struct visa_lower *l, const struct visa_inst *inst)
{
    for (unsigned period = 1; period <= LONGEST; period++) {
        struct visa_fusion fusion = {(uint8_t)periods_alike(l, inst, period), (uint8_t)period};
        for (; fusion.members > 1; fusion.members /= 2)
            if (attempt(l, inst, fusion))
                return fusion;
    }
    return (struct visa_fusion){1, 1};
}

struct visa_fusion visa_fused(struct visa_lower *l, const struct visa_inst *inst)
{
    struct visa_fusion *fused = &l->fused[inst - l->object->insts];
    if (!l->decided)
        return (struct visa_fusion){1, 1};
    if (l->collecting && !fused->members)
        *fused = fusion_find(l, inst);
    return fused->members ? *fused : (struct visa_fusion){1, 1};
}
