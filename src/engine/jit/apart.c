/* Texels and words of several components that are computed with in the same way are computed with as they lie in
 * memory, and taken apart afterwards.
 *
 *   memory     x0 y0 z0 w0 x1 y1 z1 w1 ...          a row
 *   registers  x0 x1 ...  y0 y1 ...  z0 ...  w0 ... its components, by lanes: 4 shuffles of all that the row has
 *
 *   x(row) + x(other), y(row) + y(other), ...       x(row + other), y(row + other), ...
 *
 * Sums of many rows are taken apart once, not once for each row. Only where all components are computed with is it no
 * more work. LLVM moves arithmetic in front of shuffles, too, but of one shuffle, and not these. */
#include "engine/jit/rows.h"

#include <assert.h>
#include <string.h>

enum {
    APART_MOST = 4,        /* components; */
    APART_OPERANDS = 3,    /* of an operation */
    APART_AHEAD = 256,     /* instructions among which the same of other components is looked for; */
    APART_TRIES = 1 << 18, /* in all of a kernel */
};

static const char *const intrinsics[4] = {"llvm.fma", "llvm.floor", "llvm.trunc", "llvm.rint"};

struct apart {
    struct emit *e;
    const struct llvm *llvm;
    unsigned ids[4]; /* of these intrinsics, which compute element by element */
    uint32_t tries;
};

/* What an operand is. */
struct operand {
    LLVMValueRef row;  /* a component of it; NULL: */
    LLVMValueRef same; /* the same in all lanes: constant, or scalar; NULL: neither */
    unsigned n, k;     /* component k of n */
};

/* An operation on components of rows. */
struct operation {
    LLVMValueRef value;
    struct operand operands[APART_OPERANDS];
    unsigned noperands, n, k;
};

static unsigned size_of(const struct apart *a, LLVMValueRef x)
{
    return emit_elements(a->e, a->llvm->TypeOf(x));
}

/* Without casts that leave each element what it is. */
static LLVMValueRef uncast(const struct apart *a, LLVMValueRef x)
{
    while (emit_is(a->e, x, LLVMBitCast) && size_of(a, x) && size_of(a, x) == size_of(a, a->llvm->GetOperand(x, 0)))
        x = a->llvm->GetOperand(x, 0);
    return x;
}

/* A shuffle that takes every n-th element from number k on for the lanes: of what? NULL: it is none. */
static LLVMValueRef every(const struct apart *a, LLVMValueRef x, unsigned *n, unsigned *k)
{
    if (size_of(a, x) != LANES || !emit_is(a->e, x, LLVMShuffleVector))
        return NULL;
    LLVMValueRef from = a->llvm->GetOperand(x, 0);
    int first = a->llvm->GetMaskValue(x, 0);
    *n = size_of(a, from) / LANES;
    *k = (unsigned)first;
    if ((*n != 2 && *n != 4) || first < 0 || *k >= *n)
        return NULL;
    for (unsigned l = 1; l < LANES; l++)
        if (a->llvm->GetMaskValue(x, l) != (int)(l * *n + *k))
            return NULL;
    return from;
}

/* Is it a component? Those of four are taken of pairs (rows_component). */
static bool find_row(const struct apart *a, LLVMValueRef x, struct operand *o)
{
    unsigned pairs, pair;
    LLVMValueRef row = every(a, uncast(a, x), &o->n, &o->k);
    if (!row)
        return false;
    if (o->n == 2 && emit_is(a->e, row, LLVMBitCast)) {
        LLVMValueRef from = every(a, a->llvm->GetOperand(row, 0), &pairs, &pair);
        if (from && pairs == 2 && emit_is(a->e, from, LLVMBitCast)) {
            o->n = 4;
            o->k += 2 * pair;
            row = a->llvm->GetOperand(from, 0);
        }
    }
    row = uncast(a, row);
    if (size_of(a, row) != o->n * LANES)
        return false;
    o->row = row;
    return true;
}

static LLVMValueRef constant_of_all(const struct apart *a, LLVMValueRef x)
{
    LLVMValueRef first = a->llvm->GetAggregateElement(x, 0);
    for (unsigned l = 1; first && l < LANES; l++)
        if (a->llvm->GetAggregateElement(x, l) != first)
            return NULL;
    return first;
}

static LLVMValueRef scalar_of_all(const struct apart *a, LLVMValueRef x)
{
    if (!emit_is(a->e, x, LLVMShuffleVector))
        return NULL;
    for (unsigned l = 0; l < LANES; l++)
        if (a->llvm->GetMaskValue(x, l) != 0)
            return NULL;
    LLVMValueRef from = a->llvm->GetOperand(x, 0),
                 at = emit_is(a->e, from, LLVMInsertElement) ? a->llvm->GetOperand(from, 2) : NULL;
    bool first = at && a->llvm->IsAConstantInt(at) && a->llvm->ConstIntGetZExtValue(at) == 0;
    return first ? a->llvm->GetOperand(from, 1) : NULL;
}

static LLVMValueRef same_of_all(const struct apart *a, LLVMValueRef x)
{
    return a->llvm->IsConstant(x) ? constant_of_all(a, x) : scalar_of_all(a, x);
}

static const char *find_intrinsic(const struct apart *a, LLVMValueRef call)
{
    unsigned id = emit_called(a->e, call);
    for (unsigned i = 0; i < sizeof a->ids / sizeof *a->ids; i++)
        if (id == a->ids[i])
            return intrinsics[i];
    return NULL;
}

/* Operands of what is computed element by element, with nothing but the elements; 0: something else. No shifts: by as
 * much as there are bits they make poison, and words that are taken of a row as pairs would share it. */
static unsigned count_operands(const struct apart *a, LLVMValueRef x)
{
    switch (a->llvm->GetInstructionOpcode(x)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return 2;
    case LLVMCall:
        return find_intrinsic(a, x) ? (unsigned)a->llvm->GetNumOperands(x) - 1 : 0;
    default:
        return 0;
    }
}

/* Is an instruction computed of components of one number? */
static bool find_operation(const struct apart *a, LLVMValueRef x, struct operation *op)
{
    *op = (struct operation){.value = x, .noperands = size_of(a, x) == LANES ? count_operands(a, x) : 0};
    for (unsigned i = 0; i < op->noperands; i++) {
        struct operand *o = &op->operands[i];
        if (size_of(a, a->llvm->GetOperand(x, i)) != LANES || !find_row(a, a->llvm->GetOperand(x, i), o))
            continue;
        if (op->n && (o->n != op->n || o->k != op->k))
            return false;
        op->n = o->n;
        op->k = o->k;
    }
    for (unsigned i = 0; op->n && i < op->noperands; i++) {
        struct operand *o = &op->operands[i];
        o->same = o->row ? NULL : same_of_all(a, a->llvm->GetOperand(x, i));
        if (!o->row && !o->same)
            return false;
    }
    return op->n;
}

/* Are they the same but for the components? */
static bool are_alike(const struct apart *a, const struct operation *one, const struct operation *other)
{
    if (a->llvm->GetInstructionOpcode(one->value) != a->llvm->GetInstructionOpcode(other->value) ||
        a->llvm->TypeOf(one->value) != a->llvm->TypeOf(other->value) || one->noperands != other->noperands ||
        one->n != other->n)
        return false;
    if (emit_is(a->e, one->value, LLVMCall) &&
        a->llvm->GetCalledValue(one->value) != a->llvm->GetCalledValue(other->value))
        return false;
    for (unsigned i = 0; i < one->noperands; i++)
        if (one->operands[i].row != other->operands[i].row || one->operands[i].same != other->operands[i].same)
            return false;
    return true;
}

/* What is carried out after an instruction; NULL: there is a choice, or other ways lead there. Large code is in several
 * blocks (`cut` in blocks.c). */
static LLVMValueRef following(const struct apart *a, LLVMValueRef x)
{
    LLVMValueRef next = a->llvm->GetNextInstruction(x);
    if (next || !emit_is(a->e, x, LLVMBr) || a->llvm->GetNumSuccessors(x) != 1)
        return next;
    LLVMBasicBlockRef to = a->llvm->GetSuccessor(x, 0);
    LLVMUseRef use = a->llvm->GetFirstUse(a->llvm->BasicBlockAsValue(to));
    return a->llvm->GetNextUse(use) ? NULL : a->llvm->GetFirstInstruction(to);
}

/* The same of all other components, in what follows. */
static bool find_others(struct apart *a, const struct operation *first, LLVMValueRef others[APART_MOST])
{
    struct operation op;
    unsigned found = 1;
    memset(others, 0, APART_MOST * sizeof(LLVMValueRef));
    others[first->k] = first->value;
    LLVMValueRef x = following(a, first->value);
    for (unsigned i = 0; x && i < APART_AHEAD && found < first->n && a->tries < APART_TRIES; i++, a->tries++) {
        if (a->llvm->GetFirstUse(x) && find_operation(a, x, &op) && are_alike(a, first, &op) && !others[op.k]) {
            others[op.k] = x;
            found++;
        }
        x = following(a, x);
    }
    return found == first->n;
}

/* An operand for all components. */
static LLVMValueRef make_operand(const struct apart *a, const struct operand *o, LLVMTypeRef element, unsigned n)
{
    struct emit *e = a->e;
    if (o->row)
        return LL(BuildBitCast, o->row, e->llvm->VectorType(element, n * LANES));
    return rows_repeated(e, o->same, n * LANES);
}

static LLVMValueRef make(const struct apart *a, const struct operation *op)
{
    struct emit *e = a->e;
    LLVMValueRef args[APART_OPERANDS];
    LLVMTypeRef element = a->llvm->GetElementType(a->llvm->TypeOf(op->value));
    a->llvm->PositionBuilderBefore(e->builder, op->value);
    for (unsigned i = 0; i < op->noperands; i++)
        args[i] = make_operand(a, &op->operands[i], element, op->n);
    if (!emit_is(a->e, op->value, LLVMCall))
        return LL(BuildBinOp, a->llvm->GetInstructionOpcode(op->value), args[0], args[1]);
    return emit_intrinsic(e, find_intrinsic(a, op->value), a->llvm->TypeOf(args[0]), args, op->noperands);
}

/* Rows are of integers, as they are loaded. */
static LLVMValueRef component(const struct apart *a, LLVMValueRef row, unsigned k, unsigned n, LLVMTypeRef type)
{
    struct emit *e = a->e;
    LLVMTypeRef element = a->llvm->GetElementType(type);
    LLVMTypeKind kind = a->llvm->GetTypeKind(element);
    assert(kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind);
    if (kind != LLVMIntegerTypeKind)
        row = LL(BuildBitCast, row, e->llvm->VectorType(kind == LLVMDoubleTypeKind ? e->i64 : e->i32, n * LANES));
    return LL(BuildBitCast, rows_component(e, row, k, n), type);
}

static void look(struct apart *a, LLVMValueRef x)
{
    struct operation op;
    LLVMValueRef others[APART_MOST];
    if (!a->llvm->GetFirstUse(x) || !find_operation(a, x, &op) || !find_others(a, &op, others))
        return;
    LLVMValueRef row = make(a, &op);
    for (unsigned k = 0; k < op.n; k++) {
        a->llvm->PositionBuilderBefore(a->e->builder, others[k]);
        a->llvm->ReplaceAllUsesWith(others[k], component(a, row, k, op.n, a->llvm->TypeOf(others[k])));
    }
}

void apart_all(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    struct apart a = {.e = e, .llvm = llvm};
    for (unsigned i = 0; i < sizeof a.ids / sizeof *a.ids; i++)
        a.ids[i] = llvm->LookupIntrinsicID(intrinsics[i], strlen(intrinsics[i]));
    for (LLVMBasicBlockRef block = llvm->GetFirstBasicBlock(e->function); block; block = llvm->GetNextBasicBlock(block))
        for (LLVMValueRef x = llvm->GetFirstInstruction(block); x; x = llvm->GetNextInstruction(x))
            look(&a, x);
}
