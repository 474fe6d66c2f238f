/* Caches in the seeded order: what clients see of memory, and what memory gets of what they write. A cache holds lines
 * of its own, so that a missing invalidate shows old bytes and a missing flush leaves memory without new ones; the seed
 * draws, line by line, what stays in a cache after a launch. In the other orders there is nothing here: caches are
 * coherent and written through. docs/ctm.md, "Caches". */
#include "machine/inside.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_DRAWN = 1 << 14 /* lines of a range that stay in a cache, about: no cache holds everything */ };

/* ---- lines ------------------------------------------------------------------------------------------------ */

static bool line_add(struct machine_lines *lines, const struct machine_line *line, struct atoll_error *error)
{
    if (lines->count == lines->room) {
        size_t room = lines->room ? 2 * lines->room : 64;
        struct machine_line *grown = realloc(lines->line, room * sizeof *grown);
        if (!grown)
            return error_memory(error);
        lines->line = grown;
        lines->room = room;
    }
    lines->line[lines->count++] = *line;
    return true;
}

/* Bytes of a line that are dirty, or all. */
static void line_copy(const struct machine_line *line, uint64_t which, uint8_t *to)
{
    for (unsigned i = 0; i < MACHINE_LINE; i++)
        if (which >> i & 1)
            to[i] = line->bytes[i];
}

/* A draw: half of all lines, or fewer where there are very many. It depends on the launch, so that a stream that goes
 * wrong by chance does so again with the same seed. */
static bool stays(const struct machine *m, enum machine_cache cache, uint32_t address, uint64_t lines)
{
    uint64_t x = m->options.seed * 0x9e3779b97f4a7c15u + m->launches;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u + (uint64_t)cache;
    x = (x ^ x >> 32) * 0x94d049bb133111ebu + address / MACHINE_LINE;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 32;
    uint64_t of = lines > 2 * LINES_DRAWN ? lines / LINES_DRAWN : 2;
    return (uint32_t)x % of == 0;
}

/* Lines of a range, from the one that holds its first byte on: bases are multiples of 2048, so none begins before it.
 */
static uint64_t lines_in(uint64_t size)
{
    return (size + MACHINE_LINE - 1) / MACHINE_LINE;
}

static unsigned line_length(uint64_t size, uint64_t line)
{
    uint64_t left = size - line * MACHINE_LINE;
    return left < MACHINE_LINE ? (unsigned)left : MACHINE_LINE;
}

/* Takes the lines of a range out of a cache and lays them over `copy`; `dirty`, of each line of the range, gets which
 * bytes memory does not have; it may be NULL. Lines that go beyond the range stay: they are another client's. */
static void lines_take(struct machine_lines *lines, uint32_t base, uint64_t size, uint8_t *copy, uint64_t *dirty)
{
    size_t kept = 0;
    for (size_t i = 0; i < lines->count; i++) {
        struct machine_line *line = &lines->line[i];
        uint64_t offset = (uint64_t)line->address - base;
        if (line->address < base || offset >= size) {
            lines->line[kept++] = *line;
            continue;
        }
        unsigned length = line_length(size, offset / MACHINE_LINE);
        uint64_t within = length < 64 ? (UINT64_C(1) << length) - 1 : UINT64_MAX;
        line_copy(line, within, copy + offset);
        if (dirty)
            dirty[offset / MACHINE_LINE] = line->dirty & within;
        if (line->dirty & ~within)
            lines->line[kept++] = *line;
    }
    lines->count = kept;
}

/* ---- clients that read ------------------------------------------------------------------------------------ */

bool machine_read_through(struct machine *m, enum machine_cache cache, uint32_t base, uint64_t size, uint8_t *copy,
                          struct atoll_error *error)
{
    if (!machine_seeded(m))
        return true;
    lines_take(&m->caches[cache], base, size, copy, NULL);
    uint64_t count = lines_in(size);
    for (uint64_t i = 0; i < count; i++) {
        struct machine_line line = {.address = base + (uint32_t)(i * MACHINE_LINE)};
        memcpy(line.bytes, copy + i * MACHINE_LINE, line_length(size, i));
        if (stays(m, cache, line.address, count) && !line_add(&m->caches[cache], &line, error))
            return false;
    }
    return true;
}

/* ---- clients that write ----------------------------------------------------------------------------------- */

static void writes_free(struct machine_writes *writes)
{
    free(writes->old);
    free(writes->seen);
    free(writes->dirty);
    *writes = (struct machine_writes){0};
}

bool machine_writes_begin(struct machine *m, enum machine_cache cache, uint32_t base, uint64_t size,
                          struct machine_writes *writes, struct atoll_error *error)
{
    uint8_t *memory = machine_at(m, base, size);
    *writes = (struct machine_writes){.cache = cache, .base = base, .size = size};
    if (!machine_seeded(m))
        return true;
    writes->old = malloc(size);
    writes->seen = malloc(size);
    writes->dirty = calloc(lines_in(size), sizeof *writes->dirty);
    if (!writes->old || !writes->seen || !writes->dirty) {
        writes_free(writes);
        return error_memory(error);
    }
    memcpy(writes->old, memory, size);
    lines_take(&m->caches[cache], base, size, memory, writes->dirty);
    memcpy(writes->seen, memory, size);
    return true;
}

/* Line `i` of a range: what is dirty of it stays in the cache, or goes to memory. */
static bool line_end(struct machine *m, const struct machine_writes *writes, uint64_t i, uint8_t *memory,
                     struct atoll_error *error)
{
    unsigned length = line_length(writes->size, i);
    const uint8_t *old = writes->old + i * MACHINE_LINE, *seen = writes->seen + i * MACHINE_LINE;
    struct machine_line line = {.address = writes->base + (uint32_t)(i * MACHINE_LINE), .dirty = writes->dirty[i]};
    memcpy(line.bytes, memory, length);
    for (unsigned j = 0; j < length; j++)
        if (memory[j] != seen[j])
            line.dirty |= UINT64_C(1) << j;
    memcpy(memory, old, length);
    bool reads = writes->cache == CACHE_COND; /* lines that are as memory has them are held, too */
    if ((line.dirty || reads) && stays(m, writes->cache, line.address, lines_in(writes->size)))
        return line_add(&m->caches[writes->cache], &line, error);
    line_copy(&line, line.dirty, memory);
    return true;
}

bool machine_writes_end(struct machine *m, struct machine_writes *writes, struct atoll_error *error)
{
    bool ok = true;
    if (writes->old) {
        uint8_t *memory = machine_at(m, writes->base, writes->size);
        for (uint64_t i = 0; i < lines_in(writes->size) && ok; i++)
            ok = line_end(m, writes, i, memory + i * MACHINE_LINE, error);
    }
    writes_free(writes);
    return ok;
}

/* ---- commands --------------------------------------------------------------------------------------------- */

/* What is dirty goes to memory; the lines stay, clean. */
void machine_flush(struct machine *m, enum machine_cache cache)
{
    struct machine_lines *lines = &m->caches[cache];
    for (size_t i = 0; i < lines->count; i++) {
        struct machine_line *line = &lines->line[i];
        uint64_t size = 0;
        uint8_t *memory = machine_from(m, line->address, &size);
        uint64_t within = size < MACHINE_LINE ? (UINT64_C(1) << size) - 1 : UINT64_MAX;
        if (memory)
            line_copy(line, line->dirty & within, memory);
        line->dirty = 0;
    }
    if (cache == CACHE_OUT)
        lines->count = 0;
}

/* What was not flushed is lost. */
void machine_invalidate(struct machine *m, enum machine_cache cache)
{
    m->caches[cache].count = 0;
}
