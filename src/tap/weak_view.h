/* What a thread has to see of memory in the weak order (weak.h): of each place the oldest value that it may still read,
 * by the time at which that was stored. What a view cannot name any more it takes as seen up to a time: that asks for
 * more than the model, never for less. */
#ifndef ATOLL_TAP_WEAK_VIEW_H
#define ATOLL_TAP_WEAK_VIEW_H

#include "tap/race_clock.h"

enum { WEAK_ENTRIES = 16 };

struct weak_entry {
    uint64_t cell, time;
};

struct weak_view {
    uint64_t floor; /* of every place */
    uint32_t count;
    struct weak_entry entries[WEAK_ENTRIES]; /* later than `floor`, in no order */
};

static inline bool weak_view_empty(const struct weak_view *view)
{
    return !view->floor && !view->count;
}

uint64_t weak_view_at(const struct weak_view *view, uint64_t cell);
void weak_view_note(struct weak_view *view, uint64_t cell, uint64_t time);
void weak_view_join(struct weak_view *view, const struct weak_view *more);

/* A view that a value passes on to those that acquire it. It never changes while somebody has it. */
struct weak_passed {
    uint32_t refs;
    struct weak_view view;
};

static inline struct weak_passed *weak_share(struct weak_passed *passed)
{
    if (passed)
        passed->refs++;
    return passed;
}
void weak_drop(struct clock_room *room, struct weak_passed **passed);
/* *passed passes on what `view` says, too. */
void weak_add(struct clock_room *room, struct weak_passed **passed, const struct weak_view *view);

#endif
