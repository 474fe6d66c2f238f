/* Search in tables that are in order. */
#ifndef ATOLL_BASE_SEARCH_H
#define ATOLL_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t search_key(const void *at, size_t bytes)
{
    uint64_t wide;
    uint32_t narrow;
    if (bytes == sizeof wide)
        return memcpy(&wide, at, sizeof wide), wide;
    return memcpy(&narrow, at, sizeof narrow), narrow;
}

/* The first of `count` rows whose key, a number of 4 or 8 bytes, is not below this one; `keys` is the first row's, the
 * next follow at `stride` bytes. */
static inline uint32_t search_keys(const void *keys, size_t bytes, uint32_t count, size_t stride, uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (search_key((const char *)keys + middle * stride, bytes) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of 8 bytes. */
static inline uint32_t search_not_below(const void *keys, uint32_t count, size_t stride, uint64_t key)
{
    return search_keys(keys, sizeof(uint64_t), count, stride, key);
}

#endif
