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
#include "engine/jit/once.h"
#include "engine/jit/rows.h"
#include "lane/form.h"

#include <assert.h>
#include <string.h>

struct blocks {
    struct emit *e;
    struct jit_code *code;
    struct flow *flow;
    LLVMBasicBlockRef *start; /* of each segment; NULL: it is never reached */
    LLVMBasicBlockRef *back;  /* of each segment of a kernel with tokens: takes a turn first; NULL: none yet */
    LLVMValueRef *waiting;    /* of each segment: variable of the lanes that wait there */
    LLVMValueRef exec, turns, fair, instructions, lane_instructions, divergent; /* variables */
    uint64_t *live;                                                             /* scratch: a set of slots */
    uint8_t *forms;                                                             /* of each slot, at this place */
    bool ok;
};

/* Where a segment may lead: a segment, and the lanes that go there. */
struct way {
    uint32_t to;
    LLVMValueRef lanes;
};

static LLVMValueRef get(struct blocks *b, LLVMValueRef variable, LLVMTypeRef type)
{
    struct emit *e = b->e;
    return LL(BuildLoad2, type, variable);
}

static void set(struct blocks *b, LLVMValueRef variable, LLVMValueRef value)
{
    b->e->llvm->BuildStore(b->e->builder, value, variable);
}

static LLVMValueRef zero(struct blocks *b)
{
    return emit_const(b->e, 32, 0);
}

static LLVMValueRef some(struct blocks *b, LLVMValueRef lanes)
{
    struct emit *e = b->e;
    return LL(BuildICmp, LLVMIntNE, lanes, zero(b));
}

static LLVMValueRef new_variable(struct blocks *b, LLVMTypeRef type, uint64_t value)
{
    struct emit *e = b->e;
    LLVMValueRef at = e->llvm->BuildAlloca(e->entry_builder, type, "");
    e->llvm->BuildStore(e->entry_builder, e->llvm->ConstInt(type, value, false), at);
    return at;
}

static LLVMValueRef waiting_at(struct blocks *b, uint32_t segment)
{
    if (!b->waiting[segment])
        b->waiting[segment] = new_variable(b, b->e->i32, 0);
    return b->waiting[segment];
}

static LLVMValueRef waiting(struct blocks *b, uint32_t segment)
{
    return get(b, waiting_at(b, segment), b->e->i32);
}

static bool stacked(const struct blocks *b)
{
    return b->flow->func->lane->stacked;
}

/* Does `visit` for each segment at which lanes may wait while `segment` runs. */
#define FOR_WAITING(b, segment, to)                        \
    for (uint32_t to = 0; to < (b)->flow->nsegments; to++) \
        if (flow_in(flow_waits((b)->flow, segment), to))

/* ---- leaving ----------------------------------------------------------------------------------------------------- */

static void flush_counter(struct blocks *b, size_t field, LLVMValueRef counter)
{
    struct emit *e = b->e;
    LLVMValueRef sum = LL(BuildAdd, emit_field(e, e->warp, field, e->i64), get(b, counter, e->i64));
    emit_set_field(e, e->warp, field, sum);
    set(b, counter, emit_const(e, 64, 0));
}

static void flush_counters(struct blocks *b)
{
    flush_counter(b, offsetof(struct warp, instructions), b->instructions);
    flush_counter(b, offsetof(struct warp, lane_instructions), b->lane_instructions);
    flush_counter(b, offsetof(struct warp, divergent), b->divergent);
    for (unsigned i = 0; i < b->e->ncounters; i++)
        flush_counter(b, b->e->counters[i].offset, b->e->counters[i].at);
}

/* Ends the function. */
static void give_back(struct blocks *b, uint32_t how)
{
    struct emit *e = b->e;
    flush_counters(b);
    emit_set_field(e, e->warp, offsetof(struct warp, turns), get(b, b->turns, e->i32));
    e->llvm->BuildRet(e->builder, emit_const(e, 32, how));
}

static uint32_t new_exit(struct blocks *b, struct jit_exit leave)
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

/* Leaves at a place: before instruction `index` of a segment, the one at hand (JIT_STEP) or the first. */
static void leave(struct blocks *b, uint8_t kind, uint32_t segment, uint32_t index)
{
    struct emit *e = b->e;
    const struct flow *flow = b->flow;
    e->forms = kind == JIT_STEP ? b->forms : flow_forms(b->flow, segment);
    flow_live_at(flow, segment, index, b->live);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (flow_in(b->live, slot) || flow_in(flow->kept + (size_t)segment * flow->slot_words, slot))
            emit_park(e, flow->slots[slot], flow->slot_bits[slot]);
    loose_leave(e, b->code);
    uint64_t n = 0;
    if (!stacked(b))
        FOR_WAITING(b, segment, to)
    emit_set_field(e, e->masks, 4 * n++, waiting(b, to));
    emit_set_field(e, e->warp, offsetof(struct warp, frame.exec), e->exec);
    give_back(b, new_exit(b, (struct jit_exit){.kind = kind, .segment = segment, .index = index}));
    e->forms = b->forms;
}

/* Leaves before instruction `index`, the one at hand, where `condition` (i1) is false. */
static void leave_unless(struct blocks *b, LLVMValueRef condition, uint32_t segment, uint32_t index)
{
    LLVMBasicBlockRef on = emit_block(b->e, ""), out = emit_block(b->e, "");
    emit_branch(b->e, condition, on, out, true);
    emit_begin(b->e, out);
    leave(b, JIT_STEP, segment, index);
    emit_begin(b->e, on);
}

/* ---- ways -------------------------------------------------------------------------------------------------------- */

/* To a segment that lies behind: the warp has a turn less, and those that wait wait longer. */
static void go_back(struct blocks *b, uint32_t to, LLVMValueRef others)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef on = emit_block(e, ""), out = emit_block(e, "");
    LLVMValueRef turns = LL(BuildSub, get(b, b->turns, e->i32), emit_const(e, 32, 1));
    set(b, b->turns, turns);
    emit_branch(e, LL(BuildICmp, LLVMIntSGE, turns, zero(b)), on, out, true);
    emit_begin(e, out);
    e->exec = get(b, b->exec, e->i32);
    leave(b, JIT_TURN, to, b->flow->segments[to].first);
    emit_begin(e, on);
    if (others) {
        LLVMBasicBlockRef fair = emit_block(e, ""), unfair = emit_block(e, "");
        LLVMValueRef one = LL(BuildZExt, some(b, others), e->i32);
        LLVMValueRef left = LL(BuildSub, get(b, b->fair, e->i32), one);
        set(b, b->fair, left);
        emit_branch(e, LL(BuildICmp, LLVMIntSGE, left, zero(b)), fair, unfair, true);
        emit_begin(e, unfair);
        e->exec = get(b, b->exec, e->i32);
        leave(b, JIT_FAIR, to, b->flow->segments[to].first);
        emit_begin(e, fair);
    }
    emit_jump(e, b->start[to]);
}

/* All that is in `lanes` runs at a segment; the others of ways[from..] wait where they are. */
static void run_way(struct blocks *b, uint32_t segment, const struct way *ways, uint32_t from, uint32_t count)
{
    struct emit *e = b->e;
    uint32_t to = ways[from].to;
    LLVMValueRef others = NULL;
    set(b, b->exec, ways[from].lanes);
    if (flow_in(flow_waits(b->flow, segment), to))
        set(b, waiting_at(b, to), zero(b));
    for (uint32_t i = from + 1; i < count; i++) {
        set(b, waiting_at(b, ways[i].to), ways[i].lanes);
        others = others ? LL(BuildOr, others, ways[i].lanes) : ways[i].lanes;
    }
    if (to <= segment)
        go_back(b, to, b->flow->segments[segment].spins ? others : NULL);
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
        emit_branch(e, some(b, ways[i].lanes), here, next, false);
        emit_begin(e, here);
        run_way(b, segment, ways, i, count);
        emit_begin(e, next);
    }
    give_back(b, JIT_DONE);
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

static uint32_t segment_of(const struct blocks *b, uint32_t point)
{
    assert(point < b->flow->func->npoints && b->flow->segment_at[point] != UINT32_MAX);
    return b->flow->segment_at[point];
}

/* brx: lanes by their index. What the table does not have is the interpreter's. */
static void table_ways(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken,
                       struct way *ways, uint32_t *count)
{
    struct emit *e = b->e;
    const struct lane_table *table = &b->flow->func->lane->tables[at->inst->aux];
    LLVMValueRef index = emit_source(e, at, 0);
    LLVMValueRef inside = emit_word(e, LL(BuildICmp, LLVMIntULT, index, emit_consts(e, 32, table->count)));
    LLVMValueRef bad = LL(BuildAnd, taken, LL(BuildNot, inside));
    leave_unless(b, LL(BuildICmp, LLVMIntEQ, bad, zero(b)), segment, (uint32_t)(at - b->flow->func->decoded));
    LLVMValueRef parts = emit_const(e, 64, 0);
    for (uint32_t i = 0; i < table->count; i++) {
        LLVMValueRef mine = emit_word(e, LL(BuildICmp, LLVMIntEQ, index, emit_consts(e, 32, i)));
        add_way(b, ways, count, segment_of(b, b->flow->func->point_of_block[table->blocks[i]]),
                LL(BuildAnd, taken, mine));
        parts = LL(BuildAdd, parts, LL(BuildZExt, some(b, LL(BuildAnd, taken, mine)), e->i64));
    }
    LLVMValueRef stay = some(b, LL(BuildAnd, e->exec, LL(BuildNot, taken)));
    parts = LL(BuildAdd, parts, LL(BuildZExt, stay, e->i64));
    LLVMValueRef divergent = LL(BuildSub, LL(BuildAdd, get(b, b->divergent, e->i64), parts), emit_const(e, 64, 1));
    set(b, b->divergent, divergent);
}

static void account(struct blocks *b, const struct decoded *last)
{
    struct emit *e = b->e;
    LLVMValueRef args[] = {e->exec};
    LLVMValueRef count = emit_const(e, 64, last->count);
    LLVMValueRef lanes = LL(BuildZExt, emit_intrinsic(e, "llvm.ctpop", e->i32, args, 1), e->i64);
    set(b, b->instructions, LL(BuildAdd, get(b, b->instructions, e->i64), count));
    LLVMValueRef sum = LL(BuildAdd, get(b, b->lane_instructions, e->i64), LL(BuildMul, lanes, count));
    set(b, b->lane_instructions, sum);
}

static void count_divergence(struct blocks *b, LLVMValueRef taken, LLVMValueRef stay)
{
    struct emit *e = b->e;
    LLVMValueRef both = LL(BuildAnd, some(b, taken), some(b, stay));
    set(b, b->divergent, LL(BuildAdd, get(b, b->divergent, e->i64), LL(BuildZExt, both, e->i64)));
}

/* The interpreter is told of lanes that exit while others are left. */
static void exit_some(struct blocks *b, LLVMValueRef lanes)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef exits = emit_block(e, ""), on = emit_block(e, "");
    emit_branch(e, some(b, lanes), exits, on, false);
    emit_begin(e, exits);
    LLVMTypeRef types[] = {e->ptr, e->i32};
    LLVMValueRef args[] = {e->warp, lanes};
    LLVMTypeRef type = e->llvm->FunctionType(e->nothing, types, 2, false);
    LL(BuildCall2, type, emit_field(e, e->code, offsetof(struct jit_code, exit), e->ptr), args, 2);
    emit_jump(e, on);
    emit_begin(e, on);
}

/* Lanes that others wait for exit: if there are none left at all, the warp is done. */
static void end_exit(struct blocks *b, uint32_t segment, LLVMValueRef taken, struct way *ways, uint32_t count)
{
    struct emit *e = b->e;
    if (!count) {
        give_back(b, JIT_DONE);
        return;
    }
    LLVMValueRef left = zero(b);
    for (uint32_t i = 0; i < count; i++)
        left = LL(BuildOr, left, ways[i].lanes);
    LLVMBasicBlockRef on = emit_block(e, ""), done = emit_block(e, "");
    emit_branch(e, some(b, left), on, done, false);
    emit_begin(e, done);
    give_back(b, JIT_DONE);
    emit_begin(e, on);
    exit_some(b, taken);
    go_on(b, segment, ways, count, false);
}

/* All lanes that run take the branch, or none. */
static void go_together(struct blocks *b, uint32_t segment, const struct decoded *last, LLVMValueRef taken)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef take = emit_block(e, ""), fall = emit_block(e, "");
    LLVMValueRef lanes = e->exec, all_take = emit_guard_once(e, last);
    account(b, last);
    emit_branch(e, all_take ? all_take : some(b, taken), take, fall, false);
    for (unsigned i = 0; i < 2; i++) {
        struct way ways[FLOW_SEGMENTS];
        uint32_t count = 0;
        emit_begin(e, i ? fall : take);
        FOR_WAITING(b, segment, to)
        add_way(b, ways, &count, to, waiting(b, to));
        add_way(b, ways, &count, segment_of(b, i ? last->next : last->target), lanes);
        go_on(b, segment, ways, count, false);
    }
}

/* Where the lanes that run go at the end of a segment. */
static void end_segment(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    const struct decoded *last = &b->flow->func->decoded[here->first + here->count - 1];
    struct way ways[FLOW_SEGMENTS];
    uint32_t count = 0;
    LLVMValueRef taken = emit_guarded(e, last, e->exec);
    if (last->op == LANE_OP_bra && last->guard != KERNEL_NONE && !here->parts) {
        go_together(b, segment, last, taken);
        return;
    }
    LLVMValueRef stay = last->guard == KERNEL_NONE ? NULL : LL(BuildAnd, e->exec, LL(BuildNot, taken));
    FOR_WAITING(b, segment, to)
    add_way(b, ways, &count, to, waiting(b, to));
    if (last->op == LANE_OP_brx)
        table_ways(b, segment, last, taken, ways, &count);
    account(b, last);
    if (last->op == LANE_OP_bra || last->op == DECODED_FALL)
        add_way(b, ways, &count, segment_of(b, last->target), taken);
    if (stay)
        add_way(b, ways, &count, segment_of(b, last->next), stay);
    if (stay && last->op == LANE_OP_bra)
        count_divergence(b, taken, stay);
    if (last->op == LANE_OP_ret || last->op == LANE_OP_exit)
        end_exit(b, segment, taken, ways, count);
    else
        go_on(b, segment, ways, count, false);
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */
/* The warp's stack is where the interpreter has it, and does what stack.c does; which segments its tokens lead to is
 * known (tokens.c). */

/* Where the lanes of b->exec go. */
static LLVMBasicBlockRef way_to(struct blocks *b, uint32_t segment, uint32_t to)
{
    if (to > segment)
        return b->start[to];
    if (!b->back[to])
        b->back[to] = emit_block(b->e, "");
    return b->back[to];
}

static LLVMValueRef call(struct blocks *b, size_t function, LLVMTypeRef result, LLVMValueRef *args, unsigned nargs)
{
    struct emit *e = b->e;
    LLVMTypeRef types[] = {e->ptr, e->i32, e->i32};
    LLVMTypeRef type = e->llvm->FunctionType(result, types, nargs, false);
    return LL(BuildCall2, type, emit_field(e, e->code, function, e->ptr), args, nargs);
}

static LLVMValueRef ntokens(struct blocks *b)
{
    return emit_field(b->e, b->e->warp, offsetof(struct warp, ntokens), b->e->i32);
}

static LLVMValueRef token_at(struct blocks *b, LLVMValueRef number)
{
    struct emit *e = b->e;
    LLVMValueRef bytes = LL(BuildMul, LL(BuildZExt, number, e->i64), emit_const(e, 64, sizeof(struct token)));
    return emit_at(e, emit_field(e, e->warp, offsetof(struct warp, tokens), e->ptr), bytes);
}

/* Goes to `full` where there is no room for another token. */
static void make_room(struct blocks *b, LLVMBasicBlockRef room, LLVMBasicBlockRef full)
{
    struct emit *e = b->e;
    LLVMValueRef most = emit_field(e, e->warp, offsetof(struct warp, token_room), e->i32);
    emit_branch(e, LL(BuildICmp, LLVMIntULT, ntokens(b), most), room, full, true);
}

static void put_token(struct blocks *b, LLVMValueRef lanes, uint32_t point, uint32_t kind)
{
    struct emit *e = b->e;
    LLVMValueRef n = ntokens(b), at = token_at(b, n);
    emit_set_field(e, at, offsetof(struct token, lanes), lanes);
    emit_set_field(e, at, offsetof(struct token, point), emit_const(e, 32, point));
    emit_set_field(e, at, offsetof(struct token, kind), emit_const(e, 32, kind));
    emit_set_field(e, e->warp, offsetof(struct warp, ntokens), LL(BuildAdd, n, emit_const(e, 32, 1)));
}

static void push(struct blocks *b, const struct decoded *at)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef room = emit_block(e, ""), full = emit_block(e, ""), on = emit_block(e, "");
    make_room(b, room, full);
    emit_begin(e, full);
    emit_step(e, at);
    emit_jump(e, on);
    emit_begin(e, room);
    put_token(b, e->exec, at->target, at->inst->mode);
    emit_jump(e, on);
    emit_begin(e, on);
}

/* No lanes run: the stack says who does. */
static void run_next(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef never = emit_block(e, "");
    LLVMValueRef point = call(b, offsetof(struct jit_code, resume), e->i32, &e->warp, 1);
    set(b, b->exec, emit_field(e, e->warp, offsetof(struct warp, frame.exec), e->i32));
    LLVMValueRef choose = e->llvm->BuildSwitch(e->builder, point, never, 8);
    for (uint32_t to = 0; to < b->flow->nsegments; to++)
        if (flow_in(flow_resumed(b->flow, segment), to))
            e->llvm->AddCase(choose, emit_const(e, 32, b->flow->segments[to].point), way_to(b, segment, to));
    emit_begin(e, never);
    e->llvm->BuildUnreachable(e->builder);
}

/* A branch that parts: those that do not take it go on later. */
static void split(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken, LLVMValueRef stay)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef room = emit_block(e, ""), full = emit_block(e, "");
    make_room(b, room, full);
    emit_begin(e, full);
    leave(b, JIT_STEP, segment, (uint32_t)(at - b->flow->func->decoded));
    emit_begin(e, room);
    account(b, at);
    put_token(b, stay, at->next, TOKEN_OTHER_SIDE);
    set(b, b->divergent, LL(BuildAdd, get(b, b->divergent, e->i64), emit_const(e, 64, 1)));
    set(b, b->exec, taken);
    emit_jump(e, way_to(b, segment, segment_of(b, at->target)));
}

/* All lanes that run take a token: the common one is on top, and brings them where it leads. */
static void pop_all(struct blocks *b, uint32_t segment, const struct decoded *at)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef fast = emit_block(e, ""), slow = emit_block(e, "");
    LLVMValueRef kind = emit_const(e, 32, at->inst->mode), below = LL(BuildSub, ntokens(b), emit_const(e, 32, 1));
    LLVMValueRef top = token_at(b, below), lanes = emit_field(e, top, offsetof(struct token, lanes), e->i32);
    LLVMValueRef top_kind = emit_field(e, top, offsetof(struct token, kind), e->i32);
    LLVMValueRef lacks = LL(BuildOr, LL(BuildXor, top_kind, kind), LL(BuildAnd, e->exec, LL(BuildNot, lanes)));
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, lacks, zero(b)), fast, slow, true);
    emit_begin(e, fast);
    set(b, b->exec, LL(BuildAnd, lanes, emit_field(e, e->warp, offsetof(struct warp, live), e->i32)));
    emit_set_field(e, e->warp, offsetof(struct warp, ntokens), below);
    emit_jump(e, way_to(b, segment, b->flow->pops_to[segment]));
    emit_begin(e, slow);
    LLVMValueRef args[] = {e->warp, e->exec, kind};
    call(b, offsetof(struct jit_code, unwind), e->nothing, args, 3);
    run_next(b, segment);
}

/* All lanes that run exit. */
static void exit_all(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef on = emit_block(e, ""), done = emit_block(e, "");
    LLVMValueRef live = emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    emit_branch(e, LL(BuildICmp, LLVMIntNE, live, e->exec), on, done, false);
    emit_begin(e, done);
    give_back(b, JIT_DONE);
    emit_begin(e, on);
    LLVMValueRef args[] = {e->warp, e->exec};
    call(b, offsetof(struct jit_code, exit), e->nothing, args, 2);
    run_next(b, segment);
}

/* Those in `taken` pop or exit, the others go on. */
static void some_end(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken,
                     LLVMValueRef stay)
{
    struct emit *e = b->e;
    LLVMValueRef args[] = {e->warp, taken, emit_const(e, 32, at->inst->mode)};
    if (at->op == LANE_OP_pop && b->flow->pops_to[segment] != UINT32_MAX)
        call(b, offsetof(struct jit_code, unwind), e->nothing, args, 3);
    else
        call(b, offsetof(struct jit_code, exit), e->nothing, args, 2);
    set(b, b->exec, stay);
    emit_jump(e, b->start[segment_of(b, at->next)]);
}

/* A pop of lanes that hold no such token, which is an error: the interpreter's. */
static bool lacks_token(const struct blocks *b, uint32_t segment, const struct decoded *at)
{
    return at->op == LANE_OP_pop && b->flow->pops_to[segment] == UINT32_MAX && at->inst->mode != LANE_TOKEN_RETURN &&
           at->inst->mode != LANE_TOKEN_EXIT;
}

/* All lanes that run go where the end of a segment leads. */
static void end_together(struct blocks *b, uint32_t segment, const struct decoded *last)
{
    if (last->op == LANE_OP_bra || last->op == DECODED_FALL)
        emit_jump(b->e, way_to(b, segment, segment_of(b, last->target)));
    else if (last->op == LANE_OP_pop && b->flow->pops_to[segment] != UINT32_MAX)
        pop_all(b, segment, last);
    else
        exit_all(b, segment);
}

static void end_stacked(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    uint32_t index = here->first + here->count - 1;
    const struct decoded *last = &b->flow->func->decoded[index];
    LLVMBasicBlockRef all = emit_block(e, "");
    if (last->guard != KERNEL_NONE) {
        LLVMBasicBlockRef some_take = emit_block(e, ""), none = emit_block(e, ""), part = emit_block(e, "");
        LLVMValueRef taken = emit_guarded(e, last, e->exec), stay = LL(BuildAnd, e->exec, LL(BuildNot, taken));
        emit_branch(e, some(b, taken), some_take, none, false);
        emit_begin(e, none);
        account(b, last);
        emit_jump(e, b->start[segment_of(b, last->next)]);
        emit_begin(e, some_take);
        emit_branch(e, some(b, stay), part, all, false);
        emit_begin(e, part);
        if (lacks_token(b, segment, last)) {
            leave(b, JIT_STEP, segment, index);
        } else if (last->op == LANE_OP_bra) {
            split(b, segment, last, taken, stay);
        } else {
            account(b, last);
            some_end(b, segment, last, taken, stay);
        }
    } else {
        emit_jump(e, all);
    }
    emit_begin(e, all);
    if (lacks_token(b, segment, last)) {
        leave(b, JIT_STEP, segment, index);
        return;
    }
    account(b, last);
    end_together(b, segment, last);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* Lanes that wait elsewhere might have to come here first: then the interpreter goes on. */
static void gather(struct blocks *b, uint32_t segment, uint32_t index)
{
    struct emit *e = b->e;
    LLVMValueRef others = NULL;
    FOR_WAITING(b, segment, to)
    others = others ? LL(BuildOr, others, waiting(b, to)) : waiting(b, to);
    if (others)
        leave_unless(b, LL(BuildICmp, LLVMIntEQ, others, zero(b)), segment, index);
}

static bool emit_once(struct blocks *b, uint32_t segment, uint32_t index)
{
    struct emit *e = b->e;
    const struct decoded *at = &b->flow->func->decoded[index];
    if (!once_is(e, at))
        return false;
    LLVMValueRef fits = once_fits(e, at);
    if (fits)
        leave_unless(b, fits, segment, index);
    return once_emit(e, at);
}

static void emit_instruction(struct blocks *b, uint32_t segment, uint32_t index)
{
    struct emit *e = b->e;
    const struct decoded *at = &b->flow->func->decoded[index];
    if (at->op < LANE_OPS && lane_is(at->op, LANE_WAITS) && !stacked(b))
        gather(b, segment, index);
    if (emit_once(b, segment, index))
        return;
    once_unfold(e, at);
    if (at->op < LANE_OPS && lane_is(at->op, LANE_CLOCK))
        flush_counters(b); /* clocks of orders that repeat themselves count instructions */
    if (at->op == LANE_OP_push)
        push(b, at);
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

static void emit_segment(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    e->segment = segment;
    emit_begin(e, b->start[segment]);
    e->exec = get(b, b->exec, e->i32);
    memcpy(b->forms, flow_forms(b->flow, segment), b->flow->nslots);
    for (uint32_t i = 0; i + 1 < here->count; i++) {
        emit_instruction(b, segment, here->first + i);
        uniform_pass(b->flow, segment, &b->flow->func->decoded[here->first + i], b->forms);
        if (i % JIT_PIECE == JIT_PIECE - 1)
            cut(b);
    }
    once_settle(e);
    if (here->leaves)
        leave(b, JIT_STEP, segment, here->first + here->count - 1);
    else if (stacked(b))
        end_stacked(b, segment);
    else
        end_segment(b, segment);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

/* Lanes that the interpreter has let go on in another order may differ in other ways than the code has it: then it is
 * not entered. */
static void check_entry(struct blocks *b)
{
    struct emit *e = b->e;
    LLVMValueRef all = once_conforms(e);
    if (!all)
        return;
    LLVMBasicBlockRef on = emit_block(e, ""), out = emit_block(e, "");
    emit_branch(e, all, on, out, true);
    emit_begin(e, out);
    e->llvm->BuildRet(e->builder, emit_const(e, 32, JIT_REFUSED));
    emit_begin(e, on);
}

/* Registers come from the frame, lanes that wait from `masks`. */
static void emit_entry(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct flow *flow = b->flow;
    uint64_t n = 0;
    e->segment = segment;
    e->forms = flow_forms(flow, segment);
    e->exec = get(b, b->exec, e->i32);
    check_entry(b);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (once_needed(e, slot))
            emit_fill(e, flow->slots[slot], flow->slot_bits[slot], once_in_need(e, slot));
    e->forms = b->forms;
    if (!stacked(b))
        FOR_WAITING(b, segment, to)
    set(b, waiting_at(b, to), emit_field(e, e->masks, 4 * n++, e->i32));
    emit_jump(e, b->start[segment]);
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

static void emit_entries(struct blocks *b, LLVMValueRef entry)
{
    struct emit *e = b->e;
    uint32_t n = b->code->nentries;
    set(b, b->exec, emit_field(e, e->warp, offsetof(struct warp, frame.exec), e->i32));
    set(b, b->turns, emit_field(e, e->warp, offsetof(struct warp, turns), e->i32));
    LLVMValueRef choose = e->llvm->BuildSwitch(e->builder, entry, b->start[0], n);
    for (uint32_t i = 0; i < n; i++) {
        LLVMBasicBlockRef here = emit_block(e, "");
        e->llvm->AddCase(choose, emit_const(e, 32, i + 1), here);
        emit_begin(e, here);
        emit_entry(b, b->code->entries[i]);
    }
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

static bool emit_all(struct blocks *b)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef body = emit_head(e);
    b->exec = new_variable(b, e->i32, 0);
    b->turns = new_variable(b, e->i32, 0);
    b->fair = new_variable(b, e->i32, FAIR_TURNS);
    b->instructions = new_variable(b, e->i64, 0);
    b->lane_instructions = new_variable(b, e->i64, 0);
    b->divergent = new_variable(b, e->i64, 0);
    rows_counters(e);
    if (!find_starts(b))
        return false;
    emit_entries(b, e->llvm->GetParam(e->function, 2));
    for (uint32_t s = 0; s < b->flow->nsegments && b->ok; s++)
        if (b->start[s])
            emit_segment(b, s);
    for (uint32_t s = 0; s < b->flow->nsegments && b->ok; s++)
        if (b->back[s]) {
            emit_begin(e, b->back[s]);
            go_back(b, s, NULL);
        }
    emit_begin(e, e->stopped);
    give_back(b, JIT_STOPPED);
    e->llvm->BuildBr(e->entry_builder, body);
    e->llvm->DisposeBuilder(e->entry_builder);
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
    e->forms = b.forms = arena_array(arena, code->flow.nslots + 1, 1);
    code->slow = arena_array(arena, code->func->ndecoded + 1, sizeof *code->slow);
    e->variables = arena_array(arena, code->func->constants_at / 4 + 1, sizeof *e->variables);
    if (!b.start || !b.back || !b.waiting || !b.live || !b.forms || !code->slow || !e->variables)
        return false;
    return loose_find(e, code) && emit_all(&b);
}
