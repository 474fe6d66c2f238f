/* Search in tables that are in order. */
#ifndef ATOLL_BASE_SEARCH_H
#define ATOLL_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The first of `count` rows whose key is not below this one; `keys` is the first row's, the next follow at `stride`
 * bytes.
 */
static inline uint32_t search_not_below(const void *keys, uint32_t count, size_t stride, uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t it;
        memcpy(&it, (const char *)keys + middle * stride, sizeof it);
        if (it < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
