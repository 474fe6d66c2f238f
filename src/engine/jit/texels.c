/* Surfaces: suld and sust of elements as they lie in memory.
 *
 * A handle that all lanes have from the start is looked at there: is it that of the surface which the interpreter's
 * step has found for the instruction (struct site), and do texels lie in rows there? Then
 *
 *   if (each half of the warp is a row in range: blocks are 16 wide, or 32)    two vector loads or stores
 *   else                                                                       the interpreter's step
 *
 * So an access that is out of range, for which clamping and traps have their rules, is always the step's.
 */
#include "engine/jit/jit.h"
#include "engine/jit/rows.h"

enum { HALF = LANES / 2 };

/* An access that is being emitted. */
struct texels {
    const struct decoded *at;
    const struct emit_surface *surface;
    unsigned vec, bits, bytes; /* elements of a lane; bits of one; bytes of all */
    unsigned count;            /* registers */
    unsigned coordinates;
    const uint8_t *axes;
    bool store;
};

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

/* A field of a surface; `type` is at most 64 bits. */
static LLVMValueRef number(struct emit *e, LLVMValueRef surface, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef value = emit_field(e, surface, offset, type);
    return type == e->i64 ? value : LL(BuildZExt, value, e->i64);
}

/* Does an access of this geometry fit to a surface of that? As surface_dim_fits. */
static LLVMValueRef fits(struct emit *e, LLVMValueRef dim, uint8_t access)
{
    if (access <= LANE_DIM_1D_BUFFER)
        return LL(BuildICmp, LLVMIntULE, dim, emit_const(e, 8, LANE_DIM_1D_BUFFER));
    return LL(BuildICmp, LLVMIntEQ, dim, emit_const(e, 8, access));
}

/* At the start of the function, where there are no ways: what is not there is looked for in the warp instead. */
static void look_at(struct emit *e, struct emit_surface *s, const struct decoded *at, LLVMValueRef handle)
{
    LLVMValueRef null = e->llvm->ConstNull(e->ptr), ref = rows_site(e, at, offsetof(struct site, surface), e->ptr);
    LLVMValueRef of = rows_site(e, at, offsetof(struct site, base), e->i64);
    LLVMValueRef is = LL(BuildICmp, LLVMIntEQ, of, handle);
    is = LL(BuildAnd, is, LL(BuildICmp, LLVMIntNE, ref, null));
    ref = LL(BuildSelect, is, ref, e->warp);
    LLVMValueRef surface = emit_field(e, ref, offsetof(struct surface_ref, surface), e->ptr);
    is = LL(BuildAnd, is, LL(BuildICmp, LLVMIntNE, surface, null));
    surface = LL(BuildSelect, is, surface, e->warp);
    LLVMValueRef direct = emit_field(e, surface, offsetof(struct surface, direct), e->i8);
    is = LL(BuildAnd, is, LL(BuildICmp, LLVMIntNE, direct, emit_const(e, 8, 0)));
    is = LL(BuildAnd, is, fits(e, emit_field(e, surface, offsetof(struct surface, dim), e->i8), s->dim));
    s->usable = is;
    s->texels = emit_field(e, surface, offsetof(struct surface, texels), e->ptr);
    s->row_bytes = number(e, surface, offsetof(struct surface, row_bytes), e->i32);
    s->height = number(e, surface, offsetof(struct surface, height), e->i32);
    s->slices = number(e, surface, offsetof(struct surface, slices), e->i32);
    s->pitch = number(e, surface, offsetof(struct surface, pitch), e->i64);
    s->slice_pitch = number(e, surface, offsetof(struct surface, slice_pitch), e->i64);
}

const struct emit_surface *rows_surface(struct emit *e, const struct decoded *at)
{
    uint32_t slot = at->offsets[at->ndst];
    uint8_t dim = at->access->dim;
    struct emit_surface *s = e->surfaces;
    for (; s < e->surfaces + EMIT_SURFACES && s->usable; s++)
        if (s->slot == slot && s->dim == dim)
            return s;
    if (s == e->surfaces + EMIT_SURFACES || !at->uniform)
        return NULL;
    LLVMBuilderRef builder = e->builder;
    e->builder = e->entry_builder;
    LLVMValueRef handle = emit_uniform(e, at, at->ndst);
    if (handle) {
        s->slot = slot;
        s->dim = dim;
        s->site = at->site;
        look_at(e, s, at, handle);
    }
    e->builder = builder;
    return handle ? s : NULL;
}

void rows_note_surface(struct emit *e, const struct emit_surface *s, const struct decoded *at)
{
    if (s->site == at->site)
        return;
    LLVMValueRef base = rows_site(e, at, offsetof(struct site, base), e->i64);
    LLVMValueRef surface = rows_site(e, at, offsetof(struct site, surface), e->ptr);
    rows_set_site(e, s->site, offsetof(struct site, base), base);
    rows_set_site(e, s->site, offsetof(struct site, surface), surface);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef coordinate(struct emit *e, const struct texels *t, unsigned k)
{
    return emit_source(e, t->at, t->at->ndst + 1 + k);
}

/* Bytes of a step of x as the coordinate counts it, and how much it grows from a lane to the next. */
static unsigned x_bytes(const struct texels *t)
{
    return t->at->access->unit == LANE_UNIT_BYTE ? 1 : t->bytes;
}

static unsigned x_step(const struct texels *t)
{
    return t->at->access->unit == LANE_UNIT_BYTE ? t->bytes : 1;
}

/* The coordinates of two rows, of which lanes 0 and HALF are the first. */
static LLVMValueRef rows_from(struct emit *e, LLVMValueRef x, unsigned step)
{
    LLVMValueRef from[LANES], by[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        from[l] = emit_const(e, 32, l & HALF);
        by[l] = emit_const(e, 32, (l % HALF) * step);
    }
    LLVMValueRef first = LL(BuildShuffleVector, x, x, e->llvm->ConstVector(from, LANES));
    return step ? LL(BuildAdd, first, e->llvm->ConstVector(by, LANES)) : first;
}

/* i1: is each half a row? Coordinate by coordinate: other accesses have some of them, too. */
static LLVMValueRef are_rows(struct emit *e, const struct texels *t)
{
    LLVMValueRef are = NULL;
    for (unsigned k = 0; k < t->coordinates; k++) {
        LLVMValueRef c = coordinate(e, t, k);
        are = rows_both(e, are, rows_equal(e, c, rows_from(e, c, k ? 0 : x_step(t))));
    }
    return are;
}

/* Where the row begins whose first lane is `lane`. *in: it lies in range. */
static LLVMValueRef row_at(struct emit *e, const struct texels *t, unsigned lane, LLVMValueRef *in)
{
    const struct emit_surface *s = t->surface;
    LLVMValueRef x = LL(BuildZExt, emit_lane(e, coordinate(e, t, 0), lane), e->i64);
    LLVMValueRef offset = LL(BuildMul, x, emit_const(e, 64, x_bytes(t)));
    *in = LL(BuildICmp, LLVMIntULT, offset, rows_limit(e, s->row_bytes, emit_const(e, 64, HALF * t->bytes)));
    if (x_bytes(t) < t->bytes) {
        LLVMValueRef low = LL(BuildAnd, x, emit_const(e, 64, t->bytes - 1));
        *in = LL(BuildAnd, *in, LL(BuildICmp, LLVMIntEQ, low, emit_const(e, 64, 0)));
    }
    for (unsigned k = 1; k < t->coordinates; k++) {
        bool row = t->axes[k - 1] == LANE_AXIS_ROW;
        LLVMValueRef c = LL(BuildZExt, emit_lane(e, coordinate(e, t, k), lane), e->i64);
        *in = LL(BuildAnd, *in, LL(BuildICmp, LLVMIntULT, c, row ? s->height : s->slices));
        offset = LL(BuildAdd, offset, LL(BuildMul, c, row ? s->pitch : s->slice_pitch));
    }
    return emit_at(e, s->texels, offset);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static LLVMValueRef part(struct emit *e, LLVMValueRef a, LLVMValueRef b, unsigned from, unsigned n)
{
    LLVMValueRef index[LANES * 4];
    for (unsigned i = 0; i < n; i++)
        index[i] = emit_const(e, 32, from + i);
    return LL(BuildShuffleVector, a, b, e->llvm->ConstVector(index, n));
}

static void load_rows(struct emit *e, const struct texels *t, LLVMValueRef from[2])
{
    unsigned n = HALF * t->vec;
    bool is_signed = lane_type_signed(t->at->access->type);
    LLVMValueRef low = rows_load(e, from[0], t->bits, n), high = rows_load(e, from[1], t->bits, n);
    LLVMValueRef row = part(e, low, high, 0, 2 * n);
    for (unsigned k = 0; k < t->count; k++) {
        LLVMValueRef value = rows_component(e, row, k < t->vec ? k : 0, t->vec);
        if (t->at->bits[k])
            emit_result(e, t->at, k, rows_widen(e, value, t->bits, t->at->bits[k], is_signed));
    }
}

/* What is stored of component k: registers that are not given are zeros. */
static LLVMValueRef stored(struct emit *e, const struct texels *t, unsigned k)
{
    unsigned operand = t->at->ndst + 1 + t->coordinates + k;
    if (k >= t->count || !t->at->bits[operand])
        return emit_consts(e, t->bits, 0);
    return rows_widen(e, emit_source(e, t->at, operand), t->at->bits[operand], t->bits, false);
}

static void store_rows(struct emit *e, const struct texels *t, LLVMValueRef to[2])
{
    LLVMValueRef components[4];
    unsigned n = HALF * t->vec;
    for (unsigned k = 0; k < t->vec; k++)
        components[k] = stored(e, t, k);
    LLVMValueRef row = rows_interleave(e, components, t->vec);
    for (unsigned half = 0; half < 2; half++)
        rows_store(e, to[half], part(e, row, row, half * n, n));
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* Can the kernel hold reductions back? Then loads and stores may have to merge them. */
static bool reduces(const struct program *program)
{
    for (uint32_t f = 0; f < program->module->nfuncs; f++) {
        const struct func *func = &program->funcs[f];
        for (uint32_t i = 0; func->ready && i < func->ndecoded; i++)
            if (func->decoded[i].op == LANE_OP_sured)
                return true;
    }
    return false;
}

static LLVMValueRef nothing_held(struct emit *e)
{
    if (!reduces(e->program))
        return NULL;
    LLVMValueRef any = emit_field(e, rows_worker(e), offsetof(struct worker, held.any), e->i8);
    return LL(BuildICmp, LLVMIntEQ, any, emit_const(e, 8, 0));
}

static bool describe(struct emit *e, const struct decoded *at, struct texels *t)
{
    const struct lane_access *access = at->access;
    unsigned op = at->op, total = (unsigned)at->ndst + at->nsrc;
    if ((op != LANE_OP_suld && op != LANE_OP_sust) || access->formatted || access->dim == LANE_DIM_ANY ||
        access->level || access->residency || access->vec > 4 || access->vec == 3)
        return false;
    const struct lane_geometry *geometry = &lane_geometries[access->dim];
    *t = (struct texels){.at = at,
                         .vec = access->vec,
                         .bits = at->bytes * 8,
                         .bytes = at->bytes * access->vec,
                         .coordinates = geometry->coordinates,
                         .axes = geometry->axes,
                         .store = op == LANE_OP_sust};
    t->count = t->store ? total - 1 - t->coordinates : at->ndst;
    for (unsigned k = 0; k < t->coordinates; k++)
        if (at->bits[at->ndst + 1u + k] != 32)
            return false;
    if (t->bits > 64 || t->bytes > 16)
        return false;
    t->surface = rows_surface(e, at);
    return t->surface != NULL;
}

bool emit_texels(struct emit *e, const struct decoded *at)
{
    struct texels t;
    LLVMValueRef place[2], in[2];
    if (!describe(e, at, &t))
        return false;
    LLVMBasicBlockRef done = emit_block(e, ""), fast = emit_block(e, "rows"), step = emit_block(e, "step");
    LLVMValueRef lanes = rows_some(e, at, done);
    for (unsigned half = 0; half < 2; half++)
        place[half] = row_at(e, &t, half * HALF, &in[half]);
    LLVMValueRef is = rows_both(e, LL(BuildAnd, in[0], in[1]), nothing_held(e));
    is = LL(BuildAnd, rows_both(e, is, t.surface->usable), are_rows(e, &t));
    emit_branch(e, t.store ? LL(BuildAnd, is, rows_full(e, lanes)) : is, fast, step, true);
    emit_begin(e, fast);
    (t.store ? store_rows : load_rows)(e, &t, place);
    rows_count(e, offsetof(struct warp, accesses) + LANE_SURFACE * sizeof(uint64_t), emit_const(e, 64, 1));
    emit_jump(e, done);
    emit_begin(e, step);
    emit_step(e, at);
    rows_note_surface(e, t.surface, at);
    emit_jump(e, done);
    emit_begin(e, done);
    return true;
}
