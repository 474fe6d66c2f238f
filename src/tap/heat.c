/* How often memory is reached: accesses of lanes to each unit of it. */
#include "tap/check.h"

#include <stdlib.h>

static bool heat_open(const struct tap_launch *launch, void **state)
{
    const struct tap_launch **kept = malloc(sizeof *kept);
    if (kept)
        *kept = launch;
    *state = kept;
    return kept != NULL;
}

static void count(const struct tap_heat *heat, uintptr_t at, uint32_t bytes)
{
    uint64_t offset = at - (uintptr_t)heat->at;
    if (offset >= heat->bytes)
        return;
    for (uint64_t unit = offset / heat->unit;
         unit <= (offset + bytes - 1) / heat->unit && unit * heat->unit < heat->bytes; unit++)
        heat->counts[unit]++;
}

static bool heat_access(void *state, const struct tap_access *access)
{
    const struct tap_launch *launch = *(const struct tap_launch **)state;
    for (uint32_t i = 0; i < launch->nheats && !access->shared; i++)
        for (uint32_t left = access->lanes; left; left &= left - 1)
            count(&launch->heats[i], (uintptr_t)access->at[__builtin_ctz(left)], access->bytes);
    return true;
}

const struct check check_heat = {.name = "heat", .open = heat_open, .close = free, .access = heat_access};
