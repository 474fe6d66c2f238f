/* Memory with one lifetime: many small allocations, freed together. A module has one, a launch has one. */
#ifndef ATOLL_BASE_ARENA_H
#define ATOLL_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

/* Zero-initialise to start: struct arena a = {0}. */
struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes handed out from the newest chunk */
    size_t total;               /* bytes asked from the host */
    size_t limit;               /* fail beyond this many bytes; 0 = none */
};

/* `size` zeroed bytes, aligned for any type (16). NULL when the host has no memory. */
void *arena_alloc(struct arena *arena, size_t size);

/* count * size zeroed bytes, overflow checked. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* A terminated copy of text[0..length). */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* A larger copy of an array that grows: old[0..count) is copied into room for `capacity` elements. */
void *arena_grow(struct arena *arena, const void *old, size_t count, size_t capacity, size_t size);

/* Room for one more in an array that only ever grows by one: `array` itself, or a copy with twice the room when `count`
 * is a power of two. */
void *arena_append(struct arena *arena, void *array, size_t count, size_t size);

/* Frees everything; the arena can be used again. */
void arena_free(struct arena *arena);

#endif
