/* Pages of undefined bits (init_shadow.h). */
#include "tap/init_shadow.h"

#include "tap/check.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PAGES = 16 };

void shadow_map_open(struct shadow_map *map, struct clock_room *room, enum init_state usual)
{
    *map = (struct shadow_map){.room = room, .epoch = 1, .usual = (uint8_t)usual};
}

static void drop(struct shadow_map *map, struct init_page *page)
{
    room_give(map->room, page->bits, INIT_PAGE);
    room_give(map->room, page->origins, INIT_PAGE);
    page->bits = NULL;
    page->origins = NULL;
}

void shadow_map_close(struct shadow_map *map)
{
    for (size_t i = 0; i < map->room_pages; i++)
        drop(map, &map->pages[i]);
    room_give(map->room, map->pages, map->room_pages * sizeof *map->pages);
    map->pages = NULL;
    map->npages = map->room_pages = 0;
}

/* Pages of old epochs keep their memory: most blocks touch the same. */
void shadow_map_forget(struct shadow_map *map)
{
    if (++map->epoch == 0)
        map->epoch = 1;
}

static inline uint64_t number_of(const unsigned char *at)
{
    return (uint64_t)(uintptr_t)at >> INIT_PAGE_SHIFT;
}

static inline size_t place_of(const struct shadow_map *map, uint64_t number)
{
    size_t i = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (map->room_pages - 1);
    while (map->pages[i].number && map->pages[i].number != number)
        i = (i + 1) & (map->room_pages - 1);
    return i;
}

static inline struct init_page *page_find(const struct shadow_map *map, uint64_t number)
{
    if (!map->npages)
        return NULL;
    struct init_page *page = &map->pages[place_of(map, number)];
    return page->number && page->epoch == map->epoch ? page : NULL;
}

static bool grow(struct shadow_map *map)
{
    struct shadow_map old = *map;
    size_t more = old.room_pages ? 2 * old.room_pages : FIRST_PAGES;
    struct init_page *pages = room_take(map->room, more * sizeof *pages);
    if (!pages)
        return false;
    map->pages = pages;
    map->room_pages = more;
    for (size_t i = 0; i < old.room_pages; i++)
        if (old.pages[i].number)
            pages[place_of(map, old.pages[i].number)] = old.pages[i];
    room_give(map->room, old.pages, old.room_pages * sizeof *pages);
    return true;
}

/* NULL: no memory. */
static struct init_page *page_make(struct shadow_map *map, uint64_t number)
{
    if (2 * map->npages >= map->room_pages && !grow(map))
        return NULL;
    struct init_page *page = &map->pages[place_of(map, number)];
    map->npages += !page->number;
    if (page->number && page->epoch == map->epoch)
        return page;
    page->number = number;
    page->epoch = map->epoch;
    page->state = map->usual;
    room_give(map->room, page->origins, INIT_PAGE);
    page->origins = NULL;
    return page;
}

static bool page_mix(struct shadow_map *map, struct init_page *page)
{
    if (page->state == INIT_MIXED)
        return true;
    if (!page->bits && !(page->bits = room_take(map->room, INIT_PAGE)))
        return false;
    memset(page->bits, page->state == INIT_UNWRITTEN ? 0xff : 0, INIT_PAGE);
    page->undefined = page->state == INIT_UNWRITTEN ? INIT_PAGE : 0;
    page->state = INIT_MIXED;
    return true;
}

static unsigned count_bytes(const unsigned char *bits, size_t bytes)
{
    unsigned count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += bits[i] != 0;
    return count;
}

enum init_state shadow_state(const struct shadow_map *map, const unsigned char *at, struct init_page **page)
{
    struct init_page *found = page_find(map, number_of(at));
    *page = found;
    return found ? (enum init_state)found->state : (enum init_state)map->usual;
}

static inline void fetch_ahead(const struct init_page *page, size_t offset)
{
    if (offset + TAP_AHEAD < INIT_PAGE)
        __builtin_prefetch(page->bits + offset + TAP_AHEAD, 1);
}

bool shadow_read(const struct shadow_map *map, const unsigned char *at, unsigned bytes, unsigned char *bits,
                 uint32_t *origin)
{
    struct init_page *page;
    enum init_state state = shadow_state(map, at, &page);
    size_t offset = (uintptr_t)at % INIT_PAGE;
    *origin = 0;
    if (state != INIT_MIXED) {
        memset(bits, state == INIT_WRITTEN ? 0 : 0xff, bytes);
        return state != INIT_WRITTEN;
    }
    memcpy(bits, page->bits + offset, bytes);
    for (unsigned i = 0; i < bytes; i++)
        if (bits[i]) {
            *origin = page->origins ? page->origins[(offset + i) / 4] : 0;
            return true;
        }
    return false;
}

/* Origins of words whose bytes are written whole. */
static bool put_origins(struct shadow_map *map, struct init_page *page, size_t offset, size_t bytes, uint32_t origin)
{
    if (!page->origins && (!origin || !(page->origins = room_take(map->room, INIT_PAGE))))
        return !origin;
    for (size_t i = offset / 4; i < (offset + bytes + 3) / 4; i++)
        page->origins[i] = origin;
    return true;
}

bool shadow_write(struct shadow_map *map, const unsigned char *at, unsigned bytes, const unsigned char *bits,
                  uint32_t origin)
{
    static const unsigned char none[INIT_WIDEST];
    struct init_page *page;
    bool written = !memcmp(bits, none, bytes);
    if (written && shadow_state(map, at, &page) == INIT_WRITTEN)
        return true;
    if (written)
        return shadow_fill(map, at, bytes, INIT_WRITTEN);
    page = page_make(map, number_of(at));
    size_t offset = (uintptr_t)at % INIT_PAGE;
    if (!page || !page_mix(map, page) || !put_origins(map, page, offset, bytes, origin))
        return false;
    page->undefined = (uint16_t)(page->undefined - count_bytes(page->bits + offset, bytes) + count_bytes(bits, bytes));
    memcpy(page->bits + offset, bits, bytes);
    return true;
}

static bool fill_page(struct shadow_map *map, const unsigned char *at, size_t bytes, enum init_state state)
{
    struct init_page *page;
    size_t offset = (uintptr_t)at % INIT_PAGE;
    if (shadow_state(map, at, &page) == state && state != INIT_MIXED && !(page && page->origins))
        return true;
    page = page_make(map, number_of(at));
    if (!page)
        return false;
    if (bytes == INIT_PAGE) {
        page->state = (uint8_t)state;
        drop(map, page);
        return true;
    }
    if (!page_mix(map, page))
        return false;
    fetch_ahead(page, offset);
    page->undefined =
        (uint16_t)(page->undefined - count_bytes(page->bits + offset, bytes) + (state == INIT_WRITTEN ? 0 : bytes));
    memset(page->bits + offset, state == INIT_WRITTEN ? 0 : 0xff, bytes);
    if (page->origins && state != INIT_WRITTEN)
        (void)put_origins(map, page, offset, bytes, 0);
    if (!page->undefined) {
        page->state = INIT_WRITTEN;
        drop(map, page);
    }
    return true;
}

bool shadow_fill(struct shadow_map *map, const unsigned char *at, uint64_t bytes, enum init_state state)
{
    while (bytes) {
        uint64_t part = INIT_PAGE - (uintptr_t)at % INIT_PAGE;
        part = part < bytes ? part : bytes;
        if (!fill_page(map, at, (size_t)part, state))
            return false;
        at += part;
        bytes -= part;
    }
    return true;
}

bool shadow_copy(struct shadow_map *map, const unsigned char *to, const unsigned char *from, uint64_t bytes)
{
    unsigned char bits[4];
    uint32_t origin;
    while (bytes) {
        unsigned part = bytes >= 4 && (uintptr_t)to % 4 == 0 && (uintptr_t)from % 4 == 0 ? 4 : 1;
        shadow_read(map, from, part, bits, &origin);
        if (!shadow_write(map, to, part, bits, origin))
            return false;
        to += part;
        from += part;
        bytes -= part;
    }
    return true;
}

bool shadow_written(const struct shadow_map *map, const unsigned char *first, const unsigned char *end)
{
    static const unsigned char none[INIT_PAGE];
    struct init_page *page;
    while (first < end) {
        enum init_state state = shadow_state(map, first, &page);
        size_t offset = (uintptr_t)first % INIT_PAGE, part = INIT_PAGE - offset;
        part = part < (size_t)(end - first) ? part : (size_t)(end - first);
        if (state == INIT_MIXED)
            fetch_ahead(page, offset);
        if (state == INIT_UNWRITTEN || (state == INIT_MIXED && memcmp(page->bits + offset, none, part)))
            return false;
        first += part;
    }
    return true;
}

static uint8_t how_at(const struct init_page *page, size_t offset)
{
    return !page->bits[offset]                          ? TAP_WRITTEN
           : page->origins && page->origins[offset / 4] ? TAP_WRITTEN_UNDEFINED
                                                        : TAP_UNWRITTEN;
}

uint64_t shadow_run(const struct shadow_map *map, const unsigned char *at, uint64_t bytes, uint8_t *how)
{
    struct init_page *page;
    enum init_state state = shadow_state(map, at, &page);
    size_t offset = (uintptr_t)at % INIT_PAGE, end = INIT_PAGE - offset < bytes ? INIT_PAGE : offset + (size_t)bytes;
    size_t i = offset + 1;
    *how = state == INIT_WRITTEN ? TAP_WRITTEN : TAP_UNWRITTEN;
    if (state != INIT_MIXED)
        return end - offset;
    *how = how_at(page, offset);
    while (i < end && how_at(page, i) == *how)
        i++;
    return i - offset;
}
