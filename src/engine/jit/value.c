/* Values, operands and ways of emitted code. */
#include "engine/jit/emit.h"
#include "engine/jit/flow.h"
#include "engine/jit/gate.h"
#include "engine/jit/jit.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------------------------ */

LLVMTypeRef emit_int(struct emit *e, unsigned bits)
{
    return bits == 1    ? e->i1
           : bits == 8  ? e->i8
           : bits == 16 ? e->i16
           : bits == 32 ? e->i32
           : bits == 64 ? e->i64
                        : e->i128;
}

LLVMTypeRef emit_vector(struct emit *e, LLVMTypeRef element)
{
    return e->lanes == 1 ? element : e->llvm->VectorType(element, e->lanes);
}

unsigned emit_elements(const struct emit *e, LLVMTypeRef type)
{
    return e->llvm->GetTypeKind(type) == LLVMVectorTypeKind ? e->llvm->GetVectorSize(type) : 0;
}

unsigned emit_bits(const struct emit *e, LLVMTypeRef type)
{
    LLVMTypeRef element = emit_elements(e, type) ? e->llvm->GetElementType(type) : type;
    switch (e->llvm->GetTypeKind(element)) {
    case LLVMIntegerTypeKind:
        return e->llvm->GetIntTypeWidth(element);
    case LLVMHalfTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

LLVMValueRef emit_const(struct emit *e, unsigned bits, uint64_t value)
{
    return e->llvm->ConstInt(emit_int(e, bits), value, false);
}

LLVMValueRef emit_consts(struct emit *e, unsigned bits, uint64_t value)
{
    return emit_iota(e, bits, value, 0);
}

LLVMValueRef emit_iota(struct emit *e, unsigned bits, uint64_t first, uint64_t by)
{
    LLVMValueRef lanes[LANES];
    for (unsigned l = 0; l < e->lanes; l++)
        lanes[l] = emit_const(e, bits, first + l * by);
    return e->lanes == 1 ? lanes[0] : e->llvm->ConstVector(lanes, e->lanes);
}

LLVMValueRef emit_splat(struct emit *e, LLVMValueRef scalar)
{
    if (e->lanes == 1)
        return scalar;
    LLVMTypeRef type = emit_vector(e, e->llvm->TypeOf(scalar));
    LLVMValueRef one = LL(BuildInsertElement, e->llvm->GetPoison(type), scalar, emit_const(e, 32, 0));
    if (e->llvm->TypeOf(scalar) == e->i1 && e->vector_bits == 512) /* LLVM 19 would make it of shifts of masks */
        return emit_mask(e, LL(BuildSExt, scalar, e->i32));
    return LL(BuildShuffleVector, one, e->llvm->GetPoison(type), e->llvm->ConstNull(emit_vector(e, e->i32)));
}

LLVMValueRef emit_lane(struct emit *e, LLVMValueRef vector, unsigned lane)
{
    return e->lanes == 1 ? vector : LL(BuildExtractElement, vector, emit_const(e, 32, lane));
}

LLVMValueRef emit_mask(struct emit *e, LLVMValueRef word)
{
    return LL(BuildBitCast, word, emit_vector(e, e->i1));
}

LLVMValueRef emit_word(struct emit *e, LLVMValueRef mask)
{
    return LL(BuildBitCast, mask, e->i32);
}

LLVMValueRef emit_intrinsic(struct emit *e, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned nargs)
{
    unsigned id = e->llvm->LookupIntrinsicID(name, strlen(name));
    assert(id);
    LLVMValueRef function = e->llvm->GetIntrinsicDeclaration(e->module, id, &overload, 1);
    LLVMTypeRef type = e->llvm->IntrinsicGetType(e->context, id, &overload, 1);
    return LL(BuildCall2, type, function, args, nargs);
}

LLVMValueRef emit_host(struct emit *e, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned nargs)
{
    LLVMTypeRef types[2];
    unsigned id = e->llvm->LookupIntrinsicID(name, strlen(name));
    assert(id && nargs <= 2);
    for (unsigned i = 0; i < nargs; i++)
        types[i] = e->llvm->TypeOf(args[i]);
    LLVMValueRef function = e->llvm->GetIntrinsicDeclaration(e->module, id, NULL, 0);
    return LL(BuildCall2, e->llvm->FunctionType(result, types, nargs, false), function, args, nargs);
}

LLVMValueRef emit_select(struct emit *e, LLVMValueRef mask, LLVMValueRef a, LLVMValueRef b, unsigned bits)
{
    LLVMValueRef twice[2 * LANES];
    if (bits != 128)
        return LL(BuildSelect, mask, a, b);
    for (unsigned i = 0; i < 2 * LANES; i++)
        twice[i] = emit_const(e, 32, i / 2);
    LLVMTypeRef halves = e->llvm->VectorType(e->i64, 2 * LANES);
    LLVMValueRef mask2 = LL(BuildShuffleVector, mask, mask, e->llvm->ConstVector(twice, 2 * LANES));
    LLVMValueRef r = LL(BuildSelect, mask2, LL(BuildBitCast, a, halves), LL(BuildBitCast, b, halves));
    return LL(BuildBitCast, r, emit_vector(e, e->i128));
}

LLVMValueRef emit_at(struct emit *e, LLVMValueRef base, LLVMValueRef offset)
{
    return LL(BuildGEP2, e->i8, base, &offset, 1);
}

LLVMValueRef emit_field(struct emit *e, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    return LL(BuildLoad2, type, emit_at(e, base, emit_const(e, 64, offset)));
}

void emit_set_field(struct emit *e, LLVMValueRef base, size_t offset, LLVMValueRef value)
{
    LLVMValueRef at = emit_at(e, base, emit_const(e, 64, offset));
    e->llvm->BuildStore(e->builder, value, at);
}

static LLVMValueRef field_by(struct emit *e, LLVMBuilderRef by, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    LLVMBuilderRef builder = e->builder;
    e->builder = by;
    LLVMValueRef value = emit_field(e, base, offset, type);
    e->builder = builder;
    return value;
}

LLVMValueRef emit_field_once(struct emit *e, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    return field_by(e, e->entry_builder, base, offset, type);
}

LLVMValueRef emit_field_of_block(struct emit *e, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    return field_by(e, e->block_builder, base, offset, type);
}

LLVMValueRef emit_variable(struct emit *e, LLVMTypeRef type, uint64_t value)
{
    bool vector = emit_elements(e, type);
    LLVMValueRef at = e->llvm->BuildAlloca(e->entry_builder, type, "");
    e->llvm->BuildStore(e->warp_builder, vector ? e->llvm->ConstNull(type) : e->llvm->ConstInt(type, value, false), at);
    return at;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Where a slot lies in memory. */
static LLVMValueRef slot_at(struct emit *e, uint32_t offset)
{
    return emit_at(e, e->regs, emit_const(e, 64, offset));
}

static LLVMTypeRef slot_type(struct emit *e, unsigned bits)
{
    return bits == 1 ? e->i32 : emit_vector(e, emit_int(e, bits));
}

static unsigned slot_align(unsigned bits)
{
    return bits == 1 ? 4 : 64;
}

LLVMValueRef emit_frame(struct emit *e, uint32_t offset, unsigned bits)
{
    LLVMValueRef value = LL(BuildLoad2, slot_type(e, bits), slot_at(e, offset));
    e->llvm->SetAlignment(value, slot_align(bits));
    return bits == 1 ? emit_mask(e, value) : value;
}

static void slot_store(struct emit *e, uint32_t offset, unsigned bits, LLVMValueRef value)
{
    value = bits == 1 ? emit_word(e, value) : value;
    LLVMValueRef store = e->llvm->BuildStore(e->builder, value, slot_at(e, offset));
    e->llvm->SetAlignment(store, slot_align(bits));
}

static struct variable *variable_of(struct emit *e, uint32_t offset, unsigned bits)
{
    struct variable *variable = &e->variables[offset / 4];
    assert(offset < e->func->constants_at && !flow_fixed(e->flow, offset));
    assert(!variable->bits || variable->bits == bits);
    variable->bits = (uint8_t)bits;
    return variable;
}

/* Lane by lane: the type of the variable. Of loose registers these are floats: what is computed is chosen as such,
 * which hosts with masks do in the instruction that computes it. */
static LLVMTypeRef lanes_type(struct emit *e, uint32_t offset, unsigned bits)
{
    LLVMTypeRef element = e->variables[offset / 4].loose ? e->f32 : emit_int(e, bits);
    return bits == 1 ? e->i32 : e->llvm->VectorType(element, LANES);
}

static LLVMValueRef lanes_of(struct emit *e, uint32_t offset, unsigned bits)
{
    struct variable *variable = variable_of(e, offset, bits);
    if (!variable->at)
        variable->at = emit_variable(e, lanes_type(e, offset, bits), 0);
    return variable->at;
}

static LLVMValueRef load_lanes(struct emit *e, uint32_t offset, unsigned bits)
{
    LLVMValueRef value = LL(BuildLoad2, lanes_type(e, offset, bits), lanes_of(e, offset, bits));
    return bits == 1 ? emit_mask(e, value) : LL(BuildBitCast, value, emit_vector(e, emit_int(e, bits)));
}

static void store_lanes(struct emit *e, uint32_t offset, unsigned bits, LLVMValueRef value)
{
    value = bits == 1 ? emit_word(e, value) : LL(BuildBitCast, value, lanes_type(e, offset, bits));
    e->llvm->BuildStore(e->builder, value, lanes_of(e, offset, bits));
}

/* Of what has a form: what lane 0 has. */
static LLVMValueRef first_of(struct emit *e, uint32_t offset, unsigned bits)
{
    struct variable *variable = variable_of(e, offset, bits);
    if (!variable->first)
        variable->first = emit_variable(e, emit_int(e, bits), 0);
    return variable->first;
}

LLVMValueRef emit_first(struct emit *e, uint32_t offset, unsigned bits)
{
    LLVMValueRef from = first_of(e, offset, bits);
    return e->llvm->BuildLoad2(gate_loads(e, offset), emit_int(e, bits), from, "");
}

void emit_set_first(struct emit *e, uint32_t offset, unsigned bits, LLVMValueRef value)
{
    e->llvm->BuildStore(e->builder, value, first_of(e, offset, bits));
    gate_stored(e, offset);
}

/* The form of a slot at this place; FORM_NONE: it is held lane by lane. */
static uint8_t form_of(const struct emit *e, uint32_t offset)
{
    uint8_t form = e->forms[e->flow->slot_of[offset / 4]];
    return form == FORM_UNSEEN ? FORM_NONE : form;
}

static LLVMValueRef added(struct emit *e, uint8_t form, unsigned bits)
{
    LLVMValueRef lanes[LANES];
    for (unsigned l = 0; l < LANES; l++)
        lanes[l] = emit_const(e, bits, flow_added(e->flow, form, l));
    return e->llvm->ConstVector(lanes, LANES);
}

static LLVMValueRef unfolded(struct emit *e, uint8_t form, LLVMValueRef first, unsigned bits)
{
    LLVMValueRef all = emit_splat(e, first);
    return form == FORM_SAME ? all : LL(BuildAdd, all, added(e, form, bits));
}

static LLVMValueRef get_as(struct emit *e, uint8_t form, uint32_t offset, unsigned bits)
{
    if (form == FORM_NONE)
        return load_lanes(e, offset, bits);
    return unfolded(e, form, emit_first(e, offset, bits), bits);
}

LLVMValueRef emit_get(struct emit *e, uint32_t offset, unsigned bits)
{
    return get_as(e, form_of(e, offset), offset, bits);
}

void emit_unfold(struct emit *e, uint32_t offset, unsigned bits)
{
    if (form_of(e, offset) != FORM_NONE)
        store_lanes(e, offset, bits, emit_get(e, offset, bits));
}

/* What lane 0 has, or would have, of a form, by what `lane` (i32) has; first + (its number in binary) * the form. */
static LLVMValueRef first_by_lane(struct emit *e, uint8_t form, LLVMValueRef value, LLVMValueRef lane, unsigned bits)
{
    for (unsigned i = 0; i < LANE_BITS && form != FORM_SAME; i++) {
        uint64_t by = e->flow->forms[form].by[i];
        LLVMValueRef bit = LL(BuildAnd, lane, emit_const(e, 32, UINT64_C(1) << i));
        LLVMValueRef without = LL(BuildSub, value, emit_const(e, bits, by));
        LLVMValueRef has = LL(BuildICmp, LLVMIntNE, bit, emit_const(e, 32, 0));
        value = by ? LL(BuildSelect, has, without, value) : value;
    }
    return value;
}

/* The number of the lowest of some lanes; of none, any. */
static LLVMValueRef lowest(struct emit *e, LLVMValueRef lanes)
{
    LLVMValueRef args[] = {lanes, emit_const(e, 1, 0)};
    return LL(BuildAnd, emit_intrinsic(e, "llvm.cttz", e->i32, args, 2), emit_const(e, 32, LANES - 1));
}

/* What lanes have in a slot: the bits that the interpreter has there. */
static LLVMValueRef get_bits(struct emit *e, uint32_t offset, unsigned bits)
{
    LLVMValueRef value = emit_get(e, offset, bits);
    return e->variables[offset / 4].loose ? loose_finish(e, value, e->daz) : value;
}

void emit_spill(struct emit *e, uint32_t offset, unsigned bits)
{
    slot_store(e, offset, bits, get_bits(e, offset, bits));
}

void emit_park(struct emit *e, uint32_t offset, unsigned bits)
{
    slot_store(e, offset, bits, emit_get(e, offset, bits));
}

void emit_park_first(struct emit *e, uint32_t offset, unsigned bits)
{
    LLVMValueRef first = emit_first(e, offset, bits);
    e->llvm->BuildStore(e->builder, bits == 1 ? LL(BuildSExt, first, e->i32) : first, slot_at(e, offset));
}

/* One lane of those that have it tells what all of them have. */
static void fill_first(struct emit *e, uint32_t offset, unsigned bits, uint8_t form, LLVMValueRef lanes)
{
    LLVMValueRef lane = lowest(e, lanes), value;
    if (bits == 1) {
        LLVMValueRef word = LL(BuildLoad2, e->i32, slot_at(e, offset));
        value = LL(BuildTrunc, LL(BuildLShr, word, lane), e->i1);
    } else {
        value = LL(BuildLoad2, emit_int(e, bits), LL(BuildGEP2, emit_int(e, bits), slot_at(e, offset), &lane, 1));
    }
    value = first_by_lane(e, form, value, lane, bits);
    emit_set_first(e, offset, bits, value);
}

static void fill(struct emit *e, uint32_t offset, unsigned bits, uint8_t form, LLVMValueRef lanes)
{
    if (form != FORM_NONE)
        fill_first(e, offset, bits, form, lanes);
    else
        store_lanes(e, offset, bits, emit_frame(e, offset, bits));
}

void emit_fill(struct emit *e, uint32_t offset, unsigned bits, LLVMValueRef lanes)
{
    fill(e, offset, bits, form_of(e, offset), lanes);
}

LLVMValueRef emit_conforms(struct emit *e, uint32_t offset, unsigned bits, LLVMValueRef lanes)
{
    uint8_t form = form_of(e, offset);
    if (form == FORM_NONE)
        return NULL;
    fill_first(e, offset, bits, form, lanes);
    LLVMValueRef value = emit_get(e, offset, bits), there = emit_frame(e, offset, bits);
    LLVMValueRef differ = bits == 1 ? LL(BuildXor, value, there) : LL(BuildICmp, LLVMIntNE, value, there);
    return LL(BuildICmp, LLVMIntEQ, LL(BuildAnd, emit_word(e, differ), lanes), emit_const(e, 32, 0));
}

/* What is in the frame for good: nothing that compiled code does changes it. */
LLVMValueRef emit_never_changes(struct emit *e, LLVMValueRef load)
{
    unsigned kind = e->llvm->GetMDKindIDInContext(e->context, "invariant.load", 14);
    e->llvm->SetMetadata(load, kind,
                         e->llvm->MetadataAsValue(e->context, e->llvm->MDNodeInContext2(e->context, NULL, 0)));
    return load;
}

static LLVMValueRef fixed_load(struct emit *e, uint32_t offset, unsigned bits)
{
    LLVMValueRef value = emit_never_changes(e, LL(BuildLoad2, slot_type(e, bits), slot_at(e, offset)));
    e->llvm->SetAlignment(value, slot_align(bits));
    return bits == 1 ? emit_mask(e, value) : value;
}

/* Of a constant of the frame, lane by lane the same: its bytes. */
static void constant_words(const struct emit *e, uint32_t offset, unsigned bits, uint64_t words[2])
{
    words[0] = words[1] = 0;
    memcpy(words, e->func->constants + (offset - e->func->constants_at), bits == 1 ? 1 : bits / 8);
    words[0] &= bits == 1 ? 1 : UINT64_MAX;
}

bool emit_constant(struct emit *e, const struct decoded *at, unsigned k, uint64_t *value)
{
    uint64_t words[2];
    if (!emit_has(at, k) || at->offsets[k] < e->func->constants_at)
        return false;
    constant_words(e, at->offsets[k], at->bits[k], words);
    *value = words[0];
    return true;
}

static LLVMValueRef constant(struct emit *e, uint32_t offset, unsigned bits)
{
    uint64_t words[2];
    constant_words(e, offset, bits, words);
    if (bits == 128)
        return e->llvm->ConstIntOfArbitraryPrecision(e->i128, 2, words);
    return emit_const(e, bits, words[0]);
}

LLVMValueRef emit_uniform(struct emit *e, const struct decoded *at, unsigned k)
{
    uint32_t offset = at->offsets[k];
    unsigned bits = at->bits[k];
    if (!bits)
        return NULL;
    if (offset >= e->func->constants_at)
        return constant(e, offset, bits);
    if (bits == 1 || bits == 128 || !flow_fixed(e->flow, offset) || !flow_uniform(e->flow, offset))
        return NULL;
    LLVMValueRef regs = flow_of_launch(e->flow, offset) ? e->given_regs : e->regs;
    return emit_never_changes(e, emit_field(e, regs, offset, emit_int(e, bits)));
}

/* A form, as steps from lane to lane and between the halves of the warp, if it can be told so. */
static bool in_steps(const struct emit *e, uint8_t form, struct affine *affine)
{
    const uint64_t *by = e->flow->forms[form].by;
    affine->step = by[0];
    affine->half = by[4];
    return by[1] == 2 * by[0] && by[2] == 4 * by[0] && by[3] == 8 * by[0];
}

/* What lane 0 has, of what has a form; NULL: it has none. *form gets it. */
static LLVMValueRef first_at(struct emit *e, uint32_t offset, unsigned bits, uint8_t *form)
{
    *form = FORM_SAME;
    if (!bits || bits > 64)
        return NULL;
    if (offset >= e->func->constants_at)
        return constant(e, offset, bits);
    if (!flow_fixed(e->flow, offset)) {
        *form = form_of(e, offset);
        return *form == FORM_NONE ? NULL : emit_first(e, offset, bits);
    }
    *form = e->flow->fixed_form[offset / 4];
    if (*form == FORM_NONE)
        return NULL;
    LLVMValueRef first =
        emit_never_changes(e, LL(BuildLoad2, bits == 1 ? e->i32 : emit_int(e, bits), slot_at(e, offset)));
    return bits == 1 ? LL(BuildTrunc, first, e->i1) : first;
}

bool emit_is_loose(const struct emit *e, const struct decoded *at, unsigned k)
{
    uint32_t offset = at->offsets[k];
    return at->bits[k] && offset < e->func->constants_at && flow_varies(e->flow, offset) &&
           e->variables[offset / 4].loose;
}

bool emit_affine(struct emit *e, const struct decoded *at, unsigned k, struct affine *affine)
{
    uint8_t form;
    *affine = (struct affine){.first = first_at(e, at->offsets[k], at->bits[k], &form)};
    return affine->first && in_steps(e, form, affine) && !emit_is_loose(e, at, k);
}

bool emit_spread(struct emit *e, const struct decoded *at, unsigned k, struct spread *spread)
{
    uint8_t form;
    spread->first = first_at(e, at->offsets[k], at->bits[k], &form);
    if (!spread->first || emit_is_loose(e, at, k))
        return false;
    spread->by = e->flow->forms[form].by;
    return true;
}

/* What the lanes have where it is not carried out for all of them at once. */
static LLVMValueRef source_lanes(struct emit *e, const struct decoded *at, unsigned k)
{
    uint32_t offset = at->offsets[k];
    unsigned bits = at->bits[k];
    LLVMValueRef same = emit_uniform(e, at, k);
    if (same && offset >= e->func->constants_at) {
        LLVMValueRef lanes[LANES];
        for (unsigned l = 0; l < LANES; l++)
            lanes[l] = same;
        return e->llvm->ConstVector(lanes, LANES);
    }
    if (same)
        return emit_splat(e, same);
    return flow_fixed(e->flow, offset) ? fixed_load(e, offset, bits) : get_bits(e, offset, bits);
}

LLVMValueRef emit_loose(struct emit *e, const struct decoded *at, unsigned k)
{
    uint8_t form;
    if (!emit_is_loose(e, at, k))
        return emit_source(e, at, k);
    if (e->lanes == LANES)
        return emit_get(e, at->offsets[k], at->bits[k]);
    LLVMValueRef first = first_at(e, at->offsets[k], at->bits[k], &form);
    return emit_splat(e, first);
}

LLVMValueRef emit_source(struct emit *e, const struct decoded *at, unsigned k)
{
    uint8_t form;
    assert(at->bits[k]);
    if (e->lanes == LANES)
        return source_lanes(e, at, k);
    LLVMValueRef first = first_at(e, at->offsets[k], at->bits[k], &form), value = emit_splat(e, first);
    return emit_is_loose(e, at, k) ? loose_finish(e, value, e->daz) : value;
}

LLVMValueRef emit_guard_once(struct emit *e, const struct decoded *at)
{
    uint8_t form;
    LLVMValueRef guard = at->guard == KERNEL_NONE ? NULL : first_at(e, at->guard, 1, &form);
    return guard && at->guard_flip ? LL(BuildNot, guard) : guard;
}

static LLVMValueRef guard_true_word(struct emit *e, const struct decoded *at)
{
    LLVMValueRef guard = emit_guard_once(e, at);
    if (guard)
        return LL(BuildSExt, guard, e->i32);
    guard = emit_word(e, flow_fixed(e->flow, at->guard) ? fixed_load(e, at->guard, 1) : emit_get(e, at->guard, 1));
    return at->guard_flip ? LL(BuildNot, guard) : guard;
}

LLVMValueRef emit_guarded(struct emit *e, const struct decoded *at, LLVMValueRef lanes)
{
    return at->guard == KERNEL_NONE ? lanes : LL(BuildAnd, lanes, guard_true_word(e, at));
}

LLVMValueRef emit_whole(struct emit *e)
{
    unsigned n = e->func->thread_lanes;
    if (n == LANES)
        return emit_const(e, 32, ALL_LANES);
    LLVMValueRef all = emit_const(e, 32, 0);
    for (unsigned first = 0; first < LANES; first += n) {
        LLVMValueRef lanes = emit_const(e, 32, ((UINT64_C(1) << n) - 1) << first);
        LLVMValueRef any = LL(BuildICmp, LLVMIntNE, LL(BuildAnd, e->exec, lanes), emit_const(e, 32, 0));
        all = LL(BuildOr, all, LL(BuildSelect, any, lanes, emit_const(e, 32, 0)));
    }
    return all;
}

static bool is_whole(const struct decoded *at)
{
    return at->inst->flags & LANE_WHOLE;
}

LLVMValueRef emit_lanes(struct emit *e, const struct decoded *at)
{
    return emit_guarded(e, at, is_whole(at) ? emit_whole(e) : e->exec);
}

bool emit_blends(const struct emit *e, const struct decoded *at, uint32_t offset)
{
    if (at->guard != KERNEL_NONE || at->whole)
        return true;
    if (is_whole(at))
        return e->func->thread_lanes != LANES;
    return flow_waits_for(e->flow, e->segment, offset);
}

/* What lane 0 has of a result with a form. Pure operations are carried out for all lanes; of others nothing is known in
 * lanes that do not run: the lowest that does tells. */
static LLVMValueRef first_of_result(struct emit *e, const struct decoded *at, uint8_t form, LLVMValueRef value,
                                    unsigned bits)
{
    if (lane_is(at->op, LANE_PURE))
        return emit_lane(e, value, 0);
    LLVMValueRef lane = lowest(e, e->exec);
    return first_by_lane(e, form, LL(BuildExtractElement, value, lane), lane, bits);
}

/* Under a guard, which all lanes have then, what was there stays where it is false. */
static void put_first(struct emit *e, const struct decoded *at, unsigned k, LLVMValueRef first)
{
    if (at->guard != KERNEL_NONE) {
        LLVMValueRef guard = LL(BuildICmp, LLVMIntNE, emit_guarded(e, at, e->exec), emit_const(e, 32, 0));
        first = LL(BuildSelect, guard, first, emit_first(e, at->offsets[k], at->bits[k]));
    }
    emit_set_first(e, at->offsets[k], at->bits[k], first);
}

static uint8_t form_after(struct emit *e, const struct decoded *at, unsigned k)
{
    return uniform_result(e->flow, e->segment, at, k, e->forms);
}

/* Of predicates, in words. */
static LLVMValueRef blended(struct emit *e, LLVMValueRef value, LLVMValueRef old, LLVMValueRef lanes)
{
    LLVMValueRef kept = LL(BuildAnd, emit_word(e, old), LL(BuildNot, lanes));
    return emit_mask(e, LL(BuildOr, LL(BuildAnd, emit_word(e, value), lanes), kept));
}

void emit_result(struct emit *e, const struct decoded *at, unsigned k, LLVMValueRef value)
{
    if (!at->bits[k])
        return;
    uint32_t offset = at->offsets[k];
    uint8_t form = form_after(e, at, k);
    if (form != FORM_NONE) {
        put_first(e, at, k, first_of_result(e, at, form, value, at->bits[k]));
        return;
    }
    if (emit_blends(e, at, offset)) {
        LLVMValueRef old = emit_get(e, offset, at->bits[k]);
        LLVMTypeRef type = lanes_type(e, offset, at->bits[k]);
        value = at->bits[k] == 1 ? blended(e, value, old, emit_lanes(e, at))
                                 : emit_select(e, emit_mask(e, emit_lanes(e, at)), LL(BuildBitCast, value, type),
                                               LL(BuildBitCast, old, type), at->bits[k]);
    }
    store_lanes(e, offset, at->bits[k], value);
}

LLVMValueRef emit_given(struct emit *e, const struct decoded *at, unsigned k)
{
    return get_as(e, form_after(e, at, k), at->offsets[k], at->bits[k]);
}

void emit_take(struct emit *e, const struct decoded *at, unsigned k)
{
    if (at->bits[k])
        fill(e, at->offsets[k], at->bits[k], form_after(e, at, k), e->exec);
}

void emit_result_once(struct emit *e, const struct decoded *at, unsigned k, LLVMValueRef scalar)
{
    if (at->bits[k] && form_after(e, at, k) == FORM_SAME)
        put_first(e, at, k, scalar);
    else
        emit_result(e, at, k, emit_splat(e, scalar));
}

/* ---- ways -------------------------------------------------------------------------------------------------------- */

LLVMBasicBlockRef emit_block(struct emit *e, const char *name)
{
    return e->llvm->AppendBasicBlockInContext(e->context, e->function, name);
}

void emit_begin(struct emit *e, LLVMBasicBlockRef block)
{
    e->llvm->PositionBuilderAtEnd(e->builder, block);
}

void emit_jump(struct emit *e, LLVMBasicBlockRef to)
{
    e->llvm->BuildBr(e->builder, to);
}

void emit_weights(struct emit *e, LLVMValueRef branch, const uint16_t *weights, unsigned count)
{
    LLVMMetadataRef parts[1 + EMIT_WAYS] = {e->llvm->MDStringInContext2(e->context, "branch_weights", 14)};
    if (count > EMIT_WAYS)
        return;
    for (unsigned i = 0; i < count; i++)
        parts[1 + i] = e->llvm->ValueAsMetadata(emit_const(e, 32, weights[i]));
    LLVMMetadataRef node = e->llvm->MDNodeInContext2(e->context, parts, 1 + count);
    e->llvm->SetMetadata(branch, e->llvm->GetMDKindIDInContext(e->context, "prof", 4),
                         e->llvm->MetadataAsValue(e->context, node));
}

void emit_branch(struct emit *e, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no, bool likely)
{
    LLVMValueRef branch = e->llvm->BuildCondBr(e->builder, condition, yes, no);
    if (likely)
        emit_weights(e, branch, (uint16_t[]){EMIT_OFTEN, 1}, 2);
}

LLVMValueRef emit_function(struct emit *e, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = e->llvm->AddFunction(e->module, name, type);
    const char *width = e->vector_bits == 512 ? "512" : "256";
    emit_attribute(e, function, "prefer-vector-width", width);
    emit_attribute(e, function, "min-legal-vector-width", width);
    return function;
}

void emit_attribute(struct emit *e, LLVMValueRef function, const char *name, const char *value)
{
    LLVMAttributeRef attribute =
        e->llvm->CreateStringAttribute(e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    e->llvm->AddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}
