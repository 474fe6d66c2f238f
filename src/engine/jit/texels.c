/* Surfaces: suld and sust.
 *
 * A handle that all lanes have from the start is looked at there - or, where a block is one warp and little else runs
 * after the start, where it is needed first: is it that of the surface which the interpreter's step has found for the
 * instruction (struct site), and do texels lie in rows there? Then
 *
 *   if (each half of the warp is a row in range: blocks are 16 wide, or 32)    two vector loads or stores
 *   else                                               one texel a lane (anywhere.c), or the interpreter's step
 *
 * Where coordinates are known to be those of rows when code is made, the range is all there is to look at, and a warp
 * that is known to be one row needs one load. Blocks 8 wide have rows of 8. Formatted accesses have such a way for each
 * kind of texel that has a compiled form (formats.h): the surface says at run time which one is taken.
 *
 * An access that is out of range, for which clamping and traps have their rules, is the step's.
 */
#include "engine/jit/texels.h"
#include "engine/jit/ahead.h"
#include "engine/jit/gate.h"
#include "engine/jit/jit.h"
#include "engine/jit/reduce.h"
#include "lane/passes.h"

#include <assert.h>
#include <limits.h>

enum { HALF = LANES / 2, NARROW = LANES / 4 };
enum { CACHED = 32 << 20 }; /* bytes: of a larger surface the caches keep little from one pass over it to the next */

enum { NEAR = 1 << 10 };

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
    ref = LL(BuildSelect, is, ref, e->given);
    LLVMValueRef surface = emit_field(e, ref, offsetof(struct surface_ref, surface), e->ptr);
    is = LL(BuildAnd, is, LL(BuildICmp, LLVMIntNE, surface, null));
    surface = LL(BuildSelect, is, surface, e->given);
    s->format = LL(BuildSelect, is, emit_field(e, surface, offsetof(struct surface, format), e->ptr), e->given);
    LLVMValueRef direct = emit_field(e, surface, offsetof(struct surface, direct), e->i8);
    is = LL(BuildAnd, is, LL(BuildICmp, LLVMIntNE, direct, emit_const(e, 8, 0)));
    s->usable = LL(BuildAnd, is, fits(e, emit_field(e, surface, offsetof(struct surface, dim), e->i8), s->dim));
    LLVMValueRef size = emit_field(e, surface, offsetof(struct surface, size), e->i64);
    s->is_large = LL(BuildICmp, LLVMIntUGE, size, emit_const(e, 64, CACHED));
    s->texels = emit_field(e, surface, offsetof(struct surface, texels), e->ptr);
    s->row_bytes = number(e, surface, offsetof(struct surface, row_bytes), e->i32);
    s->height = number(e, surface, offsetof(struct surface, height), e->i32);
    s->slices = number(e, surface, offsetof(struct surface, slices), e->i32);
    s->pitch = number(e, surface, offsetof(struct surface, pitch), e->i64);
    s->slice_pitch = number(e, surface, offsetof(struct surface, slice_pitch), e->i64);
    s->size = number(e, surface, offsetof(struct surface, size), e->i64);
    LLVMValueRef shared = emit_field(e, surface, offsetof(struct surface, shared), e->i8);
    s->shared = LL(BuildICmp, LLVMIntNE, shared, emit_const(e, 8, 0));
    LLVMValueRef kind = emit_field(e, s->format, offsetof(struct format, kind), e->i8);
    s->sint = LL(BuildICmp, LLVMIntEQ, kind, emit_const(e, 8, FORMAT_SINT));
    s->snorm = LL(BuildICmp, LLVMIntEQ, kind, emit_const(e, 8, FORMAT_SNORM));
}

/* Where the surface decides on the geometry, there is a compiled form if it is a plain picture. */
static uint8_t dim_of(const struct decoded *at)
{
    return at->access->dim == LANE_DIM_ANY ? (uint8_t)LANE_DIM_2D : at->access->dim;
}

const struct emit_surface *rows_surface(struct emit *e, const struct decoded *at)
{
    uint32_t slot = at->offsets[at->ndst];
    bool known = slot >= e->func->constants_at || flow_of_launch(e->flow, slot);
    uint8_t dim = dim_of(at);
    struct emit_surface *s = e->surfaces;
    for (; s < e->surfaces + EMIT_SURFACES && s->usable; s++)
        if (s->slot == slot && s->dim == dim)
            return s;
    if (s == e->surfaces + EMIT_SURFACES || !known)
        return NULL;
    LLVMBuilderRef builder = e->builder;
    e->builder = e->part_builder;
    LLVMValueRef handle = emit_uniform(e, at, at->ndst);
    if (handle) {
        *s = (struct emit_surface){.slot = slot, .site = at->site, .dim = dim};
        look_at(e, s, at, handle);
        held_surface(e, s);
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

/* How much a coordinate grows in a row from a lane to the next. */
static uint32_t row_step(const struct texels *t, unsigned k)
{
    return k ? 0 : texels_in_bytes(t) ? t->kind.bytes : 1;
}

/* What rows have whose first lanes are as in `c`. */
static LLVMValueRef rows_from(struct emit *e, const struct texels *t, LLVMValueRef c, uint32_t step)
{
    LLVMValueRef from[LANES], by[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        from[l] = emit_const(e, 32, l / t->part * t->part);
        by[l] = emit_const(e, 32, l % t->part * step);
    }
    LLVMValueRef first = LL(BuildShuffleVector, c, c, e->llvm->ConstVector(from, LANES));
    return step ? LL(BuildAdd, first, e->llvm->ConstVector(by, LANES)) : first;
}

/* What the form of a coordinate adds in a lane. */
static uint32_t added_in(const struct spread *spread, unsigned lane)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < LANE_BITS; i++)
        sum += lane >> i & 1 ? spread->by[i] : 0;
    return (uint32_t)sum;
}

/* Does it make rows of so many lanes? */
static bool makes_rows(const struct texels *t, unsigned k, const struct spread *spread, unsigned part)
{
    for (unsigned lane = 1; lane < part; lane *= 2)
        if (added_in(spread, lane) != lane * row_step(t, k))
            return false;
    return true;
}

static void known_axis(struct emit *e, const struct texels *t, const struct spread *spread, struct texel_axis *axis)
{
    axis->near = true;
    for (unsigned p = 0; p < texels_parts(t); p++) {
        uint32_t by = axis->by[p] = added_in(spread, p * t->part);
        axis->first[p] = by ? LL(BuildAdd, spread->first, emit_const(e, 32, by)) : spread->first;
        axis->near = axis->near && by < NEAR;
    }
}

/* False: lanes are known not to be in rows. */
static bool place_axis(struct emit *e, struct texels *t, unsigned k)
{
    struct spread spread;
    struct texel_axis *axis = &t->axis[k];
    *axis = (struct texel_axis){0};
    if (emit_spread(e, t->at, texels_operand(t, k), &spread)) {
        known_axis(e, t, &spread, axis);
        return makes_rows(t, k, &spread, t->part);
    }
    LLVMValueRef c = emit_source(e, t->at, texels_operand(t, k));
    for (unsigned p = 0; p < texels_parts(t); p++)
        axis->first[p] = emit_lane(e, c, p * t->part);
    axis->is_row = rows_equal(e, c, rows_from(e, t, c, row_step(t, k)));
    return true;
}

/* Is it known of all coordinates how they go on from lane to lane? */
static bool are_known(struct emit *e, const struct texels *t)
{
    struct spread spread;
    for (unsigned k = 0; k < t->coordinates; k++)
        if (!emit_spread(e, t->at, texels_operand(t, k), &spread))
            return false;
    return true;
}

/* Is the warp known to be rows of so many lanes? */
static bool known_rows(struct emit *e, const struct texels *t, unsigned part)
{
    struct spread spread;
    for (unsigned k = 0; k < t->coordinates; k++)
        if (!emit_spread(e, t->at, texels_operand(t, k), &spread) || !makes_rows(t, k, &spread, part))
            return false;
    return true;
}

/* How many lanes a row has: blocks are 16 wide or wider, if nothing says that they are narrower. */
static unsigned row_lanes(struct emit *e, const struct texels *t)
{
    uint32_t width = e->func->lane->required_block[0];
    if (known_rows(e, t, LANES))
        return LANES;
    bool narrow = e->func->thread_lanes == NARROW || width == NARROW;
    return narrow || (!known_rows(e, t, HALF) && known_rows(e, t, NARROW)) ? NARROW : HALF;
}

static bool place(struct emit *e, struct texels *t)
{
    bool rows = true;
    t->part = row_lanes(e, t);
    for (unsigned k = 0; k < t->coordinates; k++)
        rows = place_axis(e, t, k) && rows;
    return rows;
}

/* i1, of where the surface is looked at: has it texels of this kind, or of one of its group? */
static LLVMValueRef is_kind(struct emit *e, const struct texels *t, bool group)
{
    LLVMBuilderRef builder = e->builder;
    struct texel_kind kind;
    e->builder = e->part_builder;
    LLVMValueRef is = formats_is(e, &t->kind, t->surface->format);
    for (unsigned i = 1; group && formats_kind(e, t->group, i, &kind); i++)
        is = LL(BuildOr, is, formats_is(e, &kind, t->surface->format));
    e->builder = builder;
    return is;
}

/* The same of all kinds; finds the shift. */
static LLVMValueRef is_any(struct emit *e, struct texels *t)
{
    LLVMBuilderRef builder = e->builder;
    struct texel_kind kind;
    LLVMValueRef any = NULL;
    e->builder = e->part_builder;
    for (unsigned group = 0; formats_kind(e, group, 0, &kind); group++) {
        LLVMValueRef shift = emit_const(e, 32, (uint64_t)__builtin_ctz(kind.bytes)), is = NULL;
        for (unsigned i = 0; formats_kind(e, group, i, &kind); i++) {
            LLVMValueRef this = formats_is(e, &kind, t->surface->format);
            is = is ? LL(BuildOr, is, this) : this;
        }
        t->shift = t->shift ? LL(BuildSelect, is, shift, t->shift) : shift;
        any = any ? LL(BuildOr, any, is) : is;
    }
    e->builder = builder;
    return any;
}

static LLVMValueRef extent(struct emit *e, LLVMValueRef number)
{
    return LL(BuildTrunc, number, e->i32);
}

/* The same where the surface is looked at. */
static LLVMValueRef extent_at(struct emit *e, LLVMValueRef number)
{
    return e->llvm->BuildTrunc(e->part_builder, number, e->i32, "");
}

/* i32, of where the surface is looked at: where x has to be below for a row to lie in range; 0: this is no way for the
 * surface. */
static LLVMValueRef x_limit(struct emit *e, struct texels *t)
{
    const struct emit_surface *s = t->surface;
    unsigned bytes = t->kind.bytes;
    LLVMValueRef any = t->any ? is_any(e, t) : NULL;
    LLVMBuilderRef builder = e->builder;
    e->builder = e->part_builder;
    LLVMValueRef shift = t->any ? t->shift : emit_const(e, 32, (uint64_t)__builtin_ctz(bytes));
    LLVMValueRef row = extent(e, s->row_bytes);
    LLVMValueRef room = texels_in_bytes(t) ? row : LL(BuildLShr, row, shift);
    LLVMValueRef args[] = {room, emit_const(e, 32, texels_in_bytes(t) ? t->part * bytes - 1 : t->part - 1)};
    LLVMValueRef limit = emit_intrinsic(e, "llvm.usub.sat", e->i32, args, 2), is = s->usable;
    if (t->any)
        is = LL(BuildAnd, is, any);
    else if (t->kind.format)
        is = LL(BuildAnd, is, is_kind(e, t, true));
    else if (t->at->access->dim == LANE_DIM_ANY)
        is = LL(BuildAnd, is, formats_has(e, s->format, bytes));
    limit = LL(BuildSelect, is, limit, emit_const(e, 32, 0));
    e->builder = builder;
    return limit;
}

/* Coordinates are compared as unsigned numbers, here, in anywhere.c and in sured.c. */
static_assert(SURFACE_ROW_LARGEST <= UINT64_C(1) << 31 && SURFACE_EXTENT_LARGEST <= INT32_MAX,
              "what is below zero is outside");

/* i1: do all rows lie below the limit? Of those that are near it is asked with the first alone: what is below a limit
 * that is less by so much does not wrap around. */
static LLVMValueRef are_below(struct emit *e, const struct texels *t, const struct texel_axis *axis, LLVMValueRef limit)
{
    uint32_t most = 0;
    LLVMValueRef is = NULL;
    for (unsigned p = 0; p < texels_parts(t) && axis->near; p++)
        most = axis->by[p] > most ? axis->by[p] : most;
    if (most) {
        LLVMBuilderRef builder = e->builder;
        LLVMValueRef args[] = {limit, emit_const(e, 32, most)};
        e->builder = e->part_builder;
        limit = emit_intrinsic(e, "llvm.usub.sat", e->i32, args, 2);
        e->builder = builder;
    }
    for (unsigned p = 0; p < (axis->near ? 1 : texels_parts(t)); p++)
        if (!p || axis->first[p] != axis->first[0])
            is = rows_both(e, is, LL(BuildICmp, LLVMIntULT, axis->first[p], limit));
    return is;
}

/* i1: are all lanes in rows that lie in range? */
static LLVMValueRef are_rows(struct emit *e, struct texels *t)
{
    const struct emit_surface *s = t->surface;
    LLVMValueRef is = NULL, low = NULL;
    for (unsigned k = 0; k < t->coordinates; k++) {
        const struct texel_axis *axis = &t->axis[k];
        LLVMValueRef limit = !k ? x_limit(e, t) : extent_at(e, t->axes[k - 1] == LANE_AXIS_ROW ? s->height : s->slices);
        is = rows_both(e, is, are_below(e, t, axis, limit));
        is = rows_both(e, is, axis->is_row);
    }
    if (!texels_in_bytes(t) || t->kind.bytes == 1)
        return is;
    for (unsigned p = 0; p < texels_parts(t); p++)
        low = low ? LL(BuildOr, low, t->axis[0].first[p]) : t->axis[0].first[p];
    low = LL(BuildAnd, low, emit_const(e, 32, t->kind.bytes - 1));
    return LL(BuildAnd, is, LL(BuildICmp, LLVMIntEQ, low, emit_const(e, 32, 0)));
}

/* Bytes that row p, which is near, begins behind the first one. */
static LLVMValueRef row_behind(struct emit *e, const struct texels *t, unsigned p)
{
    const struct emit_surface *s = t->surface;
    LLVMBuilderRef builder = e->builder;
    e->builder = e->part_builder;
    LLVMValueRef by = emit_const(e, 64, (uint64_t)t->axis[0].by[p] * (texels_in_bytes(t) ? 1 : t->kind.bytes));
    if (t->any)
        by = LL(BuildShl, emit_const(e, 64, t->axis[0].by[p]), LL(BuildZExt, t->shift, e->i64));
    for (unsigned k = 1; k < t->coordinates; k++) {
        LLVMValueRef pitch = t->axes[k - 1] == LANE_AXIS_ROW ? s->pitch : s->slice_pitch;
        by = LL(BuildAdd, by, LL(BuildMul, pitch, emit_const(e, 64, t->axis[k].by[p])));
    }
    e->builder = builder;
    return by;
}

static bool are_near(const struct texels *t)
{
    bool near = true;
    for (unsigned k = 0; k < t->coordinates; k++)
        near = near && t->axis[k].near;
    return near;
}

/* Where row p begins. Other accesses are to the same rows of the surface. */
static LLVMValueRef row_at(struct emit *e, const struct texels *t, unsigned p, LLVMValueRef first)
{
    if (p && are_near(t))
        return emit_at(e, first, row_behind(e, t, p));
    const struct emit_surface *s = t->surface;
    LLVMValueRef x = LL(BuildZExt, t->axis[0].first[p], e->i64), row = s->texels;
    for (unsigned k = 1; k < t->coordinates; k++) {
        LLVMValueRef pitch = t->axes[k - 1] == LANE_AXIS_ROW ? s->pitch : s->slice_pitch;
        row = emit_at(e, row, LL(BuildMul, LL(BuildZExt, t->axis[k].first[p], e->i64), pitch));
    }
    if (t->any)
        return emit_at(e, row, LL(BuildShl, x, LL(BuildZExt, t->shift, e->i64)));
    return emit_at(e, row, texels_in_bytes(t) ? x : LL(BuildMul, x, emit_const(e, 64, t->kind.bytes)));
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* The rows one after the other, in words. */
static LLVMValueRef load_words(struct emit *e, const struct texels *t, LLVMValueRef *from)
{
    unsigned bits = formats_word_bits(&t->kind), n = t->part * formats_words(&t->kind);
    LLVMValueRef rows[TEXELS_PARTS];
    for (unsigned p = 0; p < texels_parts(t); p++)
        rows[p] = rows_load(e, from[p], bits, n);
    for (unsigned have = texels_parts(t); have > 1; have /= 2, n *= 2)
        for (unsigned p = 0; p < have / 2; p++)
            rows[p] = rows_part(e, rows[2 * p], rows[2 * p + 1], 0, 2 * n);
    return rows[0];
}

/* A component that the format has not. */
static LLVMValueRef absent(struct emit *e, const struct texels *t, unsigned k, unsigned width)
{
    if (k < 3)
        return emit_consts(e, width, 0);
    LLVMBuilderRef builder = e->builder;
    e->builder = e->part_builder;
    LLVMValueRef one = formats_one(e, t->surface->format);
    e->builder = builder;
    return rows_widen(e, emit_splat(e, one), 32, width, false);
}

void texels_give(struct emit *e, const struct texels *t, LLVMValueRef row)
{
    const struct texel_kind *kind = &t->kind;
    bool is_signed = !kind->format && lane_type_signed(t->at->access->type);
    LLVMValueRef words[4];
    unsigned n = formats_words(kind);
    row = LL(BuildBitCast, row, e->llvm->VectorType(emit_int(e, formats_word_bits(kind)), LANES * n));
    for (unsigned j = 0; j < n; j++)
        words[j] = rows_component(e, row, j, n);
    for (unsigned k = 0; k < t->count; k++) {
        unsigned width = t->at->bits[k];
        if (!width)
            continue;
        if (kind->format && k >= kind->vec)
            emit_result(e, t->at, k, absent(e, t, k, width));
        else
            emit_result(e, t->at, k, formats_get(e, kind, words, k < kind->vec ? k : 0, width, is_signed));
    }
}

static void load_rows(struct emit *e, const struct texels *t, LLVMValueRef *from)
{
    texels_give(e, t, load_words(e, t, from));
}

/* Does the kernel order what it stores, so that it cannot come later? Atomics on the host order all stores. */
static bool orders(const struct program *program)
{
    for (uint32_t f = 0; f < program->module->nfuncs; f++) {
        const struct func *func = &program->funcs[f];
        for (uint32_t i = 0; func->ready && i < func->ndecoded; i++) {
            const struct decoded *at = &func->decoded[i];
            if (at->op == LANE_OP_fence || (at->op == LANE_OP_st && at->access->order != LANE_WEAK))
                return true;
        }
    }
    return false;
}

/* Whole lines of a large surface go past the caches: what is not read before it is written need not come there. All
 * stores of a host thread have happened when its work ends (launch.c). */
static bool may_pass(struct emit *e, const struct texels *t)
{
    return t->part * t->kind.bytes % ROWS_LINE == 0 && !orders(e->program);
}

/* i1: are all rows made of whole lines, and the surface is large? */
static LLVMValueRef passes(struct emit *e, const struct texels *t, LLVMValueRef *to)
{
    LLVMValueRef low = NULL;
    for (unsigned p = 0; p < texels_parts(t); p++) {
        LLVMValueRef at = LL(BuildPtrToInt, to[p], e->i64);
        low = low ? LL(BuildOr, low, at) : at;
    }
    low = LL(BuildAnd, low, emit_const(e, 64, ROWS_LINE - 1));
    return LL(BuildAnd, t->surface->is_large, LL(BuildICmp, LLVMIntEQ, low, emit_const(e, 64, 0)));
}

/* What is stored, row by row. */
LLVMValueRef texels_stored(struct emit *e, const struct texels *t)
{
    LLVMValueRef components[4] = {0}, words[4];
    unsigned widths[4] = {0};
    for (unsigned k = 0; k < t->kind.vec && k < t->count; k++) {
        unsigned from = texels_operand(t, (unsigned)lane_geometries[t->at->access->dim].coordinates + k);
        widths[k] = t->at->bits[from];
        components[k] = widths[k] ? emit_source(e, t->at, from) : NULL;
    }
    formats_put(e, &t->kind, t->at->access->fixed, components, widths, words);
    return rows_interleave(e, words, formats_words(&t->kind));
}

uint32_t texels_starts(const struct texels *t)
{
    return passes_of(t->at->access, t->kind.bytes, t->coordinates);
}

/* What goes to memory as a whole, in turn: rows, which can lie over each other, or halves of them. */
struct piece {
    unsigned lane, lanes; /* the first, how many */
    LLVMValueRef to, row;
};

static struct piece piece_of(struct emit *e, const struct texels *t, LLVMValueRef all, const LLVMValueRef *to,
                             unsigned lane, unsigned lanes)
{
    unsigned words = formats_words(&t->kind), into = lane % t->part * t->kind.bytes;
    return (struct piece){.lane = lane,
                          .lanes = lanes,
                          .to = into ? emit_at(e, to[lane / t->part], emit_const(e, 64, into)) : to[lane / t->part],
                          .row = lanes == LANES ? all : rows_part(e, all, all, lane * words, lanes * words)};
}

/* Rows that go as a whole. */
static unsigned whole_rows(struct emit *e, const struct texels *t, LLVMValueRef all, const LLVMValueRef *to,
                           struct piece *pieces)
{
    unsigned n = 0;
    uint32_t rows = passes_rows(texels_starts(t), t->part);
    for (uint32_t left = ALL_LANES >> (LANES - texels_parts(t)), p; left; left &= ~(UINT32_C(1) << p)) {
        p = passes_next(rows, left);
        pieces[n++] = piece_of(e, t, all, to, p * t->part, t->part);
    }
    return n;
}

/* The first row's second half comes after the second row, and is of one pass with it. */
static unsigned split_rows(struct emit *e, const struct texels *t, LLVMValueRef all, const LLVMValueRef *to,
                           struct piece *pieces)
{
    pieces[0] = piece_of(e, t, all, to, 0, PASS_CORNER);
    pieces[1] = piece_of(e, t, all, to, HALF, HALF);
    pieces[2] = piece_of(e, t, all, to, PASS_CORNER, PASS_CORNER);
    return 3;
}

/* Are two rows known to lie in two rows of the surface? */
static bool are_apart(const struct texels *t)
{
    bool apart = false;
    for (unsigned k = 1; k < t->coordinates; k++)
        apart = apart || (t->axis[k].near && t->axis[k].by[0] != t->axis[k].by[1]);
    return apart;
}

static void store_pieces(struct emit *e, const struct piece *pieces, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        rows_store(e, pieces[i].to, pieces[i].row);
}

/* All lanes of the rows. */
static void store_all(struct emit *e, const struct texels *t, LLVMValueRef *to, const struct piece *pieces, unsigned n)
{
    if (!may_pass(e, t) || n != texels_parts(t)) {
        store_pieces(e, pieces, n);
        return;
    }
    LLVMBasicBlockRef past = emit_block(e, ""), near = emit_block(e, ""), done = emit_block(e, "");
    emit_branch(e, passes(e, t, to), past, near, false);
    emit_begin(e, past);
    for (unsigned i = 0; i < n; i++)
        rows_store_past(e, pieces[i].to, pieces[i].row);
    emit_jump(e, done);
    emit_begin(e, near);
    store_pieces(e, pieces, n);
    emit_jump(e, done);
    emit_begin(e, done);
}

/* Can some lanes' texels be stored of a row? Hosts with wide vectors have stores for that, of elements of 32 bits. */
static bool may_part(const struct emit *e, const struct texels *t)
{
    return t->kind.bytes == 4 && e->vector_bits >= 256;
}

/* Those of `lanes` of the rows. */
static void store_some(struct emit *e, LLVMValueRef lanes, const struct piece *pieces, unsigned n)
{
    LLVMValueRef mask = emit_mask(e, lanes);
    for (const struct piece *piece = pieces; piece < pieces + n; piece++) {
        LLVMValueRef part = n == 1 ? mask : rows_part(e, mask, mask, piece->lane, piece->lanes);
        LLVMTypeRef types[] = {e->llvm->TypeOf(piece->row), e->ptr};
        LLVMValueRef args[] = {piece->row, piece->to, emit_const(e, 32, 1), part};
        rows_intrinsic(e, "llvm.masked.store", types, args, 4);
    }
}

static void store_rows(struct emit *e, const struct texels *t, LLVMValueRef lanes, LLVMValueRef *to)
{
    struct piece pieces[TEXELS_PARTS];
    LLVMValueRef all = texels_stored(e, t);
    bool split = passes_split(texels_starts(t), t->part) && !are_apart(t);
    unsigned n = (split ? split_rows : whole_rows)(e, t, all, to, pieces);
    LLVMBasicBlockRef after = NULL;
    if (may_part(e, t)) {
        LLVMBasicBlockRef whole = emit_block(e, ""), some = emit_block(e, "");
        after = emit_block(e, "");
        emit_branch(e, rows_full(e, lanes), whole, some, true);
        emit_begin(e, some);
        store_some(e, lanes, pieces, n);
        emit_jump(e, after);
        emit_begin(e, whole);
    }
    store_all(e, t, to, pieces, n);
    if (after) {
        emit_jump(e, after);
        emit_begin(e, after);
    }
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* Registers of formatted accesses have 32 bits, or more. */
static bool fit_format(const struct texels *t)
{
    unsigned first = t->store ? texels_operand(t, lane_geometries[t->at->access->dim].coordinates) : 0;
    for (unsigned k = 0; k < t->count; k++)
        if (t->at->bits[first + k] && t->at->bits[first + k] != 32 && t->at->bits[first + k] != 64)
            return false;
    return t->count <= 4;
}

static bool describe(struct emit *e, const struct decoded *at, struct texels *t)
{
    const struct lane_access *access = at->access;
    unsigned op = at->op, total = (unsigned)at->ndst + at->nsrc;
    if ((op != LANE_OP_suld && op != LANE_OP_sust) || access->level || access->residency || access->vec > 4 ||
        access->vec == 3)
        return false;
    const struct lane_geometry *geometry = &lane_geometries[dim_of(at)];
    *t = (struct texels){.at = at,
                         .kind = {.bytes = at->bytes * access->vec, .vec = access->vec, .bits = at->bytes * 8},
                         .coordinates = geometry->coordinates,
                         .axes = geometry->axes,
                         .store = op == LANE_OP_sust};
    t->count = t->store ? total - 1 - lane_geometries[access->dim].coordinates : at->ndst;
    for (unsigned k = 0; k < t->coordinates; k++)
        if (at->bits[texels_operand(t, k)] != 32)
            return false;
    if (access->formatted ? !fit_format(t) : t->kind.bits > 64 || t->kind.bytes > 16)
        return false;
    t->surface = rows_surface(e, at);
    return t->surface != NULL;
}

/* Rows of the kinds of a group: one of them it is. */
static void emit_kinds(struct emit *e, struct texels *t, LLVMValueRef lanes, LLVMValueRef *rows, LLVMBasicBlockRef done)
{
    for (unsigned i = 0;; i++) {
        struct texel_kind other;
        LLVMBasicBlockRef next = NULL;
        bool more = t->kind.format && formats_kind(e, t->group, i + 1, &other);
        if (!more && t->any && formats_kind(e, t->group + 1, 0, &other)) {
            more = true;
            t->group++;
            i = UINT_MAX;
        }
        if (more) {
            LLVMBasicBlockRef this = emit_block(e, "");
            next = emit_block(e, "");
            emit_branch(e, is_kind(e, t, false), this, next, false);
            emit_begin(e, this);
        }
        ahead_texels_rest(e, t, rows);
        if (t->store)
            store_rows(e, t, lanes, rows);
        else
            load_rows(e, t, rows);
        emit_jump(e, done);
        if (!next)
            return;
        emit_begin(e, next);
        t->kind = other;
    }
}

/* The way of a kind of texel: goes on where it is none, or to `done`. */
static void emit_way(struct emit *e, struct texels *t, LLVMValueRef lanes, LLVMBasicBlockRef done)
{
    LLVMValueRef rows[TEXELS_PARTS];
    if (!place(e, t))
        return;
    LLVMBasicBlockRef fast = emit_block(e, "rows"), next = emit_block(e, "");
    LLVMValueRef is = rows_both(e, are_rows(e, t), held_nothing(e, t->surface));
    for (unsigned p = 0; p < texels_parts(t); p++)
        rows[p] = row_at(e, t, p, rows[0]);
    emit_branch(e, t->store && !may_part(e, t) ? LL(BuildAnd, is, rows_full(e, lanes)) : is, fast, next, true);
    emit_begin(e, fast);
    emit_kinds(e, t, lanes, rows, done);
    emit_begin(e, next);
}

/* What a gate asks for a formatted store: all lanes run, or texels are such that some can be stored. */
static void ask_lanes(struct emit *e, struct texels *t, LLVMValueRef lanes)
{
    LLVMValueRef full = rows_full(e, lanes);
    t->kind.bytes = 4;
    if (may_part(e, t))
        full = LL(BuildOr, full, LL(BuildICmp, LLVMIntEQ, t->shift, emit_const(e, 32, 2)));
    gate_want(e, full);
}

/* Accesses of all kinds of texels, one way each. */
static void emit_any(struct emit *e, struct texels *t, LLVMValueRef lanes, LLVMValueRef *rows)
{
    LLVMBasicBlockRef done = emit_block(e, "");
    t->group = 0;
    formats_kind(e, 0, 0, &t->kind);
    emit_kinds(e, t, lanes, rows, done);
    emit_begin(e, done);
}

/* All lanes of rows whose places are known where the gate stands. False: they are not; nothing was emitted. */
static bool emit_plain(struct emit *e, struct texels *t, LLVMValueRef lanes)
{
    LLVMValueRef rows[TEXELS_PARTS];
    LLVMBuilderRef outer;
    t->any = t->at->access->formatted;
    if (t->at->guard != KERNEL_NONE || (t->store && !t->any && !may_part(e, t)) || !are_known(e, t) ||
        !gate_enter(e, t->at, texels_operand(t, 0), t->coordinates, &outer))
        return false;
    bool known = place(e, t), first = false;
    if (known)
        first = gate_ask(e, t->at, rows_both(e, are_rows(e, t), held_nothing(e, t->surface)), t->surface);
    if (known && t->any && t->store)
        ask_lanes(e, t, lanes);
    for (unsigned p = 0; p < texels_parts(t) && known; p++)
        rows[p] = row_at(e, t, p, rows[0]);
    gate_leave(e, outer);
    if (!known)
        return false;
    if (first && !t->store)
        ahead_texels(e, t, rows);
    if (t->any)
        emit_any(e, t, lanes, rows);
    else if (t->store)
        store_rows(e, t, lanes, rows);
    else
        load_rows(e, t, rows);
    return true;
}

/* The step counts by itself. */
static void uncount(struct emit *e)
{
    size_t counter = offsetof(struct warp, accesses) + LANE_SURFACE * sizeof(uint64_t);
    emit_set_field(e, e->warp, counter, LL(BuildSub, emit_field(e, e->warp, counter, e->i64), emit_const(e, 64, 1)));
}

bool emit_texels(struct emit *e, const struct decoded *at)
{
    struct texels t;
    if (at->op == LANE_OP_sured || at->op == LANE_OP_suatom)
        return sured_emit(e, at);
    if (!describe(e, at, &t))
        return false;
    size_t counter = offsetof(struct warp, accesses) + LANE_SURFACE * sizeof(uint64_t);
    if (emit_plain(e, &t, emit_lanes(e, at))) {
        rows_count(e, counter, emit_const(e, 64, 1));
        return true;
    }
    LLVMBasicBlockRef done = emit_block(e, "");
    LLVMValueRef lanes = rows_some(e, at, done);
    rows_count(e, counter, emit_const(e, 64, 1));
    t.any = false;
    if (!at->access->formatted)
        emit_way(e, &t, lanes, done);
    if (!known_rows(e, &t, t.part))
        texels_anywhere(e, &t, lanes, done);
    for (t.group = 0; at->access->formatted && formats_kind(e, t.group, 0, &t.kind); t.group++)
        emit_way(e, &t, lanes, done);
    uncount(e);
    emit_step(e, at);
    rows_note_surface(e, t.surface, at);
    emit_jump(e, done);
    emit_begin(e, done);
    return true;
}
