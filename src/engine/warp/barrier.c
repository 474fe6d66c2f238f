/* Barriers of a block: bar.sync, bar.arrive, bar.red (PTX ISA, "barrier{.cta}", "exit").
 *
 * Warps arrive, not threads: a barrier waits for all threads of a warp that have not exited, then marks the warp's
 * arrival; sync and red wait until enough other warps have arrived, too. So lanes that come on different ways, one
 * after the other, make one arrival, and a warp whose other lanes exit arrives at that moment.
 *
 *   warp->came[id]           lanes that have come to the barrier, until the whole warp has: then it arrives
 *   warp->barrier_lanes[id]  lanes that wait for the other warps (sync, red, wait)
 *   barrier->arrived         warps that have arrived in this phase; ->arrivals counts, as a warp may arrive repeatedly
 *
 * Lanes of a warp that has not arrived when a phase ends have come for the next one.
 *
 * By the stack policy the warp arrives as a whole, whichever of its lanes run: the others could not come while it waits
 * (PTX ISA, "barrier{.cta}": so it is on older targets). */
#include "engine/run.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool complete(const struct block *block, const struct barrier *barrier)
{
    if (!barrier->busy)
        return false;
    return barrier->expected ? barrier->arrivals * block->warp_lanes >= barrier->expected
                             : warps_within(&block->live_warps, &barrier->arrived);
}

/* A warp of which only some lanes have come. */
static const struct warp *partly_there(const struct block *block, uint32_t id)
{
    for (uint32_t i = 0; i < block->nwarps; i++)
        if (block->warps[i].coming >> id & 1)
            return &block->warps[i];
    return NULL;
}

static void release(struct block *block, uint32_t id)
{
    struct barrier *barrier = &block->barriers[id];
    assert(id < BARRIERS && barrier->busy && block->phases > 0 && block->phases <= BARRIERS);
    if (block->worker->run->checking)
        check_barrier(block, id);
    block->barriers_done++;
    block->phases--;
    barrier->result_count = barrier->count;
    barrier->result_all = barrier->all;
    barrier->result_any = barrier->any;
    barrier->busy = false;
    for (uint32_t w = 0; w < block->nwarps; w++) {
        struct warp *warp = &block->warps[w];
        uint32_t lanes = warp->barrier_lanes[id] & ~warp->came[id];
        if (!lanes)
            continue;
        warp->barrier_lanes[id] &= ~lanes;
        if (warp->state == WARP_BLOCKED)
            warp->state = WARP_READY;
        if (warp->blocked | warp->ncalls)
            warp_unblock(warp, lanes);
    }
    if (partly_there(block, id))
        barrier_begin(block, barrier, barrier->expected);
}

/* Have all lanes of the warp that are left come? Then it arrives, and those that do not wait for other warps go on. */
static bool arrive(struct warp *warp, uint32_t id)
{
    struct barrier *barrier = &warp->block->barriers[id];
    if (warp->live & ~warp->came[id])
        return false;
    assert(barrier->busy && warp->coming >> id & 1);
    uint32_t done = warp->came[id] & ~warp->barrier_lanes[id];
    warps_add(&barrier->arrived, warp->number);
    barrier->arrivals++;
    warp->came[id] = 0;
    warp->coming &= (uint16_t) ~(1u << id);
    if ((warp->blocked & done) | warp->ncalls)
        warp_unblock(warp, done);
    return true;
}

void barriers_exit(struct warp *warp)
{
    struct block *block = warp->block;
    for (uint32_t id = 0; id < BARRIERS; id++) {
        if (warp->coming >> id & 1)
            arrive(warp, id);
        if (complete(block, &block->barriers[id]))
            release(block, id);
    }
}

static void reduce(struct barrier *barrier, const struct warp *warp, uint32_t offset, uint32_t lanes)
{
    uint32_t bits;
    memcpy(&bits, warp->frame.regs + offset, sizeof bits);
    bits &= lanes;
    barrier->count += (uint32_t)__builtin_popcount(bits);
    barrier->all &= bits == lanes;
    barrier->any |= bits != 0;
}

/* The barrier, with a phase begun; NULL after a trap. */
static struct barrier *enter(struct warp *warp, const struct decoded *at, uint32_t lanes, uint32_t id, uint32_t count)
{
    struct barrier *barrier = &warp->block->barriers[id];
    if (count % warp->block->warp_lanes || count > BLOCK_THREADS + LANES) {
        warp_trap(warp, at, lanes, "bad-barrier", id, NULL,
                  "barrier thread count %u is not a multiple of the warp size", count);
        return NULL;
    }
    if (barrier->busy && barrier->expected != count) {
        uint32_t per = warp->func->lane->warp_lanes; /* of a vector machine: what its threads have for lanes */
        warp_trap(warp, at, lanes, "bad-barrier", id, NULL, "barrier %u is in use with %s count %u, not %u", id,
                  per ? "hardware thread" : "thread", barrier->expected / (per ? per : 1), count / (per ? per : 1));
        return NULL;
    }
    if (!barrier->busy)
        barrier_begin(warp->block, barrier, count);
    return barrier;
}

/* `lanes` have come. They go on at once, or wait: for the rest of their warp, for other warps. */
static const struct step *come(struct warp *warp, const struct decoded *at, uint32_t lanes, uint32_t id)
{
    struct block *block = warp->block;
    assert(lanes && !(lanes & ~warp->frame.exec) && !(warp->barrier_lanes[id] & lanes));
    assert(at->after < warp->func->npoints && block->barriers[id].busy);
    const struct step *after = func_point(warp->func, at->after);
    bool wait = at->op == LANE_OP_barred || at->inst->mode == LANE_BAR_SYNC, all = lanes == warp->frame.exec;
    warp->came[id] |= warp->stacked ? warp->live : lanes;
    warp->coming |= (uint16_t)(1u << id);
    bool arrived = arrive(warp, id), done = arrived && complete(block, &block->barriers[id]);
    bool stay = wait ? !done : !arrived;
    if (!stay && (all || warp->stacked)) {
        if (done)
            release(block, id);
        return warp->waiting ? warp_goto(warp, at->after) : after;
    }
    if (wait)
        warp->barrier_lanes[id] |= lanes;
    if (stay && arrived && !warp->waiting && (all || warp->stacked)) { /* the warp waits as one */
        warp->pc = after;
        warp->state = WARP_BLOCKED;
        return NULL;
    }
    warp_block(warp, lanes, at->after);
    if (!wait && arrived)
        warp_unblock(warp, lanes);
    if (done)
        release(block, id);
    return warp->frame.exec ? after : warp_next(warp);
}

/* Has the warp arrived in the phase under way? Then `lanes` wait until it is over. Else all that run go on: also those
 * whose guard is false. */
static const struct step *await(struct warp *warp, const struct decoded *at, uint32_t lanes, uint32_t id)
{
    const struct barrier *barrier = &warp->block->barriers[id];
    const struct step *after = func_point(warp->func, at->after);
    assert(lanes && !(lanes & ~warp->frame.exec) && !(warp->barrier_lanes[id] & lanes));
    if (!barrier->busy || !warps_have(&barrier->arrived, warp->number))
        return warp->waiting ? warp_goto(warp, at->after) : after;
    warp->barrier_lanes[id] |= lanes;
    if (!warp->waiting && (lanes == warp->frame.exec || warp->stacked)) { /* the warp waits as one */
        warp->pc = after;
        warp->state = WARP_BLOCKED;
        return NULL;
    }
    warp_block(warp, lanes, at->after);
    return warp->frame.exec ? after : warp_next(warp);
}

/* a: number, b: thread count, c: predicate of a reduction. */
const struct step *warp_barrier(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    const uint32_t *src = at->offsets + at->ndst;
    const uint32_t *ids = (const void *)(warp->frame.regs + src[0]);
    const uint32_t *counts = (const void *)(warp->frame.regs + src[1]);
    uint32_t id = ids[__builtin_ctz(lanes)], count = counts[__builtin_ctz(lanes)], same = lanes;
    bool wait = at->op == LANE_OP_bar && at->inst->mode == LANE_BAR_WAIT;
    if (!at->uniform && !warp->stacked)
        same = lanes_like_first(ids, lanes) & (wait ? lanes : lanes_like_first(counts, lanes));
    if (same != lanes) { /* one barrier at a time; the other lanes come to this instruction again */
        uint32_t rest = lanes & ~same;
        warp->frame.exec &= ~rest;
        warp_leave(warp, rest, at->before);
        lanes = same;
    }
    if (id >= BARRIERS)
        return warp_trap(warp, at, lanes, "bad-barrier", id, NULL, "barrier %u does not exist (0 to 15)", id);
    if (wait)
        return await(warp, at, lanes, id);
    struct barrier *barrier = enter(warp, at, lanes, id, count);
    if (!barrier)
        return NULL;
    if (at->op == LANE_OP_barred)
        reduce(barrier, warp, src[2], lanes);
    return come(warp, at, lanes, id);
}

/* ---- the report of a deadlock ----------------------------------------------------------------------------- */

/* A lane of `warp` that has come to barrier `id` and waits there; 0 = none does. */
static uint32_t lanes_waiting_at(const struct warp *warp, uint32_t id)
{
    return warp->state == WARP_BLOCKED ? (warp->barrier_lanes[id] | warp->came[id]) & warp->live : 0;
}

static void report(struct warp *warp, uint32_t id)
{
    const struct block *block = warp->block;
    const struct barrier *barrier = &block->barriers[id];
    const struct warp *partly = partly_there(block, id);
    uint32_t lanes = lanes_waiting_at(warp, id);
    uint32_t expected = barrier->expected ? barrier->expected / block->warp_lanes : warps_count(&block->live_warps);
    char rest[80] = "";
    if (partly)
        snprintf(rest, sizeof rest, "; lanes 0x%08x of warp %u have not come", partly->live & ~partly->came[id],
                 partly->number);
    warp_trap(warp, warp_stands(warp, lanes), lanes, "barrier-deadlock", id, NULL,
              "threads wait at barrier %u for ever: %u of %u warps arrived%s", id, barrier->arrivals, expected, rest);
}

bool barriers_deadlock(struct block *block)
{
    if (block->worker->run->checking)
        check_stuck(block, NULL, NULL);
    for (uint32_t i = 0; i < block->nwarps; i++)
        for (uint32_t id = 0; id < BARRIERS; id++)
            if (lanes_waiting_at(&block->warps[i], id)) {
                report(&block->warps[i], id);
                return true;
            }
    return false;
}
