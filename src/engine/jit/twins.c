/* Twin loops: two warps of a block run the rounds of a loop at once. */
#include "engine/jit/twins.h"
#include "engine/jit/barriers.h"
#include "engine/jit/once.h"
#include "engine/jit/rows.h"

#include <string.h>

/* Of rounds, before a warp looks for company: parking takes as long as some dozens of operations. */
enum { TWIN_ROUNDS = 16 };
/* Kernels of more instructions have more to park than loops give back. */
enum { TWIN_LARGE = 400 };

/* One of the two, while code for both is emitted. */
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

bool twins_find(struct blocks *b)
{
    const struct flow *flow = b->flow;
    struct arena *arena = &b->code->arena;
    b->loops = arena_array(arena, flow->nsegments + 1, sizeof *b->loops);
    b->fronts = arena_array(arena, flow->nsegments + 1, sizeof *b->fronts);
    b->ahead = arena_array(arena, flow->nsegments + 1, sizeof *b->ahead);
    b->body = arena_array(arena, flow->nsegments + 1, sizeof *b->body);
    b->seek = arena_array(arena, flow->nsegments + 1, sizeof *b->seek);
    b->twins = arena_array(arena, b->flow->func->constants_at / 4 + 1, sizeof *b->twins);
    if (!b->loops || !b->fronts || !b->ahead || !b->body || !b->seek || !b->twins)
        return false;
    /* What a warp has counted when it looks at a clock would be that of both. Vectors of 128 bits do not wait for each
     * other: a warp has 8 of them for each register, and the registers of two are too many for the host (docs/jit.md).
     */
    if (flow->func->ndecoded > TWIN_LARGE || blocks_stacked(b) || flow->many || b->clocks || b->e->vector_bits < 256)
        return true;
    find_ahead(b);
    for (uint32_t s = 0; s < flow->nsegments; s++) {
        b->loops[s] = b->ahead[s] && is_loop(b, s);
        b->has_loops |= b->loops[s];
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

#define TWIN(k, field) \
    (offsetof(struct jit_call, twins) + (k) * sizeof(struct jit_twin) + offsetof(struct jit_twin, field))

static LLVMValueRef get(struct emit *e, size_t offset, LLVMTypeRef type)
{
    return emit_field(e, e->call, offset, type);
}

static void put(struct emit *e, size_t offset, LLVMValueRef value)
{
    emit_set_field(e, e->call, offset, value);
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

/* The first that is parked goes on where it is; the other is the first then. */
static void emit_pop(struct blocks *b)
{
    struct emit *e = b->e;
    for (size_t k = 0; k < sizeof(struct jit_twin); k += 8) {
        put(e, offsetof(struct jit_call, resumed) + k, get(e, offsetof(struct jit_call, twins) + k, e->i64));
        put(e, offsetof(struct jit_call, twins) + k, get(e, TWIN(1, warp) + k, e->i64));
    }
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

/* Is what is in a slot parked, of a warp at a segment? */
static bool is_parked(const struct blocks *b, uint32_t segment, uint32_t slot)
{
    const struct flow *flow = b->flow;
    bool live = flow_in(flow->live + (size_t)segment * flow->slot_words, slot);
    return live || (b->loops[segment] && flow_in(flow->kept + (size_t)segment * flow->slot_words, slot));
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

/* ---- both at once ------------------------------------------------------------------------------------------------ */

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

/* The warp at hand is parked as number k. */
static void note(struct blocks *b, LLVMValueRef k, LLVMValueRef segment, LLVMValueRef exec, LLVMValueRef waits,
                 LLVMValueRef turns)
{
    struct emit *e = b->e;
    LLVMValueRef at = emit_at(e, e->call, LL(BuildMul, k, emit_const(e, 32, sizeof(struct jit_twin))));
    emit_set_field(e, at, TWIN(0, warp), e->warp);
    emit_set_field(e, at, TWIN(0, segment), segment);
    emit_set_field(e, at, TWIN(0, exec), exec);
    emit_set_field(e, at, TWIN(0, waits), waits);
    emit_set_field(e, at, TWIN(0, turns), turns);
    set_parked(e, LL(BuildAdd, k, emit_const(e, 32, 1)));
}

/* The parked warp's registers become variables beside those of the one that runs. */
static void begin_twin(struct blocks *b, struct side *twin)
{
    struct emit *e = b->e;
    const struct flow *flow = b->flow;
    uint32_t slots = flow->func->constants_at / 4;
    for (uint32_t i = 0; i < slots; i++)
        b->twins[i] = (struct variable){.loose = e->variables[i].loose};
    *twin = (struct side){.variables = b->twins,
                          .exec = emit_variable(e, e->i32, 0),
                          .waits = emit_variable(e, e->i32, 0),
                          .turns = emit_variable(e, e->i32, 0)};
    twin->warp = get(e, TWIN(0, warp), e->ptr);
    twin->regs = emit_field(e, twin->warp, offsetof(struct warp, frame.regs), e->ptr);
    blocks_set(b, twin->exec, get(e, TWIN(0, exec), e->i32));
    blocks_set(b, twin->waits, get(e, TWIN(0, waits), e->i32));
    blocks_set(b, twin->turns, get(e, TWIN(0, turns), e->i32));
    swap_sides(e, twin);
    e->forms = flow_forms(flow, e->segment);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (is_parked(b, e->segment, slot))
            emit_fill(e, flow->slots[slot], flow->slot_bits[slot], emit_const(e, 32, ALL_LANES));
    e->forms = b->forms;
    swap_sides(e, twin);
}

/* The end of a side's round. `parts`: lanes that leave the loop wait beyond it; otherwise all leave or none. */
static void end_round(struct blocks *b, const struct decoded *last, bool parts, struct side *side)
{
    struct emit *e = b->e;
    LLVMValueRef all = parts ? NULL : emit_guard_once(e, last);
    once_settle(e);
    blocks_account(b, last);
    side->taken = emit_guarded(e, last, e->exec);
    side->some = all ? all : blocks_some(b, side->taken);
    if (!parts)
        return;
    LLVMValueRef stay = LL(BuildAnd, side->lanes, LL(BuildNot, side->taken));
    blocks_set(b, side->exec, side->taken);
    blocks_set(b, side->waits, LL(BuildOr, blocks_get(b, side->waits, e->i32), stay));
    blocks_divergence(b, side->taken, stay);
}

/* A round of both: instruction by instruction. */
static void emit_round(struct blocks *b, uint32_t segment, struct side *both[2])
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    memcpy(b->forms, flow_forms(b->flow, segment), b->flow->nslots);
    for (unsigned k = 0; k < 2; k++)
        both[k]->lanes = blocks_get(b, both[k]->exec, e->i32);
    for (uint32_t i = here->first; i < here->first + here->count; i++) {
        bool last = i + 1 == here->first + here->count;
        for (unsigned k = 0; k < 2; k++) {
            swap_sides(e, both[k]);
            e->exec = both[k]->lanes;
            if (last)
                end_round(b, &b->flow->func->decoded[i], here->parts, both[k]);
            else
                blocks_instruction(b, segment, i);
            swap_sides(e, both[k]);
        }
        if (!last)
            uniform_pass(b->flow, segment, &b->flow->func->decoded[i], b->forms);
    }
}

/* Behind the last round: a side is parked as number k. `used`: of its turns. */
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

/* The warp at hand and the one that is parked at the loop go on. `left`: turns that both have. */
static void emit_both(struct blocks *b, uint32_t segment, LLVMValueRef left)
{
    struct emit *e = b->e;
    struct side twin, here = {.variables = e->variables,
                              .warp = e->warp,
                              .regs = e->regs,
                              .exec = b->exec,
                              .turns = b->turns,
                              .waits = blocks_waiting_at(b, segment + 1)};
    struct side *both[] = {&twin, &here};
    LLVMBasicBlockRef round = emit_block(e, "twins"), over = emit_block(e, "parted");
    LLVMValueRef rest = emit_variable(e, e->i32, 0);
    begin_twin(b, &twin);
    blocks_set(b, rest, left);
    emit_jump(e, round);
    emit_begin(e, round);
    emit_round(b, segment, both);
    LLVMValueRef now = LL(BuildSub, blocks_get(b, rest, e->i32), emit_const(e, 32, 1));
    blocks_set(b, rest, now);
    LLVMValueRef on = LL(BuildAnd, LL(BuildAnd, twin.some, here.some), LL(BuildNot, is_zero(e, now)));
    emit_branch(e, on, round, over, true);
    emit_begin(e, over);
    /* The one at hand is the second, if it is early; else it has come here again, and the other is the second. */
    LLVMValueRef second = LL(BuildZExt, blocks_get(b, b->early, e->i1), e->i32);
    park_side(b, segment, &twin, LL(BuildXor, second, emit_const(e, 32, 1)), LL(BuildSub, left, now));
    park_side(b, segment, &here, second, LL(BuildSub, left, now));
    set_parked(e, emit_const(e, 32, 2));
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

/* Parked until the warp that begins now comes here, or ends. */
static void hold(struct blocks *b, uint32_t segment, LLVMValueRef waits, LLVMValueRef turns)
{
    struct emit *e = b->e;
    note(b, blocks_zero(b), emit_const(e, 32, segment), e->exec, waits, turns);
    park(b, segment, false);
    blocks_set(b, b->early, emit_const(e, 1, 1));
    emit_jump(e, b->parts.fresh);
}

/* A warp has gone around often enough. */
static void seek(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef alone = b->body[segment], on = emit_block(e, ""), first = emit_block(e, ""),
                      held = emit_block(e, "hold"), second = emit_block(e, ""), meet = emit_block(e, ""),
                      both = emit_block(e, "");
    LLVMValueRef waits = blocks_get(b, blocks_waiting_at(b, segment + 1), e->i32);
    LLVMValueRef turns = blocks_get(b, b->turns, e->i32);
    e->exec = blocks_get(b, b->exec, e->i32);
    blocks_set(b, b->mark, blocks_zero(b));
    emit_branch(e, may_park(b, waits), on, alone, true);
    emit_begin(e, on);
    emit_branch(e, is_zero(e, count_parked(e)), first, second, false);
    emit_begin(e, first);
    emit_branch(e, parts_follows(e, &b->parts), held, alone, false);
    emit_begin(e, held);
    hold(b, segment, waits, turns);
    emit_begin(e, second);
    LLVMValueRef where = get(e, TWIN(0, segment), e->i32);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, where, emit_const(e, 32, segment)), meet, alone, true);
    emit_begin(e, meet);
    LLVMValueRef others = get(e, TWIN(0, turns), e->i32);
    LLVMValueRef left = LL(BuildSelect, LL(BuildICmp, LLVMIntSLT, turns, others), turns, others);
    emit_branch(e, LL(BuildICmp, LLVMIntSGT, left, blocks_zero(b)), both, alone, true);
    emit_begin(e, both);
    emit_both(b, segment, left);
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
    note(b, emit_const(e, 32, 1), emit_const(e, 32, segment), e->exec, blocks_zero(b), blocks_get(b, b->turns, e->i32));
    park(b, segment, false);
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
