/* Why two accesses race. */
#include "tap/race.h"

struct cause {
    const char *name, *why;
    bool worse;
};

static struct cause find_cause(const struct race *race, const struct actor *actor, const struct record *record,
                               unsigned lane)
{
    const struct tap_access *a = actor->access;
    bool mine = record->block == actor->slot->block.number;
    bool before = race_strong(record->kind, record->order), now = race_strong(a->kind, a->order);
    uint32_t number = race_number(actor->slot, record->warp, lane);
    const struct clock_entry *guess =
        clock_find(actor->thread->view.guess, record->block, record->warp, number, record->time);
    if (race_before(race, actor, record, lane, false))
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
    if (guess && guess->reason == CLOCK_WEAK)
        return (struct cause){"weak-flag", "only a flag that is stored by a weak access stands between them", false};
    if (guess && guess->reason == CLOCK_SCOPE)
        return (struct cause){"narrow-scope", "what stands between them has the scope of one block", false};
    if (guess)
        return (struct cause){"missing-fence", "what stands between them neither releases nor acquires: no fence",
                              false};
    if (mine && record->warp == a->warp)
        return (struct cause){"missing-warp-sync", "lanes of one warp, and no __syncwarp between them", false};
    return (struct cause){"unordered", "nothing stands between them", true};
}

void race_tell(const struct race *race, const struct actor *actor, const struct record *record, unsigned lane)
{
    const struct tap_access *a = actor->access;
    const struct slot *slot = actor->slot;
    struct cause cause = find_cause(race, actor, record, lane);
    const struct tap_finding finding = {
        .check = "race",
        .cause = cause.name,
        .why = cause.why,
        .worse = cause.worse,
        .now = {a->site, a->kind, a->order, a->proxy, slot->block.number, race_number(slot, a->warp, actor->lane)},
        .before = {record->site, record->kind, record->order, record->proxy, record->block,
                   race_number(slot, record->warp, lane)},
        .access = a,
        .lane = actor->lane,
    };
    race->launch->engine->found(race->launch->engine->self, &finding);
}
