/* Hazards along the flow graph: blocks, where SYNC and its like go, the state at the start of each block as a fixpoint.
 *
 * SYNC, BRK, CONT, RET and EXIT go where the innermost SSY, PBK, PCNT, PRET or PEXIT before them says; the stack of
 * these tokens is followed along the flow. Where it is not known, and at calls and indirect branches, what is known
 * ends: the code there begins with nothing pending. */
#include "isa/sass/hazards.h"

#include <string.h>

enum {
    NONE = 0,             /* no token */
    UNKNOWN = 0xffffffff, /* stack */
    VISITS = 64,          /* of a block; those after it take what is pending for pending in all lanes */
};

static enum sass_flow_kind flow_of(const struct sass_insn *insn)
{
    return insn->form ? sass_flow_kind(insn->form) : SASS_FLOW_NONE;
}

/* The kind of token that an instruction pushes, or pops; 0 = none. */
static unsigned token_of(const struct sass_insn *insn, enum sass_flow_kind how)
{
    return flow_of(insn) == how ? sass_token(insn->form) : 0;
}

/* Whether it goes elsewhere and does not come back. */
static bool leaves(const struct sass_insn *insn)
{
    enum sass_flow_kind flow = flow_of(insn);
    return flow == SASS_FLOW_GO || flow == SASS_FLOW_VALUE || flow == SASS_FLOW_LEAVE;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* The instruction that a branch names; the code's count when none. */
static size_t branch_target(const struct sass_code *code, size_t index)
{
    struct isa_operand operands[8];
    const struct sass_insn *insn = &code->insns[index];
    unsigned n = insn->form ? isa_operands(code->table, insn->form, &insn->word, sass_address(index), operands, 8) : 0;
    for (unsigned i = 0; i < n && i < 8; i++)
        if (operands[i].kind == ISA_TARGET && sass_index_of((uint64_t)operands[i].value) < code->count)
            return (size_t)sass_index_of((uint64_t)operands[i].value);
    return code->count;
}

static bool blocks_find(struct hazard_checker *c)
{
    const struct sass_code *code = c->code;
    bool *starts = arena_array(&c->arena, code->count + 1, sizeof *starts);
    c->block_of = arena_array(&c->arena, code->count + 1, sizeof *c->block_of);
    if (!starts || !c->block_of)
        return false;
    starts[0] = true;
    for (size_t i = 0; i < code->count; i++)
        if (c->effects[i].flow) {
            starts[branch_target(code, i)] = true; /* also where SSY and its like point to */
            if (flow_of(&code->insns[i]) != SASS_FLOW_PUSH &&
                !(code->insns[i].form && isa_any(code->insns[i].form, SASS_GOES_ON)))
                starts[i + 1] = true;
        }
    for (size_t i = 0; i < code->count; i++)
        c->nblocks += starts[i];
    c->blocks = arena_array(&c->arena, c->nblocks, sizeof *c->blocks);
    c->tokens = arena_array(&c->arena, code->count + 1, sizeof *c->tokens);
    if (!c->blocks || !c->tokens)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < code->count; i++) {
        if (starts[i])
            c->blocks[n++].first = i;
        c->block_of[i] = n - 1;
        c->blocks[n - 1].end = i + 1;
    }
    return true;
}

/* Whether it runs in all lanes: no guard, no test of condition codes. */
static bool is_sure(const struct hazard_checker *c, size_t index)
{
    struct hazard_lanes guard = hazard_guard(c, index);
    return !(guard.on | guard.off) && !(c->effects[index].pred_reads >> SASS_CC & 1);
}

/* The stack after the block; *popped: the token by which its last instruction goes on. */
static uint32_t stack_after(struct hazard_checker *c, const struct hazard_block *block, uint32_t *popped)
{
    uint32_t stack = block->stack;
    *popped = NONE;
    for (size_t i = block->first; i < block->end; i++) {
        const struct sass_insn *insn = &c->code->insns[i];
        unsigned push = token_of(insn, SASS_FLOW_PUSH), pop = token_of(insn, SASS_FLOW_LEAVE);
        if (push) {
            uint32_t token = (uint32_t)i + 1;
            c->tokens[token] = (struct hazard_token){branch_target(c->code, i), stack, (uint8_t)push};
            stack = token;
        } else if (pop) {
            uint32_t t = stack;
            while (t != NONE && t != UNKNOWN && c->tokens[t].kind != pop)
                t = c->tokens[t].below;
            *popped = t == UNKNOWN ? NONE : t;
        }
    }
    return stack;
}

/* The block that an edge leads to has this stack. */
static void stack_set(struct hazard_checker *c, size_t to, uint32_t stack, size_t *queue, size_t *held)
{
    struct hazard_block *block = &c->blocks[to];
    if (block->reached)
        return; /* as compilers use them, stacks agree */
    block->reached = true;
    block->stack = stack;
    queue[(*held)++] = to;
}

static void block_join(struct hazard_checker *c, struct hazard_block *block, size_t *queue, size_t *held)
{
    const struct sass_code *code = c->code;
    size_t last = block->end - 1, target = code->count;
    const struct sass_insn *insn = &code->insns[last];
    uint32_t token, stack = stack_after(c, block, &token), to_stack = stack;
    bool jump = flow_of(insn) == SASS_FLOW_GO, call = flow_of(insn) == SASS_FLOW_CALL, falls = block->end < code->count;
    if (leaves(insn) && is_sure(c, last))
        falls = false;
    if (jump)
        target = branch_target(code, last);
    else if (token != NONE) {
        target = c->tokens[token].target;
        to_stack = c->tokens[token].below;
    }
    block->next[0] = falls && !call ? c->block_of[block->end] : SIZE_MAX;
    block->next[1] = target < code->count ? c->block_of[target] : SIZE_MAX;
    if (falls)
        stack_set(c, c->block_of[block->end], stack, queue, held);
    if (call && falls)
        c->blocks[c->block_of[block->end]].entry = true;
    if (block->next[1] != SIZE_MAX)
        stack_set(c, block->next[1], to_stack, queue, held);
}

/* Edges, from the start of the code and from whatever is not reached. */
static bool blocks_join(struct hazard_checker *c)
{
    size_t *queue = arena_array(&c->arena, c->nblocks + 1, sizeof *queue), held = 0;
    if (!queue)
        return false;
    for (size_t b = 0; b < c->nblocks; b++) {
        if (c->blocks[b].reached)
            continue;
        c->blocks[b].entry = true;
        stack_set(c, b, b ? UNKNOWN : NONE, queue, &held);
        while (held) {
            struct hazard_block *block = &c->blocks[queue[--held]];
            block_join(c, block, queue, &held);
        }
    }
    return true;
}

/* ---- states ------------------------------------------------------------------------------------------ */

static bool lanes_join(struct hazard_lanes *to, struct hazard_lanes from)
{
    struct hazard_lanes both = {to->on & from.on, to->off & from.off};
    bool changed = both.on != to->on || both.off != to->off;
    *to = both;
    return changed;
}

/* Takes over what is pending in c->state in these lanes. `jumped`: fixed results are ready. Whether it was new. */
static bool state_join(struct hazard_checker *c, struct hazard_block *to, struct hazard_lanes lanes, bool jumped)
{
    const struct hazard_state *from = &c->state;
    struct hazard_lanes here = hazard_both(from->lanes, lanes), known = hazard_known(from, here);
    if (!hazard_meet(known, known))
        return false; /* nobody comes this way */
    bool changed = !to->in.reached;
    if (!to->in.reached) {
        to->in.lanes = here;
        memcpy(to->in.with, from->with, sizeof to->in.with);
    }
    to->in.reached = true;
    changed |= lanes_join(&to->in.lanes, here);
    for (unsigned p = 0; p < HAZARD_PREDICATES; p++)
        changed |= lanes_join(&to->in.with[p], from->with[p]);
    for (unsigned i = 0; i < from->count; i++) {
        struct hazard h = from->items[i];
        if (!hazard_meet(h.lanes, known) || (h.kind == HAZARD_FIXED && jumped))
            continue;
        if (h.kind == HAZARD_FIXED)
            h.ready -= from->now;
        if (to->visits >= VISITS)
            h.lanes = (struct hazard_lanes){0, 0};
        changed |= hazard_add(c, &to->in, &h);
    }
    return changed;
}

static bool block_run(struct hazard_checker *c, const struct hazard_block *block)
{
    struct hazard_state *s = &c->state;
    if (s->room < block->in.count) {
        s->room = block->in.count;
        s->items = arena_array(&c->arena, s->room, sizeof *s->items);
        if (!s->items)
            return false;
    }
    if (block->in.count)
        memcpy(s->items, block->in.items, block->in.count * sizeof *s->items);
    s->count = block->in.count;
    s->lanes = block->in.lanes;
    memcpy(s->with, block->in.with, sizeof s->with);
    s->now = 0;
    for (size_t i = block->first; i < block->end; i++)
        hazard_step(c, i);
    return !c->failed;
}

static void enqueue(struct hazard_checker *c, size_t b, size_t *queue, size_t head, size_t *held)
{
    if (c->blocks[b].queued)
        return;
    queue[(head + (*held)++) % c->nblocks] = b;
    c->blocks[b].queued = true;
}

/* The lanes that take an edge of a block: where its last instruction jumps in some only, the others go straight on. */
static struct hazard_lanes edge_lanes(const struct hazard_checker *c, const struct hazard_block *block, bool jump)
{
    size_t last = block->end - 1;
    struct hazard_lanes guard = hazard_guard(c, last), none = {0, 0};
    if (!leaves(&c->code->insns[last]))
        return none;
    if (jump)
        return guard;
    return c->effects[last].pred_reads >> SASS_CC & 1 ? none : (struct hazard_lanes){guard.off, guard.on};
}

static bool flow(struct hazard_checker *c)
{
    size_t *queue = arena_array(&c->arena, c->nblocks + 1, sizeof *queue), head = 0, held = 0;
    if (!queue)
        return false;
    for (size_t b = 0; b < c->nblocks; b++)
        if (c->blocks[b].entry) {
            c->blocks[b].in.reached = true;
            enqueue(c, b, queue, head, &held);
        }
    while (held) {
        struct hazard_block *block = &c->blocks[queue[head]];
        head = (head + 1) % c->nblocks;
        held--;
        block->queued = false;
        block->visits = (uint16_t)(block->visits + (block->visits < VISITS));
        if (!block_run(c, block))
            return false;
        for (unsigned i = 0; i < 2; i++)
            if (block->next[i] != SIZE_MAX &&
                state_join(c, &c->blocks[block->next[i]], edge_lanes(c, block, i == 1), i == 1))
                enqueue(c, block->next[i], queue, head, &held);
    }
    return !c->failed;
}

static bool check(struct hazard_checker *c)
{
    c->effects = arena_array(&c->arena, c->code->count, sizeof *c->effects);
    if (!c->effects)
        return false;
    for (size_t i = 0; i < c->code->count; i++)
        sass_effects(c->code, i, &c->effects[i]);
    if (!blocks_find(c) || !blocks_join(c) || !flow(c))
        return false;
    c->reporting = true;
    for (size_t b = 0; b < c->nblocks; b++)
        if (c->blocks[b].in.reached && !block_run(c, &c->blocks[b]))
            return false;
    return true;
}

unsigned sass_hazards(const struct sass_code *code, const char *name, const struct sass_lines *lines, uint32_t section,
                      struct text *report_to)
{
    struct hazard_checker c = {.code = code, .name = name, .lines = lines, .section = section, .report = report_to};
    if (code->count && !check(&c))
        report_to->failed = true;
    arena_free(&c.arena);
    return c.found;
}
