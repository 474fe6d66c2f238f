/* What the interpreter carries out for compiled code: its steps, kernels of pure operations, atomics. */
#include "engine/jit/emit.h"
#include "engine/jit/flow.h"
#include "engine/jit/jit.h"
#include "engine/jit/reduce.h"
#include "engine/jit/twins.h"

#include <assert.h>
#include <string.h>

/* Of a destination what lanes have that do not carry it out, if that can be seen. */
static void spill_operands(struct emit *e, const struct decoded *at)
{
    for (unsigned k = 0; k < (unsigned)at->ndst + at->nsrc; k++)
        if (at->bits[k] && flow_varies(e->flow, at->offsets[k]) &&
            (k >= at->ndst || emit_blends(e, at, at->offsets[k])))
            emit_spill(e, at->offsets[k], at->bits[k]);
    if (at->guard != KERNEL_NONE && flow_varies(e->flow, at->guard))
        emit_spill(e, at->guard, 1);
}

void emit_clear_upper(struct emit *e)
{
    if (e->has_upper)
        emit_host(e, "llvm.x86.avx.vzeroupper", e->nothing, NULL, 0);
}

LLVMValueRef emit_call(struct emit *e, LLVMValueRef code, size_t function, LLVMTypeRef result, LLVMValueRef *args,
                       unsigned nargs)
{
    LLVMTypeRef types[4];
    assert(nargs <= sizeof types / sizeof *types);
    for (unsigned i = 0; i < nargs; i++)
        types[i] = e->llvm->TypeOf(args[i]);
    LLVMTypeRef type = e->llvm->FunctionType(result, types, nargs, false);
    LLVMValueRef called = emit_field(e, code, function, e->ptr);
    emit_clear_upper(e);
    return LL(BuildCall2, type, called, args, nargs);
}

LLVMValueRef emit_keeping_begin(struct emit *e, struct emit_keeping *outer, const char *name, LLVMTypeRef *types,
                                unsigned n)
{
    LLVMValueRef function = emit_function(e, name, e->llvm->FunctionType(e->nothing, types, n, false));
    e->llvm->SetLinkage(function, LLVMInternalLinkage);
    e->llvm->SetFunctionCallConv(function, LLVMPreserveAllCallConv);
    *outer = (struct emit_keeping){e->builder,      e->entry_builder, e->part_builder, e->block_builder,
                                   e->warp_builder, e->function,      {NULL}};
    e->part_builder = e->block_builder = e->warp_builder = NULL;
    memcpy(outer->lanes_at, e->lanes_at, sizeof outer->lanes_at);
    memset(e->lanes_at, 0, sizeof e->lanes_at);
    e->function = function;
    e->entry_builder = e->llvm->CreateBuilderInContext(e->context);
    e->builder = e->llvm->CreateBuilderInContext(e->context);
    e->llvm->PositionBuilderAtEnd(e->entry_builder, emit_block(e, ""));
    emit_begin(e, emit_block(e, ""));
    return function;
}

void emit_keeping_end(struct emit *e, const struct emit_keeping *outer)
{
    LLVMBasicBlockRef first = e->llvm->GetNextBasicBlock(e->llvm->GetFirstBasicBlock(e->function));
    e->llvm->BuildRetVoid(e->builder);
    e->llvm->BuildBr(e->entry_builder, first);
    e->llvm->DisposeBuilder(e->builder);
    e->llvm->DisposeBuilder(e->entry_builder);
    e->builder = outer->builder;
    e->entry_builder = outer->entry_builder;
    e->part_builder = outer->part_builder;
    e->block_builder = outer->block_builder;
    e->warp_builder = outer->warp_builder;
    e->function = outer->function;
    memcpy(e->lanes_at, outer->lanes_at, sizeof e->lanes_at);
}

void emit_keeping_call(struct emit *e, LLVMValueRef function, LLVMTypeRef *types, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef type = e->llvm->FunctionType(e->nothing, types, n, false);
    e->llvm->SetInstructionCallConv(LL(BuildCall2, type, function, args, n), LLVMPreserveAllCallConv);
}

void emit_set_went(struct emit *e, LLVMValueRef call, LLVMValueRef went)
{
    emit_set_field(e, call, offsetof(struct jit_call, went), LL(BuildZExt, went, e->i8));
}

LLVMValueRef emit_went(struct emit *e)
{
    LLVMValueRef went = emit_field(e, e->call, offsetof(struct jit_call, went), e->i8);
    return LL(BuildICmp, LLVMIntNE, went, emit_const(e, 8, 0));
}

/* What calls jit_code.step. The result comes through memory. */
static LLVMValueRef step_function(struct emit *e, LLVMTypeRef types[5])
{
    struct emit_keeping outer;
    LLVMValueRef of[5];
    if (e->step)
        return e->step;
    e->step = emit_keeping_begin(e, &outer, "step", types, 5);
    for (unsigned i = 0; i < 5; i++)
        of[i] = e->llvm->GetParam(e->step, i);
    emit_set_field(e, of[0], offsetof(struct warp, frame.exec), of[3]);
    LLVMValueRef went = emit_call(e, of[1], offsetof(struct jit_code, step), e->i1, of, 3);
    emit_set_went(e, of[4], went);
    emit_keeping_end(e, &outer);
    return e->step;
}

/* What calls jit_code.update. */
static LLVMValueRef update_function(struct emit *e, LLVMTypeRef types[4])
{
    struct emit_keeping outer;
    LLVMValueRef of[4];
    if (e->update)
        return e->update;
    e->update = emit_keeping_begin(e, &outer, "update", types, 4);
    for (unsigned i = 0; i < 4; i++)
        of[i] = e->llvm->GetParam(e->update, i);
    emit_call(e, of[0], offsetof(struct jit_code, update), e->nothing, of, 4);
    emit_keeping_end(e, &outer);
    return e->update;
}

void emit_places(struct emit *e, LLVMValueRef how, LLVMValueRef lanes, LLVMValueRef places)
{
    LLVMTypeRef types[] = {e->ptr, e->i32, e->i32, e->ptr};
    LLVMValueRef args[] = {e->code, how, lanes, places};
    emit_keeping_call(e, update_function(e, types), types, args, 4);
}

void emit_steps(struct emit *e, const struct decoded *first, uint32_t n)
{
    LLVMTypeRef types[] = {e->ptr, e->ptr, e->i32, e->i32, e->ptr};
    twins_step(e, first);
    LLVMValueRef function = step_function(e, types);
    LLVMValueRef index = emit_const(e, 32, (uint64_t)(first - e->func->decoded) + (uint64_t)(n - 1) * JIT_MORE);
    LLVMValueRef args[] = {e->warp, e->code, index, e->exec, e->call};
    emit_keeping_call(e, function, types, args, 5);
    held_look(e);
    LLVMBasicBlockRef on = emit_block(e, "");
    emit_branch(e, emit_went(e), on, e->stopped, true);
    emit_begin(e, on);
}

void emit_step(struct emit *e, const struct decoded *at)
{
    spill_operands(e, at);
    emit_steps(e, at, 1);
    for (unsigned k = 0; k < at->ndst; k++)
        emit_take(e, at, k);
}

void emit_kernel(struct emit *e, const struct decoded *at)
{
    for (unsigned k = at->ndst; k < (unsigned)at->ndst + at->nsrc; k++)
        if (at->bits[k] && flow_varies(e->flow, at->offsets[k]))
            emit_spill(e, at->offsets[k], at->bits[k]);
    emit_set_field(e, e->warp, offsetof(struct warp, frame.exec), e->exec);
    LLVMValueRef args[] = {e->warp, e->code, emit_const(e, 32, (uint64_t)(at - e->func->decoded))};
    emit_call(e, e->code, offsetof(struct jit_code, kernel), e->nothing, args, 3);
    for (unsigned k = 0; k < at->ndst; k++)
        if (at->bits[k])
            emit_result(e, at, k, emit_frame(e, at->offsets[k], at->bits[k]));
}

static bool is_kernel(const struct decoded *at)
{
    bool division = lane_is(at->op, LANE_TRAPS) && !lane_type_float(at->inst->type);
    return lane_is(at->op, LANE_PURE) && !division;
}

/* What does nothing where it has no lanes. */
static bool needs_lanes(const struct decoded *at)
{
    unsigned waits = LANE_WAITS | LANE_YIELDS | LANE_CLOCK;
    return at->op < LANE_OPS && at->guard != KERNEL_NONE && !lane_is(at->op, waits);
}

void emit_slow(struct emit *e, const struct decoded *at)
{
    bool kernel = at->op < LANE_OPS && is_kernel(at);
    if (!needs_lanes(at)) {
        (kernel ? emit_kernel : emit_step)(e, at);
        return;
    }
    LLVMBasicBlockRef some = emit_block(e, ""), done = emit_block(e, "");
    emit_branch(e, LL(BuildICmp, LLVMIntNE, emit_lanes(e, at), emit_const(e, 32, 0)), some, done, false);
    emit_begin(e, some);
    (kernel ? emit_kernel : emit_step)(e, at);
    emit_jump(e, done);
    emit_begin(e, done);
}
