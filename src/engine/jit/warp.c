/* Operations between the lanes of a warp: votes, ballots, shuffles, reductions; and fences.
 *
 *   if (all members that are left are here)    vector code
 *   else                                       the interpreter's step, at which they meet
 */
#include "engine/jit/jit.h"
#include "engine/jit/rows.h"
#include "engine/meaning/shfl.h"

/* An operation that is being emitted. */
struct meeting {
    const struct decoded *at;
    LLVMValueRef lanes;      /* i32: that carry it out */
    LLVMValueRef members;    /* i32 */
    LLVMValueRef by;         /* of a shuffle: what all lanes have; */
    bool known;              /* when code is made: */
    unsigned number;         /* this */
    unsigned segment, clamp; /* of a shuffle */
    const char *reduction;   /* the intrinsic */
    uint64_t neutral;        /* what it does not change */
};

typedef void warp_fn(struct emit *e, const struct meeting *m);

static LLVMValueRef zero(struct emit *e)
{
    return emit_const(e, 32, 0);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef is(struct emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LL(BuildICmp, LLVMIntEQ, a, b);
}

/* The lanes that have the predicate. */
static LLVMValueRef ayes(struct emit *e, const struct meeting *m)
{
    return LL(BuildAnd, emit_word(e, emit_source(e, m->at, m->at->ndst)), m->lanes);
}

static void vote(struct emit *e, const struct meeting *m)
{
    LLVMValueRef bits = ayes(e, m), all = is(e, bits, m->lanes), none = is(e, bits, zero(e));
    unsigned mode = m->at->inst->mode;
    LLVMValueRef value = mode == LANE_VOTE_ALL   ? all
                         : mode == LANE_VOTE_ANY ? LL(BuildNot, none)
                                                 : LL(BuildOr, all, none);
    emit_result(e, m->at, 0, emit_splat(e, value));
}

/* Of packed warps each has its own bits, from its first lane on. */
static void ballot(struct emit *e, const struct meeting *m)
{
    unsigned n = e->func->thread_lanes;
    LLVMValueRef bits = emit_splat(e, ayes(e, m)), from[LANES];
    if (n != LANES) {
        for (unsigned l = 0; l < LANES; l++)
            from[l] = emit_const(e, 32, l & ~(n - 1));
        bits = LL(BuildLShr, bits, e->llvm->ConstVector(from, LANES));
        bits = LL(BuildAnd, bits, emit_consts(e, 32, (UINT64_C(1) << n) - 1));
    }
    emit_result(e, m->at, 0, bits);
}

static void elect(struct emit *e, const struct meeting *m)
{
    LLVMValueRef args[] = {m->lanes, emit_const(e, 1, 1)};
    LLVMValueRef leader = emit_intrinsic(e, "llvm.cttz", e->i32, args, 2);
    LLVMValueRef lowest = LL(BuildAnd, m->lanes, LL(BuildSub, zero(e), m->lanes));
    emit_result(e, m->at, 0, emit_splat(e, leader));
    emit_result(e, m->at, 1, emit_mask(e, lowest));
}

static void barwarp(struct emit *e, const struct meeting *m)
{
    (void)e;
    (void)m;
}

/* ---- shuffles (interp/interp.c, go_shfl) ---------------------------------------------------------------------------
 */

/* The lane from which lane l gets its value. *in: it is in range. */
static unsigned source_lane(const struct meeting *m, unsigned l, bool *in)
{
    int from = shfl_from(m->at->inst->mode, (int)l, (int)m->number, (int)m->clamp, (int)m->segment, in);
    return (unsigned)from & 31;
}

/* By a number that is known when code is made: lanes that do not run give 0. */
static void shuffle_by(struct emit *e, const struct meeting *m)
{
    LLVMValueRef a = emit_source(e, m->at, m->at->ndst), from[LANES], valid[LANES];
    LLVMValueRef given = emit_select(e, emit_mask(e, m->lanes), a, emit_consts(e, 32, 0), 32);
    for (unsigned l = 0; l < LANES; l++) {
        bool in;
        unsigned source = source_lane(m, l, &in);
        from[l] = emit_const(e, 32, in ? source : LANES + l);
        valid[l] = emit_const(e, 1, in);
    }
    emit_result(e, m->at, 0, LL(BuildShuffleVector, given, a, e->llvm->ConstVector(from, LANES)));
    emit_result(e, m->at, 1, e->llvm->ConstVector(valid, LANES));
}

/* All lanes get the value of one lane, whose number is found at run time. */
static void broadcast(struct emit *e, const struct meeting *m)
{
    LLVMValueRef lane = LL(BuildAnd, m->by, emit_const(e, 32, LANES - 1)), a = emit_source(e, m->at, m->at->ndst);
    LLVMValueRef given = emit_select(e, emit_mask(e, m->lanes), a, emit_consts(e, 32, 0), 32);
    emit_result(e, m->at, 0, emit_splat(e, LL(BuildExtractElement, given, lane)));
    emit_result(e, m->at, 1, emit_consts(e, 1, 1));
}

static void shfl(struct emit *e, const struct meeting *m)
{
    (m->known ? shuffle_by : broadcast)(e, m);
}

static bool describe_shfl(struct emit *e, struct meeting *m)
{
    unsigned first = m->at->ndst, own = LANES - e->func->thread_lanes; /* each of packed warps is a segment */
    uint64_t by, c;
    if (!emit_constant(e, m->at, first + 2, &c))
        return false;
    m->segment = (unsigned)(c >> 8 | own) & 31;
    m->clamp = (unsigned)c & 31;
    m->known = emit_constant(e, m->at, first + 1, &by);
    m->number = m->known ? (unsigned)by & 31 : 0;
    if (m->known)
        return true;
    m->by = emit_uniform(e, m->at, first + 1);
    return m->by && m->at->inst->mode == LANE_SHFL_IDX && !m->segment && m->clamp == 31;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static bool describe_redux(struct meeting *m)
{
    static const char *const sums[] = {[LANE_ATOMIC_ADD] = "llvm.vector.reduce.add",
                                       [LANE_ATOMIC_MIN] = "llvm.vector.reduce.umin",
                                       [LANE_ATOMIC_MAX] = "llvm.vector.reduce.umax"},
                             *const signed_sums[] = {[LANE_ATOMIC_ADD] = "llvm.vector.reduce.add",
                                                     [LANE_ATOMIC_MIN] = "llvm.vector.reduce.smin",
                                                     [LANE_ATOMIC_MAX] = "llvm.vector.reduce.smax"},
                             *const bits[] = {[LANE_ATOMIC_AND] = "llvm.vector.reduce.and",
                                              [LANE_ATOMIC_OR] = "llvm.vector.reduce.or",
                                              [LANE_ATOMIC_XOR] = "llvm.vector.reduce.xor"};
    unsigned type = m->at->inst->type, mode = m->at->inst->mode;
    if (type == LANE_B32)
        m->reduction = mode <= LANE_ATOMIC_XOR ? bits[mode] : NULL;
    else if (type == LANE_U32 || type == LANE_S32)
        m->reduction = mode > LANE_ATOMIC_MAX ? NULL : (type == LANE_S32 ? signed_sums : sums)[mode];
    m->neutral = 0;
    if (mode == LANE_ATOMIC_MIN)
        m->neutral = type == LANE_S32 ? INT32_MAX : UINT32_MAX;
    else if (mode == LANE_ATOMIC_MAX && type == LANE_S32)
        m->neutral = UINT64_C(1) << 31;
    else if (mode == LANE_ATOMIC_AND)
        m->neutral = UINT32_MAX;
    return m->reduction;
}

static void redux(struct emit *e, const struct meeting *m)
{
    LLVMValueRef a = emit_source(e, m->at, m->at->ndst);
    a = emit_select(e, emit_mask(e, m->lanes), a, emit_consts(e, 32, m->neutral), 32);
    emit_result(e, m->at, 0, emit_splat(e, emit_intrinsic(e, m->reduction, e->llvm->TypeOf(a), &a, 1)));
}

/* ---- meeting ----------------------------------------------------------------------------------------------------- */

/* NULL: there is no compiled form, nothing was emitted. */
static warp_fn *describe(struct emit *e, struct meeting *m)
{
    unsigned op = m->at->op;
    warp_fn *fn = op == LANE_OP_vote                          ? vote
                  : op == LANE_OP_ballot                      ? ballot
                  : op == LANE_OP_elect                       ? elect
                  : op == LANE_OP_barwarp                     ? barwarp
                  : op == LANE_OP_shfl && describe_shfl(e, m) ? shfl
                  : op == LANE_OP_redux && describe_redux(m)  ? redux
                                                              : NULL;
    m->members = fn ? emit_uniform(e, m->at, m->at->ndst + m->at->nsrc - 1u) : NULL;
    return m->members ? fn : NULL;
}

/* i1: are all members here that have not exited? Lanes that do not run are, where the whole warp carries it out. */
static LLVMValueRef all_here(struct emit *e, const struct meeting *m)
{
    if (m->at->inst->flags & LANE_WHOLE)
        return emit_const(e, 1, 1);
    LLVMValueRef live = emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    LLVMValueRef missing = LL(BuildAnd, LL(BuildAnd, m->members, live), LL(BuildNot, m->lanes));
    return is(e, missing, zero(e));
}

static bool emit_meeting(struct emit *e, const struct decoded *at)
{
    struct meeting m = {.at = at};
    warp_fn *fn = describe(e, &m);
    if (!fn)
        return false;
    LLVMBasicBlockRef here = emit_block(e, ""), step = emit_block(e, "step"), done = emit_block(e, "");
    m.lanes = rows_some(e, at, done);
    emit_branch(e, all_here(e, &m), here, step, true);
    emit_begin(e, here);
    fn(e, &m);
    emit_jump(e, done);
    emit_begin(e, step);
    emit_step(e, at);
    emit_jump(e, done);
    emit_begin(e, done);
    return true;
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

/* The step merges held reductions first. */
static void fence(struct emit *e, const struct decoded *at)
{
    LLVMBasicBlockRef plain = emit_block(e, ""), step = emit_block(e, "step"), done = emit_block(e, "");
    rows_some(e, at, done);
    LLVMValueRef any = emit_field(e, rows_worker(e), offsetof(struct worker, held.any), e->i8);
    emit_branch(e, is(e, any, emit_const(e, 8, 0)), plain, step, true);
    emit_begin(e, plain);
    LL(BuildFence, LLVMAtomicOrderingSequentiallyConsistent, lane_fence_inside(at->inst->mode));
    emit_jump(e, done);
    emit_begin(e, step);
    emit_step(e, at);
    emit_jump(e, done);
    emit_begin(e, done);
}

bool emit_warp(struct emit *e, const struct decoded *at)
{
    switch (at->op) {
    case LANE_OP_activemask:
        emit_result(e, at, 0, emit_splat(e, emit_lanes(e, at)));
        return true;
    case LANE_OP_fence:
        fence(e, at);
        return true;
    default:
        return emit_meeting(e, at);
    }
}
