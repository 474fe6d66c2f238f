/* Checked launches: what warps do beside accesses, as events: fences and barriers, operations of warps that lanes wait
 * for each other at, and any instruction as a step. */
#include "engine/check.h"
#include "engine/meaning/shfl.h"
#include "mem/mbarrier.h"

#include <string.h>

/* ---- what orders threads ---------------------------------------------------------------------------------------- */

static struct tap_order order_of(const struct warp *w, uint32_t lanes, enum tap_what what)
{
    return (struct tap_order){
        .slot = (uint32_t)(w->block - w->worker->blocks), .warp = w->number, .lanes = lanes, .what = (uint8_t)what};
}

bool check_fence(struct checking *c, const struct warp *w, const struct decoded *at)
{
    bool proxy = at->inst->mode == LANE_FENCE_PROXY;
    struct tap_order order = order_of(w, checked_lanes(w, at), proxy ? TAP_PROXY_FENCE : TAP_FENCE);
    order.scope = (uint8_t)lane_fence_scope(at->inst->mode);
    order.sc = !lane_fence_light(at->inst->mode);
    return !order.lanes || tap_order(&c->tap, &order);
}

/* Lanes come to barriers, which may differ. They may come to the instruction again before they carry it out. */
bool check_comes(struct checking *c, const struct warp *w, const struct decoded *at)
{
    bool bar = at->op == LANE_OP_bar;
    enum tap_what what = bar && at->inst->mode == LANE_BAR_ARRIVE ? TAP_ARRIVE
                         : bar && at->inst->mode == LANE_BAR_WAIT ? TAP_AWAIT
                                                                  : TAP_COME;
    const uint32_t *ids = (const void *)(w->frame.regs + at->offsets[at->ndst]);
    const uint32_t *counts = (const void *)(w->frame.regs + at->offsets[at->ndst + 1]);
    for (uint32_t same, left = checked_lanes(w, at); left; left &= ~same) {
        same = lanes_like_first(ids, left);
        struct tap_order order = order_of(w, w->stacked ? w->live : same, what);
        order.id = ids[__builtin_ctz(left)];
        order.count = counts[__builtin_ctz(left)];
        order.site = at->site;
        order.runs = same;
        order.part = w->func->lane->warp_lanes && w->live & ~same;
        order.aligned = w->stacked || at->inst->flags & LANE_UNI;
        if (order.id < BARRIERS && !tap_order(&c->tap, &order))
            return false;
    }
    return true;
}

/* Lanes of the warp that wait at this very instruction for others (warp_gather). */
static uint32_t gathered(const struct warp *w, const struct decoded *at)
{
    uint32_t here = 0;
    for (uint32_t left = w->single ? 0 : w->arrived & w->waiting; left; left &= left - 1)
        if (w->at[__builtin_ctz(left)] == at->before)
            here |= left & -left;
    return here;
}

/* Lanes with one mask meet each other. */
bool check_warp_sync(struct checking *c, const struct warp *w, const struct decoded *at)
{
    const uint32_t *masks = (const void *)(w->frame.regs + at->offsets[0]);
    uint32_t all = checked_lanes(w, at), here = all | gathered(w, at);
    for (uint32_t same; all; all &= ~same) {
        uint32_t mask = masks[__builtin_ctz(all)];
        same = lanes_like_first(masks, all);
        if (mask & w->live & ~here)
            continue; /* others are still to come */
        struct tap_order order = order_of(w, here & mask, TAP_WARP_SYNC);
        order.whole = !(w->live & ~mask);
        if (order.lanes && !tap_order(&c->tap, &order))
            return false;
    }
    return true;
}

/* ---- operations of warps, steps --------------------------------------------------------------------------------- */

/* Is it an operation of the warp that lanes wait for each other at? Its members are its last operand. */
bool check_gathers(const struct decoded *at)
{
    return lane_is(at->op, LANE_WARP) && lane_is(at->op, LANE_WAITS) && !(at->inst->flags & LANE_WHOLE);
}

/* Lanes that carry an operation of the warp out together: with those that have waited. *waits: others are to come. */
static uint32_t together(const struct warp *w, const struct decoded *at, uint32_t lanes, bool *waits)
{
    if (!lanes || !check_gathers(at))
        return lanes;
    const uint32_t *masks = (const void *)(w->frame.regs + at->offsets[at->ndst + at->nsrc - 1]);
    if (!warp_missing(w, masks, lanes))
        return lanes;
    uint32_t here = lanes | gathered(w, at), hold = warp_incomplete(w, masks, here, here);
    *waits = !(here & ~hold);
    return *waits ? here : here & ~hold;
}

/* Field by field: who reads it next need not wait until narrow stores have become wide ones. */
static void step_fill(struct checking *c, const struct warp *w, const struct decoded *at, struct tap_step *step)
{
    step->waits = false;
    step->lanes = together(w, at, checked_lanes(w, at), &step->waits);
    c->warp = w;
    step->slot = (uint32_t)(w->block - w->worker->blocks);
    step->warp = w->number;
    step->active = at->inst->flags & LANE_WHOLE ? func_whole(w->func, w->frame.exec) : w->frame.exec;
    step->there = w->frame.exec;
    step->diverged = w->divergent;
    step->site = at->site;
    step->activation = w->here;
    step->func = at->func->lane;
    step->inst = at->inst;
    step->engine = c;
}

/* Sources of shuffles that do not take part. */
static void shuffle_sources(const struct warp *w, const struct decoded *at, struct tap_meet *meet)
{
    const uint32_t *by = (const void *)(w->frame.regs + at->offsets[at->ndst + 1]);
    const uint32_t *bounds = (const void *)(w->frame.regs + at->offsets[at->ndst + 2]);
    for (uint32_t left = meet->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        bool in;
        int from = shfl_from(at->inst->mode, (int)lane, (int)(by[lane] & 31), (int)(bounds[lane] & 31),
                             (int)(bounds[lane] >> 8 & 31), &in);
        if (!in || meet->lanes >> (from & 31) & 1)
            continue;
        meet->lost |= UINT32_C(1) << lane;
        meet->source[lane] = (uint8_t)(from & 31);
    }
}

/* An operation of the warp, if all that it waits for have come. */
bool check_meets(struct checking *c, const struct warp *w, const struct decoded *at)
{
    struct tap_step step;
    step_fill(c, w, at, &step);
    struct tap_meet meet = {.step = &step, .lanes = step.lanes, .live = w->live};
    if (!step.lanes || step.waits)
        return true;
    memcpy(meet.masks, w->frame.regs + at->offsets[at->ndst + at->nsrc - 1], sizeof meet.masks);
    if (at->op == LANE_OP_shfl)
        shuffle_sources(w, at, &meet);
    return tap_meet(&c->tap, &meet);
}

const void *check_row(const struct tap_step *step, unsigned operand)
{
    const struct checking *c = step->engine;
    const struct decoded *at = c->sites[step->site];
    const struct warp *w = &c->warp->worker->blocks[step->slot].warps[step->warp];
    return at->offsets[operand] == KERNEL_NONE ? NULL : w->frame.regs + at->offsets[operand];
}

uint32_t check_object(const unsigned char *at, bool *odd)
{
    uint64_t object;
    memcpy(&object, at, sizeof object);
    *odd = object >> MBARRIER_PARITY & 1;
    return object >> MBARRIER_PENDING & MBARRIER_COUNT;
}

const struct lane_inst *check_stands(const struct tap_step *step, unsigned lane, uint32_t *site)
{
    const struct checking *c = step->engine;
    uint32_t lanes = UINT32_C(1) << lane;
    if (!(c->warp->live & lanes) || c->warp->stacked)
        return NULL;
    const struct decoded *at = warp_stands(c->warp, lanes);
    if (c->warp->arrived & c->warp->waiting & lanes)
        at++; /* it waits before an operation of the warp (warp_gather), not behind one */
    if (at->op >= LANE_OPS)
        return NULL;
    *site = at->site;
    return at->inst;
}

bool check_step(struct checking *c, const struct warp *w, const struct decoded *at)
{
    step_fill(c, w, at, &c->step);
    return tap_step(&c->tap, &c->step);
}

uint64_t check_value_of(const struct tap_step *step, unsigned operand, unsigned lane)
{
    const struct checking *c = step->engine;
    const struct decoded *at = c->sites[step->site];
    uint32_t predicate;
    if (at->offsets[operand] == KERNEL_NONE)
        return 0;
    if (at->bits[operand] != 1)
        return decoded_operand(c->warp, at, operand, lane);
    memcpy(&predicate, c->warp->frame.regs + at->offsets[operand], sizeof predicate);
    return predicate >> lane & 1;
}
