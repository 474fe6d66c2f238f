/* Compiled forms of pure operations: finding the form, values that all families use. */
#include "engine/jit/pure.h"

#include "engine/meaning/kernel.h"

#include <assert.h>

/* ---- values --------------------------------------------------------------------------------------------------------
 */

LLVMTypeRef pure_vector(struct pure *p, LLVMTypeRef element)
{
    return p->count == 1 ? element : p->e->llvm->VectorType(element, p->count);
}

/* Where the host flushes, LLVM does not when it computes with constants, or after rounding to the subnormal grid. Those
 * that are flushed as operands are zeros to it. It is not told a factor without which no product or sum of a product is
 * that small: to be kept from computing with two constants is enough, as what it has computed itself is no such factor
 * but in programs that compute nothing else. */
value pure_hidden(struct pure *p, unsigned k)
{
    unsigned op = p->inst->op, exponent;
    uint64_t word;
    bool moves = op == LANE_OP_mov || op == LANE_OP_selp || op == LANE_OP_slct;
    if (!p->e->daz || p->at->bits[p->at->ndst + k] != 32 || !(moves || p->inst->type == LANE_F32) ||
        !emit_constant(p->e, p->at, p->at->ndst + k, &word))
        return NULL;
    exponent = (unsigned)(word >> 23) & 255;
    bool floats = !moves && (op != LANE_OP_cvt || p->inst->type2 == LANE_F32);
    if (!exponent && floats && p->at->flags & LANE_FTZ)
        return pure_same(p, 32, word & 0x80000000);
    if (!exponent || exponent == 255 || (exponent > 127 - 50 && exponent < 127 + 62))
        return NULL;
    return emit_splat(p->e, emit_hide(p->e, emit_const(p->e, 32, word)));
}

value pure_loose(struct pure *p, unsigned k)
{
    value hidden = pure_hidden(p, k);
    return hidden ? hidden : emit_loose(p->e, p->at, p->at->ndst + k);
}

value pure_source(struct pure *p, unsigned k)
{
    unsigned at = p->at->ndst + k;
    value hidden = pure_hidden(p, k), x = hidden ? hidden : emit_source(p->e, p->at, at);
    if (p->count == p->e->lanes || p->at->bits[at] != 2 * p->bits)
        return x;
    return pure_cast(p, x, pure_vector(p, emit_int(p->e, p->bits)));
}

value pure_same(struct pure *p, unsigned bits, uint64_t x)
{
    LLVMValueRef elements[2 * LANES];
    for (unsigned i = 0; i < p->count; i++)
        elements[i] = emit_const(p->e, bits, x);
    return p->count == 1 ? elements[0] : p->e->llvm->ConstVector(elements, p->count);
}

void pure_result(struct pure *p, unsigned k, value x)
{
    assert(k < PURE_RESULTS);
    if (p->at->bits[k])
        p->results[k] = pure_cast(p, x, emit_vector(p->e, emit_int(p->e, p->at->bits[k])));
}

value pure_resize(struct pure *p, value x, unsigned from, unsigned to, bool is_signed)
{
    struct emit *e = p->e;
    LLVMTypeRef type = pure_vector(p, emit_int(e, to));
    if (from == to)
        return x;
    if (from > to)
        return LL(BuildTrunc, x, type);
    return is_signed ? LL(BuildSExt, x, type) : LL(BuildZExt, x, type);
}

value pure_call1(struct pure *p, const char *name, value a)
{
    return emit_intrinsic(p->e, name, p->e->llvm->TypeOf(a), &a, 1);
}

value pure_call2(struct pure *p, const char *name, value a, value b)
{
    value args[] = {a, b};
    return emit_intrinsic(p->e, name, p->e->llvm->TypeOf(a), args, 2);
}

value pure_call3(struct pure *p, const char *name, value a, value b, value c)
{
    value args[] = {a, b, c};
    return emit_intrinsic(p->e, name, p->e->llvm->TypeOf(a), args, 3);
}

/* ---- pairs ---------------------------------------------------------------------------------------------------------
 */

static value shuffle(struct pure *p, value a, value b, unsigned n, unsigned first, unsigned by, unsigned other)
{
    struct emit *e = p->e;
    LLVMValueRef from[4 * LANES];
    assert(n <= sizeof from / sizeof *from);
    for (unsigned i = 0; i < n; i++)
        from[i] = emit_const(e, 32, other ? i / 2 + i % 2 * other : first + i * by);
    return LL(BuildShuffleVector, a, b, e->llvm->ConstVector(from, n));
}

value pure_join(struct pure *p, value low, value high, unsigned bits)
{
    value both = shuffle(p, low, high, 2 * LANES, 0, 0, LANES);
    return pure_cast(p, both, emit_vector(p->e, emit_int(p->e, 2 * bits)));
}

void pure_split(struct pure *p, value whole, unsigned bits, value *low, value *high)
{
    value both = pure_cast(p, whole, p->e->llvm->VectorType(emit_int(p->e, bits), 2 * LANES));
    *low = shuffle(p, both, both, LANES, 0, 2, 0);
    *high = shuffle(p, both, both, LANES, 1, 2, 0);
}

/* ---- forms ---------------------------------------------------------------------------------------------------------
 */

static const struct pure_form *find(const struct pure *p)
{
    static const struct pure_form *const families[] = {pure_moves,  pure_ints,        pure_bits,      pure_floats,
                                                       pure_halves, pure_cvts,        pure_divisions, pure_machine,
                                                       pure_approx, pure_interpolated};
    for (unsigned i = 0; i < sizeof families / sizeof *families; i++)
        for (const struct pure_form *form = families[i]; form->emit; form++)
            if (form->op == p->inst->op && form->types >> p->inst->type & 1 && !(p->flags & ~(unsigned)form->flags))
                return form;
    return NULL;
}

/* Operations that have no meaning apart from the machine that carries them out (interp/machine.c). */
static bool asks_machine(unsigned op)
{
    return op == LANE_OP_sreg || op == LANE_OP_frame || op == LANE_OP_isspacep;
}

/* A result may be the guard: that one comes last. */
static void store_results(struct pure *p)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned k = 0; k < p->at->ndst; k++)
            if (p->results[k] && (p->at->offsets[k] == p->at->guard) == pass)
                emit_result(p->e, p->at, k, p->results[k]);
}

/* Not those that take registers apart, or look at which lanes run. */
bool pure_goes_once(const struct decoded *at)
{
    const struct lane_inst *inst = at->inst;
    bool plain = inst->type < LANE_F16X2 && !pure_is_half(inst->type) && !pure_is_half(inst->type2);
    switch (at->op) {
    case LANE_OP_sreg:
        return !lane_sreg_is(inst->mode, LANE_SREG_LANES) && !(inst->mode == LANE_SREG_WARPID && func_packs(at->func));
    case LANE_OP_pack:
    case LANE_OP_unpack:
    case LANE_OP_prmt:
    case LANE_OP_div:
    case LANE_OP_rem:
    case LANE_OP_cvtpack:
    case LANE_OP_cvtrs:
    case LANE_OP_ex2:
    case LANE_OP_lg2:
        return false;
    default:
        return plain;
    }
}

/* Does a result go where the guard is, before another result needs it? */
static bool spoils_guard(const struct decoded *at)
{
    for (unsigned k = 0; k + 1 < at->ndst; k++)
        if (at->guard != KERNEL_NONE && at->bits[k] && at->offsets[k] == at->guard)
            return true;
    return false;
}

bool emit_pure(struct emit *e, const struct decoded *at)
{
    if (at->op < LANE_OPS && spoils_guard(at)) {
        emit_step(e, at);
        return true;
    }
    if (at->op >= LANE_OPS || !lane_is(at->op, LANE_PURE) || at->ndst > PURE_RESULTS)
        return false;
    const struct meaning *row = meaning_find_base(at->inst);
    if (!row && !asks_machine(at->op))
        return false;
    struct pure p = {.e = e, .at = at, .inst = at->inst, .row = row, .flags = row ? row->flags : 0};
    unsigned type = at->inst->type, bits = lane_type_bits(type);
    bool packed = type >= LANE_F16X2 && type <= LANE_S16X2;
    p.bits = packed ? bits / 2 : bits;
    p.count = packed ? 2 * e->lanes : e->lanes;
    const struct pure_form *form = find(&p);
    if (!form || !form->emit(&p))
        return false;
    store_results(&p);
    return true;
}
