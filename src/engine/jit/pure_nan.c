/* Takes the finishing of f32 out where nobody can tell: arithmetic makes one canonical NaN of any, so what it is given
 * need not be canonical (nor flushed, where the host does that: loose.c). A chain of operations is left with the
 * arithmetic alone; where its end is stored, compared as bits or kept from one turn of a loop to the next, the
 * selection stays. */
#include "engine/jit/emit.h"

#include "engine/meaning/kernels.h"

struct relax {
    const struct llvm *llvm;
    bool daz;
    LLVMValueRef nans, zeros, exponents, signs; /* 32 times; canonical ones; bits */
    LLVMTypeRef floats;                         /* <32 x float> */
    unsigned fma, sqrt;                         /* intrinsics */
};

static LLVMValueRef operand(const struct relax *r, LLVMValueRef x, unsigned k)
{
    return r->llvm->GetOperand(x, k);
}

static bool is(const struct relax *r, LLVMValueRef x, LLVMOpcode opcode)
{
    return r->llvm->GetInstructionOpcode(x) == opcode;
}

/* What was flushed, where subnormals are zero for the host; bits as they are. */
static LLVMValueRef before_flush(const struct relax *r, LLVMValueRef bits)
{
    if (!r->daz || !is(r, bits, LLVMSelect))
        return bits;
    LLVMValueRef test = operand(r, bits, 0), from = operand(r, bits, 2);
    if (!is(r, test, LLVMICmp) || r->llvm->GetICmpPredicate(test) != LLVMIntEQ || operand(r, test, 1) != r->zeros)
        return bits;
    LLVMValueRef exponent = operand(r, test, 0), sign = operand(r, bits, 1);
    bool flushes = is(r, exponent, LLVMAnd) && operand(r, exponent, 0) == from &&
                   operand(r, exponent, 1) == r->exponents && is(r, sign, LLVMAnd) && operand(r, sign, 0) == from &&
                   operand(r, sign, 1) == r->signs;
    return flushes ? from : bits;
}

/* What loose_finish has finished, as a float again; NULL: it is something else. */
static LLVMValueRef raw(const struct relax *r, LLVMValueRef x)
{
    if (!is(r, x, LLVMBitCast))
        return NULL;
    LLVMValueRef chosen = operand(r, x, 0);
    if (!is(r, chosen, LLVMSelect) || operand(r, chosen, 1) != r->nans)
        return NULL;
    LLVMValueRef test = operand(r, chosen, 0), bits = before_flush(r, operand(r, chosen, 2));
    if (!is(r, test, LLVMFCmp) || r->llvm->GetFCmpPredicate(test) != LLVMRealUNO)
        return NULL;
    LLVMValueRef from = operand(r, test, 0), as = is(r, from, LLVMBitCast) ? operand(r, from, 0) : NULL;
    bool same = bits == as || (is(r, bits, LLVMBitCast) && operand(r, bits, 0) == from);
    return same && operand(r, test, 1) == from ? from : NULL;
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
                      .daz = e->daz,
                      .nans = emit_consts(e, 32, F32_NAN),
                      .zeros = emit_consts(e, 32, 0),
                      .exponents = emit_consts(e, 32, 0x7f800000),
                      .signs = emit_consts(e, 32, 0x80000000),
                      .floats = emit_vector(e, e->f32),
                      .fma = llvm->LookupIntrinsicID("llvm.fma", 8),
                      .sqrt = llvm->LookupIntrinsicID("llvm.sqrt", 9)};
    for (LLVMBasicBlockRef block = llvm->GetFirstBasicBlock(e->function); block; block = llvm->GetNextBasicBlock(block))
        for (LLVMValueRef x = llvm->GetFirstInstruction(block); x; x = llvm->GetNextInstruction(x))
            relax(&r, x);
}
