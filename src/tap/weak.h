/* The weak order: loads read older values that the memory model still allows, stores come before others that are there
 * already (docs/memory-model.md, "The weak order"). Unlike a check it changes what the kernel sees: the engine tells it
 * each access before that is carried out, and afterwards does what it answers.
 *
 * Time goes on with each instruction that accesses memory. The values that a cell (4 bytes) has had lately are kept
 * with the times of their stores, in coherence order. A thread may read those that its view (weak_view.h) does not
 * hide: a view has what the thread itself has read and stored, and what others have passed on to it. */
#ifndef ATOLL_TAP_WEAK_H
#define ATOLL_TAP_WEAK_H

#include "tap/check.h"
#include "tap/weak_view.h"

enum {
    WEAK_HISTORY = 4,    /* values of a cell */
    WEAK_CELL = 4,       /* bytes */
    WEAK_STEP = 1 << 20, /* of time, between instructions: stores may come in between */
    WEAK_PATCH = 16,     /* bytes of a patch */
    WEAK_UNIT = 64,      /* bytes of a lane, at most; of more all are the latest */
    WEAK_ROOM = 1 << 16, /* cells of global memory; then all older values are forgotten */
    WEAK_FIRST = 1 << 8, /* room for cells, at first */
    WEAK_EVENTS = 2,     /* of an instruction: in global memory, in shared memory */
};

/* Bytes of a lane's loaded value, from `offset` on, which are not those of memory. */
struct weak_patch {
    uint8_t lane, offset, size;
    unsigned char bytes[WEAK_PATCH];
};

/* `seed` of the launch draws what is read. NULL: no memory. */
struct weak *weak_open(const struct tap_launch *launch, uint64_t seed);
/* An access that is about to happen; sets access->stale. `plain`: a load may be patched. False: no memory. */
bool weak_look(struct weak *weak, struct tap_access *access, bool plain);
/* It has happened. What to patch of the lanes' registers; memory is as it should be. False: no memory. */
bool weak_done(struct weak *weak, const struct weak_patch **patches, uint32_t *count);

/* All other events, and the end; the state is the struct weak. */
extern const struct check check_weak;

#endif
