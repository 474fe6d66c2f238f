/* Which memory is asked for ahead. Warps of a block come one after the other to a load, with all that they do until
 * they wait in between, and so do blocks: the host cannot see that coming.
 *
 * A load of a row notes in its site where it lay. When it lay equally far behind the last block's in two blocks that
 * follow each other, it is taken that the next block's lies as far again, and that is asked for. As long as nothing is
 * known it is what lies behind the row, which the next warp often loads. */
#include "engine/jit/ahead.h"

#include "engine/jit/rows.h"

enum {
    EVERY = 32,    /* blocks, of which the first three are looked at */
    FAR = 1 << 17, /* what is asked for that far ahead is no more there when it is needed */
    LINES = 2
};

void ahead_line(struct emit *e, LLVMValueRef at)
{
    LLVMValueRef args[] = {at, emit_const(e, 32, 0), emit_const(e, 32, 3), emit_const(e, 32, 1)};
    emit_intrinsic(e, "llvm.prefetch", e->ptr, args, 4);
}

void ahead_fetch(struct emit *e, const struct decoded *at, LLVMValueRef from, unsigned bytes)
{
    LLVMValueRef next = emit_at(e, from, rows_site(e, at, offsetof(struct site, ahead), e->i64));
    rows_set_site(e, at->site, offsetof(struct site, row), from);
    for (unsigned i = 0; i < LINES && i * ROWS_LINE < bytes; i++)
        ahead_line(e, emit_at(e, next, emit_const(e, 64, bytes + i * ROWS_LINE)));
}

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
