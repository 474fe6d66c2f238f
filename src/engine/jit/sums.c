/* Masks of what is added up, as bytes that are taken out of words are:
 *
 *   (a & 255) + (b & 255) + (c & 255) + ...
 *
 * LLVM's selection of instructions asks of each sum which bits it can have, and looks for that six operations deep,
 * each time to constants whose 32 or 64 elements are looked at one by one; it can do nothing with the answers. Half of
 * its time went there for a filter of bytes. So the constants are hidden from it, where there are many of them and
 * registers enough to keep them. */
#include "engine/jit/rows.h"

enum {
    SUMS_FEW = 12,   /* masks of sums that are left as they are */
    SUMS_HIDDEN = 4, /* constants, of a register each */
};

struct hidden_mask {
    LLVMValueRef constant, same;
};

/* The constant by which integers of registers' sizes are masked; NULL: it is something else. */
static LLVMValueRef mask_of(const struct emit *e, LLVMValueRef x)
{
    const struct llvm *llvm = e->llvm;
    LLVMTypeRef type = llvm->TypeOf(x);
    unsigned n = emit_elements(e, type), bits = emit_bits(e, type);
    if (!emit_is(e, x, LLVMAnd) || n < LANES || n & (n - 1) || bits < 8 || bits > 64)
        return NULL;
    LLVMValueRef mask = llvm->GetOperand(x, 1);
    return llvm->IsConstant(mask) ? mask : NULL;
}

static bool is_added(const struct emit *e, LLVMValueRef x)
{
    for (LLVMUseRef use = e->llvm->GetFirstUse(x); use; use = e->llvm->GetNextUse(use))
        if (emit_is(e, e->llvm->GetUser(use), LLVMAdd))
            return true;
    return false;
}

/* Wider constants than the host's vectors are hidden by halves, which are mostly one constant. */
static LLVMValueRef hide(struct emit *e, LLVMValueRef constant)
{
    LLVMTypeRef type = e->llvm->TypeOf(constant);
    if (emit_elements(e, type) * emit_bits(e, type) <= e->vector_bits)
        return emit_hide(e, constant);
    LLVMValueRef lower = rows_half(e, constant, 0), upper = rows_half(e, constant, 1), same = hide(e, lower);
    return rows_joined(e, same, lower == upper ? same : hide(e, upper));
}

/* NULL: it is left as it is. */
static LLVMValueRef find_hidden(struct emit *e, struct hidden_mask hidden[SUMS_HIDDEN], LLVMValueRef constant)
{
    for (unsigned i = 0; i < SUMS_HIDDEN; i++) {
        if (!hidden[i].constant) {
            emit_at_start(e);
            hidden[i] = (struct hidden_mask){constant, hide(e, constant)};
        }
        if (hidden[i].constant == constant)
            return hidden[i].same;
    }
    return NULL;
}

/* Visits the masks of sums; how many there are. */
static unsigned for_all(struct emit *e, struct hidden_mask *hidden)
{
    const struct llvm *llvm = e->llvm;
    unsigned n = 0;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(e->function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef x = llvm->GetFirstInstruction(b); x; x = llvm->GetNextInstruction(x)) {
            LLVMValueRef constant = mask_of(e, x);
            if (!constant || !is_added(e, x))
                continue;
            LLVMValueRef same = hidden ? find_hidden(e, hidden, constant) : NULL;
            if (same)
                llvm->SetOperand(x, 1, same);
            n++;
        }
    return n;
}

void sums_hide(struct emit *e)
{
    struct hidden_mask hidden[SUMS_HIDDEN] = {{NULL, NULL}};
    if (e->vector_bits == 512 && for_all(e, NULL) > SUMS_FEW)
        for_all(e, hidden);
}
