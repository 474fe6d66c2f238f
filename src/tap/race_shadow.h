/* What the race check keeps of memory: for each word who wrote it last and who has read it since.
 *
 *   page     4 KiB of the host's memory: cells of 4 bytes, or of 2 or 1 where narrower accesses came
 *   cell     of writers and of readers a reference, or two; 0: none
 *   reference  a record and a lane of its warp
 *   record   a warp, an instruction and the block's time: what all accesses that a warp makes there have in common
 *
 * So 4 bytes of memory cost 4 of shadow where the kernel only reads or only writes, else 8, and 4 more in pages with
 * cells that have two readers or two writers, or plain accesses before atomic ones. */
#ifndef ATOLL_TAP_RACE_SHADOW_H
#define ATOLL_TAP_RACE_SHADOW_H

#include "tap/race_clock.h"

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT, CELL_SHIFT = 2 };
#define RECORDS_MOST (UINT32_C(1) << 24) /* then all is forgotten */

struct record {
    uint64_t block;
    uint32_t time, site;
    uint8_t warp, kind, order, scope, proxy, element;
};

/* WEAK: of what came before a strong access that is ordered behind it, and is weaker than that: who is strong to the
 * strong one may still race with this. The first is who wrote, the second who has read. */
enum { WRITERS, READERS, WEAK, REFS };
struct page {
    uint32_t *refs[REFS]; /* of each cell; NULL: no cell has one */
    uint32_t *more[REFS]; /* a second one, which nothing orders to the first: of more, two of different blocks if there
                             are, else of different warps. NULL: no cell has one */
    uint8_t shift;        /* log2 of a cell's bytes */
    bool lent[REFS];      /* refs are part of a slab */
    uint32_t weak_time;   /* of shared memory: what is WEAK is not younger */
};

enum { CHUNK = 1 << 10 };

/* Memory for pages: zeros from the system in large pieces, of which nothing is given back before the end. */
struct slab {
    struct slab *before;
    unsigned char *memory;
    size_t size, used;
};

struct shadow {
    struct clock_room *room;
    struct slab *slab;   /* of the pages; the last one */
    struct page **pages; /* a hash table by number */
    uint64_t *numbers;   /* of the pages: of 4 KiB of the host's address space; 0: nothing is there */
    size_t npages, room_pages;
    struct record **records; /* chunks of CHUNK */
    uint32_t nrecords;       /* 0 is none */
    uint32_t record_chunks;  /* room for pointers to them */
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
/* Forgets all records: no page may refer to them any more. */
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
/* Room for references, of `slab`'s memory where it is not NULL, and for second ones; false: no memory. */
bool page_refs(struct clock_room *room, struct shadow *slabs, struct page *page, unsigned which);
bool page_more(struct clock_room *room, struct page *page, unsigned which);
static inline uint32_t page_first(const struct page *page, unsigned which, size_t cell)
{
    return page->refs[which] ? page->refs[which][cell] : 0;
}
static inline uint32_t page_second(const struct page *page, unsigned which, size_t cell)
{
    return page->more[which] ? page->more[which][cell] : 0;
}

#endif
