/* Takes the finishing of f32 out where nobody can tell: arithmetic makes one canonical NaN of any, so what it is given
 * need not be canonical (nor flushed, where the host does that: loose.c). A chain of operations is left with the
 * arithmetic alone; where its end is stored, compared as bits or kept from one turn of a loop to the next, the
 * selection stays.
 *
 * Where the host flushes, what its arithmetic gives is no subnormal, so there is nothing to flush - as long as the
 * arithmetic stays: LLVM makes x of x * 1 and of x + -0. */
#include "engine/jit/emit.h"

#include "engine/meaning/kernels.h"

struct relax {
    const struct llvm *llvm;
    bool daz;
    LLVMValueRef nans, zeros, exponents, signs; /* 32 times; canonical ones; bits */
    LLVMTypeRef floats;                         /* <32 x float> */
    unsigned fma, sqrt, whole[4];               /* intrinsics; those that round to whole numbers */
    unsigned looks;                             /* how many more values are looked at */
    LLVMValueRef neutral[4];                    /* 1, -1, 0, -0: with one of them arithmetic may be its other operand */
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

static unsigned intrinsic(const struct relax *r, LLVMValueRef x)
{
    return is(r, x, LLVMCall) ? (unsigned)r->llvm->GetIntrinsicID(r->llvm->GetCalledValue(x)) : 0;
}

enum { LOOKS = 200, RESULTS = 3 }; /* values that are looked at, and results of which one is made */

static bool varies(struct relax *r, LLVMValueRef x);

static bool all_vary(struct relax *r, LLVMValueRef phi)
{
    unsigned n = (unsigned)r->llvm->GetNumOperands(phi);
    for (unsigned k = 0; k < n; k++)
        if (!varies(r, operand(r, phi, k)))
            return false;
    return n > 0;
}

static bool one_varies(struct relax *r, LLVMValueRef x, unsigned n)
{
    while (n-- > 0)
        if (varies(r, operand(r, x, n)))
            return true;
    return false;
}

/* From memory that has no constants. */
static bool loads(const struct relax *r, LLVMValueRef x)
{
    LLVMValueRef from = is(r, x, LLVMLoad) ? operand(r, x, 0) : NULL;
    while (from && r->llvm->IsAInstruction(from) && is(r, from, LLVMGetElementPtr))
        from = operand(r, from, 0);
    return from && !r->llvm->IsConstant(from);
}

/* Is it what is loaded, each bit of it? */
static bool is_loaded(struct relax *r, LLVMValueRef x)
{
    if (!r->looks || !r->llvm->IsAInstruction(x))
        return false;
    r->looks--;
    LLVMOpcode op = r->llvm->GetInstructionOpcode(x);
    LLVMValueRef second = op == LLVMShuffleVector ? operand(r, x, 1) : NULL;
    if (op == LLVMInsertElement) /* a splat */
        return r->llvm->IsUndef(operand(r, x, 0)) && is_loaded(r, operand(r, x, 1));
    if (second && !r->llvm->IsUndef(second) && !is_loaded(r, second))
        return false;
    return loads(r, x) || ((op == LLVMBitCast || second) && is_loaded(r, operand(r, x, 0)));
}

/* Can LLVM make no constant of it, whatever else it finds out? Of what is loaded, and of arithmetic with that. */
static bool varies(struct relax *r, LLVMValueRef x)
{
    if (!r->looks || !r->llvm->IsAInstruction(x))
        return false;
    r->looks--;
    switch (r->llvm->GetInstructionOpcode(x)) {
    case LLVMBitCast:
        return is_loaded(r, x) || varies(r, operand(r, x, 0));
    case LLVMFNeg:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return varies(r, operand(r, x, 0));
    case LLVMAnd: /* some bits of it */
        return is_loaded(r, operand(r, x, 0)) && r->llvm->IsConstant(operand(r, x, 1)) &&
               operand(r, x, 1) != r->llvm->ConstNull(r->llvm->TypeOf(x));
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
        return one_varies(r, x, 2);
    case LLVMCall:
        return intrinsic(r, x) == r->fma && one_varies(r, x, 3);
    case LLVMPHI:
        return all_vary(r, x);
    default:
        return is_loaded(r, x);
    }
}

/* Is it one of the neutral numbers, or may become one? */
static bool may_be_neutral(struct relax *r, LLVMValueRef x)
{
    r->looks = LOOKS;
    if (!r->llvm->IsConstant(x))
        return !varies(r, x);
    LLVMValueRef same[LANES], first = r->llvm->GetAggregateElement(x, 0);
    for (unsigned l = 0; l < LANES; l++)
        same[l] = first;
    for (unsigned i = 0; i < sizeof r->neutral / sizeof *r->neutral; i++)
        if (x == r->neutral[i])
            return true;
    return !first || x != r->llvm->ConstVector(same, LANES);
}

/* How many operands arithmetic has, of those that it may leave where another one is neutral; 0: it is something else.
 */
static unsigned operands(const struct relax *r, LLVMValueRef x)
{
    unsigned id = intrinsic(r, x);
    if (id && id == r->fma)
        return 3;
    return is(r, x, LLVMFAdd) || is(r, x, LLVMFSub) || is(r, x, LLVMFMul) || is(r, x, LLVMFDiv) ? 2 : 0;
}

/* Is it what the host's arithmetic gives, whatever LLVM makes of it? Where an operand may be neutral, the others are
 * such results. */
static bool is_flushed(struct relax *r, LLVMValueRef x, unsigned depth)
{
    while (is(r, x, LLVMBitCast) && is(r, operand(r, x, 0), LLVMBitCast) &&
           r->llvm->TypeOf(operand(r, operand(r, x, 0), 0)) == r->llvm->TypeOf(x))
        x = operand(r, operand(r, x, 0), 0);
    unsigned n = depth && r->llvm->IsAInstruction(x) ? operands(r, x) : 0;
    for (unsigned k = 0; k < n; k++)
        for (unsigned other = 0; other < n && may_be_neutral(r, operand(r, x, k)); other++)
            if (other != k && !is_flushed(r, operand(r, x, other), depth - 1))
                return false;
    return n;
}

/* What is flushed where the host has done it. */
static void unflush(struct relax *r, LLVMValueRef x)
{
    LLVMValueRef bits = before_flush(r, x);
    if (bits == x || !is(r, bits, LLVMBitCast) || r->llvm->TypeOf(operand(r, bits, 0)) != r->floats)
        return;
    if (is_flushed(r, operand(r, bits, 0), RESULTS))
        r->llvm->ReplaceAllUsesWith(x, bits);
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
        unsigned id = intrinsic(r, x);
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

static LLVMValueRef floats(struct emit *e, uint32_t word)
{
    return LL(BuildBitCast, emit_consts(e, 32, word), emit_vector(e, e->f32));
}

void pure_relax(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    struct relax r = {
        .llvm = llvm,
        .daz = e->daz,
        .nans = emit_consts(e, 32, F32_NAN),
        .zeros = emit_consts(e, 32, 0),
        .exponents = emit_consts(e, 32, 0x7f800000),
        .signs = emit_consts(e, 32, 0x80000000),
        .floats = emit_vector(e, e->f32),
        .fma = llvm->LookupIntrinsicID("llvm.fma", 8),
        .sqrt = llvm->LookupIntrinsicID("llvm.sqrt", 9),
        .whole = {llvm->LookupIntrinsicID("llvm.rint", 9), llvm->LookupIntrinsicID("llvm.trunc", 10),
                  llvm->LookupIntrinsicID("llvm.floor", 10), llvm->LookupIntrinsicID("llvm.ceil", 9)},
        .neutral = {floats(e, f32_bits(1)), floats(e, f32_bits(-1)), floats(e, 0), floats(e, 0x80000000)}};
    for (LLVMBasicBlockRef block = llvm->GetFirstBasicBlock(e->function); block; block = llvm->GetNextBasicBlock(block))
        for (LLVMValueRef x = llvm->GetFirstInstruction(block); x; x = llvm->GetNextInstruction(x)) {
            relax(&r, x);
            unflush(&r, x);
        }
}
