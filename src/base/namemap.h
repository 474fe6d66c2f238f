/* The hash table of the house: from a key to the first index that has it. A key is a name, or what a struct begins with
 * (members without padding). */
#ifndef ATOLL_BASE_NAMEMAP_H
#define ATOLL_BASE_NAMEMAP_H

#include "base/arena.h"

struct namemap_slot {
    const void *key; /* not owned; a name is not terminated */
    uint32_t length, index;
};

/* Zero-initialise to start. */
struct namemap {
    struct arena *arena; /* NULL: slots are the map's own, until namemap_free */
    struct namemap_slot *slots;
    size_t count, capacity;
    uint32_t seed;
};

/* Adds a key unless it is there. False without memory. */
bool namemap_add(struct namemap *map, const void *key, size_t length, uint32_t index);
/* The same; a key that is there gets the new index. */
bool namemap_set(struct namemap *map, const void *key, size_t length, uint32_t index);
/* UINT32_MAX: no such key. */
uint32_t namemap_find(const struct namemap *map, const void *key, size_t length);
/* The key as it was added: where it is the first member of a struct, the struct. NULL: no such key. */
const void *namemap_key(const struct namemap *map, const void *key, size_t length);
void namemap_free(struct namemap *map);

#endif
