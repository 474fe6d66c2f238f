/* What orders threads in the weak order: fences, barriers, blocks (weak.h). */
#include "base/bitset.h"
#include "tap/weak_inside.h"

#include <stdlib.h>
#include <string.h>

struct weak_fenced *weak_fenced_of(struct weak *weak, struct weak_thread *thread)
{
    if (!thread->fenced)
        thread->fenced = room_take(&weak->room, sizeof *thread->fenced);
    weak->fenced |= thread->fenced != NULL;
    return thread->fenced;
}

static struct weak_thread *thread_of(struct weak_slot *slot, uint32_t warp, unsigned lane)
{
    return &slot->threads[tap_thread(slot->block.warp_lanes, warp, lane)];
}

/* ---- fences ----------------------------------------------------------------------------------------------------- */

/* All sequentially consistent fences of the grid agree on an order, and those of a block on one that includes them
 * (PTX ISA, "Fence-SC Order"). */
static void agree(struct weak_view *fences, struct weak_view *view)
{
    weak_view_join(view, fences);
    weak_view_join(fences, view);
}

static void fence(struct weak *weak, struct weak_slot *slot, struct weak_thread *thread, uint8_t scope, bool sc)
{
    struct weak_fenced *fenced = weak_fenced_of(weak, thread);
    unsigned last = tap_cta(scope) ? REACH_CTA : REACH_ALL;
    for (unsigned reach = 0; fenced && reach <= last; reach++) {
        weak_view_join(&thread->view, &fenced->pending[reach]);
        fenced->pending[reach] = (struct weak_view){.floor = 0};
    }
    if (sc && last == REACH_ALL)
        agree(&weak->fences, &thread->view);
    if (sc)
        agree(&slot->fences, &thread->view);
    for (unsigned reach = 0; fenced && reach <= last; reach++)
        fenced->passes[reach] = thread->view;
}

/* ---- meetings --------------------------------------------------------------------------------------------------- */

/* What threads before a barrier have fenced, others behind it pass on, too: as the race check has it (docs/checks.md).
 */
static void gather(const struct weak_thread *thread, struct weak_known *known)
{
    weak_view_join(&known->view, &thread->view);
    for (unsigned reach = 0; thread->fenced && reach < REACHES; reach++) {
        weak_view_join(&known->fenced.passes[reach], &thread->fenced->passes[reach]);
        weak_view_join(&known->fenced.pending[reach], &thread->fenced->pending[reach]);
    }
}

static void spread(struct weak *weak, struct weak_thread *thread, const struct weak_known *known)
{
    weak_view_join(&thread->view, &known->view);
    struct weak_fenced *fenced = weak->fenced ? weak_fenced_of(weak, thread) : NULL;
    for (unsigned reach = 0; fenced && reach < REACHES; reach++) {
        weak_view_join(&fenced->passes[reach], &known->fenced.passes[reach]);
        weak_view_join(&fenced->pending[reach], &known->fenced.pending[reach]);
    }
}

static void gather_lanes(struct weak_slot *slot, uint32_t warp, uint32_t lanes, struct weak_known *known)
{
    for (; lanes; lanes &= lanes - 1)
        gather(thread_of(slot, warp, (unsigned)__builtin_ctz(lanes)), known);
}

static void spread_lanes(struct weak *weak, struct weak_slot *slot, uint32_t warp, uint32_t lanes,
                         const struct weak_known *known)
{
    for (; lanes; lanes &= lanes - 1)
        spread(weak, thread_of(slot, warp, (unsigned)__builtin_ctz(lanes)), known);
}

static struct weak_meeting *meeting_of(struct weak *weak, struct weak_slot *slot, uint32_t id)
{
    if (!slot->meetings[id])
        slot->meetings[id] = room_take(&weak->room, sizeof *slot->meetings[id]);
    return slot->meetings[id];
}

static bool order(void *state, const struct tap_order *event)
{
    struct weak *weak = state;
    struct weak_slot *slot = &weak->slots[event->slot];
    struct weak_known known = {.view = {.floor = 0}};
    bool barrier = event->what == TAP_ARRIVE || event->what == TAP_COME || event->what == TAP_AWAIT;
    struct weak_meeting *meeting = barrier ? meeting_of(weak, slot, event->id) : NULL;
    if (barrier && !meeting)
        return false;
    switch (event->what) {
    case TAP_WARP_SYNC:
        gather_lanes(slot, event->warp, event->lanes, &known);
        spread_lanes(weak, slot, event->warp, event->lanes, &known);
        break;
    case TAP_ARRIVE:
        bitset_add(meeting->early, event->warp);
        gather_lanes(slot, event->warp, event->lanes, &meeting->known);
        break;
    case TAP_COME:
        bitset_add(meeting->waits, event->warp);
        break;
    case TAP_AWAIT:
        spread_lanes(weak, slot, event->warp, event->lanes, &meeting->last);
        break;
    default: /* fences between ways to memory have the order of a fence as well: some do (PTX ISA, "tensormap") */
        for (uint32_t left = event->lanes; left; left &= left - 1)
            fence(weak, slot, thread_of(slot, event->warp, (unsigned)__builtin_ctz(left)),
                  event->what == TAP_FENCE ? event->scope : LANE_SCOPE_SYS, event->what == TAP_FENCE && event->sc);
    }
    return !weak->room.failed;
}

/* Those that wait know what all that came knew when they came. */
static bool barrier(void *state, const struct tap_barrier *event)
{
    struct weak *weak = state;
    struct weak_slot *slot = &weak->slots[event->slot];
    struct weak_meeting *meeting = meeting_of(weak, slot, event->id);
    uint32_t warps = slot->nthreads / slot->block.warp_lanes;
    if (!meeting)
        return false;
    for (uint32_t w = 0; w < warps; w++)
        if (bitset_has(event->arrived, w) && bitset_has(meeting->waits, w))
            gather_lanes(slot, w, event->live[w], &meeting->known);
    for (uint32_t w = 0; w < warps; w++) {
        bool waits = bitset_has(event->arrived, w) && bitset_has(meeting->waits, w);
        spread_lanes(weak, slot, w, waits ? event->live[w] : event->waiting[w], &meeting->known);
    }
    meeting->last = meeting->known;
    meeting->known = (struct weak_known){.view = {.floor = 0}};
    memset(meeting->early, 0, sizeof meeting->early);
    memset(meeting->waits, 0, sizeof meeting->waits);
    return !weak->room.failed;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static void slot_forget(struct weak *weak, struct weak_slot *slot)
{
    weak_table_clear(weak, &slot->shared);
    for (uint32_t i = 0; i < slot->nthreads; i++)
        room_give(&weak->room, slot->threads[i].fenced, slot->threads[i].fenced ? sizeof(struct weak_fenced) : 0);
    if (slot->nthreads)
        memset(slot->threads, 0, slot->nthreads * sizeof *slot->threads);
    for (unsigned i = 0; i < TAP_BARRIERS; i++) {
        room_give(&weak->room, slot->meetings[i], slot->meetings[i] ? sizeof(struct weak_meeting) : 0);
        slot->meetings[i] = NULL;
    }
    slot->fences = (struct weak_view){.floor = 0};
}

static bool block(void *state, const struct tap_block *event)
{
    struct weak *weak = state;
    struct weak_slot *slot = &weak->slots[event->slot];
    slot_forget(weak, slot);
    if (!slot->threads) {
        slot->nthreads = (event->threads / event->warp_lanes + 1) * event->warp_lanes;
        slot->threads = room_take(&weak->room, slot->nthreads * sizeof *slot->threads);
        slot->nthreads = slot->threads ? slot->nthreads : 0;
    }
    slot->block = *event;
    return slot->threads != NULL;
}

/* Memory that comes and goes: whoever gets it next finds what is there. */
static bool freed(void *state, const struct tap_freed *event)
{
    (void)event;
    weak_forget(state);
    return true;
}

static void close(void *state)
{
    struct weak *weak = state;
    for (uint32_t i = 0; i < weak->launch->slots; i++) {
        slot_forget(weak, &weak->slots[i]);
        free(weak->slots[i].threads);
        free(weak->slots[i].shared.cells);
    }
    weak_table_clear(weak, &weak->global);
    free(weak->global.cells);
    free(weak->slots);
    free(weak);
}

/* weak_open makes the state; accesses are told to weak_look. */
const struct check check_weak = {
    .name = "weak", .close = close, .block = block, .order = order, .barrier = barrier, .freed = freed};
