/* Rows of elements. */
#include "engine/jit/rows.h"

#include "engine/jit/jit.h"
#include "lane/passes.h"

#include <assert.h>
#include <string.h>

/* ---- what does not change ---------------------------------------------------------------------------------------- */

static LLVMValueRef at_start(struct emit *e, LLVMValueRef *have, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    if (*have)
        return *have;
    *have = emit_field_once(e, base, offset, type);
    return *have;
}

LLVMValueRef rows_worker(struct emit *e)
{
    return at_start(e, &e->worker, e->given, offsetof(struct warp, worker), e->ptr);
}

LLVMValueRef rows_block(struct emit *e)
{
    return at_start(e, &e->block, e->given, offsetof(struct warp, block), e->ptr);
}

LLVMValueRef rows_shared(struct emit *e, LLVMValueRef *bytes)
{
    if (!e->shared) {
        LLVMValueRef size = emit_field_once(e, rows_block(e), offsetof(struct block, shared_bytes), e->i32);
        e->shared = emit_field_once(e, rows_block(e), offsetof(struct block, shared), e->ptr);
        e->shared_bytes = e->llvm->BuildZExt(e->entry_builder, size, e->i64, "");
    }
    *bytes = e->shared_bytes;
    return e->shared;
}

LLVMValueRef rows_site(struct emit *e, const struct decoded *at, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef sites = at_start(e, &e->sites, rows_worker(e), offsetof(struct worker, sites), e->ptr);
    return emit_field(e, sites, at->site * sizeof(struct site) + offset, type);
}

void rows_set_site(struct emit *e, uint32_t site, size_t offset, LLVMValueRef value)
{
    LLVMValueRef sites = at_start(e, &e->sites, rows_worker(e), offsetof(struct worker, sites), e->ptr);
    emit_set_field(e, sites, site * sizeof(struct site) + offset, value);
}

/* Sites hold while nothing is freed. */
struct region rows_allocation(struct emit *e, const struct decoded *at, bool store)
{
    struct region r = {.host = rows_site(e, at, offsetof(struct site, host), e->ptr),
                       .base = rows_site(e, at, offsetof(struct site, base), e->i64),
                       .size = rows_site(e, at, offsetof(struct site, size), e->i64)};
    LLVMValueRef now = emit_field(e, emit_field(e, e->code, offsetof(struct jit_code, generation), e->ptr), 0, e->i64);
    LLVMValueRef then = emit_field(e, rows_worker(e), offsetof(struct worker, generation), e->i64);
    r.usable = LL(BuildICmp, LLVMIntEQ, now, then);
    if (store) {
        LLVMValueRef readonly = rows_site(e, at, offsetof(struct site, readonly), e->i8);
        r.usable = LL(BuildAnd, r.usable, LL(BuildICmp, LLVMIntEQ, readonly, emit_const(e, 8, 0)));
    }
    return r;
}

static struct emit_counter *counter_at(struct emit *e, size_t offset)
{
    struct emit_counter *c = e->counters;
    while (c < e->counters + e->ncounters && c->offset != offset)
        c++;
    return c;
}

static void new_counter(struct emit *e, size_t offset)
{
    struct emit_counter *c = counter_at(e, offset);
    if (c < e->counters + e->ncounters)
        return;
    *c = (struct emit_counter){offset, e->llvm->BuildAlloca(e->entry_builder, e->i64, "")};
    e->llvm->BuildStore(e->entry_builder, emit_const(e, 64, 0), c->at);
    e->ncounters++;
}

void rows_counters(struct emit *e)
{
    if (e->tight)
        return;
    for (const struct decoded *at = e->func->decoded; at < e->func->decoded + e->func->ndecoded; at++) {
        bool texels = at->op < LANE_OPS && lane_is(at->op, LANE_TEXELS);
        if (at->op < LANE_OPS && at->access)
            new_counter(e, offsetof(struct warp, accesses) +
                               (texels ? (unsigned)LANE_SURFACE : at->access->space) * sizeof(uint64_t));
        if (at->op == LANE_OP_atom || at->op == LANE_OP_red || at->op == LANE_OP_suatom || at->op == LANE_OP_sured)
            new_counter(e, offsetof(struct warp, atomics));
    }
}

void rows_count(struct emit *e, size_t offset, LLVMValueRef by)
{
    const struct emit_counter *c = counter_at(e, offset);
    if (c < e->counters + e->ncounters) {
        e->llvm->BuildStore(e->builder, LL(BuildAdd, LL(BuildLoad2, e->i64, c->at), by), c->at);
        return;
    }
    LLVMValueRef before = emit_field(e, e->given, offset, e->i64);
    emit_set_field(e, e->given, offset, LL(BuildAdd, before, by));
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static LLVMValueRef shuffle(struct emit *e, LLVMValueRef a, LLVMValueRef b, const uint32_t *index, unsigned n)
{
    LLVMValueRef from[LANES * 8];
    for (unsigned i = 0; i < n; i++)
        from[i] = emit_const(e, 32, index[i]);
    return LL(BuildShuffleVector, a, b, e->llvm->ConstVector(from, n));
}

LLVMValueRef rows_part(struct emit *e, LLVMValueRef a, LLVMValueRef b, unsigned from, unsigned n)
{
    uint32_t index[LANES * 8];
    for (unsigned i = 0; i < n; i++)
        index[i] = from + i;
    return shuffle(e, a, b, index, n);
}

LLVMValueRef rows_in_turn(struct emit *e, LLVMValueRef vector, uint32_t starts)
{
    uint32_t index[LANES];
    if (starts == ALL_LANES)
        return vector;
    for (uint32_t left = ALL_LANES, n = 0; left; left &= ~(UINT32_C(1) << index[n++]))
        index[n] = passes_next(starts, left);
    return shuffle(e, vector, e->llvm->GetPoison(e->llvm->TypeOf(vector)), index, LANES);
}

/* Each pass turned around: lane n of [start, end) goes to start + end - 1 - n. */
LLVMValueRef rows_turns(struct emit *e, LLVMValueRef lanes, uint32_t starts)
{
    if (starts == ALL_LANES)
        return lanes;
    if (e->vector_bits >= 512) /* which have shuffles of masks */
        return emit_word(e, rows_in_turn(e, emit_mask(e, lanes), starts));
    LLVMValueRef back = emit_intrinsic(e, "llvm.bitreverse", e->i32, &lanes, 1), all = emit_const(e, 32, 0);
    for (unsigned start = 0, end; start < LANES; start = end) {
        for (end = start + 1; end < LANES && !(starts >> end & 1); end++)
            ;
        unsigned up = start + end, by = up < LANES ? LANES - up : up - LANES;
        LLVMValueRef amount = emit_const(e, 32, by),
                     mask = emit_const(e, 32, (ALL_LANES >> (LANES - end + start)) << start);
        LLVMValueRef pass = up < LANES ? LL(BuildLShr, back, amount) : LL(BuildShl, back, amount);
        all = LL(BuildOr, all, LL(BuildAnd, pass, mask));
    }
    return all;
}

LLVMValueRef rows_last(struct emit *e, LLVMValueRef lanes, uint32_t starts)
{
    LLVMValueRef last = lanes, none = emit_const(e, 32, 0), args[] = {lanes, emit_const(e, 1, 1)};
    if (starts == ALL_LANES)
        return LL(BuildSub, emit_const(e, 32, LANES - 1), emit_intrinsic(e, "llvm.ctlz", e->i32, args, 2));
    for (unsigned start = 1; start < LANES; start++) {
        if (!(starts >> start & 1))
            continue;
        LLVMValueRef from = LL(BuildAnd, lanes, emit_const(e, 32, ALL_LANES << start));
        last = LL(BuildSelect, LL(BuildICmp, LLVMIntEQ, from, none), last, from);
    }
    args[0] = last;
    return emit_intrinsic(e, "llvm.cttz", e->i32, args, 2);
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

LLVMValueRef rows_both(struct emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return !a ? b : !b ? a : LL(BuildAnd, a, b);
}

/* A vector of integers or-ed down to a register of the host. */
static LLVMValueRef joined(struct emit *e, LLVMValueRef v)
{
    LLVMTypeRef type = e->llvm->TypeOf(v);
    unsigned bits = emit_bits(e, type), most = e->vector_bits < 256 ? 128 : 256;
    for (unsigned n = emit_elements(e, type) / 2; 2 * n * bits > most; n /= 2)
        v = LL(BuildOr, rows_part(e, v, v, 0, n), rows_part(e, v, v, n, n));
    return v;
}

#if defined(__x86_64__)
/* As a number the register would be taken apart wherever it is tested in another block than made. */
static LLVMValueRef test_register(struct emit *e, LLVMValueRef v)
{
    LLVMValueRef r = LL(BuildBitCast, v, e->llvm->VectorType(e->i64, 4)), args[] = {r, r};
    LLVMValueRef is = emit_host(e, "llvm.x86.avx.ptestz.256", e->i32, args, 2);
    return LL(BuildICmp, LLVMIntNE, is, emit_const(e, 32, 0));
}
#endif

static LLVMValueRef is_zero(struct emit *e, LLVMValueRef v)
{
    LLVMTypeRef type = e->llvm->TypeOf(v);
    unsigned bits = emit_bits(e, type) * emit_elements(e, type);
#if defined(__x86_64__)
    if (bits == 256)
        return test_register(e, v);
#endif
    LLVMTypeRef word = e->llvm->IntTypeInContext(e->context, bits);
    return LL(BuildICmp, LLVMIntEQ, LL(BuildBitCast, v, word), e->llvm->ConstNull(word));
}

LLVMValueRef rows_equal(struct emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return is_zero(e, joined(e, LL(BuildXor, a, b)));
}

LLVMValueRef rows_limit(struct emit *e, LLVMValueRef size, LLVMValueRef bytes)
{
    LLVMValueRef args[] = {size, LL(BuildSub, bytes, emit_const(e, 64, 1))};
    return emit_intrinsic(e, "llvm.usub.sat", e->i64, args, 2);
}

LLVMValueRef rows_full(struct emit *e, LLVMValueRef lanes)
{
    return LL(BuildICmp, LLVMIntEQ, lanes, emit_const(e, 32, ALL_LANES));
}

LLVMValueRef rows_intrinsic(struct emit *e, const char *name, LLVMTypeRef types[2], LLVMValueRef *args, unsigned nargs)
{
    unsigned id = e->llvm->LookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = e->llvm->GetIntrinsicDeclaration(e->module, id, types, 2);
    return LL(BuildCall2, e->llvm->IntrinsicGetType(e->context, id, types, 2), function, args, nargs);
}

LLVMValueRef rows_gather(struct emit *e, LLVMValueRef places, unsigned bits, LLVMValueRef lanes)
{
    LLVMTypeRef type = emit_vector(e, emit_int(e, bits)), types[] = {type, e->llvm->TypeOf(places)};
    LLVMValueRef args[] = {places, emit_const(e, 32, 1), emit_mask(e, lanes), e->llvm->ConstNull(type)};
    return rows_intrinsic(e, "llvm.masked.gather", types, args, 4);
}

void rows_scatter(struct emit *e, LLVMValueRef places, LLVMValueRef values, LLVMValueRef lanes)
{
    LLVMTypeRef types[] = {e->llvm->TypeOf(values), e->llvm->TypeOf(places)};
    LLVMValueRef args[] = {values, places, emit_const(e, 32, 1), emit_mask(e, lanes)};
    rows_intrinsic(e, "llvm.masked.scatter", types, args, 4);
}

LLVMValueRef rows_some(struct emit *e, const struct decoded *at, LLVMBasicBlockRef done)
{
    LLVMValueRef lanes = emit_lanes(e, at);
    if (at->guard == KERNEL_NONE)
        return lanes;
    LLVMBasicBlockRef go = emit_block(e, "");
    emit_branch(e, LL(BuildICmp, LLVMIntNE, lanes, emit_const(e, 32, 0)), go, done, true);
    emit_begin(e, go);
    return lanes;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

LLVMValueRef rows_load(struct emit *e, LLVMValueRef from, unsigned bits, unsigned n)
{
    LLVMValueRef row = LL(BuildLoad2, e->llvm->VectorType(emit_int(e, bits), n), from);
    e->llvm->SetAlignment(row, 1);
    return row;
}

LLVMValueRef rows_store(struct emit *e, LLVMValueRef to, LLVMValueRef row)
{
    LLVMValueRef store = e->llvm->BuildStore(e->builder, row, to);
    e->llvm->SetAlignment(store, 1);
    return store;
}

void rows_store_past(struct emit *e, LLVMValueRef to, LLVMValueRef row)
{
    LLVMValueRef store = e->llvm->BuildStore(e->builder, row, to);
    LLVMMetadataRef one = e->llvm->ValueAsMetadata(emit_const(e, 32, 1));
    e->llvm->SetAlignment(store, ROWS_LINE);
    e->llvm->SetMetadata(store, e->llvm->GetMDKindIDInContext(e->context, "nontemporal", 11),
                         e->llvm->MetadataAsValue(e->context, e->llvm->MDNodeInContext2(e->context, &one, 1)));
}

/* Component k of two or more that a lane has in an element of `bits` * vec. */
static LLVMValueRef shifted_component(struct emit *e, LLVMValueRef row, unsigned k, unsigned bits, unsigned vec)
{
    LLVMValueRef lanes = LL(BuildBitCast, row, emit_vector(e, emit_int(e, bits * vec)));
    if (k)
        lanes = LL(BuildLShr, lanes, emit_consts(e, bits * vec, k * bits));
    return LL(BuildTrunc, lanes, emit_vector(e, emit_int(e, bits)));
}

/* Of small elements by shifts, of large ones from pairs: one shuffle of all that a row has takes LLVM up to 10 times as
 * long, and is twice the code. */
LLVMValueRef rows_component(struct emit *e, LLVMValueRef row, unsigned k, unsigned vec)
{
    uint32_t index[LANES];
    unsigned bits = emit_bits(e, e->llvm->TypeOf(row));
    if (vec == 1)
        return row;
    if (bits * vec <= 32)
        return shifted_component(e, row, k, bits, vec);
    if (vec > 2 && bits <= 32) {
        LLVMTypeRef pairs = e->llvm->VectorType(emit_int(e, 2 * bits), LANES * vec / 2);
        LLVMValueRef pair = rows_component(e, LL(BuildBitCast, row, pairs), k / 2, vec / 2);
        row = LL(BuildBitCast, pair, e->llvm->VectorType(emit_int(e, bits), LANES * 2));
        return rows_component(e, row, k % 2, 2);
    }
    for (unsigned l = 0; l < LANES; l++)
        index[l] = l * vec + k;
    return shuffle(e, row, e->llvm->GetPoison(e->llvm->TypeOf(row)), index, LANES);
}

LLVMValueRef rows_joined(struct emit *e, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t index[LANES * 8];
    unsigned n = e->llvm->GetVectorSize(e->llvm->TypeOf(a));
    for (unsigned i = 0; i < 2 * n; i++)
        index[i] = i;
    return shuffle(e, a, b, index, 2 * n);
}

LLVMValueRef rows_half(struct emit *e, LLVMValueRef row, unsigned half)
{
    uint32_t index[LANES * 4];
    unsigned n = e->llvm->GetVectorSize(e->llvm->TypeOf(row)) / 2;
    for (unsigned i = 0; i < n; i++)
        index[i] = half * n + i;
    return shuffle(e, row, e->llvm->GetPoison(e->llvm->TypeOf(row)), index, n);
}

LLVMValueRef rows_repeated(struct emit *e, LLVMValueRef element, unsigned n)
{
    uint32_t index[LANES * 8] = {0};
    assert(n <= LANES * 8);
    LLVMTypeRef one = e->llvm->VectorType(e->llvm->TypeOf(element), 1);
    LLVMValueRef vector = LL(BuildBitCast, element, one);
    return shuffle(e, vector, e->llvm->GetPoison(one), index, n);
}

LLVMValueRef rows_zip(struct emit *e, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t index[LANES * 8];
    unsigned n = e->llvm->GetVectorSize(e->llvm->TypeOf(a));
    for (unsigned i = 0; i < n; i++) {
        index[2 * i] = i;
        index[2 * i + 1] = n + i;
    }
    return shuffle(e, a, b, index, 2 * n);
}

/* A lane's components side by side in an element of 32 bits. */
static LLVMValueRef shifted_together(struct emit *e, LLVMValueRef *components, unsigned bits, unsigned vec)
{
    LLVMTypeRef whole = emit_vector(e, emit_int(e, bits * vec));
    LLVMValueRef row = LL(BuildZExt, components[0], whole);
    for (unsigned k = 1; k < vec; k++) {
        LLVMValueRef wide = LL(BuildZExt, components[k], whole);
        row = LL(BuildOr, row, LL(BuildShl, wide, emit_consts(e, bits * vec, k * bits)));
    }
    return LL(BuildBitCast, row, e->llvm->VectorType(emit_int(e, bits), LANES * vec));
}

LLVMValueRef rows_interleave(struct emit *e, LLVMValueRef *components, unsigned vec)
{
    LLVMValueRef even[8], odd[8];
    unsigned bits = emit_bits(e, e->llvm->TypeOf(components[0]));
    if (vec == 1)
        return components[0];
    if (bits * vec <= 32)
        return shifted_together(e, components, bits, vec);
    if (vec > 2 && bits <= 32) {
        LLVMTypeRef pairs = emit_vector(e, emit_int(e, 2 * bits));
        for (unsigned k = 0; k < vec / 2; k++)
            even[k] = LL(BuildBitCast, rows_interleave(e, components + (size_t)2 * k, 2), pairs);
        LLVMValueRef row = rows_interleave(e, even, vec / 2);
        return LL(BuildBitCast, row, e->llvm->VectorType(emit_int(e, bits), LANES * vec));
    }
    for (unsigned k = 0; k < vec / 2; k++) {
        even[k] = components[2 * k];
        odd[k] = components[2 * k + 1];
    }
    return rows_zip(e, rows_interleave(e, even, vec / 2), rows_interleave(e, odd, vec / 2));
}

static LLVMTypeRef like(struct emit *e, LLVMValueRef value, unsigned bits)
{
    LLVMTypeRef type = e->llvm->TypeOf(value), element = emit_int(e, bits);
    return emit_elements(e, type) ? e->llvm->VectorType(element, emit_elements(e, type)) : element;
}

LLVMValueRef rows_widen(struct emit *e, LLVMValueRef value, unsigned from, unsigned bits, bool is_signed)
{
    if (bits <= from)
        return rows_narrow(e, value, from, bits);
    LLVMTypeRef type = like(e, value, bits);
    return is_signed && from < 64 ? LL(BuildSExt, value, type) : LL(BuildZExt, value, type);
}

LLVMValueRef rows_narrow(struct emit *e, LLVMValueRef value, unsigned from, unsigned bits)
{
    return bits == from ? value : LL(BuildTrunc, value, like(e, value, bits));
}

/* ---- lane by lane ------------------------------------------------------------------------------------------------ */

LLVMValueRef rows_in_memory(struct emit *e, LLVMValueRef vector)
{
    LLVMValueRef at = e->llvm->BuildAlloca(e->entry_builder, e->llvm->TypeOf(vector), "");
    e->llvm->BuildStore(e->builder, vector, at);
    return at;
}

LLVMValueRef rows_element_at(struct emit *e, LLVMValueRef array, LLVMValueRef lane, unsigned bits)
{
    LLVMTypeRef type = emit_int(e, bits);
    return LL(BuildGEP2, type, array, &lane, 1);
}

/* Of 32 bits two at once: with half the loads, whose stores are wider, the host is through faster. */
static LLVMValueRef element_of_pair(struct emit *e, LLVMValueRef array, LLVMValueRef lane)
{
    struct emit_pairs *pairs = e->pairs;
    unsigned k = 0;
    while (k < pairs->count && pairs->array[k] != array)
        k++;
    if (k == EMIT_PLACES)
        return LL(BuildLoad2, e->i32, rows_element_at(e, array, lane, 32));
    if (!pairs->second) {
        pairs->count += k == pairs->count;
        pairs->array[k] = array;
        pairs->loaded[k] = LL(BuildLoad2, e->i64, rows_element_at(e, array, lane, 32));
        return LL(BuildTrunc, pairs->loaded[k], e->i32);
    }
    return LL(BuildTrunc, LL(BuildLShr, pairs->loaded[k], emit_const(e, 64, 32)), e->i32);
}

LLVMValueRef rows_element(struct emit *e, LLVMValueRef array, LLVMValueRef lane, unsigned bits)
{
    if (e->pairs && bits == 32)
        return element_of_pair(e, array, lane);
    return LL(BuildLoad2, emit_int(e, bits), rows_element_at(e, array, lane, bits));
}

struct rows_loop rows_each(struct emit *e, LLVMValueRef lanes)
{
    struct rows_loop loop = {.head = emit_block(e, "lane"), .after = emit_block(e, "")};
    LLVMBasicBlockRef before = e->llvm->GetInsertBlock(e->builder);
    emit_jump(e, loop.head);
    emit_begin(e, loop.head);
    loop.left = LL(BuildPhi, e->i32);
    e->llvm->AddIncoming(loop.left, &lanes, &before, 1);
    LLVMValueRef args[] = {loop.left, emit_const(e, 1, 1)};
    loop.lane = LL(BuildZExt, emit_intrinsic(e, "llvm.cttz", e->i32, args, 2), e->i64);
    return loop;
}

void rows_each_end(struct emit *e, struct rows_loop *loop)
{
    LLVMValueRef left = LL(BuildAnd, loop->left, LL(BuildSub, loop->left, emit_const(e, 32, 1)));
    LLVMBasicBlockRef last = e->llvm->GetInsertBlock(e->builder);
    e->llvm->AddIncoming(loop->left, &left, &last, 1);
    LLVMValueRef over = LL(BuildICmp, LLVMIntEQ, left, emit_const(e, 32, 0));
    emit_branch(e, over, loop->after, loop->head, false);
    emit_begin(e, loop->after);
}

LLVMValueRef rows_place(struct emit *e, unsigned k)
{
    if (!e->lanes_at[k]) {
        e->lanes_at[k] = e->llvm->BuildAlloca(e->entry_builder, emit_vector(e, e->i64), "");
        e->llvm->SetAlignment(e->lanes_at[k], 64);
    }
    return e->lanes_at[k];
}

LLVMValueRef rows_keep(struct emit *e, unsigned k, LLVMValueRef vector)
{
    LLVMValueRef to = rows_place(e, k);
    e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, vector, to), 64);
    return to;
}

/* Results are stored and read again in pieces: the host hands what was stored as a whole to a load of it, but makes one
 * of more than that wait. Volatile, or LLVM would join the loads. */
enum { PIECE_BITS = 128, BATCH = 4 };

static unsigned piece_of(unsigned bits)
{
    return bits * BATCH < PIECE_BITS ? BATCH : PIECE_BITS / bits;
}

LLVMValueRef rows_kept(struct emit *e, unsigned k, unsigned bits)
{
    LLVMValueRef parts[LANES];
    unsigned n = piece_of(bits), count = LANES / n;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef at = emit_at(e, rows_place(e, k), emit_const(e, 64, (uint64_t)i * n * bits / 8));
        parts[i] = LL(BuildLoad2, e->llvm->VectorType(emit_int(e, bits), n), at);
        e->llvm->SetAlignment(parts[i], n * bits / 8);
        e->llvm->SetVolatile(parts[i], true);
    }
    for (; count > 1; count /= 2, n *= 2) {
        uint32_t index[LANES];
        for (unsigned i = 0; i < 2 * n; i++)
            index[i] = i;
        for (unsigned i = 0; i < count / 2; i++)
            parts[i] = shuffle(e, parts[(size_t)2 * i], parts[(size_t)2 * i + 1], index, 2 * n);
    }
    return parts[0];
}

static void some_lanes(struct emit *e, LLVMValueRef lanes, rows_lane_fn *lane, const void *with, LLVMValueRef results)
{
    struct rows_loop loop = rows_each(e, lanes);
    LLVMValueRef result = lane(e, with, loop.lane);
    if (results) {
        unsigned bits = e->llvm->GetIntTypeWidth(e->llvm->TypeOf(result));
        e->llvm->BuildStore(e->builder, result, rows_element_at(e, results, loop.lane, bits));
    }
    rows_each_end(e, &loop);
}

static void batch(struct emit *e, LLVMValueRef first, rows_lane_fn *lane, const void *with, LLVMValueRef results)
{
    LLVMValueRef piece = NULL, start = NULL;
    struct emit_pairs pairs = {.count = 0};
    e->pairs = &pairs;
    for (unsigned i = 0, filled = 0; i < BATCH; i++) {
        pairs.second = i % 2;
        LLVMValueRef number = LL(BuildAdd, first, emit_const(e, 64, i)), result = lane(e, with, number);
        if (!results)
            continue;
        unsigned bits = e->llvm->GetIntTypeWidth(e->llvm->TypeOf(result)), n = piece_of(bits);
        start = filled ? start : rows_element_at(e, results, number, bits);
        piece = filled ? piece : e->llvm->GetPoison(e->llvm->VectorType(e->llvm->TypeOf(result), n));
        piece = LL(BuildInsertElement, piece, result, emit_const(e, 32, filled));
        filled = (filled + 1) % n;
        if (!filled)
            e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, piece, start), n * bits / 8);
    }
    e->pairs = NULL;
}

static void all_lanes(struct emit *e, rows_lane_fn *lane, const void *with, LLVMValueRef results)
{
    LLVMBasicBlockRef head = emit_block(e, "batch"), after = emit_block(e, "");
    LLVMBasicBlockRef before = e->llvm->GetInsertBlock(e->builder);
    LLVMValueRef zero = emit_const(e, 64, 0);
    emit_jump(e, head);
    emit_begin(e, head);
    LLVMValueRef first = LL(BuildPhi, e->i64);
    e->llvm->AddIncoming(first, &zero, &before, 1);
    batch(e, first, lane, with, results);
    LLVMValueRef next = LL(BuildAdd, first, emit_const(e, 64, BATCH));
    LLVMBasicBlockRef last = e->llvm->GetInsertBlock(e->builder);
    e->llvm->AddIncoming(first, &next, &last, 1);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, next, emit_const(e, 64, LANES)), after, head, false);
    emit_begin(e, after);
}

void rows_lanes(struct emit *e, LLVMValueRef lanes, rows_lane_fn *lane, const void *with, LLVMValueRef results)
{
    LLVMBasicBlockRef all = emit_block(e, ""), some = emit_block(e, ""), done = emit_block(e, "");
    emit_branch(e, rows_full(e, lanes), all, some, true);
    emit_begin(e, all);
    all_lanes(e, lane, with, results);
    emit_jump(e, done);
    emit_begin(e, some);
    some_lanes(e, lanes, lane, with, results);
    emit_jump(e, done);
    emit_begin(e, done);
}
