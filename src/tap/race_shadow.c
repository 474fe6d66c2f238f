/* Pages, records and sets of the race check (race_shadow.h). */
#include "tap/race_shadow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PAGES = 64 };

void shadow_open(struct shadow *shadow, struct clock_room *room)
{
    *shadow = (struct shadow){.room = room, .nrecords = 1, .npairs = 1};
}

void shadow_reset(struct shadow *shadow)
{
    shadow->nrecords = shadow->npairs = 1;
    shadow->free_pair = 0;
}

void shadow_forget_all(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->room_pages; i++)
        if (shadow->pages[i])
            page_clear(shadow->pages[i]);
    shadow_reset(shadow);
}

static size_t page_words(unsigned shift)
{
    return (size_t)(PAGE_BYTES >> shift) * 2;
}

static size_t page_size(unsigned shift)
{
    return page_words(shift) * sizeof(uint32_t);
}

struct page *page_make(struct clock_room *room)
{
    struct page *page = room_take(room, sizeof *page);
    if (!page)
        return NULL;
    page->shift = CELL_SHIFT;
    page->writers = room_take(room, page_size(CELL_SHIFT));
    if (!page->writers) {
        room_give(room, page, sizeof *page);
        return NULL;
    }
    page->readers = page->writers + page_words(CELL_SHIFT) / 2;
    return page;
}

void page_free(struct clock_room *room, struct page *page)
{
    if (!page)
        return;
    room_give(room, page->writers, page_size(page->shift));
    room_give(room, page, sizeof *page);
}

void page_clear(struct page *page)
{
    memset(page->writers, 0, page_size(page->shift));
}

bool page_refine(struct clock_room *room, struct page *page, unsigned shift)
{
    if (page->shift <= shift)
        return true;
    size_t half = page_words(shift) / 2;
    uint32_t *cells = room_take(room, page_size(shift));
    if (!cells)
        return false;
    for (size_t i = 0; i < half; i++) {
        cells[i] = page->writers[i >> (page->shift - shift)];
        cells[half + i] = page->readers[i >> (page->shift - shift)];
    }
    room_give(room, page->writers, page_size(page->shift));
    page->writers = cells;
    page->readers = cells + half;
    page->shift = (uint8_t)shift;
    return true;
}

static size_t place_of(const struct shadow *shadow, uint64_t number)
{
    size_t i = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (shadow->room_pages - 1);
    while (shadow->numbers[i] && shadow->numbers[i] != number)
        i = (i + 1) & (shadow->room_pages - 1);
    return i;
}

static bool pages_grow(struct shadow *shadow)
{
    struct shadow old = *shadow;
    size_t more = old.room_pages ? 2 * old.room_pages : FIRST_PAGES;
    struct page **pages = room_take(shadow->room, more * sizeof(struct page *));
    uint64_t *numbers = room_take(shadow->room, more * sizeof(uint64_t));
    if (!pages || !numbers) {
        room_give(shadow->room, pages, more * sizeof(struct page *));
        room_give(shadow->room, numbers, more * sizeof(uint64_t));
        return false;
    }
    shadow->pages = pages;
    shadow->numbers = numbers;
    shadow->room_pages = more;
    for (size_t i = 0; i < old.room_pages; i++)
        if (old.numbers[i]) {
            size_t to = place_of(shadow, old.numbers[i]);
            numbers[to] = old.numbers[i];
            pages[to] = old.pages[i];
        }
    room_give(shadow->room, old.pages, old.room_pages * sizeof(struct page *));
    room_give(shadow->room, old.numbers, old.room_pages * sizeof(uint64_t));
    return true;
}

struct page *shadow_page(struct shadow *shadow, uint64_t number)
{
    if (2 * shadow->npages >= shadow->room_pages && !pages_grow(shadow))
        return NULL;
    size_t i = place_of(shadow, number);
    if (!shadow->numbers[i]) {
        struct page *page = page_make(shadow->room);
        if (!page)
            return NULL;
        shadow->numbers[i] = number;
        shadow->pages[i] = page;
        shadow->npages++;
    }
    return shadow->pages[i];
}

void shadow_forget(struct shadow *shadow, uint64_t at, uint64_t bytes)
{
    for (uint64_t end = at + bytes, next; shadow->room_pages && at < end; at = next) {
        size_t i = place_of(shadow, at >> PAGE_SHIFT);
        next = ((at >> PAGE_SHIFT) + 1) << PAGE_SHIFT;
        if (!shadow->numbers[i])
            continue;
        struct page *page = shadow->pages[i];
        uint64_t stop = next < end ? next : end;
        size_t first = at % PAGE_BYTES >> page->shift;
        size_t count = ((stop - at) + (1u << page->shift) - 1) >> page->shift;
        memset(&page->writers[first], 0, count * sizeof *page->writers);
        memset(&page->readers[first], 0, count * sizeof *page->readers);
    }
}

/* Makes room for chunk `chunk` of `bytes`, in a table of pointers. */
static bool chunk_make(struct shadow *shadow, void ***table, uint32_t *room, uint32_t chunk, size_t bytes)
{
    if (chunk >= *room) {
        uint32_t more = *room ? 2 * *room : 4;
        void **bigger = room_take(shadow->room, more * sizeof *bigger);
        if (!bigger)
            return false;
        if (*room)
            memcpy(bigger, *table, *room * sizeof *bigger);
        room_give(shadow->room, *table, *room * sizeof *bigger);
        *table = bigger;
        *room = more;
    }
    if (!(*table)[chunk])
        (*table)[chunk] = room_take(shadow->room, CHUNK * bytes);
    return (*table)[chunk] != NULL;
}

uint32_t record_add(struct shadow *shadow, const struct record *record)
{
    uint32_t index = shadow->nrecords;
    void **table = (void **)shadow->records;
    bool made = chunk_make(shadow, &table, &shadow->record_chunks, index / CHUNK, sizeof *record);
    shadow->records = (struct record **)table;
    if (!made)
        return 0;
    *record_at(shadow, index) = *record;
    shadow->nrecords++;
    return index;
}

uint32_t pair_add(struct shadow *shadow, uint32_t first, uint32_t second)
{
    uint32_t ref = shadow->free_pair;
    if (ref) {
        shadow->free_pair = pair_at(shadow, ref)->refs[0];
    } else {
        void **table = (void **)shadow->pairs;
        bool made = chunk_make(shadow, &table, &shadow->pair_chunks, shadow->npairs / CHUNK, sizeof(struct pair));
        shadow->pairs = (struct pair **)table;
        if (!made)
            return 0;
        ref = shadow->npairs++ | PAIR_BIT;
    }
    *pair_at(shadow, ref) = (struct pair){{first, second}};
    return ref;
}

void shadow_close(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->room_pages; i++)
        page_free(shadow->room, shadow->pages[i]);
    free(shadow->pages);
    free(shadow->numbers);
    for (size_t i = 0; i < shadow->record_chunks; i++)
        free(shadow->records[i]);
    for (size_t i = 0; i < shadow->pair_chunks; i++)
        free(shadow->pairs[i]);
    free(shadow->records);
    free(shadow->pairs);
}
