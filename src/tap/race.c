/* Accesses: what is in the way of each, and what stays of it (race.h). */
#include "tap/race.h"

#include <stdlib.h>
#include <string.h>

bool race_before(const struct race *race, const struct actor *actor, const struct record *record, unsigned lane,
                 bool proxies)
{
    const struct slot *slot = actor->slot;
    const struct thread *thread = actor->thread;
    bool mine = record->block == slot->block.number;
    uint32_t number = race_number(slot, record->warp, lane), warp = actor->access->warp;
    /* PTX ISA, "Proxy-preserved base causality order": one way to memory, and of others than the generic one within a
     * block; or a fence between them. */
    if (proxies && (record->proxy != actor->access->proxy || (record->proxy != TAP_GENERIC && !mine)))
        return clock_find(thread->view.proxied, record->block, record->warp, number, record->time);
    if (mine) {
        if (record->time <= slot->known || record->time <= thread->block_known)
            return true;
        if (record->warp == warp &&
            (lane == actor->lane || race->launch->lockstep || record->time <= thread->warp_known))
            return true;
    }
    return thread->view.seen && clock_find(thread->view.seen, record->block, record->warp, number, record->time);
}

/* ---- what is in the way ------------------------------------------------------------------------------------- */

/* Is it ordered before this access? What is so for all lanes is remembered. */
static bool ordered(const struct race *race, struct actor *actor, uint32_t ref)
{
    uint32_t index = ref / LANES;
    if (index == actor->known)
        return true;
    const struct record *record = record_at(&race->shadow, index);
    if (record->proxy == actor->access->proxy && record->block == actor->slot->block.number &&
        record->time <= actor->slot->known) {
        actor->known = index;
        return true;
    }
    return race_before(race, actor, record, ref % LANES, true);
}

/* PTX ISA, "Morally strong operations": both strong, each in the other's scope, by one way, of the same bytes. */
static bool morally_strong(const struct actor *actor, const struct record *record)
{
    const struct tap_access *a = actor->access;
    bool near = record->block == actor->slot->block.number;
    return race_strong(record->kind, record->order) && race_strong(a->kind, a->order) &&
           (near || (!race_cta(record->scope) && !race_cta(a->scope))) && record->proxy == a->proxy &&
           record->element == a->element;
}

static bool harmless(const struct race *race, const struct actor *actor, const struct record *record, unsigned lane)
{
    const struct tap_access *a = actor->access;
    const struct tap_engine *engine = race->launch->engine;
    if (morally_strong(actor, record))
        return true;
    if (record->kind != TAP_STORE || a->kind != TAP_STORE)
        return false;
    /* Named choice: stores of one value do not race with each other. */
    return (record == record_at(&race->shadow, actor->record) && a->lanes >> lane & 1 && lane < actor->lane &&
            a->at[lane] == a->at[actor->lane] && engine->stores_alike(a, actor->lane, lane)) ||
           engine->stores_same(a, actor->lane);
}

/* Looks at one earlier access. True: it is ordered before this one, and so need not be kept. */
static bool look(const struct race *race, struct actor *actor, uint32_t ref)
{
    if (ordered(race, actor, ref))
        return true;
    const struct record *record = record_at(&race->shadow, ref / LANES);
    if (record->kind == TAP_LOAD && actor->access->kind == TAP_LOAD)
        return false;
    if (!harmless(race, actor, record, ref % LANES))
        race_tell(race, actor, record, ref % LANES);
    return false;
}

/* Looks at all that a cell refers to. True: all are ordered before this access. */
static bool look_all(const struct race *race, struct actor *actor, uint32_t cell)
{
    if (!cell)
        return true;
    if (!(cell & SET_BIT))
        return look(race, actor, cell);
    const struct set *set = set_at(&race->shadow, cell);
    bool all = true;
    for (uint32_t i = 0; i < set->count; i++)
        all = look(race, actor, set->refs[i]) && all;
    return all;
}

/* ---- what stays ----------------------------------------------------------------------------------------------- */

/* One more in a set that is full: another block's, else another warp's than all that are there, takes the oldest's
 * place, so that whoever conflicts later meets somebody else than itself. */
static void replace(const struct race *race, struct set *set, uint32_t ref)
{
    const struct record *record = record_at(&race->shadow, ref / LANES);
    bool block = false, warp = false;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct record *other = record_at(&race->shadow, set->refs[i] / LANES);
        block |= other->block == record->block;
        warp |= other->block == record->block && other->warp == record->warp;
    }
    if (block && warp)
        return;
    memmove(&set->refs[1], &set->refs[2], (SET_REFS - 2) * sizeof set->refs[0]);
    set->refs[SET_REFS - 1] = ref;
}

/* This access besides those of the cell that are not ordered before it. */
static void add(struct race *race, struct actor *actor, uint32_t *cell, uint32_t ref)
{
    if (*cell == ref)
        return;
    if (!(*cell & SET_BIT)) {
        uint32_t number = set_add(&race->shadow);
        if (!number)
            return;
        *set_at(&race->shadow, number) = (struct set){2, {*cell, ref}};
        *cell = number;
        return;
    }
    struct set *set = set_at(&race->shadow, *cell);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->refs[i] == ref)
            return;
        if (!ordered(race, actor, set->refs[i]))
            set->refs[kept++] = set->refs[i];
    }
    set->count = kept;
    if (kept == SET_REFS)
        replace(race, set, ref);
    else
        set->refs[set->count++] = ref;
}

static inline void load_cell(struct race *race, struct actor *actor, struct page *page, size_t i)
{
    uint32_t ref = actor->record * LANES + actor->lane, writers = page->writers[i], *readers = &page->readers[i];
    if (writers && writers / LANES != actor->known)
        look_all(race, actor, writers);
    if (*readers == ref)
        return;
    if (!*readers || (!(*readers & SET_BIT) && ordered(race, actor, *readers)))
        *readers = ref;
    else
        add(race, actor, readers, ref);
}

static inline void store_cell(struct race *race, struct actor *actor, struct page *page, size_t i)
{
    uint32_t ref = actor->record * LANES + actor->lane, *writers = &page->writers[i], *readers = &page->readers[i];
    bool strong = race_strong(actor->access->kind, actor->access->order);
    if (*readers) {
        look_all(race, actor, *readers);
        *readers = 0;
    }
    bool all = look_all(race, actor, *writers);
    if (all || !strong)
        *writers = ref;
    else
        add(race, actor, writers, ref);
}

/* ---- an access --------------------------------------------------------------------------------------------- */

/* The record of what this warp does here now. */
static uint32_t find_record(struct race *race, struct slot *slot, const struct tap_access *a)
{
    uint32_t *cached = &slot->cached[(a->site * 8 + a->warp) % CACHED_RECORDS];
    const struct record *old = *cached ? record_at(&race->shadow, *cached) : NULL;
    if (old && old->block == slot->block.number && old->time == slot->now && old->site == a->site &&
        old->warp == a->warp && old->proxy == a->proxy)
        return *cached;
    const struct record record = {.block = slot->block.number,
                                  .time = slot->now,
                                  .site = a->site,
                                  .warp = (uint8_t)a->warp,
                                  .kind = a->kind,
                                  .order = a->order,
                                  .scope = a->scope,
                                  .proxy = a->proxy,
                                  .element = (uint8_t)a->element};
    return *cached = record_add(&race->shadow, &record);
}

static struct page *shared_page(struct race *race, struct slot *slot, uint64_t offset)
{
    struct page **page = &slot->pages[offset >> PAGE_SHIFT];
    slot->touched = true;
    if (!*page)
        *page = page_make(&race->room);
    return *page;
}

/* Lanes of a load that all go to one place: two of them stand for all. */
static uint32_t enough(const struct tap_access *a, bool strong)
{
    uint32_t lanes = a->lanes, first = lanes & -lanes, rest = lanes & ~first;
    if (a->kind != TAP_LOAD || strong || !rest)
        return lanes;
    const unsigned char *at = a->at[__builtin_ctz(lanes)];
    for (uint32_t left = rest; left; left &= left - 1)
        if (a->at[__builtin_ctz(left)] != at)
            return lanes;
    return first | (rest & -rest);
}

static bool access_lane(struct race *race, struct actor *actor, struct page *page, uint64_t offset, bool strong)
{
    const struct tap_access *a = actor->access;
    uint64_t bits = offset | a->bytes;
    unsigned shift = bits & 1 ? 0 : bits & 2 ? 1 : 2;
    if (page->shift > shift && !page_refine(&race->room, page, shift))
        return false;
    size_t first = offset >> page->shift, count = a->bytes >> page->shift;
    uint32_t before = page->writers[first];
    for (size_t i = first; i < first + count; i++)
        if (a->kind == TAP_LOAD)
            load_cell(race, actor, page, i);
        else
            store_cell(race, actor, page, i);
    if (strong && a->kind != TAP_STORE)
        race_acquire(race, actor, before);
    if (strong && a->kind != TAP_LOAD)
        race_release(race, actor);
    return !race->room.failed;
}

static bool access(void *state, const struct tap_access *a)
{
    struct race *race = state;
    struct slot *slot = &race->slots[a->slot];
    struct actor actor = {.access = a, .slot = slot, .record = find_record(race, slot, a)};
    bool strong = race_strong(a->kind, a->order), passes = strong && a->order > LANE_RELAXED && a->kind != TAP_LOAD;
    uint64_t number = UINT64_MAX;
    struct page *page = NULL;
    if (!actor.record)
        return false;
    for (uint32_t left = enough(a, strong); left; left &= left - 1) {
        actor.lane = (unsigned)__builtin_ctz(left);
        actor.thread = &slot->threads[race_number(slot, a->warp, actor.lane)];
        uint64_t at = a->shared ? (uint64_t)(a->at[actor.lane] - slot->block.shared) : (uint64_t)a->at[actor.lane];
        if (at >> PAGE_SHIFT != number) {
            number = at >> PAGE_SHIFT;
            page = a->shared ? shared_page(race, slot, at) : shadow_page(&race->shadow, number);
        }
        if (!page || !access_lane(race, &actor, page, at % PAGE_BYTES, strong))
            return false;
    }
    slot->now += passes; /* later accesses are not what was passed on */
    return true;
}

/* ---- a launch ------------------------------------------------------------------------------------------------ */

static bool slot_open(struct race *race, struct slot *slot, const struct tap_block *block)
{
    uint32_t pages = (block->shared_bytes >> PAGE_SHIFT) + 1;
    if (slot->threads)
        return true;
    slot->room_threads = (block->threads / block->warp_lanes + 1) * block->warp_lanes;
    slot->threads = room_take(&race->room, slot->room_threads * sizeof *slot->threads);
    slot->pages = room_take(&race->room, pages * sizeof(struct page *));
    slot->npages = slot->pages ? pages : 0;
    return slot->threads && slot->pages;
}

static bool block(void *state, const struct tap_block *block)
{
    struct race *race = state;
    struct slot *slot = &race->slots[block->slot];
    if (!slot_open(race, slot, block))
        return false;
    race_forget(race, slot);
    for (uint32_t i = 0; slot->touched && i < slot->npages; i++)
        if (slot->pages[i])
            page_clear(slot->pages[i]);
    slot->touched = false;
    slot->block = *block;
    slot->now = 1;
    slot->known = 0;
    return true;
}

static void close(void *state)
{
    struct race *race = state;
    for (uint32_t i = 0; race->slots && i < race->launch->slots; i++) {
        struct slot *slot = &race->slots[i];
        race_forget(race, slot);
        for (uint32_t k = 0; k < slot->npages; k++)
            page_free(&race->room, slot->pages[k]);
        free(slot->threads);
        free(slot->pages);
    }
    race_close_sync(race);
    shadow_close(&race->shadow);
    free(race->slots);
    free(race);
}

static bool open(const struct tap_launch *launch, void **state)
{
    struct race *race = calloc(1, sizeof *race);
    *state = race;
    if (!race)
        return false;
    race->launch = launch;
    race->room.most = launch->most;
    race->slots = calloc(launch->slots, sizeof *race->slots);
    if (race->slots && shadow_open(&race->shadow, &race->room))
        return true;
    close(race);
    *state = NULL;
    return false;
}

static bool order(void *state, const struct tap_order *event)
{
    return race_order(state, event);
}

static bool barrier(void *state, const struct tap_barrier *event)
{
    return race_barrier(state, event);
}

static bool freed(void *state, const struct tap_freed *event)
{
    struct race *race = state;
    shadow_forget(&race->shadow, (uint64_t)event->at, event->bytes);
    return true;
}

const struct check check_race = {
    .name = "race",
    .open = open,
    .close = close,
    .block = block,
    .access = access,
    .order = order,
    .barrier = barrier,
    .freed = freed,
};
