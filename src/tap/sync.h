/* The sync check: its state, which sync.c (warps) and sync_barrier.c (blocks) share. */
#ifndef ATOLL_TAP_SYNC_H
#define ATOLL_TAP_SYNC_H

#include "tap/mark.h"

/* A thread at an instruction; site TAP_NO_SITE: nobody. */
struct sync_place {
    uint32_t site, thread;
};

/* A warp at a barrier of the block. */
struct sync_came {
    uint32_t lanes;         /* that have come, until all lanes of the warp have: then it arrives */
    struct sync_place last; /* where the last of them did */
    bool aligned, waits;
};

enum { SYNC_MASKS = 4 };

struct sync_warp {
    uint32_t live; /* lanes that have not exited */
    uint64_t saw;  /* when it last read what may have told it something: an atomic, a volatile load, a test */
    uint32_t known[TAP_BARRIERS]; /* the last phase of each barrier that it knows to be over */
    struct sync_came came[TAP_BARRIERS];
    struct {
        uint32_t value;
        struct sync_place place;
    } masks[SYNC_MASKS]; /* what activemask gave last */
    uint32_t nmasks;
    struct {
        uint32_t mask, lanes, wrote; /* whom the mask names that are still to come; who has written memory instead */
        struct sync_place place;     /* who waits */
        bool meets;                  /* at a bar.warp.sync, where those that come to others of them meet it */
    } awaited;                       /* by an operation of the warp */
    struct marks marks;
};

/* A barrier of the block. */
struct sync_barrier {
    uint32_t over; /* phases */
    uint64_t ended;
    struct sync_place last_first, first; /* who came first: to the last phase, to the one under way */
    bool first_aligned, parted;          /* parted: a part of a vector machine's thread has come alone, in this phase */
    uint32_t expected;                   /* of the phase under way: threads; 0: all */
    uint64_t arrived[TAP_WARPS / 64];    /* warps, in the phase under way */
};

struct sync_slot {
    struct tap_block block;
    uint64_t now;
    struct sync_place left; /* who left the kernel first */
    struct sync_barrier barriers[TAP_BARRIERS];
    struct sync_warp *warps;
    uint32_t nwarps, room;
};

struct sync {
    const struct tap_launch *launch;
    struct sync_slot *slots;
    uint64_t taken; /* bytes */
};

/* What is found: by whom, where, what is wrong; NULL of `other`: nobody else has part in it. */
struct sync_fault {
    const char *cause, *does, *did, *why;
};
void sync_tell(const struct sync *sync, const struct sync_slot *slot, const struct sync_fault *fault,
               struct sync_place place, const struct sync_place *other);

static inline uint32_t sync_thread(const struct sync_slot *slot, uint32_t warp, uint32_t lanes)
{
    return tap_thread(slot->block.warp_lanes, warp, (unsigned)__builtin_ctz(lanes));
}

void sync_gone(const struct sync *sync, const struct sync_slot *slot, const struct tap_exit *exit);
bool sync_exit(void *state, const struct tap_exit *exit);
bool sync_order(void *state, const struct tap_order *order);
bool sync_barrier_over(void *state, const struct tap_barrier *barrier);
bool sync_stuck(void *state, const struct tap_stuck *stuck);

#endif
