/* What LLVM need not do, and what it must not, with f32 arithmetic.
 *
 * Takes the finishing of f32 out where nobody can tell: arithmetic makes one canonical NaN of any, so what it is given
 * need not be canonical (nor flushed, where the host does that: loose.c). A chain of operations is left with the
 * arithmetic alone; where its end is stored, compared as bits or kept from one turn of a loop to the next, the
 * selection stays. */
#include "base/namemap.h"
#include "engine/jit/rows.h"

#include "engine/meaning/kernels.h"

#include <assert.h>

struct relax {
    struct emit *e;
    const struct llvm *llvm;
    LLVMValueRef nans;            /* 32 canonical ones */
    LLVMTypeRef floats;           /* <32 x float> */
    unsigned fma, sqrt, whole[4]; /* intrinsics; those that round to whole numbers */
    unsigned gather;              /* a load */
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
        unsigned id = emit_called(r->e, x);
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

/* ---- constants, where the host flushes ---------------------------------------------------------------------------
 *
 * What LLVM makes of arithmetic with constants is not flushed as the host would do it, or not at all. So no arithmetic
 * is left for which it knows all operands: neither where they are constants, nor where they may be, as the sides of a
 * choice are or what comes to a block from others:
 *
 *   fmul(select(p, x, 2^-100), 2^-40)       which LLVM would make select(p, fmul(x, 2^-40), 2^-140) of
 */

struct hidden {
    LLVMValueRef value; /* the key: an instruction that has been looked at; a constant */
    LLVMValueRef same;  /* of a constant: what has its bits, and LLVM does not know it */
};

struct hide {
    const struct relax *r;
    struct arena arena;
    struct namemap map;
    struct hidden *hidden;
    LLVMValueRef *todo, zero; /* a word of which LLVM does not know that it is 0 */
    uint32_t nhidden, ntodo, room;
    bool failed;        /* no memory */
    LLVMValueRef first; /* of the function: constants are hidden before it */
};

/* Of what an instruction computes: what it calls is none. */
static unsigned count_operands(const struct relax *r, LLVMValueRef x)
{
    return (unsigned)r->llvm->GetNumOperands(x) - emit_is(r->e, x, LLVMCall);
}

/* Are all of them constants, so that LLVM would compute it by itself? */
static bool is_known(const struct relax *r, LLVMValueRef x)
{
    unsigned n = count_operands(r, x);
    for (unsigned k = 0; k < n; k++)
        if (!r->llvm->IsConstant(operand(r, x, k)))
            return false;
    return n;
}

/* Of arithmetic that is known one operand is hidden. */
static void hide_one(const struct relax *r, LLVMValueRef x)
{
    if (!is_known(r, x) || r->llvm->TypeOf(operand(r, x, 0)) != r->floats)
        return;
    r->llvm->PositionBuilderBefore(r->e->builder, x);
    r->llvm->SetOperand(x, 0, loose_flush(r->e, operand(r, x, 0)));
}

/* Zeros of a type of integers. */
static LLVMValueRef zeros(struct hide *h, LLVMTypeRef type)
{
    struct emit *e = h->r->e;
    unsigned bits = emit_bits(e, type);
    if (!h->zero)
        h->zero = emit_hide(e, emit_const(e, 32, 0));
    LLVMValueRef zero = h->zero;
    if (bits > 32)
        zero = LL(BuildZExt, zero, emit_int(e, bits));
    else if (bits < 32)
        zero = LL(BuildTrunc, zero, emit_int(e, bits));
    return emit_elements(e, type) ? rows_repeated(e, zero, emit_elements(e, type)) : zero;
}

/* What has the bits of a constant. */
static LLVMValueRef same_as(struct hide *h, LLVMValueRef constant)
{
    struct emit *e = h->r->e;
    LLVMTypeRef type = e->llvm->TypeOf(constant), bits = emit_int(e, emit_bits(e, type));
    bits = emit_elements(e, type) ? e->llvm->VectorType(bits, emit_elements(e, type)) : bits;
    e->llvm->PositionBuilderBefore(e->builder, h->first);
    return LL(BuildBitCast, LL(BuildXor, LL(BuildBitCast, constant, bits), zeros(h, bits)), type);
}

/* Remembers a value. NULL: no memory. */
static struct hidden *remember(struct hide *h, LLVMValueRef value)
{
    struct hidden *hidden = &h->hidden[h->nhidden];
    assert(h->nhidden < h->room);
    *hidden = (struct hidden){.value = value};
    if (!namemap_add(&h->map, &hidden->value, sizeof hidden->value, h->nhidden)) {
        h->failed = true;
        return NULL;
    }
    h->nhidden++;
    return hidden;
}

/* An operand of arithmetic, or of what leads there. It ends at arithmetic, which is looked at by itself, and at what
 * LLVM cannot know: what is loaded, and what functions and assembler statements give. */
static void visit(struct hide *h, LLVMValueRef value)
{
    const struct llvm *llvm = h->r->llvm;
    unsigned called = emit_called(h->r->e, value);
    bool calls = emit_is(h->r->e, value, LLVMCall) && (!called || called == h->r->gather);
    if (!llvm->IsAInstruction(value) || takes_any(h->r, value) || emit_is(h->r->e, value, LLVMLoad) || calls ||
        namemap_find(&h->map, &value, sizeof(LLVMValueRef)) != UINT32_MAX || !remember(h, value))
        return;
    h->todo[h->ntodo++] = value;
}

/* A side of a choice. */
static void visit_side(struct hide *h, LLVMValueRef choice, unsigned k)
{
    struct emit *e = h->r->e;
    LLVMValueRef side = e->llvm->GetOperand(choice, k);
    unsigned bits = emit_bits(e, e->llvm->TypeOf(side));
    if (!e->llvm->IsConstant(side)) {
        visit(h, side);
        return;
    }
    if (e->llvm->IsUndef(side) || side == h->r->nans /* is one flushed, too */ || bits < 8 || bits > 64)
        return;
    uint32_t index = namemap_find(&h->map, &side, sizeof(LLVMValueRef));
    struct hidden *hidden = index == UINT32_MAX ? remember(h, side) : &h->hidden[index];
    if (hidden && !hidden->same)
        hidden->same = same_as(h, side);
    if (hidden)
        e->llvm->SetOperand(choice, k, hidden->same);
}

static void visit_operands(struct hide *h, LLVMValueRef x)
{
    const struct emit *e = h->r->e;
    bool chooses = emit_is(e, x, LLVMSelect), inserts = emit_is(e, x, LLVMInsertElement); /* what all lanes get */
    bool has_sides = chooses || inserts || emit_is(e, x, LLVMPHI);
    unsigned n = count_operands(h->r, x) - inserts; /* without where */
    for (unsigned k = chooses; k < n; k++)
        if (has_sides)
            visit_side(h, x, k);
        else
            visit(h, operand(h->r, x, k));
    if (!has_sides && is_known(h->r, x))
        visit_side(h, x, 0);
}

static void visit_all(struct hide *h)
{
    while (h->ntodo)
        visit_operands(h, h->todo[--h->ntodo]);
}

/* LLVM makes a comparison with 0 one of bits, where nothing else uses what is compared. */
static void hide_compared(struct hide *h, LLVMValueRef x)
{
    for (unsigned k = 0; k < 2 && emit_is(h->r->e, x, LLVMFCmp); k++)
        if (h->r->llvm->IsConstant(operand(h->r, x, k)))
            visit_side(h, x, k);
}

/* How many instructions and constants there can be to remember. */
static uint32_t count_values(const struct relax *r)
{
    const struct llvm *llvm = r->llvm;
    uint32_t count = 1;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(r->e->function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef x = llvm->GetFirstInstruction(b); x; x = llvm->GetNextInstruction(x))
            count += 1 + (uint32_t)llvm->GetNumOperands(x);
    return count;
}

static bool hide_known(const struct relax *r)
{
    const struct llvm *llvm = r->llvm;
    uint32_t count = count_values(r);
    struct hide h = {.r = r, .room = count};
    h.map.arena = &h.arena;
    h.hidden = arena_array(&h.arena, count, sizeof *h.hidden);
    h.todo = arena_array(&h.arena, count, sizeof(LLVMValueRef));
    h.first = llvm->GetFirstInstruction(llvm->GetFirstBasicBlock(r->e->function));
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(r->e->function); b && h.hidden && h.todo;
         b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef x = llvm->GetFirstInstruction(b); x; x = llvm->GetNextInstruction(x)) {
            if (!takes_any(r, x))
                continue;
            hide_one(r, x);
            for (unsigned k = 0; k < (unsigned)llvm->GetNumOperands(x); k++)
                visit(&h, operand(r, x, k));
            visit_all(&h);
            hide_compared(&h, x); /* now: what is made for it is not to be visited */
        }
    bool enough = h.hidden && h.todo && !h.failed;
    arena_free(&h.arena);
    return enough;
}

bool pure_relax(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    struct relax r = {.e = e,
                      .llvm = llvm,
                      .nans = emit_consts(e, 32, F32_NAN),
                      .floats = emit_vector(e, e->f32),
                      .fma = llvm->LookupIntrinsicID("llvm.fma", 8),
                      .sqrt = llvm->LookupIntrinsicID("llvm.sqrt", 9),
                      .whole = {llvm->LookupIntrinsicID("llvm.rint", 9), llvm->LookupIntrinsicID("llvm.trunc", 10),
                                llvm->LookupIntrinsicID("llvm.floor", 10), llvm->LookupIntrinsicID("llvm.ceil", 9)},
                      .gather = llvm->LookupIntrinsicID("llvm.masked.gather", 18)};
    for (LLVMBasicBlockRef block = llvm->GetFirstBasicBlock(e->function); block; block = llvm->GetNextBasicBlock(block))
        for (LLVMValueRef x = llvm->GetFirstInstruction(block); x; x = llvm->GetNextInstruction(x))
            relax(&r, x);
    return !e->daz || hide_known(&r);
}
