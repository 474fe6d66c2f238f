/* Memory that a kernel reads as never written (PTX ISA, "ld.global.nc": the memory must be read-only while the kernel
 * runs; const __restrict__ and __ldg), and that it writes. */
#include "tap/value.h"

#include <stdlib.h>

enum { FIRST_PAGES = 64 };

static size_t place_of(const struct value *value, uint64_t number)
{
    size_t i = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 24) & (value->room_pages - 1);
    while (value->pages[i] && value->pages[i]->number != number)
        i = (i + 1) & (value->room_pages - 1);
    return i;
}

static void *take(struct value *value, uint64_t count, uint64_t size)
{
    if (value->launch->most && value->taken + count * size > value->launch->most)
        return NULL;
    value->taken += count * size;
    return calloc(count, size);
}

static bool grow(struct value *value)
{
    struct value_page **old = value->pages;
    size_t count = value->room_pages, more = count ? 2 * count : FIRST_PAGES;
    struct value_page **pages = take(value, more, sizeof(struct value_page *));
    if (!pages)
        return false;
    value->pages = pages;
    value->room_pages = more;
    for (size_t i = 0; i < count; i++)
        if (old[i])
            value->pages[place_of(value, old[i]->number)] = old[i];
    value->taken -= count * sizeof(struct value_page *);
    free(old);
    return true;
}

static struct value_page *page_of(struct value *value, uint64_t number)
{
    if (2 * value->npages >= value->room_pages && !grow(value))
        return NULL;
    struct value_page **page = &value->pages[place_of(value, number)];
    if (*page)
        return *page;
    *page = take(value, 1, sizeof **page);
    if (*page) {
        (*page)->number = number;
        value->npages++;
    }
    return *page;
}

static struct tap_side side_now(const struct value *value, const struct tap_access *access, unsigned lane)
{
    const struct tap_block *block = &value->slots[access->slot].block;
    return (struct tap_side){.site = access->site,
                             .kind = access->kind,
                             .block = block->number,
                             .thread = tap_thread(block->warp_lanes, access->warp, lane)};
}

static void tell(const struct value *value, const struct tap_access *access, unsigned lane,
                 const struct value_word *word)
{
    const struct tap_finding finding = {
        .check = "value",
        .cause = "read-only-written",
        .why =
            "memory that is read as never written (ld.global.nc, const __restrict__, __ldg) may be read from a cache",
        .now = side_now(value, access, lane),
        .before = {.site = word->site - 1,
                   .kind = word->written ? TAP_STORE : TAP_LOAD,
                   .block = word->block,
                   .thread = word->thread},
        .access = access,
        .lane = lane,
    };
    value->launch->engine->found(value->launch->engine->self, &finding);
}

static bool look(struct value *value, const struct tap_access *access, unsigned lane)
{
    uint64_t first = (uint64_t)access->at[lane] / 4, last = ((uint64_t)access->at[lane] + access->bytes - 1) / 4;
    bool writes = access->kind != TAP_LOAD, told = false;
    for (uint64_t w = first; w <= last; w++) {
        struct value_page *page = page_of(value, w / VALUE_PAGE);
        if (!page)
            return false;
        struct value_word *word = &page->words[w % VALUE_PAGE];
        if (word->site && word->written != writes && !told) {
            tell(value, access, lane, word);
            told = true;
        }
        if (word->site && word->written) /* who wrote stays: others may read */
            continue;
        struct tap_side side = side_now(value, access, lane);
        *word = (struct value_word){side.block, side.thread, access->site + 1, writes};
    }
    return true;
}

bool value_access(void *state, const struct tap_access *access)
{
    struct value *value = state;
    if (!value->launch->read_only || access->shared || (access->kind == TAP_LOAD && !access->read_only))
        return true;
    for (uint32_t left = access->lanes; left; left &= left - 1)
        if (!look(value, access, (unsigned)__builtin_ctz(left)))
            return false;
    return true;
}

bool value_freed(void *state, const struct tap_freed *freed)
{
    struct value *value = state;
    uint64_t first = (uint64_t)freed->at / 4, last = ((uint64_t)freed->at + freed->bytes - 1) / 4;
    for (uint64_t w = first; value->npages && freed->bytes && w <= last; w++) {
        struct value_page *page = value->pages[place_of(value, w / VALUE_PAGE)];
        if (page)
            page->words[w % VALUE_PAGE].site = 0;
    }
    return true;
}

void value_forget(struct value *value)
{
    for (size_t i = 0; i < value->room_pages; i++)
        free(value->pages[i]);
    free(value->pages);
}
