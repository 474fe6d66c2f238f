/* The sync check: who does not come where a barrier, a shuffle or a vote counts on it. Here: operations of warps. All
 * threads of the mask that have not exited execute the same one, with the same mask (PTX ISA, "shfl.sync",
 * "bar.warp.sync"). */
#include "tap/sync.h"

#include "atoll.h"

#include <stdlib.h>
#include <string.h>

void sync_tell(const struct sync *sync, const struct sync_slot *slot, const struct sync_fault *fault,
               struct sync_place place, const struct sync_place *other)
{
    const struct tap_finding finding = {
        .check = "sync",
        .cause = fault->cause,
        .why = fault->why,
        .does = fault->does,
        .did = fault->did,
        .now = {.site = place.site, .block = slot->block.number, .thread = place.thread, .stays = true},
        .before = {.site = other ? other->site : TAP_NO_SITE,
                   .block = slot->block.number,
                   .thread = other ? other->thread : 0,
                   .stays = true},
    };
    sync->launch->engine->found(sync->launch->engine->self, &finding);
}

static struct sync_place place_of(const struct sync_slot *slot, const struct tap_step *step, unsigned lane)
{
    return (struct sync_place){step->site, sync_thread(slot, step->warp, UINT32_C(1) << lane)};
}

/* ---- members of operations -------------------------------------------------------------------------------------- */

static const struct sync_fault not_named = {"absent-lanes", "takes part in an operation of lanes without it", NULL,
                                            "the member mask does not name the thread itself"};
static const struct sync_fault other_mask = {"absent-lanes", "names lanes that name others", NULL,
                                             "all lanes of the member mask have to come with the same mask"};
static const struct sync_fault absent = {"absent-lanes", "waits for lanes that do not come", "is elsewhere",
                                         "all lanes of the member mask that have not exited have to come"};
static const struct sync_fault departed = {"absent-lanes", "waits for lanes that do not come", "has left the kernel",
                                           "all lanes of the member mask that have not exited have to come"};
static const struct sync_fault stale = {"stale-mask", "waits for lanes that do not come", "has made the mask",
                                        "lanes that were active together then have parted since"};
static const struct sync_fault lost_source = {
    "absent-source", "reads a lane that takes no part", NULL,
    "the lane that the shuffle reads has left, is elsewhere or is not named: what it gives is undefined, and is used"};

/* Where a mask comes from that names lanes which do not come. */
static const struct sync_place *made_mask(const struct sync_warp *warp, uint32_t mask)
{
    for (unsigned i = 0; i < SYNC_MASKS; i++)
        if (warp->masks[i].value == mask && mask)
            return &warp->masks[i].place;
    return NULL;
}

/* `lane` of the mask does not come. */
static void tell_absent(const struct sync *sync, const struct sync_slot *slot, const struct tap_meet *meet,
                        struct sync_place here, uint32_t mask, unsigned lane)
{
    const struct tap_step *step = meet->step;
    const struct sync_warp *warp = &slot->warps[step->warp];
    const struct tap_engine *engine = sync->launch->engine;
    struct sync_place there = {TAP_NO_SITE, sync_thread(slot, step->warp, UINT32_C(1) << lane)};
    const struct sync_place *made = made_mask(warp, mask);
    const struct lane_inst *other = engine->stands(step, lane, &there.site);
    if (other && other->op == LANE_OP_barwarp && step->inst->op == LANE_OP_barwarp)
        return; /* lanes may meet at different ones */
    if (made)
        sync_tell(sync, slot, &stale, here, made);
    else
        sync_tell(sync, slot, &absent, here, there.site == TAP_NO_SITE ? NULL : &there);
}

/* An operation of the warp waits. */
static void await(const struct sync *sync, const struct sync_slot *slot, struct sync_warp *warp,
                  const struct tap_step *step)
{
    unsigned mask_at = step->inst->ndst + step->inst->nsrc - 1u, lane = (unsigned)__builtin_ctz(step->active);
    uint32_t mask = (uint32_t)sync->launch->engine->value(step, mask_at, lane);
    warp->awaited.mask = mask;
    warp->awaited.lanes = mask & warp->live & ~step->lanes;
    warp->awaited.wrote &= warp->awaited.lanes;
    warp->awaited.place = place_of(slot, step, lane);
    warp->awaited.meets = step->inst->op == LANE_OP_barwarp;
}

/* Does it write what others may see? */
static bool writes(const struct sync *sync, const struct tap_step *step)
{
    uint32_t at;
    return step->lanes && lane_is(step->inst->op, LANE_WRITES) &&
           !sync->launch->engine->local(step, (unsigned)__builtin_ctz(step->lanes), &at);
}

/* Lanes that are waited for leave the kernel. Named choice: those that did something instead of coming are told; those
 * that only leave ("if (i >= n) return;") might have left before. */
void sync_gone(const struct sync *sync, const struct sync_slot *slot, const struct tap_exit *exit)
{
    struct sync_warp *warp = &slot->warps[exit->warp];
    uint32_t lanes = exit->lanes & warp->awaited.lanes & warp->awaited.wrote;
    warp->awaited.lanes &= ~exit->lanes;
    if (!lanes || sync->launch->lockstep)
        return;
    const struct sync_place there = {exit->site, sync_thread(slot, exit->warp, lanes)};
    const struct sync_place *made = made_mask(warp, warp->awaited.mask);
    sync_tell(sync, slot, made ? &stale : &departed, warp->awaited.place, made ? made : &there);
}

static void look_at_mask(const struct sync *sync, const struct sync_slot *slot, const struct tap_meet *meet,
                         unsigned lane)
{
    uint32_t mask = meet->masks[lane], named = mask & meet->lanes, missing = mask & meet->live & ~meet->lanes;
    struct sync_place here = place_of(slot, meet->step, lane);
    if (!(mask >> lane & 1)) {
        sync_tell(sync, slot, &not_named, here, NULL);
        return;
    }
    for (uint32_t left = named; left; left &= left - 1)
        if (meet->masks[__builtin_ctz(left)] != mask) {
            sync_tell(sync, slot, &other_mask, here, NULL);
            return;
        }
    if (missing)
        tell_absent(sync, slot, meet, here, mask, (unsigned)__builtin_ctz(missing));
}

/* Is somebody missing? Then it is told here. */
static bool lacks(const struct tap_meet *event)
{
    uint32_t missing = 0;
    for (uint32_t left = event->lanes; left; left &= left - 1)
        missing |= event->masks[__builtin_ctz(left)] & event->live & ~event->lanes;
    return missing;
}

/* Once for each mask. */
static bool meet(void *state, const struct tap_meet *event)
{
    const struct sync *sync = state;
    const struct tap_step *step = event->step;
    struct sync_slot *slot = &sync->slots[step->slot];
    uint32_t same;
    if (slot->warps[step->warp].awaited.place.site == step->site || lacks(event))
        slot->warps[step->warp].awaited.lanes = 0;
    if (event->lost && !(step->func->warp_lanes))
        marks_add(&slot->warps[step->warp].marks, step, 0, event->lost, &lost_source);
    for (uint32_t left = sync->launch->lockstep ? 0 : event->lanes; left; left &= ~same) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        same = 0;
        for (uint32_t l = left; l; l &= l - 1) {
            unsigned other = (unsigned)__builtin_ctz(l);
            bool named = event->masks[other] >> other & 1;
            same |= (uint32_t)(event->masks[other] == event->masks[lane] && (named || other == lane)) << other;
        }
        look_at_mask(sync, slot, event, lane);
    }
    return true;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void used(void *state, const struct tap_step *step, const struct mark *mark, uint32_t lanes)
{
    const struct sync *sync = state;
    const struct sync_slot *slot = &sync->slots[step->slot];
    sync_tell(sync, slot, mark->what, (struct sync_place){mark->site, sync_thread(slot, step->warp, lanes)}, NULL);
}

/* May it tell the warp what others have done? */
static bool sees(const struct tap_step *step)
{
    const struct lane_inst *inst = step->inst;
    if (inst->op != LANE_OP_ld)
        return lane_is(inst->op, LANE_UPDATES | LANE_OBJECT);
    return step->func->accesses[inst->aux].order != LANE_WEAK;
}

static bool step(void *state, const struct tap_step *event)
{
    const struct sync *sync = state;
    struct sync_slot *slot = &sync->slots[event->slot];
    struct sync_warp *warp = &slot->warps[event->warp];
    if (event->inst->op == LANE_OP_barwarp && warp->awaited.meets)
        warp->awaited.lanes &= ~event->active;
    if (event->waits && event->active)
        await(sync, slot, warp, event);
    if (event->waits)
        return true;
    if (warp->awaited.lanes & event->lanes && writes(sync, event))
        warp->awaited.wrote |= event->lanes;
    if (warp->marks.count)
        marks_step(&warp->marks, event, sync->launch->engine, &(struct mark_user){.used = used, .state = state});
    if (lane_is(event->inst->op, LANE_SHARES) && sees(event))
        warp->saw = ++slot->now;
    if (event->inst->op == LANE_OP_activemask && event->lanes) {
        unsigned i = warp->nmasks++ % SYNC_MASKS;
        warp->masks[i].value = event->lanes;
        warp->masks[i].place = (struct sync_place){event->site, sync_thread(slot, event->warp, event->lanes)};
    }
    return true;
}

static bool call(void *state, const struct tap_call *event)
{
    const struct sync *sync = state;
    marks_call(&sync->slots[event->slot].warps[event->warp].marks, event);
    return true;
}

/* ---- a launch --------------------------------------------------------------------------------------------------- */

static bool warps_make(struct sync *sync, struct sync_slot *slot, uint32_t count)
{
    if (count > slot->room) {
        uint64_t more = (count - slot->room) * sizeof *slot->warps;
        struct sync_warp *warps = NULL;
        if (!sync->launch->most || sync->taken + more <= sync->launch->most)
            warps = realloc(slot->warps, count * sizeof *warps);
        if (!warps)
            return false;
        slot->warps = warps;
        slot->room = count;
        sync->taken += more;
    }
    memset(slot->warps, 0, count * sizeof *slot->warps);
    slot->nwarps = count;
    return true;
}

static bool block(void *state, const struct tap_block *event)
{
    struct sync *sync = state;
    struct sync_slot *slot = &sync->slots[event->slot];
    uint32_t lanes = event->warp_lanes;
    slot->block = *event;
    slot->now = 0;
    slot->left.site = TAP_NO_SITE;
    memset(slot->barriers, 0, sizeof slot->barriers);
    for (uint32_t i = 0; i < TAP_BARRIERS; i++)
        slot->barriers[i].first.site = TAP_NO_SITE;
    if (!warps_make(sync, slot, (event->threads + lanes - 1) / lanes))
        return false;
    for (uint32_t i = 0; i < slot->nwarps; i++) {
        uint32_t threads = event->threads - i * lanes < lanes ? event->threads - i * lanes : lanes;
        slot->warps[i].live = threads == LANES ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
    }
    return true;
}

static void close(void *state)
{
    struct sync *sync = state;
    for (uint32_t i = 0; sync && sync->slots && i < sync->launch->slots; i++)
        free(sync->slots[i].warps);
    if (sync)
        free(sync->slots);
    free(sync);
}

static bool open(const struct tap_launch *launch, void **state)
{
    struct sync *sync = calloc(1, sizeof *sync);
    if (!sync)
        return false;
    sync->launch = launch;
    sync->slots = calloc(launch->slots, sizeof *sync->slots);
    sync->taken = launch->slots * sizeof *sync->slots;
    *state = sync;
    if (sync->slots && (!launch->most || sync->taken <= launch->most))
        return true;
    close(sync);
    return false;
}

const struct check check_sync = {
    .name = "sync",
    .bit = ATOLL_CHECK_SYNC,
    .open = open,
    .close = close,
    .block = block,
    .step = step,
    .order = sync_order,
    .barrier = sync_barrier_over,
    .exit = sync_exit,
    .meet = meet,
    .stuck = sync_stuck,
    .call = call,
};
