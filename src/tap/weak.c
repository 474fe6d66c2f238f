/* Accesses in the weak order: which value a load reads, where a store comes (weak.h). */
#include "tap/weak_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- a lane --------------------------------------------------------------------------------------------------- */

/* Who accesses what. */
struct actor {
    struct weak *weak;
    struct tap_access *access;
    struct weak_slot *slot;
    struct weak_table *table;
    struct weak_thread *thread;
    unsigned lane;
};

static void actor_lane(struct actor *actor, unsigned lane)
{
    uint32_t number = tap_thread(actor->slot->block.warp_lanes, actor->access->warp, lane);
    assert(number < actor->slot->nthreads);
    actor->lane = lane;
    actor->thread = &actor->slot->threads[number];
}

static struct actor actor_of(struct weak *weak, struct tap_access *access)
{
    struct weak_slot *slot = &weak->slots[access->slot];
    return (struct actor){
        .weak = weak, .access = access, .slot = slot, .table = access->shared ? &slot->shared : &weak->global};
}

static uint64_t floor_of(const struct actor *actor, const struct weak_cell *cell)
{
    uint64_t own = weak_view_at(&actor->thread->view, cell->at);
    return own > actor->weak->floor ? own : actor->weak->floor;
}

/* What a strong read gets with a value: at once, or with the next fence. */
static bool acquire(const struct actor *actor, const struct weak_message *message)
{
    const struct tap_access *a = actor->access;
    bool some = false;
    for (unsigned reach = 0; reach < REACHES; reach++) {
        bool mine = reach == REACH_CTA ? message->block == actor->slot->block.number : !tap_cta(a->scope);
        if (!message->passed[reach])
            continue;
        some = true;
        struct weak_fenced *fenced = NULL;
        if (!mine || !tap_strong(a->kind, a->order))
            continue;
        if (tap_acquires(a->order))
            weak_view_join(&actor->thread->view, &message->passed[reach]->view);
        else if ((fenced = weak_fenced_of(actor->weak, actor->thread)))
            weak_view_join(&fenced->pending[reach], &message->passed[reach]->view);
    }
    return some;
}

/* What a strong store passes on with its value. */
static void release(const struct actor *actor, struct weak_cell *cell, uint32_t place)
{
    const struct tap_access *a = actor->access;
    const struct weak_fenced *fenced = actor->thread->fenced;
    uint64_t block = actor->slot->block.number;
    if (!tap_strong(a->kind, a->order) || (!tap_releases(a->order) && !fenced))
        return;
    const struct weak_view *now = tap_releases(a->order) ? &actor->thread->view : NULL;
    weak_message_pass(actor->weak, cell, place, REACH_CTA, now ? now : &fenced->passes[REACH_CTA], block);
    if (!tap_cta(a->scope))
        weak_message_pass(actor->weak, cell, place, REACH_ALL, now ? now : &fenced->passes[REACH_ALL], block);
}

/* ---- loads ------------------------------------------------------------------------------------------------------ */

/* The value that a cell had at a time. */
static uint32_t index_at(const struct weak_cell *cell, uint64_t time)
{
    uint32_t i = cell->count - 1;
    while (i && cell->messages[i].time > time)
        i--;
    return i;
}

/* From when on a lane may read a cell. */
static uint64_t earliest(const struct actor *actor, const struct weak_cell *cell)
{
    uint64_t floor = floor_of(actor, cell);
    for (uint32_t i = 0; i < cell->count; i++) {
        const struct weak_message *message = &cell->messages[i];
        bool last = i + 1 == cell->count;
        uint64_t from = message->unsure && !last ? message[1].time : i == 0 ? message->time : 0;
        floor = from > floor ? from : floor;
    }
    return floor;
}

/* The cells of an element, so far as there are any. */
struct cells {
    struct weak_cell *at[WEAK_PATCH / WEAK_CELL];
    unsigned count, known;
};

static struct cells cells_of(const struct actor *actor, uint64_t at, uint32_t bytes)
{
    struct cells cells = {.count = 0};
    for (uint64_t cell = at & ~(uint64_t)(WEAK_CELL - 1); cell < at + bytes; cell += WEAK_CELL, cells.count++) {
        cells.at[cells.count] = weak_cell_find(actor->table, cell);
        cells.known += cells.at[cells.count] != NULL;
    }
    return cells;
}

/* All cells of an element as they were at one time, which is drawn: a single access is never torn. UINT64_MAX: as they
 * are now. */
static uint64_t draw_time(const struct actor *actor, const struct cells *cells)
{
    uint64_t low = 0, last = 0, times[1 + WEAK_PATCH / WEAK_CELL * WEAK_HISTORY];
    unsigned n = 0;
    for (unsigned i = 0; i < cells->count; i++) {
        const struct weak_cell *cell = cells->at[i];
        if (!cell)
            continue;
        uint64_t from = earliest(actor, cell), latest = cell->messages[cell->count - 1].time;
        low = from > low ? from : low;
        last = latest > last ? latest : last;
    }
    if (last <= low || weak_random(actor->weak) & 1) /* half of the loads read the latest: who waits sees it soon */
        return UINT64_MAX;
    times[n++] = low;
    for (unsigned i = 0; i < cells->count; i++)
        for (uint32_t k = 0; cells->at[i] && k < cells->at[i]->count; k++) {
            uint64_t time = cells->at[i]->messages[k].time;
            if (time > low && time < last)
                times[n++] = time;
        }
    return times[weak_random(actor->weak) % n];
}

static void patch(struct weak *weak, const struct actor *actor, const struct cells *cells, uint64_t time, uint64_t at,
                  uint32_t bytes)
{
    unsigned char image[WEAK_PATCH + 2 * WEAK_CELL];
    uint64_t first = at & ~(uint64_t)(WEAK_CELL - 1);
    memcpy(image, (const void *)(uintptr_t)first, (size_t)cells->count * WEAK_CELL);
    for (unsigned i = 0; i < cells->count; i++)
        if (cells->at[i] && index_at(cells->at[i], time) + 1 < cells->at[i]->count) /* else memory has it */
            memcpy(image + i * WEAK_CELL, &cells->at[i]->messages[index_at(cells->at[i], time)].image, WEAK_CELL);
    struct weak_patch *made = &weak->patches[weak->npatches++];
    made->lane = (uint8_t)actor->lane;
    made->offset = (uint8_t)(at - (uint64_t)(uintptr_t)actor->access->at[actor->lane]);
    made->size = (uint8_t)bytes;
    memcpy(made->bytes, image + (at - first), bytes);
}

struct read {
    bool older, passed; /* than memory has it; something is passed on with it */
};

static void load_element(struct actor *actor, uint64_t at, uint32_t bytes, bool plain, struct read *read)
{
    struct cells cells = cells_of(actor, at, bytes);
    if (!cells.known)
        return;
    uint64_t time = plain ? draw_time(actor, &cells) : UINT64_MAX;
    if (time != UINT64_MAX)
        patch(actor->weak, actor, &cells, time, at, bytes);
    for (unsigned i = 0; i < cells.count; i++) {
        if (!cells.at[i])
            continue;
        const struct weak_message *message = &cells.at[i]->messages[index_at(cells.at[i], time)];
        read->passed |= acquire(actor, message);
        weak_view_note(&actor->thread->view, cells.at[i]->at, message->time);
    }
    read->older |= time != UINT64_MAX;
}

/* ---- stores ----------------------------------------------------------------------------------------------------- */

/* Does no other lane store to this cell at once? */
static bool alone(const struct tap_access *a, unsigned lane)
{
    for (uint32_t left = a->lanes & ~(UINT32_C(1) << lane); left; left &= left - 1)
        if (((uintptr_t)a->at[__builtin_ctz(left)] ^ (uintptr_t)a->at[lane]) < WEAK_CELL)
            return false;
    return true;
}

/* A store may come before values that its thread has not seen, in coherence order, and be overwritten by them at once.
 * Nothing comes between an atomic operation and what that has read. */
static void draw_place(const struct actor *actor, struct weak_cell *cell, struct weak_under *under)
{
    uint64_t floor = floor_of(actor, cell), low;
    uint32_t first = cell->count, place;
    while (first && cell->messages[first - 1].time > floor && cell->messages[first - 1].whole &&
           !cell->messages[first - 1].update && !cell->messages[first - 1].unsure)
        first--;
    if (first == 0 && cell->count == WEAK_HISTORY)
        first = 1;
    if (first >= cell->count || weak_random(actor->weak) & 1)
        return;
    place = first + (uint32_t)(weak_random(actor->weak) % (cell->count - first));
    low = place && cell->messages[place - 1].time > floor ? cell->messages[place - 1].time : floor;
    under->time = low + (cell->messages[place].time - low) / 2;
    under->place = place;
    if (under->time == low) /* there is no room left */
        under->time = 0;
    under->image = cell->messages[cell->count - 1].image;
}

/* The cells that a lane is to change are as memory has them now. */
static bool prepare(const struct actor *actor, struct weak_under *under)
{
    struct tap_access *a = actor->access;
    uint64_t at = (uint64_t)(uintptr_t)a->at[actor->lane];
    bool moves = a->kind == TAP_STORE && a->proxy == TAP_GENERIC && a->bytes == WEAK_CELL && alone(a, actor->lane);
    *under = (struct weak_under){.at = a->at[actor->lane]};
    for (uint64_t place = at & ~(uint64_t)(WEAK_CELL - 1); place < at + a->bytes; place += WEAK_CELL) {
        struct weak_cell *cell = weak_cell_make(actor->weak, actor->table, place);
        if (!cell)
            return false;
        memcpy(&cell->messages[cell->count - 1].image, (const void *)(uintptr_t)place, WEAK_CELL);
        if (a->kind == TAP_UPDATE)
            acquire(actor, &cell->messages[cell->count - 1]);
        if (moves)
            draw_place(actor, cell, under);
    }
    if (under->time)
        a->stale |= UINT32_C(1) << actor->lane;
    return true;
}

/* The value that memory has now is the latest; one for all lanes of the instruction. */
static uint32_t append(const struct actor *actor, struct weak_cell *cell)
{
    const struct tap_access *a = actor->access;
    uint32_t place = cell->count;
    struct weak_message *message = &cell->messages[place - 1];
    if (message->time != actor->weak->now) {
        message = weak_message_put(actor->weak, cell, &place);
        message->time = actor->weak->now;
        message->whole = a->bytes == WEAK_CELL && a->kind == TAP_STORE;
    } else {
        place--;
        message->whole = false;
    }
    message->update |= a->kind == TAP_UPDATE;
    memcpy(&message->image, (const void *)(uintptr_t)cell->at, WEAK_CELL);
    return place;
}

/* The value that was stored is between two others, the latest of which memory has again. */
static uint32_t insert(const struct actor *actor, struct weak_cell *cell, const struct weak_under *under)
{
    uint32_t place = under->place;
    struct weak_message *message = weak_message_put(actor->weak, cell, &place);
    message->time = under->time;
    message->whole = true;
    memcpy(&message->image, under->at, WEAK_CELL);
    memcpy((void *)(uintptr_t)under->at, &under->image, WEAK_CELL);
    return place;
}

static void stored(const struct actor *actor, const struct weak_under *under)
{
    struct tap_access *a = actor->access;
    uint64_t at = (uint64_t)(uintptr_t)a->at[actor->lane];
    for (uint64_t place = at & ~(uint64_t)(WEAK_CELL - 1); place < at + a->bytes; place += WEAK_CELL) {
        struct weak_cell *cell = weak_cell_find(actor->table, place);
        uint32_t i = under->time ? insert(actor, cell, under) : append(actor, cell);
        weak_view_note(&actor->thread->view, place, cell->messages[i].time);
        release(actor, cell, i);
        if (a->kind == TAP_UPDATE) { /* what lanes before this one have passed on */
            acquire(actor, &cell->messages[i]);
            if (a->proxy == TAP_SURFACE) { /* it may be held back (mem/held.h): memory has it later */
                weak_cell_collapse(actor->weak, cell);
                cell->messages[0].unsure = true;
            }
        }
    }
}

/* ---- an access -------------------------------------------------------------------------------------------------- */

static void load(struct actor *actor, bool plain)
{
    const struct tap_access *a = actor->access;
    uint64_t at = (uint64_t)(uintptr_t)a->at[actor->lane];
    bool fits = a->element && a->element <= WEAK_PATCH && a->bytes <= WEAK_UNIT;
    uint32_t each = fits ? a->element : WEAK_CELL;
    struct read read = {false, false};
    for (uint32_t done = 0; done < a->bytes; done += each)
        load_element(actor, at + done, each, plain && fits, &read);
    actor->access->stale |= (uint32_t)(read.older && !read.passed) << actor->lane;
}

bool weak_look(struct weak *weak, struct tap_access *access, bool plain)
{
    struct actor actor = actor_of(weak, access);
    struct weak_event *event = &weak->events[weak->nevents];
    access->stale = 0;
    if (!access->lanes)
        return true;
    assert(weak->nevents < WEAK_EVENTS);
    if (weak->global.count > WEAK_ROOM && !weak->nevents)
        weak_forget(weak);
    weak->now += WEAK_STEP;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        actor_lane(&actor, (unsigned)__builtin_ctz(left));
        if (access->kind == TAP_LOAD)
            load(&actor, plain);
        else if (!prepare(&actor, &event->under[actor.lane]))
            return false;
    }
    if (access->kind != TAP_LOAD) {
        event->access = *access;
        weak->nevents++;
    }
    return !weak->room.failed;
}

bool weak_done(struct weak *weak, const struct weak_patch **patches, uint32_t *count)
{
    for (uint32_t i = 0; i < weak->nevents; i++) {
        struct weak_event *event = &weak->events[i];
        struct actor actor = actor_of(weak, &event->access);
        for (uint32_t left = event->access.lanes; left; left &= left - 1) {
            actor_lane(&actor, (unsigned)__builtin_ctz(left));
            stored(&actor, &event->under[actor.lane]);
        }
    }
    *patches = weak->patches;
    *count = weak->npatches;
    weak->nevents = weak->npatches = 0;
    return !weak->room.failed;
}

/* ---- a launch --------------------------------------------------------------------------------------------------- */

struct weak *weak_open(const struct tap_launch *launch, uint64_t seed)
{
    struct weak *weak = calloc(1, sizeof *weak);
    if (!weak)
        return NULL;
    weak->launch = launch;
    weak->room.most = launch->most;
    weak->random = (seed + 1) * UINT64_C(0xd1342543de82ef95) | 1;
    weak->slots = calloc(launch->slots, sizeof *weak->slots);
    if (weak->slots)
        return weak;
    free(weak);
    return NULL;
}
