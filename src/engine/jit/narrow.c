/* Numbers that are known to be small, as sums of bytes are, are computed with in 16 bits: twice as many fit into a
 * vector.
 *
 *   zext(a) + zext(b)         zext(a + b), where the sum is below 2^16
 *   zext(a) * c >> s          zext(a * m >> 16 >> k), where that is the same for all that a can be: quotients by
 * constants
 *
 * LLVM does the first where it sees that the sum is small, which it looks for a few instructions deep, and the second
 * in the width that was written. Here the most that a value can be goes from instruction to instruction. */
#include "base/namemap.h"
#include "engine/jit/rows.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum {
    SMALL = 16,
    MOST = 2 * LANES, /* elements of a vector */
    VALUES = 1 << 15, /* of larger functions not all are looked at */
    MADE = 16,        /* operations that are remembered */
    TRIES = 1 << 22,  /* products that are compared in a kernel */
    SPLATS = 64,      /* constants that are remembered, a power of two */
};

struct known {
    LLVMValueRef value; /* the key */
    LLVMValueRef small; /* the same in 16 bits; NULL: it is not there */
    uint64_t most;
};

struct made {
    LLVMOpcode opcode;
    LLVMValueRef a, b, value;
    uint64_t factor; /* of a product */
};

/* What a constant vector has in all elements, if it has. LLVM has each constant once. */
struct splat {
    LLVMValueRef constant;
    uint64_t value;
    bool is;
};

struct narrow {
    struct emit *e;
    struct splat splats[SPLATS];
    struct arena arena;
    struct namemap map;
    struct known *known;
    uint32_t count, room;
    struct made made[MADE], product; /* in the block at hand */
    unsigned nmade;
    uint32_t tries;
};

/* Bits of an element of a vector of integers; 0: it is something else. */
static unsigned element_bits(const struct narrow *n, LLVMValueRef x)
{
    const struct llvm *llvm = n->e->llvm;
    LLVMTypeRef type = llvm->TypeOf(x);
    if (!emit_elements(n->e, type) || llvm->GetTypeKind(llvm->GetElementType(type)) != LLVMIntegerTypeKind)
        return 0;
    unsigned bits = emit_bits(n->e, type);
    return bits >= 8 && bits <= 64 ? bits : 0;
}

static uint64_t mask_of(unsigned bits)
{
    return UINT64_MAX >> (64 - bits);
}

static LLVMValueRef operand(const struct narrow *n, LLVMValueRef x, unsigned k)
{
    return n->e->llvm->GetOperand(x, k);
}

/* All elements of a constant vector. */
static bool find_splat(const struct narrow *n, LLVMValueRef x, uint64_t *value)
{
    const struct llvm *llvm = n->e->llvm;
    unsigned count = element_bits(n, x) ? llvm->GetVectorSize(llvm->TypeOf(x)) : 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef element = llvm->GetAggregateElement(x, i);
        if (!element || !llvm->IsAConstantInt(element) || (i && llvm->ConstIntGetZExtValue(element) != *value))
            return false;
        *value = llvm->ConstIntGetZExtValue(element);
    }
    return count;
}

/* The same, remembered. */
static bool is_splat(struct narrow *n, LLVMValueRef x, uint64_t *value)
{
    struct splat *splat = &n->splats[(uintptr_t)x / sizeof(max_align_t) % SPLATS];
    if (!n->e->llvm->IsConstant(x))
        return false;
    if (splat->constant != x) {
        splat->value = 0;
        splat->is = find_splat(n, x, &splat->value);
        splat->constant = x;
    }
    *value = splat->value;
    return splat->is;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static const struct known *find(const struct narrow *n, LLVMValueRef x)
{
    uint32_t index = namemap_find(&n->map, &x, sizeof(LLVMValueRef));
    return index == UINT32_MAX ? NULL : &n->known[index];
}

static void note(struct narrow *n, LLVMValueRef x, LLVMValueRef small, uint64_t most)
{
    struct known *known = &n->known[n->count];
    if (n->count == n->room)
        return;
    *known = (struct known){x, small, most};
    if (namemap_set(&n->map, &known->value, sizeof known->value, n->count))
        n->count++;
}

static uint64_t most_of(struct narrow *n, LLVMValueRef x)
{
    uint64_t value;
    const struct known *known = find(n, x);
    if (known)
        return known->most;
    return is_splat(n, x, &value) ? value : mask_of(element_bits(n, x));
}

static uint64_t most_of_sum(uint64_t a, uint64_t b, uint64_t mask)
{
    return a > mask - b ? mask : a + b;
}

static uint64_t most_of_product(uint64_t a, uint64_t b, uint64_t mask)
{
    return a && b > mask / a ? mask : a * b;
}

/* The least 2^n - 1 that is not below. */
static uint64_t filled(uint64_t x)
{
    return x ? UINT64_MAX >> __builtin_clzll(x) : 0;
}

/* Poison may be anything. */
static uint64_t most_of_shuffle(struct narrow *n, LLVMValueRef x)
{
    uint64_t most = 0;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef from = operand(n, x, k);
        uint64_t here = n->e->llvm->IsUndef(from) ? 0 : most_of(n, from);
        most = here > most ? here : most;
    }
    return most;
}

/* Of an instruction whose operands, of which there are two, are integers. */
static uint64_t most_of_binary(struct narrow *n, LLVMValueRef x, uint64_t mask)
{
    uint64_t a = most_of(n, operand(n, x, 0)), b = most_of(n, operand(n, x, 1)), by;
    bool shifts = is_splat(n, operand(n, x, 1), &by) && by < element_bits(n, x);
    switch (n->e->llvm->GetInstructionOpcode(x)) {
    case LLVMAnd:
        return a < b ? a : b;
    case LLVMOr:
    case LLVMXor:
        return filled(a | b);
    case LLVMAdd:
        return most_of_sum(a, b, mask);
    case LLVMMul:
        return most_of_product(a, b, mask);
    case LLVMLShr:
        return shifts ? a >> by : a;
    case LLVMShl:
        return shifts ? most_of_product(a, UINT64_C(1) << by, mask) : mask;
    default:
        return mask;
    }
}

static uint64_t most_of_instruction(struct narrow *n, LLVMValueRef x, uint64_t mask)
{
    uint64_t a, b;
    switch (n->e->llvm->GetInstructionOpcode(x)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMAdd:
    case LLVMMul:
    case LLVMLShr:
    case LLVMShl:
        return most_of_binary(n, x, mask);
    case LLVMZExt:
        if (element_bits(n, operand(n, x, 0)))
            return most_of(n, operand(n, x, 0));
        return emit_bits(n->e, n->e->llvm->TypeOf(operand(n, x, 0))) == 1 ? 1 : mask;
    case LLVMTrunc:
        a = element_bits(n, operand(n, x, 0)) ? most_of(n, operand(n, x, 0)) : mask;
        return a < mask ? a : mask;
    case LLVMSelect:
        a = most_of(n, operand(n, x, 1));
        b = most_of(n, operand(n, x, 2));
        return a > b ? a : b;
    case LLVMShuffleVector:
        return most_of_shuffle(n, x);
    default:
        return mask;
    }
}

/* ---- values of 16 bits ------------------------------------------------------------------------------------------- */

static unsigned size_of(const struct narrow *n, LLVMValueRef x)
{
    return emit_elements(n->e, n->e->llvm->TypeOf(x));
}

/* As many of them as `like` has elements. */
static LLVMValueRef constant(const struct narrow *n, LLVMValueRef like, uint64_t value)
{
    LLVMValueRef all[MOST], one = emit_const(n->e, SMALL, value);
    unsigned count = size_of(n, like);
    assert(count <= MOST);
    for (unsigned i = 0; i < count; i++)
        all[i] = one;
    return n->e->llvm->ConstVector(all, count);
}

/* Has a shuffle `count` elements of 16 bits: every other one from `from` on (0, 1), or those of both halves by turns?
 */
enum { BY_TURNS = 2 };
static bool takes(const struct narrow *n, LLVMValueRef x, unsigned count, int from)
{
    if (!emit_is(n->e, x, LLVMShuffleVector) || element_bits(n, x) != SMALL || size_of(n, x) != count)
        return false;
    for (int l = 0; l < (int)count; l++) {
        int at = from == BY_TURNS ? l / 2 + l % 2 * LANES : from + 2 * l;
        if (n->e->llvm->GetMaskValue(x, (unsigned)l) != at)
            return false;
    }
    return true;
}

/* Every other element of twice as many, from the first or the second on: *from. NULL: it is something else. */
static LLVMValueRef apart(const struct narrow *n, LLVMValueRef x, int *from)
{
    for (*from = 0; *from < 2; ++*from)
        if (takes(n, x, LANES, *from) && size_of(n, operand(n, x, 0)) == 2 * LANES)
            return operand(n, x, 0);
    return NULL;
}

static LLVMValueRef take_apart(struct narrow *n, LLVMValueRef both, int from)
{
    struct emit *e = n->e;
    LLVMValueRef at[LANES];
    for (unsigned l = 0; l < LANES; l++)
        at[l] = emit_const(e, 32, 2 * l + (unsigned)from);
    LLVMValueRef x =
        LL(BuildShuffleVector, both, e->llvm->GetPoison(e->llvm->TypeOf(both)), e->llvm->ConstVector(at, LANES));
    note(n, x, NULL, most_of(n, both));
    return x;
}

/* An operation that has been made before in this block is not made again: halves of one vector are known by it. */
static LLVMValueRef make(struct narrow *n, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef b)
{
    struct made *made = n->made;
    for (unsigned i = 0; i < MADE; i++)
        if (made[i].opcode == opcode && made[i].a == a && made[i].b == b)
            return made[i].value;
    LLVMValueRef x = n->e->llvm->BuildBinOp(n->e->builder, opcode, a, b, "");
    if (n->e->llvm->IsAInstruction(x))
        note(n, x, NULL, most_of_binary(n, x, mask_of(SMALL)));
    made[n->nmade++ % MADE] = (struct made){opcode, a, b, x, 0};
    return x;
}

static bool moves_over_shuffles(LLVMOpcode opcode)
{
    return opcode == LLVMAdd || opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor || opcode == LLVMShl ||
           opcode == LLVMLShr || opcode == LLVMSub || opcode == LLVMMul;
}

/* Of what was taken apart the operation is carried out before that. NULL: it was not. */
static LLVMValueRef before_shuffles(struct narrow *n, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef b)
{
    int from[2] = {0, 0};
    uint64_t value;
    LLVMValueRef both = apart(n, a, &from[0]), other = apart(n, b, &from[1]);
    if (!both || !moves_over_shuffles(opcode))
        return NULL;
    if (!other && is_splat(n, b, &value))
        return take_apart(n, make(n, opcode, both, constant(n, both, value)), from[0]);
    return other && from[0] == from[1] ? take_apart(n, make(n, opcode, both, other), from[0]) : NULL;
}

/* Constants are added last. */
static bool adds_constant(struct narrow *n, LLVMValueRef x, LLVMValueRef *rest, LLVMValueRef *by)
{
    uint64_t value;
    int from;
    LLVMValueRef both = apart(n, x, &from), sum = both ? both : x;
    if (!emit_is(n->e, sum, LLVMAdd) || !is_splat(n, operand(n, sum, 1), &value))
        return false;
    *rest = operand(n, sum, 0);
    *by = constant(n, x, value);
    return true;
}

static LLVMValueRef binary(struct narrow *n, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef rest, by, x;
    uint64_t value;
    int from;
    if (opcode == LLVMAdd && !is_splat(n, b, &value) && adds_constant(n, a, &rest, &by)) {
        rest = apart(n, a, &from) ? take_apart(n, rest, from) : rest;
        return binary(n, LLVMAdd, binary(n, LLVMAdd, rest, b), by);
    }
    x = before_shuffles(n, opcode, a, b);
    return x ? x : make(n, opcode, a, b);
}

/* ---- in 16 bits -------------------------------------------------------------------------------------------------- */

/* What is small already; NULL: it is not. */
static LLVMValueRef small_of(struct narrow *n, LLVMValueRef x)
{
    uint64_t value;
    const struct known *known = find(n, x);
    if (known && known->small)
        return known->small;
    if (is_splat(n, x, &value))
        return value <= mask_of(SMALL) ? constant(n, x, value) : NULL;
    return emit_is(n->e, x, LLVMZExt) && element_bits(n, operand(n, x, 0)) == SMALL ? operand(n, x, 0) : NULL;
}

static bool used_once(const struct narrow *n, LLVMValueRef x)
{
    LLVMUseRef use = n->e->llvm->GetFirstUse(x);
    return use && !n->e->llvm->GetNextUse(use);
}

/* `small` takes the place of an instruction. */
static bool replace(struct narrow *n, LLVMValueRef x, LLVMValueRef small)
{
    struct emit *e = n->e;
    LLVMValueRef wide = small;
    if (element_bits(n, x) != SMALL) {
        wide = LL(BuildZExt, small, e->llvm->TypeOf(x));
        note(n, wide, small, most_of(n, small));
    }
    e->llvm->ReplaceAllUsesWith(x, wide);
    return true;
}

static bool add_small(struct narrow *n, LLVMValueRef x, uint64_t most)
{
    LLVMValueRef small[2];
    bool saves = false;
    if (!emit_is(n->e, x, LLVMAdd) || element_bits(n, x) <= SMALL || most > mask_of(SMALL))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef from = operand(n, x, k);
        small[k] = small_of(n, from);
        saves = saves || (n->e->llvm->IsAInstruction(from) && used_once(n, from));
    }
    return small[0] && small[1] && saves && replace(n, x, binary(n, LLVMAdd, small[0], small[1]));
}

/* a * c >> s for all a up to `most`, as a * m >> 16 >> k. */
static bool find_factor(struct narrow *n, uint64_t c, uint64_t s, uint64_t most, uint64_t *m, unsigned *k)
{
    for (*k = 0; *k < SMALL; ++*k) {
        unsigned shift = SMALL + *k;
        uint64_t a = 0;
        if (s < shift)
            return false;
        *m = ((c - 1) >> (s - shift)) + 1; /* rounded up */
        if (*m > mask_of(SMALL))
            return false;
        while (a <= most && n->tries < TRIES && a * c >> s == a * *m >> shift)
            a++, n->tries++;
        if (a > most)
            return true;
    }
    return false;
}

/* The upper half of a product of 16 bits. An instruction of x86 by its name: what LLVM would know it by, its passes
 * join with what comes after it. */
static LLVMValueRef high_product(struct narrow *n, LLVMValueRef x, LLVMValueRef by)
{
    struct emit *e = n->e;
#if defined(__x86_64__)
    const char *name = e->vector_bits == 512   ? "llvm.x86.avx512.pmulhu.w.512"
                       : e->vector_bits == 256 ? "llvm.x86.avx2.pmulhu.w"
                                               : "llvm.x86.sse2.pmulhu.w";
    if (size_of(n, x) * SMALL > e->vector_bits) {
        LLVMValueRef half[2];
        for (unsigned h = 0; h < 2; h++)
            half[h] = high_product(n, rows_half(e, x, h), rows_half(e, by, h));
        return rows_joined(e, half[0], half[1]);
    }
    LLVMValueRef args[] = {x, by};
    return emit_host(e, name, e->llvm->TypeOf(x), args, 2);
#else
    LLVMTypeRef wide = e->llvm->VectorType(e->i32, size_of(n, x));
    LLVMValueRef product = LL(BuildMul, LL(BuildZExt, x, wide), LL(BuildZExt, by, wide));
    product = LL(BuildLShr, product, LL(BuildZExt, constant(n, x, SMALL), wide));
    return LL(BuildTrunc, product, e->llvm->TypeOf(x));
#endif
}

/* The same vector is multiplied for both halves that are taken of it. */
static LLVMValueRef quotient(struct narrow *n, LLVMValueRef small, uint64_t m, unsigned k, uint64_t most)
{
    struct made *last = &n->product;
    int from = 0;
    LLVMValueRef both = apart(n, small, &from), x = both ? both : small;
    if (last->a != x || last->factor != m) {
        *last = (struct made){0, x, NULL, high_product(n, x, constant(n, x, m)), m};
        note(n, last->value, NULL, most * m >> SMALL);
    }
    x = k ? make(n, LLVMLShr, last->value, constant(n, last->value, k)) : last->value;
    return both ? take_apart(n, x, from) : x;
}

static bool multiply_small(struct narrow *n, LLVMValueRef x)
{
    uint64_t s, c, m;
    unsigned k, bits = element_bits(n, x);
    if (!emit_is(n->e, x, LLVMLShr) || bits <= SMALL || !is_splat(n, operand(n, x, 1), &s) || s >= bits)
        return false;
    LLVMValueRef product = operand(n, x, 0);
    if (!emit_is(n->e, product, LLVMMul))
        return false;
    bool second = is_splat(n, operand(n, product, 1), &c);
    if (!second && !is_splat(n, operand(n, product, 0), &c))
        return false;
    LLVMValueRef from = operand(n, product, !second), small = emit_is(n->e, from, LLVMZExt) ? small_of(n, from) : NULL;
    uint64_t most = small ? most_of(n, small) : 0;
    return small && c && most <= mask_of(bits) / c && find_factor(n, c, s, most, &m, &k) &&
           replace(n, x, quotient(n, small, m, k, most));
}

/* What is truncated to 16 bits, and all of it was there. */
static bool truncate_small(struct narrow *n, LLVMValueRef x)
{
    LLVMValueRef small = emit_is(n->e, x, LLVMTrunc) && element_bits(n, x) == SMALL && element_bits(n, operand(n, x, 0))
                             ? small_of(n, operand(n, x, 0))
                             : NULL;
    return small && replace(n, x, small);
}

/* A mask that leaves all bits that there can be. */
static bool mask_small(struct narrow *n, LLVMValueRef x)
{
    uint64_t mask;
    if (!emit_is(n->e, x, LLVMAnd) || !is_splat(n, operand(n, x, 1), &mask) ||
        filled(most_of(n, operand(n, x, 0))) & ~mask)
        return false;
    n->e->llvm->ReplaceAllUsesWith(x, operand(n, x, 0));
    return true;
}

static bool move_over_shuffles(struct narrow *n, LLVMValueRef x)
{
    LLVMOpcode opcode = n->e->llvm->GetInstructionOpcode(x);
    LLVMValueRef moved = NULL;
    if (element_bits(n, x) == SMALL && size_of(n, x) == LANES && moves_over_shuffles(opcode))
        moved = before_shuffles(n, opcode, operand(n, x, 0), operand(n, x, 1));
    return moved && replace(n, x, moved);
}

/* Halves of one vector side by side again. */
static bool join(struct narrow *n, LLVMValueRef x)
{
    int first, second;
    if (!takes(n, x, 2 * LANES, BY_TURNS))
        return false;
    LLVMValueRef a = apart(n, operand(n, x, 0), &first), b = apart(n, operand(n, x, 1), &second);
    return a && a == b && first == 0 && second == 1 && replace(n, x, a);
}

/* A sum that is small extended further is what is small. */
static void look(struct narrow *n, LLVMValueRef x)
{
    unsigned bits = element_bits(n, x);
    if (!bits)
        return;
    uint64_t most = most_of_instruction(n, x, mask_of(bits));
    if (size_of(n, x) > MOST) { /* rows of more than two components are computed with as they are */
        note(n, x, NULL, most);
        return;
    }
    n->e->llvm->PositionBuilderBefore(n->e->builder, x);
    if (add_small(n, x, most) || multiply_small(n, x) || truncate_small(n, x) || mask_small(n, x) ||
        move_over_shuffles(n, x) || join(n, x))
        return;
    bool extends = emit_is(n->e, x, LLVMZExt) && element_bits(n, operand(n, x, 0)) > SMALL;
    note(n, x, extends ? small_of(n, operand(n, x, 0)) : NULL, most);
}

static void for_all(struct narrow *n, void (*visit)(struct narrow *n, LLVMValueRef x))
{
    const struct llvm *llvm = n->e->llvm;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(n->e->function); b; b = llvm->GetNextBasicBlock(b)) {
        memset(n->made, 0, sizeof n->made);
        memset(&n->product, 0, sizeof n->product);
        for (LLVMValueRef x = llvm->GetFirstInstruction(b); x; x = llvm->GetNextInstruction(x))
            visit(n, x);
    }
}

static void count(struct narrow *n, LLVMValueRef x)
{
    n->room += element_bits(n, x) && n->room < VALUES ? 4 : 0; /* itself, or what takes its place */
}

void narrow_all(struct emit *e)
{
    struct narrow n = {.e = e};
    for_all(&n, count);
    n.map.arena = &n.arena;
    n.known = arena_array(&n.arena, n.room + 1, sizeof *n.known);
    if (n.known)
        for_all(&n, look);
    arena_free(&n.arena);
}
