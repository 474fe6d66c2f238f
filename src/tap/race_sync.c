/* What orders threads: barriers, fences, releases that are acquired (PTX ISA, "Release and Acquire Patterns",
 * "Synchronizing Operations"). */
#include "base/bitset.h"
#include "tap/race.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_HANDED = 64 };

/* ---- what was passed on ------------------------------------------------------------------------------------- */

static size_t place_of(const struct race *race, uint64_t place)
{
    size_t i = (size_t)((place * UINT64_C(0x9e3779b97f4a7c15)) >> 24) & (race->room_handed - 1);
    while (race->handed[i].place && race->handed[i].place != place)
        i = (i + 1) & (race->room_handed - 1);
    return i;
}

static bool handed_grow(struct race *race)
{
    struct handed *old = race->handed;
    size_t count = race->room_handed, more = count ? 2 * count : FIRST_HANDED;
    struct handed *table = room_take(&race->room, more * sizeof *table);
    if (!table)
        return false;
    race->handed = table;
    race->room_handed = more;
    for (size_t i = 0; i < count; i++)
        if (old[i].place)
            table[place_of(race, old[i].place)] = old[i];
    room_give(&race->room, old, count * sizeof *old);
    return true;
}

static void handed_drop(struct race *race, struct handed *handed)
{
    view_drop(&race->room, &handed->view[REACH_CTA]);
    view_drop(&race->room, &handed->view[REACH_ALL]);
    view_drop(&race->room, &handed->over);
}

/* What is passed on where the actor's lane accesses memory. NULL: nothing, or no memory. */
static struct handed *handed_find(struct race *race, const struct actor *actor, bool make)
{
    uint64_t place = (uint64_t)actor->access->at[actor->lane], block = actor->slot->block.number;
    bool shared = actor->access->shared;
    if (!make && !race->nhanded)
        return NULL;
    if (make && 2 * race->nhanded >= race->room_handed && !handed_grow(race))
        return NULL;
    struct handed *handed = &race->handed[place_of(race, place)];
    if (!handed->place && !make)
        return NULL;
    if (!handed->place) {
        race->nhanded++;
        *handed = (struct handed){.place = place, .cta = UINT64_MAX, .block = shared ? block : UINT64_MAX};
    }
    if (shared && handed->block != block) { /* of the block that had this memory before */
        handed_drop(race, handed);
        handed->block = block;
    }
    return handed;
}

static struct fenced *fenced_of(struct race *race, struct thread *thread)
{
    if (!thread->fenced)
        thread->fenced = room_take(&race->room, sizeof *thread->fenced);
    return thread->fenced;
}

/* All that a thread knew at a time, itself included, as lists. */
static void snapshot(struct race *race, const struct slot *slot, uint32_t number, const struct passed *passed,
                     struct view *out)
{
    uint64_t block = slot->block.number;
    view_set(&race->room, out, &passed->view);
    if (passed->block_known)
        clock_add(&race->room, &out->seen, clock_block(block), passed->block_known);
    if (passed->warp_known > passed->block_known)
        clock_add(&race->room, &out->seen, clock_warp(block, number / slot->block.warp_lanes), passed->warp_known);
    uint64_t self =
        race->launch->lockstep ? clock_warp(block, number / slot->block.warp_lanes) : clock_thread(block, number);
    if (passed->time > passed->block_known)
        clock_add(&race->room, &out->seen, self, passed->time);
}

static struct passed passed_now(const struct slot *slot, const struct thread *thread)
{
    uint32_t known = thread->block_known > slot->known ? thread->block_known : slot->known;
    return (struct passed){true, slot->now, known, thread->warp_known, thread->view};
}

/* ---- barrier objects ------------------------------------------------------------------------------------------ */

static bool is_object(const struct tap_access *access)
{
    return lane_is(access->inst->op, LANE_OBJECT);
}

/* A test learns of phases that are over, not of arrivals for the one under way (PTX ISA, "mbarrier"). The phase may
 * have ended since the object was accessed last. */
static uint32_t object_look(struct race *race, const struct actor *actor, struct handed *handed)
{
    bool odd;
    uint32_t pending = race->launch->engine->object(actor->access->at[actor->lane], &odd);
    if (handed->odd != odd) {
        view_join(&race->room, &handed->over, &handed->view[REACH_CTA]);
        view_drop(&race->room, &handed->view[REACH_CTA]);
    }
    handed->odd = odd;
    return pending;
}

/* Where lanes arrive that are more than the phase waits for, more than one phase may end at once. */
static void object_arrive(struct race *race, const struct actor *actor, struct handed *handed)
{
    if ((uint32_t)__builtin_popcount(actor->access->lanes) > object_look(race, actor, handed))
        view_join(&race->room, &handed->over, &handed->view[REACH_CTA]);
}

/* ---- strong accesses ------------------------------------------------------------------------------------------ */

void race_chain_put(struct race *race, uint32_t index, uint32_t before)
{
    uint32_t chunk = index / CHUNK;
    if (chunk >= race->room_chains) {
        uint32_t more = 2 * chunk + 16;
        uint32_t **chains = room_take(&race->room, more * sizeof *chains);
        if (!chains)
            return;
        for (uint32_t i = 0; i < race->room_chains; i++)
            chains[i] = race->chains[i];
        room_give(&race->room, race->chains, race->room_chains * sizeof *chains);
        race->chains = chains;
        race->room_chains = more;
    }
    if (!race->chains[chunk])
        race->chains[chunk] = room_take(&race->room, CHUNK * sizeof **race->chains);
    if (race->chains[chunk])
        race->chains[chunk][index % CHUNK] = before;
}

/* What the load sees: who stored it, and why that may order nothing. For the cause of what is found later. */
static void remember(struct race *race, const struct actor *actor, uint32_t before, bool out_of_reach)
{
    const struct tap_access *a = actor->access;
    struct flags *flags = &actor->thread->flags[a->shared];
    if (!race_flags(a))
        return;
    const struct record *record = record_at(actor->shadow, before / LANES);
    bool mine = record->block == actor->slot->block.number;
    if (mine && record->warp == a->warp && race_lane(race, before % LANES) == race_lane(race, actor->lane))
        return;
    if (a->kind == TAP_UPDATE && !a->shared)
        race_chain_put(race, actor->record, before / LANES);
    if (flags->count && flags->list[(flags->count - 1) % FLAGS].ref == before) /* again: a loop that waits */
        return;
    bool narrow = !mine && (out_of_reach || tap_cta(record->scope) || tap_cta(a->scope));
    uint8_t reason = !tap_strong(record->kind, record->order) ? SEEN_WEAK : narrow ? SEEN_SCOPE : SEEN_FENCE;
    flags->list[flags->count++ % FLAGS] = (struct flag){before, actor->slot->now, reason};
    actor->slot->flags = true;
}

/* What a thread reads of what was passed on: at once, or by a fence behind it. */
static void learn(struct race *race, const struct actor *actor, unsigned reach, const struct view *view)
{
    struct thread *thread = actor->thread;
    if (view_empty(view))
        return;
    actor->slot->lists = true;
    if (tap_acquires(actor->access->order))
        view_join(&race->room, &thread->view, view);
    else if (fenced_of(race, thread) && (race->fences = true))
        view_join(&race->room, &thread->fenced->pending[reach], view);
}

void race_acquire(struct race *race, const struct actor *actor, uint32_t before)
{
    const struct tap_access *a = actor->access;
    struct handed *handed = handed_find(race, actor, false);
    uint64_t block = actor->slot->block.number;
    bool out_of_reach = handed && handed->cta != block && view_empty(&handed->view[REACH_ALL]) &&
                        !view_empty(&handed->view[REACH_CTA]); /* passed on, but to another block */
    if (handed && is_object(a)) {
        object_look(race, actor, handed);
        learn(race, actor, REACH_CTA, &handed->over);
        return;
    }
    for (unsigned reach = 0; handed && reach < REACHES; reach++)
        if (reach == REACH_CTA ? handed->cta == block : !tap_cta(a->scope))
            learn(race, actor, reach, &handed->view[reach]);
    if (before)
        remember(race, actor, before, out_of_reach);
}

/* What a store passes on, by how far it reaches. False: nothing. */
static bool passes(struct race *race, const struct actor *actor, unsigned reach, struct view *out)
{
    const struct thread *thread = actor->thread;
    uint32_t number = race_number(actor->slot, actor->access->warp, actor->lane);
    struct passed now = passed_now(actor->slot, thread);
    const struct passed *passed = tap_releases(actor->access->order) ? &now
                                  : thread->fenced                   ? &thread->fenced->at[reach]
                                                                     : NULL;
    if (!passed || !passed->given)
        return false;
    snapshot(race, actor->slot, number, passed, out);
    return true;
}

static void hand(struct race *race, const struct actor *actor, struct handed *handed, unsigned reach)
{
    struct view view = {0};
    if (passes(race, actor, reach, &view))
        view_join(&race->room, &handed->view[reach], &view);
    view_drop(&race->room, &view);
}

/* A store behind a flag hands that on, be there a fence or not: for the cause of what is found later. */
static void follow(struct race *race, const struct actor *actor)
{
    const struct flags *flags = &actor->thread->flags[0];
    if (flags->count && actor->access->kind == TAP_STORE && !actor->access->shared)
        race_chain_put(race, actor->record, flags->list[(flags->count - 1) % FLAGS].ref / LANES);
}

void race_release(struct race *race, const struct actor *actor)
{
    const struct tap_access *a = actor->access;
    follow(race, actor);
    bool some = tap_releases(a->order) || actor->thread->fenced;
    struct handed *handed = some || race->nhanded ? handed_find(race, actor, some) : NULL;
    if (!handed)
        return;
    uint64_t block = actor->slot->block.number;
    if (is_object(a))
        object_look(race, actor, handed);
    if (a->kind == TAP_STORE &&
        !(a->stale >> actor->lane & 1)) /* what reads it sees nothing of what was passed on here before */
        handed_drop(race, handed);
    if (handed->cta != block) {
        view_drop(&race->room, &handed->view[REACH_CTA]);
        handed->cta = block;
    }
    if (!some)
        return;
    hand(race, actor, handed, REACH_CTA);
    if (!tap_cta(a->scope))
        hand(race, actor, handed, REACH_ALL);
    if (is_object(a))
        object_arrive(race, actor, handed);
}

/* ---- fences --------------------------------------------------------------------------------------------------- */

static void fence_lane(struct race *race, struct slot *slot, struct thread *thread, uint8_t scope)
{
    struct fenced *fenced = fenced_of(race, thread);
    unsigned last = tap_cta(scope) ? REACH_CTA : REACH_ALL;
    for (unsigned reach = 0; fenced && reach <= last; reach++) {
        view_join(&race->room, &thread->view, &fenced->pending[reach]);
        view_drop(&race->room, &fenced->pending[reach]);
    }
    slot->lists |= !view_empty(&thread->view);
    for (unsigned reach = 0; fenced && reach <= last; reach++) {
        struct view old = fenced->at[reach].view;
        fenced->at[reach] = passed_now(slot, thread);
        fenced->at[reach].view = (struct view){0};
        view_set(&race->room, &fenced->at[reach].view, &thread->view);
        view_drop(&race->room, &old);
    }
    race->fences = true;
}

static void proxy_fence_lane(struct race *race, struct slot *slot, uint32_t number, struct thread *thread)
{
    struct view all = {0};
    struct passed now = passed_now(slot, thread);
    snapshot(race, slot, number, &now, &all);
    clock_join(&race->room, &thread->view.proxied, all.seen);
    view_drop(&race->room, &all);
    slot->lists = true;
}

/* ---- meetings of threads ---------------------------------------------------------------------------------------- */

/* One of some lanes, where it stands for all. */
static uint32_t one_of(const struct race *race, uint32_t lanes)
{
    return race->launch->lockstep ? lanes & -lanes : lanes;
}

/* What `lanes` of a warp know together; the result knows what *view knew, too. */
static void gather(struct race *race, const struct slot *slot, uint32_t warp, uint32_t lanes, struct view *view,
                   uint32_t *known, uint32_t *warp_known)
{
    for (lanes = one_of(race, lanes); lanes; lanes &= lanes - 1) {
        const struct thread *thread = race_thread(race, slot, warp, (unsigned)__builtin_ctz(lanes));
        if (slot->lists)
            view_join(&race->room, view, &thread->view);
        *known = thread->block_known > *known ? thread->block_known : *known;
        *warp_known = thread->warp_known > *warp_known ? thread->warp_known : *warp_known;
    }
}

static void spread(struct race *race, struct slot *slot, uint32_t warp, uint32_t lanes, const struct view *view,
                   uint32_t known, uint32_t warp_known)
{
    for (lanes = one_of(race, lanes); lanes; lanes &= lanes - 1) {
        struct thread *thread = race_thread(race, slot, warp, (unsigned)__builtin_ctz(lanes));
        if (slot->lists)
            view_join(&race->room, &thread->view, view);
        thread->block_known = known > thread->block_known ? known : thread->block_known;
        thread->warp_known = warp_known > thread->warp_known ? warp_known : thread->warp_known;
    }
}

static void warp_sync(struct race *race, struct slot *slot, const struct tap_order *order)
{
    struct view view = {0};
    uint32_t known = 0, warp_known = 0, time = slot->now++;
    gather(race, slot, order->warp, order->lanes, &view, &known, &warp_known);
    if (order->whole)
        warp_known = time;
    for (uint32_t left = order->whole ? 0 : order->lanes; left; left &= left - 1) {
        uint32_t number = race_number(slot, order->warp, (unsigned)__builtin_ctz(left));
        clock_add(&race->room, &view.seen, clock_thread(slot->block.number, number), time);
        slot->lists = true;
    }
    spread(race, slot, order->warp, order->lanes, &view, known, warp_known);
    view_drop(&race->room, &view);
}

/* A warp arrives and goes on: what it knows now is what the barrier passes on. */
static void arrive(struct race *race, struct slot *slot, const struct tap_order *order)
{
    struct meeting *meeting = &slot->meetings[order->id];
    uint32_t warp_known = 0;
    bitset_add(meeting->early, order->warp);
    gather(race, slot, order->warp, order->lanes, &meeting->view, &meeting->known, &warp_known);
    clock_add(&race->room, &meeting->view.seen, clock_warp(slot->block.number, order->warp), slot->now++);
    slot->lists = true;
}

/* The last phase may be over before a thread that has arrived comes back for it. */
static void await(struct race *race, struct slot *slot, const struct tap_order *order)
{
    const struct meeting *meeting = &slot->meetings[order->id];
    if (!view_empty(&meeting->last))
        spread(race, slot, order->warp, order->lanes, &meeting->last, meeting->last_known, 0);
}

bool race_order(struct race *race, const struct tap_order *order)
{
    struct slot *slot = &race->slots[order->slot];
    switch (order->what) {
    case TAP_WARP_SYNC:
        warp_sync(race, slot, order);
        break;
    case TAP_ARRIVE:
        arrive(race, slot, order);
        break;
    case TAP_COME:
        bitset_add(slot->meetings[order->id].waits, order->warp);
        break;
    case TAP_AWAIT:
        await(race, slot, order);
        break;
    default:
        for (uint32_t left = one_of(race, order->lanes); left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            struct thread *thread = race_thread(race, slot, order->warp, lane);
            if (order->what == TAP_FENCE)
                fence_lane(race, slot, thread, order->scope);
            else
                proxy_fence_lane(race, slot, race_number(slot, order->warp, lane), thread);
        }
        slot->now++;
    }
    return !race->room.failed;
}

/* Those that stand for others are so far apart; are they, or those that they stand for, at the barrier? */
static uint32_t apart(const struct race *race, const struct slot *slot)
{
    return race->launch->lockstep ? slot->block.warp_lanes : 1;
}

static bool is_live(const struct race *race, const struct slot *slot, const struct tap_barrier *barrier, uint32_t i)
{
    uint32_t live = barrier->live[i / slot->block.warp_lanes];
    return race->launch->lockstep ? live != 0 : live >> i % slot->block.warp_lanes & 1;
}

/* Named choice: where all threads of a block have a fence before a barrier, one thread's strong store behind it passes
 * on what all of them did, as on hardware. (The PTX ISA asks for a fence in the thread that stores.) */
static void carry_fences(struct race *race, struct slot *slot, const struct tap_barrier *barrier,
                         const struct view *all, uint32_t before, uint32_t time)
{
    uint32_t step = apart(race, slot);
    for (unsigned reach = 0; reach < REACHES; reach++) {
        bool every = true;
        for (uint32_t i = 0; every && i < slot->block.threads; i += step) {
            const struct fenced *fenced = slot->threads[i].fenced;
            every = !is_live(race, slot, barrier, i) ||
                    (fenced && fenced->at[reach].given && fenced->at[reach].time > before);
        }
        for (uint32_t i = 0; every && i < slot->block.threads; i += step) {
            struct fenced *fenced = slot->threads[i].fenced;
            if (!fenced)
                continue;
            view_set(&race->room, &fenced->at[reach].view, all);
            fenced->at[reach].time = fenced->at[reach].block_known = time;
        }
    }
}

/* The same of what is learned: a fence behind the barrier counts for what a thread's strong load before it saw. */
static void carry_pending(struct race *race, struct slot *slot, const struct tap_barrier *barrier)
{
    struct view all[REACHES] = {{0}};
    uint32_t step = apart(race, slot);
    for (uint32_t i = 0; i < slot->block.threads; i += step)
        for (unsigned reach = 0; slot->threads[i].fenced && reach < REACHES; reach++)
            view_join(&race->room, &all[reach], &slot->threads[i].fenced->pending[reach]);
    bool some = !view_empty(&all[REACH_CTA]) || !view_empty(&all[REACH_ALL]);
    for (uint32_t i = 0; some && i < slot->block.threads; i += step) {
        struct fenced *fenced = is_live(race, slot, barrier, i) ? fenced_of(race, &slot->threads[i]) : NULL;
        for (unsigned reach = 0; fenced && reach < REACHES; reach++)
            view_set(&race->room, &fenced->pending[reach], &all[reach]);
    }
    view_drop(&race->room, &all[REACH_CTA]);
    view_drop(&race->room, &all[REACH_ALL]);
}

/* All threads of the block have met. */
static void meet_whole(struct race *race, struct slot *slot, const struct tap_barrier *barrier)
{
    struct view all = {0};
    uint32_t before = slot->known, known = 0, warp_known = 0, warps = slot->room_threads / slot->block.warp_lanes;
    slot->known = slot->now++;
    for (uint32_t w = 0; slot->lists && w < warps; w++)
        gather(race, slot, w, barrier->live[w], &all, &known, &warp_known);
    for (uint32_t w = 0; slot->lists && w < warps; w++)
        spread(race, slot, w, barrier->live[w], &all, 0, 0);
    if (race->fences) {
        carry_fences(race, slot, barrier, &all, before, slot->known);
        carry_pending(race, slot, barrier);
    }
    view_drop(&race->room, &all);
}

/* Some have: warps that wait know what all that came knew when they came. */
static void meet_some(struct race *race, struct slot *slot, const struct tap_barrier *barrier, struct meeting *meeting)
{
    uint32_t time = slot->now++, known = meeting->known, warp_known = 0;
    uint32_t warps = slot->room_threads / slot->block.warp_lanes;
    slot->lists = true;
    for (uint32_t w = 0; w < warps; w++) {
        if (!bitset_has(barrier->arrived, w) || !bitset_has(meeting->waits, w))
            continue;
        gather(race, slot, w, barrier->live[w], &meeting->view, &known, &warp_known);
        clock_add(&race->room, &meeting->view.seen, clock_warp(slot->block.number, w), time);
    }
    for (uint32_t w = 0; w < warps; w++) {
        bool waits = bitset_has(barrier->arrived, w) && bitset_has(meeting->waits, w);
        spread(race, slot, w, waits ? barrier->live[w] : barrier->waiting[w], &meeting->view, known, 0);
    }
    view_set(&race->room, &meeting->last, &meeting->view);
    meeting->last_known = known;
}

bool race_barrier(struct race *race, const struct tap_barrier *barrier)
{
    struct slot *slot = &race->slots[barrier->slot];
    struct meeting *meeting = &slot->meetings[barrier->id];
    bool early = false;
    for (unsigned i = 0; i < TAP_WARPS / 64; i++)
        early |= meeting->early[i] != 0;
    if (barrier->whole && !early)
        meet_whole(race, slot, barrier);
    else
        meet_some(race, slot, barrier, meeting);
    memset(meeting->early, 0, sizeof meeting->early);
    memset(meeting->waits, 0, sizeof meeting->waits);
    view_drop(&race->room, &meeting->view);
    meeting->known = 0;
    return !race->room.failed;
}

/* ---- the end ------------------------------------------------------------------------------------------------- */

static void forget_fenced(struct race *race, struct thread *thread)
{
    for (unsigned reach = 0; thread->fenced && reach < REACHES; reach++) {
        view_drop(&race->room, &thread->fenced->at[reach].view);
        view_drop(&race->room, &thread->fenced->pending[reach]);
    }
    room_give(&race->room, thread->fenced, thread->fenced ? sizeof *thread->fenced : 0);
}

void race_forget(struct race *race, struct slot *slot)
{
    if (slot->threads && !slot->lists && !race->fences) /* no thread has anything else */
        memset(slot->threads, 0, slot->room_threads * sizeof *slot->threads);
    for (uint32_t i = 0; slot->threads && (slot->lists || race->fences) && i < slot->room_threads; i++) {
        forget_fenced(race, &slot->threads[i]);
        view_drop(&race->room, &slot->threads[i].view);
        slot->threads[i] = (struct thread){0};
    }
    for (unsigned i = 0; i < TAP_BARRIERS; i++) {
        view_drop(&race->room, &slot->meetings[i].view);
        view_drop(&race->room, &slot->meetings[i].last);
        slot->meetings[i] = (struct meeting){.known = 0};
    }
    slot->lists = slot->flags = false;
}

void race_close_sync(struct race *race)
{
    for (uint32_t i = 0; i < race->room_chains; i++)
        free(race->chains[i]);
    free(race->chains);
    for (size_t i = 0; i < race->room_handed; i++)
        handed_drop(race, &race->handed[i]);
    free(race->handed);
}
