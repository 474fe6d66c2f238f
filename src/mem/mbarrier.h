/* Barrier objects in shared memory: 64 bits that count arrivals and outstanding transactions of a phase.
 *
 * The PTX ISA leaves the object's bits open ("opaque"); this layout is Atoll's choice and is here alone:
 *
 *   63     the phase's parity: 0 in the first phase
 *   62     1: this is an object (so that memory that was never initialised, or invalidated, is noticed)
 *   40-60  transactions outstanding in this phase, two's complement, -(2^20 - 1) .. 2^20 - 1
 *   20-39  arrivals expected in the next phase, at most 2^20 - 1
 *   0-19   arrivals pending in this phase
 *
 * A phase is complete when no arrivals are pending and no transactions outstanding; then the next one begins with the
 * expected arrivals (PTX ISA, "Phase completion of the mbarrier object"). A state, as arrive returns it, is the object
 * before the arrival.
 *
 * A block's shared memory is reached by one host thread only, so these are plain reads and writes. Each function
 * returns NULL, or what is wrong: the ISA calls these cases undefined, here they are faults and leave the object alone.
 */
#ifndef ATOLL_MEM_MBARRIER_H
#define ATOLL_MEM_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#define MBARRIER_COUNT   UINT64_C(0xfffff) /* largest count; arrivals pending in a state: state & MBARRIER_COUNT */
#define MBARRIER_PARITY  63                /* bit of a state that holds the parity */
#define MBARRIER_PENDING 0                 /* lowest bit of the pending arrivals */

const char *mbarrier_init(uint64_t *object, uint32_t count);
const char *mbarrier_inval(uint64_t *object);
/* `transactions` more (positive) or fewer (negative) are outstanding. */
const char *mbarrier_transact(uint64_t *object, int64_t transactions);
/* `count` arrivals. drop: they are not expected in later phases either. keep: the phase must not complete by them. */
const char *mbarrier_arrive(uint64_t *object, uint32_t count, bool drop, bool keep, uint64_t *state);
/* Is the phase with the parity of `state` over? That phase is the current one or the one before. */
const char *mbarrier_test(const uint64_t *object, uint64_t state, bool *over);

#endif
