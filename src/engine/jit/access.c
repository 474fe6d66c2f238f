/* Memory that is addressed by bytes: ld, st, atom, red.
 *
 *   if (the lanes' elements make a row, and it lies in the region)    a vector load or store
 *   else if (loads of one address, in the region)                     a load
 *   else if (all in the region)                                       lane by lane
 *   else                                                              the interpreter's step
 *
 * Which of these it is, is asked only where it is not known when code is made. In blocks of 8 or 16 threads a row it is
 * asked whether each row's lanes make a row of elements, or have one address. Tight code (struct emit) calls functions
 * for what is behind the first of these ways (scattered.c).
 *
 * Local memory is each lane's own: lane by lane.
 *
 * A region is the block's shared memory, or the allocation that the step has noted for this instruction (struct site).
 * Lanes that do not run have addresses too, and mostly they belong to the same row. Of them nothing is written; what is
 * read of them lies in the region and is not looked at.
 */
#include "engine/jit/access.h"
#include "engine/jit/gate.h"
#include "engine/jit/jit.h"
#include "engine/jit/reduce.h"
#include "engine/jit/regions.h"
#include "engine/jit/scattered.h"
#include "engine/jit/update.h"

/* ---- regions and addresses --------------------------------------------------------------------------------------- */

static bool has_region(const struct access *a)
{
    unsigned space = a->at->access->space;
    return access_is_own(space) ? !(a->store && space == LANE_PARAM)
                                : space == LANE_GLOBAL || space == LANE_CONSTANT || space == LANE_GENERIC;
}

/* The offset is added in the width of the register. Addresses of allocations have 64 bits from there on: rows do not
 * wrap around. */
static LLVMValueRef addresses(struct emit *e, const struct access *a)
{
    const struct decoded *at = a->at;
    unsigned bits = at->bits[at->ndst];
    uint64_t offset = (uint64_t)at->access->offset & (UINT64_MAX >> (64 - bits));
    LLVMValueRef address = emit_source(e, at, at->ndst);
    if (offset)
        address = LL(BuildAdd, address, emit_consts(e, bits, offset));
    return access_is_own(at->access->space) ? address : elements_wide(e, address);
}

static LLVMValueRef uniform_address(struct emit *e, const struct access *a)
{
    const struct decoded *at = a->at;
    unsigned bits = at->bits[at->ndst];
    uint64_t offset = (uint64_t)at->access->offset & (UINT64_MAX >> (64 - bits));
    struct affine address;
    if (!emit_affine(e, at, at->ndst, &address) || address.step || address.half)
        return NULL;
    return elements_wide(e, LL(BuildAdd, address.first, emit_const(e, bits, offset)));
}

/* The addresses of a row in which lane 0 has the address `first`. */
static LLVMValueRef row_from(struct emit *e, const struct access *a, LLVMValueRef first)
{
    return LL(BuildAdd, emit_splat(e, first), emit_iota(e, elements_narrow(e, first) ? 32 : 64, 0, a->bytes));
}

/* ---- the ways of an access --------------------------------------------------------------------------------------- */

static void uniform_ways(struct emit *e, struct access *a, LLVMValueRef address)
{
    LLVMBasicBlockRef one = emit_block(e, "one");
    a->region = regions_find(e, a->at, a->store, address);
    emit_branch(e, elements_inside(e, a, address, a->bytes), one, a->step, true);
    emit_begin(e, one);
    if (a->store)
        elements_store_last(e, a, address);
    else
        elements_load_one(e, a, address);
}

/* How a warp's elements lie: known when code is made, or to be asked for. */
enum shape { SHAPE_UNKNOWN, SHAPE_ROW, SHAPE_HALVES, SHAPE_ONE, SHAPE_SPREAD };

static enum shape find_shape(struct emit *e, const struct access *a, struct affine *affine)
{
    const struct decoded *at = a->at;
    unsigned bits = at->bits[at->ndst];
    uint64_t mask = UINT64_MAX >> (64 - bits);
    bool wraps = bits == 32 && !access_is_own(at->access->space); /* sums of 64 bits do not */
    if (wraps || !emit_affine(e, at, at->ndst, affine))
        return SHAPE_UNKNOWN;
    uint64_t step = affine->step & mask, half = affine->half & mask;
    affine->first = LL(BuildAdd, affine->first, emit_const(e, bits, (uint64_t)at->access->offset & mask));
    if (step == a->bytes)
        return half == step * LANES / 2 ? SHAPE_ROW : SHAPE_HALVES;
    return step == 0 && !a->store && a->bytes <= 8 ? SHAPE_HALVES : SHAPE_SPREAD;
}

/* Rows of `n` lanes each, or one element of each `n`, where they are that (i1; NULL: for certain) and lie inside. */
static void pieces_ways(struct emit *e, struct access *a, LLVMValueRef are, const LLVMValueRef *firsts, unsigned n,
                        bool one)
{
    LLVMBasicBlockRef pieces = emit_block(e, "pieces");
    for (unsigned i = 0; i < LANES / n; i++)
        are = rows_both(e, are, elements_inside(e, a, elements_wide(e, firsts[i]), (uint64_t)a->bytes * (one ? 1 : n)));
    if (a->store)
        are = LL(BuildAnd, are, rows_full(e, a->lanes));
    emit_branch(e, are, pieces, a->scattered, true);
    emit_begin(e, pieces);
    if (a->store)
        elements_store_pieces(e, a, firsts, n);
    else
        elements_load_pieces(e, a, firsts, n, one);
}

/* How many lanes of a warp the block's shape puts side by side: 8 or 16 of a block as wide. 0: all, or it is not known.
 */
static unsigned neighbours(const struct emit *e)
{
    const struct tids *tids = e->flow->tids;
    const uint16_t *by = tids->by[0];
    if (!tids->known[0] || by[0] != 1 || by[1] != 2 || by[2] != 4 || by[4])
        return 0;
    return by[3] == 8 ? 16 : by[3] == 0 ? 8 : 0;
}

/* In blocks of 8 or 16 threads a row: what each row's lanes have, from what the first of them has. */
static void row_pieces(struct emit *e, struct access *a, unsigned n, bool one)
{
    LLVMValueRef from[LANES], more[LANES], firsts[PIECES];
    unsigned bits = elements_narrow(e, a->address) ? 32 : 64;
    for (unsigned l = 0; l < LANES; l++) {
        from[l] = emit_const(e, 32, l - l % n);
        more[l] = emit_const(e, bits, one ? 0 : (uint64_t)(l % n) * a->bytes);
        firsts[l / n] = l % n ? firsts[l / n] : emit_lane(e, a->address, l);
    }
    LLVMValueRef starts = LL(BuildShuffleVector, a->address, a->address, e->llvm->ConstVector(from, LANES));
    LLVMValueRef wanted = LL(BuildAdd, starts, e->llvm->ConstVector(more, LANES));
    pieces_ways(e, a, rows_equal(e, a->address, wanted), firsts, n, one);
}

/* Goes to a->scattered where the lanes' elements are not those two rows, or have not one address each. */
static void halves_ways(struct emit *e, struct access *a, const struct affine *affine)
{
    unsigned bits = elements_narrow(e, affine->first) ? 32 : 64;
    const LLVMValueRef firsts[] = {affine->first, LL(BuildAdd, affine->first, emit_const(e, bits, affine->half))};
    pieces_ways(e, a, NULL, firsts, LANES / 2, affine->step == 0);
}

static void row_ways(struct emit *e, struct access *a, LLVMValueRef is_row, LLVMValueRef first)
{
    LLVMBasicBlockRef row = emit_block(e, "row");
    LLVMValueRef in = elements_inside(e, a, elements_wide(e, first), (uint64_t)a->bytes * LANES);
    emit_branch(e, rows_both(e, is_row, in), row, a->scattered, true);
    emit_begin(e, row);
    (a->store ? elements_store_row : elements_load_row)(e, a, first);
}

void access_one_ways(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMBasicBlockRef one = emit_block(e, "one");
    LLVMValueRef is_one = rows_equal(e, a->address, emit_splat(e, first));
    is_one = LL(BuildAnd, is_one, elements_inside(e, a, elements_wide(e, first), a->bytes));
    emit_branch(e, is_one, one, a->scattered, false);
    emit_begin(e, one);
    elements_load_one(e, a, elements_wide(e, first));
}

/* What lanes 0 and 1 have tells which of the tests of all lanes is worth while. */
static void unknown_ways(struct emit *e, struct access *a, LLVMValueRef first)
{
    LLVMBasicBlockRef near = emit_block(e, ""), far = emit_block(e, "");
    unsigned bits = elements_narrow(e, first) ? 32 : 64;
    LLVMValueRef apart = LL(BuildSub, emit_lane(e, a->address, 1), first);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, apart, emit_const(e, bits, a->bytes)), near, far, true);
    unsigned n = a->bytes <= 8 ? neighbours(e) : 0;
    emit_begin(e, near);
    if (n)
        row_pieces(e, a, n, false);
    else
        row_ways(e, a, rows_equal(e, a->address, row_from(e, a, first)), first);
    emit_begin(e, far);
    if (a->store || (!n && scattered_shares(e, a))) {
        emit_jump(e, a->scattered);
        return;
    }
    LLVMBasicBlockRef same = emit_block(e, "");
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, apart, emit_const(e, bits, 0)), same, a->scattered, true);
    emit_begin(e, same);
    if (!n) {
        access_one_ways(e, a, first);
        return;
    }
    LLVMBasicBlockRef each = a->scattered, pieces = emit_block(e, "");
    a->scattered = pieces;
    access_one_ways(e, a, first);
    a->scattered = each;
    emit_begin(e, pieces);
    row_pieces(e, a, n, true);
}

static void scattered_ways(struct emit *e, struct access *a)
{
    emit_begin(e, a->scattered);
    if (!a->address)
        a->address = addresses(e, a);
    if (scattered_shares(e, a)) {
        scattered_call(e, a);
        return;
    }
    LLVMBasicBlockRef each = emit_block(e, "each");
    bool whole = a->store || elements_gather(e, a); /* all stores want to know it before the first */
    LLVMValueRef usable = a->surely ? NULL : whole ? elements_all_inside(e, a) : a->region.usable;
    a->surely = a->surely || whole;
    if (usable)
        emit_branch(e, usable, each, a->step, true);
    else
        emit_jump(e, each);
    emit_begin(e, each);
    (a->store ? elements_store_each : elements_load_each)(e, a);
}

static void ways(struct emit *e, struct access *a)
{
    struct affine affine;
    enum shape shape = find_shape(e, a, &affine);
    if (shape == SHAPE_UNKNOWN)
        a->address = addresses(e, a);
    LLVMValueRef first = shape == SHAPE_UNKNOWN ? emit_lane(e, a->address, 0) : affine.first;
    if (elements_join(a)) {
        a->row = e->llvm->BuildAlloca(e->entry_builder, elements_row_type(e, a), "");
        a->out = emit_block(e, "joined");
    }
    a->region = regions_find(e, a->at, a->store, elements_wide(e, first));
    a->scattered = emit_block(e, "scattered");
    a->surely = a->at->access->space == LANE_SHARED && elements_narrow(e, first) && update_surely_inside(e, a->at);
    if (shape == SHAPE_UNKNOWN)
        unknown_ways(e, a, first);
    else if (shape == SHAPE_ROW)
        row_ways(e, a, NULL, first);
    else if (shape == SHAPE_HALVES)
        halves_ways(e, a, &affine);
    else
        emit_jump(e, a->scattered);
    scattered_ways(e, a);
}

/* Each lane has memory of its own: those that lie in it go there one by one. */
static void local_ways(struct emit *e, struct access *a)
{
    LLVMBasicBlockRef each = emit_block(e, "each");
    a->address = addresses(e, a);
    a->region = regions_local(e);
    emit_branch(e, elements_all_inside(e, a), each, a->step, true);
    emit_begin(e, each);
    a->address = LL(BuildAdd, elements_wide(e, a->address), regions_local_lanes(e));
    a->surely = true;
    if (scattered_shares(e, a))
        scattered_call(e, a);
    else
        (a->store ? elements_store_each : elements_load_each)(e, a);
}

/* A way of which it is known where the gate stands whether it is the right one. */
static void plain_way(struct emit *e, struct access *a, enum shape shape, const struct affine *affine,
                      LLVMValueRef second)
{
    a->done = a->out = emit_block(e, "");
    const LLVMValueRef halves[] = {affine->first, second};
    if (shape == SHAPE_HALVES)
        elements_load_pieces(e, a, halves, LANES / 2, affine->step == 0);
    else if (shape == SHAPE_ROW)
        (a->store ? elements_store_row : elements_load_row)(e, a, affine->first);
    else
        (a->store ? elements_store_last : elements_load_one)(e, a, affine->first);
    emit_begin(e, a->done);
}

/* i1: do a warp's elements lie in the region? `second`: where the upper half of its lanes begins. */
static LLVMValueRef shape_inside(struct emit *e, const struct access *a, enum shape shape, const struct affine *affine,
                                 LLVMValueRef second)
{
    LLVMValueRef first = elements_wide(e, affine->first);
    if (shape == SHAPE_ROW)
        return elements_inside(e, a, first, (uint64_t)a->bytes * LANES);
    if (shape == SHAPE_ONE)
        return elements_inside(e, a, first, a->bytes);
    uint64_t bytes = (uint64_t)a->bytes * (affine->step ? LANES / 2 : 1);
    return LL(BuildAnd, elements_inside(e, a, first, bytes), elements_inside(e, a, elements_wide(e, second), bytes));
}

/* False: the place is not known where the gate stands, or the way depends on more; nothing was emitted that counts. */
static bool emit_plain(struct emit *e, struct access *a)
{
    struct affine affine;
    LLVMBuilderRef outer;
    const struct decoded *at = a->at;
    if (at->guard != KERNEL_NONE || (a->store && at->access->order != LANE_WEAK) || at->access->space == LANE_LOCAL ||
        !emit_affine(e, at, at->ndst, &affine) || !gate_enter(e, at, at->ndst, 1, &outer))
        return false;
    a->lanes = emit_lanes(e, at);
    enum shape shape = SHAPE_ONE;
    LLVMValueRef same = uniform_address(e, a), second = NULL;
    if (same)
        affine = (struct affine){.first = same};
    else
        shape = find_shape(e, a, &affine);
    bool known = shape == SHAPE_ONE || (shape == SHAPE_ROW && (!a->store || elements_masked(e, a))) ||
                 (shape == SHAPE_HALVES && !a->store);
    if (shape == SHAPE_HALVES)
        second = LL(BuildAdd, affine.first, emit_const(e, elements_narrow(e, affine.first) ? 32 : 64, affine.half));
    if (known) {
        a->region = regions_find(e, a->at, a->store, elements_wide(e, affine.first));
        gate_ask(e, at, shape_inside(e, a, shape, &affine, second), NULL);
    }
    gate_leave(e, outer);
    if (known)
        plain_way(e, a, shape, &affine, second);
    return known;
}

static void begin(struct emit *e, struct access *a)
{
    a->step = emit_block(e, "step");
    a->done = a->out = emit_block(e, "");
    a->lanes = rows_some(e, a->at, a->done);
}

static void end(struct emit *e, const struct access *a)
{
    emit_begin(e, a->step);
    emit_step(e, a->at);
    if (a->row)
        elements_join_step(e, a);
    emit_jump(e, a->done);
    emit_begin(e, a->done);
}

/* Held reductions come before strong stores: nothing is held, then. */
static void require_nothing_held(struct emit *e, const struct access *a)
{
    LLVMBasicBlockRef on = emit_block(e, "");
    LLVMValueRef any = emit_field(e, rows_worker(e), offsetof(struct worker, held.any), e->i8);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, any, emit_const(e, 8, 0)), on, a->step, true);
    emit_begin(e, on);
}

/* Are the registers as wide as the elements, at least, that they give? */
static bool gives(const struct access *a)
{
    for (unsigned k = 0; k < a->vec; k++)
        if (a->at->bits[1 + k] < a->bits)
            return false;
    return true;
}

static bool emit_ld_st(struct emit *e, const struct decoded *at)
{
    bool store = at->op == LANE_OP_st, weak = at->access->order == LANE_WEAK;
    struct access a = {.at = at, .vec = at->access->vec, .bits = at->bytes * 8, .store = store};
    a.bytes = at->bytes * a.vec;
    unsigned width = at->bits[at->ndst];
    if (!has_region(&a) || (!weak && !access_is_own(at->access->space)) || a.bits > 64 || a.vec > 8 ||
        (width != 32 && width != 64) || (store ? !gives(&a) : at->ndst != a.vec))
        return false;
    if (emit_plain(e, &a))
        return true;
    begin(e, &a);
    if (store && !weak)
        require_nothing_held(e, &a);
    bool local = at->access->space == LANE_LOCAL;
    LLVMValueRef same = local ? NULL : uniform_address(e, &a);
    if (local)
        local_ways(e, &a);
    else if (same)
        uniform_ways(e, &a, same);
    else
        ways(e, &a);
    end(e, &a);
    return true;
}

bool emit_access(struct emit *e, const struct decoded *at)
{
    switch (at->op) {
    case LANE_OP_ld:
    case LANE_OP_st:
        return emit_ld_st(e, at);
    case LANE_OP_atom:
    case LANE_OP_red:
        return update_emit(e, at) || red_emit(e, at);
    default:
        return false;
    }
}
