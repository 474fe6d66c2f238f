/* Reading bytes of debug information that nobody has checked: what is not there reads as 0, and the reader is broken.
 */
#ifndef ATOLL_ISA_DWARF_READ_H
#define ATOLL_ISA_DWARF_READ_H

#include "base/bytes.h"
#include "isa/dwarf.h"

#include <string.h>

struct reader {
    const uint8_t *at, *end;
    bool broken;
};

static inline uint64_t get(struct reader *r, unsigned bytes)
{
    if ((size_t)(r->end - r->at) < bytes) {
        r->broken = true;
        r->at = r->end;
        return 0;
    }
    uint64_t value = bytes_get(r->at, bytes < 8 ? bytes : 8);
    r->at += bytes;
    return value;
}

static inline uint64_t get_uleb(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (!(byte & 0x80))
            return value;
    }
    r->broken = true;
    return 0;
}

static inline void skip(struct reader *r, uint64_t bytes)
{
    r->broken |= bytes > (uint64_t)(r->end - r->at);
    r->at = r->broken ? r->end : r->at + bytes;
}

static inline struct reader reader_at(const struct dwarf_section *section, uint64_t from, uint64_t to)
{
    struct reader r = {.broken = from > to || to > section->size};
    if (!r.broken && section->bytes) {
        r.at = section->bytes + from;
        r.end = section->bytes + to;
    }
    return r;
}

/* A terminated string that begins here; NULL: it does not end. */
static inline const char *string_here(struct reader *r)
{
    const uint8_t *start = r->at, *end = start ? memchr(start, 0, (size_t)(r->end - start)) : NULL;
    if (!end) {
        r->broken = true;
        return NULL;
    }
    r->at = end + 1;
    return (const char *)start;
}

#endif
