/* Why two accesses race. */
#include "tap/race.h"

enum { CHAIN = 4096 /* records that are looked at for a cause */ };

struct cause {
    const char *name, *why;
    bool worse;
};

/* What came before: the record and its number, of shared memory or of global memory, the lane. */
struct past {
    const struct record *record;
    uint32_t index, lane;
    bool shared;
};

/* Was the flag, which lies in global memory or in shared memory, stored after that? A warp's records of one time are
 * numbered as they came. */
static bool later(const struct record *stored, uint32_t index, bool shared, const struct past *past)
{
    const struct record *record = past->record;
    if (stored->block != record->block)
        return false;
    bool same = stored->time == record->time && stored->warp == record->warp && shared == past->shared;
    return stored->time >= record->time && !(same && index < past->index);
}

/* Does a flag say that its thread comes behind what a record is of? By the value that it has seen, or by those that
 * updates have found one after the other: a counter that all blocks go to. */
static bool leads(const struct race *race, const struct flag *flag, const struct past *past, unsigned *steps)
{
    for (uint32_t index = flag->ref / LANES; index && *steps; index = race_chain(race, index), --*steps)
        if (later(record_at(&race->shadow, index), index, false, past))
            return true;
    return false;
}

/* The same of one in shared memory. Others of the block than those that are known to come before have no part in it. */
static bool leads_shared(const struct race *race, const struct slot *slot, const struct flag *flag,
                         const struct past *past)
{
    uint32_t index = flag->ref / LANES;
    const struct record *stored = index ? record_at(&slot->shadow, index) : NULL;
    if (!stored || stored->warp != past->record->warp || !later(stored, index, true, past))
        return false;
    return race_lane(race, flag->ref % LANES) == race_lane(race, past->lane) || stored->time > past->record->time;
}

/* Of flags that a thread has seen up to a time of its block, in shared memory or in global memory. */
static const struct flag *flag_of(const struct race *race, const struct slot *slot, const struct thread *thread,
                                  bool shared, uint32_t time, const struct past *past, unsigned *steps)
{
    const struct flags *flags = &thread->flags[shared];
    for (unsigned i = 0; i < FLAGS; i++) {
        const struct flag *flag = &flags->list[(flags->count - 1 - i) % FLAGS];
        if (flag->time <= time && (shared ? leads_shared(race, slot, flag, past) : leads(race, flag, past, steps)))
            return flag;
    }
    return NULL;
}

/* Up to when does the actor know what another thread of its block has done? */
static uint32_t knows(const struct actor *actor, uint32_t number)
{
    const struct slot *slot = actor->slot;
    const struct thread *thread = actor->thread;
    uint32_t known = thread->block_known > slot->known ? thread->block_known : slot->known;
    bool mate = number / slot->block.warp_lanes == actor->access->warp;
    return mate && thread->warp_known > known ? thread->warp_known : known;
}

/* The same of any thread of the block, behind whose barrier the actor is. */
static const struct flag *find_flag(const struct race *race, const struct actor *actor, const struct past *past)
{
    const struct slot *slot = actor->slot;
    bool mine = past->record->block == slot->block.number;
    unsigned steps = CHAIN;
    bool inside = mine && past->record->warp != actor->access->warp; /* lanes of one warp lack a __syncwarp */
    const struct flag *flag = NULL;
    if (slot->flags)
        flag = flag_of(race, slot, actor->thread, false, UINT32_MAX, past, &steps);
    if (slot->flags && !flag && inside)
        flag = flag_of(race, slot, actor->thread, true, UINT32_MAX, past, &steps);
    for (uint32_t i = 0; !flag && slot->flags && (inside || !mine) && i < slot->block.threads; i++)
        flag = flag_of(race, slot, &slot->threads[i], mine, knows(actor, i), past, &steps);
    return flag;
}

static struct cause find_cause(const struct race *race, const struct actor *actor, uint32_t ref)
{
    const struct tap_access *a = actor->access;
    const struct record *record = record_at(actor->shadow, ref / LANES);
    const struct past past = {record, ref / LANES, ref % LANES, a->shared};
    bool mine = record->block == actor->slot->block.number;
    bool before = tap_strong(record->kind, record->order), now = tap_strong(a->kind, a->order);
    const struct flag *flag = find_flag(race, actor, &past);
    if (race_before(race, actor, record, ref % LANES, false))
        return (struct cause){"missing-proxy-fence",
                              "ordered, but no fence.proxy stands between the two ways to memory", false};
    if (before && now && record->proxy != a->proxy)
        return (struct cause){"missing-proxy-fence", "atomics by two ways to memory", false};
    if (before && now && record->element != a->element)
        return (struct cause){"mixed-size", "atomics of different sizes", false};
    if (before && now)
        return (struct cause){"narrow-scope", "the scope of an atomic access is one block", false};
    if (before != now)
        return (struct cause){"weak-access", "a weak access beside an atomic or volatile one", false};
    if (flag && flag->reason == SEEN_WEAK)
        return (struct cause){"weak-flag", "only a flag that is stored by a weak access stands between them", false};
    if (flag && flag->reason == SEEN_SCOPE)
        return (struct cause){"narrow-scope", "what stands between them has the scope of one block", false};
    if (flag)
        return (struct cause){"missing-fence", "what stands between them neither releases nor acquires: no fence",
                              false};
    if (mine && record->warp == a->warp)
        return (struct cause){"missing-warp-sync", "lanes of one warp, and no __syncwarp between them", false};
    return (struct cause){"unordered", "nothing stands between them", true};
}

void race_tell(const struct race *race, const struct actor *actor, uint32_t ref)
{
    const struct tap_access *a = actor->access;
    const struct slot *slot = actor->slot;
    const struct record *record = record_at(actor->shadow, ref / LANES);
    struct cause cause = find_cause(race, actor, ref);
    const struct tap_finding finding = {
        .check = "race",
        .cause = cause.name,
        .why = cause.why,
        .worse = cause.worse,
        .now = {.site = a->site,
                .kind = a->kind,
                .order = a->order,
                .proxy = a->proxy,
                .block = slot->block.number,
                .thread = race_number(slot, a->warp, actor->lane)},
        .before = {.site = record->site,
                   .kind = record->kind,
                   .order = record->order,
                   .proxy = record->proxy,
                   .block = record->block,
                   .thread = race_number(slot, record->warp, ref % LANES)},
        .access = a,
        .lane = actor->lane,
    };
    race->launch->engine->found(race->launch->engine->self, &finding);
}
