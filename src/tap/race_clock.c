/* Lists of what threads know (race_clock.h). */
#include "tap/race_clock.h"

#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Entries of a list, beyond which its owner is taken to know everything: better to miss a race than to report one that
 * is none. */
enum { MOST_ENTRIES = 1 << 16 };

bool room_count(struct clock_room *room, size_t bytes)
{
    if (room->failed || (room->most && room->used + bytes > room->most)) {
        room->failed = true;
        return false;
    }
    room->used += bytes;
    return true;
}

void *room_take(struct clock_room *room, size_t bytes)
{
    void *memory = room_count(room, bytes) ? calloc(1, bytes) : NULL;
    if (!memory && !room->failed) {
        room->used -= bytes;
        room->failed = true;
    }
    return memory;
}

void room_give(struct clock_room *room, void *memory, size_t bytes)
{
    if (memory)
        room->used -= bytes;
    free(memory);
}

static size_t list_bytes(uint32_t count)
{
    return sizeof(struct clock_list) + count * sizeof(struct clock_entry);
}

static struct clock_list *list_make(struct clock_room *room, uint32_t count)
{
    struct clock_list *list = room_take(room, list_bytes(count));
    if (!list)
        return NULL;
    list->id = ++room->lists;
    list->refs = 1;
    list->count = count;
    return list;
}

void clock_drop(struct clock_room *room, struct clock_list **list)
{
    if (*list && --(*list)->refs == 0)
        room_give(room, *list, list_bytes((*list)->count));
    *list = NULL;
}

/* The first entry that is not before `who`. */
static uint32_t lower_bound(const struct clock_list *list, uint64_t who)
{
    return search_not_below(&list->entries[0].who, list->count, sizeof *list->entries, who);
}

static const struct clock_entry *entry_of(const struct clock_list *list, uint64_t who, uint32_t time)
{
    uint32_t i = lower_bound(list, who);
    return i < list->count && list->entries[i].who == who && list->entries[i].time >= time ? &list->entries[i] : NULL;
}

bool clock_has(const struct clock_list *list, uint64_t block, uint32_t warp, uint32_t thread, uint32_t time)
{
    if (!list || list->all)
        return list != NULL;
    if (list->count == 0 || list->entries[list->count - 1].who < clock_block(block))
        return false;
    return entry_of(list, clock_block(block), time) || entry_of(list, clock_warp(block, warp), time) ||
           entry_of(list, clock_thread(block, thread), time);
}

/* Does the list say as much as an entry? */
static bool covers(const struct clock_list *list, const struct clock_entry *entry)
{
    return list->all || entry_of(list, entry->who, entry->time) ||
           entry_of(list, entry->who & ~UINT64_C(0xfff), entry->time);
}

/* Does `list` say as much as each entry of `other`? Both are in order, so they are gone through side by side; a block's
 * entry comes before those of its warps and threads. */
static bool covers_all(const struct clock_list *list, const struct clock_list *other)
{
    struct clock_entry block = {UINT64_MAX, 0};
    uint32_t i = 0;
    if (list->all || other->all)
        return list->all;
    for (uint32_t k = 0; k < other->count; k++) {
        const struct clock_entry *entry = &other->entries[k];
        while (i < list->count && list->entries[i].who < entry->who) {
            block = (list->entries[i].who & 0xfff) == 0 ? list->entries[i] : block;
            i++;
        }
        bool same = i < list->count && list->entries[i].who == entry->who && list->entries[i].time >= entry->time;
        bool within = (entry->who & ~UINT64_C(0xfff)) == block.who && block.time >= entry->time;
        if (!same && !within)
            return false;
    }
    return true;
}

/* Entries of both, in order, without those that their block's entry says already. Returns how many; `out` may be NULL.
 */
static uint32_t merge(const struct clock_list *a, const struct clock_list *b, struct clock_entry *out)
{
    struct clock_entry whole = {UINT64_MAX, 0};
    uint32_t i = 0, k = 0, n = 0;
    while (i < a->count || k < b->count) {
        struct clock_entry next;
        if (k == b->count || (i < a->count && a->entries[i].who < b->entries[k].who)) {
            next = a->entries[i++];
        } else if (i == a->count || b->entries[k].who < a->entries[i].who) {
            next = b->entries[k++];
        } else {
            next = a->entries[i].time >= b->entries[k].time ? a->entries[i] : b->entries[k];
            i++;
            k++;
        }
        if ((next.who & 0xfff) == 0)
            whole = next;
        else if ((next.who & ~UINT64_C(0xfff)) == whole.who && next.time <= whole.time)
            continue;
        if (out)
            out[n] = next;
        n++;
    }
    return n;
}

void clock_join(struct clock_room *room, struct clock_list **to, struct clock_list *from)
{
    if (!from || from == *to)
        return;
    if (!*to || from->base == (*to)->id || covers_all(from, *to)) {
        clock_drop(room, to);
        *to = clock_share(from);
        return;
    }
    if (covers_all(*to, from))
        return;
    uint32_t count = merge(*to, from, NULL);
    struct clock_list *both = list_make(room, count <= MOST_ENTRIES ? count : 0);
    if (!both)
        return;
    if (count <= MOST_ENTRIES)
        merge(*to, from, both->entries);
    else
        both->all = true;
    clock_drop(room, to);
    *to = both;
}

/* The list with an entry of a warp or a thread put in at `i`, or in the place of its own there. */
static struct clock_list *list_with(struct clock_room *room, const struct clock_list *old, uint32_t i,
                                    const struct clock_entry *entry)
{
    bool there = i < old->count && old->entries[i].who == entry->who;
    uint32_t behind = i + there;
    struct clock_list *list = list_make(room, old->count + !there);
    if (!list)
        return NULL;
    list->base = old->refs > 1 ? old->id : old->base; /* one that nobody else has is gone then */
    if (i)
        memcpy(list->entries, old->entries, i * sizeof *entry);
    list->entries[i] = *entry;
    if (behind < old->count)
        memcpy(list->entries + i + 1, old->entries + behind, (old->count - behind) * sizeof *entry);
    return list;
}

/* A block's entry can stand for others of the list: then they are joined. */
void clock_add(struct clock_room *room, struct clock_list **to, uint64_t who, uint32_t time)
{
    const struct clock_entry entry = {who, time};
    struct clock_list *list = *to;
    if (list && covers(list, &entry))
        return;
    uint32_t i = list ? lower_bound(list, who) : 0;
    if (list && list->refs == 1 && i < list->count && list->entries[i].who == who) { /* nobody else has it */
        list->entries[i] = entry;
        list->id = ++room->lists; /* those that say all of it did so before */
        return;
    }
    if (list && (who & 0xfff) != 0 && list->count < MOST_ENTRIES) {
        struct clock_list *with = list_with(room, list, i, &entry);
        if (!with)
            return;
        clock_drop(room, to);
        *to = with;
        return;
    }
    struct clock_list *one = list_make(room, 1);
    if (!one)
        return;
    one->entries[0] = entry;
    clock_join(room, to, one);
    clock_drop(room, &one);
}

void view_join(struct clock_room *room, struct view *to, const struct view *from)
{
    clock_join(room, &to->seen, from->seen);
    clock_join(room, &to->proxied, from->proxied);
}

void view_set(struct clock_room *room, struct view *to, const struct view *from)
{
    struct view old = *to;
    *to = (struct view){clock_share(from->seen), clock_share(from->proxied)};
    view_drop(room, &old);
}

void view_drop(struct clock_room *room, struct view *view)
{
    clock_drop(room, &view->seen);
    clock_drop(room, &view->proxied);
}
