/* Atomic operations on memory that others see, and on what a host thread holds back (mem/held.h).
 *
 *   rows: all lanes run, each half of them lies side by side
 *       owned by this host thread (owners.h)    loaded, changed, stored
 *       aligned to 16 bytes                     16 bytes at once, each element of them indivisible
 *   all have one place, and no results          one operation for all
 *   other                                       the interpreter's loop over lanes, plain where it is owned
 *
 * What is held back is this host thread's own: there the loop over lanes is here. */
#include "engine/jit/reduce.h"

#include "engine/jit/flow.h"
#include "engine/jit/jit.h"
#include "engine/jit/rows.h"
#include "engine/jit/update.h"
#include "mem/atomic.h"

enum { HALF = LANES / 2, WIDE = 16 /* bytes that are exchanged at once */ };
enum { FEW_ROWS = 4 }; /* operations of which large kernels have code for rows, too */

/* ---- what is stored ---------------------------------------------------------------------------------------------- */

/* i1 or a vector of them: x < y. */
static LLVMValueRef less(struct emit *e, const struct decoded *at, LLVMValueRef sign, LLVMValueRef x, LLVMValueRef y)
{
    if (!sign)
        return LL(BuildICmp, lane_type_signed(at->access->type) ? LLVMIntSLT : LLVMIntULT, x, y);
    return LL(BuildSelect, sign, LL(BuildICmp, LLVMIntSLT, x, y), LL(BuildICmp, LLVMIntULT, x, y));
}

/* 1, as a scalar or a vector of `type`. */
static LLVMValueRef one_of(struct emit *e, LLVMTypeRef type)
{
    LLVMValueRef zero = e->llvm->ConstNull(type);
    return LL(BuildZExt, LL(BuildICmp, LLVMIntEQ, zero, zero), type);
}

LLVMValueRef reduce_update(struct emit *e, const struct decoded *at, LLVMValueRef sign, LLVMValueRef a, LLVMValueRef b,
                           LLVMValueRef c)
{
    LLVMValueRef zero = e->llvm->ConstNull(e->llvm->TypeOf(a)), one = one_of(e, e->llvm->TypeOf(a));
    switch (at->access->atomic) {
    case LANE_ATOMIC_ADD:
        return LL(BuildAdd, a, b);
    case LANE_ATOMIC_SUB:
    case LANE_ATOMIC_PREDEC:
        return LL(BuildSub, a, b);
    case LANE_ATOMIC_MIN:
        return LL(BuildSelect, less(e, at, sign, b, a), b, a);
    case LANE_ATOMIC_MAX:
        return LL(BuildSelect, less(e, at, sign, a, b), b, a);
    case LANE_ATOMIC_AND:
        return LL(BuildAnd, a, b);
    case LANE_ATOMIC_OR:
        return LL(BuildOr, a, b);
    case LANE_ATOMIC_XOR:
        return LL(BuildXor, a, b);
    case LANE_ATOMIC_EXCH:
        return b;
    case LANE_ATOMIC_CAS:
        return LL(BuildSelect, LL(BuildICmp, LLVMIntEQ, a, b), c, a);
    case LANE_ATOMIC_INC:
        return LL(BuildSelect, LL(BuildICmp, LLVMIntUGE, a, b), zero, LL(BuildAdd, a, one));
    default: { /* LANE_ATOMIC_DEC */
        LLVMValueRef wraps = LL(BuildOr, LL(BuildICmp, LLVMIntEQ, a, zero), LL(BuildICmp, LLVMIntUGT, a, b));
        return LL(BuildSelect, wraps, b, LL(BuildSub, a, one));
    }
    }
}

/* Reductions that mostly leave what is there alone: then nothing is stored. As in mem/atomic.c, where nobody asks what
 * was there. */
static bool may_keep(const struct reduction *r)
{
    unsigned op = r->at->access->atomic;
    return !r->wants &&
           (op == LANE_ATOMIC_MIN || op == LANE_ATOMIC_MAX || op == LANE_ATOMIC_AND || op == LANE_ATOMIC_OR);
}

/* Has the operation code here, not only the interpreter's? */
static bool is_inline(const struct reduction *r)
{
    const struct lane_access *access = r->at->access;
    unsigned op = access->atomic;
    bool bitwise = op == LANE_ATOMIC_EXCH || op == LANE_ATOMIC_CAS;
    return op != LANE_ATOMIC_FCAS && (r->bits == 32 || r->bits == 64) && access->order <= LANE_RELAXED &&
           (bitwise || !lane_type_float(access->type));
}

/* ---- what all ways share ----------------------------------------------------------------------------------------- */

bool reduce_fits(const struct decoded *at, unsigned first)
{
    unsigned bits = at->bytes * 8, more = lane_atomic_swaps(at->access->atomic);
    if (at->access->vec != 1 || bits > 64 || (unsigned)at->ndst + at->nsrc != first + 1 + more)
        return false;
    for (unsigned k = first; k <= first + more; k++)
        if (at->bits[k] < bits || at->bits[k] > 64)
            return false;
    return !at->ndst || !at->bits[0] || (at->bits[0] >= bits && at->bits[0] <= 64);
}

/* Operands are vectors of elements. */
static LLVMValueRef operand(struct emit *e, const struct decoded *at, unsigned k)
{
    return rows_narrow(e, emit_source(e, at, k), at->bits[k], at->bytes * 8);
}

/* It holds for the launch. */
static LLVMValueRef owned(struct emit *e, const struct decoded *at)
{
    LLVMBuilderRef builder = e->builder;
    e->builder = e->part_builder;
    LLVMValueRef is = rows_site(e, at, offsetof(struct site, owned), e->i8);
    is = LL(BuildICmp, LLVMIntNE, is, emit_const(e, 8, 0));
    e->builder = builder;
    return is;
}

void reduce_begin(struct emit *e, const struct decoded *at, unsigned first, struct reduction *r)
{
    LLVMBasicBlockRef done = emit_block(e, "");
    LLVMValueRef lanes = rows_some(e, at, done);
    struct affine b;
    *r = (struct reduction){.at = at,
                            .bits = at->bytes * 8,
                            .first = first,
                            .bytes = at->bytes,
                            .wants = update_wants(e, at),
                            .same_b = emit_affine(e, at, first, &b) && !b.step && !b.half ? b.first : NULL,
                            .b = operand(e, at, first),
                            .c = lane_atomic_swaps(at->access->atomic) ? operand(e, at, first + 1) : NULL,
                            .owned = owned(e, at),
                            .lanes = lanes,
                            .go = lanes,
                            .counted = emit_block(e, ""),
                            .done = done};
    r->old = r->wants ? emit_consts(e, r->bits, 0) : NULL;
}

static LLVMValueRef part(struct emit *e, LLVMValueRef vector, unsigned from, unsigned n)
{
    return vector ? rows_part(e, vector, vector, from, n) : NULL;
}

static LLVMValueRef join(struct emit *e, LLVMValueRef low, LLVMValueRef high)
{
    return rows_part(e, low, high, 0, LANES);
}

/* What lanes get of what was there. */
static LLVMValueRef given(struct emit *e, const struct reduction *r, LLVMValueRef before, LLVMValueRef b)
{
    return r->at->access->atomic == LANE_ATOMIC_PREDEC ? LL(BuildSub, before, b) : before;
}

/* The end of a way. */
static void finish(struct emit *e, const struct reduction *r, LLVMValueRef result)
{
    if (r->wants)
        emit_result(e, r->at, 0, rows_widen(e, result, r->bits, r->at->bits[0], r->extends));
    emit_jump(e, r->counted);
}

void reduce_none(struct emit *e, struct reduction *r)
{
    finish(e, r, r->old);
}

void reduce_end(struct emit *e, struct reduction *r)
{
    unsigned space = lane_is(r->at->op, LANE_TEXELS) ? (unsigned)LANE_SURFACE : r->at->access->space;
    emit_begin(e, r->counted);
    rows_count(e, offsetof(struct warp, accesses) + space * sizeof(uint64_t), emit_const(e, 64, 1));
    LLVMValueRef count = emit_intrinsic(e, "llvm.ctpop", e->i32, &r->lanes, 1);
    rows_count(e, offsetof(struct warp, atomics), LL(BuildZExt, count, e->i64));
    emit_jump(e, r->done);
    emit_begin(e, r->done);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static LLVMValueRef aligned(struct emit *e, LLVMValueRef to[2])
{
    LLVMValueRef low = LL(BuildOr, LL(BuildPtrToInt, to[0], e->i64), LL(BuildPtrToInt, to[1], e->i64));
    low = LL(BuildAnd, low, emit_const(e, 64, WIDE - 1));
    return LL(BuildICmp, LLVMIntEQ, low, emit_const(e, 64, 0));
}

/* One half after the other, by the same code. */
struct halves {
    LLVMBasicBlockRef begin, head, next, again;
    LLVMValueRef second, to, b, c, before; /* i1; of the half at hand; what was there in the first, during the second */
    LLVMValueRef was;                      /* what is there */
    LLVMValueRef left;                     /* in `again`: lanes of the half that are not done */
};

static LLVMValueRef by_turns(struct emit *e, struct halves *h, LLVMValueRef first)
{
    LLVMValueRef phi = LL(BuildPhi, e->llvm->TypeOf(first));
    e->llvm->AddIncoming(phi, &first, &h->begin, 1);
    return phi;
}

static void turn(struct emit *e, struct halves *h, LLVMValueRef phi, LLVMValueRef second)
{
    if (phi)
        e->llvm->AddIncoming(phi, &second, &h->next, 1);
}

static void begin_halves(struct emit *e, const struct reduction *r, struct halves *h, LLVMValueRef first)
{
    LLVMTypeRef type = e->llvm->VectorType(emit_int(e, r->bits), HALF);
    *h = (struct halves){.begin = e->llvm->GetInsertBlock(e->builder),
                         .head = emit_block(e, ""),
                         .next = emit_block(e, ""),
                         .again = emit_block(e, "again")};
    LLVMValueRef b = part(e, r->b, 0, HALF), c = part(e, r->c, 0, HALF);
    emit_jump(e, h->head);
    emit_begin(e, h->again);
    h->left = LL(BuildPhi, e->i32);
    emit_begin(e, h->head);
    h->second = by_turns(e, h, emit_const(e, 1, 0));
    h->to = by_turns(e, h, first);
    h->b = by_turns(e, h, b);
    h->c = c ? by_turns(e, h, c) : NULL;
    h->before = r->wants ? by_turns(e, h, e->llvm->ConstNull(type)) : NULL;
    h->was = LL(BuildLoad2, type, h->to);
    e->llvm->SetVolatile(h->was, true);
    e->llvm->SetAlignment(h->was, WIDE);
}

/* All that is there is loaded before anything is exchanged: a locked instruction holds back the loads after it. It is
 * loaded once, whoever writes meanwhile; where somebody did, the rest is left to others. */
static void exchange_half(struct emit *e, const struct reduction *r, struct halves *h)
{
    unsigned n = WIDE / r->bytes, count = HALF / n;
    LLVMValueRef is = reduce_update(e, r->at, r->sign, h->was, h->b, h->c);
    if (may_keep(r)) {
        LLVMBasicBlockRef differs = emit_block(e, "");
        emit_branch(e, rows_equal(e, h->was, is), h->next, differs, false);
        emit_begin(e, differs);
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef here = e->llvm->GetInsertBlock(e->builder), on = i + 1 < count ? emit_block(e, "") : h->next;
        LLVMValueRef left = emit_const(e, 32, (ALL_LANES >> HALF) & ALL_LANES << (i * n)),
                     to = emit_at(e, h->to, emit_const(e, 64, i * WIDE)),
                     before = LL(BuildBitCast, part(e, h->was, i * n, n), e->i128),
                     after = LL(BuildBitCast, part(e, is, i * n, n), e->i128);
        LLVMValueRef pair = e->llvm->BuildAtomicCmpXchg(e->builder, to, before, after, LLVMAtomicOrderingMonotonic,
                                                        LLVMAtomicOrderingMonotonic, false);
        e->llvm->AddIncoming(h->left, &left, &here, 1);
        emit_branch(e, LL(BuildExtractValue, pair, 1), on, h->again, true);
        emit_begin(e, on);
    }
}

static void end_halves(struct emit *e, const struct reduction *r, struct halves *h, LLVMValueRef second)
{
    LLVMBasicBlockRef after = emit_block(e, "");
    turn(e, h, h->second, emit_const(e, 1, 1));
    turn(e, h, h->to, second);
    turn(e, h, h->before, h->was);
    emit_branch(e, h->second, after, h->head, false);
    emit_begin(e, after);
    finish(e, r, r->wants ? given(e, r, join(e, h->before, h->was), r->b) : NULL);
}

/* Goes on in `other`, where `from` comes to as well, with all lanes; with those that are left, and what the others had.
 */
static void go_on(struct emit *e, struct reduction *r, const struct halves *h, LLVMBasicBlockRef from,
                  LLVMBasicBlockRef other)
{
    LLVMBasicBlockRef ways[] = {from, h->again};
    LLVMValueRef low = LL(BuildOr, h->left, emit_const(e, 32, ALL_LANES << HALF)),
                 high = LL(BuildShl, h->left, emit_const(e, 32, HALF)),
                 go[] = {r->go, LL(BuildSelect, h->second, high, low)}, old[] = {r->old, NULL};
    if (r->wants)
        old[1] = given(e, r, join(e, LL(BuildSelect, h->second, h->before, h->was), h->was), r->b);
    emit_jump(e, other);
    emit_begin(e, other);
    r->go = LL(BuildPhi, e->i32);
    e->llvm->AddIncoming(r->go, go, ways, 2);
    if (!r->wants)
        return;
    r->old = LL(BuildPhi, e->llvm->TypeOf(old[0]));
    e->llvm->AddIncoming(r->old, old, ways, 2);
}

/* The same where nothing has to be indivisible. What is in memory is loaded and stored each time: others may look. */
static void plain_rows(struct emit *e, const struct reduction *r, LLVMValueRef to[2])
{
    LLVMValueRef was[2];
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef b = part(e, r->b, half * HALF, HALF), c = part(e, r->c, half * HALF, HALF);
        was[half] = rows_load(e, to[half], r->bits, HALF);
        e->llvm->SetVolatile(was[half], true);
        e->llvm->SetVolatile(rows_store(e, to[half], reduce_update(e, r->at, r->sign, was[half], b, c)), true);
    }
    finish(e, r, r->wants ? given(e, r, join(e, was[0], was[1]), r->b) : NULL);
}

void reduce_rows(struct emit *e, struct reduction *r, LLVMValueRef is, LLVMValueRef to[2])
{
    struct halves h;
    if (!is_inline(r) || (jit_is_large(e->flow) && e->exchanges++ >= FEW_ROWS))
        return;
    LLVMBasicBlockRef plain = emit_block(e, "own rows"), indivisible = emit_block(e, "");
    is = LL(BuildAnd, is, rows_full(e, r->lanes));
    emit_branch(e, LL(BuildAnd, is, r->owned), plain, indivisible, true);
    emit_begin(e, plain);
    plain_rows(e, r, to);
    emit_begin(e, indivisible);
    if (!e->swaps_wide)
        return;
    LLVMBasicBlockRef rows = emit_block(e, "rows"), other = emit_block(e, ""), from;
    is = LL(BuildAnd, is, aligned(e, to));
    from = e->llvm->GetInsertBlock(e->builder);
    emit_branch(e, is, rows, other, true);
    emit_begin(e, rows);
    LLVMValueRef b = part(e, r->b, HALF, HALF), c = part(e, r->c, HALF, HALF);
    begin_halves(e, r, &h, to[0]);
    exchange_half(e, r, &h);
    turn(e, &h, h.b, b);
    turn(e, &h, h.c, c);
    end_halves(e, r, &h, to[1]);
    emit_begin(e, h.again);
    go_on(e, r, &h, from, other);
}

/* ---- one place --------------------------------------------------------------------------------------------------- */

static bool subtracts(const struct decoded *at)
{
    return at->access->atomic == LANE_ATOMIC_SUB || at->access->atomic == LANE_ATOMIC_PREDEC;
}

bool reduce_combines(const struct decoded *at)
{
    unsigned bits = at->bytes * 8;
    return (bits == 32 || bits == 64) && !lane_type_float(at->access->type) &&
           (at->access->atomic <= LANE_ATOMIC_XOR || subtracts(at));
}

/* Types of elements: by log2 of their bytes, and sign. */
static const uint8_t types[][2] = {
    {LANE_U8, LANE_S8}, {LANE_U16, LANE_S16}, {LANE_U32, LANE_S32}, {LANE_U64, LANE_S64}};

static enum lane_type type_of(const struct decoded *at, bool is_signed)
{
    return types[__builtin_ctz(at->bytes)][is_signed];
}

/* What lanes that are not among `lanes` have becomes an operand that changes nothing. */
static LLVMValueRef only_those(struct emit *e, const struct decoded *at, LLVMValueRef sign, LLVMValueRef b,
                               LLVMValueRef lanes)
{
    unsigned op = subtracts(at) ? LANE_ATOMIC_ADD : at->access->atomic, bits = at->bytes * 8;
    bool is_signed = lane_type_signed(at->access->type);
    LLVMValueRef neutral = emit_const(e, bits, atomic_neutral(op, type_of(at, sign ? true : is_signed)));
    if (sign)
        neutral = LL(BuildSelect, sign, neutral, emit_const(e, bits, atomic_neutral(op, type_of(at, false))));
    return LL(BuildSelect, emit_mask(e, lanes), b, emit_splat(e, neutral));
}

/* Lane by lane the sum of the lanes up to it. */
static LLVMValueRef sums(struct emit *e, const struct reduction *r, LLVMValueRef v)
{
    LLVMValueRef zeros = emit_consts(e, r->bits, 0), index[LANES];
    for (unsigned by = 1; by < LANES; by *= 2) {
        for (unsigned l = 0; l < LANES; l++)
            index[l] = emit_const(e, 32, l < by ? LANES + l : l - by);
        v = LL(BuildAdd, v, LL(BuildShuffleVector, v, zeros, e->llvm->ConstVector(index, LANES)));
    }
    return v;
}

LLVMValueRef reduce_total(struct emit *e, const struct decoded *at, LLVMValueRef sign, LLVMValueRef b,
                          LLVMValueRef lanes)
{
    static const char *const names[][2] = {
        [LANE_ATOMIC_ADD] = {"llvm.vector.reduce.add", "llvm.vector.reduce.add"},
        [LANE_ATOMIC_MIN] = {"llvm.vector.reduce.umin", "llvm.vector.reduce.smin"},
        [LANE_ATOMIC_MAX] = {"llvm.vector.reduce.umax", "llvm.vector.reduce.smax"},
        [LANE_ATOMIC_AND] = {"llvm.vector.reduce.and", "llvm.vector.reduce.and"},
        [LANE_ATOMIC_OR] = {"llvm.vector.reduce.or", "llvm.vector.reduce.or"},
        [LANE_ATOMIC_XOR] = {"llvm.vector.reduce.xor", "llvm.vector.reduce.xor"},
    };
    unsigned op = subtracts(at) ? LANE_ATOMIC_ADD : at->access->atomic;
    LLVMValueRef v = only_those(e, at, sign, b, lanes);
    LLVMTypeRef type = e->llvm->TypeOf(v);
    if (!sign || names[op][0] == names[op][1])
        return emit_intrinsic(e, names[op][lane_type_signed(at->access->type)], type, &v, 1);
    return LL(BuildSelect, sign, emit_intrinsic(e, names[op][1], type, &v, 1),
              emit_intrinsic(e, names[op][0], type, &v, 1));
}

/* The host's instruction, or loop. */
static LLVMAtomicRMWBinOp instruction(const struct reduction *r)
{
    bool is_signed = lane_type_signed(r->at->access->type);
    switch (r->at->access->atomic) {
    case LANE_ATOMIC_ADD:
        return LLVMAtomicRMWBinOpAdd;
    case LANE_ATOMIC_MIN:
        return is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    case LANE_ATOMIC_MAX:
        return is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    case LANE_ATOMIC_AND:
        return LLVMAtomicRMWBinOpAnd;
    case LANE_ATOMIC_OR:
        return LLVMAtomicRMWBinOpOr;
    case LANE_ATOMIC_XOR:
        return LLVMAtomicRMWBinOpXor;
    default:
        return LLVMAtomicRMWBinOpSub;
    }
}

/* On an element that others see. */
static void one(struct emit *e, const struct reduction *r, LLVMValueRef to)
{
    if (!r->wants) {
        LLVMValueRef all = reduce_total(e, r->at, r->sign, r->b, r->go);
        e->llvm->BuildAtomicRMW(e->builder, instruction(r), to, all, LLVMAtomicOrderingMonotonic, false);
        finish(e, r, NULL);
        return;
    }
    LLVMValueRef b = only_those(e, r->at, r->sign, r->b, r->go), upto = sums(e, r, b);
    LLVMValueRef was = e->llvm->BuildAtomicRMW(e->builder, instruction(r), to, emit_lane(e, upto, LANES - 1),
                                               LLVMAtomicOrderingMonotonic, false);
    LLVMValueRef others = r->at->access->atomic == LANE_ATOMIC_PREDEC ? upto : LL(BuildSub, upto, b);
    was = emit_splat(e, was);
    finish(e, r, subtracts(r->at) ? LL(BuildSub, was, others) : LL(BuildAdd, was, others));
}

bool reduce_one(struct emit *e, struct reduction *r, LLVMValueRef to)
{
    bool sums_up = r->at->access->atomic == LANE_ATOMIC_ADD || subtracts(r->at);
    if (!is_inline(r) || !reduce_combines(r->at) || (r->wants && !sums_up))
        return false;
    one(e, r, to);
    return true;
}

/* ---- what is held back ------------------------------------------------------------------------------------------- */

void reduce_held_rows(struct emit *e, const struct reduction *r, LLVMValueRef is, LLVMValueRef to[2])
{
    LLVMBasicBlockRef rows = emit_block(e, "rows"), other = emit_block(e, "");
    emit_branch(e, LL(BuildAnd, is, rows_full(e, r->go)), rows, other, true);
    emit_begin(e, rows);
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef was = rows_load(e, to[half], r->bits, HALF), b = part(e, r->b, half * HALF, HALF);
        rows_store(e, to[half], reduce_update(e, r->at, r->sign, was, b, NULL));
    }
    finish(e, r, NULL);
    emit_begin(e, other);
}

void reduce_held(struct emit *e, const struct reduction *r, LLVMValueRef elements)
{
    update_held(e, r, elements);
    finish(e, r, NULL);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static void put(struct emit *e, size_t offset, LLVMValueRef vector)
{
    LLVMValueRef at = emit_at(e, e->places, emit_const(e, 64, offset));
    e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, vector, at), _Alignof(struct jit_places));
}

static LLVMValueRef how(struct emit *e, const struct reduction *r)
{
    uint32_t index = (uint32_t)(r->at - e->func->decoded), of_unsigned = index | type_of(r->at, false) << JIT_TYPE,
             of_signed = index | type_of(r->at, true) << JIT_TYPE;
    LLVMValueRef of = r->sign ? LL(BuildSelect, r->sign, emit_const(e, 32, of_signed), emit_const(e, 32, of_unsigned))
                              : emit_const(e, 32, index);
    return LL(BuildOr, of, LL(BuildSelect, r->owned, emit_const(e, 32, JIT_OWNED), emit_const(e, 32, 0)));
}

void reduce_places(struct emit *e, struct reduction *r)
{
    LLVMTypeRef type = emit_vector(e, emit_int(e, r->bits)), words = emit_vector(e, e->i64);
    if (!e->places) {
        LLVMTypeRef room = e->llvm->ArrayType2(e->i8, sizeof(struct jit_places));
        e->places = e->llvm->BuildAlloca(e->entry_builder, room, "");
        e->llvm->SetAlignment(e->places, _Alignof(struct jit_places));
    }
    LLVMValueRef offset = LL(BuildZExt, r->offset, words);
    LLVMValueRef base = emit_splat(e, LL(BuildPtrToInt, r->base, e->i64));
    put(e, offsetof(struct jit_places, target), LL(BuildAdd, base, offset));
    put(e, offsetof(struct jit_places, b), r->b);
    if (r->c)
        put(e, offsetof(struct jit_places, c), r->c);
    if (r->wants)
        put(e, offsetof(struct jit_places, old), r->old);
    emit_places(e, how(e, r), r->go, e->places);
    finish(e, r, r->wants ? emit_field(e, e->places, offsetof(struct jit_places, old), type) : NULL);
}
