/* Accesses of lanes whose elements lie anywhere, in tight code (struct emit): functions of the module have it, one for
 * all accesses of a kind, in the place of each access.
 *
 *   if (loads of one address, in the region)    a load
 *   else if (all in the region)                 lane by lane
 *   else                                        nothing: it is the step's
 *
 * Addresses, and what is loaded or stored, lie in jit_call.places. */
#include "engine/jit/scattered.h"
#include "engine/jit/jit.h"

/* What a function is given; its places. */
enum { CALL, LANES_THAT_RUN, HOST, BASE, SIZE, PARAMETERS };
enum { ADDRESSES, ELEMENTS };

/* All elements of a lane as one number. */
static LLVMTypeRef elements_type(struct emit *e, const struct access *a)
{
    return emit_vector(e, emit_int(e, a->bytes * 8));
}

static struct emit_scattered kind_of(struct emit *e, const struct access *a)
{
    return (struct emit_scattered){.starts = a->store ? elements_starts(a) : 0,
                                   .bytes = (uint8_t)a->bytes,
                                   .store = a->store,
                                   .narrow = elements_narrow(e, a->address),
                                   .surely = a->surely};
}

static struct emit_scattered *find(struct emit *e, const struct access *a)
{
    struct emit_scattered kind = kind_of(e, a), *s = e->scattered;
    while (s < e->scattered + e->nscattered &&
           (s->starts != kind.starts || s->bytes != kind.bytes || s->store != kind.store || s->narrow != kind.narrow ||
            s->surely != kind.surely))
        s++;
    return s;
}

bool scattered_shares(struct emit *e, const struct access *a)
{
    return e->tight && a->bytes <= 8 && find(e, a) < e->scattered + EMIT_SCATTERED;
}

static LLVMValueRef place_at(struct emit *e, LLVMValueRef call, unsigned k)
{
    size_t place = sizeof((struct jit_call *)0)->places[0];
    return emit_at(e, call, emit_const(e, 64, offsetof(struct jit_call, places) + k * place));
}

static LLVMValueRef load_place(struct emit *e, LLVMValueRef call, unsigned k, LLVMTypeRef type)
{
    LLVMValueRef vector = LL(BuildLoad2, type, place_at(e, call, k));
    e->llvm->SetAlignment(vector, _Alignof(struct jit_call));
    return vector;
}

static void store_place(struct emit *e, LLVMValueRef call, unsigned k, LLVMValueRef vector)
{
    e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, vector, place_at(e, call, k)), _Alignof(struct jit_call));
}

/* ---- the functions ----------------------------------------------------------------------------------------------- */

/* The end of the fast ways. */
static void went(struct emit *e, const struct access *a, LLVMValueRef call)
{
    emit_begin(e, a->out);
    if (!a->store)
        store_place(e, call, ELEMENTS, LL(BuildLoad2, elements_type(e, a), a->row));
    emit_set_went(e, call, emit_const(e, 1, 1));
    emit_jump(e, a->done);
}

static void ways(struct emit *e, struct access *a)
{
    if (!a->store) {
        a->scattered = emit_block(e, "");
        access_one_ways(e, a, emit_lane(e, a->address, 0));
        emit_begin(e, a->scattered);
    }
    if (!a->surely) {
        LLVMBasicBlockRef each = emit_block(e, "each");
        emit_branch(e, elements_all_inside(e, a), each, a->step, true);
        emit_begin(e, each);
    }
    a->surely = true;
    (a->store ? elements_store_each : elements_load_each)(e, a);
}

static void fill(struct emit *e, const struct access *given, LLVMValueRef function)
{
    LLVMValueRef of[PARAMETERS];
    for (unsigned i = 0; i < PARAMETERS; i++)
        of[i] = e->llvm->GetParam(function, i);
    struct access a = {.at = given->at,
                       .vec = 1,
                       .bits = given->bytes * 8,
                       .bytes = given->bytes,
                       .store = given->store,
                       .region = {.host = of[HOST], .base = of[BASE], .size = of[SIZE]},
                       .lanes = of[LANES_THAT_RUN],
                       .address = load_place(e, of[CALL], ADDRESSES, e->llvm->TypeOf(given->address)),
                       .step = emit_block(e, "step"),
                       .done = emit_block(e, ""),
                       .out = emit_block(e, ""),
                       .surely = given->surely,
                       .is_common = true};
    if (a.store)
        a.elements = load_place(e, of[CALL], ELEMENTS, elements_type(e, &a));
    else
        a.row = e->llvm->BuildAlloca(e->entry_builder, elements_type(e, &a), "");
    ways(e, &a);
    went(e, &a, of[CALL]);
    emit_begin(e, a.step);
    emit_set_went(e, of[CALL], emit_const(e, 1, 0));
    emit_jump(e, a.done);
    emit_begin(e, a.done);
}

static LLVMValueRef function_of(struct emit *e, const struct access *a, LLVMTypeRef *types)
{
    struct emit_keeping outer;
    struct emit_scattered *s = find(e, a);
    if (s < e->scattered + e->nscattered)
        return s->function;
    *s = kind_of(e, a);
    e->nscattered++;
    s->function = emit_keeping_begin(e, &outer, a->store ? "scatter" : "gather", types, PARAMETERS);
    fill(e, a, s->function);
    emit_keeping_end(e, &outer);
    return s->function;
}

/* ---- their callers ----------------------------------------------------------------------------------------------- */

static LLVMValueRef size_of(struct emit *e, const struct region *region)
{
    return region->usable ? LL(BuildSelect, region->usable, region->size, emit_const(e, 64, 0)) : region->size;
}

void scattered_call(struct emit *e, const struct access *a)
{
    LLVMTypeRef types[PARAMETERS];
    LLVMValueRef args[] = {e->call, a->lanes, a->region.host, a->region.base, size_of(e, &a->region)};
    store_place(e, e->call, ADDRESSES, a->address);
    if (a->store)
        store_place(e, e->call, ELEMENTS, LL(BuildBitCast, elements_stored(e, a), elements_type(e, a)));
    for (unsigned i = 0; i < PARAMETERS; i++)
        types[i] = e->llvm->TypeOf(args[i]);
    emit_keeping_call(e, function_of(e, a, types), types, args, PARAMETERS);
    if (!a->surely) {
        LLVMBasicBlockRef on = emit_block(e, "");
        emit_branch(e, emit_went(e), on, a->step, true);
        emit_begin(e, on);
    }
    if (a->store)
        elements_done(e, a);
    else
        elements_give(e, a, load_place(e, e->call, ELEMENTS, elements_type(e, a)));
}
