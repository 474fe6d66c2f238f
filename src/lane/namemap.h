/* From a name to the first index that has it: registers of a function, symbols and functions of a module. The text form
 * writes a thing by its name when the name is a plain word and the thing is the first of that name, and by its number
 * otherwise; printer and parser decide it here, alike. */
#ifndef ATOLL_LANE_NAMEMAP_H
#define ATOLL_LANE_NAMEMAP_H

#include "lane/lane.h"

struct namemap_slot {
    const char *name; /* not owned, not terminated */
    size_t length;
    uint32_t index;
};

/* Zero-initialise to start. */
struct namemap {
    struct namemap_slot *slots;
    size_t count, capacity;
};

/* Adds a name unless it is there. False without memory. */
bool namemap_add(struct namemap *map, const char *name, size_t length, uint32_t index);
/* UINT32_MAX: no such name. */
uint32_t namemap_find(const struct namemap *map, const char *name, size_t length);
void namemap_free(struct namemap *map);

/* A plain word: letters, digits, _ $ % and dots, not beginning with a digit or a dot, not "_" alone, and not a number
 * of ours (%12). */
bool namemap_is_word(const char *name, size_t length);
bool namemap_is_word_byte(char c);

#endif
