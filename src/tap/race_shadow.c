/* Pages and records of the race check (race_shadow.h). */
#include "tap/race_shadow.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PAGES = 64, FIRST_SLAB = 1 << 18, LARGEST_SLAB = 1 << 24 };

void shadow_open(struct shadow *shadow, struct clock_room *room)
{
    *shadow = (struct shadow){.room = room, .nrecords = 1};
}

void shadow_reset(struct shadow *shadow)
{
    shadow->nrecords = 1;
}

void shadow_forget_all(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->room_pages; i++)
        if (shadow->pages[i])
            page_clear(shadow->pages[i]);
    shadow_reset(shadow);
}

static size_t cells_of(unsigned shift)
{
    return (size_t)PAGE_BYTES >> shift;
}

static size_t cells_bytes(unsigned shift)
{
    return cells_of(shift) * sizeof(uint32_t);
}

static struct slab *slab_make(struct slab *before)
{
    struct slab *slab = calloc(1, sizeof *slab);
    if (!slab)
        return NULL;
    slab->before = before;
    slab->size = !before ? FIRST_SLAB : before->size < LARGEST_SLAB ? 4 * before->size : before->size;
    slab->memory = mmap(NULL, slab->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab->memory != MAP_FAILED) {
        pages_large(slab->memory, slab->size);
        return slab;
    }
    free(slab);
    return NULL;
}

static void slabs_free(struct slab *slab)
{
    for (struct slab *before; slab; slab = before) {
        before = slab->before;
        munmap(slab->memory, slab->size);
        free(slab);
    }
}

/* Zeros; NULL: no memory. */
static uint32_t *slab_take(struct shadow *shadow, size_t bytes)
{
    if (!room_count(shadow->room, bytes))
        return NULL;
    if (!shadow->slab || shadow->slab->used + bytes > shadow->slab->size) {
        struct slab *slab = slab_make(shadow->slab);
        if (!slab) {
            shadow->room->failed = true;
            return NULL;
        }
        shadow->slab = slab;
    }
    unsigned char *memory = shadow->slab->memory + shadow->slab->used;
    shadow->slab->used += bytes;
    return (void *)memory;
}

struct page *page_make(struct clock_room *room)
{
    struct page *page = room_take(room, sizeof *page);
    if (page)
        page->shift = CELL_SHIFT;
    return page;
}

bool page_refs(struct clock_room *room, struct shadow *slabs, struct page *page, unsigned which)
{
    if (page->refs[which])
        return true;
    page->lent[which] = slabs && page->shift == CELL_SHIFT;
    page->refs[which] =
        page->lent[which] ? slab_take(slabs, cells_bytes(page->shift)) : room_take(room, cells_bytes(page->shift));
    return page->refs[which] != NULL;
}

/* All that a page has. */
static void cells_give(struct clock_room *room, const struct page *page)
{
    for (unsigned k = 0; k < REFS; k++) {
        if (page->refs[k] && page->lent[k])
            room->used -= cells_bytes(page->shift);
        else
            room_give(room, page->refs[k], page->refs[k] ? cells_bytes(page->shift) : 0);
        room_give(room, page->more[k], page->more[k] ? cells_bytes(page->shift) : 0);
    }
}

bool page_more(struct clock_room *room, struct page *page, unsigned which)
{
    if (!page->more[which])
        page->more[which] = room_take(room, cells_bytes(page->shift));
    return page->more[which] != NULL;
}

void page_free(struct clock_room *room, struct page *page)
{
    if (!page)
        return;
    cells_give(room, page);
    room_give(room, page, sizeof *page);
}

void page_clear(struct page *page)
{
    page->weak_time = 0;
    for (unsigned k = 0; k < REFS; k++) {
        if (page->refs[k])
            memset(page->refs[k], 0, cells_bytes(page->shift));
        if (page->more[k])
            memset(page->more[k], 0, cells_bytes(page->shift));
    }
}

static void spread(uint32_t *to, const uint32_t *from, unsigned shift, unsigned old_shift)
{
    for (size_t i = 0; i < cells_of(shift); i++)
        to[i] = from[i >> (old_shift - shift)];
}

bool page_refine(struct clock_room *room, struct page *page, unsigned shift)
{
    if (page->shift <= shift)
        return true;
    struct page fine = {.shift = (uint8_t)shift, .weak_time = page->weak_time};
    for (unsigned k = 0; k < REFS; k++) {
        if (page->refs[k] && page_refs(room, NULL, &fine, k))
            spread(fine.refs[k], page->refs[k], shift, page->shift);
        if (page->more[k] && page_more(room, &fine, k))
            spread(fine.more[k], page->more[k], shift, page->shift);
    }
    cells_give(room, room->failed ? &fine : page);
    if (!room->failed)
        *page = fine;
    return !room->failed;
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
        for (unsigned k = 0; k < REFS; k++) {
            if (page->refs[k])
                memset(&page->refs[k][first], 0, count * sizeof(uint32_t));
            if (page->more[k])
                memset(&page->more[k][first], 0, count * sizeof(uint32_t));
        }
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

void shadow_close(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->room_pages; i++)
        page_free(shadow->room, shadow->pages[i]);
    slabs_free(shadow->slab);
    free(shadow->pages);
    free(shadow->numbers);
    for (size_t i = 0; i < shadow->record_chunks; i++)
        free(shadow->records[i]);
    free(shadow->records);
}
