/* Atomic operations on texels: sured, suatom. As loads and stores (texels.c), of surfaces that are known when the code
 * is entered, with texels in rows.
 *
 *   if (each half of the warp is a row in range, of a surface that is not held back)    16 bytes at once
 *   else if (what the host thread holds back for the surface takes it)                  into that, without locks
 *   else if (all lanes lie in range, or are clamped or dropped)                         the interpreter's loop over
 * lanes else                                                                                the interpreter's step
 *
 * What begins, ends or changes holding a surface back is the step's (mem/held.h); here is what it comes to each time
 * after that. */
#include "engine/jit/formats.h"
#include "engine/jit/jit.h"
#include "engine/jit/reduce.h"
#include "engine/jit/rows.h"
#include "mem/atomic.h"

enum { HALF = LANES / 2, MOST = 3 /* coordinates */ };

/* An access that is being emitted. */
struct sured {
    struct reduction r;
    const struct decoded *at;
    const struct emit_surface *surface;
    const uint8_t *axes;
    unsigned coordinates, step;         /* how much x grows from a texel to the next */
    bool simple;                        /* it may be held back */
    LLVMValueRef held;                  /* struct held * */
    LLVMValueRef variable, known;       /* of the entry that was found before (held.c); what is in it. NULL: none */
    LLVMValueRef unheld;                /* i1: nothing is, of the surface's memory */
    LLVMValueRef usable, limit;         /* i1: the surface can be reached here; i32: x_limit */
    LLVMValueRef never;                 /* i1: nothing of it is ever held back */
    LLVMValueRef first[MOST][2], to[2]; /* of the first lanes of each half: coordinates, places */
    LLVMValueRef rows;                  /* i1: do coordinates grow as in rows? NULL: they do */
    LLVMBasicBlockRef other;            /* the step */
};

/* ---- what it is -------------------------------------------------------------------------------------------------- */

static bool is_reduction(const struct sured *s)
{
    return s->at->op == LANE_OP_sured;
}

/* Is there such an operation, whatever sign the texels have? As mem/surface_atomic.c has it. */
static bool is_known(const struct sured *s)
{
    static const uint8_t types[3][2] = {{LANE_U16, LANE_S16}, {LANE_U32, LANE_S32}, {LANE_U64, LANE_S64}};
    const struct lane_access *a = s->at->access;
    unsigned shift = s->at->bytes == 2 ? 0 : s->at->bytes == 4 ? 1 : 2;
    bool ordered = a->atomic == LANE_ATOMIC_MIN || a->atomic == LANE_ATOMIC_MAX;
    if (is_reduction(s) && (s->at->bytes < 4 || lane_atomic_swaps(a->atomic) || lane_type_float(a->type)))
        return false;
    if (is_reduction(s) ? s->simple : a->formatted && ordered)
        return atomic_find(a->atomic, types[shift][0]) && atomic_find(a->atomic, types[shift][1]);
    return atomic_find(a->atomic, a->type);
}

/* Nothing is emitted. */
static bool describe(const struct decoded *at, struct sured *s)
{
    const struct lane_access *a = at->access;
    if (a->level || a->residency || at->bytes < 2 || at->bytes > 8 || a->type > LANE_F64) /* packed ones */
        return false;
    /* Where the surface decides on the geometry, there is a compiled form if it is a plain picture, as in texels.c. */
    const struct lane_geometry *geometry = &lane_geometries[a->dim == LANE_DIM_ANY ? LANE_DIM_2D : a->dim];
    *s = (struct sured){.at = at,
                        .axes = geometry->axes,
                        .coordinates = geometry->coordinates,
                        .step = a->unit == LANE_UNIT_BYTE ? at->bytes : 1,
                        .simple = at->op == LANE_OP_sured && a->atomic <= LANE_ATOMIC_XOR};
    for (unsigned k = 0; k < s->coordinates; k++)
        if (at->bits[at->ndst + 1u + k] != 32)
            return false;
    return is_known(s);
}

/* What depends on the format: the sign of min and max, and of what they give. */
static bool has_sign_of_format(const struct sured *s)
{
    unsigned op = s->at->access->atomic;
    return s->at->access->formatted && (op == LANE_ATOMIC_MIN || op == LANE_ATOMIC_MAX);
}

/* i1: format_is_signed. */
static LLVMValueRef is_format_signed(struct emit *e, const struct sured *s)
{
    const struct emit_surface *surface = s->surface;
    return s->at->access->snorm ? LL(BuildOr, surface->sint, surface->snorm) : surface->sint;
}

/* ---- what is held back ------------------------------------------------------------------------------------------- */

/* The surface's entry, the first one if there is none. *found: is there one with its texels? */
static LLVMValueRef find_entry(struct emit *e, const struct sured *s, LLVMValueRef *found)
{
    LLVMValueRef entry = NULL;
    for (unsigned i = HELD_SURFACES; i-- > 0;) {
        LLVMValueRef at = emit_at(
            e, s->held, emit_const(e, 64, offsetof(struct held, surfaces[0]) + i * sizeof(struct held_surface)));
        LLVMValueRef texels = emit_field(e, at, offsetof(struct held_surface, texels), e->ptr);
        LLVMValueRef is = LL(BuildICmp, LLVMIntEQ, texels, s->surface->texels);
        *found = entry ? LL(BuildOr, *found, is) : is;
        entry = entry ? LL(BuildSelect, is, at, entry) : at;
    }
    return entry;
}

static LLVMValueRef has_byte(struct emit *e, LLVMValueRef entry, size_t offset, LLVMValueRef value)
{
    return LL(BuildICmp, LLVMIntEQ, emit_field(e, entry, offset, e->i8), value);
}

/* The type of which elements are held: reduced_type of mem/surface_atomic.c. */
static LLVMValueRef held_type(struct emit *e, const struct sured *s)
{
    bool wide = s->r.bits == 64;
    LLVMValueRef plain = emit_const(e, 8, wide ? LANE_U64 : LANE_U32),
                 sint = emit_const(e, 8, wide ? LANE_S64 : LANE_S32);
    if (s->at->access->formatted)
        return LL(BuildSelect, is_format_signed(e, s), sint, plain);
    return lane_type_signed(s->at->access->type) ? sint : plain;
}

/* i1: is it the entry of this surface, with this operation, and does nothing else share its memory? */
static LLVMValueRef is_mine(struct emit *e, const struct sured *s, LLVMValueRef entry)
{
    LLVMValueRef size = emit_field(e, entry, offsetof(struct held_surface, size), e->i64);
    LLVMValueRef is = LL(BuildICmp, LLVMIntEQ, size, s->surface->size);
    is = LL(BuildAnd, is, has_byte(e, entry, offsetof(struct held_surface, alone), emit_const(e, 8, 1)));
    LLVMValueRef op = emit_const(e, 8, s->at->access->atomic);
    is = LL(BuildAnd, is, has_byte(e, entry, offsetof(struct held_surface, op), op));
    return LL(BuildAnd, is, has_byte(e, entry, offsetof(struct held_surface, type), held_type(e, s)));
}

/* i1: surfaces of which nothing is held back, ever. */
static LLVMValueRef is_never_held(struct emit *e, const struct sured *s)
{
    LLVMValueRef large = LL(BuildICmp, LLVMIntUGT, s->surface->size, emit_const(e, 64, HELD_LARGEST));
    return LL(BuildOr, s->surface->shared, large);
}

/* As held_elements: something is held from now on, and s->r.go of the elements take part. */
static void begin_holding(struct emit *e, const struct sured *s, LLVMValueRef entry)
{
    emit_set_field(e, s->held, offsetof(struct held, any), emit_const(e, 8, 1));
    held_look(e);
    if (s->variable)
        e->llvm->BuildStore(e->builder, entry, s->variable);
}

static void note_held(struct emit *e, const struct sured *s, LLVMValueRef entry)
{
    LLVMValueRef go = s->r.go, count = LL(BuildZExt, emit_intrinsic(e, "llvm.ctpop", e->i32, &go, 1), e->i64);
    LLVMValueRef lanes = emit_field(e, entry, offsetof(struct held_surface, lanes), e->i64);
    emit_set_field(e, entry, offsetof(struct held_surface, lanes), LL(BuildAdd, lanes, count));
}

/* ---- where ------------------------------------------------------------------------------------------------------- */

static LLVMValueRef coordinate(struct emit *e, const struct sured *s, unsigned k)
{
    return emit_source(e, s->at, s->at->ndst + 1 + k);
}

static bool is_row_axis(const struct sured *s, unsigned k)
{
    return s->axes[k - 1] == LANE_AXIS_ROW;
}

/* How many there are of coordinate k > 0; the bytes from one to the next. */
static LLVMValueRef extent(const struct sured *s, unsigned k)
{
    return is_row_axis(s, k) ? s->surface->height : s->surface->slices;
}

static LLVMValueRef pitch(const struct sured *s, unsigned k)
{
    return is_row_axis(s, k) ? s->surface->pitch : s->surface->slice_pitch;
}

static LLVMValueRef x_bytes(struct emit *e, const struct sured *s, unsigned bits)
{
    return emit_const(e, bits, s->at->bytes / s->step);
}

/* The coordinate of the first lanes of both halves, from which it is to grow by `step` from lane to lane. *differ: how
 * lanes differ from that; NULL: they do not. False: it is known not to be so. */
static bool starts(struct emit *e, const struct sured *s, unsigned k, uint32_t step, LLVMValueRef first[2],
                   LLVMValueRef *differ)
{
    struct affine affine;
    *differ = NULL;
    if (emit_affine(e, s->at, s->at->ndst + 1 + k, &affine)) {
        first[0] = affine.first;
        first[1] = affine.half ? LL(BuildAdd, affine.first, emit_const(e, 32, affine.half)) : first[0];
        return (uint32_t)affine.step == step;
    }
    LLVMValueRef from[LANES], by[LANES], c = coordinate(e, s, k);
    for (unsigned l = 0; l < LANES; l++) {
        from[l] = emit_const(e, 32, l & HALF);
        by[l] = emit_const(e, 32, (l % HALF) * step);
    }
    LLVMValueRef row = LL(BuildShuffleVector, c, c, e->llvm->ConstVector(from, LANES));
    first[0] = emit_lane(e, c, 0);
    first[1] = emit_lane(e, c, HALF);
    *differ = LL(BuildXor, c, LL(BuildAdd, row, e->llvm->ConstVector(by, LANES)));
    return true;
}

/* Where the rows begin, and whether they are some. */
static void find_rows(struct emit *e, struct sured *s)
{
    LLVMValueRef differ, differs = NULL;
    bool may = true;
    for (unsigned k = 0; k < s->coordinates; k++) {
        may &= starts(e, s, k, k ? 0 : s->step, s->first[k], &differ);
        differs = !differs ? differ : differ ? LL(BuildOr, differs, differ) : differs;
    }
    s->rows = differs ? rows_equal(e, differs, emit_consts(e, 32, 0)) : NULL;
    if (!may)
        s->rows = emit_const(e, 1, 0);
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef x = LL(BuildZExt, s->first[0][half], e->i64), offset = LL(BuildMul, x, x_bytes(e, s, 64));
        for (unsigned k = 1; k < s->coordinates; k++)
            offset = LL(BuildAdd, offset, LL(BuildMul, LL(BuildZExt, s->first[k][half], e->i64), pitch(s, k)));
        s->to[half] = emit_at(e, s->surface->texels, offset);
    }
}

/* i32: where x has to be below for a row to lie in range; 0 if not `is`. What is known at the start is computed there.
 */
static LLVMValueRef x_limit(struct emit *e, const struct sured *s, LLVMValueRef is)
{
    LLVMValueRef room = LL(BuildTrunc, s->surface->row_bytes, e->i32);
    if (s->step == 1)
        room = LL(BuildUDiv, room, emit_const(e, 32, s->at->bytes));
    LLVMValueRef args[] = {room, emit_const(e, 32, HALF * s->step - 1)};
    LLVMValueRef limit = emit_intrinsic(e, "llvm.usub.sat", e->i32, args, 2);
    return LL(BuildSelect, is, limit, emit_const(e, 32, 0));
}

/* i1: is each half a row that lies in range? */
static LLVMValueRef are_rows(struct emit *e, const struct sured *s, LLVMValueRef limit)
{
    LLVMValueRef is = s->rows;
    for (unsigned k = 0; k < s->coordinates; k++)
        for (unsigned half = 0; half < 2; half++)
            if (!half || s->first[k][1] != s->first[k][0]) {
                LLVMValueRef last = k ? LL(BuildTrunc, extent(s, k), e->i32) : limit;
                is = rows_both(e, is, LL(BuildICmp, LLVMIntULT, s->first[k][half], last));
            }
    if (s->step == 1)
        return is;
    LLVMValueRef low = LL(BuildOr, s->first[0][0], s->first[0][1]);
    low = LL(BuildAnd, low, emit_const(e, 32, s->step - 1));
    return LL(BuildAnd, is, LL(BuildICmp, LLVMIntEQ, low, emit_const(e, 32, 0)));
}

/* The largest that coordinate k can be, 32 bits. */
static LLVMValueRef last_of(struct emit *e, const struct sured *s, unsigned k)
{
    LLVMValueRef one = emit_const(e, 64, 1), last;
    if (k == 0) {
        last = LL(BuildUDiv, s->surface->row_bytes, emit_const(e, 64, s->at->bytes));
        last = LL(BuildMul, LL(BuildSub, last, one), emit_const(e, 64, s->step));
    } else {
        last = LL(BuildSub, extent(s, k), one);
    }
    return LL(BuildTrunc, last, e->i32);
}

static LLVMValueRef clamped(struct emit *e, const struct sured *s, unsigned k, LLVMValueRef c, LLVMValueRef last)
{
    LLVMTypeRef type = emit_vector(e, e->i32);
    LLVMValueRef low[] = {c, emit_consts(e, 32, 0)};
    bool is_signed = s->at->access->dim != LANE_DIM_ANY && (k == 0 || s->axes[k - 1] != LANE_AXIS_LAYER);
    if (is_signed)
        c = emit_intrinsic(e, "llvm.smax", type, low, 2);
    LLVMValueRef high[] = {c, last};
    return emit_intrinsic(e, is_signed ? "llvm.smin" : "llvm.umin", type, high, 2);
}

/* i32: lanes whose x is not a multiple of the element. */
static LLVMValueRef misaligned(struct emit *e, const struct sured *s)
{
    LLVMValueRef low = LL(BuildAnd, coordinate(e, s, 0), emit_consts(e, 32, s->step - 1));
    return LL(BuildAnd, s->r.go, emit_word(e, LL(BuildICmp, LLVMIntNE, low, emit_consts(e, 32, 0))));
}

/* The places of lanes that go somewhere: `settle` of mem/surface_place.h. What faults is the step's. */
static void find_places(struct emit *e, struct sured *s)
{
    unsigned clamp = s->at->access->clamp;
    LLVMValueRef inside = NULL, offset = NULL, zero = emit_const(e, 32, 0), lanes = s->r.go;
    for (unsigned k = 0; k < s->coordinates; k++) {
        LLVMValueRef c = coordinate(e, s, k), last = emit_splat(e, last_of(e, s, k));
        if (clamp == LANE_CLAMP_NEAR)
            c = clamped(e, s, k, c, last);
        else
            inside = rows_both(e, inside, LL(BuildICmp, LLVMIntULE, c, last));
        LLVMValueRef by = k ? LL(BuildTrunc, pitch(s, k), e->i32) : x_bytes(e, s, 32);
        LLVMValueRef part = LL(BuildMul, c, emit_splat(e, by));
        offset = offset ? LL(BuildAdd, offset, part) : part;
    }
    LLVMValueRef go = inside ? LL(BuildAnd, lanes, emit_word(e, inside)) : lanes;
    LLVMValueRef bad = s->step > 1 ? misaligned(e, s) : zero;
    if (clamp == LANE_CLAMP_TRAP)
        bad = LL(BuildOr, bad, LL(BuildXor, lanes, go));
    LLVMBasicBlockRef on = emit_block(e, "");
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, bad, zero), on, s->other, true);
    emit_begin(e, on);
    s->r.offset = offset;
    s->r.go = go;
    if (!lane_clamp_drops(clamp))
        return;
    LLVMBasicBlockRef none = emit_block(e, ""), some = emit_block(e, "");
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, go, zero), none, some, false);
    emit_begin(e, none);
    reduce_none(e, &s->r);
    emit_begin(e, some);
}

static LLVMValueRef is_known_entry(struct emit *e, const struct sured *s)
{
    return LL(BuildICmp, LLVMIntNE, s->known, e->llvm->ConstNull(e->ptr));
}

/* ---- ways -------------------------------------------------------------------------------------------------------- */

/* i1: lies the second lane's element behind the first one's? */
static LLVMValueRef may_be_rows(struct emit *e, const struct sured *s)
{
    LLVMValueRef first = emit_lane(e, s->r.offset, 0), second = emit_lane(e, s->r.offset, 1);
    return LL(BuildICmp, LLVMIntEQ, second, LL(BuildAdd, first, emit_const(e, 32, s->r.bytes)));
}

static void take_back(struct emit *e, struct sured *s, LLVMValueRef entry)
{
    LLVMValueRef elements = emit_field(e, entry, offsetof(struct held_surface, elements), e->ptr), to[2];
    LLVMBasicBlockRef rows = emit_block(e, ""), places = emit_block(e, "");
    note_held(e, s, entry);
    emit_branch(e, may_be_rows(e, s), rows, places, false);
    emit_begin(e, rows);
    find_rows(e, s);
    LLVMValueRef texels = LL(BuildPtrToInt, s->surface->texels, e->i64);
    for (unsigned half = 0; half < 2; half++)
        to[half] = emit_at(e, elements, LL(BuildSub, LL(BuildPtrToInt, s->to[half], e->i64), texels));
    reduce_held_rows(e, &s->r, are_rows(e, s, x_limit(e, s, s->usable)), to);
    emit_jump(e, places);
    emit_begin(e, places);
    reduce_held(e, &s->r, elements);
}

/* Goes on with the entry: the one that is known, where `held` begins, or the one that was found at `end`. */
static LLVMValueRef entry_at(struct emit *e, const struct sured *s, LLVMBasicBlockRef known, LLVMValueRef entry,
                             LLVMBasicBlockRef end)
{
    if (!s->known)
        return entry;
    LLVMValueRef phi = LL(BuildPhi, e->ptr), values[] = {s->known, entry};
    LLVMBasicBlockRef ways[] = {known, end};
    e->llvm->AddIncoming(phi, values, ways, 2);
    return phi;
}

/* A reduction that is held back, or has been found not to be worth it. Goes on where it is for the texels. */
static void try_held(struct emit *e, struct sured *s)
{
    LLVMBasicBlockRef held = emit_block(e, ""), found_it = emit_block(e, ""), not_held = emit_block(e, ""),
                      texels = emit_block(e, "texels"), look = emit_block(e, ""),
                      here = e->llvm->GetInsertBlock(e->builder);
    if (s->known)
        emit_branch(e, is_known_entry(e, s), held, look, true);
    else
        emit_jump(e, look);
    emit_begin(e, look);
    LLVMValueRef found, entry = find_entry(e, s, &found), never = s->never;
    LLVMValueRef mine = LL(BuildAnd, LL(BuildAnd, found, LL(BuildNot, never)), is_mine(e, s, entry));
    LLVMValueRef strikes = emit_field(e, entry, offsetof(struct held_surface, strikes), e->i8);
    LLVMValueRef worth = LL(BuildICmp, LLVMIntULT, strikes, emit_const(e, 8, HELD_STRIKES));
    emit_branch(e, LL(BuildAnd, mine, worth), found_it, not_held, false);
    emit_begin(e, found_it);
    begin_holding(e, s, entry);
    emit_jump(e, held);
    emit_begin(e, held);
    take_back(e, s, entry_at(e, s, here, entry, found_it));
    emit_begin(e, not_held);
    LLVMValueRef count = emit_field(e, s->held, offsetof(struct held, count), e->i32);
    LLVMValueRef full = LL(BuildICmp, LLVMIntEQ, count, emit_const(e, 32, HELD_SURFACES));
    LLVMValueRef no_room = LL(BuildAnd, full, LL(BuildNot, found));
    LLVMValueRef goes = LL(BuildAnd, LL(BuildOr, never, no_room), held_nothing(e, s->surface));
    emit_branch(e, LL(BuildOr, goes, mine), texels, s->other, true);
    emit_begin(e, texels);
}

/* What the surface says, at the start. Offsets have 32 bits, numbers of texels a sign. */
static void know_surface(struct emit *e, struct sured *s)
{
    const struct emit_surface *surface = s->surface;
    LLVMBuilderRef builder = e->builder;
    e->builder = e->part_builder;
    LLVMValueRef is = LL(BuildICmp, LLVMIntULE, surface->size, emit_const(e, 64, INT32_MAX));
    is = LL(BuildAnd, is, LL(BuildICmp, LLVMIntUGE, surface->row_bytes, emit_const(e, 64, s->at->bytes)));
    s->usable = LL(BuildAnd, surface->usable, is);
    if (s->at->access->dim == LANE_DIM_ANY)
        s->usable = LL(BuildAnd, s->usable, formats_has(e, surface->format, s->at->bytes));
    s->never = is_never_held(e, s);
    LLVMValueRef goes = LL(BuildOr, s->never, s->r.owned);
    s->limit = x_limit(e, s, s->simple ? LL(BuildAnd, s->usable, goes) : s->usable);
    e->builder = builder;
}

/* What was found before is looked for first: where it is known it is the way. Goes on where it is not. */
static void look_for_known(struct emit *e, struct sured *s, LLVMBasicBlockRef on)
{
    s->variable = s->simple ? held_variable(e) : NULL;
    s->known = s->variable ? LL(BuildLoad2, e->ptr, s->variable) : NULL;
    if (!s->known)
        return;
    LLVMBasicBlockRef unknown = emit_block(e, "");
    emit_branch(e, is_known_entry(e, s), on, unknown, true);
    emit_begin(e, unknown);
}

/* `known` comes here with all lanes, `other` with those that are left. */
static void join_lanes(struct emit *e, struct sured *s, LLVMBasicBlockRef known, LLVMBasicBlockRef other)
{
    LLVMValueRef go[] = {s->r.lanes, s->r.go};
    LLVMBasicBlockRef from[] = {known, other};
    if (!s->known)
        return;
    s->r.go = LL(BuildPhi, e->i32);
    e->llvm->AddIncoming(s->r.go, go, from, 2);
}

static void ways(struct emit *e, struct sured *s)
{
    LLVMBasicBlockRef on = emit_block(e, ""), here = e->llvm->GetInsertBlock(e->builder);
    know_surface(e, s);
    s->held = held_all(e);
    look_for_known(e, s, on);
    s->unheld = held_nothing(e, s->surface);
    find_rows(e, s);
    reduce_rows(e, &s->r, rows_both(e, are_rows(e, s, s->limit), s->unheld), s->to);
    LLVMBasicBlockRef unknown = e->llvm->GetInsertBlock(e->builder);
    emit_branch(e, s->usable, on, s->other, true);
    emit_begin(e, on);
    join_lanes(e, s, here, unknown);
    find_places(e, s);
    if (s->simple) {
        try_held(e, s);
    } else if (s->unheld) {
        LLVMBasicBlockRef texels = emit_block(e, "texels");
        emit_branch(e, s->unheld, texels, s->other, true);
        emit_begin(e, texels);
    }
    s->r.base = s->surface->texels;
    reduce_places(e, &s->r);
}

bool sured_emit(struct emit *e, const struct decoded *at)
{
    struct sured s;
    unsigned first = at->ndst + 1u + lane_geometries[at->access->dim].coordinates;
    if (!describe(at, &s) || !reduce_fits(at, first))
        return false;
    if (has_sign_of_format(&s) && at->ndst && at->bits[0] > 8 * at->bytes) /* whose sign would go on */
        return false;
    s.surface = rows_surface(e, at);
    if (!s.surface)
        return false;
    reduce_begin(e, at, first, &s.r);
    s.r.extends = lane_type_signed(at->access->type);
    s.r.sign = has_sign_of_format(&s) ? is_format_signed(e, &s) : NULL;
    s.other = emit_block(e, "step");
    ways(e, &s);
    emit_begin(e, s.other);
    emit_step(e, at);
    rows_note_surface(e, s.surface, at);
    emit_jump(e, s.r.done);
    reduce_end(e, &s.r);
    return true;
}
