/* Which branches all running lanes take together, whatever a launch gives them: then none wait, and nothing has to be
 * kept for them.
 *
 * A slot varies at a place if lanes that run there may have different values in it. A result varies if a source does,
 * or the guard; if it is of an operation that tells lanes apart; or if lanes that wait elsewhere meanwhile will see
 * what they had in the slot before: two lanes that meet then come by different ways. Who waits depends on which
 * branches part lanes, and that on what varies: the search begins with no branch that does, and ends when it finds no
 * further one. */
#include "engine/jit/flow.h"

#include <string.h>

static bool in_frame(const struct flow *flow, uint32_t offset)
{
    return offset < flow->func->constants_at;
}

/* May lanes differ in what is at an offset of the frame? */
static bool varies(const struct flow *flow, const uint64_t *varying, uint32_t offset)
{
    if (!in_frame(flow, offset))
        return false;
    if (flow_fixed(flow, offset))
        return !flow_uniform(flow, offset);
    return flow_in(varying, flow->slot_of[offset / 4]);
}

/* Does an operation give lanes with the same operands the same results? */
static bool is_even(const struct decoded *at)
{
    if (at->op >= LANE_OPS)
        return false;
    if (at->op == LANE_OP_sreg)
        return !lane_sreg_is(at->inst->mode, LANE_SREG_LANES | LANE_SREG_CLOCKS);
    if (at->op == LANE_OP_ld)
        return at->access->space == LANE_PARAM;
    return lane_is(at->op, LANE_PURE);
}

static void pass(const struct flow *flow, uint32_t segment, const struct decoded *at, uint64_t *varying)
{
    bool differ = !is_even(at) || (at->guard != KERNEL_NONE && varies(flow, varying, at->guard));
    for (unsigned k = at->ndst; k < (unsigned)at->ndst + at->nsrc; k++)
        differ = differ || (at->bits[k] && varies(flow, varying, at->offsets[k]));
    for (unsigned k = 0; k < at->ndst; k++) {
        if (!at->bits[k])
            continue;
        uint32_t slot = flow->slot_of[at->offsets[k] / 4];
        uint64_t bit = UINT64_C(1) << (slot % 64);
        if (differ || flow_waits_for(flow, segment, at->offsets[k]))
            varying[slot / 64] |= bit;
        else if (at->guard == KERNEL_NONE)
            varying[slot / 64] &= ~bit;
    }
}

/* What varies at the end of a segment, where `varying` is what does at its start. */
static void pass_segment(const struct flow *flow, uint32_t segment, uint64_t *varying)
{
    const struct segment *here = &flow->segments[segment];
    for (uint32_t i = 0; i < here->count; i++)
        pass(flow, segment, &flow->func->decoded[here->first + i], varying);
}

static bool pass_on(const struct flow *flow, uint32_t segment, uint64_t *set)
{
    const struct segment *here = &flow->segments[segment];
    uint32_t words = flow->slot_words;
    bool changed = false;
    memcpy(set, flow->varying + (size_t)segment * words, words * sizeof *set);
    pass_segment(flow, segment, set);
    for (uint32_t i = 0; i < here->nto; i++)
        changed |= flow_merge(flow->varying + (size_t)here->to[i] * words, set, words);
    if (here->leaves && segment + 1 < flow->nsegments)
        changed |= flow_merge(flow->varying + (size_t)(segment + 1) * words, set, words);
    return changed;
}

/* Can lanes part at the end of a segment? */
static bool parts(const struct flow *flow, uint32_t segment, uint64_t *set)
{
    const struct segment *here = &flow->segments[segment];
    const struct decoded *last = &flow->func->decoded[here->first + here->count - 1];
    if (last->guard == KERNEL_NONE && last->op != LANE_OP_brx)
        return false;
    memcpy(set, flow->varying + (size_t)segment * flow->slot_words, flow->slot_words * sizeof *set);
    pass_segment(flow, segment, set);
    return last->op != LANE_OP_bra || varies(flow, set, last->guard);
}

bool uniform_find(struct arena *arena, struct flow *flow, bool *changed)
{
    size_t words = flow->slot_words;
    bool every = flow->func->lane->warp_lanes != 0; /* lanes that do not run are seen there */
    uint64_t *set = arena_array(arena, words, sizeof *set);
    if (!flow->varying)
        flow->varying = arena_array(arena, words * flow->nsegments, sizeof *set);
    if (!flow->varying || !set)
        return false;
    for (bool again = !every; again;) {
        again = false;
        for (uint32_t s = 0; s < flow->nsegments; s++)
            again |= pass_on(flow, s, set);
    }
    *changed = false;
    for (uint32_t s = 0; s < flow->nsegments; s++) {
        struct segment *segment = &flow->segments[s];
        if (segment->parts || !(every || parts(flow, s, set)))
            continue;
        segment->parts = true;
        *changed = true;
    }
    return true;
}
