/* What threads know of each other: which accesses happened before what a thread does now.
 *
 * A block has a clock, which goes on whenever one of its threads passes on what it knows. An access is known by its
 * block, its thread and the block's time. What a thread knows is: of its own block all up to a time, of its warp all up
 * to a time, and a list of further such facts, which is short: it has an entry for each release that it has seen, of a
 * thread, a warp or a whole block. Lists never change while somebody else has them. */
#ifndef ATOLL_TAP_RACE_CLOCK_H
#define ATOLL_TAP_RACE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_entry {
    uint64_t who; /* clock_block, clock_warp, clock_thread */
    uint32_t time;
};

struct clock_list {
    uint64_t id, base; /* its number; of a list of which it says all, and more; 0: none is known */
    uint32_t refs, count;
    bool all; /* so many that it was given up: everything is known */
    struct clock_entry entries[];
};

/* Memory that a check has taken, and may. */
struct clock_room {
    uint64_t used, most; /* most 0: no limit */
    uint64_t lists;      /* that were made */
    bool failed;
};
void *room_take(struct clock_room *room, size_t bytes); /* zeros; NULL: there is none, and `failed` */
void room_give(struct clock_room *room, void *memory, size_t bytes);
/* Memory that is taken and given back elsewhere. */
bool room_count(struct clock_room *room, size_t bytes);

static inline uint64_t clock_block(uint64_t block)
{
    return block << 12;
}

static inline uint64_t clock_warp(uint64_t block, uint32_t warp)
{
    return block << 12 | (1 + warp);
}

static inline uint64_t clock_thread(uint64_t block, uint32_t thread)
{
    return block << 12 | (256 + thread);
}

/* Makes *to know what `from` knows; what one entry says. */
void clock_join(struct clock_room *room, struct clock_list **to, struct clock_list *from);
void clock_add(struct clock_room *room, struct clock_list **to, uint64_t who, uint32_t time);
void clock_drop(struct clock_room *room, struct clock_list **list);
static inline struct clock_list *clock_share(struct clock_list *list)
{
    if (list)
        list->refs++;
    return list;
}
/* Does the list say that an access came before? */
bool clock_has(const struct clock_list *list, uint64_t block, uint32_t warp, uint32_t thread, uint32_t time);

/* The lists of a thread, or of what was passed on. */
struct view {
    struct clock_list *seen;    /* what happened before */
    struct clock_list *proxied; /* of that, what has a fence between ways to memory behind it */
};
static inline bool view_empty(const struct view *view)
{
    return !view->seen && !view->proxied;
}
void view_join(struct clock_room *room, struct view *to, const struct view *from);
void view_set(struct clock_room *room, struct view *to, const struct view *from);
void view_drop(struct clock_room *room, struct view *view);

#endif
