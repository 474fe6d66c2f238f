/* Barriers of the block, as the sync check sees them (PTX ISA, "barrier{.cta}"; CUDA C++ Programming Guide,
 * "Synchronization Functions"). The engine counts warps (engine/warp/barrier.c), and so does this. */
#include "base/bitset.h"
#include "tap/sync.h"

#include <string.h>

static bool begun(const struct sync_barrier *barrier)
{
    return barrier->first.site != TAP_NO_SITE;
}

/* ---- what is wrong ---------------------------------------------------------------------------------------------- */

static const struct sync_fault divergent = {
    "divergent-barrier", "comes to a barrier", "has come to it",
    "all threads of a warp have to come to one aligned barrier (bar.sync, __syncthreads) together"};
static const struct sync_fault divergent_alone = {
    "divergent-barrier", "comes to a barrier in divergent code", NULL,
    "all threads of a warp have to come to one aligned barrier (bar.sync, __syncthreads) together"};
static const struct sync_fault divergent_part = {
    "divergent-barrier", "comes to a barrier in divergent code", NULL,
    "a barrier is of the whole hardware thread, and other channels of it have gone another way"};
static const struct sync_fault different = {
    "different-barriers", "comes to a barrier of all threads", "has come to it",
    "threads of one block meet at different places: __syncthreads is for code that all threads run"};
static const struct sync_fault never_meet = {"different-barriers", "waits at a barrier", "waits at another one",
                                             "they wait for each other for ever"};
static const struct sync_fault gone = {"exited-threads", "waits at a barrier of all threads", "has left the kernel",
                                       "the barrier does without threads that it counts on"};
static const struct sync_fault no_multiple = {"wrong-count", "comes to a barrier", NULL,
                                              "its thread count is no multiple of the warp size"};
static const struct sync_fault too_many = {"wrong-count", "comes to a barrier", NULL,
                                           "its thread count is more than the block has"};
static const struct sync_fault other_count = {"wrong-count", "comes to a barrier", "has come to it",
                                              "their thread counts differ"};
static const struct sync_fault too_few = {"wrong-count", "waits at a barrier", NULL,
                                          "fewer threads come than its thread count says"};
static const struct sync_fault too_few_left = {"wrong-count", "waits at a barrier", "has left the kernel",
                                               "fewer threads come than its thread count says"};
static const struct sync_fault endless = {"endless-wait", "goes round in a loop", NULL,
                                          "nothing changes any more: no thread is left that could end it"};
static const struct sync_fault endless_beside = {"endless-wait", "goes round in a loop", "waits at a barrier",
                                                 "nothing changes any more: no thread is left that could end it"};
static const struct sync_fault luck = {
    "schedule-luck", "comes to a barrier", "was the first to come to its phase before",
    "nothing orders it behind the end of that phase: for which phase it counts is luck"};
static const struct sync_fault twice = {"schedule-luck", "comes to a barrier", "has come to the same phase of it",
                                        "its warp counts twice: nothing makes it wait for the end of the phase"};

/* ---- threads come ------------------------------------------------------------------------------------------------ */

static struct sync_place here(const struct sync_slot *slot, const struct tap_order *order)
{
    return (struct sync_place){order->site, sync_thread(slot, order->warp, order->runs)};
}

static bool count_wrong(const struct sync *sync, const struct sync_slot *slot, const struct sync_barrier *barrier,
                        const struct tap_order *order)
{
    uint32_t lanes = slot->block.warp_lanes;
    const struct sync_fault *fault = NULL;
    const struct sync_place *other = NULL;
    if (order->count % lanes)
        fault = &no_multiple;
    else if (order->count > slot->nwarps * lanes)
        fault = &too_many;
    else if (begun(barrier) && barrier->expected != order->count) {
        fault = &other_count;
        other = &barrier->first;
    }
    if (fault)
        sync_tell(sync, slot, fault, here(slot, order), other);
    return fault != NULL;
}

/* Do the lanes of a warp, and the warps of the block, come to the same instruction? Threads name barriers with a count
 * for themselves, so warps may come to these at several places. */
static void places_differ(const struct sync *sync, const struct sync_slot *slot, struct sync_barrier *barrier,
                          const struct sync_came *came, const struct tap_order *order)
{
    barrier->parted |= order->part;
    if (order->part)
        sync_tell(sync, slot, &divergent_part, here(slot, order), NULL);
    else if (order->aligned && order->lanes & ~order->runs)
        sync_tell(sync, slot, &divergent_alone, here(slot, order), NULL);
    else if (came->lanes && came->last.site != order->site && (came->aligned || order->aligned))
        sync_tell(sync, slot, &divergent, here(slot, order), &came->last);
    else if (begun(barrier) && barrier->first.site != order->site && !order->count && order->aligned &&
             barrier->first_aligned && barrier->first.thread / slot->block.warp_lanes != order->warp)
        sync_tell(sync, slot, &different, here(slot, order), &barrier->first);
}

/* Could the warp have come to the phase before, or twice to this one, in another order? What it has read since may have
 * told it that the phase is over: then this is not known. */
static void by_luck(const struct sync *sync, const struct sync_slot *slot, const struct sync_barrier *barrier,
                    const struct tap_order *order)
{
    const struct sync_warp *warp = &slot->warps[order->warp];
    if (bitset_has(barrier->arrived, order->warp))
        sync_tell(sync, slot, &twice, here(slot, order), &warp->came[order->id].last);
    else if (barrier->over && warp->known[order->id] < barrier->over && warp->saw <= barrier->ended)
        sync_tell(sync, slot, &luck, here(slot, order), &barrier->last_first);
}

/* Have all lanes of the warp come that are left? */
static void arrive(struct sync_slot *slot, uint32_t number, uint32_t id)
{
    struct sync_warp *warp = &slot->warps[number];
    if (!warp->came[id].lanes || warp->live & ~warp->came[id].lanes)
        return;
    warp->came[id].lanes = 0;
    bitset_add(slot->barriers[id].arrived, number);
}

static void come(struct sync *sync, struct sync_slot *slot, const struct tap_order *order)
{
    struct sync_barrier *barrier = &slot->barriers[order->id];
    struct sync_warp *warp = &slot->warps[order->warp];
    struct sync_came *came = &warp->came[order->id];
    if (count_wrong(sync, slot, barrier, order))
        return;
    places_differ(sync, slot, barrier, came, order);
    by_luck(sync, slot, barrier, order);
    if (!begun(barrier)) {
        barrier->first = here(slot, order);
        barrier->first_aligned = order->aligned;
        barrier->expected = order->count;
    }
    came->lanes |= order->lanes;
    came->last = here(slot, order);
    came->aligned = order->aligned;
    came->waits = order->what == TAP_COME;
    arrive(slot, order->warp, order->id);
}

bool sync_order(void *state, const struct tap_order *order)
{
    struct sync *sync = state;
    struct sync_slot *slot = &sync->slots[order->slot];
    if (order->what == TAP_COME || order->what == TAP_ARRIVE)
        come(sync, slot, order);
    else if (order->what == TAP_AWAIT)
        slot->warps[order->warp].came[order->id].waits = true;
    return true;
}

bool sync_exit(void *state, const struct tap_exit *exit)
{
    struct sync *sync = state;
    struct sync_slot *slot = &sync->slots[exit->slot];
    sync_gone(sync, slot, exit);
    if (slot->left.site == TAP_NO_SITE)
        slot->left = (struct sync_place){exit->site, sync_thread(slot, exit->warp, exit->lanes)};
    slot->warps[exit->warp].live &= ~exit->lanes;
    for (uint32_t id = 0; id < TAP_BARRIERS; id++)
        arrive(slot, exit->warp, id);
    return true;
}

/* ---- phases end -------------------------------------------------------------------------------------------------- */

/* Does the warp go on because the phase is over? */
static bool waited(const struct sync_slot *slot, const struct tap_barrier *event, uint32_t warp)
{
    return bitset_has(event->arrived, warp) && slot->warps[warp].came[event->id].waits;
}

/* Who waited there, lowest first; NULL: nobody. */
static const struct sync_place *waiter(const struct sync_slot *slot, const struct tap_barrier *event)
{
    for (uint32_t i = 0; i < slot->nwarps; i++)
        if (waited(slot, event, i))
            return &slot->warps[i].came[event->id].last;
    return NULL;
}

/* Those who wait know what all knew who came. */
static void learn(struct sync_slot *slot, const struct tap_barrier *event)
{
    uint32_t known[TAP_BARRIERS] = {0};
    for (uint32_t i = 0; i < slot->nwarps; i++)
        for (unsigned id = 0; id < TAP_BARRIERS && bitset_has(event->arrived, i); id++)
            known[id] = slot->warps[i].known[id] > known[id] ? slot->warps[i].known[id] : known[id];
    known[event->id] = slot->barriers[event->id].over;
    for (uint32_t i = 0; i < slot->nwarps; i++)
        for (unsigned id = 0; id < TAP_BARRIERS && waited(slot, event, i); id++)
            slot->warps[i].known[id] = slot->warps[i].known[id] > known[id] ? slot->warps[i].known[id] : known[id];
}

bool sync_barrier_over(void *state, const struct tap_barrier *event)
{
    struct sync *sync = state;
    struct sync_slot *slot = &sync->slots[event->slot];
    struct sync_barrier *barrier = &slot->barriers[event->id];
    const struct sync_place *place = waiter(slot, event);
    if (place && !barrier->expected && slot->left.site != TAP_NO_SITE && !barrier->parted)
        sync_tell(sync, slot, &gone, *place, &slot->left);
    barrier->over++;
    barrier->ended = ++slot->now;
    barrier->last_first = barrier->first;
    barrier->first.site = TAP_NO_SITE;
    barrier->parted = false;
    for (uint32_t i = 0; i < slot->nwarps && !begun(barrier); i++) /* some of its lanes have come to the next one */
        if (slot->warps[i].came[event->id].lanes)
            barrier->first = slot->warps[i].came[event->id].last;
    memset(barrier->arrived, 0, sizeof barrier->arrived);
    learn(slot, event);
    return true;
}

/* ---- nobody can go on ---------------------------------------------------------------------------------------------
 */

/* Who waits at a barrier other than `id`, lowest first. */
static const struct sync_place *waits_elsewhere(const struct sync_slot *slot, uint32_t id)
{
    for (uint32_t other = 0; other < TAP_BARRIERS; other++)
        if (other != id && begun(&slot->barriers[other]))
            return &slot->barriers[other].first;
    return NULL;
}

bool sync_stuck(void *state, const struct tap_stuck *stuck)
{
    const struct sync *sync = state;
    const struct sync_slot *slot = &sync->slots[stuck->slot];
    uint32_t id = 0;
    while (id < TAP_BARRIERS && !begun(&slot->barriers[id]))
        id++;
    if (stuck->lanes) {
        const struct sync_place *other = id < TAP_BARRIERS ? &slot->barriers[id].first : NULL;
        const struct sync_place place = {stuck->site, sync_thread(slot, stuck->warp, stuck->lanes)};
        sync_tell(sync, slot, other ? &endless_beside : &endless, place, other);
        return true;
    }
    if (id == TAP_BARRIERS)
        return true;
    const struct sync_barrier *barrier = &slot->barriers[id];
    const struct sync_place *other = waits_elsewhere(slot, id);
    if (other)
        sync_tell(sync, slot, &never_meet, barrier->first, other);
    else if (!barrier->expected)
        sync_tell(sync, slot, &divergent_alone, barrier->first, NULL);
    else if (slot->left.site != TAP_NO_SITE)
        sync_tell(sync, slot, &too_few_left, barrier->first, &slot->left);
    else
        sync_tell(sync, slot, &too_few, barrier->first, NULL);
    return true;
}
