/* Loops that are left at their start and at their end - a BREAK right behind LOOP or REP, and their rounds - become
 * loops of one block, of processors that take their own ways (flow_apart.c): what decides about leaving at the start is
 * computed once more at the end.
 *
 *   head: a = ...                head: a = ...
 *         @p bra after                 @p bra after
 *   body: ...            ->      body: ...
 *         @q bra head                  a = ...; c = q and not p
 *   after:                             @c bra body
 *                                after:
 *
 * Only what nobody reads behind the loop is computed so: its last round computes it in vain. */
#include "isa/ctm/lower.h"

enum { MOST_HEAD = 8 /* instructions */ };

static const struct lane_inst *last_of(const struct lane_func *f, uint32_t block)
{
    return &f->insts[f->blocks[block].first + f->blocks[block].count - 1];
}

/* Does a block end with a branch of some lanes? */
static bool may_branch(const struct lane_func *f, uint32_t block)
{
    const struct lane_inst *last = f->blocks[block].count ? last_of(f, block) : NULL;
    return last && last->op == LANE_OP_bra && last->guard.kind == LANE_REG && !(last->flags & LANE_UNI);
}

/* Does it compute something, and do nothing else? */
static bool computes(const struct lane_func *f, const struct lane_inst *inst)
{
    bool traps = lane_is(inst->op, LANE_TRAPS) && !lane_type_float(inst->type);
    return lane_is(inst->op, LANE_PURE) && !traps && inst->ndst == 1 && inst->guard.kind == LANE_NONE &&
           f->operands[inst->first].kind == LANE_REG;
}

static bool reads(const struct lane_func *f, const struct lane_inst *inst, uint32_t reg)
{
    bool found = inst->guard.kind == LANE_REG && inst->guard.index == reg;
    for (unsigned s = inst->ndst; s < (unsigned)inst->ndst + inst->nsrc; s++) {
        struct lane_operand op = f->operands[inst->first + s];
        found = found || (op.kind == LANE_REG && op.index == reg);
    }
    return found;
}

static bool writes(const struct lane_func *f, const struct lane_inst *inst, uint32_t reg)
{
    bool found = false;
    for (unsigned d = 0; d < inst->ndst && inst->guard.kind == LANE_NONE; d++) {
        struct lane_operand op = f->operands[inst->first + d];
        found = found || (op.kind == LANE_REG && op.index == reg);
    }
    return found;
}

/* Does a block read a register that others may have written? */
static bool is_exposed(const struct lane_func *f, uint32_t block, uint32_t reg)
{
    for (uint32_t i = f->blocks[block].first; i < f->blocks[block].first + f->blocks[block].count; i++) {
        if (reads(f, &f->insts[i], reg))
            return true;
        if (writes(f, &f->insts[i], reg))
            return false;
    }
    return false;
}

static bool head_fits(const struct lane_func *f, uint32_t head)
{
    uint32_t first = f->blocks[head].first, end = first + f->blocks[head].count - 1;
    if (end - first > MOST_HEAD)
        return false;
    for (uint32_t i = first; i < end; i++) {
        if (!computes(f, &f->insts[i]))
            return false;
        for (uint32_t b = 0; b < f->nblocks; b++)
            if (b != head && b != head + 1 && is_exposed(f, b, f->operands[f->insts[i].first].index))
                return false;
    }
    return true;
}

/* Is a block the head of such a loop? */
static bool is_loop(const struct lane_func *f, uint32_t head)
{
    if (head + 2 >= f->nblocks || !may_branch(f, head) || !may_branch(f, head + 1) || last_of(f, head + 1)->aux != head)
        return false;
    uint32_t after = last_of(f, head)->aux;
    if (after < head + 2)
        return false;
    for (uint32_t b = head + 2; b < after; b++)
        if (f->blocks[b].count)
            return false;
    return head_fits(f, head);
}

/* A guard, or its opposite, as a register. */
static struct lane_operand guard_of(struct ctm_lower *l, struct lane_inst branch, bool opposite)
{
    return branch.guard_not != opposite ? ctm_one(l, LANE_OP_not, LANE_PRED, branch.guard) : branch.guard;
}

static void rotate(struct ctm_lower *l, uint32_t head)
{
    struct lane_func *f = l->b->func;
    uint32_t body = head + 1, from = f->ninsts, first = f->blocks[head].first, count = f->blocks[head].count - 1;
    struct lane_inst leave = *last_of(f, head), again = *last_of(f, body);
    for (uint32_t i = first; i < first + count && !l->b->failed; i++) {
        struct lane_inst old = f->insts[i];
        struct lane_operand operands[1 + 4];
        for (unsigned k = 0; k < 1u + old.nsrc && k < 5; k++)
            operands[k] = f->operands[old.first + k];
        struct lane_inst *copy =
            lane_emit(l->b, (enum lane_op)old.op, (enum lane_type)old.type, 1, operands, old.nsrc, operands + 1);
        old.first = copy->first;
        *copy = old;
    }
    l->b->line = again.line;
    struct lane_operand goes_on =
        ctm_both(l, guard_of(l, again, false), guard_of(l, leave, true)); /* in lanes that are there still */
    if (!ctm_move_up(l, from, body, f->blocks[body].first + f->blocks[body].count - 1))
        return;
    struct lane_inst *branch = &f->insts[f->blocks[body].first + f->blocks[body].count - 1];
    branch->guard = goes_on;
    branch->guard_not = false;
    branch->aux = body;
}

bool ctm_rotate(struct ctm_lower *l)
{
    for (uint32_t b = 0; b + 2 < l->b->func->nblocks && !l->b->failed; b++)
        if (is_loop(l->b->func, b))
            rotate(l, b);
    return !l->b->failed || error_memory(l->error);
}
