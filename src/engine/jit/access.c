/* Memory that is addressed by bytes: ld, st, atom, red.
 *
 *   if (the lanes' elements make a row, and it lies in the region)    a vector load or store
 *   else if (loads of one address, in the region)                     a load
 *   else if (of the block's memory, in the region)                    lane by lane
 *   else                                                              the interpreter's step
 *
 * A region is the block's shared memory, or the allocation that the step has noted for this instruction (struct site).
 * Lanes that do not run have addresses too, and mostly they belong to the same row. Of them nothing is written; what is
 * read of them lies in the region and is not looked at.
 */
#include "engine/jit/jit.h"
#include "engine/jit/reduce.h"
#include "engine/jit/rows.h"
#include "engine/jit/update.h"

/* An access that is being emitted. */
struct access {
    const struct decoded *at;
    unsigned vec, bits, bytes; /* elements of a lane; bits of one; bytes of all */
    bool store;
    struct region region;
    LLVMValueRef lanes;
    LLVMValueRef address; /* of each lane, 32 or 64 bits */
    LLVMBasicBlockRef step, done, scattered;
};

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static struct region block_memory(struct emit *e, uint64_t base)
{
    LLVMValueRef block = rows_block(e), size = emit_field(e, block, offsetof(struct block, shared_bytes), e->i32);
    return (struct region){.host = emit_field(e, block, offsetof(struct block, shared), e->ptr),
                           .base = emit_const(e, 64, base),
                           .size = LL(BuildZExt, size, e->i64)};
}

static struct region register_file(struct emit *e)
{
    LLVMValueRef size = emit_field(e, rows_block(e), offsetof(struct block, regfile_bytes), e->i32);
    return (struct region){.host = emit_field(e, e->warp, offsetof(struct warp, regfile), e->ptr),
                           .base = emit_const(e, 64, 0),
                           .size = LL(BuildZExt, size, e->i64)};
}

static struct region parameters(struct emit *e)
{
    LLVMValueRef run = emit_field(e, rows_worker(e), offsetof(struct worker, run), e->ptr);
    LLVMValueRef size = emit_field(e, run, offsetof(struct run, param_bytes), e->i32);
    return (struct region){.host = emit_field(e, run, offsetof(struct run, params), e->ptr),
                           .base = emit_const(e, 64, 0),
                           .size = LL(BuildZExt, size, e->i64)};
}

/* Of a generic address: the block's memory below SPACE_GLOBAL, whatever else lies there. */
static struct region generic(struct emit *e, const struct decoded *at, bool store, LLVMValueRef first)
{
    struct region global = rows_allocation(e, at, store), shared = block_memory(e, SPACE_SHARED);
    LLVMValueRef is_global = LL(BuildICmp, LLVMIntUGE, first, emit_const(e, 64, SPACE_GLOBAL));
    LLVMValueRef usable = LL(BuildSelect, is_global, global.usable, emit_const(e, 1, 1));
    return (struct region){.host = LL(BuildSelect, is_global, global.host, shared.host),
                           .base = LL(BuildSelect, is_global, global.base, shared.base),
                           .size = LL(BuildSelect, is_global, global.size, shared.size),
                           .usable = usable};
}

/* Does the memory of a space belong to the block, or to nobody? Then other host threads do not see accesses. */
static bool is_own(unsigned space)
{
    return space == LANE_SHARED || space == LANE_REGFILE || space == LANE_PARAM;
}

static bool has_region(const struct access *a)
{
    unsigned space = a->at->access->space;
    return is_own(space) ? !(a->store && space == LANE_PARAM)
                         : space == LANE_GLOBAL || space == LANE_CONSTANT || space == LANE_GENERIC;
}

/* `first`: an address of one of the lanes, 64 bits. */
static struct region find_region(struct emit *e, const struct access *a, LLVMValueRef first)
{
    switch (a->at->access->space) {
    case LANE_SHARED:
        return block_memory(e, 0);
    case LANE_REGFILE:
        return register_file(e);
    case LANE_PARAM:
        return parameters(e);
    case LANE_GENERIC:
        return generic(e, a->at, a->store, first);
    default:
        return rows_allocation(e, a->at, a->store);
    }
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
    LLVMValueRef address = emit_uniform(e, at, at->ndst);
    if (!address)
        return NULL;
    return wide(e, LL(BuildAdd, address, emit_const(e, bits, offset)));
}

/* i1: do `bytes` bytes from an address on lie in the region, the address aligned to an access? */
static LLVMValueRef inside(struct emit *e, const struct access *a, LLVMValueRef address, uint64_t bytes)
{
    LLVMValueRef offset = LL(BuildSub, address, a->region.base);
    LLVMValueRef limit = rows_limit(e, a->region.size, emit_const(e, 64, bytes));
    LLVMValueRef is = rows_both(e, a->region.usable, LL(BuildICmp, LLVMIntULT, offset, limit));
    if (a->bytes == 1)
        return is;
    LLVMValueRef low = LL(BuildAnd, address, emit_const(e, 64, a->bytes - 1));
    return LL(BuildAnd, is, LL(BuildICmp, LLVMIntEQ, low, emit_const(e, 64, 0)));
}

/* The same of all lanes that run, with addresses of 32 bits and a region that begins at 0. */
static LLVMValueRef all_inside(struct emit *e, const struct access *a)
{
    LLVMValueRef limit = rows_limit(e, a->region.size, emit_const(e, 64, a->bytes));
    LLVMValueRef limits = emit_splat(e, LL(BuildTrunc, limit, e->i32));
    LLVMValueRef bad = LL(BuildICmp, LLVMIntUGE, a->address, limits);
    if (a->bytes > 1) {
        LLVMValueRef low = LL(BuildAnd, a->address, emit_consts(e, 32, a->bytes - 1));
        bad = LL(BuildOr, bad, LL(BuildICmp, LLVMIntNE, low, emit_consts(e, 32, 0)));
    }
    LLVMValueRef any = LL(BuildAnd, emit_word(e, bad), a->lanes);
    return rows_both(e, a->region.usable, LL(BuildICmp, LLVMIntEQ, any, emit_const(e, 32, 0)));
}

static LLVMValueRef host_at(struct emit *e, const struct access *a, LLVMValueRef address)
{
    return emit_at(e, a->region.host, LL(BuildSub, address, a->region.base));
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
    emit_jump(e, a->done);
}

/* ---- ld ---------------------------------------------------------------------------------------------------------- */

static LLVMValueRef widen(struct emit *e, const struct access *a, LLVMValueRef value, unsigned k)
{
    return rows_widen(e, value, a->bits, a->at->bits[k], lane_type_signed(a->at->access->type));
}

/* All lanes that run have one address, of 64 bits. */
static void load_one(struct emit *e, const struct access *a, LLVMValueRef address)
{
    LLVMValueRef from = host_at(e, a, address);
    for (unsigned k = 0; k < a->at->ndst; k++) {
        if (!a->at->bits[k])
            continue;
        LLVMValueRef value = emit_field(e, from, k * a->bits / 8, emit_int(e, a->bits));
        e->llvm->SetAlignment(value, 1);
        emit_result(e, a->at, k, emit_splat(e, widen(e, a, value, k)));
    }
    finish(e, a);
}

/* The next warp often reads the row behind this one, long after it: when it has done all that the warp does until it
 * waits, which is too much for the host to see it coming. */
static void prefetch_behind(struct emit *e, const struct access *a, LLVMValueRef from)
{
    enum { LINE = 64, LINES = 2 };
    if (is_own(a->at->access->space))
        return;
    for (unsigned i = 0; i < LINES && i * LINE < a->bytes * LANES; i++) {
        LLVMValueRef at = emit_at(e, from, emit_const(e, 64, a->bytes * LANES + i * LINE));
        LLVMValueRef args[] = {at, emit_const(e, 32, 0), emit_const(e, 32, 3), emit_const(e, 32, 1)};
        emit_intrinsic(e, "llvm.prefetch", e->ptr, args, 4);
    }
}

/* The whole row, from address `first` on. */
static void load_row(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMValueRef from = host_at(e, a, wide(e, first)), row = rows_load(e, from, a->bits, a->vec * LANES);
    prefetch_behind(e, a, from);
    for (unsigned k = 0; k < a->at->ndst; k++)
        if (a->at->bits[k])
            emit_result(e, a->at, k, widen(e, a, rows_component(e, row, k, a->vec), k));
    finish(e, a);
}

static void load_each(struct emit *e, const struct access *a)
{
    LLVMValueRef values[8], address = rows_in_memory(e, a->address);
    LLVMTypeRef type = emit_vector(e, emit_int(e, a->bits));
    for (unsigned k = 0; k < a->at->ndst; k++)
        values[k] = rows_in_memory(e, e->llvm->ConstNull(type));
    struct rows_loop loop = rows_each(e, a->lanes);
    LLVMValueRef from = host_at(e, a, wide(e, rows_element(e, address, loop.lane, 32)));
    for (unsigned k = 0; k < a->at->ndst; k++) {
        LLVMValueRef value = emit_field(e, from, k * a->bits / 8, emit_int(e, a->bits));
        e->llvm->SetAlignment(value, 1);
        e->llvm->BuildStore(e->builder, value, rows_element_at(e, values[k], loop.lane, a->bits));
    }
    rows_each_end(e, &loop);
    for (unsigned k = 0; k < a->at->ndst; k++)
        if (a->at->bits[k])
            emit_result(e, a->at, k, widen(e, a, LL(BuildLoad2, type, values[k]), k));
    finish(e, a);
}

/* ---- st ---------------------------------------------------------------------------------------------------------- */

/* What the lanes store, as elements. */
static LLVMValueRef stored(struct emit *e, const struct access *a, unsigned k)
{
    return rows_narrow(e, emit_source(e, a->at, 1 + k), a->at->bits[1 + k], a->bits);
}

static void store_all(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMValueRef components[8];
    for (unsigned k = 0; k < a->vec; k++)
        components[k] = stored(e, a, k);
    rows_store(e, host_at(e, a, wide(e, first)), rows_interleave(e, components, a->vec));
    finish(e, a);
}

/* Can the host store some elements of a vector, and leave the others alone? */
static bool has_masks(const struct emit *e, const struct access *a)
{
    return a->vec == 1 && (e->vector_bits >= 512 || (e->vector_bits >= 256 && a->bits >= 32));
}

static void store_some(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMValueRef value = stored(e, a, 0);
    LLVMTypeRef types[] = {e->llvm->TypeOf(value), e->ptr};
    LLVMValueRef args[] = {value, host_at(e, a, wide(e, first)), emit_const(e, 32, 1),
                           emit_mask_of(e, a->lanes, a->bits)};
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

/* Lanes that write the same place write in lane order, as in the interpreter. */
static void store_each(struct emit *e, const struct access *a)
{
    LLVMValueRef values[8], address = rows_in_memory(e, a->address);
    for (unsigned k = 0; k < a->vec; k++)
        values[k] = rows_in_memory(e, stored(e, a, k));
    struct rows_loop loop = rows_each(e, a->lanes);
    LLVMValueRef to = host_at(e, a, wide(e, rows_element(e, address, loop.lane, 32)));
    for (unsigned k = 0; k < a->vec; k++) {
        LLVMValueRef value = rows_element(e, values[k], loop.lane, a->bits);
        LLVMValueRef at = emit_at(e, to, emit_const(e, 64, k * a->bits / 8));
        e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, value, at), 1);
    }
    rows_each_end(e, &loop);
    finish(e, a);
}

/* All to one address, of 64 bits: what the highest lane stores stays. */
static void store_last(struct emit *e, const struct access *a, LLVMValueRef address)
{
    LLVMValueRef args[] = {a->lanes, emit_const(e, 1, 1)};
    LLVMValueRef zeros = emit_intrinsic(e, "llvm.ctlz", e->i32, args, 2);
    LLVMValueRef lane = LL(BuildSub, emit_const(e, 32, LANES - 1), zeros), to = host_at(e, a, address);
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
    a->region = find_region(e, a, address);
    emit_branch(e, inside(e, a, address, a->bytes), one, a->step, true);
    emit_begin(e, one);
    if (a->store)
        store_last(e, a, address);
    else
        load_one(e, a, address);
}

/* Are addresses of 32 bits, into the block's memory? These are followed lane by lane, too. */
static bool is_small(struct emit *e, const struct access *a)
{
    return is_own(a->at->access->space) && is_narrow(a->address, e);
}

/* Loads of one address. Goes on where they are not. */
static void try_one(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMBasicBlockRef one = emit_block(e, "one"), other = emit_block(e, "");
    LLVMValueRef is_one = rows_equal(e, a->address, emit_splat(e, first));
    is_one = LL(BuildAnd, is_one, inside(e, a, wide(e, first), a->bytes));
    emit_branch(e, is_one, one, other, false);
    emit_begin(e, one);
    load_one(e, a, wide(e, first));
    emit_begin(e, other);
}

static void ways(struct emit *e, struct access *a)
{
    LLVMBasicBlockRef row = emit_block(e, "row"), other = emit_block(e, "");
    a->address = addresses(e, a);
    LLVMValueRef first = emit_lane(e, a->address, 0);
    a->region = find_region(e, a, wide(e, first));
    a->scattered = is_small(e, a) ? emit_block(e, "scattered") : a->step;
    LLVMValueRef is_row = rows_equal(e, a->address, row_from(e, a, first));
    is_row = LL(BuildAnd, is_row, inside(e, a, wide(e, first), (uint64_t)a->bytes * LANES));
    emit_branch(e, is_row, row, other, true);
    emit_begin(e, row);
    (a->store ? store_row : load_row)(e, a, first);
    emit_begin(e, other);
    if (!a->store)
        try_one(e, a, first);
    emit_jump(e, a->scattered);
    if (a->scattered == a->step)
        return;
    LLVMBasicBlockRef each = emit_block(e, "each");
    emit_begin(e, a->scattered);
    emit_branch(e, all_inside(e, a), each, a->step, true);
    emit_begin(e, each);
    (a->store ? store_each : load_each)(e, a);
}

static void begin(struct emit *e, struct access *a)
{
    a->step = emit_block(e, "step");
    a->done = emit_block(e, "");
    a->lanes = rows_some(e, a->at, a->done);
}

static void end(struct emit *e, const struct access *a)
{
    emit_begin(e, a->step);
    emit_step(e, a->at);
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
    begin(e, &a);
    if (store && !weak)
        require_nothing_held(e, &a);
    LLVMValueRef same = uniform_address(e, &a);
    if (same)
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
