/* From a name to the first index that has it: registers of a function, symbols and functions of a module, sections. */
#ifndef ATOLL_BASE_NAMEMAP_H
#define ATOLL_BASE_NAMEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* The same; a name that is there gets the new index. */
bool namemap_set(struct namemap *map, const char *name, size_t length, uint32_t index);
/* UINT32_MAX: no such name. */
uint32_t namemap_find(const struct namemap *map, const char *name, size_t length);
void namemap_free(struct namemap *map);

#endif
