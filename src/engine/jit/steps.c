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

/* A function that calls another and keeps all registers of the host as they are, so that whoever hardly ever comes to
 * it does not have its values in memory because of it. It has no result: all registers are all of them. *outer: the
 * builder of who calls it. */
static LLVMValueRef begin_keeping(struct emit *e, const char *name, LLVMTypeRef *types, unsigned n,
                                  LLVMBuilderRef *outer)
{
    LLVMValueRef function = emit_function(e, name, e->llvm->FunctionType(e->nothing, types, n, false));
    e->llvm->SetLinkage(function, LLVMInternalLinkage);
    e->llvm->SetFunctionCallConv(function, LLVMPreserveAllCallConv);
    *outer = e->builder;
    e->builder = e->llvm->CreateBuilderInContext(e->context);
    emit_begin(e, e->llvm->AppendBasicBlockInContext(e->context, function, ""));
    return function;
}

static void end_keeping(struct emit *e, LLVMBuilderRef outer)
{
    e->llvm->BuildRetVoid(e->builder);
    e->llvm->DisposeBuilder(e->builder);
    e->builder = outer;
}

static void call_keeping(struct emit *e, LLVMValueRef function, LLVMTypeRef *types, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef type = e->llvm->FunctionType(e->nothing, types, n, false);
    e->llvm->SetInstructionCallConv(LL(BuildCall2, type, function, args, n), LLVMPreserveAllCallConv);
}

/* What calls jit_code.step. The result comes through memory. */
static LLVMValueRef step_function(struct emit *e, LLVMTypeRef types[5])
{
    LLVMBuilderRef outer;
    LLVMValueRef of[5];
    if (e->step)
        return e->step;
    e->step = begin_keeping(e, "step", types, 5, &outer);
    for (unsigned i = 0; i < 5; i++)
        of[i] = e->llvm->GetParam(e->step, i);
    emit_set_field(e, of[0], offsetof(struct warp, frame.exec), of[3]);
    LLVMValueRef went = emit_call(e, of[1], offsetof(struct jit_code, step), e->i1, of, 3);
    e->llvm->BuildStore(e->builder, LL(BuildZExt, went, e->i8), of[4]);
    end_keeping(e, outer);
    return e->step;
}

/* What calls jit_code.update. */
static LLVMValueRef update_function(struct emit *e, LLVMTypeRef types[4])
{
    LLVMBuilderRef outer;
    LLVMValueRef of[4];
    if (e->update)
        return e->update;
    e->update = begin_keeping(e, "update", types, 4, &outer);
    for (unsigned i = 0; i < 4; i++)
        of[i] = e->llvm->GetParam(e->update, i);
    emit_call(e, of[0], offsetof(struct jit_code, update), e->nothing, of, 4);
    end_keeping(e, outer);
    return e->update;
}

void emit_places(struct emit *e, LLVMValueRef how, LLVMValueRef lanes, LLVMValueRef places)
{
    LLVMTypeRef types[] = {e->ptr, e->i32, e->i32, e->ptr};
    LLVMValueRef args[] = {e->code, how, lanes, places};
    call_keeping(e, update_function(e, types), types, args, 4);
}

void emit_steps(struct emit *e, const struct decoded *first, uint32_t n)
{
    LLVMTypeRef types[] = {e->ptr, e->ptr, e->i32, e->i32, e->ptr};
    twins_step(e, first);
    LLVMValueRef function = step_function(e, types);
    LLVMValueRef index = emit_const(e, 32, (uint64_t)(first - e->func->decoded) + (uint64_t)(n - 1) * JIT_MORE);
    if (!e->went)
        e->went = e->llvm->BuildAlloca(e->entry_builder, e->i8, "");
    LLVMValueRef args[] = {e->warp, e->code, index, e->exec, e->went};
    call_keeping(e, function, types, args, 5);
    held_look(e);
    LLVMValueRef went = LL(BuildICmp, LLVMIntNE, LL(BuildLoad2, e->i8, e->went), emit_const(e, 8, 0));
    LLVMBasicBlockRef on = emit_block(e, "");
    emit_branch(e, went, on, e->stopped, true);
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
