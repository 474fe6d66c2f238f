/* Where compiled code is entered: with a block, or with one warp as the interpreter left it. */
#include "engine/jit/entries.h"

#include "engine/jit/barriers.h"
#include "engine/jit/dispatch.h"
#include "engine/jit/once.h"
#include "engine/jit/twins.h"

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
    emit_clear_upper(e);
    e->llvm->BuildRet(e->builder, emit_const(e, 32, JIT_REFUSED));
    emit_begin(e, on);
}

/* A frame has lane 0 of what has a form (barriers.c). */
void entries_fill(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct flow *flow = b->flow;
    e->forms = flow_forms(flow, segment);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (bitset_has(flow->live + (size_t)segment * flow->slot_words, slot))
            emit_fill(e, flow->slots[slot], flow->slot_bits[slot], emit_const(e, 32, ALL_LANES));
    e->forms = b->forms;
}

/* ... or gets it. Lanes that wait are in jit_call. */
static void enter_waiting(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct flow *flow = b->flow;
    e->segment = segment;
    e->forms = flow_forms(flow, segment);
    e->exec = blocks_get(b, b->exec, e->i32);
    check_entry(b);
    for (uint32_t slot = 0; slot < flow->nslots; slot++) {
        if (!once_needed(e, slot))
            continue;
        emit_fill(e, flow->slots[slot], flow->slot_bits[slot], once_in_need(e, slot));
        if (e->forms[slot] < FORM_UNSEEN)
            emit_park_first(e, flow->slots[slot], flow->slot_bits[slot]);
    }
    e->forms = b->forms;
    if (!blocks_stacked(b) && !flow->many)
        FOR_WAITING(b, segment, to)
    blocks_set(b, blocks_waiting_at(b, to), emit_field(e, e->call, JIT_MASK(to), e->i32));
    emit_jump(e, b->start[segment]);
}

/* One warp, as the interpreter left it. */
static void enter_single(struct blocks *b, LLVMValueRef entry)
{
    struct emit *e = b->e;
    uint32_t n = b->code->nentries;
    blocks_set(b, b->exec, emit_field(e, e->warp, offsetof(struct warp, frame.exec), e->i32));
    blocks_set(b, b->turns, emit_field(e, e->warp, offsetof(struct warp, turns), e->i32));
    blocks_set(b, b->fair, emit_field(e, e->warp, offsetof(struct warp, fair), e->i32));
    dispatch_enter(b);
    entry = LL(BuildAnd, entry, emit_const(e, 32, ~JIT_SINGLE));
    LLVMValueRef choose = e->llvm->BuildSwitch(e->builder, entry, b->start[0], n);
    for (uint32_t i = 0; i < n; i++) {
        LLVMBasicBlockRef here = emit_block(e, "");
        e->llvm->AddCase(choose, emit_const(e, 32, i + 1), here);
        emit_begin(e, here);
        enter_waiting(b, b->code->entries[i]);
    }
}

/* A warp of a block: all its lanes, for as many turns as a warp has at a time. */
static void enter_block(struct blocks *b, LLVMValueRef entry, LLVMBasicBlockRef single)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef start = emit_block(e, "");
    uint16_t weights[EMIT_WAYS] = {1, 1}; /* one warp; the start */
    unsigned ways = 2;
    twins_resume(b);
    blocks_set(b, b->exec, emit_field(e, e->warp, offsetof(struct warp, live), e->i32));
    blocks_set(b, b->turns, emit_const(e, 32, WARP_TURNS));
    LLVMValueRef choose = e->llvm->BuildSwitch(e->builder, entry, single, b->code->nentries + 1);
    e->llvm->AddCase(choose, emit_const(e, 32, 0), start);
    for (uint32_t i = 0; i < b->code->nentries; i++)
        if (barriers_begins(b, b->code->entries[i])) {
            LLVMBasicBlockRef here = emit_block(e, "");
            if (ways < EMIT_WAYS)
                weights[ways] = b->flow->segments[b->code->entries[i]].loops ? EMIT_OFTEN : 1;
            ways++;
            e->llvm->AddCase(choose, emit_const(e, 32, i + 1), here);
            emit_begin(e, here);
            entries_fill(b, b->code->entries[i]);
            emit_jump(e, b->start[b->code->entries[i]]);
        }
    emit_weights(e, choose, weights, ways);
    emit_begin(e, start);
    if (blocks_stacked(b)) /* the last block has left tokens that all lanes exited with */
        emit_set_field(e, e->warp, offsetof(struct warp, ntokens), blocks_zero(b));
    emit_jump(e, b->start[0]);
}

void entries_emit(struct blocks *b)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef single = emit_block(e, "");
    LLVMValueRef entry = parts_entry(e, &b->parts);
    enter_block(b, entry, single);
    emit_begin(e, single);
    enter_single(b, entry);
}
