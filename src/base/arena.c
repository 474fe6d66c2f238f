/* Arenas: chunks of growing size, bump allocation, freed as a whole. */
#include "base/arena.h"
#include "base/hard.h"

#include "base/pages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* of data */
    _Alignas(16) unsigned char data[];
};

enum { FIRST_CHUNK = HARD(16 * 1024, 0), LARGEST_STEP = HARD(1024 * 1024, 0), ALIGN = 16 };

static bool chunk_add(struct arena *arena, size_t need)
{
    size_t size = arena->chunks ? arena->chunks->size * 2 : FIRST_CHUNK;
    if (size > LARGEST_STEP)
        size = LARGEST_STEP;
    if (size < need)
        size = need;
    if (arena->limit && (size > arena->limit || arena->total > arena->limit - size))
        return false;
    struct arena_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        return false;
    pages_large(chunk, size);
    chunk->next = arena->chunks;
    chunk->size = size;
    arena->chunks = chunk;
    arena->used = 0;
    arena->total += size;
    assert(size >= need && (!arena->limit || arena->total <= arena->limit));
    return true;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t need = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (need == 0)
        need = ALIGN;
    if ((!arena->chunks || arena->chunks->size - arena->used < need) && !chunk_add(arena, need))
        return NULL;
    void *memory = arena->chunks->data + arena->used;
    arena->used += need;
    assert(arena->used <= arena->chunks->size && (uintptr_t)memory % ALIGN == 0);
    return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    return arena_alloc(arena, count * size);
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

void *arena_grow(struct arena *arena, const void *old, size_t count, size_t capacity, size_t size)
{
    assert(count <= capacity);
    void *bigger = arena_array(arena, capacity, size);
    if (bigger && count)
        memcpy(bigger, old, count * size);
    return bigger;
}

void *arena_append(struct arena *arena, void *array, size_t count, size_t size)
{
    if (count && (count & (count - 1)) != 0)
        return array;
    return arena_grow(arena, array, count, count ? count * 2 : 1, size);
}

void arena_free(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks; chunk;) {
        struct arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    arena->chunks = NULL;
    arena->used = 0;
    arena->total = 0;
}
