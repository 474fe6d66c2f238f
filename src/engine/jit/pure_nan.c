/* Takes the finishing of f32 out where nobody can tell: arithmetic makes one canonical NaN of any, so what it is given
 * need not be canonical (nor flushed, where the host does that: loose.c). A chain of operations is left with the
 * arithmetic alone; where its end is stored, compared as bits or kept from one turn of a loop to the next, the
 * selection stays. */
#include "engine/jit/emit.h"

#include "engine/meaning/kernels.h"

struct relax {
    struct emit *e;
    const struct llvm *llvm;
    LLVMValueRef nans;            /* 32 canonical ones */
    LLVMTypeRef floats;           /* <32 x float> */
    unsigned fma, sqrt, whole[4]; /* intrinsics; those that round to whole numbers */
};

static LLVMValueRef operand(const struct relax *r, LLVMValueRef x, unsigned k)
{
    return r->llvm->GetOperand(x, k);
}

/* What loose_finish has finished, as a float again; NULL: it is something else. */
static LLVMValueRef raw(const struct relax *r, LLVMValueRef x)
{
    if (!emit_is(r->e, x, LLVMBitCast))
        return NULL;
    LLVMValueRef chosen = operand(r, x, 0);
    if (!emit_is(r->e, chosen, LLVMSelect) || operand(r, chosen, 1) != r->nans)
        return NULL;
    LLVMValueRef test = operand(r, chosen, 0), bits = operand(r, chosen, 2);
    if (!emit_is(r->e, test, LLVMFCmp) || r->llvm->GetFCmpPredicate(test) != LLVMRealUNO)
        return NULL;
    LLVMValueRef from = operand(r, test, 0), as = emit_is(r->e, from, LLVMBitCast) ? operand(r, from, 0) : NULL;
    bool same = bits == as || (emit_is(r->e, bits, LLVMBitCast) && operand(r, bits, 0) == from);
    return same && operand(r, test, 1) == from ? loose_unflushed(r->e, from) : NULL;
}

/* Does it look at NaNs as NaNs only? Conversions to f64 keep what is in them. */
static bool takes_any(const struct relax *r, LLVMValueRef x)
{
    switch (r->llvm->GetInstructionOpcode(x)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFCmp:
        return true;
    case LLVMCall: {
        unsigned id = r->llvm->GetIntrinsicID(r->llvm->GetCalledValue(x));
        bool whole = id == r->whole[0] || id == r->whole[1] || id == r->whole[2] || id == r->whole[3];
        return id && (id == r->fma || id == r->sqrt || whole);
    }
    default:
        return false;
    }
}

static void relax(const struct relax *r, LLVMValueRef x)
{
    unsigned n = takes_any(r, x) ? (unsigned)r->llvm->GetNumOperands(x) : 0;
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef from = raw(r, operand(r, x, k));
        if (from && r->llvm->TypeOf(from) == r->floats)
            r->llvm->SetOperand(x, k, from);
    }
}

/* What LLVM makes of arithmetic with constants is not flushed: where all operands are constants, one is hidden. */
static void hide(const struct relax *r, LLVMValueRef x)
{
    unsigned n = takes_any(r, x) ? (unsigned)r->llvm->GetNumOperands(x) - emit_is(r->e, x, LLVMCall) : 0;
    for (unsigned k = 0; k < n; k++)
        if (!r->llvm->IsConstant(operand(r, x, k)) || r->llvm->TypeOf(operand(r, x, k)) != r->floats)
            return;
    r->llvm->PositionBuilderBefore(r->e->builder, x);
    if (n)
        r->llvm->SetOperand(x, 0, loose_flush(r->e, operand(r, x, 0)));
}

void pure_relax(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    struct relax r = {.e = e,
                      .llvm = llvm,
                      .nans = emit_consts(e, 32, F32_NAN),
                      .floats = emit_vector(e, e->f32),
                      .fma = llvm->LookupIntrinsicID("llvm.fma", 8),
                      .sqrt = llvm->LookupIntrinsicID("llvm.sqrt", 9),
                      .whole = {llvm->LookupIntrinsicID("llvm.rint", 9), llvm->LookupIntrinsicID("llvm.trunc", 10),
                                llvm->LookupIntrinsicID("llvm.floor", 10), llvm->LookupIntrinsicID("llvm.ceil", 9)}};
    for (LLVMBasicBlockRef block = llvm->GetFirstBasicBlock(e->function); block; block = llvm->GetNextBasicBlock(block))
        for (LLVMValueRef x = llvm->GetFirstInstruction(block); x; x = llvm->GetNextInstruction(x)) {
            relax(&r, x);
            if (e->daz)
                hide(&r, x);
        }
}
