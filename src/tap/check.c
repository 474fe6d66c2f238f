/* The table of checks, and events to those that a launch asks for. */
#include "tap/check.h"

static const struct check *const table[] = {&check_race, &check_undefined, &check_sync, &check_memory, &check_border};

const struct check *check_at(unsigned index)
{
    return index < sizeof table / sizeof *table ? table[index] : NULL;
}

bool tap_open(struct tap *tap, unsigned checks, const struct tap_launch *launch)
{
    *tap = (struct tap){.count = 0};
    for (unsigned i = 0; check_at(i); i++) {
        if (!(checks & table[i]->bit))
            continue;
        tap->checks[tap->count] = table[i];
        tap->steps = tap->steps || table[i]->step;
        tap->local = tap->local || table[i]->local;
        tap->meets = tap->meets || table[i]->meet;
        tap->faults = tap->faults || table[i]->fault;
        tap->borders = tap->borders || table[i]->border;
        tap->accesses = tap->accesses || table[i]->access || tap->local || tap->faults || tap->borders;
        if (!table[i]->open(launch, &tap->states[tap->count]))
            return false;
        tap->count++;
    }
    return true;
}

void tap_close(struct tap *tap)
{
    for (unsigned i = 0; i < tap->count; i++)
        tap->checks[i]->close(tap->states[i]);
    tap->count = 0;
}

#define TELL(name, type)                                                              \
    bool tap_##name(struct tap *tap, const struct type *event)                        \
    {                                                                                 \
        for (unsigned i = 0; i < tap->count; i++)                                     \
            if (tap->checks[i]->name && !tap->checks[i]->name(tap->states[i], event)) \
                return false;                                                         \
        return true;                                                                  \
    }
TELL(block, tap_block)
TELL(step, tap_step)
TELL(access, tap_access)
TELL(fault, tap_fault)
TELL(border, tap_fault)
TELL(order, tap_order)
TELL(barrier, tap_barrier)
TELL(freed, tap_freed)
TELL(exit, tap_exit)
TELL(meet, tap_meet)
TELL(stuck, tap_stuck)

bool tap_end(struct tap *tap)
{
    bool ok = true;
    for (unsigned i = 0; i < tap->count; i++)
        ok = (!tap->checks[i]->end || tap->checks[i]->end(tap->states[i])) && ok;
    return ok;
}

TELL(made, tap_malloc)
TELL(local, tap_access)
TELL(call, tap_call)

bool tap_extent(const struct tap *tap, const struct tap_range *range, struct tap_extent *extent)
{
    for (unsigned i = 0; i < tap->count; i++)
        if (tap->checks[i]->extent) {
            tap->checks[i]->extent(tap->states[i], range, extent);
            return true;
        }
    return false;
}
