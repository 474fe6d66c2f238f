/* Counting addresses of a warp. */
#include "tap/contention.h"

enum { BANKS = 32, SECTOR = 32 };

/* Different numbers among lanes' addresses / `unit`, into `seen`; *most: lanes that have the same. */
static unsigned different(const uint64_t address[LANES], uint32_t lanes, unsigned unit, uint64_t seen[LANES],
                          unsigned *most)
{
    unsigned count = 0;
    *most = 0;
    while (lanes) {
        uint64_t at = address[__builtin_ctz(lanes)] / unit;
        unsigned same = 0;
        for (uint32_t all = lanes; all; all &= all - 1)
            if (address[__builtin_ctz(all)] / unit == at) {
                same++;
                lanes &= ~(all & -all);
            }
        seen[count++] = at;
        *most = same > *most ? same : *most;
    }
    return count;
}

/* Words of the bank that has most of them. */
static unsigned worst_bank(const uint64_t words[LANES], unsigned count)
{
    uint8_t in_bank[BANKS] = {0};
    unsigned worst = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned bank = ++in_bank[words[i] % BANKS];
        worst = bank > worst ? bank : worst;
    }
    return worst;
}

void contention_note(struct contention *counter, const uint64_t address[LANES], uint32_t lanes)
{
    uint64_t seen[LANES];
    unsigned most, ignored;
    if (!lanes)
        return;
    counter->executions++;
    counter->lanes += (unsigned)__builtin_popcount(lanes);
    counter->distinct[different(address, lanes, 1, seen, &most)]++;
    counter->passes += most;
    if (counter->space == LANE_SHARED)
        counter->conflicts += worst_bank(seen, different(address, lanes, 4, seen, &ignored)) - 1;
    else
        counter->sectors += different(address, lanes, SECTOR, seen, &ignored);
}

void contention_add(struct contention *sum, const struct contention *more)
{
    sum->executions += more->executions;
    sum->lanes += more->lanes;
    sum->passes += more->passes;
    sum->conflicts += more->conflicts;
    sum->sectors += more->sectors;
    sum->space = sum->executions > more->executions ? sum->space : more->space;
    for (unsigned i = 0; i <= LANES; i++)
        sum->distinct[i] += more->distinct[i];
    sum->who = sum->who ? sum->who : more->who;
}
