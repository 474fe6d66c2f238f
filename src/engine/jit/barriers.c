/* Barriers of the whole block: how a warp comes to one, and what it leaves in its frame until the next part begins.
 *
 * Of a register that has a form after the barrier (flow.h), the frame gets what lane 0 has, and nothing else: that is
 * all the next part reads. And what a part has not changed since it was read from the frame is there already. Frames
 * are made whole again when code is left (run.c), by the forms after the barrier.
 *
 *                      frame                          who makes it so
 *   between parts      lane 0 of what has a form      barriers_meet; frames_fold for what the interpreter left
 *   code is left       all lanes                      frames_unfold
 */
#include "engine/jit/barriers.h"
#include "engine/interp/step.h"

#include <string.h>

bool barriers_meets(const struct blocks *b, uint32_t segment)
{
    const struct segment *here = &b->flow->segments[segment], *next = here + 1;
    uint32_t last = here->first + here->count - 1;
    return here->leaves && b->code->steps[last].plain_bar && segment + 1 < b->flow->nsegments && next->entry &&
           next->point == b->flow->func->decoded[last].after;
}

bool barriers_begins(const struct blocks *b, uint32_t segment)
{
    return segment && barriers_meets(b, segment - 1);
}

/* A segment is reached: it is on the stack once. */
static void reach(const struct blocks *b, uint32_t segment, uint32_t *depth)
{
    if (!b->reached[segment])
        b->stack[(*depth)++] = segment;
    b->reached[segment] = true;
}

bool barriers_between(const struct blocks *b, uint32_t from, uint32_t to)
{
    const struct flow *flow = b->flow;
    uint32_t depth = 0;
    if (!b->has_meets || blocks_stacked(b))
        return false;
    memset(b->reached, false, flow->nsegments);
    reach(b, from, &depth);
    while (depth && !b->reached[to]) {
        uint32_t s = b->stack[--depth];
        if (barriers_meets(b, s))
            continue;
        for (uint32_t i = 0; i < flow->segments[s].nto; i++)
            reach(b, flow->segments[s].to[i], &depth);
        for (uint32_t w = 0; w < flow->words; w++)
            for (uint64_t others = flow_waits(flow, s)[w]; others; others &= others - 1)
                reach(b, 64 * w + (uint32_t)__builtin_ctzll(others), &depth);
    }
    return !b->reached[to];
}

/* ---- what frames have already ------------------------------------------------------------------------------------ */

static uint64_t *dirty_at(const struct blocks *b, uint32_t segment)
{
    return b->dirty + (size_t)segment * b->flow->slot_words;
}

/* Adds what the instructions of a segment write. */
static void add_written(const struct blocks *b, uint32_t segment, uint64_t *set)
{
    const struct segment *here = &b->flow->segments[segment];
    for (uint32_t i = here->first; i < here->first + here->count; i++) {
        const struct decoded *at = &b->flow->func->decoded[i];
        for (unsigned k = 0; k < at->ndst; k++)
            if (at->bits[k] && flow_varies(b->flow, at->offsets[k]))
                bitset_add(set, b->flow->slot_of[at->offsets[k] / 4]);
    }
}

/* What a segment leads to can find written what was written before. */
static bool pass_written(const struct blocks *b, uint32_t segment)
{
    const struct flow *flow = b->flow;
    const struct segment *here = &flow->segments[segment];
    bool changed = false;
    memcpy(b->live, dirty_at(b, segment), flow->slot_words * sizeof *b->live);
    add_written(b, segment, b->live);
    for (uint32_t i = 0; i < here->nto; i++)
        changed |= bitset_merge(dirty_at(b, here->to[i]), b->live, flow->slot_words);
    for (uint32_t to = 0; blocks_stacked(b) && to < flow->nsegments; to++)
        if (bitset_has(flow_resumed(flow, segment), to))
            changed |= bitset_merge(dirty_at(b, to), b->live, flow->slot_words);
    return changed;
}

/* Slots of which some part finds lane 0 alone. */
static void find_thin(const struct blocks *b)
{
    const struct flow *flow = b->flow;
    for (uint32_t s = 1; s < flow->nsegments; s++)
        for (uint32_t slot = 0; barriers_begins(b, s) && slot < flow->nslots; slot++)
            if (flow_forms(flow, s)[slot] < FORM_UNSEEN)
                bitset_add(b->thin, slot);
}

bool barriers_find(struct blocks *b)
{
    const struct flow *flow = b->flow;
    struct arena *arena = &b->code->arena;
    b->dirty = arena_array(arena, (size_t)(flow->nsegments + 1) * (flow->slot_words + 1), sizeof *b->dirty);
    b->thin = arena_array(arena, flow->slot_words + 1, sizeof *b->thin);
    b->reached = arena_array(arena, flow->nsegments + 1, sizeof *b->reached);
    b->stack = arena_array(arena, flow->nsegments + 1, sizeof *b->stack);
    b->meets = arena_array(arena, flow->nsegments + 1, sizeof *b->meets);
    if (!b->dirty || !b->thin || !b->reached || !b->stack || !b->meets)
        return false;
    for (uint32_t s = 0; s < flow->nsegments; s++)
        b->has_meets |= barriers_meets(b, s);
    memset(b->dirty, 0xff, flow->slot_words * sizeof *b->dirty); /* at the start registers are zero, frames are not */
    for (bool again = true; again;) {
        again = false;
        for (uint32_t s = 0; s < flow->nsegments; s++)
            again |= pass_written(b, s);
    }
    find_thin(b);
    return true;
}

/* ---- parking ----------------------------------------------------------------------------------------------------- */

void barriers_park(struct blocks *b, uint32_t segment)
{
    const struct flow *flow = b->flow;
    const struct segment *here = &flow->segments[segment];
    const uint8_t *after = flow_forms(flow, segment + 1);
    uint64_t *written = b->written;
    memcpy(written, dirty_at(b, segment), flow->slot_words * sizeof *written);
    add_written(b, segment, written);
    flow_live_at(flow, segment, here->first + here->count - 1, b->live);
    for (uint32_t slot = 0; slot < flow->nslots; slot++) {
        bool first = after[slot] < FORM_UNSEEN;
        if (!bitset_has(b->live, slot) || (!bitset_has(written, slot) && (first || !bitset_has(b->thin, slot))))
            continue;
        if (first)
            emit_park_first(b->e, flow->slots[slot], flow->slot_bits[slot]);
        else
            emit_park(b->e, flow->slots[slot], flow->slot_bits[slot]);
    }
}

static uint32_t entry_of(const struct blocks *b, uint32_t segment)
{
    uint32_t n = 0;
    while (b->code->entries[n] != segment)
        n++;
    return n + 1;
}

void barriers_meet(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    uint32_t index = here->first + here->count - 1;
    uint32_t how = blocks_exit(b, (struct jit_exit){.kind = JIT_MEET, .segment = segment, .index = index});
    LLVMValueRef partly = blocks_some_wait(b, segment);
    if (partly) {
        LLVMBasicBlockRef part = emit_block(e, ""), all = emit_block(e, "");
        emit_branch(e, partly, part, all, false);
        emit_begin(e, part);
        blocks_leave(b, JIT_STEP, segment, index);
        emit_begin(e, all);
    }
    b->meets[segment] = how;
    barriers_park(b, segment);
    if (b->clocks)
        blocks_flush(b);
    parts_end(e, &b->parts, how);
    blocks_leave_by(b, segment, how);
    parts_lead(e, &b->parts, how, entry_of(b, segment + 1));
}
