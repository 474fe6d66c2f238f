/* From warp to warp, from barrier to barrier. */
#include "engine/jit/parts.h"

#include "engine/jit/rows.h"

static LLVMValueRef get(struct emit *e, LLVMValueRef variable)
{
    return LL(BuildLoad2, e->i32, variable);
}

static LLVMValueRef get_warp(struct emit *e, LLVMValueRef variable)
{
    return LL(BuildLoad2, e->ptr, variable);
}

static void set(struct emit *e, LLVMValueRef variable, LLVMValueRef value)
{
    e->llvm->BuildStore(e->builder, value, variable);
}

static LLVMValueRef is_single(struct emit *e, LLVMValueRef entry)
{
    return LL(BuildICmp, LLVMIntSLT, entry, emit_const(e, 32, 0));
}

/* ---- between warps ----------------------------------------------------------------------------------------------- */

/* In tight code a field of struct jit_call. */
static LLVMValueRef new_variable(struct emit *e, size_t field, LLVMValueRef value)
{
    LLVMValueRef at =
        e->tight ? emit_at(e, e->call, emit_const(e, 64, field)) : LL(BuildAlloca, e->llvm->TypeOf(value));
    set(e, at, value);
    return at;
}

static void make_variables(struct emit *e, struct parts *p)
{
    LLVMValueRef entry = e->llvm->GetParam(e->function, 2), none = emit_const(e, 32, JIT_STOPPED);
    p->at = new_variable(e, offsetof(struct jit_call, warp), e->given);
    p->last = new_variable(e, offsetof(struct jit_call, last), e->given);
    p->first = new_variable(e, offsetof(struct jit_call, first), e->given);
    p->entry = new_variable(e, offsetof(struct jit_call, entry), entry);
    p->ended = new_variable(e, offsetof(struct jit_call, ended),
                            LL(BuildSelect, is_single(e, entry), emit_const(e, 32, JIT_SINGLE), none));
}

/* The one after a warp, in the order of the block and around. */
static LLVMValueRef following(struct emit *e, LLVMValueRef warp)
{
    return emit_field(e, warp, offsetof(struct warp, next), e->ptr);
}

static LLVMValueRef has_lanes(struct emit *e, LLVMValueRef warp)
{
    LLVMValueRef live = emit_field(e, warp, offsetof(struct warp, live), e->i32);
    return LL(BuildICmp, LLVMIntNE, live, emit_const(e, 32, 0));
}

LLVMValueRef parts_follows(struct emit *e, const struct parts *p)
{
    LLVMValueRef at = following(e, get_warp(e, p->last));
    return LL(BuildAnd, LL(BuildICmp, LLVMIntNE, at, get_warp(e, p->first)), has_lanes(e, at));
}

/* The next warp of the part that has lanes. */
static void emit_fresh(struct emit *e, const struct parts *p)
{
    LLVMBasicBlockRef again = emit_block(e, ""), on = emit_block(e, ""), found = emit_block(e, "");
    emit_begin(e, p->fresh);
    set(e, p->at, get_warp(e, p->last));
    emit_jump(e, again);
    emit_begin(e, again);
    LLVMValueRef at = following(e, get_warp(e, p->at));
    set(e, p->at, at);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, at, get_warp(e, p->first)), p->none, on, false);
    emit_begin(e, on);
    emit_branch(e, has_lanes(e, at), found, again, true);
    emit_begin(e, found);
    set(e, p->last, at);
    emit_jump(e, p->found);
}

static LLVMBuilderRef builder_at(struct emit *e, LLVMBasicBlockRef block)
{
    LLVMBuilderRef builder = e->llvm->CreateBuilderInContext(e->context);
    e->llvm->PositionBuilderAtEnd(builder, block);
    return builder;
}

static void begin_warp(struct emit *e, const struct parts *p)
{
    emit_begin(e, p->warp);
    e->warp = get_warp(e, p->at);
    e->regs = emit_field(e, e->warp, offsetof(struct warp, frame.regs), e->ptr);
    e->warp_builder = builder_at(e, p->warp);
}

static void make_function(struct emit *e)
{
    LLVMTypeRef types[] = {e->ptr, e->ptr, e->i32, e->ptr};
    e->function = emit_function(e, "run", e->llvm->FunctionType(e->i32, types, 4, false));
    if (e->daz)
        emit_attribute(e, e->function, "denormal-fp-math", "preserve-sign,preserve-sign");
}

void parts_open(struct emit *e, struct parts *p)
{
    make_function(e);
    LLVMBasicBlockRef call = emit_block(e, "call");
    e->stopped = emit_block(e, "stopped");
    p->part = emit_block(e, "part");
    p->block = emit_block(e, "block");
    p->warp = emit_block(e, "warp");
    p->begin = emit_block(e, "begin");
    emit_begin(e, call);
    e->given = e->llvm->GetParam(e->function, 0);
    e->given_regs = emit_field(e, e->given, offsetof(struct warp, frame.regs), e->ptr);
    e->code = e->llvm->GetParam(e->function, 1);
    e->call = e->llvm->GetParam(e->function, 3);
    make_variables(e, p);
    e->entry_builder = builder_at(e, call);
    e->part_builder = builder_at(e, p->part);
    e->block_builder = builder_at(e, p->block);
    begin_warp(e, p);
    p->next = emit_block(e, "next");
    p->fresh = emit_block(e, "fresh");
    p->found = emit_block(e, "found");
    p->none = emit_block(e, "over");
    p->round = emit_block(e, "round");
    p->all_exited = emit_block(e, "all_exited");
    emit_fresh(e, p);
    emit_begin(e, p->none);
    set(e, p->at, get_warp(e, p->last));
    p->over = e->llvm->BuildSwitch(e->builder, get(e, p->ended), p->all_exited, 1);
    emit_begin(e, p->begin);
}

static void end_builder(struct emit *e, LLVMBuilderRef builder, LLVMBasicBlockRef to)
{
    e->llvm->BuildBr(builder, to);
    e->llvm->DisposeBuilder(builder);
}

void parts_close(struct emit *e, const struct parts *p)
{
    end_builder(e, e->entry_builder, p->part);
    end_builder(e, e->part_builder, p->block);
    end_builder(e, e->block_builder, p->found);
    end_builder(e, e->warp_builder, p->begin);
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

LLVMValueRef parts_warp(struct emit *e, const struct parts *p)
{
    return get_warp(e, p->at);
}

LLVMValueRef parts_entry(struct emit *e, const struct parts *p)
{
    return get(e, p->entry);
}

void parts_end(struct emit *e, const struct parts *p, uint32_t how)
{
    LLVMBasicBlockRef other = emit_block(e, ""), note = emit_block(e, ""), differs = emit_block(e, "");
    LLVMValueRef ended = get(e, p->ended);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, ended, emit_const(e, 32, how)), p->next, other, true);
    emit_begin(e, other);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, ended, emit_const(e, 32, JIT_STOPPED)), note, differs, true);
    emit_begin(e, note);
    set(e, p->ended, emit_const(e, 32, how));
    emit_jump(e, p->next);
    emit_begin(e, differs);
}

void parts_may_end(struct emit *e, const struct parts *p, uint32_t how)
{
    LLVMBasicBlockRef on = emit_block(e, "");
    LLVMValueRef ended = get(e, p->ended);
    LLVMValueRef first = LL(BuildICmp, LLVMIntEQ, ended, emit_const(e, 32, JIT_STOPPED));
    LLVMValueRef alike = LL(BuildICmp, LLVMIntEQ, ended, emit_const(e, 32, how));
    emit_branch(e, LL(BuildOr, first, alike), on, p->warp, true);
    emit_begin(e, on);
}

static LLVMValueRef is_whole(struct emit *e, LLVMValueRef warp)
{
    LLVMValueRef live = emit_field(e, warp, offsetof(struct warp, live), e->i32);
    return LL(BuildICmp, LLVMIntEQ, live, emit_const(e, 32, ALL_LANES));
}

LLVMValueRef parts_candidate(struct emit *e, const struct parts *p, LLVMBasicBlockRef whole)
{
    emit_branch(e, is_whole(e, get_warp(e, p->at)), whole, p->warp, true);
    emit_begin(e, whole);
    LLVMValueRef at = get_warp(e, p->at);
    set(e, p->last, at);
    return at;
}

void parts_pass(struct emit *e, const struct parts *p, uint32_t how, LLVMBasicBlockRef whole)
{
    LLVMBasicBlockRef on = emit_block(e, ""), next = emit_block(e, "");
    LLVMValueRef at = following(e, get_warp(e, p->at));
    set(e, p->ended, emit_const(e, 32, how));
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, at, get_warp(e, p->first)), p->none, on, false);
    emit_begin(e, on);
    emit_branch(e, is_whole(e, at), next, p->fresh, true);
    emit_begin(e, next);
    set(e, p->at, at);
    emit_jump(e, whole);
}

void parts_lead(struct emit *e, const struct parts *p, uint32_t how, uint32_t entry)
{
    LLVMBasicBlockRef here = e->llvm->GetInsertBlock(e->builder), lead = emit_block(e, "");
    e->llvm->AddCase(p->over, emit_const(e, 32, how), lead);
    emit_begin(e, lead);
    set(e, p->entry, emit_const(e, 32, entry));
    emit_jump(e, p->round);
    emit_begin(e, here);
}

/* i1: does the launch stop? */
static LLVMValueRef stops(struct emit *e)
{
    LLVMValueRef run = emit_field_once(e, rows_worker(e), offsetof(struct worker, run), e->ptr);
    LLVMValueRef stop = emit_field(e, run, offsetof(struct run, stop), e->i32);
    e->llvm->SetVolatile(stop, true);
    return LL(BuildICmp, LLVMIntNE, stop, emit_const(e, 32, 0));
}

/* As jit_round does, where there are no limits to look after: counts, and sees whether the launch stops. */
LLVMBasicBlockRef parts_round(struct emit *e, const struct parts *p)
{
    LLVMBasicBlockRef on = emit_block(e, ""), plain = emit_block(e, ""), ask = emit_block(e, "");
    LLVMValueRef worker = rows_worker(e), zero = emit_const(e, 32, 0);
    LLVMValueRef rounds = emit_field(e, worker, offsetof(struct worker, rounds), e->i32);
    rounds = LL(BuildAdd, rounds, emit_const(e, 32, 1));
    LLVMValueRef pauses = LL(BuildICmp, LLVMIntEQ, LL(BuildURem, rounds, emit_const(e, 32, PAUSE_ROUNDS)), zero);
    emit_branch(e, LL(BuildNot, LL(BuildOr, pauses, stops(e))), plain, ask, true);
    emit_begin(e, plain);
    LL(BuildFence, LLVMAtomicOrderingSequentiallyConsistent, true); /* for compilers alone: one host thread runs all */
    LLVMValueRef done = emit_field(e, rows_block(e), offsetof(struct block, barriers_done), e->i64);
    emit_set_field(e, worker, offsetof(struct worker, rounds), rounds);
    emit_set_field(e, rows_block(e), offsetof(struct block, barriers_done), LL(BuildAdd, done, emit_const(e, 64, 1)));
    emit_jump(e, on);
    emit_begin(e, on);
    set(e, p->at, get_warp(e, p->last));
    set(e, p->first, get_warp(e, p->last));
    set(e, p->ended, emit_const(e, 32, JIT_STOPPED));
    emit_jump(e, p->part);
    emit_begin(e, ask);
    return on;
}

void parts_ask(struct emit *e, LLVMBasicBlockRef on)
{
    LLVMValueRef block = rows_block(e);
    LLVMValueRef goes = emit_call(e, e->code, offsetof(struct jit_code, round), e->i1, &block, 1);
    emit_branch(e, goes, on, e->stopped, true);
}

/* Blocks that code was given begin here: those of a row, with nothing else to do. */
static void begin_given(struct emit *e, LLVMBasicBlockRef on, LLVMBasicBlockRef ask)
{
    LLVMBasicBlockRef given = emit_block(e, "");
    LLVMValueRef block = rows_block(e), more = emit_field(e, e->call, offsetof(struct jit_call, more), e->i32);
    LLVMValueRef threads = emit_field(e, block, offsetof(struct block, threads), e->i32);
    LLVMValueRef some = LL(BuildICmp, LLVMIntNE, more, emit_const(e, 32, 0));
    LLVMValueRef whole = LL(BuildICmp, LLVMIntEQ, threads, emit_field(e, block, offsetof(struct block, live), e->i32));
    some = LL(BuildAnd, LL(BuildAnd, some, whole), LL(BuildNot, stops(e)));
    emit_branch(e, some, given, ask, true);
    emit_begin(e, given);
    size_t at = offsetof(struct block, id); /* [0] */
    emit_set_field(e, block, at, LL(BuildAdd, emit_field(e, block, at, e->i32), emit_const(e, 32, 1)));
    emit_set_field(e, e->call, offsetof(struct jit_call, more), LL(BuildSub, more, emit_const(e, 32, 1)));
    LL(BuildFence, LLVMAtomicOrderingSequentiallyConsistent, true);
    emit_jump(e, on);
}

void parts_again(struct emit *e, const struct parts *p)
{
    LLVMBasicBlockRef on = emit_block(e, ""), ask = emit_block(e, ""), last = emit_block(e, "");
    LLVMValueRef args[] = {rows_block(e), e->code, e->call};
    begin_given(e, on, ask);
    emit_begin(e, ask);
    emit_branch(e, emit_call(e, e->code, offsetof(struct jit_code, again), e->i1, args, 3), on, last, true);
    emit_begin(e, on);
    set(e, p->at, e->given);
    set(e, p->last, e->given);
    set(e, p->first, e->given);
    set(e, p->ended, emit_const(e, 32, JIT_STOPPED));
    set(e, p->entry, emit_const(e, 32, 0));
    emit_jump(e, p->block);
    emit_begin(e, last);
}

/* In tight code that is where they lie. */
void parts_tell(struct emit *e, const struct parts *p)
{
    emit_set_field(e, e->call, offsetof(struct jit_call, entry), get(e, p->entry));
    emit_set_field(e, e->call, offsetof(struct jit_call, ended), get(e, p->ended));
    emit_set_field(e, e->call, offsetof(struct jit_call, first), get_warp(e, p->first));
    emit_set_field(e, e->call, offsetof(struct jit_call, last), get_warp(e, p->last));
    emit_set_field(e, e->call, offsetof(struct jit_call, warp), e->warp);
}
