/* Divergence and reconvergence: which lanes of a warp run where. Rules: docs/design.md, "The engine". */
#include "engine/run.h"

#include "base/search.h"

#include <assert.h>

static uint32_t count_lanes(uint32_t lanes)
{
    return lanes == ALL_LANES ? LANES : (uint32_t)__builtin_popcount(lanes);
}

static uint32_t lanes_at(const struct warp *warp, uint32_t lanes, uint32_t point)
{
    uint32_t found = 0;
    for (unsigned l = 0; l < LANES; l++)
        found |= (uint32_t)(warp->at[l] == point) << l;
    return found & lanes;
}

/* Lanes that wait at one point have no entries in `at` until a second point comes up. */
void warp_spread(struct warp *warp)
{
    if (!warp->single)
        return;
    for (unsigned l = 0; l < LANES; l++)
        warp->at[l] = warp->lowest;
    warp->single = false;
}

void warp_find_lowest(struct warp *warp)
{
    warp_spread(warp);
    uint32_t lanes = warp->waiting & ~warp->blocked;
    warp->lowest = NO_POINT;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t at = warp->at[__builtin_ctz(lanes)];
        if (at < warp->lowest)
            warp->lowest = at;
    }
}

/* Makes the lanes waiting at `point` run, together with those that run already. */
static const struct step *take_group(struct warp *warp, uint32_t point)
{
    assert(point < warp->func->npoints && warp_sound(warp));
    if (warp->single) {
        if (point == warp->lowest) {
            warp->frame.exec |= warp->waiting;
            warp->waiting = 0;
            warp->lowest = NO_POINT;
            warp->single = false;
        }
        return func_point(warp->func, point);
    }
    uint32_t group = lanes_at(warp, warp->waiting & ~warp->blocked, point);
    warp->frame.exec |= group;
    warp->waiting &= ~group;
    warp_find_lowest(warp);
    assert(warp->frame.exec && warp_sound(warp));
    return func_point(warp->func, point);
}

static void park(struct warp *warp, uint32_t lanes, uint32_t point, bool blocked)
{
    assert(point < warp->func->npoints && !(lanes & warp->waiting) && !(lanes & ~warp->live));
    if (warp->frame.exec == warp->live) { /* nobody has been kept waiting so far */
        warp->fair = FAIR_TURNS;
        warp->hold = 0;
    }
    if (!blocked && lanes && (warp->waiting == 0 || (warp->single && point == warp->lowest))) {
        warp->single = true;
        warp->lowest = point;
        warp->frame.exec &= ~lanes;
        warp->waiting |= lanes;
        return;
    }
    warp_spread(warp);
    for (unsigned l = 0; l < LANES; l++)
        warp->at[l] = lanes >> l & 1 ? point : warp->at[l];
    warp->frame.exec &= ~lanes;
    warp->waiting |= lanes;
    if (blocked)
        warp->blocked |= lanes;
    else if (lanes && point < warp->lowest)
        warp->lowest = point;
}

/* The lowest point of lanes that can run and have not had their turn in this round; then a new round begins. */
static uint32_t next_in_turn(struct warp *warp)
{
    warp_spread(warp);
    uint32_t able = warp->waiting & ~warp->blocked, due = able & ~warp->served, best = NO_POINT;
    warp->served = due ? warp->served : 0;
    for (uint32_t lanes = due ? due : able; lanes; lanes &= lanes - 1) {
        uint32_t at = warp->at[__builtin_ctz(lanes)];
        best = at < best ? at : best;
    }
    assert(!able || best < warp->func->npoints);
    return best;
}

/* Lanes of packed warps that rested can run. False: there are none. */
static bool wake(struct warp *warp)
{
    if (!warp->rested)
        return false;
    warp->blocked &= ~warp->rested;
    warp->rested = 0;
    warp_find_lowest(warp);
    return true;
}

/* The packed warps that have had their turn in this round rest. */
static const struct step *change_threads(struct warp *warp, uint32_t point)
{
    warp->fair = FAIR_TURNS;
    warp->served |= func_whole(warp->func, warp->frame.exec);
    park(warp, warp->frame.exec, point, false);
    wake(warp);
    uint32_t able = warp->waiting & ~warp->blocked;
    warp->served = able & ~warp->served ? warp->served : 0;
    warp->rested = able & warp->served;
    warp->blocked |= warp->rested;
    warp_find_lowest(warp);
    return take_group(warp, warp->lowest);
}

const struct step *warp_change(struct warp *warp, uint32_t point)
{
    if (warp->packed)
        return change_threads(warp, point);
    uint32_t ran = warp->frame.exec;
    warp->fair = FAIR_TURNS;
    warp->hold = FAIR_TURNS;
    if (warp->lowest == NO_POINT)
        return func_point(warp->func, point);
    warp->served |= ran;
    uint32_t next = next_in_turn(warp);
    park(warp, ran, point, false);
    const struct step *step = take_group(warp, next);
    warp->served |= ran | warp->frame.exec;
    return step;
}

/* The point just before an instruction; points are in layout order. NO_POINT: it has none. */
static uint32_t point_of(const struct func *func, const struct decoded *decoded)
{
    uint32_t index = (uint32_t)(decoded - func->decoded);
    assert(index < func->ndecoded);
    uint32_t point = search_keys(func->decoded_at, sizeof index, func->npoints, sizeof index, index);
    return point < func->npoints && func->decoded_at[point] == index ? point : NO_POINT;
}

void warp_change_call(struct warp *warp)
{
    uint32_t point = warp->pc ? point_of(warp->func, warp_at(warp)) : NO_POINT;
    if (point == NO_POINT || !calls_able(warp))
        return;
    park(warp, warp->frame.exec, point, false);
    warp->pc = NULL;
    calls_next(warp);
}

/* The running lanes have used their turns up at `point`. Every other change is put off (turns.c); a seeded order
 * changes between accesses by itself; of packed warps none runs on while lanes of it are behind. */
static const struct step *use_up(struct warp *warp, uint32_t point)
{
    if (++warp->used_up % 2 || warp->worker->run->launch->order == ATOLL_ORDER_SEEDED ||
        (warp->packed && point > warp->lowest))
        return warp_change(warp, point);
    warp->fair = FAIR_TURNS;
    warp->hold = warp->packed ? 0 : FAIR_TURNS;
    warp->change_put_off = true;
    warp->pc = func_point(warp->func, point);
    return NULL;
}

const struct step *warp_goto(struct warp *warp, uint32_t point)
{
    const struct step *step = take_group(warp, point);
    if (warp->lowest == NO_POINT && !warp->rested)
        return step;
    if (warp->hold) {
        warp->hold--;
        return step;
    }
    if (warp_changes(warp) && --warp->fair < 0)
        return use_up(warp, point);
    if (point <= warp->lowest)
        return step;
    park(warp, warp->frame.exec, point, false);
    return take_group(warp, warp->lowest);
}

const struct step *warp_split(struct warp *warp, uint32_t taken, uint32_t point, uint32_t other)
{
    if (warp->stacked)
        return stack_split(warp, taken, point, other);
    uint32_t stay = warp->frame.exec & ~taken;
    assert(taken && stay && !(taken & ~warp->frame.exec));
    warp->divergent++;
    if (point < other) {
        park(warp, stay, other, false);
        return warp_goto(warp, point);
    }
    park(warp, taken, point, false);
    return warp_goto(warp, other);
}

void warp_leave(struct warp *warp, uint32_t lanes, uint32_t point)
{
    park(warp, lanes, point, false);
}

void warp_block(struct warp *warp, uint32_t lanes, uint32_t point)
{
    park(warp, lanes, point, true);
}

void warp_unblock(struct warp *warp, uint32_t lanes)
{
    calls_unblock(warp, lanes);
    if (!(warp->blocked & lanes))
        return;
    warp->blocked &= ~lanes;
    warp_find_lowest(warp);
}

const struct step *warp_park(struct warp *warp, uint32_t point, bool blocked)
{
    park(warp, warp->frame.exec, point, blocked);
    return warp_next(warp);
}

/* Nobody else can come to the warp-level rendezvous: those who are there go on (named choice). */
static bool give_up_waiting(struct warp *warp)
{
    uint32_t lanes = warp->arrived & warp->live;
    warp->arrived = 0;
    if (lanes)
        warp_unblock(warp, lanes);
    return lanes != 0;
}

const struct step *warp_next(struct warp *warp)
{
    if (warp->stacked)
        return stack_next(warp);
    while (warp->lowest == NO_POINT)
        if (!wake(warp) && !calls_over(warp) && !calls_next(warp) && !give_up_waiting(warp)) {
            warp->pc = NULL;
            warp->state = warp->live ? WARP_BLOCKED : WARP_DONE;
            return NULL;
        }
    return take_group(warp, warp->lowest);
}

uint32_t warp_incomplete(const struct warp *warp, const uint32_t masks[LANES], uint32_t lanes, uint32_t here)
{
    uint32_t able = (warp->waiting & ~warp->blocked) | calls_able(warp), hold = 0;
    for (uint32_t same, left = lanes; left; left &= ~same) {
        same = lanes_like_first(masks, left);
        if (masks[__builtin_ctz(left)] & warp->live & ~here & able)
            hold |= same;
    }
    return hold;
}

void warp_gather(struct warp *warp, const struct decoded *at)
{
    assert(at->before < warp->func->npoints && warp->frame.exec);
    warp_spread(warp);
    uint32_t here = lanes_at(warp, warp->arrived & warp->waiting, at->before);
    warp->waiting &= ~here;
    warp->blocked &= ~here;
    warp->arrived &= ~here;
    warp->frame.exec |= here;
}

bool warp_hold(struct warp *warp, const struct decoded *at, uint32_t lanes, const struct step **next)
{
    warp->arrived |= lanes;
    if (lanes != warp->frame.exec) {
        park(warp, lanes, at->before, true);
        warp->frame.exec &= ~lanes;
        return false;
    }
    *next = warp_park(warp, at->before, true);
    return true;
}

const struct step *warp_exit(struct warp *warp, uint32_t lanes)
{
    struct block *block = warp->block;
    assert(lanes && !(lanes & ~warp->frame.exec) && !(lanes & ~warp->live));
    assert(block->live >= count_lanes(lanes));
    warp->live &= ~lanes;
    warp->frame.exec &= ~lanes;
    block->live -= count_lanes(lanes);
    if (warp->worker->run->checking)
        check_exit(warp, lanes);
    if (!warp->live)
        warps_remove(&block->live_warps, warp->number);
    if (block->phases)
        barriers_exit(warp);
    return warp->frame.exec ? NULL : warp_next(warp);
}
