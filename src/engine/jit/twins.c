/* Twin loops: two or four warps of a block run the rounds of a loop at once. */
#include "engine/jit/twins.h"
#include "engine/jit/barriers.h"
#include "engine/jit/calm.h"
#include "engine/jit/once.h"
#include "engine/jit/rows.h"

#include <string.h>

/* Of rounds, before a warp looks for company: parking takes as long as some dozens of operations. */
enum { TWIN_ROUNDS = 16 };
/* Kernels of more instructions have more to park than loops give back. */
enum { TWIN_LARGE = 400 };
/* Warps that go around at once where four do not. */
enum { PAIR = 2 };
/* Of a kernel, at most: loops that four warps go around at once. What these weigh is taken for that of so many pairs,
 * twice of what it is. */
enum { FOURS = 2, FOUR_WEIGHT = 4 };

/* One of the warps, while code for all is emitted. */
struct side {
    struct variable *variables;
    LLVMValueRef warp, regs;
    LLVMValueRef exec, waits, turns; /* variables */
    LLVMValueRef lanes, taken, some; /* that ran the round, that go back; i1: are there any? */
};

/* ---- which loops ------------------------------------------------------------------------------------------------- */

/* Does it do nothing that can be seen from outside or has to be left? */
static bool only_computes(const struct blocks *b, uint32_t segment)
{
    const struct segment *here = &b->flow->segments[segment];
    memcpy(b->forms, flow_forms(b->flow, segment), b->flow->nslots);
    for (uint32_t i = here->first; i + 1 < here->first + here->count; i++) {
        const struct decoded *at = &b->flow->func->decoded[i];
        unsigned k;
        if (at->op >= LANE_OPS || !lane_is(at->op, LANE_PURE) ||
            (lane_is(at->op, LANE_TRAPS) && !lane_type_float(at->inst->type)) ||
            uniform_widens(b->flow, at, b->forms, &k))
            return false;
        uniform_pass(b->flow, segment, at, b->forms);
    }
    return here->count > 1;
}

static bool is_loop(const struct blocks *b, uint32_t segment)
{
    const struct segment *here = &b->flow->segments[segment];
    const struct decoded *last = &b->flow->func->decoded[here->first + here->count - 1];
    return here->loops && here->nto == 2 && !here->leaves && !here->spins && last->op == LANE_OP_bra &&
           last->guard != KERNEL_NONE && blocks_segment_of(b, last->target) == segment &&
           blocks_segment_of(b, last->next) == segment + 1 && only_computes(b, segment);
}

/* Can others see what an instruction does, or can it be that it waits for others? */
static bool is_seen(const struct decoded *at)
{
    if (at->op >= LANE_OPS)
        return false;
    if (lane_is(at->op, LANE_WAITS | LANE_YIELDS | LANE_WRITES | LANE_UPDATES))
        return true;
    bool loads = lane_is(at->op, LANE_SHARES) && at->access && at->access->order == LANE_WEAK;
    return !loads && !lane_is(at->op, LANE_PURE | LANE_WARP);
}

/* ... any but the last of a segment? If that is the interpreter's, code is left for it. */
static bool has_seen(const struct blocks *b, uint32_t segment)
{
    const struct segment *here = &b->flow->segments[segment];
    for (uint32_t i = here->first; i + 1 < here->first + here->count; i++)
        if (is_seen(&b->flow->func->decoded[i]))
            return true;
    return false;
}

/* Is what is in a slot parked, of a warp at a segment? */
static bool is_parked(const struct blocks *b, uint32_t segment, uint32_t slot)
{
    const struct flow *flow = b->flow;
    bool live = bitset_has(flow->live + (size_t)segment * flow->slot_words, slot);
    return live || (b->loops[segment] && bitset_has(flow->kept + (size_t)segment * flow->slot_words, slot));
}

/* Vectors of the host that hold what a loop uses and a warp has in vectors when it comes there. */
static unsigned vectors_of(const struct blocks *b, uint32_t segment)
{
    const struct flow *flow = b->flow;
    const struct segment *here = &flow->segments[segment];
    const uint8_t *forms = flow_forms(flow, segment);
    unsigned bits = 0;
    memset(b->live, 0, flow->slot_words * sizeof *b->live);
    for (uint32_t i = here->first; i < here->first + here->count; i++) {
        const struct decoded *at = &flow->func->decoded[i];
        for (unsigned k = 0; k < (unsigned)at->ndst + at->nsrc; k++)
            if (at->bits[k] && flow_varies(flow, at->offsets[k]))
                bitset_add(b->live, flow->slot_of[at->offsets[k] / 4]);
    }
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (bitset_has(b->live, slot) && bitset_has(flow->live + (size_t)segment * flow->slot_words, slot) &&
            forms[slot] == FORM_NONE)
            bits += flow->slot_bits[slot] * LANES;
    return bits / b->e->vector_bits;
}

/* How many warps may go around such a loop at once: half of the host's registers are for what they compute on the way.
 * *fours: loops before it that four go around. */
static uint8_t company_of(const struct blocks *b, uint32_t segment, unsigned *fours)
{
    unsigned registers = b->e->vector_bits == 512 ? 32 : 16;
    if (jit_is_large(b->flow) || *fours == FOURS || vectors_of(b, segment) * JIT_TWINS > registers / 2)
        return PAIR;
    ++*fours;
    return JIT_TWINS;
}

/* Segments that a part may come to, by some way, before it has done anything that others can see. */
static void find_ahead(const struct blocks *b)
{
    const struct flow *flow = b->flow;
    for (uint32_t s = 0; s < flow->nsegments; s++)
        b->ahead[s] = !s || barriers_begins(b, s);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t s = 0; s < flow->nsegments; s++)
            for (uint32_t i = 0; b->ahead[s] && !has_seen(b, s) && i < flow->segments[s].nto; i++) {
                again |= !b->ahead[flow->segments[s].to[i]];
                b->ahead[flow->segments[s].to[i]] = true;
            }
    }
}

static uint32_t slots_of(const struct blocks *b)
{
    return b->flow->func->constants_at / 4;
}

bool twins_find(struct blocks *b)
{
    const struct flow *flow = b->flow;
    struct arena *arena = &b->code->arena;
    b->loops = arena_array(arena, flow->nsegments + 1, sizeof *b->loops);
    b->fronts = arena_array(arena, flow->nsegments + 1, sizeof *b->fronts);
    b->ahead = arena_array(arena, flow->nsegments + 1, sizeof *b->ahead);
    b->body = arena_array(arena, flow->nsegments + 1, sizeof *b->body);
    b->seek = arena_array(arena, flow->nsegments + 1, sizeof *b->seek);
    b->twins = arena_array(arena, (size_t)(JIT_TWINS - 1) * slots_of(b) + 1, sizeof *b->twins);
    if (!b->loops || !b->fronts || !b->ahead || !b->body || !b->seek || !b->twins)
        return false;
    /* What a warp has counted when it looks at a clock would be that of both. Vectors of 128 bits do not wait for each
     * other: a warp has 8 of them for each register, and the registers of two are too many for the host (docs/jit.md).
     */
    if (flow->func->ndecoded > TWIN_LARGE || blocks_stacked(b) || flow->many || b->clocks || b->e->vector_bits < 256)
        return true;
    find_ahead(b);
    unsigned fours = 0;
    for (uint32_t s = 0; s < flow->nsegments; s++) {
        b->loops[s] = b->ahead[s] && is_loop(b, s) ? company_of(b, s, &fours) : 0;
        b->has_loops |= b->loops[s] != 0;
    }
    for (uint32_t s = 0; s < flow->nsegments && b->has_loops; s++)
        b->fronts[s] = b->ahead[s] && has_seen(b, s);
    return true;
}

bool twins_is(const struct blocks *b, uint32_t segment)
{
    return b->loops[segment];
}

/* ---- what is parked ---------------------------------------------------------------------------------------------- */

#define TWIN(field) (offsetof(struct jit_call, twins) + offsetof(struct jit_twin, field))

static LLVMValueRef get(struct emit *e, size_t offset, LLVMTypeRef type)
{
    return emit_field(e, e->call, offset, type);
}

static void put(struct emit *e, size_t offset, LLVMValueRef value)
{
    emit_set_field(e, e->call, offset, value);
}

/* Add TWIN to get at what twins[k] has. */
static LLVMValueRef twin_at(struct emit *e, LLVMValueRef k)
{
    return emit_at(e, e->call, LL(BuildMul, k, emit_const(e, 32, sizeof(struct jit_twin))));
}

static LLVMValueRef head(struct emit *e)
{
    return get(e, offsetof(struct jit_call, head), e->i32);
}

static LLVMValueRef count_parked(struct emit *e)
{
    return get(e, offsetof(struct jit_call, ntwins), e->i32);
}

static void set_parked(struct emit *e, LLVMValueRef count)
{
    put(e, offsetof(struct jit_call, ntwins), count);
}

static LLVMValueRef is_zero(struct emit *e, LLVMValueRef word)
{
    return LL(BuildICmp, LLVMIntEQ, word, emit_const(e, 32, 0));
}

/* The first that is parked goes on where it is; the next is the first then. */
static void emit_pop(struct blocks *b)
{
    struct emit *e = b->e;
    LLVMValueRef first = head(e), at = twin_at(e, first);
    for (size_t k = 0; k < sizeof(struct jit_twin); k += 8)
        put(e, offsetof(struct jit_call, resumed) + k, emit_field(e, at, TWIN(warp) + k, e->i64));
    put(e, offsetof(struct jit_call, head), LL(BuildAdd, first, emit_const(e, 32, 1)));
    set_parked(e, LL(BuildSub, count_parked(e), emit_const(e, 32, 1)));
    blocks_set(b, b->early, emit_const(e, 1, 0));
    size_t resumed = offsetof(struct jit_call, resumed);
    blocks_set(b, b->parts.at, get(e, resumed + offsetof(struct jit_twin, warp), e->ptr));
    LLVMValueRef segment = get(e, resumed + offsetof(struct jit_twin, segment), e->i32);
    blocks_set(b, b->resume, LL(BuildAdd, segment, emit_const(e, 32, 1)));
    emit_jump(e, b->parts.warp);
}

void twins_open(struct blocks *b)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef here = e->llvm->GetInsertBlock(e->builder);
    emit_begin(e, b->parts.next);
    if (b->has_loops) {
        LLVMBasicBlockRef pop = emit_block(e, "pop");
        b->mark = emit_variable(e, e->i32, 0);
        b->resume = e->llvm->BuildAlloca(e->entry_builder, e->i32, "");
        b->early = e->llvm->BuildAlloca(e->entry_builder, e->i1, "");
        e->llvm->BuildStore(e->entry_builder, emit_const(e, 32, 0), b->resume);
        e->llvm->BuildStore(e->entry_builder, emit_const(e, 1, 0), b->early);
        emit_branch(e, is_zero(e, count_parked(e)), b->parts.fresh, pop, false);
        emit_begin(e, pop);
        emit_pop(b);
    } else {
        emit_jump(e, b->parts.fresh);
    }
    emit_begin(e, here);
}

static bool is_resumed(const struct blocks *b, uint32_t segment)
{
    return b->loops[segment] || b->fronts[segment] || (segment && b->loops[segment - 1]);
}

static void resume_at(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct flow *flow = b->flow;
    size_t resumed = offsetof(struct jit_call, resumed);
    e->segment = segment;
    e->forms = flow_forms(flow, segment);
    blocks_set(b, b->resume, blocks_zero(b));
    blocks_set(b, b->exec, get(e, resumed + offsetof(struct jit_twin, exec), e->i32));
    blocks_set(b, b->turns, get(e, resumed + offsetof(struct jit_twin, turns), e->i32));
    if (b->loops[segment])
        blocks_set(b, blocks_waiting_at(b, segment + 1), get(e, resumed + offsetof(struct jit_twin, waits), e->i32));
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (is_parked(b, segment, slot))
            emit_fill(e, flow->slots[slot], flow->slot_bits[slot], emit_const(e, 32, ALL_LANES));
    e->forms = b->forms;
    emit_jump(e, b->start[segment]);
}

void twins_resume(struct blocks *b)
{
    struct emit *e = b->e;
    if (!b->has_loops)
        return;
    LLVMBasicBlockRef begins = emit_block(e, "");
    LLVMValueRef choose = e->llvm->BuildSwitch(e->builder, blocks_get(b, b->resume, e->i32), begins, 4);
    for (uint32_t s = 0; s < b->flow->nsegments; s++)
        if (b->start[s] && is_resumed(b, s)) {
            LLVMBasicBlockRef here = emit_block(e, "");
            e->llvm->AddCase(choose, emit_const(e, 32, s + 1), here);
            emit_begin(e, here);
            resume_at(b, s);
        }
    emit_begin(e, begins);
}

/* ---- all at once ------------------------------------------------------------------------------------------------- */

/* What is emitted now is of that warp. What was at hand is kept in the other. */
static void swap_sides(struct emit *e, struct side *with)
{
    struct variable *variables = e->variables;
    LLVMValueRef warp = e->warp, regs = e->regs;
    e->variables = with->variables;
    e->warp = with->warp;
    e->regs = with->regs;
    with->variables = variables;
    with->warp = warp;
    with->regs = regs;
}

/* Registers of a warp at a segment, or `beyond`, where it is a loop, at the next, go to its frame. */
static void park(struct blocks *b, uint32_t segment, bool beyond)
{
    struct emit *e = b->e;
    const struct flow *flow = b->flow;
    for (uint32_t slot = 0; slot < flow->nslots; slot++) {
        bool here = is_parked(b, segment, slot);
        if (!here && !(beyond && is_parked(b, segment + 1, slot)))
            continue;
        e->forms = flow_forms(flow, here ? segment : segment + 1);
        emit_park(e, flow->slots[slot], flow->slot_bits[slot]);
    }
    e->forms = b->forms;
}

/* The warp at hand is parked as twins[k]. */
static void note(struct blocks *b, LLVMValueRef k, LLVMValueRef segment, LLVMValueRef exec, LLVMValueRef waits,
                 LLVMValueRef turns)
{
    struct emit *e = b->e;
    LLVMValueRef at = twin_at(e, k);
    emit_set_field(e, at, TWIN(warp), e->warp);
    emit_set_field(e, at, TWIN(segment), segment);
    emit_set_field(e, at, TWIN(exec), exec);
    emit_set_field(e, at, TWIN(waits), waits);
    emit_set_field(e, at, TWIN(turns), turns);
}

/* The registers of twins[k] become variables beside those of the warp that runs: the n-th of the others. */
static void begin_twin(struct blocks *b, unsigned n, LLVMValueRef k, struct side *twin)
{
    struct emit *e = b->e;
    const struct flow *flow = b->flow;
    uint32_t slots = slots_of(b);
    *twin = (struct side){.variables = b->twins + (size_t)n * slots,
                          .exec = emit_variable(e, e->i32, 0),
                          .waits = emit_variable(e, e->i32, 0),
                          .turns = emit_variable(e, e->i32, 0)};
    for (uint32_t i = 0; i < slots; i++)
        twin->variables[i] = (struct variable){.loose = e->variables[i].loose};
    LLVMValueRef at = twin_at(e, k);
    twin->warp = emit_field(e, at, TWIN(warp), e->ptr);
    twin->regs = emit_field(e, twin->warp, offsetof(struct warp, frame.regs), e->ptr);
    blocks_set(b, twin->exec, emit_field(e, at, TWIN(exec), e->i32));
    blocks_set(b, twin->waits, emit_field(e, at, TWIN(waits), e->i32));
    blocks_set(b, twin->turns, emit_field(e, at, TWIN(turns), e->i32));
    swap_sides(e, twin);
    e->forms = flow_forms(flow, e->segment);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (is_parked(b, e->segment, slot))
            emit_fill(e, flow->slots[slot], flow->slot_bits[slot], emit_const(e, 32, ALL_LANES));
    e->forms = b->forms;
    swap_sides(e, twin);
}

/* The end of a side's round. */
static void end_round(struct blocks *b, const struct decoded *last, bool parts, struct side *side)
{
    struct emit *e = b->e;
    LLVMValueRef all = parts ? NULL : emit_guard_once(e, last);
    once_settle(e);
    blocks_account(b, last);
    side->taken = emit_guarded(e, last, e->exec);
    side->some = all ? all : blocks_some(b, side->taken);
}

/* Lanes of a side that leave the loop wait beyond it. */
static void part_side(struct blocks *b, struct side *side)
{
    struct emit *e = b->e;
    LLVMValueRef stay = LL(BuildAnd, side->lanes, LL(BuildNot, side->taken));
    blocks_set(b, side->exec, side->taken);
    blocks_set(b, side->waits, LL(BuildOr, blocks_get(b, side->waits, e->i32), stay));
    blocks_divergence(b, side->taken, stay);
}

/* A round of all: instruction by instruction. */
static void emit_round(struct blocks *b, uint32_t segment, struct side *sides, unsigned count)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    memcpy(b->forms, flow_forms(b->flow, segment), b->flow->nslots);
    for (unsigned k = 0; k < count; k++)
        sides[k].lanes = blocks_get(b, sides[k].exec, e->i32);
    for (uint32_t i = here->first; i < here->first + here->count; i++) {
        bool last = i + 1 == here->first + here->count;
        for (unsigned k = 0; k < count; k++) {
            swap_sides(e, &sides[k]);
            e->exec = sides[k].lanes;
            if (last)
                end_round(b, &b->flow->func->decoded[i], here->parts, &sides[k]);
            else
                blocks_instruction(b, segment, i);
            swap_sides(e, &sides[k]);
        }
        if (!last)
            uniform_pass(b->flow, segment, &b->flow->func->decoded[i], b->forms);
    }
}

/* Behind the last round: a side is parked as twins[k]. `used`: of its turns. */
static void park_side(struct blocks *b, uint32_t segment, struct side *side, LLVMValueRef k, LLVMValueRef used)
{
    struct emit *e = b->e;
    LLVMValueRef stay = LL(BuildAnd, side->lanes, LL(BuildNot, side->taken));
    LLVMValueRef waits = LL(BuildOr, blocks_get(b, side->waits, e->i32), stay);
    LLVMValueRef turns = LL(BuildSub, blocks_get(b, side->turns, e->i32), used);
    LLVMValueRef done = is_zero(e, side->taken);
    LLVMValueRef where = LL(BuildSelect, done, emit_const(e, 32, segment + 1), emit_const(e, 32, segment));
    swap_sides(e, side);
    note(b, k, where, LL(BuildSelect, done, waits, side->taken), LL(BuildSelect, done, blocks_zero(b), waits),
         LL(BuildAdd, turns, LL(BuildZExt, done, e->i32)));
    park(b, segment, true);
    swap_sides(e, side);
}

/* The fewest turns that the warp at hand and others that are parked, `count` in all, have left. */
static LLVMValueRef least_turns(struct blocks *b, LLVMValueRef first, unsigned count)
{
    struct emit *e = b->e;
    LLVMValueRef least = blocks_get(b, b->turns, e->i32);
    for (unsigned n = 0; n + 1 < count; n++) {
        LLVMValueRef at = twin_at(e, LL(BuildAdd, first, emit_const(e, 32, n)));
        LLVMValueRef args[] = {least, emit_field(e, at, TWIN(turns), e->i32)};
        least = emit_intrinsic(e, "llvm.smin", e->i32, args, 2);
    }
    return least;
}

/* Do all sides have the lanes that they had? i1. */
static LLVMValueRef none_part(struct blocks *b, const struct side *sides, unsigned count)
{
    struct emit *e = b->e;
    LLVMValueRef differ = blocks_zero(b);
    for (unsigned k = 0; k < count; k++)
        differ = LL(BuildOr, differ, LL(BuildXor, sides[k].lanes, sides[k].taken));
    return is_zero(e, differ);
}

/* Do all sides go back? i1. */
static LLVMValueRef all_go_on(struct emit *e, const struct side *sides, unsigned count)
{
    LLVMValueRef all = sides[0].some;
    for (unsigned k = 1; k < count; k++)
        all = LL(BuildAnd, all, sides[k].some);
    return all;
}

/* The warp at hand and those that are parked at the loop from twins[first] on, `count` in all, go on. `left`: turns
 * that all of them have. */
static void emit_company(struct blocks *b, uint32_t segment, LLVMValueRef first, unsigned count, LLVMValueRef left)
{
    struct emit *e = b->e;
    struct side sides[JIT_TWINS], *here = &sides[count - 1];
    LLVMBasicBlockRef round = emit_block(e, "twins"), over = emit_block(e, "parted");
    LLVMValueRef rest = emit_variable(e, e->i32, 0);
    for (unsigned n = 0; n + 1 < count; n++)
        begin_twin(b, n, LL(BuildAdd, first, emit_const(e, 32, n)), &sides[n]);
    *here = (struct side){.variables = e->variables,
                          .warp = e->warp,
                          .regs = e->regs,
                          .exec = b->exec,
                          .turns = b->turns,
                          .waits = blocks_waiting_at(b, segment + 1)};
    blocks_set(b, rest, left);
    emit_jump(e, round);
    emit_begin(e, round);
    emit_round(b, segment, sides, count);
    LLVMValueRef now = LL(BuildSub, blocks_get(b, rest, e->i32), emit_const(e, 32, 1));
    blocks_set(b, rest, now);
    LLVMValueRef more = LL(BuildNot, is_zero(e, now));
    if (calm_is(b, segment)) {
        LLVMBasicBlockRef again = emit_block(e, ""), here_now = e->llvm->GetInsertBlock(e->builder);
        emit_begin(e, again);
        emit_branch(e, more, round, over, true);
        emit_begin(e, here_now);
        calm_end(b, none_part(b, sides, count), again);
    }
    for (unsigned k = 0; k < count && b->flow->segments[segment].parts; k++)
        part_side(b, &sides[k]);
    emit_branch(e, LL(BuildAnd, all_go_on(e, sides, count), more), round, over, true);
    emit_begin(e, over);
    LLVMValueRef used = LL(BuildSub, left, now);
    for (unsigned n = 0; n + 1 < count; n++)
        park_side(b, segment, &sides[n], LL(BuildAdd, first, emit_const(e, 32, n)), used);
    /* The one at hand is behind them, if it is early; else it has come here again, from twins[first - 1]. */
    LLVMValueRef early = blocks_get(b, b->early, e->i1);
    LLVMValueRef before = LL(BuildSub, first, emit_const(e, 32, 1));
    LLVMValueRef behind = LL(BuildAdd, first, emit_const(e, 32, count - 1));
    park_side(b, segment, here, LL(BuildSelect, early, behind, before), used);
    put(e, offsetof(struct jit_call, head), LL(BuildSelect, early, head(e), before));
    set_parked(e, LL(BuildAdd, count_parked(e), emit_const(e, 32, 1)));
    emit_jump(e, b->parts.next);
}

/* ---- company ----------------------------------------------------------------------------------------------------- */

/* i1: does the call run the whole block, and are all lanes of the warp here or beyond the loop? */
static LLVMValueRef may_park(struct blocks *b, LLVMValueRef waits)
{
    struct emit *e = b->e;
    LLVMValueRef block = LL(BuildICmp, LLVMIntSGE, parts_entry(e, &b->parts), blocks_zero(b));
    LLVMValueRef live = emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    return LL(BuildAnd, block, LL(BuildICmp, LLVMIntEQ, live, LL(BuildOr, e->exec, waits)));
}

/* Parked until the warp that begins now, or one behind it, comes here, or is parked elsewhere, or ends. */
static void hold(struct blocks *b, uint32_t segment, LLVMValueRef count)
{
    struct emit *e = b->e;
    LLVMValueRef waits = blocks_get(b, blocks_waiting_at(b, segment + 1), e->i32);
    note(b, count, emit_const(e, 32, segment), e->exec, waits, blocks_get(b, b->turns, e->i32));
    park(b, segment, false);
    put(e, offsetof(struct jit_call, head), blocks_zero(b)); /* as it is where others are parked: this one is early */
    set_parked(e, LL(BuildAdd, count, emit_const(e, 32, 1)));
    blocks_set(b, b->early, emit_const(e, 1, 1));
    emit_jump(e, b->parts.fresh);
}

/* ... with those from twins[first] on, if all have turns left; alone else. */
static void meet(struct blocks *b, uint32_t segment, LLVMValueRef first, unsigned count)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef all = emit_block(e, "");
    LLVMValueRef left = least_turns(b, first, count);
    emit_branch(e, LL(BuildICmp, LLVMIntSGT, left, blocks_zero(b)), all, b->body[segment], true);
    emit_begin(e, all);
    emit_company(b, segment, first, count, left);
}

/* Where `count` others are parked, all at this loop if this one is early: it is parked, too, while others are yet to
 * begin, and all go on as soon as there are four. A pair goes on otherwise. */
static void gather(struct blocks *b, uint32_t segment, LLVMValueRef count, LLVMBasicBlockRef held,
                   LLVMBasicBlockRef pair)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef early = emit_block(e, ""), fewer = emit_block(e, ""), enough = emit_block(e, "");
    emit_branch(e, blocks_get(b, b->early, e->i1), early, pair, true);
    emit_begin(e, early);
    LLVMValueRef others = emit_const(e, 32, JIT_TWINS - 1);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, count, others), enough, fewer, true);
    emit_begin(e, fewer);
    emit_branch(e, parts_follows(e, &b->parts), held, pair, true);
    emit_begin(e, enough);
    meet(b, segment, blocks_zero(b), JIT_TWINS);
}

/* Goes on with others that are parked at the loop, `next` the nearest of them. Four do so only where that is not much
 * code: no kernel is left to the interpreter for it. */
static void join(struct blocks *b, uint32_t segment, LLVMValueRef count, LLVMValueRef next, LLVMBasicBlockRef held)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef here = e->llvm->GetInsertBlock(e->builder), pair = emit_block(e, "");
    bool may = b->loops[segment] > PAIR;
    uint64_t before = may ? emit_weight(e) : 0;
    emit_begin(e, pair);
    meet(b, segment, next, PAIR);
    uint64_t weight = may ? emit_weight(e) - before : 0;
    emit_begin(e, here);
    if (may && before + FOUR_WEIGHT * weight <= JIT_WEIGHT / 2)
        gather(b, segment, count, held, pair);
    else
        emit_jump(e, pair);
}

/* A warp has gone around often enough. */
static void seek(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef alone = b->body[segment], on = emit_block(e, ""), none = emit_block(e, ""),
                      held = emit_block(e, "hold"), some = emit_block(e, ""), here = emit_block(e, "");
    LLVMValueRef waits = blocks_get(b, blocks_waiting_at(b, segment + 1), e->i32);
    e->exec = blocks_get(b, b->exec, e->i32);
    blocks_set(b, b->mark, blocks_zero(b));
    emit_branch(e, may_park(b, waits), on, alone, true);
    emit_begin(e, on);
    LLVMValueRef count = count_parked(e);
    emit_branch(e, is_zero(e, count), none, some, false);
    emit_begin(e, none);
    emit_branch(e, parts_follows(e, &b->parts), held, alone, false);
    emit_begin(e, held);
    hold(b, segment, count);
    emit_begin(e, some);
    LLVMValueRef last = LL(BuildSub, count, emit_const(e, 32, 1));
    LLVMValueRef next = LL(BuildSelect, blocks_get(b, b->early, e->i1), last, head(e));
    LLVMValueRef where = emit_field(e, twin_at(e, next), TWIN(segment), e->i32);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, where, emit_const(e, 32, segment)), here, alone, true);
    emit_begin(e, here);
    join(b, segment, count, next, held);
}

static void arrive(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    b->body[segment] = emit_block(e, "");
    LLVMValueRef turns = blocks_get(b, b->turns, e->i32);
    LLVMValueRef args[] = {LL(BuildSub, turns, emit_const(e, 32, TWIN_ROUNDS)), blocks_zero(b)};
    blocks_set(b, b->mark, emit_intrinsic(e, "llvm.smax", e->i32, args, 2));
    emit_jump(e, b->body[segment]);
    emit_begin(e, b->body[segment]);
}

/* A warp that is early is parked, if no lanes of it wait elsewhere. */
static void front(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef early = emit_block(e, "early"), all = emit_block(e, ""), some = emit_block(e, ""),
                      on = emit_block(e, "");
    emit_branch(e, blocks_get(b, b->early, e->i1), early, on, false);
    emit_begin(e, early);
    e->exec = blocks_get(b, b->exec, e->i32);
    LLVMValueRef live = emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, live, e->exec), all, some, true);
    emit_begin(e, all);
    LLVMValueRef count = count_parked(e);
    note(b, count, emit_const(e, 32, segment), e->exec, blocks_zero(b), blocks_get(b, b->turns, e->i32));
    park(b, segment, false);
    set_parked(e, LL(BuildAdd, count, emit_const(e, 32, 1)));
    emit_jump(e, b->parts.next);
    emit_begin(e, some);
    blocks_leave(b, JIT_TURN, segment, b->flow->segments[segment].first);
    emit_begin(e, on);
}

void twins_begin(struct blocks *b, uint32_t segment)
{
    if (!b->has_loops)
        return;
    if (b->fronts[segment])
        front(b, segment);
    else if (b->ahead[segment])
        b->e->early_of = b;
    if (b->loops[segment])
        arrive(b, segment);
}

void twins_step(struct emit *e, const struct decoded *at)
{
    struct blocks *b = e->early_of;
    if (!b)
        return;
    LLVMBasicBlockRef early = emit_block(e, "early"), on = emit_block(e, "");
    emit_branch(e, blocks_get(b, b->early, e->i1), early, on, false);
    emit_begin(e, early);
    blocks_leave(b, JIT_STEP, e->segment, (uint32_t)(at - e->func->decoded));
    emit_begin(e, on);
}

LLVMBasicBlockRef twins_turn(struct blocks *b, uint32_t segment, LLVMBasicBlockRef none, LLVMValueRef *least)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef here = e->llvm->GetInsertBlock(e->builder), few = emit_block(e, "");
    *least = blocks_get(b, b->mark, e->i32);
    if (!b->seek[segment])
        b->seek[segment] = emit_block(e, "seek");
    emit_begin(e, few);
    emit_branch(e, LL(BuildICmp, LLVMIntSGE, blocks_get(b, b->turns, e->i32), blocks_zero(b)), b->seek[segment], none,
                false);
    emit_begin(e, here);
    return few;
}

void twins_close(struct blocks *b)
{
    for (uint32_t s = 0; s < b->flow->nsegments; s++)
        if (b->has_loops && b->seek[s]) {
            emit_begin(b->e, b->seek[s]);
            b->e->segment = s;
            seek(b, s);
        }
}
