/* The state of the weak order, which weak.c (accesses), weak_cells.c (values of cells) and weak_sync.c (what orders
 * threads) share. */
#ifndef ATOLL_TAP_WEAK_INSIDE_H
#define ATOLL_TAP_WEAK_INSIDE_H

#include "tap/order.h"
#include "tap/weak.h"

/* A value that a cell has had. */
struct weak_message {
    uint64_t time;
    uint32_t image;
    bool whole;                          /* one store of the whole cell */
    bool update;                         /* read the one before and wrote in one: nothing comes between */
    bool unsure;                         /* `image` may not be what it was: only the latest can be read */
    uint64_t block;                      /* who may have passed[REACH_CTA] */
    struct weak_passed *passed[REACHES]; /* of the values before, too */
};

struct weak_cell {
    uint64_t at; /* where the host has it; 0: none */
    uint32_t count;
    struct weak_message messages[WEAK_HISTORY]; /* in coherence order */
};

/* Cells of global memory, or of a block's shared memory: a hash table by place. */
struct weak_table {
    struct weak_cell *cells;
    size_t count, room;
};

/* Of a thread that has met a fence or a strong load. */
struct weak_fenced {
    struct weak_view passes[REACHES];  /* by strong stores since a fence */
    struct weak_view pending[REACHES]; /* seen by strong loads; a fence makes it known */
};

struct weak_thread {
    struct weak_view view;
    struct weak_fenced *fenced; /* NULL: nothing */
};

/* What threads that meet know together. */
struct weak_known {
    struct weak_view view;
    struct weak_fenced fenced;
};

struct weak_meeting {
    uint64_t early[TAP_WARPS / 64]; /* warps with threads that went on */
    uint64_t waits[TAP_WARPS / 64]; /* warps with threads that wait */
    struct weak_known known, last;  /* of those that came so far; of the last phase */
};

struct weak_slot {
    struct tap_block block;
    struct weak_thread *threads;
    uint32_t nthreads;
    struct weak_table shared;
    struct weak_view fences; /* what the sequentially consistent fences of the block agree on */
    struct weak_meeting *meetings[TAP_BARRIERS];
};

/* A store that is overwritten at once: memory gets the later value back. */
struct weak_under {
    const unsigned char *at;
    uint32_t image; /* that memory has */
    uint64_t time;  /* of the store; 0: it is the latest, as usual */
    uint32_t place; /* among the messages */
};

/* An event of the instruction under way. */
struct weak_event {
    struct tap_access access;
    struct weak_under under[LANES];
};

struct weak {
    const struct tap_launch *launch;
    struct clock_room room;
    struct weak_table global;
    struct weak_slot *slots;
    struct weak_view fences; /* as of a slot, of the whole grid */
    uint64_t now, floor;     /* times: of this instruction; what nobody may read from before */
    uint64_t random;
    bool fenced; /* some thread has `fenced` */
    uint32_t nevents, npatches;
    struct weak_event events[WEAK_EVENTS];
    struct weak_patch patches[LANES * WEAK_UNIT];
};

static inline uint64_t weak_random(struct weak *weak) /* xorshift64* */
{
    weak->random ^= weak->random >> 12;
    weak->random ^= weak->random << 25;
    weak->random ^= weak->random >> 27;
    return weak->random * UINT64_C(2685821657736338717) >> 16;
}

/* weak_cells.c. The cell at a place, or NULL; made of what memory has (NULL: no memory). */
struct weak_cell *weak_cell_find(const struct weak_table *table, uint64_t at);
struct weak_cell *weak_cell_make(struct weak *weak, struct weak_table *table, uint64_t at);
/* Forgets all cells of a table; all older values there are, which nobody may read any more. */
void weak_table_clear(struct weak *weak, struct weak_table *table);
void weak_forget(struct weak *weak);
/* Room for a message at a place among the others; the oldest goes where there are too many. It passes on what those
 * before it do. */
struct weak_message *weak_message_put(struct weak *weak, struct weak_cell *cell, uint32_t *place);
/* The message passes on a view, to `reach`; so do those after it. */
void weak_message_pass(struct weak *weak, struct weak_cell *cell, uint32_t place, unsigned reach,
                       const struct weak_view *view, uint64_t block);
/* All but the latest are forgotten. */
void weak_cell_collapse(struct weak *weak, struct weak_cell *cell);

/* weak_sync.c. */
struct weak_fenced *weak_fenced_of(struct weak *weak, struct weak_thread *thread);

#endif
