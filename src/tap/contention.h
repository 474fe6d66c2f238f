/* What atomics cost: an observer of the addresses that a warp's lanes name at once.
 *
 * The rule (docs/maxwell.md, "Shared atomics"): lanes of one address take a pass each, lanes of different
 * addresses go together; an instruction that lets one lane a bank try (CAST.SPIN) takes one pass. Words of different
 * addresses in one of the 32 banks (address / 4 modulo 32) conflict. Of other memory ("Contention elsewhere") passes
 * are the same, and sectors of 32 bytes count. */
#ifndef ATOLL_TAP_CONTENTION_H
#define ATOLL_TAP_CONTENTION_H

#include "lane/lane.h"

struct contention {
    uint64_t executions; /* by a warp, with a lane at least */
    uint64_t lanes;      /* that took part */
    uint64_t passes;
    uint64_t conflicts;           /* further words of a bank, summed over the worst bank of each execution */
    uint64_t sectors;             /* summed over the executions */
    uint64_t distinct[LANES + 1]; /* executions by the number of different addresses */
    uint8_t space;                /* enum lane_space: SHARED, GLOBAL, SURFACE */
    const void *who;              /* set at the first execution: whatever names the instruction to the caller */
};

/* One execution in counter->space: byte addresses of the lanes in `lanes`. */
void contention_note(struct contention *counter, const uint64_t address[LANES], uint32_t lanes);
void contention_add(struct contention *sum, const struct contention *more);

#endif
