/* Compiled forms: ex2 and lg2 of f32, by the steps of engine/meaning/near.h. Where that does not settle the result of
 * some lane, the interpreter carries the instruction out. */
#include "engine/jit/pure.h"

#include "engine/meaning/near.h"

static value real(struct pure *p, double x)
{
    return pure_real(p, 64, f64_bits(x));
}

static value terms(struct pure *p, const double *terms, int n, value x)
{
    struct emit *e = p->e;
    value y = real(p, terms[n - 1]);
    for (int k = n - 2; k >= 0; k--)
        y = e->has_fma ? pure_call3(p, "llvm.fma", y, x, real(p, terms[k]))
                       : LL(BuildFAdd, LL(BuildFMul, y, x), real(p, terms[k]));
    return y;
}

static value f64_of(struct pure *p, value bits)
{
    return pure_to_float(p, bits, 64);
}

static value bits_of(struct pure *p, value x)
{
    return pure_from_float(p, x, 64);
}

/* A vector of 64-bit numbers. */
static value number(struct pure *p, uint64_t x)
{
    return pure_same(p, 64, x);
}

static value to_f32(struct pure *p, value x)
{
    struct emit *e = p->e;
    return LL(BuildFPTrunc, x, pure_float_type(p, 32));
}

/* The f32 that y is nearest to; where an error might change it, or a lane is none of `in` (NULL: all are), a step.
 * Compared by their bits, as subnormals may be zero for the host. */
static bool settle(struct pure *p, value y, value in)
{
    struct emit *e = p->e;
    value slack = LL(BuildFMul, pure_call1(p, "llvm.fabs", y), real(p, NEAR_SLACK));
    value low = to_f32(p, LL(BuildFSub, y, slack)), high = to_f32(p, LL(BuildFAdd, y, slack));
    value far = pure_icmp(p, LLVMIntNE, pure_from_float(p, low, 32), pure_from_float(p, high, 32));
    far = in ? pure_or(p, far, pure_not(p, in)) : far;
    value lanes = LL(BuildAnd, emit_word(e, far), emit_lanes(e, p->at));
    LLVMBasicBlockRef near = emit_block(e, ""), step = emit_block(e, ""), done = emit_block(e, "");
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, lanes, emit_const(e, 32, 0)), near, step, true);
    emit_begin(e, step);
    emit_step(e, p->at);
    emit_jump(e, done);
    emit_begin(e, near);
    emit_result(e, p->at, 0, pure_finish32(p, low, p->flags & LANE_FTZ, false));
    emit_jump(e, done);
    emit_begin(e, done);
    return true;
}

static value argument(struct pure *p, bool flush)
{
    struct emit *e = p->e;
    value bits = pure_loose(p, 0);
    bits = flush ? pure_flush(p, bits, 32, 0x7f800000) : bits;
    return LL(BuildFPExt, pure_to_float(p, bits, 32), pure_float_type(p, 64));
}

/* Of a subnormal it is 1 in any case. */
static bool ex2(struct pure *p)
{
    struct emit *e = p->e;
    value t = argument(p, false), most = real(p, EX2_MOST), least = real(p, -EX2_MOST);
    t = pure_select(p, pure_fcmp(p, LLVMRealOGT, t, most), most, t);
    t = pure_select(p, pure_fcmp(p, LLVMRealOLT, t, least), least, t);
    value whole = LL(BuildFAdd, t, real(p, WHOLE)), f = LL(BuildFSub, t, LL(BuildFSub, whole, real(p, WHOLE)));
    value exponent = pure_shl(p, pure_add(p, bits_of(p, whole), number(p, 1023)), number(p, 52));
    value y = LL(BuildFMul, terms(p, ex2_terms, EX2_TERMS, f), f64_of(p, exponent));
    bool keeps = e->daz && !(p->flags & LANE_FTZ); /* what the host would flush */
    return settle(p, y, keeps ? pure_fcmp(p, LLVMRealUGE, y, real(p, 0x1p-125)) : NULL);
}

static bool lg2(struct pure *p)
{
    struct emit *e = p->e;
    value t = argument(p, p->flags & LANE_FTZ && !e->daz), one = real(p, 1), least = number(p, LG2_LEAST);
    value above = pure_sub(p, bits_of(p, t), least);
    value m = f64_of(p, pure_add(p, pure_and(p, above, number(p, UINT64_MAX >> 12)), least));
    value whole = pure_resize(p, pure_shr(p, above, number(p, 52), true), 64, 32, true);
    value s = LL(BuildFDiv, LL(BuildFSub, m, one), LL(BuildFAdd, m, one));
    value part = LL(BuildFMul, s, terms(p, lg2_terms, LG2_TERMS, LL(BuildFMul, s, s)));
    value y = LL(BuildFAdd, LL(BuildSIToFP, whole, pure_float_type(p, 64)), part);
    value in = pure_and(p, pure_fcmp(p, LLVMRealOGT, t, real(p, 0)), pure_fcmp(p, LLVMRealOLT, t, real(p, INFINITY)));
    return settle(p, y, in);
}

const struct pure_form pure_approx[] = {
    {LANE_OP_ex2, LANE_FTZ, PURE_TYPE(F32), ex2},
    {LANE_OP_lg2, LANE_FTZ, PURE_TYPE(F32), lg2},
    {0},
};
