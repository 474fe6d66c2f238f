/* Atomics on the block's memory: no other host thread sees it, so nothing has to be indivisible.
 *
 *   if (the lanes' addresses are known to lie in it, or found to)
 *       one address, no result is wanted      one operation
 *       other                                 a loop over the lanes
 *   else                                      the interpreter's step
 *
 * Lanes come in their order, as in the interpreter. */
#include "engine/jit/update.h"

#include "engine/jit/flow.h"
#include "engine/jit/ranges.h"
#include "engine/jit/reduce.h"
#include "engine/jit/rows.h"
#include "mem/atomic.h"

/* An operation that is being emitted. */
struct update {
    const struct decoded *at;
    unsigned bits;
    bool wants, swaps;          /* the old value; two operands */
    LLVMValueRef lanes, memory; /* of the host */
    LLVMValueRef address;       /* where those of the lanes lie */
    LLVMValueRef operand[2];    /* scalars, or where those of the lanes lie */
    bool one[2];                /* is it a scalar? */
    LLVMValueRef sign;          /* of elements, as in reduce.h */
};

/* ---- addresses --------------------------------------------------------------------------------------------------- */

LLVMValueRef update_memory(struct emit *e)
{
    return emit_field(e, rows_block(e), offsetof(struct block, shared), e->ptr);
}

/* One that all lanes have, as a scalar, or NULL. */
static LLVMValueRef one_address(struct emit *e, const struct decoded *at)
{
    struct affine affine;
    if (!emit_affine(e, at, at->ndst, &affine) || affine.step || affine.half)
        return NULL;
    return LL(BuildAdd, affine.first, emit_const(e, 32, (uint64_t)at->access->offset & UINT32_MAX));
}

LLVMValueRef update_addresses(struct emit *e, const struct decoded *at)
{
    LLVMValueRef address = emit_source(e, at, at->ndst);
    uint64_t offset = (uint64_t)at->access->offset & UINT32_MAX;
    return offset ? LL(BuildAdd, address, emit_consts(e, 32, offset)) : address;
}

static LLVMValueRef like(struct emit *e, LLVMValueRef number, LLVMValueRef scalar)
{
    return e->llvm->TypeOf(number) == e->i32 ? scalar : emit_splat(e, scalar);
}

/* i1, or one for each lane: does an element lie in the block's memory, aligned? With its low bits at the top, an
 * address that is not aligned is a large number: one comparison finds both. */
static LLVMValueRef fits(struct emit *e, const struct decoded *at, LLVMValueRef address)
{
    unsigned shift = (unsigned)__builtin_ctz(at->bytes);
    LLVMValueRef size = emit_field(e, rows_block(e), offsetof(struct block, shared_bytes), e->i32);
    LLVMValueRef limit = LL(BuildLShr, size, emit_const(e, 32, shift));
    LLVMValueRef args[] = {address, address, like(e, address, emit_const(e, 32, 32 - shift))};
    LLVMValueRef index = emit_intrinsic(e, "llvm.fshl", e->llvm->TypeOf(address), args, 3);
    return LL(BuildICmp, LLVMIntULT, index, like(e, address, limit));
}

bool update_surely_inside(struct emit *e, const struct decoded *at)
{
    unsigned bytes = at->bytes * at->access->vec;
    struct range range = ranges_plus(ranges_of(e, at, at->ndst), (uint64_t)at->access->offset, 32);
    return range.zeros >= (unsigned)__builtin_ctz(bytes) && range.most + bytes <= e->program->shared_bytes;
}

LLVMValueRef update_inside(struct emit *e, const struct decoded *at, LLVMValueRef address, LLVMValueRef lanes)
{
    if (update_surely_inside(e, at))
        return NULL;
    LLVMValueRef good = fits(e, at, address);
    if (e->llvm->TypeOf(address) == e->i32)
        return good;
    LLVMValueRef bad = LL(BuildAnd, lanes, LL(BuildNot, emit_word(e, good)));
    return LL(BuildICmp, LLVMIntEQ, bad, emit_const(e, 32, 0));
}

enum { ADDRESSES, OPERANDS, OLD = OPERANDS + 2 }; /* places (rows.h) */

/* ---- one lane ---------------------------------------------------------------------------------------------------- */

static LLVMValueRef operand(struct emit *e, const struct update *u, unsigned k, LLVMValueRef lane)
{
    return u->one[k] ? u->operand[k] : rows_element(e, u->operand[k], lane, u->bits);
}

/* Gives what was there before. */
static LLVMValueRef update_lane(struct emit *e, const void *with, LLVMValueRef lane)
{
    const struct update *u = with;
    LLVMValueRef to = emit_at(e, u->memory, LL(BuildZExt, rows_element(e, u->address, lane, 32), e->i64));
    LLVMValueRef before = emit_field(e, to, 0, emit_int(e, u->bits));
    LLVMValueRef after =
        reduce_update(e, u->at, u->sign, before, operand(e, u, 0, lane), u->swaps ? operand(e, u, 1, lane) : NULL);
    emit_set_field(e, to, 0, after);
    return before;
}

/* ---- all at one address ------------------------------------------------------------------------------------------ */

/* `address`: of all lanes. */
static void update_one(struct emit *e, const struct update *u, LLVMValueRef address, LLVMValueRef b)
{
    LLVMValueRef to = emit_at(e, u->memory, LL(BuildZExt, address, e->i64));
    LLVMValueRef before = emit_field(e, to, 0, emit_int(e, u->bits));
    emit_set_field(e, to, 0,
                   reduce_update(e, u->at, u->sign, before, reduce_total(e, u->at, u->sign, b, u->lanes), NULL));
}

/* ---- the ways of an operation ------------------------------------------------------------------------------------ */

bool update_wants(struct emit *e, const struct decoded *at)
{
    if (!at->ndst || !at->bits[0])
        return false;
    flow_live_at(e->flow, e->segment, (uint32_t)(at - e->func->decoded) + 1, e->live);
    return bitset_has(e->live, e->flow->slot_of[at->offsets[0] / 4]);
}

static void set_operand(struct emit *e, struct update *u, unsigned k)
{
    unsigned source = u->at->ndst + 1u + k;
    struct affine affine;
    u->one[k] = emit_affine(e, u->at, source, &affine) && !affine.step && !affine.half;
    u->operand[k] = u->one[k] ? affine.first : rows_keep(e, OPERANDS + k, emit_source(e, u->at, source));
}

/* Each lane at its own address. */
static void update_each(struct emit *e, struct update *u, LLVMValueRef address)
{
    u->address = rows_keep(e, ADDRESSES, address);
    for (unsigned k = 0; k < 1u + u->swaps; k++)
        set_operand(e, u, k);
    LLVMValueRef old = u->wants ? rows_place(e, OLD) : NULL;
    rows_lanes(e, u->lanes, update_lane, u, old);
    if (old)
        emit_result(e, u->at, 0, rows_kept(e, OLD, u->bits));
}

static void count(struct emit *e, const struct update *u)
{
    LLVMValueRef lanes = u->lanes;
    LLVMValueRef number = emit_intrinsic(e, "llvm.ctpop", e->i32, &lanes, 1);
    rows_count(e, offsetof(struct warp, atomics), LL(BuildZExt, number, e->i64));
    rows_count(e, offsetof(struct warp, accesses) + LANE_SHARED * sizeof(uint64_t), emit_const(e, 64, 1));
}

bool update_is(const struct decoded *at)
{
    if ((at->op != LANE_OP_atom && at->op != LANE_OP_red) || !at->atomic)
        return false;
    const struct lane_access *access = at->access;
    unsigned bits = at->bytes * 8;
    bool known = access->atomic <= LANE_ATOMIC_SUB,
         bitwise = access->atomic >= LANE_ATOMIC_AND && access->atomic <= LANE_ATOMIC_CAS;
    if (access->space != LANE_SHARED || access->vec != 1 || !known || (bits != 32 && bits != 64) ||
        at->bits[at->ndst] != 32 || access->order > LANE_RELAXED || (lane_type_float(access->type) && !bitwise))
        return false;
    for (unsigned k = 0; k < (unsigned)at->ndst + at->nsrc; k++)
        if (k != at->ndst && at->bits[k] != bits && (at->bits[k] || k >= at->ndst))
            return false;
    return true;
}

/* Conflicts are not counted here: launches that ask for them run in the interpreter, if the kernel has such an
 * operation. */
bool update_emit(struct emit *e, const struct decoded *at)
{
    if (!update_is(at))
        return false;
    struct update u = {.at = at, .bits = at->bytes * 8, .wants = update_wants(e, at)};
    LLVMBasicBlockRef done = emit_block(e, ""), step = NULL;
    u.swaps = lane_atomic_swaps(at->access->atomic);
    u.lanes = rows_some(e, at, done);
    u.memory = update_memory(e);
    LLVMValueRef one = u.wants || !reduce_combines(at) ? NULL : one_address(e, at);
    LLVMValueRef address = one ? one : update_addresses(e, at), inside = update_inside(e, at, address, u.lanes);
    if (inside) {
        LLVMBasicBlockRef here = emit_block(e, "");
        step = emit_block(e, "step");
        emit_branch(e, inside, here, step, true);
        emit_begin(e, here);
    }
    count(e, &u);
    if (one)
        update_one(e, &u, one, emit_source(e, at, at->ndst + 1u));
    else
        update_each(e, &u, address);
    emit_jump(e, done);
    if (step) {
        emit_begin(e, step);
        emit_step(e, at);
        emit_jump(e, done);
    }
    emit_begin(e, done);
    return true;
}

/* ---- what a host thread holds back ------------------------------------------------------------------------------- */

/* i1: does each lane that runs have the offset of the last one? */
static LLVMValueRef all_as_last(struct emit *e, const struct reduction *r)
{
    LLVMValueRef last = emit_splat(e, emit_lane(e, r->offset, LANES - 1));
    LLVMValueRef differ = LL(BuildAnd, r->go, emit_word(e, LL(BuildICmp, LLVMIntNE, r->offset, last)));
    return LL(BuildICmp, LLVMIntEQ, differ, emit_const(e, 32, 0));
}

void update_held(struct emit *e, const struct reduction *r, LLVMValueRef elements)
{
    LLVMBasicBlockRef likely = emit_block(e, ""), one = emit_block(e, "one"), each = emit_block(e, ""),
                      done = emit_block(e, "");
    struct update u = {.at = r->at, .bits = r->bits, .lanes = r->go, .memory = elements, .sign = r->sign};
    LLVMValueRef first = emit_lane(e, r->offset, 0), last = emit_lane(e, r->offset, LANES - 1);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, first, last), likely, each, false);
    emit_begin(e, likely);
    emit_branch(e, all_as_last(e, r), one, each, true);
    emit_begin(e, one);
    update_one(e, &u, last, r->b);
    emit_jump(e, done);
    emit_begin(e, each);
    u.one[0] = r->same_b;
    u.operand[0] = r->same_b ? rows_narrow(e, r->same_b, r->at->bits[r->first], r->bits) : rows_keep(e, OPERANDS, r->b);
    u.address = rows_keep(e, ADDRESSES, r->offset);
    rows_lanes(e, u.lanes, update_lane, &u, NULL);
    emit_jump(e, done);
    emit_begin(e, done);
}
