/* Kernels whose lanes may wait at many segments: loops around a switch, machines of states. Tests of each place where
 * lanes may wait, at the end of each segment, would be more code than there is in the kernel. So lanes that wait are
 * words in memory, jit_call.masks, by the number of the segment; a set has the segments where they are not 0, and one
 * place looks for the lowest of these:
 *
 *   end of segment 7:  masks[3] |= exec & p; masks[9] |= exec & ~p; some |= ...; from = 7; goto dispatch
 *   dispatch:          s = the lowest of some; some -= s; exec = masks[s]; masks[s] = 0;
 *                      if (s <= from) a turn less;  goto segment s
 *
 * Segments with few ways do as in other kernels (blocks.c), with the same words. */
#include "engine/jit/dispatch.h"

#include "engine/jit/blocks.h"
#include "engine/jit/rows.h"

#include <assert.h>

/* Segments of each word of bits; so many words are variables: more take LLVM long, as each segment would have its own
 * of each. */
enum { SET = 64, FEW_SETS = 3 };

static LLVMValueRef masks(struct emit *e)
{
    return emit_at(e, e->call, emit_const(e, 64, JIT_MASK(0)));
}

/* The place of a field of struct jit_call, known from the start on. */
static LLVMValueRef in_call(struct emit *e, uint64_t at)
{
    LLVMValueRef offset = emit_const(e, 64, at);
    return e->llvm->BuildGEP2(e->entry_builder, e->i8, e->call, &offset, 1, "");
}

static LLVMValueRef set_in_call(struct emit *e, uint32_t k)
{
    LLVMValueRef at = in_call(e, offsetof(struct jit_call, some) + k * sizeof(uint64_t));
    e->llvm->BuildStore(e->entry_builder, emit_const(e, 64, 0), at);
    return at;
}

bool dispatch_open(struct blocks *b)
{
    struct emit *e = b->e;
    if (!b->flow->many)
        return true;
    b->some = arena_array(&b->code->arena, b->flow->words, sizeof *b->some);
    b->dispatch = emit_block(e, "dispatch");
    b->from = in_call(e, offsetof(struct jit_call, from));
    for (uint32_t k = 0; b->some && k < b->flow->words; k++)
        b->some[k] = b->flow->words <= FEW_SETS ? emit_variable(e, e->i64, 0) : set_in_call(e, k);
    return b->some;
}

LLVMValueRef dispatch_place(struct blocks *b, uint32_t segment)
{
    return in_call(b->e, JIT_MASK(segment));
}

LLVMValueRef dispatch_counter(struct blocks *b)
{
    assert(b->ncounters < JIT_COUNTERS);
    return in_call(b->e, offsetof(struct jit_call, counters) + sizeof(uint64_t) * b->ncounters++);
}

/* The bit of a segment is set where lanes wait there. */
static void note(struct blocks *b, uint32_t segment, LLVMValueRef some, bool clears)
{
    struct emit *e = b->e;
    LLVMValueRef word = b->some[segment / SET], bits = blocks_get(b, word, e->i64);
    if (clears)
        bits = LL(BuildAnd, bits, emit_const(e, 64, ~(UINT64_C(1) << segment % SET)));
    LLVMValueRef bit = LL(BuildShl, LL(BuildZExt, some, e->i64), emit_const(e, 64, segment % SET));
    blocks_set(b, word, LL(BuildOr, bits, bit));
}

void dispatch_set(struct blocks *b, uint32_t segment, LLVMValueRef lanes)
{
    blocks_set(b, blocks_waiting_at(b, segment), lanes);
    if (b->flow->many)
        note(b, segment, blocks_some(b, lanes), true);
}

void dispatch_enter(struct blocks *b)
{
    struct emit *e = b->e;
    for (uint32_t k = 0; b->flow->many && k < b->flow->words; k++) {
        LLVMValueRef bits = emit_const(e, 64, 0);
        for (uint32_t part = 0; part < SET / LANES; part++) {
            LLVMValueRef at = emit_at(e, e->call, emit_const(e, 64, JIT_MASK(SET * k + LANES * part)));
            LLVMValueRef some = LL(BuildICmp, LLVMIntNE, rows_load(e, at, 32, LANES), emit_consts(e, 32, 0));
            LLVMValueRef word = LL(BuildZExt, emit_word(e, some), e->i64);
            bits = LL(BuildOr, bits, LL(BuildShl, word, emit_const(e, 64, LANES * part)));
        }
        blocks_set(b, b->some[k], bits);
    }
}

bool dispatch_is(const struct blocks *b, uint32_t segment)
{
    return b->flow->many && flow_ways(b->flow, segment) > FLOW_FEW;
}

/* Lanes come to the segment at a point, beside those that wait there. */
static void come_to(struct blocks *b, uint32_t point, LLVMValueRef lanes)
{
    struct emit *e = b->e;
    uint32_t segment = blocks_segment_of(b, point);
    LLVMValueRef at = blocks_waiting_at(b, segment);
    blocks_set(b, at, LL(BuildOr, blocks_get(b, at, e->i32), lanes));
    note(b, segment, blocks_some(b, lanes), false);
}

/* The segment that a number in a table, which is in range, leads to. */
static LLVMValueRef choose(struct blocks *b, const struct lane_table *table, LLVMValueRef value)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef to[FLOW_TARGETS], none = emit_block(e, ""), on = emit_block(e, "");
    LLVMValueRef branch = e->llvm->BuildSwitch(e->builder, value, none, table->count);
    emit_begin(e, none);
    e->llvm->BuildUnreachable(e->builder);
    emit_begin(e, on);
    LLVMValueRef chosen = LL(BuildPhi, e->i32);
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t first = 0; /* of those that lead there */
        while (table->blocks[first] != table->blocks[i])
            first++;
        to[i] = first < i ? to[first] : emit_block(e, "");
        e->llvm->AddCase(branch, emit_const(e, 32, i), to[i]);
        if (first < i)
            continue;
        uint32_t segment = blocks_segment_of(b, b->flow->func->point_of_block[table->blocks[i]]);
        LLVMValueRef number = emit_const(e, 32, segment);
        e->llvm->AddIncoming(chosen, &number, &to[i], 1);
        emit_begin(e, to[i]);
        emit_jump(e, on);
    }
    emit_begin(e, on);
    return chosen;
}

/* Lanes, of which there are some, come to a segment whose number is known when code runs. */
static void come_where(struct blocks *b, LLVMValueRef segment, LLVMValueRef lanes)
{
    struct emit *e = b->e;
    LLVMValueRef at = rows_element_at(e, masks(e), LL(BuildZExt, segment, e->i64), 32);
    blocks_set(b, at, LL(BuildOr, LL(BuildLoad2, e->i32, at), lanes));
    LLVMValueRef set = LL(BuildUDiv, segment, emit_const(e, 32, SET));
    LLVMValueRef number = LL(BuildZExt, LL(BuildURem, segment, emit_const(e, 32, SET)), e->i64);
    LLVMValueRef bit = LL(BuildShl, emit_const(e, 64, 1), number);
    for (uint32_t k = 0; k < b->flow->words; k++) {
        LLVMValueRef here = LL(BuildICmp, LLVMIntEQ, set, emit_const(e, 32, k)),
                     bits = blocks_get(b, b->some[k], e->i64);
        bits = LL(BuildOr, bits, LL(BuildSelect, here, bit, emit_const(e, 64, 0)));
        blocks_set(b, b->some[k], bits);
    }
}

/* Lanes go by their numbers: those with one number at a time. How many there are, i64. */
static LLVMValueRef choose_each(struct blocks *b, const struct lane_table *table, LLVMValueRef index,
                                LLVMValueRef taken)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef head = emit_block(e, ""), some = emit_block(e, ""), done = emit_block(e, "");
    LLVMValueRef array = rows_keep(e, 0, index), left = emit_variable(e, e->i32, 0);
    LLVMValueRef numbers = emit_variable(e, e->i64, 0);
    blocks_set(b, left, taken);
    blocks_set(b, numbers, emit_const(e, 64, 0));
    emit_jump(e, head);
    emit_begin(e, head);
    LLVMValueRef lanes = blocks_get(b, left, e->i32);
    emit_branch(e, blocks_some(b, lanes), some, done, true);
    emit_begin(e, some);
    LLVMValueRef args[] = {lanes, emit_const(e, 1, 1)};
    LLVMValueRef lane = LL(BuildZExt, emit_intrinsic(e, "llvm.cttz", e->i32, args, 2), e->i64);
    LLVMValueRef value = rows_element(e, array, lane, 32);
    LLVMValueRef same = emit_word(e, LL(BuildICmp, LLVMIntEQ, index, emit_splat(e, value)));
    same = LL(BuildAnd, same, lanes);
    blocks_set(b, left, LL(BuildAnd, lanes, LL(BuildNot, same)));
    blocks_set(b, numbers, LL(BuildAdd, blocks_get(b, numbers, e->i64), emit_const(e, 64, 1)));
    come_where(b, choose(b, table, value), same);
    emit_jump(e, head);
    emit_begin(e, done);
    return blocks_get(b, numbers, e->i64);
}

/* brx: the lanes that take it, whose numbers are in the table. */
static void take_table(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken,
                       LLVMValueRef stay)
{
    struct emit *e = b->e;
    const struct lane_table *table = &b->flow->func->lane->tables[at->inst->aux];
    LLVMValueRef index = blocks_index(b, segment, at, taken), parts = choose_each(b, table, index, taken);
    if (stay)
        parts = LL(BuildAdd, parts, LL(BuildZExt, blocks_some(b, stay), e->i64));
    parts = LL(BuildSub, parts, emit_const(e, 64, 1));
    blocks_set(b, b->divergent, LL(BuildAdd, blocks_get(b, b->divergent, e->i64), parts));
}

/* Some lanes exit. Are they the last, the warp is done. */
static void take_exit(struct blocks *b, LLVMValueRef taken)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef on = emit_block(e, "");
    LLVMValueRef live = emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    emit_branch(e, LL(BuildICmp, LLVMIntNE, live, taken), on, b->done, true);
    emit_begin(e, on);
    blocks_exit_some(b, taken);
}

/* Where the end of a segment leads on to, if nobody can wait before that; else UINT32_MAX. */
static uint32_t next_of_all(const struct blocks *b, uint32_t segment)
{
    const struct segment *here = &b->flow->segments[segment];
    uint32_t next = UINT32_MAX;
    for (uint32_t i = 0; i < here->nto; i++)
        next = here->to[i] < next ? here->to[i] : next;
    bool first = next > segment && next != UINT32_MAX;
    for (uint32_t to = segment + 1; first && to < next; to++)
        first = !bitset_has(flow_waits(b->flow, segment), to);
    return first ? next : UINT32_MAX;
}

/* Lanes have come to where they go. Some of them to `next`, and nobody waits before that: they go on without being
 * looked for. */
static void go_next(struct blocks *b, uint32_t next)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef here = emit_block(e, ""), other = emit_block(e, "");
    LLVMValueRef lanes = blocks_get(b, blocks_waiting_at(b, next), e->i32);
    emit_branch(e, blocks_some(b, lanes), here, other, false);
    emit_begin(e, here);
    dispatch_set(b, next, blocks_zero(b));
    blocks_set(b, b->exec, lanes);
    emit_jump(e, b->start[next]);
    emit_begin(e, other);
}

void dispatch_end(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    const struct decoded *last = &b->flow->func->decoded[here->first + here->count - 1];
    LLVMValueRef taken = emit_guarded(e, last, e->exec);
    LLVMValueRef stay = last->guard == KERNEL_NONE ? NULL : LL(BuildAnd, e->exec, LL(BuildNot, taken));
    if (last->op == LANE_OP_brx)
        take_table(b, segment, last, taken, stay);
    blocks_account(b, last);
    if (last->op == LANE_OP_ret || last->op == LANE_OP_exit)
        take_exit(b, taken);
    if (last->op == LANE_OP_bra || last->op == DECODED_FALL)
        come_to(b, last->target, taken);
    if (stay)
        come_to(b, last->next, stay);
    if (stay && last->op == LANE_OP_bra)
        blocks_divergence(b, taken, stay);
    uint32_t next = next_of_all(b, segment);
    if (next != UINT32_MAX)
        go_next(b, next);
    blocks_set(b, b->from, emit_const(e, 32, 2 * (uint64_t)segment + here->spins));
    emit_jump(e, b->dispatch);
}

/* ---- the common place ----------------------------------------------------------------------------------------------
 */

/* The number of the lowest segment at which lanes wait, in a variable, at *found: they do no longer. Somebody waits, or
 * the warp is done. */
static LLVMValueRef take_lowest(struct blocks *b, LLVMBasicBlockRef found)
{
    struct emit *e = b->e;
    LLVMValueRef lowest = emit_variable(e, e->i32, 0);
    for (uint32_t k = 0; k < b->flow->words; k++) {
        LLVMBasicBlockRef here = emit_block(e, ""), next = emit_block(e, "");
        LLVMValueRef bits = blocks_get(b, b->some[k], e->i64), args[] = {bits, emit_const(e, 1, 1)};
        emit_branch(e, LL(BuildICmp, LLVMIntNE, bits, emit_const(e, 64, 0)), here, next, true);
        emit_begin(e, here);
        LLVMValueRef number = LL(BuildTrunc, emit_intrinsic(e, "llvm.cttz", e->i64, args, 2), e->i32);
        blocks_set(b, lowest, LL(BuildAdd, number, emit_const(e, 32, SET * k)));
        blocks_set(b, b->some[k], LL(BuildAnd, bits, LL(BuildSub, bits, emit_const(e, 64, 1))));
        emit_jump(e, found);
        emit_begin(e, next);
    }
    emit_jump(e, b->done);
    return lowest;
}

/* Does a segment that is not below `to` lead there, by the common place? Those that wait meanwhile are above it. */
static bool comes_back(const struct blocks *b, uint32_t to, bool *spins)
{
    bool back = false;
    *spins = false;
    for (uint32_t s = to; s < b->flow->nsegments && b->flow->segments[to].entry; s++) {
        const struct segment *from = &b->flow->segments[s];
        bool comes = dispatch_is(b, s);
        for (uint32_t i = 0; i < from->nto && comes; i++) {
            back = back || from->to[i] == to;
            *spins = *spins || (from->spins && from->to[i] == to);
        }
    }
    return back;
}

/* The lanes that run at segment `to`, come from segment `from` / 2. */
static void run_at(struct blocks *b, uint32_t to, LLVMValueRef from, LLVMValueRef others)
{
    struct emit *e = b->e;
    bool spins;
    if (!comes_back(b, to, &spins)) {
        emit_jump(e, b->start[to]);
        return;
    }
    LLVMBasicBlockRef back = emit_block(e, "");
    emit_branch(e, LL(BuildICmp, LLVMIntUGE, from, emit_const(e, 32, 2 * (uint64_t)to)), back, b->start[to], false);
    emit_begin(e, back);
    LLVMValueRef spin = LL(BuildICmp, LLVMIntNE, LL(BuildAnd, from, emit_const(e, 32, 1)), blocks_zero(b));
    blocks_go_back(b, to, spins ? spin : NULL, spins ? LL(BuildSelect, spin, others, blocks_zero(b)) : NULL);
}

void dispatch_close(struct blocks *b)
{
    struct emit *e = b->e;
    if (!b->flow->many)
        return;
    LLVMBasicBlockRef found = emit_block(e, ""), none = emit_block(e, "");
    emit_begin(e, b->dispatch);
    LLVMValueRef lowest = take_lowest(b, found);
    emit_begin(e, found);
    LLVMValueRef number = blocks_get(b, lowest, e->i32), from = blocks_get(b, b->from, e->i32);
    LLVMValueRef at = rows_element_at(e, masks(e), LL(BuildZExt, number, e->i64), 32);
    LLVMValueRef lanes = LL(BuildLoad2, e->i32, at);
    LLVMValueRef live = emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    LLVMValueRef others = LL(BuildAnd, live, LL(BuildNot, lanes));
    blocks_set(b, at, blocks_zero(b));
    blocks_set(b, b->exec, lanes);
    LLVMValueRef branch = e->llvm->BuildSwitch(e->builder, number, none, b->flow->nsegments);
    emit_begin(e, none);
    e->llvm->BuildUnreachable(e->builder);
    for (uint32_t s = 0; s < b->flow->nsegments; s++) {
        if (!b->start[s] || b->flow->segments[s].point == UINT32_MAX)
            continue;
        LLVMBasicBlockRef here = emit_block(e, "");
        e->llvm->AddCase(branch, emit_const(e, 32, s), here);
        emit_begin(e, here);
        run_at(b, s, from, others);
    }
}
