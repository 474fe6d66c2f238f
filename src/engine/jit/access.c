/* Memory that is addressed by bytes: ld, st, atom, red.
 *
 *   if (the lanes' elements make a row, and it lies in the region)    a vector load or store
 *   else if (loads of one address, in the region)                     a load
 *   else if (all in the region)                                       lane by lane
 *   else                                                              the interpreter's step
 *
 * Which of these it is, is asked only where it is not known when code is made. In blocks of 8 or 16 threads a row it is
 * asked whether each row's lanes make a row of elements, or have one address.
 *
 * Local memory is each lane's own: lane by lane.
 *
 * A region is the block's shared memory, or the allocation that the step has noted for this instruction (struct site).
 * Lanes that do not run have addresses too, and mostly they belong to the same row. Of them nothing is written; what is
 * read of them lies in the region and is not looked at.
 */
#include "engine/jit/ahead.h"
#include "engine/jit/gate.h"
#include "engine/jit/jit.h"
#include "engine/jit/reduce.h"
#include "engine/jit/regions.h"
#include "engine/jit/rows.h"
#include "engine/jit/update.h"
#include "lane/passes.h"

enum { PIECES = LANES / 8 }; /* of a warp's elements that are a row each, at most */

/* An access that is being emitted. */
struct access {
    const struct decoded *at;
    unsigned vec, bits, bytes; /* elements of a lane; bits of one; bytes of all */
    bool store;
    struct region region;
    LLVMValueRef lanes;
    LLVMValueRef address; /* of each lane, 32 or 64 bits */
    LLVMBasicBlockRef step, done;
    LLVMBasicBlockRef scattered;
    bool surely; /* all lanes that run have addresses in the region */
    /* Loads of elements that registers do not hold as they are: all ways leave them side by side in this variable, and
     * the registers are made of it behind them, once. NULL: each way does that. */
    LLVMValueRef row;
    LLVMBasicBlockRef out; /* where fast ways go */
};

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* Does the memory of a space belong to the block, to a thread, or to nobody? Then other host threads do not see
 * accesses. */
static bool is_own(unsigned space)
{
    return space == LANE_SHARED || space == LANE_REGFILE || space == LANE_PARAM || space == LANE_LOCAL;
}

static bool has_region(const struct access *a)
{
    unsigned space = a->at->access->space;
    return is_own(space) ? !(a->store && space == LANE_PARAM)
                         : space == LANE_GLOBAL || space == LANE_CONSTANT || space == LANE_GENERIC;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static bool is_narrow(LLVMValueRef address, struct emit *e)
{
    LLVMTypeRef type = e->llvm->TypeOf(address);
    return type == e->i32 || type == emit_vector(e, e->i32);
}

static LLVMValueRef wide(struct emit *e, LLVMValueRef address)
{
    return is_narrow(address, e) ? rows_widen(e, address, 32, 64, false) : address;
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
    return is_own(at->access->space) ? address : wide(e, address);
}

static LLVMValueRef uniform_address(struct emit *e, const struct access *a)
{
    const struct decoded *at = a->at;
    unsigned bits = at->bits[at->ndst];
    uint64_t offset = (uint64_t)at->access->offset & (UINT64_MAX >> (64 - bits));
    struct affine address;
    if (!emit_affine(e, at, at->ndst, &address) || address.step || address.half)
        return NULL;
    return wide(e, LL(BuildAdd, address.first, emit_const(e, bits, offset)));
}

/* Are the low bits `ones` of an address 0? Of a vector of them, for each. */
static LLVMValueRef aligned(struct emit *e, LLVMValueRef address, LLVMValueRef ones)
{
    LLVMValueRef low = LL(BuildAnd, address, ones);
    return LL(BuildICmp, LLVMIntEQ, low, e->llvm->ConstNull(e->llvm->TypeOf(address)));
}

/* i1: do `bytes` bytes from an address on lie in the region, the address aligned to an access? */
static LLVMValueRef inside(struct emit *e, const struct access *a, LLVMValueRef address, uint64_t bytes)
{
    LLVMValueRef offset = LL(BuildSub, address, a->region.base);
    LLVMValueRef limit = rows_limit(e, a->region.size, emit_const(e, 64, bytes));
    LLVMValueRef is = rows_both(e, a->region.usable, LL(BuildICmp, LLVMIntULT, offset, limit));
    if (a->bytes == 1)
        return is;
    return LL(BuildAnd, is, aligned(e, address, emit_const(e, 64, a->bytes - 1)));
}

/* Do the elements of all lanes that run lie in the region? One with addresses of 32 bits begins at 0. */
static LLVMValueRef all_inside(struct emit *e, const struct access *a)
{
    bool narrow = is_narrow(a->address, e);
    LLVMValueRef limit = rows_limit(e, a->region.size, emit_const(e, 64, a->bytes)), offset = a->address;
    if (narrow)
        limit = LL(BuildTrunc, limit, e->i32);
    else
        offset = LL(BuildSub, offset, emit_splat(e, a->region.base));
    LLVMValueRef good = LL(BuildICmp, LLVMIntULT, offset, emit_splat(e, limit));
    if (a->bytes > 1)
        good = LL(BuildAnd, good, aligned(e, a->address, emit_consts(e, narrow ? 32 : 64, a->bytes - 1)));
    LLVMValueRef bad = LL(BuildAnd, LL(BuildNot, emit_word(e, good)), a->lanes);
    return rows_both(e, a->region.usable, LL(BuildICmp, LLVMIntEQ, bad, emit_const(e, 32, 0)));
}

static LLVMValueRef host_at(struct emit *e, const struct access *a, LLVMValueRef address)
{
    return emit_at(e, a->region.host, LL(BuildSub, address, a->region.base));
}

/* A lane's address, 64 bits, of those that were put into memory. */
static LLVMValueRef address_of(struct emit *e, const struct access *a, LLVMValueRef addresses, LLVMValueRef lane)
{
    return wide(e, rows_element(e, addresses, lane, is_narrow(a->address, e) ? 32 : 64));
}

/* The addresses of a row in which lane 0 has the address `first`. */
static LLVMValueRef row_from(struct emit *e, const struct access *a, LLVMValueRef first)
{
    return LL(BuildAdd, emit_splat(e, first), emit_iota(e, is_narrow(first, e) ? 32 : 64, 0, a->bytes));
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static void count_access(struct emit *e, const struct decoded *at)
{
    size_t offset = offsetof(struct warp, accesses) + at->access->space * sizeof(uint64_t);
    rows_count(e, offset, emit_const(e, 64, 1));
}

static void finish(struct emit *e, const struct access *a)
{
    count_access(e, a->at);
    emit_jump(e, a->out);
}

/* ---- ld ---------------------------------------------------------------------------------------------------------- */

static LLVMValueRef widen(struct emit *e, const struct access *a, LLVMValueRef value, unsigned k)
{
    return rows_widen(e, value, a->bits, a->at->bits[k], lane_type_signed(a->at->access->type));
}

/* The registers, of elements side by side. */
static void give_registers(struct emit *e, const struct access *a, LLVMValueRef row)
{
    for (unsigned k = 0; k < a->at->ndst; k++)
        if (a->at->bits[k])
            emit_result(e, a->at, k, widen(e, a, rows_component(e, row, k, a->vec), k));
}

static LLVMTypeRef row_type(struct emit *e, const struct access *a)
{
    return e->llvm->VectorType(emit_int(e, a->bits), LANES * a->vec);
}

static void give_row(struct emit *e, const struct access *a, LLVMValueRef row)
{
    if (a->row)
        e->llvm->BuildStore(e->builder, LL(BuildBitCast, row, row_type(e, a)), a->row);
    else
        give_registers(e, a, row);
    finish(e, a);
}

static bool joins(const struct access *a)
{
    bool other = a->vec > 1;
    for (unsigned k = 0; k < a->at->ndst; k++) {
        if (a->at->bits[k] && a->at->bits[k] < a->bits)
            return false;
        other |= a->at->bits[k] > a->bits;
    }
    return !a->store && other && a->bytes <= 8;
}

/* After the step: the elements that the registers hold. */
static void join_step(struct emit *e, const struct access *a)
{
    LLVMValueRef components[8], none = e->llvm->ConstNull(emit_vector(e, emit_int(e, a->bits)));
    for (unsigned k = 0; k < a->vec; k++) {
        unsigned bits = a->at->bits[k];
        components[k] = bits ? rows_narrow(e, emit_given(e, a->at, k), bits, a->bits) : none;
    }
    LLVMValueRef row = rows_interleave(e, components, a->vec);
    e->llvm->BuildStore(e->builder, LL(BuildBitCast, row, row_type(e, a)), a->row);
    emit_jump(e, a->out);
    emit_begin(e, a->out);
    give_registers(e, a, LL(BuildLoad2, row_type(e, a), a->row));
}

/* A row of `n` lanes that have one element, of up to 8 bytes. */
static LLVMValueRef load_same(struct emit *e, const struct access *a, LLVMValueRef from, unsigned n)
{
    LLVMValueRef element = emit_field(e, from, 0, emit_int(e, a->bytes * 8)), row = rows_repeated(e, element, n);
    e->llvm->SetAlignment(element, 1);
    return LL(BuildBitCast, row, e->llvm->VectorType(emit_int(e, a->bits), a->vec * n));
}

/* All lanes that run have one address, of 64 bits. */
static void load_one(struct emit *e, const struct access *a, LLVMValueRef address)
{
    LLVMValueRef from = host_at(e, a, address);
    if (a->row) {
        give_row(e, a, load_same(e, a, from, LANES));
        return;
    }
    for (unsigned k = 0; k < a->at->ndst; k++) {
        if (!a->at->bits[k])
            continue;
        LLVMValueRef value = emit_field(e, from, k * a->bits / 8, emit_int(e, a->bits));
        e->llvm->SetAlignment(value, 1);
        emit_result_once(e, a->at, k, widen(e, a, value, k));
    }
    finish(e, a);
}

/* The whole row, from address `first` on. */
static void load_row(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMValueRef from = host_at(e, a, wide(e, first)), row = rows_load(e, from, a->bits, a->vec * LANES);
    if (!is_own(a->at->access->space))
        ahead_fetch(e, a->at, from, a->bytes * LANES);
    give_row(e, a, row);
}

/* Of each `n` lanes, a row from `firsts` on, or one element that they all have. */
static void load_pieces(struct emit *e, const struct access *a, const LLVMValueRef *firsts, unsigned n, bool one)
{
    LLVMValueRef pieces[PIECES];
    for (unsigned i = 0; i < LANES / n; i++) {
        LLVMValueRef from = host_at(e, a, wide(e, firsts[i]));
        pieces[i] = one ? load_same(e, a, from, n) : rows_load(e, from, a->bits, a->vec * n);
    }
    for (unsigned count = LANES / n; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++)
            pieces[i] = rows_joined(e, pieces[(size_t)2 * i], pieces[(size_t)2 * i + 1]);
    give_row(e, a, pieces[0]);
}

/* One element, of a lane whose address is not known to be in the region. What was loaded before one that is not does no
 * harm: the step loads all again. */
static LLVMValueRef load_from(struct emit *e, const struct access *a, LLVMValueRef address)
{
    if (a->surely)
        return host_at(e, a, address);
    LLVMBasicBlockRef in = emit_block(e, "");
    struct access without = *a;
    without.region.usable = NULL; /* which does not change from lane to lane */
    emit_branch(e, inside(e, &without, address, a->bytes), in, a->step, true);
    emit_begin(e, in);
    return host_at(e, a, address);
}

/* What the loops over lanes need. */
struct each {
    const struct access *a;
    unsigned bits;
    LLVMValueRef address, value; /* where they lie */
};

static LLVMValueRef load_lane(struct emit *e, const void *with, LLVMValueRef lane)
{
    const struct each *each = with;
    LLVMValueRef from = host_at(e, each->a, address_of(e, each->a, each->address, lane));
    LLVMValueRef value = emit_field(e, from, 0, emit_int(e, each->bits));
    e->llvm->SetAlignment(value, 1);
    return value;
}

static bool gathers(const struct emit *e, const struct access *a)
{
    return e->gathers && (a->bytes == 4 || a->bytes == 8);
}

/* Where each lane's element lies. */
static LLVMValueRef places_of(struct emit *e, const struct access *a)
{
    LLVMValueRef offset = LL(BuildSub, wide(e, a->address), emit_splat(e, a->region.base));
    return e->llvm->BuildGEP2(e->builder, e->i8, a->region.host, &offset, 1, "");
}

static void load_each(struct emit *e, const struct access *a)
{
    /* As a whole where the host has such words. */
    unsigned n = a->bytes <= 8 ? 1 : a->vec, bits = a->bytes * 8 / n;
    LLVMTypeRef type = emit_vector(e, emit_int(e, bits));
    LLVMValueRef values[8], address = rows_keep(e, 0, a->address);
    if (a->surely && gathers(e, a)) {
        give_row(e, a, LL(BuildBitCast, rows_gather(e, places_of(e, a), a->bytes * 8, a->lanes), row_type(e, a)));
        return;
    }
    if (n == 1 && a->surely) {
        struct each each = {.a = a, .bits = bits, .address = address};
        rows_lanes(e, a->lanes, load_lane, &each, rows_place(e, 1));
        LLVMValueRef row = rows_kept(e, 1, bits);
        give_row(e, a, LL(BuildBitCast, row, row_type(e, a)));
        return;
    }
    for (unsigned k = 0; k < n; k++)
        values[k] = rows_in_memory(e, e->llvm->ConstNull(type));
    struct rows_loop loop = rows_each(e, a->lanes);
    LLVMValueRef from = load_from(e, a, address_of(e, a, address, loop.lane));
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef value = emit_field(e, from, k * bits / 8, emit_int(e, bits));
        e->llvm->SetAlignment(value, 1);
        e->llvm->BuildStore(e->builder, value, rows_element_at(e, values[k], loop.lane, bits));
    }
    rows_each_end(e, &loop);
    for (unsigned k = 0; k < n; k++)
        values[k] = LL(BuildLoad2, type, values[k]);
    if (n == 1) {
        give_row(e, a, LL(BuildBitCast, values[0], row_type(e, a)));
        return;
    }
    for (unsigned k = 0; k < n; k++)
        if (a->at->bits[k])
            emit_result(e, a->at, k, widen(e, a, values[k], k));
    finish(e, a);
}

/* ---- st ---------------------------------------------------------------------------------------------------------- */

/* What the lanes store, as elements. */
static LLVMValueRef stored(struct emit *e, const struct access *a, unsigned k)
{
    return rows_narrow(e, emit_source(e, a->at, 1 + k), a->at->bits[1 + k], a->bits);
}

/* All of it, the lanes' side by side. */
static LLVMValueRef stored_row(struct emit *e, const struct access *a)
{
    LLVMValueRef components[8];
    for (unsigned k = 0; k < a->vec; k++)
        components[k] = stored(e, a, k);
    return rows_interleave(e, components, a->vec);
}

static void store_all(struct emit *e, const struct access *a, LLVMValueRef first)
{
    rows_store(e, host_at(e, a, wide(e, first)), stored_row(e, a));
    finish(e, a);
}

/* Can the host store some elements of a vector, and leave the others alone - or as they are, where nobody else stores?
 */
static bool has_masks(const struct emit *e, const struct access *a)
{
    bool host = e->vector_bits >= 512 || (e->vector_bits >= 256 && a->bits >= 32);
    return a->vec == 1 && (host || is_own(a->at->access->space));
}

static void store_some(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMValueRef value = stored(e, a, 0);
    LLVMTypeRef types[] = {e->llvm->TypeOf(value), e->ptr};
    LLVMValueRef at = host_at(e, a, wide(e, first)), mask = emit_mask(e, a->lanes);
    LLVMValueRef args[] = {value, at, emit_const(e, 32, 1), mask};
    if (is_own(a->at->access->space)) /* masked stores take some hosts long */
        rows_store(e, at, LL(BuildSelect, mask, value, rows_load(e, at, a->bits, LANES)));
    else
        rows_intrinsic(e, "llvm.masked.store", types, args, 4);
    finish(e, a);
}

static void store_row(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMBasicBlockRef all = emit_block(e, ""), some = has_masks(e, a) ? emit_block(e, "some") : a->scattered;
    emit_branch(e, rows_full(e, a->lanes), all, some, true);
    emit_begin(e, all);
    store_all(e, a, first);
    if (some == a->scattered)
        return;
    emit_begin(e, some);
    store_some(e, a, first);
}

/* Where passes of the store begin; local memory is each lane's own. */
static uint32_t starts_of(const struct access *a)
{
    const struct lane_access *access = a->at->access;
    return access->space == LANE_LOCAL ? ALL_LANES : passes_of(access, a->bytes, 1);
}

static void store_pieces(struct emit *e, const struct access *a, const LLVMValueRef *firsts, unsigned n)
{
    LLVMValueRef row = stored_row(e, a);
    uint32_t rows = passes_rows(starts_of(a), n);
    for (uint32_t left = ALL_LANES >> (LANES - LANES / n), i; left; left &= ~(UINT32_C(1) << i)) {
        i = passes_next(rows, left);
        rows_store(e, host_at(e, a, wide(e, firsts[i])), rows_part(e, row, row, i * n * a->vec, n * a->vec));
    }
    finish(e, a);
}

static LLVMValueRef store_lane(struct emit *e, const void *with, LLVMValueRef lane)
{
    const struct each *each = with;
    LLVMValueRef to = host_at(e, each->a, address_of(e, each->a, each->address, lane));
    LLVMValueRef value = rows_element(e, each->value, lane, each->bits);
    e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, value, to), 1);
    return value;
}

/* Lanes that write the same place write in the order of lane/passes.h: all that lanes have is taken turn by turn. */
static void store_each(struct emit *e, const struct access *given)
{
    uint32_t starts = starts_of(given);
    struct access turned = *given, *a = &turned;
    a->address = rows_in_turn(e, a->address, starts);
    a->lanes = rows_turns(e, a->lanes, starts);
    if (gathers(e, a)) {
        LLVMTypeRef words = emit_vector(e, emit_int(e, a->bytes * 8));
        LLVMValueRef row = rows_in_turn(e, LL(BuildBitCast, stored_row(e, a), words), starts);
        rows_scatter(e, places_of(e, a), row, a->lanes);
        finish(e, a);
        return;
    }
    LLVMValueRef values[8], address = rows_keep(e, 0, a->address);
    for (unsigned k = 0; k < a->vec; k++)
        values[k] = rows_in_turn(e, stored(e, a, k), starts);
    if (a->vec == 1) {
        struct each each = {.a = a, .bits = a->bits, .address = address, .value = rows_keep(e, 1, values[0])};
        rows_lanes(e, a->lanes, store_lane, &each, NULL);
        finish(e, a);
        return;
    }
    for (unsigned k = 0; k < a->vec; k++)
        values[k] = rows_in_memory(e, values[k]);
    struct rows_loop loop = rows_each(e, a->lanes);
    LLVMValueRef to = host_at(e, a, address_of(e, a, address, loop.lane));
    for (unsigned k = 0; k < a->vec; k++) {
        LLVMValueRef value = rows_element(e, values[k], loop.lane, a->bits);
        LLVMValueRef at = emit_at(e, to, emit_const(e, 64, k * a->bits / 8));
        e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, value, at), 1);
    }
    rows_each_end(e, &loop);
    finish(e, a);
}

/* All to one address, of 64 bits: what the last lane stores stays. */
static void store_last(struct emit *e, const struct access *a, LLVMValueRef address)
{
    LLVMValueRef lane = rows_last(e, a->lanes, starts_of(a)), to = host_at(e, a, address);
    for (unsigned k = 0; k < a->vec; k++) {
        LLVMValueRef value = LL(BuildExtractElement, stored(e, a, k), lane);
        LLVMValueRef at = emit_at(e, to, emit_const(e, 64, k * a->bits / 8));
        e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, value, at), 1);
    }
    finish(e, a);
}

/* ---- the ways of an access --------------------------------------------------------------------------------------- */

static void uniform_ways(struct emit *e, struct access *a, LLVMValueRef address)
{
    LLVMBasicBlockRef one = emit_block(e, "one");
    a->region = regions_find(e, a->at, a->store, address);
    emit_branch(e, inside(e, a, address, a->bytes), one, a->step, true);
    emit_begin(e, one);
    if (a->store)
        store_last(e, a, address);
    else
        load_one(e, a, address);
}

/* How a warp's elements lie: known when code is made, or to be asked for. */
enum shape { SHAPE_UNKNOWN, SHAPE_ROW, SHAPE_HALVES, SHAPE_ONE, SHAPE_SPREAD };

static enum shape find_shape(struct emit *e, const struct access *a, struct affine *affine)
{
    const struct decoded *at = a->at;
    unsigned bits = at->bits[at->ndst];
    uint64_t mask = UINT64_MAX >> (64 - bits);
    bool wraps = bits == 32 && !is_own(at->access->space); /* sums of 64 bits do not */
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
        are = rows_both(e, are, inside(e, a, wide(e, firsts[i]), (uint64_t)a->bytes * (one ? 1 : n)));
    if (a->store)
        are = LL(BuildAnd, are, rows_full(e, a->lanes));
    emit_branch(e, are, pieces, a->scattered, true);
    emit_begin(e, pieces);
    if (a->store)
        store_pieces(e, a, firsts, n);
    else
        load_pieces(e, a, firsts, n, one);
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
    unsigned bits = is_narrow(a->address, e) ? 32 : 64;
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
    unsigned bits = is_narrow(affine->first, e) ? 32 : 64;
    const LLVMValueRef firsts[] = {affine->first, LL(BuildAdd, affine->first, emit_const(e, bits, affine->half))};
    pieces_ways(e, a, NULL, firsts, LANES / 2, affine->step == 0);
}

static void row_ways(struct emit *e, struct access *a, LLVMValueRef is_row, LLVMValueRef first)
{
    LLVMBasicBlockRef row = emit_block(e, "row");
    LLVMValueRef in = inside(e, a, wide(e, first), (uint64_t)a->bytes * LANES);
    emit_branch(e, rows_both(e, is_row, in), row, a->scattered, true);
    emit_begin(e, row);
    (a->store ? store_row : load_row)(e, a, first);
}

/* Loads of one address. */
static void one_ways(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMBasicBlockRef one = emit_block(e, "one");
    LLVMValueRef is_one = rows_equal(e, a->address, emit_splat(e, first));
    is_one = LL(BuildAnd, is_one, inside(e, a, wide(e, first), a->bytes));
    emit_branch(e, is_one, one, a->scattered, false);
    emit_begin(e, one);
    load_one(e, a, wide(e, first));
}

/* What lanes 0 and 1 have tells which of the tests of all lanes is worth while. */
static void unknown_ways(struct emit *e, struct access *a, LLVMValueRef first)
{
    LLVMBasicBlockRef near = emit_block(e, ""), far = emit_block(e, ""), same = a->store ? NULL : emit_block(e, "");
    unsigned bits = is_narrow(first, e) ? 32 : 64;
    LLVMValueRef apart = LL(BuildSub, emit_lane(e, a->address, 1), first);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, apart, emit_const(e, bits, a->bytes)), near, far, true);
    unsigned n = a->bytes <= 8 ? neighbours(e) : 0;
    emit_begin(e, near);
    if (n)
        row_pieces(e, a, n, false);
    else
        row_ways(e, a, rows_equal(e, a->address, row_from(e, a, first)), first);
    emit_begin(e, far);
    if (a->store) {
        emit_jump(e, a->scattered);
        return;
    }
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, apart, emit_const(e, bits, 0)), same, a->scattered, true);
    emit_begin(e, same);
    if (!n) {
        one_ways(e, a, first);
        return;
    }
    LLVMBasicBlockRef each = a->scattered, pieces = emit_block(e, "");
    a->scattered = pieces;
    one_ways(e, a, first);
    a->scattered = each;
    emit_begin(e, pieces);
    row_pieces(e, a, n, true);
}

static void scattered_ways(struct emit *e, struct access *a)
{
    LLVMBasicBlockRef each = emit_block(e, "each");
    emit_begin(e, a->scattered);
    if (!a->address)
        a->address = addresses(e, a);
    bool whole = a->store || gathers(e, a); /* all stores want to know it before the first */
    LLVMValueRef usable = a->surely ? NULL : whole ? all_inside(e, a) : a->region.usable;
    a->surely = a->surely || whole;
    if (usable)
        emit_branch(e, usable, each, a->step, true);
    else
        emit_jump(e, each);
    emit_begin(e, each);
    (a->store ? store_each : load_each)(e, a);
}

static void ways(struct emit *e, struct access *a)
{
    struct affine affine;
    enum shape shape = find_shape(e, a, &affine);
    if (shape == SHAPE_UNKNOWN)
        a->address = addresses(e, a);
    LLVMValueRef first = shape == SHAPE_UNKNOWN ? emit_lane(e, a->address, 0) : affine.first;
    if (joins(a)) {
        a->row = e->llvm->BuildAlloca(e->entry_builder, row_type(e, a), "");
        a->out = emit_block(e, "joined");
    }
    a->region = regions_find(e, a->at, a->store, wide(e, first));
    a->scattered = emit_block(e, "scattered");
    a->surely = a->at->access->space == LANE_SHARED && is_narrow(first, e) && update_surely_inside(e, a->at);
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
    emit_branch(e, all_inside(e, a), each, a->step, true);
    emit_begin(e, each);
    a->address = LL(BuildAdd, wide(e, a->address), regions_local_lanes(e));
    a->surely = true;
    (a->store ? store_each : load_each)(e, a);
}

/* A way of which it is known where the gate stands whether it is the right one. */
static void plain_way(struct emit *e, struct access *a, enum shape shape, const struct affine *affine,
                      LLVMValueRef second)
{
    a->done = a->out = emit_block(e, "");
    const LLVMValueRef halves[] = {affine->first, second};
    if (shape == SHAPE_HALVES)
        load_pieces(e, a, halves, LANES / 2, affine->step == 0);
    else if (shape == SHAPE_ROW)
        (a->store ? store_row : load_row)(e, a, affine->first);
    else
        (a->store ? store_last : load_one)(e, a, affine->first);
    emit_begin(e, a->done);
}

/* i1: do a warp's elements lie in the region? `second`: where the upper half of its lanes begins. */
static LLVMValueRef shape_inside(struct emit *e, const struct access *a, enum shape shape, const struct affine *affine,
                                 LLVMValueRef second)
{
    LLVMValueRef first = wide(e, affine->first);
    if (shape == SHAPE_ROW)
        return inside(e, a, first, (uint64_t)a->bytes * LANES);
    if (shape == SHAPE_ONE)
        return inside(e, a, first, a->bytes);
    uint64_t bytes = (uint64_t)a->bytes * (affine->step ? LANES / 2 : 1);
    return LL(BuildAnd, inside(e, a, first, bytes), inside(e, a, wide(e, second), bytes));
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
    bool known = shape == SHAPE_ONE || (shape == SHAPE_ROW && (!a->store || has_masks(e, a))) ||
                 (shape == SHAPE_HALVES && !a->store);
    if (shape == SHAPE_HALVES)
        second = LL(BuildAdd, affine.first, emit_const(e, is_narrow(affine.first, e) ? 32 : 64, affine.half));
    if (known) {
        a->region = regions_find(e, a->at, a->store, wide(e, affine.first));
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
        join_step(e, a);
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
    if (!has_region(&a) || (!weak && !is_own(at->access->space)) || a.bits > 64 || a.vec > 8 ||
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
