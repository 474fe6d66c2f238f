/* Texels that lie anywhere: the lanes' coordinates make no rows, or not for certain.
 *
 *   if (the surface has plain rows, each lane's x is a multiple of the texel, and each is in range or may be dropped)
 *       a gather or scatter of the lanes in range, or one lane after the other; others load 0
 *   else
 *       the interpreter's step
 */
#include "engine/jit/reduce.h"
#include "engine/jit/texels.h"
#include "lane/passes.h"

/* Where the texels of the lanes lie. */
struct anywhere {
    const struct texels *t;
    uint32_t starts;                /* lane/passes.h; lanes of stores, and what they have, go turn by turn */
    LLVMValueRef lanes;             /* that have one, i32 */
    LLVMValueRef offset;            /* in the surface's memory, 64 bits each */
    LLVMValueRef in_memory, values; /* where offsets and what is stored lie, lane by lane */
};

/* ---- places ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef coordinate(struct emit *e, const struct texels *t, unsigned k)
{
    return emit_source(e, t->at, texels_operand(t, k));
}

static bool is_layered(const struct texels *t)
{
    for (unsigned k = 1; k < t->coordinates; k++)
        if (t->axes[k - 1] == LANE_AXIS_LAYER)
            return true;
    return false;
}

/* i32, of where the surface is looked at: below it coordinate k is in range. */
static LLVMValueRef limit(struct emit *e, const struct texels *t, unsigned k)
{
    const struct emit_surface *s = t->surface;
    LLVMBuilderRef builder = e->builder;
    e->builder = e->part_builder;
    LLVMValueRef most = k ? t->axes[k - 1] == LANE_AXIS_ROW ? s->height : s->slices : s->row_bytes;
    most = LL(BuildTrunc, most, e->i32);
    LLVMValueRef args[] = {most, emit_const(e, 32, t->kind.bytes - 1)};
    if (!k && texels_in_bytes(t))
        most = emit_intrinsic(e, "llvm.usub.sat", e->i32, args, 2);
    else if (!k)
        most = LL(BuildUDiv, most, emit_const(e, 32, t->kind.bytes));
    e->builder = builder;
    return most;
}

static LLVMValueRef in_range(struct emit *e, const struct texels *t)
{
    LLVMValueRef in = NULL;
    for (unsigned k = 0; k < t->coordinates; k++)
        in = rows_both(e, in, LL(BuildICmp, LLVMIntULT, coordinate(e, t, k), emit_splat(e, limit(e, t, k))));
    return emit_word(e, in);
}

/* i32: lanes whose x is no multiple of the texel's size. */
static LLVMValueRef misplaced(struct emit *e, const struct texels *t)
{
    LLVMValueRef low = LL(BuildAnd, coordinate(e, t, 0), emit_consts(e, 32, t->kind.bytes - 1));
    return emit_word(e, LL(BuildICmp, LLVMIntNE, low, emit_consts(e, 32, 0)));
}

static LLVMValueRef offsets(struct emit *e, const struct texels *t)
{
    LLVMTypeRef wide = emit_vector(e, e->i64);
    LLVMValueRef sum = LL(BuildZExt, coordinate(e, t, 0), wide);
    if (!texels_in_bytes(t))
        sum = LL(BuildMul, sum, emit_consts(e, 64, t->kind.bytes));
    for (unsigned k = 1; k < t->coordinates; k++) {
        LLVMValueRef pitch = t->axes[k - 1] == LANE_AXIS_ROW ? t->surface->pitch : t->surface->slice_pitch;
        LLVMValueRef rows = LL(BuildZExt, coordinate(e, t, k), wide);
        sum = LL(BuildAdd, sum, LL(BuildMul, rows, emit_splat(e, pitch)));
    }
    return sum;
}

/* ---- all at once ------------------------------------------------------------------------------------------------- */

static bool at_once(const struct emit *e, const struct texels *t)
{
    return e->gathers && t->kind.bytes >= 4;
}

static LLVMValueRef pointers(struct emit *e, const struct anywhere *a, LLVMValueRef offset)
{
    return e->llvm->BuildGEP2(e->builder, e->i8, a->t->surface->texels, &offset, 1, "");
}

/* The second half of 128 bits. */
static LLVMValueRef behind(struct emit *e, const struct anywhere *a)
{
    return LL(BuildAdd, a->offset, emit_consts(e, 64, 8));
}

static LLVMValueRef load_all(struct emit *e, struct anywhere *a)
{
    if (a->t->kind.bytes <= 8)
        return rows_gather(e, pointers(e, a, a->offset), a->t->kind.bytes * 8, a->lanes);
    return rows_zip(e, rows_gather(e, pointers(e, a, a->offset), 64, a->lanes),
                    rows_gather(e, pointers(e, a, behind(e, a)), 64, a->lanes));
}

static void store_all(struct emit *e, struct anywhere *a, LLVMValueRef row)
{
    unsigned bytes = a->t->kind.bytes, n = bytes <= 8 ? 1 : 2;
    row = LL(BuildBitCast, row, e->llvm->VectorType(emit_int(e, bytes * 8 / n), LANES * n));
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef part = rows_in_turn(e, rows_component(e, row, k, n), a->starts);
        rows_scatter(e, pointers(e, a, k ? behind(e, a) : a->offset), part, a->lanes);
    }
}

/* ---- one after the other ----------------------------------------------------------------------------------------- */

static LLVMValueRef texel_of(struct emit *e, const struct anywhere *a, LLVMValueRef lane)
{
    return emit_at(e, a->t->surface->texels, rows_element(e, a->in_memory, lane, 64));
}

static LLVMValueRef load_lane(struct emit *e, const void *with, LLVMValueRef lane)
{
    const struct anywhere *a = with;
    LLVMValueRef value = emit_field(e, texel_of(e, a, lane), 0, emit_int(e, a->t->kind.bytes * 8));
    e->llvm->SetAlignment(value, 1);
    return value;
}

static LLVMValueRef store_lane(struct emit *e, const void *with, LLVMValueRef lane)
{
    const struct anywhere *a = with;
    LLVMValueRef value = rows_element(e, a->values, lane, a->t->kind.bytes * 8), to = texel_of(e, a, lane);
    e->llvm->SetAlignment(e->llvm->BuildStore(e->builder, value, to), 1);
    return value;
}

/* Of lanes of which there may be none. */
static void each(struct emit *e, const struct anywhere *a, rows_lane_fn *lane, LLVMValueRef results)
{
    LLVMBasicBlockRef some = emit_block(e, ""), after = emit_block(e, "");
    emit_branch(e, LL(BuildICmp, LLVMIntNE, a->lanes, emit_const(e, 32, 0)), some, after, true);
    emit_begin(e, some);
    rows_lanes(e, a->lanes, lane, a, results);
    emit_jump(e, after);
    emit_begin(e, after);
}

static LLVMValueRef load_each(struct emit *e, struct anywhere *a)
{
    unsigned bits = a->t->kind.bytes * 8;
    LLVMValueRef results = rows_place(e, 1);
    e->llvm->BuildStore(e->builder, e->llvm->ConstNull(emit_vector(e, emit_int(e, bits))), results);
    each(e, a, load_lane, results);
    return rows_kept(e, 1, bits);
}

static void store_each(struct emit *e, struct anywhere *a, LLVMValueRef row)
{
    row = LL(BuildBitCast, row, emit_vector(e, emit_int(e, a->t->kind.bytes * 8)));
    a->values = rows_keep(e, 1, rows_in_turn(e, row, a->starts));
    each(e, a, store_lane, NULL);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static void access(struct emit *e, struct anywhere *a)
{
    const struct texels *t = a->t;
    bool all = at_once(e, t);
    LLVMValueRef row = t->store ? texels_stored(e, t) : NULL;
    if (!all)
        a->in_memory = rows_keep(e, 0, a->offset);
    if (t->store)
        (all ? store_all : store_each)(e, a, row);
    else
        texels_give(e, t, (all ? load_all : load_each)(e, a));
}

void texels_anywhere(struct emit *e, const struct texels *t, LLVMValueRef lanes, LLVMBasicBlockRef done)
{
    const struct lane_access *access_of = t->at->access;
    if (access_of->formatted || access_of->dim == LANE_DIM_ANY || (t->kind.bytes > 8 && !at_once(e, t)))
        return;
    LLVMValueRef in = in_range(e, t), zero = emit_const(e, 32, 0);
    LLVMValueRef wrong = texels_in_bytes(t) && t->kind.bytes > 1 ? misplaced(e, t) : zero;
    if (!lane_clamp_drops(access_of->clamp) || is_layered(t)) /* those have rules of their own */
        wrong = LL(BuildOr, wrong, LL(BuildNot, in));
    LLVMValueRef go = LL(BuildICmp, LLVMIntEQ, LL(BuildAnd, wrong, lanes), zero);
    go = LL(BuildAnd, rows_both(e, go, held_nothing(e, t->surface)), t->surface->usable);
    LLVMBasicBlockRef way = emit_block(e, "anywhere"), next = emit_block(e, "");
    emit_branch(e, go, way, next, true);
    emit_begin(e, way);
    uint32_t starts = t->store ? texels_starts(t) : ALL_LANES;
    struct anywhere a = {.t = t,
                         .starts = starts,
                         .lanes = rows_turns(e, LL(BuildAnd, lanes, in), starts),
                         .offset = rows_in_turn(e, offsets(e, t), starts)};
    access(e, &a);
    emit_jump(e, done);
    emit_begin(e, next);
}
