/* Which memory is asked for ahead. Warps of a block come one after the other to a load, with all that they do until
 * they wait in between, and so do blocks: the host cannot see that coming.
 *
 * A load of a row notes in its site where it lay. When it lay equally far behind the last block's in two blocks that
 * follow each other, it is taken that the next block's lies as far again, and that is asked for. As long as nothing is
 * known it is what lies behind the row, which the next warp often loads. */
#include "engine/jit/ahead.h"

#include "engine/jit/rows.h"

enum {
    EVERY = 32,      /* blocks, of which the first three are looked at */
    FAR = 1 << 17,   /* what is asked for that far ahead is no more there when it is needed */
    LINES = 2,       /* of a row of memory */
    TEXEL_LINES = 4, /* of a row of texels */
    LEAST = 256,     /* bytes: what lies nearer is asked for too late */
    AHEAD_NEAR = 2,  /* rows */
    AHEAD_FAR = 16   /* where the block to the right comes next */
};

/* Into the second cache: what lies a block ahead would push out of the first what the block has. */
void ahead_line(struct emit *e, LLVMValueRef at)
{
    LLVMValueRef args[] = {at, emit_const(e, 32, 0), emit_const(e, 32, 2), emit_const(e, 32, 1)};
    emit_intrinsic(e, "llvm.prefetch", e->ptr, args, 4);
}

void ahead_fetch(struct emit *e, const struct decoded *at, LLVMValueRef from, unsigned bytes)
{
    LLVMValueRef next = emit_at(e, from, rows_site(e, at, offsetof(struct site, ahead), e->i64));
    rows_set_site(e, at->site, offsetof(struct site, row), from);
    for (unsigned i = 0; i < LINES && i * ROWS_LINE < bytes; i++)
        ahead_line(e, emit_at(e, next, emit_const(e, 64, bytes + i * ROWS_LINE)));
}

/* ---- texels ------------------------------------------------------------------------------------------------------ */

/* Does the block to the right come next, and has one warp? */
static bool is_soon(const struct emit *e)
{
    const struct lane_func *func = e->func->lane;
    const uint32_t *block = func->required_block;
    return block[0] && (uint64_t)block[0] * (block[1] ? block[1] : 1) * (block[2] ? block[2] : 1) <= LANES;
}

/* Lines of each row, between those bytes of it. */
static void fetch_lines(struct emit *e, const struct texels *t, LLVMValueRef *rows, uint64_t from, uint64_t to)
{
    for (unsigned p = 0; p < texels_parts(t); p++)
        for (uint64_t line = from; line < to && line < TEXEL_LINES * ROWS_LINE; line += ROWS_LINE)
            ahead_line(e, emit_at(e, emit_at(e, rows[p], t->ahead), emit_const(e, 64, line)));
}

/* Of texels of any kind, before it is known which: as much as those of 4 bytes have. */
static uint64_t soon_known(const struct texels *t)
{
    uint64_t bytes = (uint64_t)t->part * (t->any ? 4 : t->kind.bytes);
    return bytes > ROWS_LINE ? bytes : ROWS_LINE;
}

/* Blocks of a row of blocks come one after the other, and go through rows of texels that lie apart: more than the host
 * sees coming. The smaller they are, the farther ahead it has to be. */
void ahead_texels(struct emit *e, struct texels *t, LLVMValueRef *rows)
{
    uint64_t blocks = is_soon(e) ? AHEAD_FAR : AHEAD_NEAR;
    LLVMValueRef by = emit_const(e, 64, blocks * t->part * (t->any ? 1 : t->kind.bytes));
    LLVMValueRef least = emit_const(e, 64, LEAST);
    if (t->any)
        by = LL(BuildShl, by, LL(BuildZExt, t->shift, e->i64));
    t->ahead = LL(BuildSelect, LL(BuildICmp, LLVMIntULT, by, least), least, by);
    fetch_lines(e, t, rows, 0, soon_known(t));
}

/* What is left of it where the kind is known. */
void ahead_texels_rest(struct emit *e, const struct texels *t, LLVMValueRef *rows)
{
    if (t->any && t->ahead)
        fetch_lines(e, t, rows, soon_known(t), (uint64_t)t->part * t->kind.bytes);
}

/* ---- what is learnt ---------------------------------------------------------------------------------------------- */

void ahead_find(struct jit_code *code)
{
    const struct func *func = code->func;
    for (uint32_t i = 0; i < func->ndecoded && code->naheads < JIT_AHEADS; i++) {
        const struct decoded *at = &func->decoded[i];
        if (at->op == LANE_OP_ld && (at->access->space == LANE_GLOBAL || at->access->space == LANE_GENERIC))
            code->aheads[code->naheads++] = (struct jit_ahead){at->site, at->bytes * at->access->vec * LANES};
    }
}

uint32_t ahead_apart(const struct worker *worker, const struct jit_code *code)
{
    uint64_t turn = (worker->compiled + 1) % EVERY;
    if (!code->naheads)
        return UINT32_MAX;
    return turn < 2 ? (uint32_t)(2 - turn) : turn > 4 ? (uint32_t)(EVERY + 2 - turn) : 0;
}

void ahead_learn(const struct worker *worker, const struct jit_code *code)
{
    uint64_t turn = worker->compiled % EVERY; /* one more than the blocks that have run */
    if (turn < 2 || turn > 4)
        return;
    for (uint32_t i = 0; i < code->naheads; i++) {
        struct site *site = &worker->sites[code->aheads[i].site];
        int64_t by = (int64_t)((uintptr_t)site->row - (uintptr_t)site->before);
        bool goes_on = by == site->by && by && by > -FAR && by < FAR;
        if (turn == 4)
            site->ahead = goes_on ? by - (int64_t)code->aheads[i].bytes : 0;
        site->before = site->row;
        site->by = by;
    }
}
