/* Control flow of a compiled kernel: which segment runs next, entries, exits. The rules are warp/flow.c's: the lanes at
 * the lowest segment run, those that reach others there take them along.
 *
 * A variable for each segment at which lanes may wait holds these lanes. At the end of a segment the candidates are
 * where it leads and where others may wait (flow.h); the first of them that has lanes is next:
 *
 *   lanes(1) |= exec & p; lanes(3) |= exec & ~p;
 *   if (lanes(1)) { exec = lanes(1); lanes(1) = 0; goto 1; }     and so on; the last needs no test
 */
#include "engine/jit/blocks.h"
#include "engine/jit/barriers.h"
#include "engine/jit/calm.h"
#include "engine/jit/casloop.h"
#include "engine/jit/dispatch.h"
#include "engine/jit/entries.h"
#include "engine/jit/gate.h"
#include "engine/jit/idle.h"
#include "engine/jit/once.h"
#include "engine/jit/reduce.h"
#include "engine/jit/rows.h"
#include "engine/jit/twins.h"
#include "lane/form.h"

#include <assert.h>
#include <string.h>

/* Of a round that may wait for others. The interpreter counts the branches within a round, and rounds of compiled code
 * are short. */
enum { SPIN_TURNS = HARD(16, 1) };

/* Where a segment may lead: a segment, and the lanes that go there. */
struct way {
    uint32_t to;
    LLVMValueRef lanes;
};

/* Of the whole call. */
static LLVMValueRef new_counter(struct blocks *b)
{
    struct emit *e = b->e;
    LLVMValueRef at =
        b->flow->many || e->tight ? dispatch_counter(b) : e->llvm->BuildAlloca(e->entry_builder, e->i64, "");
    e->llvm->BuildStore(e->entry_builder, emit_const(e, 64, 0), at);
    return at;
}

LLVMValueRef blocks_waiting_at(struct blocks *b, uint32_t segment)
{
    if (!b->waiting[segment])
        b->waiting[segment] = b->flow->many ? dispatch_place(b, segment) : emit_variable(b->e, b->e->i32, 0);
    return b->waiting[segment];
}

static LLVMValueRef waiting(struct blocks *b, uint32_t segment)
{
    return blocks_get(b, blocks_waiting_at(b, segment), b->e->i32);
}

/* ---- leaving ----------------------------------------------------------------------------------------------------- */

static void flush_counter(struct blocks *b, size_t field, LLVMValueRef counter)
{
    struct emit *e = b->e;
    LLVMValueRef sum = LL(BuildAdd, emit_field(e, e->warp, field, e->i64), blocks_get(b, counter, e->i64));
    emit_set_field(e, e->warp, field, sum);
    blocks_set(b, counter, emit_const(e, 64, 0));
}

void blocks_flush(struct blocks *b)
{
    flush_counter(b, offsetof(struct warp, instructions), b->instructions);
    flush_counter(b, offsetof(struct warp, lane_instructions), b->lane_instructions);
    flush_counter(b, offsetof(struct warp, divergent), b->divergent);
    for (unsigned i = 0; i < b->e->ncounters; i++)
        flush_counter(b, b->e->counters[i].offset, b->e->counters[i].at);
}

/* Ends the function. All do so at one place: it is much code for what is done once. */
static void give_back(struct blocks *b, uint32_t how)
{
    blocks_set(b, b->how, emit_const(b->e, 32, how));
    emit_jump(b->e, b->out);
}

static void emit_out(struct blocks *b)
{
    struct emit *e = b->e;
    emit_begin(e, b->out);
    e->warp = parts_warp(e, &b->parts);
    blocks_flush(b);
    emit_set_field(e, e->warp, offsetof(struct warp, turns), blocks_get(b, b->turns, e->i32));
    parts_tell(e, &b->parts);
    emit_clear_upper(e);
    e->llvm->BuildRet(e->builder, blocks_get(b, b->how, e->i32));
}

uint32_t blocks_exit(struct blocks *b, struct jit_exit leave)
{
    struct jit_code *code = b->code;
    if (code->nexits == code->exit_room) {
        struct jit_exit *grown = arena_array(&code->arena, 2 * (size_t)code->exit_room + 64, sizeof *grown);
        if (!grown) {
            b->ok = false;
            return JIT_STOPPED;
        }
        for (uint32_t i = 0; i < code->nexits; i++)
            grown[i] = code->exits[i];
        code->exits = grown;
        code->exit_room = 2 * code->exit_room + 64;
    }
    code->exits[code->nexits] = leave;
    return JIT_EXITS + code->nexits++;
}

/* What is live before instruction `index` of a segment, and what lanes that wait need. */
static void park(struct blocks *b, uint32_t segment, uint32_t index)
{
    const struct flow *flow = b->flow;
    const uint64_t *kept = flow->kept + (size_t)segment * flow->slot_words;
    flow_live_at(flow, segment, index, b->live);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (bitset_has(b->live, slot) || bitset_has(kept, slot))
            emit_park(b->e, flow->slots[slot], flow->slot_bits[slot]);
}

void blocks_leave_by(struct blocks *b, uint32_t segment, uint32_t how)
{
    struct emit *e = b->e;
    loose_leave(e, b->code);
    if (!blocks_stacked(b) && !b->flow->many)
        FOR_WAITING(b, segment, to)
    emit_set_field(e, e->call, JIT_MASK(to), waiting(b, to));
    emit_set_field(e, e->warp, offsetof(struct warp, frame.exec), e->exec);
    emit_set_field(e, e->warp, offsetof(struct warp, fair), blocks_get(b, b->fair, e->i32));
    give_back(b, how);
}

void blocks_leave(struct blocks *b, uint8_t kind, uint32_t segment, uint32_t index)
{
    b->e->forms = kind == JIT_STEP ? b->forms : flow_forms(b->flow, segment);
    park(b, segment, index);
    blocks_leave_by(b, segment, blocks_exit(b, (struct jit_exit){.kind = kind, .segment = segment, .index = index}));
    b->e->forms = b->forms;
}

LLVMValueRef blocks_some_wait(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    LLVMValueRef others = NULL;
    if (blocks_stacked(b) || b->flow->many)
        return LL(BuildICmp, LLVMIntNE, emit_field(e, e->warp, offsetof(struct warp, live), e->i32), e->exec);
    FOR_WAITING(b, segment, to)
    others = others ? LL(BuildOr, others, waiting(b, to)) : waiting(b, to);
    return others ? blocks_some(b, others) : NULL;
}

/* Leaves before instruction `index`, the one at hand, where `condition` (i1) is false. */
static void leave_unless(struct blocks *b, LLVMValueRef condition, uint32_t segment, uint32_t index)
{
    LLVMBasicBlockRef on = emit_block(b->e, ""), out = emit_block(b->e, "");
    emit_branch(b->e, condition, on, out, true);
    emit_begin(b->e, out);
    blocks_leave(b, JIT_STEP, segment, index);
    emit_begin(b->e, on);
}

/* ---- ways -------------------------------------------------------------------------------------------------------- */

/* Those that wait somewhere else wait a round longer: after FAIR_TURNS others of the warp go on. The warp keeps the
 * count when it is left: its turns may end sooner. */
static void wait_longer(struct blocks *b, uint32_t to, LLVMValueRef others)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef fair = emit_block(e, ""), unfair = emit_block(e, "");
    LLVMValueRef less = LL(BuildSub, blocks_get(b, b->fair, e->i32), emit_const(e, 32, 1));
    LLVMValueRef left = LL(BuildSelect, blocks_some(b, others), less, emit_const(e, 32, FAIR_TURNS));
    blocks_set(b, b->fair, left);
    emit_branch(e, LL(BuildICmp, LLVMIntSGE, left, blocks_zero(b)), fair, unfair, true);
    emit_begin(e, unfair);
    e->exec = blocks_get(b, b->exec, e->i32);
    blocks_leave(b, JIT_FAIR, to, b->flow->segments[to].first);
    emit_begin(e, fair);
}

void blocks_go_back(struct blocks *b, uint32_t to, LLVMValueRef spins, LLVMValueRef others)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef on = emit_block(e, ""), out = emit_block(e, ""), few = out;
    LLVMValueRef by = emit_const(e, 32, 1), least = blocks_zero(b);
    if (spins)
        by = LL(BuildSelect, spins, emit_const(e, 32, SPIN_TURNS), by);
    LLVMValueRef turns = LL(BuildSub, blocks_get(b, b->turns, e->i32), by);
    bool twins = e->segment == to && twins_is(b, to);
    blocks_set(b, b->turns, turns);
    if (twins)
        few = twins_turn(b, to, out, &least);
    emit_branch(e, LL(BuildICmp, LLVMIntSGE, turns, least), on, few, true);
    emit_begin(e, out);
    e->exec = blocks_get(b, b->exec, e->i32);
    blocks_leave(b, JIT_TURN, to, b->flow->segments[to].first);
    emit_begin(e, on);
    if (others)
        wait_longer(b, to, others);
    else if (spins) /* nobody waits */
        blocks_set(b, b->fair, emit_const(e, 32, FAIR_TURNS));
    emit_jump(e, twins ? b->body[to] : b->start[to]);
}

/* All that is in `lanes` runs at a segment; the others of ways[from..] wait where they are. */
static void run_way(struct blocks *b, uint32_t segment, const struct way *ways, uint32_t from, uint32_t count)
{
    struct emit *e = b->e;
    uint32_t to = ways[from].to;
    LLVMValueRef others = NULL;
    blocks_set(b, b->exec, ways[from].lanes);
    if (bitset_has(flow_waits(b->flow, segment), to))
        dispatch_set(b, to, blocks_zero(b));
    for (uint32_t i = from + 1; i < count; i++) {
        dispatch_set(b, ways[i].to, ways[i].lanes);
        others = others ? LL(BuildOr, others, ways[i].lanes) : ways[i].lanes;
    }
    bool spins = b->flow->segments[segment].spins;
    if (b->again && to == segment)
        emit_jump(e, b->again);
    else if (to <= segment && !barriers_between(b, to, segment))
        blocks_go_back(b, to, spins ? emit_const(e, 1, 1) : NULL, spins ? others : NULL);
    else
        emit_jump(e, b->start[to]);
}

/* The lowest of the ways that has lanes. `may_end`: none may have any, then the warp is done. */
static void go_on(struct blocks *b, uint32_t segment, const struct way *ways, uint32_t count, bool may_end)
{
    struct emit *e = b->e;
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 == count && !may_end) {
            run_way(b, segment, ways, i, count);
            return;
        }
        LLVMBasicBlockRef here = emit_block(e, ""), next = emit_block(e, "");
        emit_branch(e, blocks_some(b, ways[i].lanes), here, next, false);
        emit_begin(e, here);
        run_way(b, segment, ways, i, count);
        emit_begin(e, next);
    }
    emit_jump(e, b->done);
}

/* Those of `lanes` at segment `to`, whatever else goes there. */
static void add_way(struct blocks *b, struct way *ways, uint32_t *count, uint32_t to, LLVMValueRef lanes)
{
    struct emit *e = b->e;
    uint32_t i = *count;
    for (uint32_t k = 0; k < *count; k++)
        if (ways[k].to == to) {
            ways[k].lanes = LL(BuildOr, ways[k].lanes, lanes);
            return;
        }
    for (; i > 0 && ways[i - 1].to > to; i--)
        ways[i] = ways[i - 1];
    ways[i] = (struct way){to, lanes};
    ++*count;
}

uint32_t blocks_segment_of(const struct blocks *b, uint32_t point)
{
    assert(point < b->flow->func->npoints && b->flow->segment_at[point] != UINT32_MAX);
    return b->flow->segment_at[point];
}

LLVMValueRef blocks_index(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken)
{
    struct emit *e = b->e;
    uint32_t count = b->flow->func->lane->tables[at->inst->aux].count;
    LLVMValueRef index = emit_source(e, at, 0);
    LLVMValueRef inside = emit_word(e, LL(BuildICmp, LLVMIntULT, index, emit_consts(e, 32, count)));
    LLVMValueRef bad = LL(BuildAnd, taken, LL(BuildNot, inside));
    leave_unless(b, LL(BuildICmp, LLVMIntEQ, bad, blocks_zero(b)), segment, (uint32_t)(at - b->flow->func->decoded));
    return index;
}

/* brx: lanes by their index. */
static void table_ways(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken,
                       struct way *ways, uint32_t *count)
{
    struct emit *e = b->e;
    const struct lane_table *table = &b->flow->func->lane->tables[at->inst->aux];
    LLVMValueRef index = blocks_index(b, segment, at, taken);
    LLVMValueRef parts = emit_const(e, 64, 0);
    for (uint32_t i = 0; i < table->count; i++) {
        LLVMValueRef mine = emit_word(e, LL(BuildICmp, LLVMIntEQ, index, emit_consts(e, 32, i)));
        add_way(b, ways, count, blocks_segment_of(b, b->flow->func->point_of_block[table->blocks[i]]),
                LL(BuildAnd, taken, mine));
        parts = LL(BuildAdd, parts, LL(BuildZExt, blocks_some(b, LL(BuildAnd, taken, mine)), e->i64));
    }
    LLVMValueRef stay = blocks_some(b, LL(BuildAnd, e->exec, LL(BuildNot, taken)));
    parts = LL(BuildAdd, parts, LL(BuildZExt, stay, e->i64));
    LLVMValueRef divergent =
        LL(BuildSub, LL(BuildAdd, blocks_get(b, b->divergent, e->i64), parts), emit_const(e, 64, 1));
    blocks_set(b, b->divergent, divergent);
}

void blocks_account(struct blocks *b, const struct decoded *last)
{
    struct emit *e = b->e;
    LLVMValueRef args[] = {e->exec};
    LLVMValueRef count = emit_const(e, 64, last->count);
    LLVMValueRef lanes = LL(BuildZExt, emit_intrinsic(e, "llvm.ctpop", e->i32, args, 1), e->i64);
    blocks_set(b, b->instructions, LL(BuildAdd, blocks_get(b, b->instructions, e->i64), count));
    LLVMValueRef sum = LL(BuildAdd, blocks_get(b, b->lane_instructions, e->i64), LL(BuildMul, lanes, count));
    blocks_set(b, b->lane_instructions, sum);
}

void blocks_divergence(struct blocks *b, LLVMValueRef taken, LLVMValueRef stay)
{
    struct emit *e = b->e;
    LLVMValueRef both = LL(BuildAnd, blocks_some(b, taken), blocks_some(b, stay));
    blocks_set(b, b->divergent, LL(BuildAdd, blocks_get(b, b->divergent, e->i64), LL(BuildZExt, both, e->i64)));
}

void blocks_exit_some(struct blocks *b, LLVMValueRef lanes)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef exits = emit_block(e, ""), on = emit_block(e, "");
    emit_branch(e, blocks_some(b, lanes), exits, on, false);
    emit_begin(e, exits);
    LLVMValueRef args[] = {e->warp, lanes};
    emit_call(e, e->code, offsetof(struct jit_code, exit), e->nothing, args, 2);
    emit_jump(e, on);
    emit_begin(e, on);
}

/* Lanes that others wait for exit: if there are none left at all, the warp is done. */
static void end_exit(struct blocks *b, uint32_t segment, LLVMValueRef taken, struct way *ways, uint32_t count)
{
    struct emit *e = b->e;
    if (!count) {
        emit_jump(e, b->done);
        return;
    }
    LLVMValueRef left = blocks_zero(b);
    for (uint32_t i = 0; i < count; i++)
        left = LL(BuildOr, left, ways[i].lanes);
    LLVMBasicBlockRef on = emit_block(e, "");
    emit_branch(e, blocks_some(b, left), on, b->done, false);
    emit_begin(e, on);
    blocks_exit_some(b, taken);
    go_on(b, segment, ways, count, false);
}

/* All lanes that run take the branch, or none. */
static void go_together(struct blocks *b, uint32_t segment, const struct decoded *last, LLVMValueRef taken)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef take = emit_block(e, ""), fall = emit_block(e, "");
    LLVMValueRef lanes = e->exec, all_take = emit_guard_once(e, last);
    blocks_account(b, last);
    emit_branch(e, all_take ? all_take : blocks_some(b, taken), take, fall, false);
    for (unsigned i = 0; i < 2; i++) {
        struct way ways[FLOW_SEGMENTS];
        uint32_t count = 0;
        emit_begin(e, i ? fall : take);
        FOR_WAITING(b, segment, to)
        add_way(b, ways, &count, to, waiting(b, to));
        add_way(b, ways, &count, blocks_segment_of(b, i ? last->next : last->target), lanes);
        go_on(b, segment, ways, count, false);
    }
}

/* A round of a loop (calm.h) ends: another one begins with the same lanes, or what follows is emitted. */
static void end_round(struct blocks *b, uint32_t segment, LLVMValueRef taken)
{
    struct emit *e = b->e;
    LLVMValueRef exec = e->exec;
    LLVMBasicBlockRef here = e->llvm->GetInsertBlock(e->builder);
    b->again = emit_block(e, "again");
    emit_begin(e, b->again);
    blocks_go_back(b, segment, NULL, NULL);
    emit_begin(e, here);
    e->exec = exec;
    calm_end(b, LL(BuildICmp, LLVMIntEQ, taken, exec), b->again);
}

/* Where the lanes that run go at the end of a segment. */
static void end_segment(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    const struct decoded *last = &b->flow->func->decoded[here->first + here->count - 1];
    struct way ways[FLOW_SEGMENTS];
    uint32_t count = 0;
    if (dispatch_is(b, segment)) {
        dispatch_end(b, segment);
        return;
    }
    LLVMValueRef taken = emit_guarded(e, last, e->exec);
    if (last->op == LANE_OP_bra && last->guard != KERNEL_NONE && !here->parts) {
        go_together(b, segment, last, taken);
        return;
    }
    if (last->op != LANE_OP_brx) /* which may be left first */
        blocks_account(b, last);
    if (calm_is(b, segment))
        end_round(b, segment, taken);
    LLVMValueRef stay = last->guard == KERNEL_NONE ? NULL : LL(BuildAnd, e->exec, LL(BuildNot, taken));
    FOR_WAITING(b, segment, to)
    add_way(b, ways, &count, to, waiting(b, to));
    if (last->op == LANE_OP_brx) {
        table_ways(b, segment, last, taken, ways, &count);
        blocks_account(b, last);
    }
    if (last->op == LANE_OP_bra || last->op == DECODED_FALL)
        add_way(b, ways, &count, blocks_segment_of(b, last->target), taken);
    if (stay)
        add_way(b, ways, &count, blocks_segment_of(b, last->next), stay);
    if (stay && last->op == LANE_OP_bra)
        blocks_divergence(b, taken, stay);
    if (last->op == LANE_OP_ret || last->op == LANE_OP_exit)
        end_exit(b, segment, taken, ways, count);
    else
        go_on(b, segment, ways, count, false);
    b->again = NULL;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* Lanes that wait elsewhere might have to come here first: then the interpreter goes on. */
static void gather(struct blocks *b, uint32_t segment, uint32_t index)
{
    struct emit *e = b->e;
    LLVMValueRef others = blocks_some_wait(b, segment);
    if (others)
        leave_unless(b, LL(BuildNot, others), segment, index);
}

static bool emit_once(struct blocks *b, uint32_t segment, uint32_t index)
{
    struct emit *e = b->e;
    const struct decoded *at = &b->flow->func->decoded[index];
    if (!once_is(e, at))
        return false;
    LLVMBuilderRef outer;
    bool early = pure_goes_once(at) && gate_enter(e, at, 0, (unsigned)at->ndst + at->nsrc, &outer);
    LLVMValueRef fits = once_fits(e, at);
    if (fits && early)
        gate_fit(e, at, fits);
    else if (fits)
        leave_unless(b, fits, segment, index);
    bool emitted = once_emit(e, at);
    if (early)
        gate_leave(e, outer);
    return emitted;
}

static bool is_clock(const struct decoded *at)
{
    return at->op < LANE_OPS && lane_is(at->op, LANE_CLOCK) && lane_sreg_is(at->inst->mode, LANE_SREG_CLOCKS);
}

/* Can any function of the program read clocks? */
static bool has_clocks(const struct program *program)
{
    for (uint32_t f = 0; f < program->module->nfuncs; f++) {
        const struct func *func = &program->funcs[f];
        for (uint32_t i = 0; func->ready && i < func->ndecoded; i++)
            if (is_clock(&func->decoded[i]))
                return true;
    }
    return false;
}

void blocks_instruction(struct blocks *b, uint32_t segment, uint32_t index)
{
    struct emit *e = b->e;
    const struct decoded *at = &b->flow->func->decoded[index];
    if (at->op < LANE_OPS && lane_is(at->op, LANE_WAITS) && !blocks_stacked(b))
        gather(b, segment, index);
    if (emit_once(b, segment, index) || once_compare(e, at) || once_choose(e, at))
        return;
    once_unfold(e, at);
    if (gate_asked(e, at)) {
        emit_slow(e, at);
        return;
    }
    if (is_clock(at))
        blocks_flush(b); /* clocks of orders that repeat themselves count instructions */
    if (at->op == LANE_OP_push)
        stack_emit_push(b, at);
    else if (!emit_pure(e, at) && !emit_access(e, at) && !emit_texels(e, at) && !emit_warp(e, at)) {
        emit_slow(e, at);
        b->code->slow[index] = true;
    }
}

/* Selecting instructions takes time that grows faster than a block of LLVM: none is longer than a piece. */
static void cut(struct blocks *b)
{
    if (!jit_is_large(b->flow))
        return;
    LLVMBasicBlockRef next = emit_block(b->e, "");
    emit_jump(b->e, next);
    emit_begin(b->e, next);
}

/* Instructions from number i of the segment at hand on. `done`: a compare-and-swap that has been carried out. */
static void emit_some(struct blocks *b, uint32_t segment, uint32_t i, uint32_t n, const struct casloop *done)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    for (uint32_t end = i + n; i < end; i++) {
        const struct decoded *at = &b->flow->func->decoded[here->first + i];
        if (done && at == done->cas)
            emit_result(e, at, 0, done->old);
        else
            blocks_instruction(b, segment, here->first + i);
        uniform_pass(b->flow, segment, at, b->forms);
        gate_pass(b, segment, at);
        if (i % JIT_PIECE == JIT_PIECE - 1)
            cut(b);
    }
}

/* How a segment ends, once its instructions are emitted. */
static void finish_segment(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    once_settle(e);
    if (casloop_loads(e, segment))
        blocks_set(b, b->loaded, LL(BuildNot, blocks_some(b, waiting(b, segment + 1))));
    if (barriers_meets(b, segment))
        barriers_meet(b, segment);
    else if (here->leaves)
        blocks_leave(b, JIT_STEP, segment, here->first + here->count - 1);
    else if (blocks_stacked(b))
        stack_emit_end(b, segment);
    else
        end_segment(b, segment);
}

/* A run behind a gate. Where the gate knows how comparisons come out, LLVM knows where the segment leads to then: it
 * ends there for itself (*ends). */
static enum gate_ways emit_plain(struct blocks *b, uint32_t segment, uint32_t i, uint32_t n, bool again, bool *ends,
                                 LLVMBasicBlockRef *on)
{
    const struct segment *here = &b->flow->segments[segment];
    gate_open(b, segment, i, n, again);
    emit_some(b, segment, i, n, NULL);
    gate_settle(b);
    *ends = gate_decides(b->e) && i + n + 1 == here->count && !here->leaves && !blocks_stacked(b);
    LLVMValueRef exec = b->e->exec;
    if (*ends)
        finish_segment(b, segment);
    b->e->exec = exec;
    return gate_close(b, segment, *ends, on);
}

/* In loops warps often go both ways as a whole: so there are two gates. */
static void emit_gated(struct blocks *b, uint32_t segment, uint32_t i, uint32_t n)
{
    LLVMBasicBlockRef on, on_again = NULL;
    bool ends;
    enum gate_ways ways = emit_plain(b, segment, i, n, false, &ends, &on);
    if (ways == GATE_AGAIN && ends && b->flow->segments[segment].loops)
        ways = emit_plain(b, segment, i, n, true, &ends, &on_again);
    if (ways == GATE_DONE)
        return;
    emit_some(b, segment, i, n, NULL);
    if (on_again)
        gate_rejoin(b, on_again);
    gate_rejoin(b, on);
}

/* Of the segment at hand, but for its last. */
static void emit_instructions(struct blocks *b, uint32_t segment, const struct casloop *done)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    e->exec = blocks_get(b, b->exec, e->i32);
    memcpy(b->forms, flow_forms(b->flow, segment), b->flow->nslots);
    for (uint32_t i = 0, n; i + 1 < here->count; i += n) {
        n = done ? 0 : gate_run(b, segment, i);
        if (n)
            emit_gated(b, segment, i, n);
        else
            emit_some(b, segment, i, n = 1, done);
    }
}

/* All rounds of a loop at once, but for what the end of the last one counts. */
static void all_rounds(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct casloop_counters counters = {b->turns, b->fair, b->instructions, b->lane_instructions, b->divergent};
    struct casloop loop;
    if (!casloop_find(e, segment, &loop))
        return;
    LLVMBasicBlockRef rounds = emit_block(e, "rounds");
    e->exec = blocks_get(b, b->exec, e->i32);
    memcpy(b->forms, flow_forms(b->flow, segment), b->flow->nslots);
    casloop_run(e, &loop, &counters, b->loaded, rounds);
    emit_instructions(b, segment, &loop);
    once_settle(e);
    end_segment(b, segment);
    emit_begin(e, rounds);
}

static void emit_segment(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    e->segment = segment;
    emit_begin(e, b->start[segment]);
    twins_begin(b, segment);
    all_rounds(b, segment);
    emit_instructions(b, segment, NULL);
    finish_segment(b, segment);
    e->early_of = NULL;
}

/* Gives a segment that can be reached a block. */
static void reach(struct blocks *b, uint32_t segment, uint32_t *stack, uint32_t *depth)
{
    if (b->start[segment])
        return;
    b->start[segment] = emit_block(b->e, "");
    stack[(*depth)++] = segment;
}

/* Segments that can be reached get a block; those where code can be entered, a number. */
static bool find_starts(struct blocks *b)
{
    const struct flow *flow = b->flow;
    struct arena *arena = &b->code->arena;
    uint32_t *stack = arena_array(arena, flow->nsegments + 1, sizeof *stack), depth = 0;
    b->code->entries = arena_array(arena, flow->nsegments + 1, sizeof *b->code->entries);
    if (!stack || !b->code->entries)
        return false;
    for (uint32_t s = 0; s < flow->nsegments; s++) {
        if (s && !flow->segments[s].entry)
            continue;
        if (flow->segments[s].entry)
            b->code->entries[b->code->nentries++] = s;
        reach(b, s, stack, &depth);
        while (depth) {
            uint32_t here = stack[--depth];
            for (uint32_t i = 0; i < flow->segments[here].nto; i++)
                reach(b, flow->segments[here].to[i], stack, &depth);
            FOR_WAITING(b, here, to)
            reach(b, to, stack, &depth);
        }
    }
    return true;
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

static void emit_head(struct blocks *b)
{
    struct emit *e = b->e;
    parts_open(e, &b->parts);
    b->exec = emit_variable(e, e->i32, 0);
    b->turns = e->tight ? dispatch_counter(b) : emit_variable(e, e->i32, 0);
    b->fair = emit_variable(e, e->i32, FAIR_TURNS);
    b->instructions = new_counter(b);
    b->lane_instructions = new_counter(b);
    b->divergent = new_counter(b);
    b->loaded = emit_variable(e, e->i1, 0);
    calm_open(b);
    rows_counters(e);
    held_open(e);
    twins_open(b);
    b->how = emit_variable(e, e->i32, JIT_STOPPED);
    b->done = emit_block(e, "done");
    b->out = emit_block(e, "out");
}

static void emit_ends(struct blocks *b)
{
    struct emit *e = b->e;
    emit_begin(e, b->done);
    if (b->clocks)
        blocks_flush(b);
    parts_end(e, &b->parts, JIT_DONE);
    give_back(b, JIT_DONE);
    emit_begin(e, b->parts.round);
    LLVMBasicBlockRef part = parts_round(e, &b->parts);
    e->warp = parts_warp(e, &b->parts);
    blocks_flush(b); /* limits are looked at there */
    parts_ask(e, part);
    emit_begin(e, b->parts.all_exited);
    parts_again(e, &b->parts);
    give_back(b, JIT_OVER);
    emit_begin(e, e->stopped);
    give_back(b, JIT_STOPPED);
    emit_out(b);
    parts_close(e, &b->parts);
}

static bool emit_all(struct blocks *b)
{
    struct emit *e = b->e;
    emit_head(b);
    if (!dispatch_open(b) || !find_starts(b))
        return false;
    entries_emit(b);
    for (uint32_t s = 0; s < b->flow->nsegments && b->ok; s++)
        if (b->start[s])
            emit_segment(b, s);
    for (uint32_t s = 0; s < b->flow->nsegments && b->ok; s++)
        if (b->back[s]) {
            emit_begin(e, b->back[s]);
            blocks_go_back(b, s, NULL, NULL);
        }
    twins_close(b);
    dispatch_close(b);
    idle_emit(b);
    emit_ends(b);
    return b->ok;
}

bool blocks_emit(struct emit *e, struct jit_code *code)
{
    struct blocks b = {.e = e, .code = code, .flow = &code->flow, .ok = true};
    struct arena *arena = &code->arena;
    b.start = arena_array(arena, code->flow.nsegments + 1, sizeof *b.start);
    b.back = arena_array(arena, code->flow.nsegments + 1, sizeof *b.back);
    b.waiting = arena_array(arena, code->flow.nsegments + 1, sizeof *b.waiting);
    b.live = e->live = arena_array(arena, code->flow.slot_words, sizeof *b.live);
    b.written = arena_array(arena, code->flow.slot_words + 1, sizeof *b.written);
    e->forms = b.forms = arena_array(arena, code->flow.nslots + 1, 1);
    code->slow = arena_array(arena, code->func->ndecoded + 1, sizeof *code->slow);
    e->variables = arena_array(arena, code->func->constants_at / 4 + 1, sizeof *e->variables);
    if (!b.start || !b.back || !b.waiting || !b.live || !b.written || !b.forms || !code->slow || !e->variables)
        return false;
    b.clocks = has_clocks(e->program);
    return gate_make(&b) && barriers_find(&b) && loose_find(e, code) && twins_find(&b) && emit_all(&b);
}
