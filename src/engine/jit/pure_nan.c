/* Takes canonical NaNs out where nobody can tell: f32 arithmetic makes one canonical NaN of any, so what it is given
 * need not be canonical. A chain of operations is left with the arithmetic alone; where its end is stored, compared as
 * bits or kept from one turn of a loop to the next, the selection stays. */
#include "engine/jit/emit.h"

#include "engine/meaning/kernels.h"

struct relax {
    const struct llvm *llvm;
    LLVMValueRef nans;  /* 32 canonical ones */
    LLVMTypeRef floats; /* <32 x float> */
    unsigned fma, sqrt; /* intrinsics */
};

static LLVMValueRef operand(const struct relax *r, LLVMValueRef x, unsigned k)
{
    return r->llvm->GetOperand(x, k);
}

static bool is(const struct relax *r, LLVMValueRef x, LLVMOpcode opcode)
{
    return r->llvm->GetInstructionOpcode(x) == opcode;
}

/* What pure_finish32 made canonical, as a float again; NULL: it is something else. */
static LLVMValueRef raw(const struct relax *r, LLVMValueRef x)
{
    if (!is(r, x, LLVMBitCast))
        return NULL;
    LLVMValueRef chosen = operand(r, x, 0);
    if (!is(r, chosen, LLVMSelect) || operand(r, chosen, 1) != r->nans)
        return NULL;
    LLVMValueRef test = operand(r, chosen, 0), bits = operand(r, chosen, 2);
    if (!is(r, test, LLVMFCmp) || r->llvm->GetFCmpPredicate(test) != LLVMRealUNO || !is(r, bits, LLVMBitCast))
        return NULL;
    LLVMValueRef from = operand(r, bits, 0);
    return operand(r, test, 0) == from && operand(r, test, 1) == from ? from : NULL;
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
        LLVMValueRef called = r->llvm->GetCalledValue(x);
        unsigned id = r->llvm->GetIntrinsicID(called);
        return id && (id == r->fma || id == r->sqrt);
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

void pure_relax(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    struct relax r = {.llvm = llvm,
                      .nans = emit_consts(e, 32, F32_NAN),
                      .floats = emit_vector(e, e->f32),
                      .fma = llvm->LookupIntrinsicID("llvm.fma", 8),
                      .sqrt = llvm->LookupIntrinsicID("llvm.sqrt", 9)};
    for (LLVMBasicBlockRef block = llvm->GetFirstBasicBlock(e->function); block; block = llvm->GetNextBasicBlock(block))
        for (LLVMValueRef x = llvm->GetFirstInstruction(block); x; x = llvm->GetNextInstruction(x))
            relax(&r, x);
}
