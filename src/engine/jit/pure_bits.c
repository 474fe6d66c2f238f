/* Compiled forms: logic, shifts, bit fields, counts, permutes (meaning/bits.h); comparisons of integers. */
#include "engine/jit/flow.h"
#include "engine/jit/pure.h"

#include "engine/meaning/prmt.h"

static bool is_signed(const struct pure *p)
{
    return lane_type_signed(p->inst->type);
}

static bool give(struct pure *p, value x)
{
    pure_result(p, 0, x);
    return true;
}

/* ---- logic ---------------------------------------------------------------------------------------------------------
 */

static bool and_(struct pure *p)
{
    return give(p, pure_and(p, pure_source(p, 0), pure_source(p, 1)));
}

static bool or_(struct pure *p)
{
    return give(p, pure_or(p, pure_source(p, 0), pure_source(p, 1)));
}

static bool xor_(struct pure *p)
{
    return give(p, pure_xor(p, pure_source(p, 0), pure_source(p, 1)));
}

static bool not_(struct pure *p)
{
    return give(p, pure_not(p, pure_source(p, 0)));
}

static bool cnot(struct pure *p)
{
    value zero = pure_icmp(p, LLVMIntEQ, pure_source(p, 0), pure_same(p, p->bits, 0));
    return give(p, pure_resize(p, zero, 1, p->bits, false));
}

/* Ones and zeros of a table by one operand more: `low` where it is 0, `high` where it is 1. */
static value by_bit(struct pure *p, value mask, value low, value high)
{
    return low == high ? low : pure_xor(p, low, pure_and(p, mask, pure_xor(p, low, high)));
}

static bool lop3(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), c = pure_source(p, 2), by_b[2];
    value of_c[4] = {pure_same(p, 32, 0), pure_not(p, c), c, pure_same(p, 32, UINT32_MAX)};
    unsigned table = p->inst->aux & 0xff;
    for (unsigned i = 0; i < 2; i++)
        by_b[i] = by_bit(p, b, of_c[table >> (4 * i) & 3], of_c[table >> (4 * i + 2) & 3]);
    return give(p, by_bit(p, a, by_b[0], by_b[1]));
}

/* ---- shifts --------------------------------------------------------------------------------------------------------
 */

/* By amounts of the value's width `bits`; what is shifted out is gone. A lane of a shift by too much is not chosen. */
static value shift_out(struct pure *p, value a, value n, unsigned bits, bool left)
{
    value fits = pure_icmp(p, LLVMIntULT, n, pure_same(p, bits, bits));
    return pure_select(p, fits, left ? pure_shl(p, a, n) : pure_shr(p, a, n, false), pure_same(p, bits, 0));
}

static value shift_sign(struct pure *p, value a, value n, unsigned bits)
{
    return pure_shr(p, a, pure_call2(p, "llvm.umin", n, pure_same(p, bits, bits - 1)), true);
}

/* An amount of 32 bits, as wide as the value; 255 is as good as more. */
static value amount(struct pure *p, unsigned k)
{
    value n = pure_source(p, k);
    if (p->bits < 32)
        n = pure_call2(p, "llvm.umin", n, pure_same(p, 32, 255));
    return pure_resize(p, n, 32, p->bits, false);
}

/* By a constant: nothing is to be asked. */
static value shift_by(struct pure *p, uint64_t by, bool left, bool sign)
{
    value a = pure_source(p, 0);
    by &= UINT32_MAX;
    if (by >= p->bits && !sign)
        return pure_same(p, p->bits, 0);
    value n = pure_same(p, p->bits, by < p->bits ? by : p->bits - 1);
    return left ? pure_shl(p, a, n) : pure_shr(p, a, n, sign);
}

static bool shl(struct pure *p)
{
    uint64_t by;
    if (emit_constant(p->e, p->at, p->at->ndst + 1u, &by))
        return give(p, shift_by(p, by, true, false));
    return give(p, shift_out(p, pure_source(p, 0), amount(p, 1), p->bits, true));
}

static bool shr(struct pure *p)
{
    uint64_t by;
    if (emit_constant(p->e, p->at, p->at->ndst + 1u, &by))
        return give(p, shift_by(p, by, false, is_signed(p)));
    value a = pure_source(p, 0), n = amount(p, 1);
    return give(p, is_signed(p) ? shift_sign(p, a, n, p->bits) : shift_out(p, a, n, p->bits, false));
}

static bool shf(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), c = pure_source(p, 2);
    bool right = p->inst->mode;
    value r = pure_call3(p, right ? "llvm.fshr" : "llvm.fshl", b, a, c);
    if (!(p->flags & LANE_CLAMP))
        return give(p, r);
    value fits = pure_icmp(p, LLVMIntULT, c, pure_same(p, 32, 32));
    return give(p, pure_select(p, fits, r, right ? b : a));
}

/* ---- bit fields ----------------------------------------------------------------------------------------------------
 */

/* Position or length: the low byte of a source, of 64-bit fields all of it. */
static value place_of(struct pure *p, unsigned k)
{
    value x = pure_source(p, k);
    return p->bits == 64 ? pure_resize(p, x, 32, 64, false) : pure_and(p, x, pure_same(p, 32, 255));
}

/* As many ones, from the lowest bit. */
static value ones(struct pure *p, value length)
{
    return pure_not(p, shift_out(p, pure_same(p, p->bits, UINT64_MAX), length, p->bits, true));
}

static bool bfe(struct pure *p)
{
    value a = pure_source(p, 0), at = place_of(p, 1), length = place_of(p, 2), w = pure_same(p, p->bits, p->bits);
    if (!is_signed(p))
        return give(p, pure_and(p, shift_out(p, a, at, p->bits, false), ones(p, length)));
    value field = shift_sign(p, a, at, p->bits), zero = pure_same(p, p->bits, 0);
    value unused = pure_call2(p, "llvm.usub.sat", w, length);
    unused = pure_call2(p, "llvm.umin", unused, pure_same(p, p->bits, p->bits - 1));
    field = pure_shr(p, pure_shl(p, field, unused), unused, true);
    return give(p, pure_select(p, pure_icmp(p, LLVMIntEQ, length, zero), zero, field));
}

static bool bfi(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), at = place_of(p, 2), length = place_of(p, 3);
    value mask = shift_out(p, ones(p, length), at, p->bits, true);
    value field = shift_out(p, a, at, p->bits, true);
    return give(p, pure_or(p, pure_and(p, b, pure_not(p, mask)), pure_and(p, field, mask)));
}

static value below32(struct pure *p, value x)
{
    return pure_icmp(p, LLVMIntULT, x, pure_same(p, 32, 32));
}

static bool bmsk(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), all = pure_same(p, 32, UINT32_MAX), zero = pure_same(p, 32, 0);
    value low = pure_same(p, 32, 31), start = pure_and(p, a, low), end = pure_add(p, start, pure_and(p, b, low));
    value from_start = pure_shl(p, all, start), from_end = shift_out(p, all, end, 32, true);
    if (p->flags & LANE_CLAMP) {
        from_start = pure_select(p, below32(p, a), from_start, zero);
        from_end = pure_select(p, below32(p, b), from_end, zero);
    }
    return give(p, pure_and(p, from_start, pure_not(p, from_end)));
}

static bool szext(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), zero = pure_same(p, 32, 0);
    value bits = pure_and(p, b, pure_same(p, 32, 31)), kept;
    if (is_signed(p)) {
        value unused = pure_and(p, pure_sub(p, pure_same(p, 32, 32), bits), pure_same(p, 32, 31));
        kept = pure_shr(p, pure_shl(p, a, unused), unused, true);
        kept = pure_select(p, pure_icmp(p, LLVMIntEQ, bits, zero), zero, kept);
    } else {
        kept = pure_and(p, a, pure_not(p, pure_shl(p, pure_same(p, 32, UINT32_MAX), bits)));
    }
    return give(p, p->flags & LANE_CLAMP ? pure_select(p, below32(p, b), kept, a) : kept);
}

/* ---- counting ------------------------------------------------------------------------------------------------------
 */

static bool popc(struct pure *p)
{
    return give(p, pure_resize(p, pure_call1(p, "llvm.ctpop", pure_source(p, 0)), p->bits, 32, false));
}

static value leading_zeros(struct pure *p, value x)
{
    value n = pure_call2(p, "llvm.ctlz", x, emit_const(p->e, 1, 0));
    return pure_resize(p, n, p->bits, 32, false);
}

static bool clz(struct pure *p)
{
    return give(p, leading_zeros(p, pure_source(p, 0)));
}

static bool brev(struct pure *p)
{
    return give(p, pure_call1(p, "llvm.bitreverse", pure_source(p, 0)));
}

static bool bfind(struct pure *p)
{
    value x = pure_source(p, 0);
    if (is_signed(p))
        x = pure_xor(p, x, pure_shr(p, x, pure_same(p, p->bits, p->bits - 1), true));
    value n = leading_zeros(p, x), none = pure_icmp(p, LLVMIntEQ, x, pure_same(p, p->bits, 0));
    if (!(p->flags & LANE_CLAMP))
        n = pure_sub(p, pure_same(p, 32, p->bits - 1), n);
    return give(p, pure_select(p, none, pure_same(p, 32, UINT32_MAX), n));
}

/* ---- prmt ----------------------------------------------------------------------------------------------------------
 */

static value bytes_of(struct pure *p, value word)
{
    return pure_cast(p, word, p->e->llvm->VectorType(p->e->i8, 4 * LANES));
}

/* By a selector that is known: bytes are shuffled; of those whose nibble asks for it, the sign is spread. */
static value permute_known(struct pure *p, value a, value b, unsigned selector)
{
    struct emit *e = p->e;
    LLVMValueRef from[4 * LANES], is_sign[4 * LANES], seven[4 * LANES];
    for (unsigned i = 0; i < 4 * LANES; i++) {
        unsigned nibble = selector >> (i % 4 * 4) & 15, byte = nibble & 7;
        from[i] = emit_const(e, 32, (byte & 4 ? 4 * LANES : 0) + (i & ~3u) + (byte & 3));
        is_sign[i] = emit_const(e, 1, nibble >> 3);
        seven[i] = emit_const(e, 8, 7);
    }
    value r = LL(BuildShuffleVector, bytes_of(p, a), bytes_of(p, b), e->llvm->ConstVector(from, 4 * LANES));
    if (selector & 0x8888) {
        value sign = pure_shr(p, r, e->llvm->ConstVector(seven, 4 * LANES), true);
        r = pure_select(p, e->llvm->ConstVector(is_sign, 4 * LANES), sign, r);
    }
    return r;
}

static value permute(struct pure *p, value a, value b, value selector)
{
    value bytes = pure_or(p, pure_resize(p, a, 32, 64, false),
                          pure_shl(p, pure_resize(p, b, 32, 64, false), pure_same(p, 64, 32)));
    value r = pure_same(p, 32, 0), eight = pure_same(p, 32, 8), low = pure_same(p, 32, 0xff);
    for (unsigned i = 0; i < 4; i++) {
        value nibble = pure_shr(p, selector, pure_same(p, 32, 4 * i), false);
        value at = pure_shl(p, pure_and(p, nibble, pure_same(p, 32, 7)), pure_same(p, 32, 3));
        value byte = pure_resize(p, pure_shr(p, bytes, pure_resize(p, at, 32, 64, false), false), 64, 32, false);
        byte = pure_and(p, byte, low);
        value top = pure_shl(p, byte, pure_same(p, 32, 24));
        value sign = pure_and(p, pure_shr(p, top, pure_same(p, 32, 31), true), low);
        value asks = pure_icmp(p, LLVMIntNE, pure_and(p, nibble, eight), pure_same(p, 32, 0));
        r = pure_or(p, r, pure_shl(p, pure_select(p, asks, sign, byte), pure_same(p, 32, 8 * i)));
    }
    return r;
}

static bool prmt(struct pure *p)
{
    value a = pure_source(p, 0), b = pure_source(p, 1), c;
    unsigned mode = p->inst->mode;
    uint64_t known;
    if (emit_constant(p->e, p->at, p->at->ndst + 2, &known)) {
        unsigned selector = mode == LANE_PRMT_IDX ? known & 0xffff : prmt_selectors[mode][known & 3];
        return give(p, permute_known(p, a, b, selector));
    }
    c = pure_source(p, 2);
    if (mode != LANE_PRMT_IDX) {
        value i = pure_and(p, c, pure_same(p, 32, 3));
        c = pure_same(p, 32, prmt_selectors[mode][0]);
        for (unsigned k = 1; k < 4; k++)
            c = pure_select(p, pure_icmp(p, LLVMIntEQ, i, pure_same(p, 32, k)),
                            pure_same(p, 32, prmt_selectors[mode][k]), c);
    }
    return give(p, permute(p, a, b, c));
}

/* ---- comparison ----------------------------------------------------------------------------------------------------
 */

LLVMIntPredicate pure_comparison(unsigned cmp, bool is_signed)
{
    static const LLVMIntPredicate with_sign[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
    static const LLVMIntPredicate without[] = {LLVMIntEQ, LLVMIntNE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
    return (is_signed ? with_sign : without)[cmp];
}

/* Is the result a guard first, or for other segments? As a word it is cheap there, but what reads it here as an operand
 * wants a vector. */
static bool is_guard(const struct pure *p)
{
    const struct emit *e = p->e;
    const struct segment *here = &e->flow->segments[e->segment];
    const struct decoded *end = &e->func->decoded[here->first + here->count];
    for (const struct decoded *at = p->at + 1; at < end; at++) {
        for (unsigned k = at->ndst; k < (unsigned)at->ndst + at->nsrc; k++)
            if (at->bits[k] && at->offsets[k] == p->at->offsets[0])
                return false;
        if (at->guard == p->at->offsets[0])
            return true;
    }
    return true;
}

/* Lanes that have numbers in a row, from `first` on, are compared with `limit`. */
struct counting {
    LLVMValueRef first, limit;
    unsigned bits;
    bool with_sign, equal, flipped; /* first <= limit; not so */
};

static bool find_counting(struct pure *p, struct counting *c)
{
    struct affine a, b;
    unsigned first = p->at->ndst, cmp = p->inst->cmp;
    uint64_t ones = UINT64_MAX >> (64 - p->bits);
    if (cmp <= LANE_NE || p->e->lanes != LANES || (p->bits != 32 && p->bits != 64) || p->at->bits[first] != p->bits ||
        !emit_affine(p->e, p->at, first, &a) || !emit_affine(p->e, p->at, first + 1, &b) || !is_guard(p))
        return false;
    bool swapped = !(a.step & ones);
    struct affine *row = swapped ? &b : &a, *one = swapped ? &a : &b;
    if ((row->step & ones) != 1 || (row->half & ones) != LANES / 2 || one->step & ones || one->half & ones)
        return false;
    bool less = cmp == LANE_LT || cmp == LANE_LE, equal = cmp == LANE_LE || cmp == LANE_GE;
    *c = (struct counting){.first = row->first,
                           .limit = one->first,
                           .bits = p->bits,
                           .with_sign = is_signed(p),
                           .equal = less == swapped ? !equal : equal,
                           .flipped = less == swapped};
    return true;
}

/* i1: does no lane's number wrap around? */
static LLVMValueRef counts_on(struct emit *e, const struct counting *c)
{
    uint64_t most = UINT64_MAX >> (64 - c->bits + c->with_sign);
    return LL(BuildICmp, c->with_sign ? LLVMIntSLE : LLVMIntULE, c->first, emit_const(e, c->bits, most - (LANES - 1)));
}

/* i32: then so many lanes come before the limit, the first ones. */
static LLVMValueRef lanes_counted(struct emit *e, const struct counting *c)
{
    LLVMIntPredicate how = c->with_sign ? (c->equal ? LLVMIntSLE : LLVMIntSLT) : c->equal ? LLVMIntULE : LLVMIntULT;
    LLVMValueRef args[] = {LL(BuildSub, c->limit, c->first), emit_const(e, c->bits, LANES - c->equal)};
    LLVMValueRef n = emit_intrinsic(e, "llvm.umin", e->llvm->TypeOf(c->first), args, 2);
    n = LL(BuildZExt, LL(BuildTrunc, n, e->i8), e->i64);
    LLVMValueRef lanes = LL(BuildSub, LL(BuildShl, emit_const(e, 64, 1 + c->equal), n), emit_const(e, 64, 1));
    lanes = LL(BuildTrunc, lanes, e->i32);
    lanes = LL(BuildSelect, LL(BuildICmp, how, c->first, c->limit), lanes, emit_const(e, 32, 0));
    return c->flipped ? LL(BuildNot, lanes) : lanes;
}

static bool count(struct pure *p, LLVMIntPredicate how)
{
    struct emit *e = p->e;
    struct counting c;
    if (!find_counting(p, &c))
        return false;
    LLVMBasicBlockRef ways[2] = {emit_block(e, ""), emit_block(e, "")}, done = emit_block(e, "");
    LLVMValueRef words[2];
    emit_branch(e, counts_on(e, &c), ways[0], ways[1], true);
    emit_begin(e, ways[0]);
    words[0] = lanes_counted(e, &c);
    emit_jump(e, done);
    emit_begin(e, ways[1]);
    words[1] = emit_word(e, pure_icmp(p, how, pure_source(p, 0), pure_source(p, 1)));
    ways[1] = e->llvm->GetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_begin(e, done);
    LLVMValueRef word = LL(BuildPhi, e->i32);
    e->llvm->AddIncoming(word, words, ways, 2);
    return give(p, pure_cast(p, word, emit_vector(e, e->i1)));
}

static bool setp(struct pure *p)
{
    if (p->inst->cmp > LANE_GE)
        return false;
    LLVMIntPredicate how = pure_comparison(p->inst->cmp, is_signed(p));
    return count(p, how) || give(p, pure_icmp(p, how, pure_source(p, 0), pure_source(p, 1)));
}

#define WORDS (PURE_TYPE(B32) | PURE_TYPE(U32) | PURE_TYPE(S32))
const struct pure_form pure_bits[] = {
    {LANE_OP_and, 0, PURE_INTS | PURE_TYPE(PRED), and_},
    {LANE_OP_or, 0, PURE_INTS | PURE_TYPE(PRED), or_},
    {LANE_OP_xor, 0, PURE_INTS | PURE_TYPE(PRED), xor_},
    {LANE_OP_not, 0, PURE_INTS | PURE_TYPE(PRED), not_},
    {LANE_OP_cnot, 0, PURE_INTS, cnot},
    {LANE_OP_lop3, 0, WORDS, lop3},
    {LANE_OP_shl, 0, PURE_INTS, shl},
    {LANE_OP_shr, 0, PURE_INTS, shr},
    {LANE_OP_shf, LANE_CLAMP, WORDS, shf},
    {LANE_OP_bfe, 0, PURE_INTS, bfe},
    {LANE_OP_bfi, 0, PURE_INTS, bfi},
    {LANE_OP_bmsk, LANE_CLAMP, WORDS, bmsk},
    {LANE_OP_szext, LANE_CLAMP, WORDS, szext},
    {LANE_OP_popc, 0, PURE_INTS, popc},
    {LANE_OP_clz, 0, PURE_INTS, clz},
    {LANE_OP_brev, 0, PURE_INTS, brev},
    {LANE_OP_bfind, LANE_CLAMP, PURE_INTS, bfind},
    {LANE_OP_prmt, 0, WORDS, prmt},
    {LANE_OP_setp, 0, PURE_INTS, setp},
    {0},
};
