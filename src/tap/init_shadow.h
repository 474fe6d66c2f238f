/* What the check of uninitialised values keeps of memory: which bits are undefined, and where they came from.
 *
 *   map    pages of 4 KiB of the host's memory that are not as all of the map is: written, or unwritten
 *   page   written; unwritten; or mixed, with the undefined bits of each byte and, where undefined values were stored,
 *          an origin for each 4 bytes
 *
 * So memory that is written costs nothing, memory that is not 40 bytes a page until it is written in part. */
#ifndef ATOLL_TAP_INIT_SHADOW_H
#define ATOLL_TAP_INIT_SHADOW_H

#include "tap/race_clock.h"

enum { INIT_PAGE_SHIFT = 12, INIT_PAGE = 1 << INIT_PAGE_SHIFT, INIT_WIDEST = 32 /* bytes of an access */ };
enum init_state { INIT_WRITTEN, INIT_UNWRITTEN, INIT_MIXED };

struct init_page {
    uint64_t number;    /* of 4 KiB of the host's memory; 0: nothing is here */
    uint32_t epoch;     /* of an earlier one: it is as all of the map is */
    uint16_t undefined; /* mixed: bytes that have undefined bits */
    uint8_t state;      /* enum init_state */
    unsigned char *bits;
    uint32_t *origins; /* NULL: nothing undefined was stored */
};

struct shadow_map {
    struct clock_room *room;
    struct init_page *pages; /* a hash table */
    size_t npages, room_pages;
    uint32_t epoch;
    uint8_t usual; /* enum init_state: how pages are that are not there */
};

void shadow_map_open(struct shadow_map *map, struct clock_room *room, enum init_state usual);
void shadow_map_close(struct shadow_map *map);
/* All is as it was at first. */
void shadow_map_forget(struct shadow_map *map);
/* Of the page that holds a place; INIT_MIXED: *page. */
enum init_state shadow_state(const struct shadow_map *map, const unsigned char *at, struct init_page **page);
/* Undefined bits of up to INIT_WIDEST bytes within a page. False: there are none. */
bool shadow_read(const struct shadow_map *map, const unsigned char *at, unsigned bytes, unsigned char *bits,
                 uint32_t *origin);
/* False: no memory. */
bool shadow_write(struct shadow_map *map, const unsigned char *at, unsigned bytes, const unsigned char *bits,
                  uint32_t origin);
/* Any bytes. */
bool shadow_fill(struct shadow_map *map, const unsigned char *at, uint64_t bytes, enum init_state state);
bool shadow_copy(struct shadow_map *map, const unsigned char *to, const unsigned char *from, uint64_t bytes);
/* Is a range within a page, or pages of one state, written? */
bool shadow_written(const struct shadow_map *map, const unsigned char *first, const unsigned char *end);
/* Bytes from a place on that are alike, at most `bytes` and within a page; *how: enum tap_how. */
uint64_t shadow_run(const struct shadow_map *map, const unsigned char *at, uint64_t bytes, uint8_t *how);

#endif
