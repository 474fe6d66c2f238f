/* What a launch does with its time: counts of each instruction, and which warp ran when. Time is counted in warp
 * instructions of the whole launch, as one host thread carries them out. */
#include "tap/check.h"

#include <stdlib.h>

/* A warp of a slot: what it did last, to know which branch its lanes parted at. */
struct warp_state {
    bool began; /* the count goes on from blocks before */
    uint32_t site;
    uint64_t diverged;
};

struct slot {
    bool used;
    uint64_t block, begin, last; /* when the block began; when one of its warps ran last */
    struct warp_state warps[TAP_WARPS];
};

struct profile {
    const struct tap_launch *launch;
    struct slot *slots;
    struct tap_count *counts; /* of each site */
    struct tap_slice turn;    /* under way: end 0, none */
    uint64_t when;
};

static void profile_close(void *state)
{
    struct profile *p = state;
    if (p) {
        free(p->slots);
        free(p->counts);
    }
    free(p);
}

static bool profile_open(const struct tap_launch *launch, void **state)
{
    struct profile *p = calloc(1, sizeof *p);
    if (!p)
        return false;
    p->launch = launch;
    p->slots = calloc(launch->slots, sizeof *p->slots);
    p->counts = calloc(launch->sites, sizeof *p->counts);
    if (p->slots && p->counts) {
        *state = p;
        return true;
    }
    profile_close(p);
    return false;
}

static void turn_end(struct profile *p)
{
    if (p->turn.end)
        p->launch->engine->ran(p->launch->engine->self, &p->turn);
    p->turn.end = 0;
}

static void block_end(struct profile *p, uint32_t slot)
{
    const struct slot *s = &p->slots[slot];
    const struct tap_slice slice = {.slot = slot, .block = s->block, .begin = s->begin, .end = s->last};
    if (s->used)
        p->launch->engine->ran(p->launch->engine->self, &slice);
}

static bool profile_block(void *state, const struct tap_block *block)
{
    struct profile *p = state;
    turn_end(p);
    block_end(p, block->slot);
    p->slots[block->slot] = (struct slot){.used = true, .block = block->number, .begin = p->when, .last = p->when};
    return true;
}

static bool profile_step(void *state, const struct tap_step *step)
{
    struct profile *p = state;
    struct slot *slot = &p->slots[step->slot];
    struct tap_count *count = &p->counts[step->site];
    struct warp_state *warp = &slot->warps[step->warp % TAP_WARPS];
    uint32_t lanes = (uint32_t)__builtin_popcount(step->there);
    if (warp->began && step->diverged > warp->diverged)
        p->counts[warp->site].divergent += step->diverged - warp->diverged;
    *warp = (struct warp_state){true, step->site, step->diverged};
    if (p->turn.end && (p->turn.slot != step->slot || p->turn.warp != step->warp))
        turn_end(p);
    if (!p->turn.end)
        p->turn = (struct tap_slice){
            .turn = true, .slot = step->slot, .warp = step->warp, .block = slot->block, .begin = p->when};
    p->turn.end = slot->last = ++p->when;
    p->turn.lanes += lanes;
    count->executions++;
    count->lanes += lanes;
    return true;
}

static bool profile_access(void *state, const struct tap_access *access)
{
    struct profile *p = state;
    struct tap_count *count = &p->counts[access->site];
    uint32_t lanes = (uint32_t)__builtin_popcount(access->lanes);
    count->accesses += lanes;
    count->bytes += (uint64_t)lanes * access->bytes;
    return true;
}

static bool profile_end(void *state)
{
    struct profile *p = state;
    turn_end(p);
    for (uint32_t i = 0; i < p->launch->slots; i++)
        block_end(p, i);
    for (uint32_t i = 0; i < p->launch->sites; i++)
        if (p->counts[i].executions)
            p->launch->engine->counted(p->launch->engine->self, i, &p->counts[i]);
    return true;
}

const struct check check_profile = {.name = "profile",
                                    .open = profile_open,
                                    .close = profile_close,
                                    .block = profile_block,
                                    .step = profile_step,
                                    .access = profile_access,
                                    .end = profile_end};
