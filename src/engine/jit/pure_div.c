/* Compiled forms: quotients and remainders of integers (meaning/ints.h, "division").
 *
 * A launch may ask for a trap where a lane divides by zero: then the interpreter carries the instruction out. */
#include "engine/jit/pure.h"

#include "engine/meaning/kernels.h"

static bool is_signed(const struct pure *p)
{
    return lane_type_signed(p->inst->type);
}

static value is(struct pure *p, value x, unsigned bits, uint64_t what)
{
    return pure_icmp(p, LLVMIntEQ, x, pure_same(p, bits, what));
}

/* ---- by a number that is known -------------------------------------------------------------------------------------
 */

/* Not 0. LLVM multiplies. MIN / -1 = MIN, MIN rem -1 = 0. */
static value by_known(struct pure *p, value a, value b, bool minus_one)
{
    struct emit *e = p->e;
    bool rem = p->inst->op == LANE_OP_rem;
    if (is_signed(p) && minus_one)
        return rem ? pure_same(p, p->bits, 0) : pure_sub(p, pure_same(p, p->bits, 0), a);
    if (is_signed(p))
        return rem ? LL(BuildSRem, a, b) : LL(BuildSDiv, a, b);
    return rem ? LL(BuildURem, a, b) : LL(BuildUDiv, a, b);
}

/* ---- by others -----------------------------------------------------------------------------------------------------
 */

/* Up to 32 bits: by f64, whose quotient, truncated, is exact. The low bits of the quotient + 1.5 * 2^52 are those of
 * its integer, 2^31 = MIN / -1 too. */
static value quotient32(struct pure *p, value a, value b)
{
    struct emit *e = p->e;
    LLVMTypeRef f64 = pure_float_type(p, 64);
    value x = is_signed(p) ? LL(BuildSIToFP, a, f64) : LL(BuildUIToFP, a, f64);
    value y = is_signed(p) ? LL(BuildSIToFP, b, f64) : LL(BuildUIToFP, b, f64);
    value q = pure_call1(p, "llvm.trunc", LL(BuildFDiv, x, y));
    value low = pure_from_float(p, LL(BuildFAdd, q, pure_real(p, 64, f64_bits(0x1.8p52))), 64);
    return pure_resize(p, low, 64, 32, false);
}

/* 64 bits divide in the host, where MIN / -1 would fault. */
static value quotient64(struct pure *p, value a, value b)
{
    struct emit *e = p->e;
    if (!is_signed(p))
        return LL(BuildUDiv, a, b);
    value minus = is(p, b, 64, UINT64_MAX);
    value q = LL(BuildSDiv, a, pure_select(p, minus, pure_same(p, 64, 1), b));
    return pure_select(p, minus, pure_sub(p, pure_same(p, 64, 0), a), q);
}

/* Of registers of 16 bits and more; division by 1 stands in for that by 0. */
static value by_any(struct pure *p, value a, value b)
{
    unsigned bits = p->bits < 32 ? 32 : p->bits;
    value all = pure_same(p, bits, UINT64_MAX);
    a = pure_resize(p, a, p->bits, bits, is_signed(p));
    b = pure_resize(p, b, p->bits, bits, is_signed(p));
    value zero = is(p, b, bits, 0), by = pure_select(p, zero, pure_same(p, bits, 1), b);
    value q = bits == 64 ? quotient64(p, a, by) : quotient32(p, a, by);
    value r = p->inst->op == LANE_OP_rem ? pure_sub(p, a, pure_mul(p, q, by)) : q;
    return pure_resize(p, pure_select(p, zero, all, r), bits, p->bits, false);
}

/* ---- forms ---------------------------------------------------------------------------------------------------------
 */

/* i1: no lane that carries it out divides by zero. */
static value no_zero(struct pure *p, value b)
{
    struct emit *e = p->e;
    value lanes = LL(BuildAnd, emit_word(e, is(p, b, p->bits, 0)), emit_lanes(e, p->at));
    return LL(BuildICmp, LLVMIntEQ, lanes, emit_const(e, 32, 0));
}

static bool divide(struct pure *p)
{
    struct emit *e = p->e;
    uint64_t known, mask = UINT64_MAX >> (64 - p->bits);
    bool is_known = emit_constant(e, p->at, p->at->ndst + 1, &known);
    if ((is_known && !(known & mask)) || (p->bits < 64 && !pure_host_integral(p)))
        return false;
    value a = pure_source(p, 0), b = pure_source(p, 1);
    if (is_known) {
        pure_result(p, 0, by_known(p, a, b, (known & mask) == mask));
        return true;
    }
    LLVMBasicBlockRef fast = emit_block(e, ""), slow = emit_block(e, ""), done = emit_block(e, "");
    emit_branch(e, no_zero(p, b), fast, slow, true);
    emit_begin(e, slow);
    emit_step(e, p->at);
    emit_jump(e, done);
    emit_begin(e, fast);
    emit_result(e, p->at, 0, by_any(p, a, b));
    emit_jump(e, done);
    emit_begin(e, done);
    return true;
}

const struct pure_form pure_divisions[] = {
    {LANE_OP_div, 0, PURE_INTS, divide},
    {LANE_OP_rem, 0, PURE_INTS, divide},
    {0},
};
