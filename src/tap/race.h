/* The race check: its state, which race.c (accesses), race_sync.c (who passes on what) and race_tell.c (causes) share.
 *
 * Two accesses race when they touch the same bytes, one of them writes, neither happens before the other, and they are
 * not morally strong to each other (PTX ISA, "Data races", "Morally strong operations"). What happens before is what
 * the run shows: barriers, and releases that were acquired. */
#ifndef ATOLL_TAP_RACE_H
#define ATOLL_TAP_RACE_H

#include "tap/order.h"
#include "tap/race_shadow.h"

enum { CACHED_RECORDS = 256, PAIRS = 16 };

/* What a thread knew at a fence, which its later strong stores pass on. */
struct passed {
    bool given;
    uint32_t time, block_known, warp_known;
    struct view view;
};

/* Of a thread that has met a fence or a strong access: by how far that reaches, the block or further. */
struct fenced {
    struct passed at[REACHES];
    struct view pending[REACHES]; /* seen by strong loads; a fence makes it known */
};

/* The last flags that a thread has seen: who stored it, and what it lacks to order anything. */
enum { FLAGS = 4 };
enum seen { SEEN_FENCE, SEEN_SCOPE, SEEN_WEAK };
struct flag {
    uint32_t ref;   /* 0: none */
    uint32_t time;  /* of the block, when it was seen */
    uint8_t reason; /* enum seen */
};
struct flags {
    uint32_t count;
    struct flag list[FLAGS];
};

struct thread {
    uint32_t block_known, warp_known; /* all of its block, of its warp, up to then */
    struct flags flags[2];            /* in global memory, in shared memory */
    struct view view;
    struct fenced *fenced;
};

/* A barrier some of whose threads do not wait. */
struct meeting {
    uint64_t early[TAP_WARPS / 64]; /* warps with threads that went on */
    uint64_t waits[TAP_WARPS / 64]; /* warps with threads that wait */
    uint32_t known, last_known;
    struct view view, last; /* of those that came so far; of the last phase */
};

/* Two records that a cell refers to, and what another access makes of them: it depends; they stay; they are less apart
 * than it is from both, so it takes the second's place. */
enum pair { PAIR_OPEN, PAIR_STAYS, PAIR_NEAR };
struct known_pair {
    uint32_t first, second; /* 0: none */
    enum pair is;
};

struct slot {
    struct tap_block block;
    uint32_t now;   /* the block's time */
    uint32_t known; /* all of the block up to then is known to all its threads */
    bool lists;     /* a thread has entries in its lists */
    bool flags;     /* a thread has seen one */
    struct thread *threads;
    uint32_t room_threads;
    struct page **pages; /* of shared memory */
    uint32_t npages;
    bool touched;
    struct meeting meetings[TAP_BARRIERS];
    struct shadow shadow;               /* of shared memory: records alone */
    uint32_t cached[2][CACHED_RECORDS]; /* records of global memory, of shared memory */
    struct known_pair pairs[2][PAIRS];  /* of these, */
    uint32_t pairs_warp, pairs_now;     /* for this warp, at this time, */
    bool pairs_lists;                   /* and with `lists` so */
};

/* What was passed on at a place in memory by strong stores. */
struct handed {
    uint64_t place;            /* of the host; 0: nothing */
    uint64_t block;            /* of shared memory: whose; else UINT64_MAX */
    uint64_t cta;              /* who may have view[REACH_CTA] */
    struct view view[REACHES]; /* for the block `cta`; for everybody */
    struct view over;          /* of a barrier object: by phases that are over; view[REACH_CTA]: by the one under way */
    bool odd;                  /* of that: its parity */
};

struct race {
    const struct tap_launch *launch;
    struct clock_room room;
    struct shadow shadow;
    struct slot *slots;
    struct handed *handed; /* a hash table by place */
    size_t nhanded, room_handed;
    uint32_t **chains; /* of records of updates, in chunks like theirs: the record whose value they found; of strong
                          stores: of the last flag that the thread has seen; or NULL */
    uint32_t room_chains;
    bool fences; /* some thread has met a fence, or a flag that one may follow */
};

/* Who accesses: what is the same for all lanes of an access, or for one. */
struct actor {
    const struct tap_access *access;
    struct slot *slot;
    struct shadow *shadow;    /* of what it accesses */
    uint32_t record;          /* of this access */
    uint32_t known;           /* a record that is known to come before for all lanes; 0: none */
    uint32_t strong[2];       /* records that are as strong as this access, and morally strong to it; 0: not known */
    struct known_pair *pairs; /* of the slot */
    unsigned lane;
    struct thread *thread;
};

/* Named choice: loads and stores of shared memory of machines in step say nothing of the kind (machine code of a
 * volatile access is that of a plain one): they are strong beside strong ones, and among themselves weak. */
static inline bool race_unsaid(const struct race *race, const struct tap_access *access)
{
    return race->launch->lockstep && access->shared && !tap_strong(access->kind, access->order);
}

static inline uint32_t race_number(const struct slot *slot, uint32_t warp, unsigned lane)
{
    return tap_thread(slot->block.warp_lanes, warp, lane);
}

/* A lane that stands for others with what it knows: lanes in step are one thread. */
static inline unsigned race_lane(const struct race *race, unsigned lane)
{
    return race->launch->lockstep ? 0 : lane;
}

static inline struct thread *race_thread(const struct race *race, const struct slot *slot, uint32_t warp, unsigned lane)
{
    return &slot->threads[race_number(slot, warp, race_lane(race, lane))];
}

/* Does what a record tells, of a lane, happen before what the actor's lane does? `proxies`: ways to memory count. */
static inline bool race_before(const struct race *race, const struct actor *actor, const struct record *record,
                               unsigned lane, bool proxies)
{
    const struct slot *slot = actor->slot;
    const struct thread *thread = actor->thread;
    bool mine = record->block == slot->block.number;
    uint32_t number = race_number(slot, record->warp, lane), warp = actor->access->warp;
    /* PTX ISA, "Proxy-preserved base causality order": one way to memory, and of others than the generic one within a
     * block; or a fence between them. */
    if (proxies && (record->proxy != actor->access->proxy || (record->proxy != TAP_GENERIC && !mine)))
        return clock_has(thread->view.proxied, record->block, record->warp, number, record->time);
    if (mine) {
        if (record->time <= slot->known || record->time <= thread->block_known)
            return true;
        if (record->warp == warp &&
            (lane == actor->lane || race->launch->lockstep || record->time <= thread->warp_known))
            return true;
    }
    return thread->view.seen && clock_has(thread->view.seen, record->block, record->warp, number, record->time);
}

/* Loads and compare-and-swaps look at flags and locks; in shared memory other atomics are counters, as a rule. */
static inline bool race_flags(const struct tap_access *access)
{
    if (!access->shared || lane_is(access->inst->op, LANE_OBJECT))
        return !access->shared;
    return access->kind == TAP_LOAD || lane_atomic_swaps(access->func->accesses[access->inst->aux].atomic);
}

/* race_sync.c: strong loads of a lane get what was passed on, strong stores pass on; `before` is the reference of who
 * wrote there last. */
void race_acquire(struct race *race, const struct actor *actor, uint32_t before);
void race_release(struct race *race, const struct actor *actor);
bool race_order(struct race *race, const struct tap_order *order);
bool race_barrier(struct race *race, const struct tap_barrier *barrier);
void race_forget(struct race *race, struct slot *slot); /* what threads of a slot knew */
void race_close_sync(struct race *race);

/* The record whose value a record's update has found, or its thread before a store; 0: none. */
static inline uint32_t race_chain(const struct race *race, uint32_t index)
{
    return index / CHUNK < race->room_chains && race->chains[index / CHUNK] ? race->chains[index / CHUNK][index % CHUNK]
                                                                            : 0;
}
void race_chain_put(struct race *race, uint32_t index, uint32_t before);

/* race_tell.c: this access and that of a reference conflict, and nothing orders them. */
void race_tell(const struct race *race, const struct actor *actor, uint32_t ref);

#endif
