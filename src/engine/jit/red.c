/* Atomic operations on global memory: atom, red. The lanes lie in the allocation that the interpreter's step has noted
 * for the instruction (struct site); what does not is the step's.
 *
 *   if (each half of the warp is a row)                     16 bytes at once
 *   else if (one address, known when the code is made)      one operation
 *   else                                                    the interpreter's loop over lanes */
#include "engine/jit/jit.h"
#include "engine/jit/reduce.h"
#include "engine/jit/rows.h"

enum { HALF = LANES / 2 };

/* An access that is being emitted. */
struct red {
    struct reduction r;
    const struct decoded *at;
    struct region region;
    LLVMValueRef address;    /* of each lane, 64 bits */
    LLVMValueRef first[2];   /* of the first lane of each half */
    LLVMValueRef differ;     /* how lanes differ from rows that begin there; NULL: they do not */
    bool rows, same;         /* they may be rows; all have the first address */
    LLVMBasicBlockRef other; /* the step */
};

static bool is_ordered(const struct red *s)
{
    return s->at->access->order > LANE_RELAXED;
}

static bool fits(const struct decoded *at)
{
    unsigned space = at->access->space, width = at->bits[at->ndst];
    return at->atomic && (space == LANE_GLOBAL || space == LANE_GENERIC) && (width == 32 || width == 64) &&
           reduce_fits(at, at->ndst + 1u);
}

/* The offset is added in the width of the register; from there on addresses have 64 bits, and rows do not wrap around.
 */
static void find_addresses(struct emit *e, struct red *s)
{
    const struct decoded *at = s->at;
    unsigned width = at->bits[at->ndst];
    uint64_t offset = (uint64_t)at->access->offset & (UINT64_MAX >> (64 - width));
    struct affine affine;
    LLVMValueRef address = LL(BuildAdd, emit_source(e, at, at->ndst), emit_consts(e, width, offset));
    s->address = rows_widen(e, address, width, 64, false);
    s->rows = true;
    if (width == 64 && emit_affine(e, at, at->ndst, &affine)) {
        s->first[0] = LL(BuildAdd, affine.first, emit_const(e, 64, offset));
        s->first[1] = LL(BuildAdd, s->first[0], emit_const(e, 64, affine.half));
        s->rows = affine.step == at->bytes;
        s->same = !affine.step && !affine.half;
        return;
    }
    LLVMValueRef from[LANES], by[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        from[l] = emit_const(e, 32, l & HALF);
        by[l] = emit_const(e, 64, (l % HALF) * at->bytes);
    }
    LLVMValueRef row = LL(BuildShuffleVector, s->address, s->address, e->llvm->ConstVector(from, LANES));
    for (unsigned half = 0; half < 2; half++)
        s->first[half] = emit_lane(e, s->address, half * HALF);
    s->differ = LL(BuildXor, s->address, LL(BuildAdd, row, e->llvm->ConstVector(by, LANES)));
}

/* i1: do `bytes` bytes from an aligned address on lie in the allocation? */
static LLVMValueRef inside(struct emit *e, const struct red *s, LLVMValueRef address, uint64_t bytes)
{
    LLVMValueRef limit = rows_limit(e, s->region.size, emit_const(e, 64, bytes));
    LLVMValueRef is = LL(BuildICmp, LLVMIntULT, LL(BuildSub, address, s->region.base), limit);
    LLVMValueRef low = LL(BuildAnd, address, emit_const(e, 64, s->at->bytes - 1));
    return LL(BuildAnd, is, LL(BuildICmp, LLVMIntEQ, low, emit_const(e, 64, 0)));
}

static LLVMValueRef host_at(struct emit *e, const struct red *s, LLVMValueRef address)
{
    return emit_at(e, s->region.host, LL(BuildSub, address, s->region.base));
}

static void try_rows(struct emit *e, struct red *s)
{
    LLVMValueRef to[2], is = s->region.usable;
    if (!s->rows)
        return;
    for (unsigned half = 0; half < 2; half++) {
        is = LL(BuildAnd, is, inside(e, s, s->first[half], (uint64_t)HALF * s->at->bytes));
        to[half] = host_at(e, s, s->first[half]);
    }
    if (s->differ)
        is = LL(BuildAnd, is, rows_equal(e, s->differ, emit_consts(e, 64, 0)));
    reduce_rows(e, &s->r, is, to);
}

/* Goes on if all lanes have one address, with a way that is not done. */
static bool try_one(struct emit *e, struct red *s)
{
    LLVMBasicBlockRef on = emit_block(e, "one");
    LLVMValueRef is = LL(BuildAnd, s->region.usable, inside(e, s, s->first[0], s->at->bytes));
    emit_branch(e, is, on, s->other, true);
    emit_begin(e, on);
    return reduce_one(e, &s->r, host_at(e, s, s->first[0]));
}

/* i32: lanes that do not lie in the allocation, or are not aligned. */
static LLVMValueRef outside(struct emit *e, const struct red *s)
{
    LLVMValueRef offset = s->r.offset, limit = rows_limit(e, s->region.size, emit_const(e, 64, s->at->bytes));
    LLVMValueRef out = LL(BuildICmp, LLVMIntUGE, offset, emit_splat(e, limit));
    LLVMValueRef low = LL(BuildAnd, s->address, emit_consts(e, 64, s->at->bytes - 1));
    out = LL(BuildOr, out, LL(BuildICmp, LLVMIntNE, low, emit_consts(e, 64, 0)));
    return LL(BuildAnd, s->r.go, emit_word(e, out));
}

static void all_places(struct emit *e, struct red *s)
{
    LLVMBasicBlockRef on = emit_block(e, "");
    s->r.base = s->region.host;
    s->r.offset = LL(BuildSub, s->address, emit_splat(e, s->region.base));
    LLVMValueRef is = LL(BuildICmp, LLVMIntEQ, outside(e, s), emit_const(e, 32, 0));
    emit_branch(e, LL(BuildAnd, is, s->region.usable), on, s->other, true);
    emit_begin(e, on);
    reduce_places(e, &s->r);
}

/* Whoever sees what is ordered may rely on all that came before: held reductions are done first, by the step. */
static void require_nothing_held(struct emit *e, const struct red *s)
{
    LLVMBasicBlockRef on = emit_block(e, "");
    LLVMValueRef any = emit_field(e, rows_worker(e), offsetof(struct worker, held.any), e->i8);
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, any, emit_const(e, 8, 0)), on, s->other, true);
    emit_begin(e, on);
}

bool red_emit(struct emit *e, const struct decoded *at)
{
    struct red s = {.at = at};
    if (!fits(at))
        return false;
    reduce_begin(e, at, at->ndst + 1u, &s.r);
    s.other = emit_block(e, "step");
    s.region = rows_allocation(e, at, true);
    if (is_ordered(&s))
        require_nothing_held(e, &s);
    find_addresses(e, &s);
    try_rows(e, &s);
    if (!s.same || !try_one(e, &s))
        all_places(e, &s);
    emit_begin(e, s.other);
    emit_step(e, at);
    emit_jump(e, s.r.done);
    reduce_end(e, &s.r);
    return true;
}
