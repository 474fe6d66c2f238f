/* Views of memory (weak_view.h). */
#include "tap/weak_view.h"

static struct weak_entry *find(struct weak_view *view, uint64_t cell)
{
    for (uint32_t i = 0; i < view->count; i++)
        if (view->entries[i].cell == cell)
            return &view->entries[i];
    return NULL;
}

uint64_t weak_view_at(const struct weak_view *view, uint64_t cell)
{
    for (uint32_t i = 0; i < view->count; i++)
        if (view->entries[i].cell == cell)
            return view->entries[i].time;
    return view->floor;
}

static void raise(struct weak_view *view, uint64_t floor)
{
    uint32_t kept = 0;
    if (floor <= view->floor)
        return;
    view->floor = floor;
    for (uint32_t i = 0; i < view->count; i++)
        if (view->entries[i].time > floor)
            view->entries[kept++] = view->entries[i];
    view->count = kept;
}

void weak_view_note(struct weak_view *view, uint64_t cell, uint64_t time)
{
    struct weak_entry *entry = find(view, cell);
    if (time <= view->floor)
        return;
    if (entry) {
        entry->time = time > entry->time ? time : entry->time;
        return;
    }
    if (view->count == WEAK_ENTRIES) { /* the oldest of all gives way */
        uint64_t oldest = time;
        for (uint32_t i = 0; i < view->count; i++)
            oldest = view->entries[i].time < oldest ? view->entries[i].time : oldest;
        raise(view, oldest);
        if (time <= view->floor)
            return;
    }
    view->entries[view->count++] = (struct weak_entry){cell, time};
}

void weak_view_join(struct weak_view *view, const struct weak_view *more)
{
    raise(view, more->floor);
    for (uint32_t i = 0; i < more->count; i++)
        weak_view_note(view, more->entries[i].cell, more->entries[i].time);
}

void weak_drop(struct clock_room *room, struct weak_passed **passed)
{
    if (*passed && --(*passed)->refs == 0)
        room_give(room, *passed, sizeof **passed);
    *passed = NULL;
}

void weak_add(struct clock_room *room, struct weak_passed **passed, const struct weak_view *view)
{
    if (weak_view_empty(view))
        return;
    struct weak_passed *made = room_take(room, sizeof *made);
    if (!made)
        return;
    made->refs = 1;
    made->view = *view;
    if (*passed)
        weak_view_join(&made->view, &(*passed)->view);
    weak_drop(room, passed);
    *passed = made;
}
