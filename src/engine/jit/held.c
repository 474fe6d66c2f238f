/* What a host thread holds back of surfaces' reductions (mem/held.h), as compiled code knows it. Code looks at it when
 * a call begins, after barriers, and after whatever may have changed it - the interpreter's steps, and the first
 * reduction of a surface that code holds back itself -, and has the result in variables. Kernels without reductions
 * have none. */
#include "mem/held.h"
#include "engine/jit/reduce.h"
#include "engine/jit/rows.h"

static bool reduces(const struct program *program)
{
    for (uint32_t f = 0; f < program->module->nfuncs; f++) {
        const struct func *func = &program->funcs[f];
        for (uint32_t i = 0; func->ready && i < func->ndecoded; i++)
            if (func->decoded[i].op == LANE_OP_sured)
                return true;
    }
    return false;
}

static bool reaches_texels(const struct decoded *at)
{
    return at->op == LANE_OP_suld || at->op == LANE_OP_sust || at->op == LANE_OP_sured || at->op == LANE_OP_suatom;
}

static LLVMValueRef null(struct emit *e)
{
    return e->llvm->ConstNull(e->ptr);
}

/* All surfaces are found first: steps look at those of the accesses that come after them, too. */
void held_open(struct emit *e)
{
    e->holds = reduces(e->program);
    for (unsigned i = 0; i < EMIT_SURFACES && e->holds; i++)
        e->calm[i] = e->llvm->BuildAlloca(e->entry_builder, e->i1, "");
    for (unsigned i = 0; i < EMIT_ENTRIES && e->holds; i++) {
        e->entries[i] = e->llvm->BuildAlloca(e->entry_builder, e->ptr, "");
        e->llvm->BuildStore(e->part_builder, null(e), e->entries[i]);
    }
    for (uint32_t i = 0; i < e->func->ndecoded && e->holds; i++)
        if (reaches_texels(&e->func->decoded[i]))
            rows_surface(e, &e->func->decoded[i]);
}

LLVMValueRef held_all(struct emit *e)
{
    return emit_at(e, rows_worker(e), emit_const(e, 64, offsetof(struct worker, held)));
}

LLVMValueRef held_variable(struct emit *e)
{
    return e->holds && e->nentries < EMIT_ENTRIES ? e->entries[e->nentries++] : NULL;
}

static LLVMValueRef calm_of(struct emit *e, const struct emit_surface *s)
{
    return e->calm[s - e->surfaces];
}

static void look(struct emit *e, const struct emit_surface *s)
{
    LLVMValueRef held = held_all(e), any = emit_field(e, held, offsetof(struct held, any), e->i8);
    LLVMValueRef low = emit_field(e, held, offsetof(struct held, low), e->i64),
                 high = emit_field(e, held, offsetof(struct held, high), e->i64);
    LLVMValueRef first = LL(BuildPtrToInt, s->texels, e->i64), end = LL(BuildAdd, first, s->size);
    LLVMValueRef is = LL(BuildOr, LL(BuildICmp, LLVMIntULE, end, low), LL(BuildICmp, LLVMIntUGE, first, high));
    is = LL(BuildOr, is, LL(BuildICmp, LLVMIntEQ, any, emit_const(e, 8, 0)));
    e->llvm->BuildStore(e->builder, is, calm_of(e, s));
}

void held_surface(struct emit *e, const struct emit_surface *s)
{
    if (e->holds)
        look(e, s);
}

void held_look(struct emit *e)
{
    for (unsigned i = 0; i < EMIT_SURFACES && e->holds && e->surfaces[i].usable; i++)
        look(e, &e->surfaces[i]);
    for (unsigned i = 0; i < EMIT_ENTRIES && e->holds; i++)
        e->llvm->BuildStore(e->builder, null(e), e->entries[i]);
}

LLVMValueRef held_nothing(struct emit *e, const struct emit_surface *s)
{
    return e->holds ? LL(BuildLoad2, e->i1, calm_of(e, s)) : NULL;
}
