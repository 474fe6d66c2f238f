/* Words of lanes as masks. A predicate is a word of 32 bits, which is a mask of 32 lanes (<32 x i1>) only where
 * registers are chosen or stored by it: emit_mask casts it. Where that cast is not taken back by the next (LLVM sees to
 * that), it becomes what the host can do: of the plain one LLVM makes a move for each bit. AVX-512 has masks; there
 * words and masks are one thing to LLVM, and 19 goes round and round, for good, where a mask that chooses is made of a
 * word or mask by OR or XOR with another, and the same two are used as masks elsewhere (`part`). */
#include "engine/jit/emit.h"

/* Elements of `bits`, each with a copy of the part of the word that has its bit. */
static LLVMValueRef by_parts(struct emit *e, LLVMValueRef word, unsigned bits)
{
    LLVMValueRef from[LANES], bit[LANES];
    LLVMTypeRef type = emit_int(e, bits), parts = e->llvm->VectorType(type, LANES / bits);
    for (unsigned l = 0; l < LANES; l++) {
        from[l] = emit_const(e, 32, l / bits);
        bit[l] = emit_const(e, bits, UINT64_C(1) << l % bits);
    }
    LLVMValueRef copies = LL(BuildShuffleVector, LL(BuildBitCast, word, parts), e->llvm->GetPoison(parts),
                             e->llvm->ConstVector(from, LANES));
    LLVMValueRef is = LL(BuildAnd, copies, e->llvm->ConstVector(bit, LANES));
    return LL(BuildICmp, LLVMIntNE, is, e->llvm->ConstNull(emit_vector(e, type)));
}

static LLVMTypeRef type_of(struct emit *e, LLVMValueRef x)
{
    return e->llvm->TypeOf(x);
}

/* The cast of a word; NULL: something else. */
static LLVMValueRef cast_word(struct emit *e, LLVMValueRef x)
{
    if (type_of(e, x) != emit_vector(e, e->i1) || !emit_is(e, x, LLVMBitCast))
        return NULL;
    LLVMValueRef word = e->llvm->GetOperand(x, 0);
    return type_of(e, word) == e->i32 ? word : NULL;
}

/* How wide the elements are for which a mask is needed. */
static unsigned width(struct emit *e, LLVMValueRef user)
{
    unsigned bits = 8;
    if (emit_is(e, user, LLVMShuffleVector) || emit_is(e, user, LLVMCall))
        bits = 32;
    if (emit_is(e, user, LLVMSelect)) {
        bits = emit_bits(e, type_of(e, user));
        bits = bits ? bits : 32;
    }
    return bits > 32 ? 32 : bits < 8 ? 8 : bits;
}

static void expand(struct emit *e, LLVMValueRef user, unsigned k)
{
    LLVMValueRef cast = e->llvm->GetOperand(user, k), word = cast_word(e, cast);
    if (!word)
        return;
    e->llvm->PositionBuilderBefore(e->builder, emit_is(e, user, LLVMPHI) ? cast : user);
    e->llvm->SetOperand(user, k, by_parts(e, word, width(e, user)));
}

/* Is it an OR or XOR of two words? Not the complement of one. */
static bool joins(struct emit *e, LLVMValueRef word)
{
    const struct llvm *llvm = e->llvm;
    if (!emit_is(e, word, LLVMOr) && !emit_is(e, word, LLVMXor))
        return false;
    LLVMValueRef with = llvm->GetOperand(word, 1);
    return !llvm->IsAConstantInt(with) || llvm->ConstIntGetZExtValue(with) != UINT32_MAX;
}

/* An assembler statement of no instructions, which gives what it takes. */
LLVMValueRef emit_hide(struct emit *e, LLVMValueRef x)
{
    const struct llvm *llvm = e->llvm;
    LLVMTypeRef taken = type_of(e, x), type = llvm->FunctionType(taken, &taken, 1, false);
    const char *where = emit_elements(e, taken) ? "=v,0" : "=r,0";
    LLVMValueRef same = llvm->GetInlineAsm(type, "", 0, where, 4, false, false, LLVMInlineAsmDialectATT, false);
    return llvm->BuildCall2(e->builder, type, same, &x, 1, "");
}

/* Is it an OR or XOR of two masks? LLVM makes them of casts of words, too. Not the complement of one. */
static bool joins_masks(struct emit *e, LLVMValueRef x)
{
    return type_of(e, x) == emit_vector(e, e->i1) && (emit_is(e, x, LLVMOr) || emit_is(e, x, LLVMXor)) &&
           e->llvm->GetOperand(x, 1) != e->llvm->ConstAllOnes(type_of(e, x));
}

static void part(struct emit *e, LLVMValueRef x)
{
    const struct llvm *llvm = e->llvm;
    LLVMValueRef word = cast_word(e, x);
    llvm->PositionBuilderBefore(e->builder, x);
    if (word && joins(e, word))
        llvm->SetOperand(x, 0, emit_hide(e, word));
    for (unsigned k = 0; k < 2 && joins_masks(e, x); k++) {
        word = emit_hide(e, LL(BuildBitCast, llvm->GetOperand(x, k), e->i32));
        llvm->SetOperand(x, k, LL(BuildBitCast, word, type_of(e, x)));
    }
}

static void expand_all(struct emit *e, LLVMValueRef user)
{
    for (unsigned k = 0; k < (unsigned)e->llvm->GetNumOperands(user); k++)
        expand(e, user, k);
}

void masks_expand(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    void (*visit)(struct emit * e, LLVMValueRef x) = e->vector_bits == 512 ? part : expand_all;
    for (LLVMBasicBlockRef block = llvm->GetFirstBasicBlock(e->function); block; block = llvm->GetNextBasicBlock(block))
        for (LLVMValueRef x = llvm->GetFirstInstruction(block); x; x = llvm->GetNextInstruction(x))
            visit(e, x);
}
