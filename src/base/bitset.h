/* Sets of small numbers: number i is bit i % 64 of word i / 64. */
#ifndef ATOLL_BASE_BITSET_H
#define ATOLL_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool bitset_has(const uint64_t *set, uint64_t i)
{
    return set[i / 64] >> i % 64 & 1;
}

static inline void bitset_add(uint64_t *set, uint64_t i)
{
    set[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void bitset_remove(uint64_t *set, uint64_t i)
{
    set[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Adds a set of as many words to another. Has it grown? */
static inline bool bitset_merge(uint64_t *to, const uint64_t *from, size_t words)
{
    uint64_t changed = 0;
    for (size_t w = 0; w < words; w++) {
        changed |= from[w] & ~to[w];
        to[w] |= from[w];
    }
    return changed != 0;
}

#endif
