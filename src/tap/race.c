/* Accesses: what is in the way of each, and what stays of it (race.h). */
#include "tap/race.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is in the way ------------------------------------------------------------------------------------- */

/* Is a record ordered before all lanes of this access? Remembered. */
static inline bool ordered_all(struct actor *actor, uint32_t index)
{
    const struct record *record = record_at(actor->shadow, index);
    bool all =
        index == actor->known || (record->time <= actor->slot->known && record->block == actor->slot->block.number &&
                                  record->proxy == actor->access->proxy);
    actor->known = all ? index : actor->known;
    return all;
}

/* Is it ordered before this lane's access? */
static inline bool ordered(const struct race *race, struct actor *actor, uint32_t ref)
{
    return ordered_all(actor, ref / LANES) ||
           race_before(race, actor, record_at(actor->shadow, ref / LANES), ref % LANES, true);
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

/* Named choice: stores of one value do not race with each other. */
static bool stores_same(const struct race *race, const struct actor *actor, const struct record *record, unsigned lane)
{
    const struct tap_access *a = actor->access;
    const struct tap_engine *engine = race->launch->engine;
    if (record->kind != TAP_STORE || a->kind != TAP_STORE)
        return false;
    bool both = record == record_at(actor->shadow, actor->record) && a->lanes >> lane & 1 && lane < actor->lane &&
                a->at[lane] == a->at[actor->lane];
    return (both && engine->stores_alike(a, actor->lane, lane)) || engine->stores_same(a, actor->lane);
}

/* Looks at one earlier access. True: it is ordered before this one, and so need not be kept. */
static bool look(const struct race *race, struct actor *actor, uint32_t ref)
{
    if (ordered(race, actor, ref))
        return true;
    const struct record *record = record_at(actor->shadow, ref / LANES);
    if (record->kind == TAP_LOAD && actor->access->kind == TAP_LOAD)
        return false;
    if (!morally_strong(actor, record) && !stores_same(race, actor, record, ref % LANES))
        race_tell(race, actor, record, ref % LANES);
    return false;
}

/* Looks at all that a cell refers to. True: all are ordered before this access. */
static bool look_all(const struct race *race, struct actor *actor, uint32_t cell)
{
    if (!(cell & PAIR_BIT))
        return !cell || look(race, actor, cell);
    const struct pair *pair = pair_at(actor->shadow, cell);
    bool first = look(race, actor, pair->refs[0]), second = look(race, actor, pair->refs[1]);
    return first && second;
}

/* ---- what stays ----------------------------------------------------------------------------------------------- */

static inline void put(const struct actor *actor, uint32_t *cell, uint32_t ref)
{
    if (*cell & PAIR_BIT)
        pair_drop(actor->shadow, *cell);
    *cell = ref;
}

/* A third that nothing orders takes the second's place where the two are less apart than it is from both. */
static void third(const struct actor *actor, struct pair *pair, uint32_t ref)
{
    const struct record *a = record_at(actor->shadow, pair->refs[0] / LANES);
    const struct record *b = record_at(actor->shadow, pair->refs[1] / LANES);
    uint64_t block = actor->slot->block.number;
    uint32_t warp = actor->access->warp;
    if (a->block == b->block && (a->block != block || (a->warp == b->warp && a->warp != warp)))
        pair->refs[1] = ref;
}

/* Is a record as new as this access, or of a block that has passed nothing on? */
static inline bool apart(const struct actor *actor, const struct record *record)
{
    return record->block == actor->slot->block.number ? record->time == actor->slot->now : !actor->slot->lists;
}

/* Do both stay as they are? Nothing orders them before this access (or they are this thread's own, which says as much),
 * and they are as far apart as with it. Remembered. */
static bool dull(struct actor *actor, const uint32_t index[2])
{
    const struct record *a = record_at(actor->shadow, index[0]), *b = record_at(actor->shadow, index[1]);
    bool near = a->block == b->block &&
                (a->block != actor->slot->block.number || (a->warp == b->warp && a->warp != actor->access->warp));
    if (near || !apart(actor, a) || !apart(actor, b))
        return false;
    memcpy(actor->dull, index, sizeof actor->dull);
    return true;
}

/* This access besides those of the cell that are not ordered before it. */
static void add(struct race *race, struct actor *actor, uint32_t *cell, uint32_t ref)
{
    if (*cell == ref)
        return;
    if (!(*cell & PAIR_BIT)) {
        uint32_t made = pair_add(actor->shadow, *cell, ref);
        *cell = made ? made : *cell;
        return;
    }
    struct pair *pair = pair_at(actor->shadow, *cell);
    uint32_t index[2] = {pair->refs[0] / LANES, pair->refs[1] / LANES};
    if ((index[0] == actor->dull[0] && index[1] == actor->dull[1]) || dull(actor, index))
        return;
    bool first = ordered(race, actor, pair->refs[0]), second = ordered(race, actor, pair->refs[1]);
    if (first && second)
        put(actor, cell, ref);
    else if (first || second)
        pair->refs[first ? 0 : 1] = ref;
    else
        third(actor, pair, ref);
}

/* Are all that a cell refers to morally strong to this access? Then no order matters. */
static inline bool all_strong(const struct actor *actor, uint32_t cell)
{
    if (!(cell & PAIR_BIT))
        return !cell || morally_strong(actor, record_at(actor->shadow, cell / LANES));
    const struct pair *pair = pair_at(actor->shadow, cell);
    return morally_strong(actor, record_at(actor->shadow, pair->refs[0] / LANES)) &&
           morally_strong(actor, record_at(actor->shadow, pair->refs[1] / LANES));
}

/* Of strong accesses that nothing orders the last stays, and the last of another warp. */
static void keep_last(const struct actor *actor, uint32_t *cell, uint32_t ref)
{
    if (!*cell || *cell == ref) {
        *cell = ref;
        return;
    }
    if (!(*cell & PAIR_BIT)) {
        uint32_t made = pair_add(actor->shadow, *cell, ref);
        *cell = made ? made : *cell;
        return;
    }
    struct pair *pair = pair_at(actor->shadow, *cell);
    if (pair->refs[1] / LANES != ref / LANES)
        pair->refs[0] = pair->refs[1];
    pair->refs[1] = ref;
}

/* A strong access where all others are strong: atomics, flags. */
static bool strong_cell(const struct actor *actor, struct page *page, size_t i)
{
    uint32_t ref = actor->record * LANES + actor->lane, *writers = &page->writers[i], *readers = &page->readers[i];
    bool load = actor->access->kind == TAP_LOAD;
    if (!all_strong(actor, *writers) || !all_strong(actor, *readers))
        return false;
    keep_last(actor, load ? readers : writers, ref);
    return true;
}

static inline void note_reader(struct race *race, struct actor *actor, uint32_t *readers)
{
    uint32_t ref = actor->record * LANES + actor->lane;
    if (*readers == ref)
        return;
    if (!*readers || (!(*readers & PAIR_BIT) && ordered(race, actor, *readers)))
        *readers = ref;
    else
        add(race, actor, readers, ref);
}

static inline void load_cell(struct race *race, struct actor *actor, struct page *page, size_t i)
{
    uint32_t writers = page->writers[i];
    if (writers && writers / LANES != actor->known)
        look_all(race, actor, writers);
    note_reader(race, actor, &page->readers[i]);
}

static inline void store_cell(struct race *race, struct actor *actor, struct page *page, size_t i)
{
    uint32_t ref = actor->record * LANES + actor->lane, *writers = &page->writers[i], *readers = &page->readers[i];
    bool strong = race_strong(actor->access->kind, actor->access->order);
    if (*readers) {
        look_all(race, actor, *readers);
        put(actor, readers, 0);
    }
    bool all = look_all(race, actor, *writers);
    if (all || !strong)
        put(actor, writers, ref);
    else
        add(race, actor, writers, ref);
}

/* ---- many lanes at once ------------------------------------------------------------------------------------- */

/* Cells of a run of lanes, `each` of them a lane, the first of which is actor->lane. */
struct run {
    uint32_t *writers, *readers;
    uint32_t lanes, each;
};

/* Is whatever the cells refer to of one record, and ordered before this access, be it by the lanes themselves? */
static bool run_clear(struct actor *actor, const uint32_t *cells, const struct run *run)
{
    uint32_t any = 0, other = 0, index = cells[0] / LANES, apart = 0;
    for (uint32_t i = 0; i < run->lanes * run->each; i++) {
        any |= cells[i];
        other |= cells[i] / LANES ^ index;
    }
    if (!any)
        return true;
    if (other || any & PAIR_BIT)
        return false;
    if (ordered_all(actor, index))
        return true;
    const struct record *record = record_at(actor->shadow, index);
    if (record->block != actor->slot->block.number || record->warp != actor->access->warp ||
        record->proxy != actor->access->proxy)
        return false;
    for (uint32_t i = 0; i < run->lanes; i++)
        for (uint32_t k = 0; k < run->each; k++)
            apart |= cells[i * run->each + k] % LANES ^ (actor->lane + i);
    return !apart;
}

static void run_put(const struct actor *actor, uint32_t *cells, const struct run *run)
{
    uint32_t ref = actor->record * LANES + actor->lane;
    for (uint32_t i = 0; i < run->lanes; i++)
        for (uint32_t k = 0; k < run->each; k++)
            cells[i * run->each + k] = ref + i;
}

/* Readers of memory that nobody writes meanwhile: most find two others there already. */
static void run_readers(struct race *race, struct actor *actor, const struct run *run)
{
    unsigned first = actor->lane;
    uint32_t *cell = run->readers;
    for (uint32_t i = 0; i < run->lanes; i++)
        for (uint32_t k = 0; k < run->each; k++, cell++) {
            const struct pair *pair = *cell & PAIR_BIT ? pair_at(actor->shadow, *cell) : NULL;
            if (pair && pair->refs[0] / LANES == actor->dull[0] && pair->refs[1] / LANES == actor->dull[1])
                continue;
            actor->lane = first + i;
            actor->thread = &actor->slot->threads[race_number(actor->slot, actor->access->warp, actor->lane)];
            note_reader(race, actor, cell);
        }
    actor->lane = first;
}

/* Carries a run out as a whole. False: lane by lane. */
static bool run_access(struct race *race, struct actor *actor, const struct run *run)
{
    if (!run_clear(actor, run->writers, run))
        return false;
    bool clear = run_clear(actor, run->readers, run);
    if (actor->access->kind == TAP_LOAD) {
        if (clear)
            run_put(actor, run->readers, run);
        else
            run_readers(race, actor, run);
        return true;
    }
    if (!clear)
        return false;
    run_put(actor, run->writers, run);
    memset(run->readers, 0, (size_t)run->lanes * run->each * sizeof *run->readers);
    return true;
}

/* ---- an access --------------------------------------------------------------------------------------------- */

/* There are too many records: what came before is forgotten. */
static void race_forget_all(struct race *race)
{
    shadow_forget_all(&race->shadow);
    for (uint32_t i = 0; i < race->launch->slots; i++) {
        struct slot *slot = &race->slots[i];
        for (uint32_t k = 0; k < slot->npages; k++)
            if (slot->pages[k])
                page_clear(slot->pages[k]);
        for (uint32_t k = 0; slot->threads && k < slot->room_threads; k++)
            memset(slot->threads[k].flags, 0, sizeof slot->threads[k].flags);
        memset(slot->cached, 0, sizeof slot->cached);
        shadow_reset(&slot->shadow);
    }
}

/* The record of what this warp does here now. */
static uint32_t find_record(struct race *race, const struct actor *actor)
{
    const struct tap_access *a = actor->access;
    struct slot *slot = actor->slot;
    uint32_t *cached = &slot->cached[a->shared][(a->site * 8 + a->warp) % CACHED_RECORDS];
    const struct record *old = *cached ? record_at(actor->shadow, *cached) : NULL;
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
    if (actor->shadow->nrecords == RECORDS_MOST)
        race_forget_all(race);
    *cached = record_add(actor->shadow, &record);
    if (*cached && !a->shared && race_chain(race, *cached))
        race_chain_put(race, *cached, 0); /* of one that was forgotten */
    return *cached;
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
    uint32_t before = page->writers[first]; /* who stored last */
    if (before & PAIR_BIT)
        before = pair_at(actor->shadow, before)->refs[1];
    for (size_t i = first; i < first + count; i++)
        if (strong && strong_cell(actor, page, i))
            continue;
        else if (a->kind == TAP_LOAD)
            load_cell(race, actor, page, i);
        else
            store_cell(race, actor, page, i);
    if (strong && a->returns && !(a->stale >> actor->lane & 1) && (race->nhanded || (before && !a->shared)))
        race_acquire(race, actor, before);
    if (strong && a->kind != TAP_LOAD && (race->nhanded || a->order > LANE_RELAXED || actor->thread->fenced))
        race_release(race, actor);
    return !race->room.failed;
}

/* How many of the lanes from `lane` on lie one behind the other, in one page. */
static uint32_t run_length(const struct tap_access *a, uint32_t lanes, unsigned lane, uint64_t offset)
{
    uint64_t room = (PAGE_BYTES - offset) / a->bytes;
    uint32_t n = 1;
    while (lane + n < LANES && lanes >> (lane + n) & 1 && n < room &&
           a->at[lane + n] == a->at[lane] + (size_t)n * a->bytes)
        n++;
    return n;
}

/* A run of lanes from actor->lane on. */
static bool access_run(struct race *race, struct actor *actor, struct page *page, uint64_t offset, uint32_t n)
{
    const struct tap_access *a = actor->access;
    bool strong = race_strong(a->kind, a->order);
    if (!strong && !((offset | a->bytes) & ((1u << page->shift) - 1))) {
        size_t first = offset >> page->shift;
        const struct run run = {&page->writers[first], &page->readers[first], n, a->bytes >> page->shift};
        if (run_access(race, actor, &run))
            return true;
    }
    for (uint32_t i = 0; i < n; i++, actor->lane++, offset += a->bytes) {
        actor->thread = &actor->slot->threads[race_number(actor->slot, a->warp, actor->lane)];
        if (!access_lane(race, actor, page, offset, strong))
            return false;
    }
    return true;
}

static bool access(void *state, const struct tap_access *a)
{
    struct race *race = state;
    struct slot *slot = &race->slots[a->slot];
    struct actor actor = {.access = a, .slot = slot, .shadow = a->shared ? &slot->shadow : &race->shadow};
    bool strong = race_strong(a->kind, a->order), passes = strong && a->order > LANE_RELAXED && a->kind != TAP_LOAD;
    uint64_t number = UINT64_MAX;
    struct page *page = NULL;
    actor.record = find_record(race, &actor);
    if (!actor.record)
        return false;
    for (uint32_t n, left = enough(a, strong); left;
         left = n < LANES ? left & ~(((UINT32_C(1) << n) - 1) << actor.lane) : 0) {
        unsigned lane = actor.lane = (unsigned)__builtin_ctz(left);
        uint64_t at = a->shared ? (uint64_t)(a->at[lane] - slot->block.shared) : (uint64_t)a->at[lane];
        n = run_length(a, left, lane, at % PAGE_BYTES);
        if (at >> PAGE_SHIFT != number) {
            number = at >> PAGE_SHIFT;
            page = a->shared ? shared_page(race, slot, at) : shadow_page(&race->shadow, number);
        }
        if (!page || !access_run(race, &actor, page, at % PAGE_BYTES, n))
            return false;
        actor.lane = lane;
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
    shadow_reset(&slot->shadow);
    memset(slot->cached[1], 0, sizeof slot->cached[1]);
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
        shadow_close(&slot->shadow);
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
    shadow_open(&race->shadow, &race->room);
    for (uint32_t i = 0; race->slots && i < launch->slots; i++)
        shadow_open(&race->slots[i].shadow, &race->room);
    if (race->slots)
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
    .bit = ATOLL_CHECK_RACE,
    .open = open,
    .close = close,
    .block = block,
    .access = access,
    .order = order,
    .barrier = barrier,
    .freed = freed,
};
