/* Atomic operations on memory that others see. */
#include "engine/jit/reduce.h"

static LLVMValueRef pick(struct emit *e, LLVMIntPredicate is, LLVMValueRef x, LLVMValueRef y, LLVMValueRef yes,
                         LLVMValueRef no)
{
    return LL(BuildSelect, LL(BuildICmp, is, x, y), yes, no);
}

/* 1, as a scalar or a vector of `type`. */
static LLVMValueRef one_of(struct emit *e, LLVMTypeRef type)
{
    LLVMValueRef zero = e->llvm->ConstNull(type);
    return LL(BuildZExt, LL(BuildICmp, LLVMIntEQ, zero, zero), type);
}

LLVMValueRef reduce_update(struct emit *e, const struct decoded *at, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    bool is_signed = lane_type_signed(at->access->type);
    LLVMValueRef zero = e->llvm->ConstNull(e->llvm->TypeOf(a)), one = one_of(e, e->llvm->TypeOf(a));
    switch (at->access->atomic) {
    case LANE_ATOMIC_ADD:
        return LL(BuildAdd, a, b);
    case LANE_ATOMIC_SUB:
        return LL(BuildSub, a, b);
    case LANE_ATOMIC_MIN:
        return pick(e, is_signed ? LLVMIntSLT : LLVMIntULT, b, a, b, a);
    case LANE_ATOMIC_MAX:
        return pick(e, is_signed ? LLVMIntSGT : LLVMIntUGT, b, a, b, a);
    case LANE_ATOMIC_AND:
        return LL(BuildAnd, a, b);
    case LANE_ATOMIC_OR:
        return LL(BuildOr, a, b);
    case LANE_ATOMIC_XOR:
        return LL(BuildXor, a, b);
    case LANE_ATOMIC_EXCH:
        return b;
    case LANE_ATOMIC_CAS:
        return pick(e, LLVMIntEQ, a, b, c, a);
    case LANE_ATOMIC_INC:
        return pick(e, LLVMIntUGE, a, b, zero, LL(BuildAdd, a, one));
    default: { /* LANE_ATOMIC_DEC */
        LLVMValueRef wraps = LL(BuildOr, LL(BuildICmp, LLVMIntEQ, a, zero), LL(BuildICmp, LLVMIntUGT, a, b));
        return LL(BuildSelect, wraps, b, LL(BuildSub, a, one));
    }
    }
}
