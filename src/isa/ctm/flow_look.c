/* Flow control, looked through before it is lowered: which instructions are reached and with what known, of each way of
 * calls. docs/ctm.md, "What is known". */
#include "isa/ctm/flow.h"

#include <string.h>

static const struct flow_state start_state = {
    .reached = true, .most = -1, .entry = {-1, -1, -1, -1}, .alu = FLOW_ALU_LOST};

static int8_t larger(int8_t a, int8_t b)
{
    return a > b ? a : b;
}

/* What holds on either way. Returns whether that is less than what `to` had. */
static bool meet(struct flow_state *to, const struct flow_state *from)
{
    struct flow_state was = *to;
    if (!to->reached) {
        *to = *from;
        return true;
    }
    if (to->depth != from->depth)
        to->depth = FLOW_VARIES;
    to->most = larger(to->most, from->most);
    to->broken |= from->broken;
    to->continued |= from->continued;
    to->alu |= from->alu;
    for (unsigned k = 0; k < CTM_LOOP_STACK; k++)
        to->entry[k] = larger(to->entry[k], from->entry[k]);
    return was.depth != to->depth || was.most != to->most || was.broken != to->broken ||
           was.continued != to->continued || was.alu != to->alu || memcmp(was.entry, to->entry, sizeof was.entry) != 0;
}

static uint32_t insts(const struct ctm_lower *l)
{
    return l->program->ninsts;
}

static void arrive(struct ctm_lower *l, uint32_t context, uint32_t pc)
{
    struct ctm_flow *f = l->flow;
    if (pc >= insts(l)) /* nobody is there: a trap */
        return;
    uint32_t key = context * insts(l) + pc;
    if (meet(&f->context[context].at[pc], &f->now) && !f->queued[key]) {
        f->queued[key] = true;
        f->work[f->nwork++] = key;
    }
}

/* The context of a call from here; FLOW_CONTEXTS: there are too many. */
static uint32_t context_of(struct ctm_lower *l, uint32_t parent, uint32_t back)
{
    struct ctm_flow *f = l->flow;
    for (uint32_t c = 1; c < f->ncontexts; c++)
        if (f->context[c].parent == parent && f->context[c].back == back)
            return c;
    if (f->ncontexts == FLOW_CONTEXTS)
        return FLOW_CONTEXTS;
    struct flow_context *c = &f->context[f->ncontexts];
    *c = (struct flow_context){.parent = parent, .back = back, .depth = f->context[parent].depth + 1};
    c->at = arena_array(l->arena, insts(l), sizeof *c->at);
    if (!c->at) {
        l->failed = !error_memory(l->error);
        return parent;
    }
    return f->ncontexts++;
}

void flow_reach(struct ctm_lower *l, uint32_t target, enum ctm_a_op a_op)
{
    struct ctm_flow *f = l->flow;
    const struct flow_context *here = &f->context[f->here];
    if (!f->work) { /* the last look */
        for (uint32_t i = 0; i < f->nback && a_op == CTM_A_POP; i++)
            f->target[f->back[i]] = true;
        if (a_op != CTM_A_POP && target < insts(l))
            f->target[target] = true;
        return;
    }
    f->ways[l->pc] |= a_op == CTM_A_POP ? FLOW_RETURNS : FLOW_JUMPS;
    if (a_op == CTM_A_NONE || (f->lost && a_op == CTM_A_PUSH)) {
        arrive(l, f->here, target);
    } else if (f->lost) {
        for (uint32_t i = 0; i < f->nback; i++)
            arrive(l, f->here, f->back[i]);
    } else if (a_op == CTM_A_POP) {
        if (here->depth)
            arrive(l, here->parent, here->back);
    } else if (here->depth < f->most_calls) {
        uint32_t called = context_of(l, f->here, l->pc + 1);
        if (called == FLOW_CONTEXTS)
            f->lost = true;
        else
            arrive(l, called, target);
    }
}

void flow_pass(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    if (!f->work || l->pc == ctm_end(l->program) || (ctm_in(l, CTM_LAST) && flow_sure(&f->now)))
        return;
    f->ways[l->pc] |= FLOW_PASSES;
    arrive(l, f->here, l->pc + 1);
}

static void other_step(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    unsigned type = ctm_in(l, CTM_TYPE);
    if (type != CTM_TYPE_TEX && ctm_in(l, CTM_ALU_WMASK))
        f->now.alu = FLOW_ALU_WRITTEN;
    flow_pass(l);
}

static void look_at(struct ctm_lower *l, uint32_t pc, const struct flow_state *state)
{
    l->pc = pc;
    l->inst = &l->program->insts[pc];
    l->flow->now = *state;
    if (ctm_in(l, CTM_TYPE) == CTM_TYPE_FC)
        flow_step(l);
    else
        other_step(l);
}

static bool contexts_look(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    size_t keys = (size_t)FLOW_CONTEXTS * insts(l);
    f->work = arena_array(l->arena, keys, sizeof *f->work);
    f->queued = arena_array(l->arena, keys, sizeof *f->queued);
    f->context[0] = (struct flow_context){.at = arena_array(l->arena, insts(l), sizeof(struct flow_state))};
    if (!f->work || !f->queued || !f->context[0].at)
        return error_memory(l->error);
    f->ncontexts = 1;
    f->nwork = f->here = 0;
    f->now = start_state;
    arrive(l, 0, ctm_start(l->program));
    bool lost = f->lost;
    while (f->nwork && !l->failed && f->lost == lost) {
        uint32_t key = f->work[--f->nwork];
        f->queued[key] = false;
        f->here = key / insts(l);
        look_at(l, key % insts(l), &f->context[f->here].at[key % insts(l)]);
    }
    f->work = NULL;
    return !l->failed;
}

/* Contexts become one; then a last look at what is needed from there. */
static void contexts_join(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    for (uint32_t c = 0; c < f->ncontexts; c++)
        for (uint32_t pc = 0; pc < insts(l); pc++) {
            const struct flow_state *at = &f->context[c].at[pc];
            uint8_t depth = f->lost ? FLOW_VARIES : (uint8_t)f->context[c].depth;
            if (!at->reached)
                continue;
            f->calls[pc] = !f->met[pc].reached || f->calls[pc] == depth ? depth : FLOW_VARIES;
            meet(&f->met[pc], at);
        }
    for (uint32_t pc = 0; pc < insts(l); pc++)
        if (f->met[pc].reached)
            look_at(l, pc, &f->met[pc]);
}

static void backs_find(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    for (uint32_t pc = 0; pc < insts(l); pc++) {
        const struct ctm_inst *inst = &l->program->insts[pc];
        if (ctm_get(inst, CTM_TYPE) == CTM_TYPE_FC && ctm_get(inst, CTM_A_OP) == CTM_A_PUSH)
            f->back[f->nback++] = pc + 1;
    }
}

bool flow_look(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    const struct ctm_inst *inst = l->inst;
    uint32_t pc = l->pc;
    f->back = arena_array(l->arena, insts(l), sizeof *f->back);
    f->met = arena_array(l->arena, insts(l), sizeof *f->met);
    f->calls = arena_array(l->arena, insts(l), sizeof *f->calls);
    f->ways = arena_array(l->arena, insts(l), sizeof *f->ways);
    if (!f->back || !f->met || !f->calls || !f->ways)
        return error_memory(l->error);
    backs_find(l);
    f->looking = true;
    bool ok = contexts_look(l);
    if (ok && f->lost)
        ok = contexts_look(l);
    if (ok)
        contexts_join(l);
    f->looking = false;
    l->pc = pc;
    l->inst = inst;
    return ok && !l->failed;
}

static bool returns_to(const struct ctm_flow *f, uint32_t pc, uint32_t back)
{
    for (uint32_t c = 0; c < f->ncontexts; c++)
        if (f->lost || (f->context[c].depth && f->context[c].back == back && f->context[c].at[pc].reached))
            return true;
    return false;
}

uint32_t flow_returns(const struct ctm_lower *l, uint32_t pc, uint32_t *which)
{
    const struct ctm_flow *f = l->flow;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->nback; i++)
        if (returns_to(f, pc, f->back[i]))
            which[count++] = i;
    return count;
}

uint32_t ctm_flow_ways(const struct ctm_lower *l, uint32_t pc, uint32_t *to)
{
    const struct ctm_flow *f = l->flow;
    bool straight = !f->ways && pc != ctm_end(l->program) && !ctm_get(&l->program->insts[pc], CTM_LAST);
    unsigned ways = f->ways ? f->ways[pc] : straight ? FLOW_PASSES : 0;
    uint32_t target = ctm_get(&l->program->insts[pc], CTM_JUMP_ADDR);
    uint32_t count = 0, which[CTM_SLOTS], n = ways & FLOW_RETURNS ? flow_returns(l, pc, which) : 0;
    if (ways & FLOW_PASSES && pc + 1 < insts(l))
        to[count++] = pc + 1;
    if (ways & FLOW_JUMPS && target < insts(l))
        to[count++] = target;
    for (uint32_t i = 0; i < n; i++)
        if (f->back[which[i]] < insts(l))
            to[count++] = f->back[which[i]];
    return count;
}
