/* Names to indexes: open addressing, at most half full. */
#include "base/namemap.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const char *name, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
    return h ^ (h >> 32);
}

/* The slot that holds the name, or the free one where it belongs. */
static struct namemap_slot *find(const struct namemap *map, const char *name, size_t length)
{
    size_t mask = map->capacity - 1, i = (size_t)hash(name, length) & mask;
    while (map->slots[i].name && (map->slots[i].length != length || memcmp(map->slots[i].name, name, length) != 0))
        i = (i + 1) & mask;
    return &map->slots[i];
}

static bool grow(struct namemap *map)
{
    struct namemap bigger = {.capacity = map->capacity ? map->capacity * 2 : 64, .count = map->count};
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].name)
            *find(&bigger, map->slots[i].name, map->slots[i].length) = map->slots[i];
    free(map->slots);
    *map = bigger;
    return true;
}

bool namemap_add(struct namemap *map, const char *name, size_t length, uint32_t index)
{
    if ((map->count + 1) * 2 > map->capacity && !grow(map))
        return false;
    struct namemap_slot *slot = find(map, name, length);
    if (!slot->name) {
        *slot = (struct namemap_slot){name, length, index};
        map->count++;
    }
    return true;
}

bool namemap_set(struct namemap *map, const char *name, size_t length, uint32_t index)
{
    if (!namemap_add(map, name, length, index))
        return false;
    find(map, name, length)->index = index;
    return true;
}

uint32_t namemap_find(const struct namemap *map, const char *name, size_t length)
{
    if (map->count == 0)
        return UINT32_MAX;
    const struct namemap_slot *slot = find(map, name, length);
    return slot->name ? slot->index : UINT32_MAX;
}

void namemap_free(struct namemap *map)
{
    free(map->slots);
    *map = (struct namemap){0};
}
