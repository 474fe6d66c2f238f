/* Object code on the disk: docs/jit.md, "The cache". Whatever fails, fails silently: code is then made anew. */
#ifndef ATOLL_ENGINE_JIT_CACHE_H
#define ATOLL_ENGINE_JIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CACHE_KEY = 32,           /* bytes: a hash of all that the code depends on */
    CACHE_MOST = 64 << 20,    /* bytes of all entries; more, and the oldest go */
    CACHE_LARGEST = 16 << 20, /* of an entry */
};

/* Do the variables name a place for it? */
bool cache_has_place(void);
/* False: there is none that can be trusted. *bytes is to be freed. */
bool cache_find(const uint8_t key[CACHE_KEY], void **bytes, size_t *size);
void cache_store(const uint8_t key[CACHE_KEY], const void *bytes, size_t size);

#endif
