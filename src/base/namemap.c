/* Keys to indexes: open addressing, at most half full. */
#include "base/namemap.h"
#include "base/hard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = HARD(16, 2) };

static inline uint64_t word_at(const char *key)
{
    uint64_t word;
    memcpy(&word, key, sizeof word);
    return word;
}

/* Up to 8 bytes, all of them. */
static inline uint64_t last_word(const char *key, size_t length)
{
    uint32_t low, high;
    if (length >= 4) {
        memcpy(&low, key, 4);
        memcpy(&high, key + length - 4, 4);
        return low | (uint64_t)high << 32;
    }
    return length == 0 ? 0
                       : (uint64_t)(unsigned char)key[0] | (uint64_t)(unsigned char)key[length / 2] << 8 |
                             (uint64_t)(unsigned char)key[length - 1] << 16;
}

static size_t hash(uint32_t seed, const char *key, size_t length)
{
    uint64_t h = seed ^ (length * UINT64_C(0x9e3779b97f4a7c15));
    for (; length > 8; length -= 8, key += 8) {
        h = (h ^ word_at(key)) * UINT64_C(0xd6e8feb86659fd93);
        h ^= h >> 32;
    }
    h = (h ^ last_word(key, length)) * UINT64_C(0xd6e8feb86659fd93);
    h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93); /* the last digits of numbered names reach the low bits */
    return (size_t)(h >> 32);
}

/* memcmp for short keys. */
static bool same(const char *a, const char *b, size_t length)
{
    for (; length > 8; length -= 8, a += 8, b += 8)
        if (word_at(a) != word_at(b))
            return false;
    return last_word(a, length) == last_word(b, length);
}

/* The slot that holds the key, or the free one where it belongs. */
static struct namemap_slot *find(const struct namemap *map, const void *key, size_t length)
{
    assert(map->capacity && (map->capacity & (map->capacity - 1)) == 0 && map->count < map->capacity);
    size_t mask = map->capacity - 1, i = hash(map->seed, key, length) & mask;
    while (map->slots[i].key && (map->slots[i].length != length || !same(map->slots[i].key, key, length)))
        i = (i + 1) & mask;
    return &map->slots[i];
}

static bool grow(struct namemap *map)
{
    struct namemap bigger = *map;
    bigger.capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
    bigger.slots = map->arena ? arena_array(map->arena, bigger.capacity, sizeof *bigger.slots)
                              : calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    /* A hash that hostile text cannot know in advance; results do not depend on it. */
    bigger.seed = (uint32_t)((uintptr_t)bigger.slots >> 4) * 2654435761u;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key)
            *find(&bigger, map->slots[i].key, map->slots[i].length) = map->slots[i];
    if (!map->arena)
        free(map->slots);
    *map = bigger;
    return true;
}

bool namemap_add(struct namemap *map, const void *key, size_t length, uint32_t index)
{
    if (length > UINT32_MAX || ((map->count + 1) * 2 > map->capacity && !grow(map)))
        return false;
    struct namemap_slot *slot = find(map, key, length);
    if (!slot->key) {
        *slot = (struct namemap_slot){key, (uint32_t)length, index};
        map->count++;
        assert(map->count * 2 <= map->capacity);
    }
    return true;
}

bool namemap_set(struct namemap *map, const void *key, size_t length, uint32_t index)
{
    if (!namemap_add(map, key, length, index))
        return false;
    find(map, key, length)->index = index;
    return true;
}

uint32_t namemap_find(const struct namemap *map, const void *key, size_t length)
{
    const struct namemap_slot *slot = map->count ? find(map, key, length) : NULL;
    return slot && slot->key ? slot->index : UINT32_MAX;
}

const void *namemap_key(const struct namemap *map, const void *key, size_t length)
{
    return map->count ? find(map, key, length)->key : NULL;
}

void namemap_free(struct namemap *map)
{
    if (!map->arena)
        free(map->slots);
    *map = (struct namemap){.arena = map->arena};
}
