/* All that happens to a few bytes of memory: who reads and writes them, when, and what they are before and after. An
 * access is told when the next instruction of any warp begins: then it is over. */
#include "tap/check.h"

#include <stdlib.h>
#include <string.h>

/* Who was there last. */
struct last {
    bool any;
    uint64_t block, barriers;  /* how many the block had seen */
    uint32_t warp, lanes, met; /* met: lanes of the warp that have met those since */
    uint32_t slot;
};

struct slot {
    uint64_t block, barriers;
    uint32_t warp_lanes;
};

struct history {
    const struct tap_launch *launch;
    struct slot *slots;
    struct last *lasts;
    struct tap_touch *pending; /* one for each watch at most, npending of them */
    uint32_t npending;
    uint64_t when;
};

static void history_close(void *state)
{
    struct history *h = state;
    if (h) {
        free(h->slots);
        free(h->lasts);
        free(h->pending);
    }
    free(h);
}

static bool history_open(const struct tap_launch *launch, void **state)
{
    struct history *h = calloc(1, sizeof *h);
    if (!h)
        return false;
    h->launch = launch;
    h->slots = calloc(launch->slots, sizeof *h->slots);
    h->lasts = calloc(launch->nwatches, sizeof *h->lasts);
    h->pending = calloc(2 * (size_t)launch->nwatches, sizeof *h->pending); /* generic addresses: two events */
    if (h->slots && h->lasts && h->pending) {
        *state = h;
        return true;
    }
    history_close(h);
    return false;
}

static void tell(struct history *h)
{
    for (uint32_t i = 0; i < h->npending; i++) {
        struct tap_touch *touch = &h->pending[i];
        const struct tap_watch *watch = &h->launch->watches[touch->watch];
        memcpy(touch->after, watch->at, watch->bytes);
        h->launch->engine->touched(h->launch->engine->self, touch);
    }
    h->npending = 0;
}

static bool history_block(void *state, const struct tap_block *block)
{
    struct history *h = state;
    tell(h);
    h->slots[block->slot] = (struct slot){block->number, 0, block->warp_lanes};
    return true;
}

static bool history_step(void *state, const struct tap_step *step)
{
    struct history *h = state;
    (void)step;
    tell(h);
    h->when++;
    return true;
}

/* What orders an access behind the one before it, as far as programs and barriers tell. */
static const char *order_of(const struct history *h, const struct last *last, const struct tap_access *access,
                            uint32_t lanes)
{
    const struct slot *slot = &h->slots[access->slot];
    if (!last->any)
        return "first";
    if (last->block != slot->block)
        return "";
    bool warp = last->warp == access->warp;
    if (warp && last->lanes == lanes && !(lanes & (lanes - 1)))
        return "the same thread";
    if (warp && h->launch->lockstep)
        return "lanes in step";
    if (last->barriers != slot->barriers)
        return "a barrier of the block";
    return warp && !(lanes & ~last->met) ? "a barrier of the warp" : "";
}

static uint32_t lanes_there(const struct tap_watch *watch, const struct tap_access *access, uint32_t warp_lanes)
{
    uint32_t there = 0;
    uint32_t threads = access->lanes & tap_threads(warp_lanes);
    for (uint32_t left = threads ? threads : access->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uintptr_t at = (uintptr_t)access->at[lane], own = (uintptr_t)watch->at;
        there |= (uint32_t)(at < own + watch->bytes && own < at + access->bytes) << lane;
    }
    return there;
}

static bool history_access(void *state, const struct tap_access *access)
{
    struct history *h = state;
    const struct slot *slot = &h->slots[access->slot];
    for (uint32_t i = 0; i < h->launch->nwatches; i++) {
        const struct tap_watch *watch = &h->launch->watches[i];
        uint32_t lanes = lanes_there(watch, access, slot->warp_lanes);
        if (!lanes || h->npending == 2 * h->launch->nwatches)
            continue;
        struct tap_touch *touch = &h->pending[h->npending++];
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        *touch = (struct tap_touch){.watch = i,
                                    .site = access->site,
                                    .lanes = (uint32_t)__builtin_popcount(lanes),
                                    .when = h->when,
                                    .side = {.site = access->site,
                                             .kind = access->kind,
                                             .order = access->order,
                                             .proxy = access->proxy,
                                             .block = slot->block,
                                             .thread = tap_thread(slot->warp_lanes, access->warp, lane)},
                                    .order = order_of(h, &h->lasts[i], access, lanes)};
        memcpy(touch->before, watch->at, watch->bytes);
        h->lasts[i] = (struct last){true, slot->block, slot->barriers, access->warp, lanes, 0, access->slot};
    }
    return true;
}

static bool history_order(void *state, const struct tap_order *order)
{
    struct history *h = state;
    if (order->what != TAP_WARP_SYNC)
        return true;
    for (uint32_t i = 0; i < h->launch->nwatches; i++) {
        struct last *last = &h->lasts[i];
        if (last->any && last->block == h->slots[order->slot].block && last->warp == order->warp &&
            !(last->lanes & ~order->lanes))
            last->met |= order->lanes;
    }
    return true;
}

/* Of all threads of the block; those of some are not told as an order. */
static bool history_barrier(void *state, const struct tap_barrier *barrier)
{
    struct history *h = state;
    h->slots[barrier->slot].barriers += barrier->whole;
    return true;
}

static bool history_end(void *state)
{
    tell(state);
    return true;
}

const struct check check_history = {.name = "history",
                                    .open = history_open,
                                    .close = history_close,
                                    .block = history_block,
                                    .step = history_step,
                                    .access = history_access,
                                    .order = history_order,
                                    .barrier = history_barrier,
                                    .end = history_end};
