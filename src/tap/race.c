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
static bool morally_strong(const struct race *race, const struct actor *actor, const struct record *record)
{
    const struct tap_access *a = actor->access;
    bool near = record->block == actor->slot->block.number, unsaid = race->launch->lockstep && a->shared;
    bool before = tap_strong(record->kind, record->order), now = tap_strong(a->kind, a->order);
    return (unsaid ? before || now : before && now) && (near || (!tap_cta(record->scope) && !tap_cta(a->scope))) &&
           record->proxy == a->proxy && record->element == a->element;
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

/* PTX ISA, "Causality order": a strong store whose value the thread has seen precedes what it does then. */
static bool saw(const struct actor *actor, const struct record *record, uint32_t ref)
{
    const struct flags *flags = &actor->thread->flags[actor->access->shared];
    bool seen = false;
    for (unsigned i = 0; actor->slot->flags && i < FLAGS; i++)
        seen = seen || flags->list[i].ref == ref;
    return seen && tap_strong(record->kind, record->order) && record->proxy == actor->access->proxy;
}

/* Looks at one earlier access. True: it is ordered before this one, and so need not be kept. */
static bool look(const struct race *race, struct actor *actor, uint32_t ref)
{
    if (ordered(race, actor, ref))
        return true;
    const struct record *record = record_at(actor->shadow, ref / LANES);
    if (record->kind == TAP_LOAD && actor->access->kind == TAP_LOAD)
        return false;
    if (!morally_strong(race, actor, record) && !saw(actor, record, ref) &&
        !stores_same(race, actor, record, ref % LANES))
        race_tell(race, actor, ref);
    return false;
}

/* Who wrote, or who has read, at one place: a cell of a page. */
struct cell {
    struct page *page;
    unsigned which; /* WRITERS, READERS */
    size_t at;
};

static inline uint32_t first_of(const struct cell *cell)
{
    return page_first(cell->page, cell->which, cell->at);
}

/* Pages of global memory have their references in slabs, which stay; those of shared memory by themselves. */
static inline bool refs_make(struct race *race, const struct actor *actor, struct page *page, unsigned which)
{
    return page->refs[which] || page_refs(&race->room, actor->access->shared ? NULL : &race->shadow, page, which);
}

static inline void put_first(struct race *race, const struct actor *actor, const struct cell *cell, uint32_t ref)
{
    if (refs_make(race, actor, cell->page, cell->which))
        cell->page->refs[cell->which][cell->at] = ref;
}

static inline uint32_t second_of(const struct cell *cell)
{
    return page_second(cell->page, cell->which, cell->at);
}

/* PTX ISA, "Causality order": what an update has found in memory, and other updates before it, precedes what the update
 * precedes. The second reference of writers is the last of them, the first one before it. */
static bool has_seen(const struct actor *actor, const struct cell *cell, uint32_t first, uint32_t second)
{
    const struct record *last = second ? record_at(actor->shadow, second / LANES) : NULL;
    const struct record *earlier = record_at(actor->shadow, first / LANES);
    return last && cell->which == WRITERS && last->kind == TAP_UPDATE && tap_strong(earlier->kind, earlier->order) &&
           last->proxy == earlier->proxy && last->element == earlier->element;
}

/* Looks at all that a cell refers to. True: all are ordered before this access. */
static bool look_all(const struct race *race, struct actor *actor, const struct cell *cell)
{
    uint32_t first = first_of(cell), second = second_of(cell);
    bool behind = !second || look(race, actor, second);
    if (first && behind && has_seen(actor, cell, first, second))
        return true;
    return (!first || look(race, actor, first)) && behind;
}

/* The same of plain accesses that lie behind strong ones. Weak accesses race with those themselves. */
static inline void look_weak(const struct race *race, struct actor *actor, struct page *page, size_t i)
{
    const struct cell weak = {page, WEAK, i};
    if (actor->access->shared && page->weak_time <= actor->slot->known) /* all of the block know */
        return;
    uint32_t writer = first_of(&weak), reader = second_of(&weak);
    if (writer && writer / LANES != actor->known)
        look(race, actor, writer);
    if (reader && actor->access->kind != TAP_LOAD)
        look(race, actor, reader);
}

/* ---- what stays ----------------------------------------------------------------------------------------------- */

static inline void put(struct race *race, const struct actor *actor, const struct cell *cell, uint32_t ref)
{
    put_first(race, actor, cell, ref);
    if (cell->page->more[cell->which])
        cell->page->more[cell->which][cell->at] = 0;
}

static void put_second(struct race *race, const struct cell *cell, uint32_t ref)
{
    if (page_more(&race->room, cell->page, cell->which))
        cell->page->more[cell->which][cell->at] = ref;
}

/* Are they less apart than both are from this access? */
static inline bool near(const struct actor *actor, const struct record *a, const struct record *b)
{
    uint64_t block = actor->slot->block.number;
    return a->block == b->block && (a->block != block || (a->warp == b->warp && a->warp != actor->access->warp));
}

/* A third that nothing orders takes the second's place where the two are less apart than it is from both. */
static void third(struct race *race, const struct actor *actor, const struct cell *cell, uint32_t ref)
{
    const struct record *a = record_at(actor->shadow, first_of(cell) / LANES);
    const struct record *b = record_at(actor->shadow, second_of(cell) / LANES);
    if (near(actor, a, b))
        put_second(race, cell, ref);
}

/* Is a record as new as this access, or of a block that has passed nothing on? */
static inline bool apart(const struct actor *actor, const struct record *record)
{
    return record->block == actor->slot->block.number ? record->time == actor->slot->now : !actor->slot->lists;
}

static inline struct known_pair *pair_place(const struct actor *actor, uint32_t first, uint32_t second)
{
    return &actor->pairs[(first + 3 * second) % PAIRS];
}

/* What becomes of a cell's two records, if that is remembered. */
static inline enum pair pair_of(const struct actor *actor, uint32_t first, uint32_t second)
{
    const struct known_pair *known = pair_place(actor, first, second);
    return known->first == first && known->second == second ? known->is : PAIR_OPEN;
}

/* What is remembered is of a warp at a time. */
static void forget_pairs(struct slot *slot)
{
    memset(slot->pairs, 0, sizeof slot->pairs);
}

/* What this warp's access makes of two records, if that is the same for all its lanes: nothing orders them before it
 * (or they are this thread's own, which says as much). Remembered. */
static enum pair find_pair(const struct actor *actor, uint32_t first, uint32_t second)
{
    const struct record *a = record_at(actor->shadow, first), *b = record_at(actor->shadow, second);
    if (!apart(actor, a) || !apart(actor, b))
        return PAIR_OPEN;
    enum pair is = near(actor, a, b) ? PAIR_NEAR : PAIR_STAYS;
    *pair_place(actor, first, second) = (struct known_pair){first, second, is};
    return is;
}

/* This access besides those of the cell that are not ordered before it. */
static void add(struct race *race, struct actor *actor, const struct cell *cell, uint32_t ref)
{
    uint32_t one = first_of(cell), other = second_of(cell);
    if (!other) {
        if (one != ref)
            put_second(race, cell, ref);
        return;
    }
    enum pair is = pair_of(actor, one / LANES, other / LANES);
    is = is == PAIR_OPEN ? find_pair(actor, one / LANES, other / LANES) : is;
    if (is == PAIR_NEAR)
        put_second(race, cell, ref);
    if (is != PAIR_OPEN)
        return;
    bool first = ordered(race, actor, one), second = ordered(race, actor, other);
    if (first && second)
        put(race, actor, cell, ref);
    else if (first)
        put_first(race, actor, cell, ref);
    else if (second)
        put_second(race, cell, ref);
    else
        third(race, actor, cell, ref);
}

/* Can there be an access that races with a record and not with this access, which is strong? */
static bool is_weaker(const struct actor *actor, const struct record *record)
{
    const struct tap_access *a = actor->access;
    return !tap_strong(record->kind, record->order) || record->element != a->element || record->proxy != a->proxy ||
           (tap_cta(record->scope) && !tap_cta(a->scope));
}

/* Is a record as strong as this access, and morally strong to it? Remembered for the next lanes, in one of two places.
 */
static inline bool is_strong(const struct race *race, struct actor *actor, uint32_t ref, unsigned place)
{
    uint32_t index = ref / LANES;
    if (!ref || index == actor->strong[place])
        return true;
    const struct record *record = record_at(actor->shadow, index);
    if (!morally_strong(race, actor, record) || is_weaker(actor, record))
        return false;
    actor->strong[place] = index;
    return true;
}

/* Are all that a cell refers to? Then no order matters. */
static inline bool all_strong(const struct race *race, struct actor *actor, const struct cell *cell)
{
    return is_strong(race, actor, first_of(cell), 0) && is_strong(race, actor, second_of(cell), 1);
}

/* A strong access takes the place of what a cell refers to: what is weaker stays beside it, if it was not told. */
static void keep_weak(struct race *race, struct actor *actor, const struct cell *cell)
{
    const uint32_t refs[] = {first_of(cell), second_of(cell)};
    const struct cell weak = {cell->page, WEAK, cell->at};
    for (unsigned i = 0; i < 2; i++) {
        const struct record *record = refs[i] ? record_at(actor->shadow, refs[i] / LANES) : NULL;
        if (!record || !is_weaker(actor, record) || !ordered(race, actor, refs[i]))
            continue;
        if (cell->which == READERS)
            put_second(race, &weak, refs[i]);
        else
            put_first(race, actor, &weak, refs[i]);
        if (record->time > cell->page->weak_time)
            cell->page->weak_time = record->time;
    }
}

/* Of strong accesses that nothing orders the last stays, and the last of another warp. */
static inline void keep_last(struct race *race, const struct actor *actor, const struct cell *cell, uint32_t ref)
{
    uint32_t first = first_of(cell), second = second_of(cell);
    if (!first)
        put_first(race, actor, cell, ref);
    if (!first || (!second && first == ref))
        return;
    if (second && second / LANES != ref / LANES)
        put_first(race, actor, cell, second);
    put_second(race, cell, ref);
}

/* A strong access where all others are strong: atomics, flags. */
static bool strong_cell(struct race *race, struct actor *actor, struct page *page, size_t i)
{
    const struct cell writers = {page, WRITERS, i}, readers = {page, READERS, i};
    look_weak(race, actor, page, i);
    if (!all_strong(race, actor, &writers) || !all_strong(race, actor, &readers))
        return false;
    keep_last(race, actor, actor->access->kind == TAP_LOAD ? &readers : &writers, actor->record * LANES + actor->lane);
    return true;
}

static inline void note_reader(struct race *race, struct actor *actor, const struct cell *readers)
{
    uint32_t ref = actor->record * LANES + actor->lane, first = first_of(readers), second = second_of(readers);
    if (first && tap_strong(actor->access->kind, actor->access->order))
        keep_weak(race, actor, readers);
    if (!first || (!second && (first == ref || ordered(race, actor, first))))
        put_first(race, actor, readers, ref);
    else
        add(race, actor, readers, ref);
}

static inline void load_cell(struct race *race, struct actor *actor, struct page *page, size_t i)
{
    const struct cell writers = {page, WRITERS, i}, readers = {page, READERS, i};
    uint32_t first = first_of(&writers);
    if (first && (first / LANES != actor->known || second_of(&writers)))
        look_all(race, actor, &writers);
    note_reader(race, actor, &readers);
}

static inline void store_cell(struct race *race, struct actor *actor, struct page *page, size_t i)
{
    const struct cell writers = {page, WRITERS, i}, readers = {page, READERS, i};
    uint32_t ref = actor->record * LANES + actor->lane;
    bool strong = tap_strong(actor->access->kind, actor->access->order);
    bool read = first_of(&readers) != 0;
    if (read)
        look_all(race, actor, &readers);
    bool all = look_all(race, actor, &writers);
    if (strong) {
        keep_weak(race, actor, &readers);
        keep_weak(race, actor, &writers);
    } else if (page->refs[WEAK] || page->more[WEAK]) { /* who races with those races with this */
        const struct cell weak = {page, WEAK, i};
        put(race, actor, &weak, 0);
    }
    if (read)
        put(race, actor, &readers, 0);
    if (all || !strong)
        put(race, actor, &writers, ref);
    else
        keep_last(race, actor, &writers, ref);
}

/* ---- many lanes at once ------------------------------------------------------------------------------------- */

/* Cells of a run of lanes, `each` of them a lane, the first of which is actor->lane. */
struct run {
    struct page *page;
    size_t first;
    uint32_t lanes, each;
};

/* Has none of the cells a second reference? */
static inline bool run_single(const struct run *run, unsigned which)
{
    const uint32_t *cells = run->page->more[which] ? run->page->more[which] + run->first : NULL;
    uint32_t any = cells ? cells[0] : 0;
    for (uint32_t i = 0; cells && !any && i < run->lanes * run->each; i++)
        any |= cells[i];
    return !any;
}

/* Is whatever the cells refer to of one record, and ordered before this access, be it by the lanes themselves? */
static bool run_clear(struct actor *actor, const struct run *run, unsigned which)
{
    if (!run->page->refs[which])
        return true;
    const uint32_t *cells = run->page->refs[which] + run->first;
    uint32_t any = 0, other = 0, index = cells[0] / LANES, apart = 0;
    if (!run_single(run, which))
        return false;
    for (uint32_t i = 0; i < run->lanes * run->each; i++) {
        any |= cells[i];
        other |= cells[i] / LANES ^ index;
    }
    if (!any)
        return true;
    if (other)
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

static void run_put(struct race *race, const struct actor *actor, const struct run *run, unsigned which)
{
    if (!refs_make(race, actor, run->page, which))
        return;
    uint32_t ref = actor->record * LANES + actor->lane, *cells = run->page->refs[which] + run->first;
    for (uint32_t i = 0; i < run->lanes; i++)
        for (uint32_t k = 0; k < run->each; k++)
            cells[i * run->each + k] = ref + i;
}

/* How many cells from `at` on have two references, to these records? */
static uint32_t same_pair(const struct page *page, size_t at, uint32_t most, uint32_t first, uint32_t second)
{
    const uint32_t *one = page->refs[READERS] + at, *other = page->more[READERS] + at;
    uint32_t n = 1;
    while (n < most && one[n] / LANES == first && other[n] / LANES == second)
        n++;
    return n;
}

/* Readers of memory that nobody writes meanwhile: most find two others there already, neighbours mostly the same. */
static void run_readers(struct race *race, struct actor *actor, const struct run *run)
{
    unsigned first = actor->lane;
    uint32_t count = run->lanes * run->each;
    for (uint32_t i = 0, n; i < count; i += n) {
        struct cell cell = {run->page, READERS, run->first + i};
        uint32_t one = first_of(&cell) / LANES, other = second_of(&cell) / LANES;
        enum pair is = other ? pair_of(actor, one, other) : PAIR_OPEN;
        n = is == PAIR_OPEN ? 1 : same_pair(run->page, cell.at, count - i, one, other);
        for (uint32_t k = i; is == PAIR_NEAR && k < i + n; k++, cell.at++)
            put_second(race, &cell, actor->record * LANES + first + k / run->each);
        if (is != PAIR_OPEN)
            continue;
        actor->lane = first + i / run->each;
        actor->thread = race_thread(race, actor->slot, actor->access->warp, actor->lane);
        note_reader(race, actor, &cell);
    }
    actor->lane = first;
}

static inline void fetch_ahead(const struct run *run)
{
    size_t cell = run->first + (TAP_AHEAD >> run->page->shift);
    for (unsigned k = 0; k < 2; k++)
        if (run->page->refs[k] && cell < (size_t)PAGE_BYTES >> run->page->shift)
            __builtin_prefetch(&run->page->refs[k][cell], 1);
}

static inline void run_clear_refs(uint32_t *refs, const struct run *run)
{
    if (refs)
        memset(refs + run->first, 0, (size_t)run->lanes * run->each * sizeof(uint32_t));
}

/* Carries a run out as a whole. False: lane by lane. */
static bool run_access(struct race *race, struct actor *actor, const struct run *run)
{
    if (!run_clear(actor, run, WRITERS))
        return false;
    bool clear = run_clear(actor, run, READERS);
    if (actor->access->kind == TAP_LOAD) {
        if (clear)
            run_put(race, actor, run, READERS);
        else
            run_readers(race, actor, run);
        return true;
    }
    if (!clear)
        return false;
    run_put(race, actor, run, WRITERS);
    run_clear_refs(run->page->refs[READERS], run);
    run_clear_refs(run->page->refs[WEAK], run);
    run_clear_refs(run->page->more[WEAK], run);
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
        forget_pairs(slot);
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

/* Was it stored by a strong access? */
static bool is_flag(const struct actor *actor, uint32_t ref)
{
    const struct record *record = record_at(actor->shadow, ref / LANES);
    return tap_strong(record->kind, record->order);
}

static bool access_lane(struct race *race, struct actor *actor, struct page *page, uint64_t offset, bool strong)
{
    const struct tap_access *a = actor->access;
    uint64_t bits = offset | a->bytes;
    unsigned shift = bits & 1 ? 0 : bits & 2 ? 1 : 2;
    if (page->shift > shift && !page_refine(&race->room, page, shift))
        return false;
    size_t first = offset >> page->shift, count = a->bytes >> page->shift;
    uint32_t before = page_second(page, WRITERS, first); /* who stored last */
    before = before ? before : page_first(page, WRITERS, first);
    for (size_t i = first; i < first + count; i++)
        if (strong && strong_cell(race, actor, page, i))
            continue;
        else if (a->kind == TAP_LOAD)
            load_cell(race, actor, page, i);
        else
            store_cell(race, actor, page, i);
    bool unsaid = race_unsaid(race, a);
    bool sees = strong || (unsaid && before && is_flag(actor, before));
    if (sees && a->returns && !(a->stale >> actor->lane & 1) && (race->nhanded || (before && race_flags(a))))
        race_acquire(race, actor, before);
    if ((strong || unsaid) && a->kind != TAP_LOAD &&
        (race->nhanded || a->order > LANE_RELAXED || actor->thread->fenced || actor->thread->flags[0].count))
        race_release(race, actor);
    return !race->room.failed;
}

/* A run of lanes from actor->lane on. */
static bool access_run(struct race *race, struct actor *actor, struct page *page, uint64_t offset, uint32_t n)
{
    const struct tap_access *a = actor->access;
    bool strong = tap_strong(a->kind, a->order), syncs = strong || (race->fences && race_unsaid(race, a));
    if (!syncs && !((offset | a->bytes) & ((1u << page->shift) - 1))) {
        size_t first = offset >> page->shift;
        const struct run run = {page, first, n, a->bytes >> page->shift};
        fetch_ahead(&run);
        if (run_access(race, actor, &run))
            return !race->room.failed;
    }
    for (uint32_t i = 0; i < n; i++, actor->lane++, offset += a->bytes) {
        actor->thread = race_thread(race, actor->slot, a->warp, actor->lane);
        if (!access_lane(race, actor, page, offset, strong))
            return false;
    }
    return true;
}

static bool access(void *state, const struct tap_access *a)
{
    struct race *race = state;
    struct slot *slot = &race->slots[a->slot];
    struct actor actor = {.access = a,
                          .slot = slot,
                          .shadow = a->shared ? &slot->shadow : &race->shadow,
                          .pairs = slot->pairs[a->shared]};
    bool strong = tap_strong(a->kind, a->order), passes = strong && a->order > LANE_RELAXED && a->kind != TAP_LOAD;
    uint64_t number = UINT64_MAX;
    struct page *page = NULL;
    actor.record = find_record(race, &actor);
    if (!actor.record)
        return false;
    if (slot->pairs_warp != a->warp || slot->pairs_now != slot->now || slot->pairs_lists != slot->lists) {
        forget_pairs(slot);
        slot->pairs_warp = a->warp;
        slot->pairs_now = slot->now;
        slot->pairs_lists = slot->lists;
    }
    for (uint32_t n, left = enough(a, strong); left;
         left = n < LANES ? left & ~(((UINT32_C(1) << n) - 1) << actor.lane) : 0) {
        unsigned lane = actor.lane = (unsigned)__builtin_ctz(left);
        uint64_t at = a->shared ? (uint64_t)(a->at[lane] - slot->block.shared) : (uint64_t)a->at[lane];
        uint64_t room = (PAGE_BYTES - at % PAGE_BYTES) / a->bytes;
        n = tap_run(a, left);
        n = n <= room ? n : room ? (uint32_t)room : 1;
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
    forget_pairs(slot);
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
