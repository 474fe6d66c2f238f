/* What the race check keeps of memory: for each word who wrote it last and who has read it since.
 *
 *   page     4 KiB of the host's memory: cells of 4 bytes, or of 2 or 1 where narrower accesses came
 *   cell     two references: writers, readers; 0: none
 *   reference  a record and a lane of its warp; or a pair of these (bit 31)
 *   record   a warp, an instruction and the block's time: what all accesses that a warp makes there have in common
 *
 * So 4 bytes of memory cost 8 of shadow, wherever the kernel goes. */
#ifndef ATOLL_TAP_RACE_SHADOW_H
#define ATOLL_TAP_RACE_SHADOW_H

#include "tap/race_clock.h"

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT, CELL_SHIFT = 2 };
#define PAIR_BIT     UINT32_C(0x80000000)
#define RECORDS_MOST (UINT32_C(1) << 24) /* then all is forgotten */

struct record {
    uint64_t block;
    uint32_t time, site;
    uint8_t warp, kind, order, scope, proxy, element;
};

struct page {
    uint32_t *writers, *readers;
    uint8_t shift; /* log2 of a cell's bytes */
};

/* Two that nothing orders: of more, two of different blocks if there are, else of different warps. */
struct pair {
    uint32_t refs[2]; /* of a free one: the next free one */
};

enum { CHUNK = 1 << 10 };

struct shadow {
    struct clock_room *room;
    struct page **pages; /* a hash table by number */
    uint64_t *numbers;   /* of the pages: of 4 KiB of the host's address space; 0: nothing is there */
    size_t npages, room_pages;
    struct record **records; /* chunks of CHUNK */
    uint32_t nrecords;       /* 0 is none */
    struct pair **pairs;
    uint32_t npairs, free_pair;
    uint32_t record_chunks, pair_chunks; /* room for pointers to them */
};

void shadow_open(struct shadow *shadow, struct clock_room *room);
void shadow_close(struct shadow *shadow);
/* The page that holds a host address, or NULL: no memory. Pages that are nobody's: of memory that comes and goes. */
struct page *shadow_page(struct shadow *shadow, uint64_t number);
/* Forgets what is kept of a range. */
void shadow_forget(struct shadow *shadow, uint64_t at, uint64_t bytes);
struct page *page_make(struct clock_room *room);
void page_free(struct clock_room *room, struct page *page);
void page_clear(struct page *page);
/* Forgets all records and pairs: no page may refer to them any more. */
void shadow_reset(struct shadow *shadow);
/* Forgets what all of its pages have, too. */
void shadow_forget_all(struct shadow *shadow);
/* Has it cells of 1 << shift bytes or fewer? Makes them. */
bool page_refine(struct clock_room *room, struct page *page, unsigned shift);
/* The number of a new record; 0: no memory. */
uint32_t record_add(struct shadow *shadow, const struct record *record);
static inline struct record *record_at(const struct shadow *shadow, uint32_t index)
{
    return &shadow->records[index / CHUNK][index % CHUNK];
}
/* A reference to a pair; 0: no memory. */
uint32_t pair_add(struct shadow *shadow, uint32_t first, uint32_t second);
static inline struct pair *pair_at(const struct shadow *shadow, uint32_t ref)
{
    uint32_t index = ref & ~PAIR_BIT;
    return &shadow->pairs[index / CHUNK][index % CHUNK];
}
static inline void pair_drop(struct shadow *shadow, uint32_t ref)
{
    pair_at(shadow, ref)->refs[0] = shadow->free_pair;
    shadow->free_pair = ref;
}

#endif
