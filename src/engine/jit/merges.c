/* Bits of one vector and the rest of another, by a constant mask. For AVX-512 LLVM makes one instruction of that
 * (vpternlog), and of the selection behind it the instruction's mask of lanes. LLVM 19 has the table of the three
 * operands wrong there if what lanes keep is one of the two vectors, and if it takes the constant or the other vector
 * from memory (https://github.com/llvm/llvm-project/issues/157929, mended in 2026). So the lanes are chosen in the
 * mask:
 *
 *   select(lanes, other & M | kept & ~M, kept)   becomes   other & M' | kept & ~M', where M' = select(lanes, M, 0) */
#include "engine/jit/emit.h"

/* `taken` where the mask has bits, else `rest`. */
struct merge {
    LLVMValueRef taken, rest, mask; /* the mask is a constant, of integers */
};

/* What a vector was before it was cast to other elements. */
static LLVMValueRef uncast(const struct emit *e, LLVMValueRef x)
{
    while (emit_is(e, x, LLVMBitCast) && emit_elements(e, e->llvm->TypeOf(e->llvm->GetOperand(x, 0))))
        x = e->llvm->GetOperand(x, 0);
    return x;
}

static LLVMValueRef source(const struct emit *e, LLVMValueRef x, unsigned k)
{
    return uncast(e, e->llvm->GetOperand(x, k));
}

/* x = *of & *mask, a constant. */
static bool find_masked(const struct emit *e, LLVMValueRef x, LLVMValueRef *of, LLVMValueRef *mask)
{
    if (!emit_is(e, x, LLVMAnd))
        return false;
    unsigned k = e->llvm->IsConstant(e->llvm->GetOperand(x, 0)) ? 0 : 1;
    *mask = e->llvm->GetOperand(x, k);
    *of = source(e, x, 1 - k);
    return e->llvm->IsConstant(*mask);
}

/* The two parts have no bits in common, so that a sum and a difference (XOR) join them as well. */
static bool find_joined(const struct emit *e, LLVMValueRef x, struct merge *m)
{
    LLVMValueRef other;
    return (emit_is(e, x, LLVMOr) || emit_is(e, x, LLVMXor) || emit_is(e, x, LLVMAdd)) &&
           find_masked(e, source(e, x, 0), &m->taken, &m->mask) && find_masked(e, source(e, x, 1), &m->rest, &other) &&
           e->llvm->ConstNot(m->mask) == other;
}

/* (taken ^ rest) & mask ^ rest */
static bool find_differing(const struct emit *e, LLVMValueRef x, struct merge *m)
{
    LLVMValueRef difference;
    for (unsigned k = 0; k < 2 && emit_is(e, x, LLVMXor); k++) {
        if (!find_masked(e, source(e, x, k), &difference, &m->mask) || !emit_is(e, difference, LLVMXor))
            continue;
        m->rest = source(e, x, 1 - k);
        for (unsigned i = 0; i < 2; i++)
            if (source(e, difference, i) == m->rest) {
                m->taken = source(e, difference, 1 - i);
                return true;
            }
    }
    return false;
}

/* LLVM finds those of signs. */
static bool find_copysign(struct emit *e, LLVMValueRef x, struct merge *m)
{
    static const char name[] = "llvm.copysign";
    const struct llvm *llvm = e->llvm;
    LLVMValueRef sign[LANES];
    LLVMTypeRef type = llvm->TypeOf(x);
    if (emit_called(e, x) != llvm->LookupIntrinsicID(name, sizeof name - 1) || emit_elements(e, type) > LANES)
        return false;
    unsigned bits = emit_bits(e, type), count = emit_elements(e, type);
    for (unsigned i = 0; i < count; i++)
        sign[i] = emit_const(e, bits, UINT64_C(1) << (bits - 1));
    m->rest = source(e, x, 0);
    m->taken = source(e, x, 1);
    m->mask = llvm->ConstVector(sign, count);
    return true;
}

static bool find_merge(struct emit *e, LLVMValueRef x, struct merge *m)
{
    return find_joined(e, x, m) || find_differing(e, x, m) || find_copysign(e, x, m);
}

/* Its value where lanes that are not chosen keep the rest. */
static LLVMValueRef build(struct emit *e, const struct merge *m, LLVMTypeRef type, LLVMValueRef lanes, bool chosen)
{
    LLVMValueRef all = LL(BuildBitCast, m->mask, type), none = e->llvm->ConstNull(type);
    LLVMValueRef mask = LL(BuildSelect, lanes, chosen ? all : none, chosen ? none : all);
    return LL(BuildOr, LL(BuildAnd, LL(BuildBitCast, m->taken, type), mask),
              LL(BuildAnd, LL(BuildBitCast, m->rest, type), LL(BuildNot, mask)));
}

static void part(struct emit *e, LLVMValueRef choice)
{
    const struct llvm *llvm = e->llvm;
    LLVMTypeRef type = llvm->TypeOf(choice);
    unsigned bits = emit_bits(e, type);
    for (unsigned k = 1; k <= 2 && bits >= 8; k++) {
        struct merge m;
        LLVMValueRef kept = source(e, choice, 3 - k);
        if (!find_merge(e, source(e, choice, k), &m) || (kept != m.taken && kept != m.rest))
            continue;
        if (kept == m.taken)
            m = (struct merge){m.rest, m.taken, llvm->ConstNot(m.mask)};
        llvm->PositionBuilderBefore(e->builder, choice);
        LLVMTypeRef integers = llvm->VectorType(emit_int(e, bits), emit_elements(e, type));
        LLVMValueRef all = build(e, &m, integers, llvm->GetOperand(choice, 0), k == 1);
        llvm->ReplaceAllUsesWith(choice, LL(BuildBitCast, all, type));
        return;
    }
}

void merges_part(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(e->function); b && e->vector_bits == 512;
         b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef x = llvm->GetFirstInstruction(b); x; x = llvm->GetNextInstruction(x))
            if (emit_is(e, x, LLVMSelect) && emit_elements(e, llvm->TypeOf(llvm->GetOperand(x, 0))))
                part(e, x);
}
