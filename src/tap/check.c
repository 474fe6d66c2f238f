/* The table of checks, and events to those that a launch asks for. */
#include "tap/check.h"

#include "atoll.h"

/* What is left unwritten is known to the check of uninitialised values, and the engine asks it (tap_extent). */
static bool open_outputs(const struct tap_launch *launch, void **state)
{
    (void)launch;
    *state = NULL;
    return true;
}

static void close_outputs(void *state)
{
    (void)state;
}

static const struct check check_outputs_row = {
    .name = "outputs", .bit = ATOLL_CHECK_OUTPUTS, .open = open_outputs, .close = close_outputs};

static const struct check *const table[] = {&check_race,   &check_undefined, &check_sync,       &check_value,
                                            &check_memory, &check_border,    &check_outputs_row};

const struct check *check_at(unsigned index)
{
    return index < sizeof table / sizeof *table ? table[index] : NULL;
}

static bool observer_open(struct tap *tap, const struct check *check, const struct tap_launch *launch)
{
    tap->checks[tap->count] = check;
    tap->steps = tap->steps || check->step;
    tap->local = tap->local || check->local;
    tap->meets = tap->meets || check->meet;
    tap->faults = tap->faults || check->fault;
    tap->borders = tap->borders || check->border;
    tap->accesses = tap->accesses || check->access || tap->local || tap->faults || tap->borders;
    if (!check->open(launch, &tap->states[tap->count]))
        return false;
    tap->count++;
    return true;
}

bool tap_open(struct tap *tap, unsigned checks, const struct tap_launch *launch)
{
    *tap = (struct tap){.count = 0};
    bool ok = (!launch->nwatches || observer_open(tap, &check_history, launch)) &&
              (!launch->profile || observer_open(tap, &check_profile, launch)) &&
              (!launch->nheats || observer_open(tap, &check_heat, launch));
    for (unsigned i = 0; check_at(i) && ok; i++)
        ok = !(checks & table[i]->bit) || observer_open(tap, table[i], launch);
    return ok;
}

bool tap_add(struct tap *tap, const struct check *check, void *state)
{
    if (tap->count == CHECKS) {
        check->close(state);
        return false;
    }
    tap->checks[tap->count] = check;
    tap->states[tap->count++] = state;
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

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

enum { ROW = 16 }; /* lanes that are looked at together: blocks are often as wide */

static bool is_row(const struct tap_access *access, unsigned lane)
{
    uintptr_t first = (uintptr_t)access->at[lane], differ = 0;
    for (uintptr_t i = 1; i < ROW; i++)
        differ |= (uintptr_t)access->at[lane + i] ^ (first + i * access->bytes);
    return !differ;
}

uint32_t tap_run(const struct tap_access *access, uint32_t lanes)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    uint64_t set = (uint64_t) ~(lanes >> lane) | UINT64_C(1) << (LANES - lane);
    uint32_t n = 1, most = (uint32_t)__builtin_ctzll(set);
    if (most >= ROW && is_row(access, lane))
        n = ROW;
    while (n < most && access->at[lane + n] == access->at[lane] + (size_t)n * access->bytes)
        n++;
    return n;
}
