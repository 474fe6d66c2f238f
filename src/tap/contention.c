/* Counting addresses of a warp. */
#include "tap/contention.h"

enum { BANKS = 32 };

void contention_note(struct contention *counter, const uint64_t address[LANES], uint32_t lanes)
{
    uint64_t word_seen[LANES];
    uint8_t in_bank[BANKS] = {0};
    unsigned distinct = 0, words = 0, most = 0, worst = 0;
    for (uint32_t left = lanes; left;) {
        uint64_t at = address[__builtin_ctz(left)];
        unsigned same = 0, known = 0;
        for (uint32_t all = left; all; all &= all - 1)
            if (address[__builtin_ctz(all)] == at) {
                same++;
                left &= ~(all & -all);
            }
        distinct++;
        most = same > most ? same : most;
        for (unsigned i = 0; i < words; i++)
            known |= word_seen[i] == at / 4;
        if (known)
            continue;
        word_seen[words++] = at / 4;
        unsigned bank = ++in_bank[at / 4 % BANKS];
        worst = bank > worst ? bank : worst;
    }
    counter->executions++;
    counter->lanes += (unsigned)__builtin_popcount(lanes);
    counter->passes += most;
    counter->conflicts += worst - 1;
    counter->distinct[distinct]++;
}

void contention_add(struct contention *sum, const struct contention *more)
{
    sum->executions += more->executions;
    sum->lanes += more->lanes;
    sum->passes += more->passes;
    sum->conflicts += more->conflicts;
    for (unsigned i = 0; i <= LANES; i++)
        sum->distinct[i] += more->distinct[i];
    sum->who = sum->who ? sum->who : more->who;
}
