/* What the ways of an access (access.c) do: elements of lanes that make rows, that all lanes have, that lie anywhere.
 */
#include "engine/jit/access.h"
#include "engine/jit/ahead.h"
#include "lane/passes.h"

/* ---- addresses --------------------------------------------------------------------------------------------------- */

bool elements_narrow(struct emit *e, LLVMValueRef address)
{
    LLVMTypeRef type = e->llvm->TypeOf(address);
    return type == e->i32 || type == emit_vector(e, e->i32);
}

LLVMValueRef elements_wide(struct emit *e, LLVMValueRef address)
{
    return elements_narrow(e, address) ? rows_widen(e, address, 32, 64, false) : address;
}

/* Are the low bits `ones` of an address 0? Of a vector of them, for each. */
static LLVMValueRef aligned(struct emit *e, LLVMValueRef address, LLVMValueRef ones)
{
    LLVMValueRef low = LL(BuildAnd, address, ones);
    return LL(BuildICmp, LLVMIntEQ, low, e->llvm->ConstNull(e->llvm->TypeOf(address)));
}

LLVMValueRef elements_inside(struct emit *e, const struct access *a, LLVMValueRef address, uint64_t bytes)
{
    LLVMValueRef offset = LL(BuildSub, address, a->region.base);
    LLVMValueRef limit = rows_limit(e, a->region.size, emit_const(e, 64, bytes));
    LLVMValueRef is = rows_both(e, a->region.usable, LL(BuildICmp, LLVMIntULT, offset, limit));
    if (a->bytes == 1)
        return is;
    return LL(BuildAnd, is, aligned(e, address, emit_const(e, 64, a->bytes - 1)));
}

/* A region with addresses of 32 bits begins at 0. */
LLVMValueRef elements_all_inside(struct emit *e, const struct access *a)
{
    bool narrow = elements_narrow(e, a->address);
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
    return elements_wide(e, rows_element(e, addresses, lane, elements_narrow(e, a->address) ? 32 : 64));
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static void count_access(struct emit *e, const struct decoded *at)
{
    size_t offset = offsetof(struct warp, accesses) + at->access->space * sizeof(uint64_t);
    rows_count(e, offset, emit_const(e, 64, 1));
}

void elements_done(struct emit *e, const struct access *a)
{
    if (!a->is_common)
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

LLVMTypeRef elements_row_type(struct emit *e, const struct access *a)
{
    return e->llvm->VectorType(emit_int(e, a->bits), LANES * a->vec);
}

void elements_give(struct emit *e, const struct access *a, LLVMValueRef row)
{
    row = LL(BuildBitCast, row, elements_row_type(e, a));
    if (a->row)
        e->llvm->BuildStore(e->builder, row, a->row);
    else
        give_registers(e, a, row);
    elements_done(e, a);
}

bool elements_join(const struct access *a)
{
    bool other = a->vec > 1;
    for (unsigned k = 0; k < a->at->ndst; k++) {
        if (a->at->bits[k] && a->at->bits[k] < a->bits)
            return false;
        other |= a->at->bits[k] > a->bits;
    }
    return !a->store && other && a->bytes <= 8;
}

void elements_join_step(struct emit *e, const struct access *a)
{
    LLVMValueRef components[8], none = e->llvm->ConstNull(emit_vector(e, emit_int(e, a->bits)));
    for (unsigned k = 0; k < a->vec; k++) {
        unsigned bits = a->at->bits[k];
        components[k] = bits ? rows_narrow(e, emit_given(e, a->at, k), bits, a->bits) : none;
    }
    LLVMValueRef row = rows_interleave(e, components, a->vec);
    e->llvm->BuildStore(e->builder, LL(BuildBitCast, row, elements_row_type(e, a)), a->row);
    emit_jump(e, a->out);
    emit_begin(e, a->out);
    give_registers(e, a, LL(BuildLoad2, elements_row_type(e, a), a->row));
}

/* A row of `n` lanes that have one element, of up to 8 bytes. */
static LLVMValueRef load_same(struct emit *e, const struct access *a, LLVMValueRef from, unsigned n)
{
    LLVMValueRef element = emit_field(e, from, 0, emit_int(e, a->bytes * 8)), row = rows_repeated(e, element, n);
    e->llvm->SetAlignment(element, 1);
    return LL(BuildBitCast, row, e->llvm->VectorType(emit_int(e, a->bits), a->vec * n));
}

void elements_load_one(struct emit *e, const struct access *a, LLVMValueRef address)
{
    LLVMValueRef from = host_at(e, a, address);
    if (a->row) {
        elements_give(e, a, load_same(e, a, from, LANES));
        return;
    }
    for (unsigned k = 0; k < a->at->ndst; k++) {
        if (!a->at->bits[k])
            continue;
        LLVMValueRef value = emit_field(e, from, k * a->bits / 8, emit_int(e, a->bits));
        e->llvm->SetAlignment(value, 1);
        emit_result_once(e, a->at, k, widen(e, a, value, k));
    }
    elements_done(e, a);
}

void elements_load_row(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMValueRef from = host_at(e, a, elements_wide(e, first)), row = rows_load(e, from, a->bits, a->vec * LANES);
    if (!access_is_own(a->at->access->space))
        ahead_fetch(e, a->at, from, a->bytes * LANES);
    elements_give(e, a, row);
}

void elements_load_pieces(struct emit *e, const struct access *a, const LLVMValueRef *firsts, unsigned n, bool one)
{
    LLVMValueRef pieces[PIECES];
    for (unsigned i = 0; i < LANES / n; i++) {
        LLVMValueRef from = host_at(e, a, elements_wide(e, firsts[i]));
        pieces[i] = one ? load_same(e, a, from, n) : rows_load(e, from, a->bits, a->vec * n);
    }
    for (unsigned count = LANES / n; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++)
            pieces[i] = rows_joined(e, pieces[(size_t)2 * i], pieces[(size_t)2 * i + 1]);
    elements_give(e, a, pieces[0]);
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
    emit_branch(e, elements_inside(e, &without, address, a->bytes), in, a->step, true);
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

bool elements_gather(const struct emit *e, const struct access *a)
{
    return e->gathers && (a->bytes == 4 || a->bytes == 8);
}

/* Where each lane's element lies. */
static LLVMValueRef places_of(struct emit *e, const struct access *a)
{
    LLVMValueRef offset = LL(BuildSub, elements_wide(e, a->address), emit_splat(e, a->region.base));
    return e->llvm->BuildGEP2(e->builder, e->i8, a->region.host, &offset, 1, "");
}

void elements_load_each(struct emit *e, const struct access *a)
{
    /* As a whole where the host has such words. */
    unsigned n = a->bytes <= 8 ? 1 : a->vec, bits = a->bytes * 8 / n;
    LLVMTypeRef type = emit_vector(e, emit_int(e, bits));
    LLVMValueRef values[8], address = rows_keep(e, 0, a->address);
    if (a->surely && elements_gather(e, a)) {
        elements_give(e, a, rows_gather(e, places_of(e, a), a->bytes * 8, a->lanes));
        return;
    }
    if (n == 1 && a->surely) {
        struct each each = {.a = a, .bits = bits, .address = address};
        rows_lanes(e, a->lanes, load_lane, &each, rows_place(e, 1));
        elements_give(e, a, rows_kept(e, 1, bits));
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
        elements_give(e, a, values[0]);
        return;
    }
    for (unsigned k = 0; k < n; k++)
        if (a->at->bits[k])
            emit_result(e, a->at, k, widen(e, a, values[k], k));
    elements_done(e, a);
}

/* ---- st ---------------------------------------------------------------------------------------------------------- */

/* What the lanes store, as elements. */
static LLVMValueRef stored(struct emit *e, const struct access *a, unsigned k)
{
    return a->elements ? a->elements : rows_narrow(e, emit_source(e, a->at, 1 + k), a->at->bits[1 + k], a->bits);
}

LLVMValueRef elements_stored(struct emit *e, const struct access *a)
{
    LLVMValueRef components[8];
    for (unsigned k = 0; k < a->vec; k++)
        components[k] = stored(e, a, k);
    return rows_interleave(e, components, a->vec);
}

static void store_all(struct emit *e, const struct access *a, LLVMValueRef first)
{
    rows_store(e, host_at(e, a, elements_wide(e, first)), elements_stored(e, a));
    elements_done(e, a);
}

bool elements_masked(const struct emit *e, const struct access *a)
{
    bool host = e->vector_bits >= 512 || (e->vector_bits >= 256 && a->bits >= 32);
    return a->vec == 1 && (host || access_is_own(a->at->access->space));
}

static void store_some(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMValueRef value = stored(e, a, 0);
    LLVMTypeRef types[] = {e->llvm->TypeOf(value), e->ptr};
    LLVMValueRef at = host_at(e, a, elements_wide(e, first)), mask = emit_mask(e, a->lanes);
    LLVMValueRef args[] = {value, at, emit_const(e, 32, 1), mask};
    if (access_is_own(a->at->access->space)) /* masked stores take some hosts long */
        rows_store(e, at, LL(BuildSelect, mask, value, rows_load(e, at, a->bits, LANES)));
    else
        rows_intrinsic(e, "llvm.masked.store", types, args, 4);
    elements_done(e, a);
}

void elements_store_row(struct emit *e, const struct access *a, LLVMValueRef first)
{
    LLVMBasicBlockRef all = emit_block(e, ""), some = elements_masked(e, a) ? emit_block(e, "some") : a->scattered;
    emit_branch(e, rows_full(e, a->lanes), all, some, true);
    emit_begin(e, all);
    store_all(e, a, first);
    if (some == a->scattered)
        return;
    emit_begin(e, some);
    store_some(e, a, first);
}

uint32_t elements_starts(const struct access *a)
{
    const struct lane_access *access = a->at->access;
    return access->space == LANE_LOCAL ? ALL_LANES : passes_of(access, a->bytes, 1);
}

void elements_store_pieces(struct emit *e, const struct access *a, const LLVMValueRef *firsts, unsigned n)
{
    LLVMValueRef row = elements_stored(e, a);
    uint32_t rows = passes_rows(elements_starts(a), n);
    for (uint32_t left = ALL_LANES >> (LANES - LANES / n), i; left; left &= ~(UINT32_C(1) << i)) {
        i = passes_next(rows, left);
        rows_store(e, host_at(e, a, elements_wide(e, firsts[i])), rows_part(e, row, row, i * n * a->vec, n * a->vec));
    }
    elements_done(e, a);
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
void elements_store_each(struct emit *e, const struct access *given)
{
    uint32_t starts = elements_starts(given);
    struct access turned = *given, *a = &turned;
    a->address = rows_in_turn(e, a->address, starts);
    a->lanes = rows_turns(e, a->lanes, starts);
    if (elements_gather(e, a)) {
        LLVMTypeRef words = emit_vector(e, emit_int(e, a->bytes * 8));
        LLVMValueRef row = rows_in_turn(e, LL(BuildBitCast, elements_stored(e, a), words), starts);
        rows_scatter(e, places_of(e, a), row, a->lanes);
        elements_done(e, a);
        return;
    }
    LLVMValueRef values[8], address = rows_keep(e, 0, a->address);
    for (unsigned k = 0; k < a->vec; k++)
        values[k] = rows_in_turn(e, stored(e, a, k), starts);
    if (a->vec == 1) {
        struct each each = {.a = a, .bits = a->bits, .address = address, .value = rows_keep(e, 1, values[0])};
        rows_lanes(e, a->lanes, store_lane, &each, NULL);
        elements_done(e, a);
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
    elements_done(e, a);
}

/* All to one address, of 64 bits: what the last lane stores stays. */
void elements_store_last(struct emit *e, const struct access *a, LLVMValueRef address)
{
    LLVMValueRef lane = rows_last(e, a->lanes, elements_starts(a)), to = host_at(e, a, address);
    for (unsigned k = 0; k < a->vec; k++) {
        LLVMValueRef value = LL(BuildExtractElement, stored(e, a, k), lane);
        LLVMValueRef at = emit_at(e, to, emit_const(e, 64, k * a->bits / 8));
        e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, value, at), 1);
    }
    elements_done(e, a);
}
