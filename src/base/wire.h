/* Bytes in a fixed order, little-endian, both ways: one function says what a format holds, and reads it or writes it.
 *
 *     wire_u16(w, &info->size);      reading: sets it; writing: appends it
 *
 * What fails stays failed and says where (wire.at): functions need not look until the end, but loops over a count that
 * was read must stop (wire_count). */
#ifndef ATOLL_BASE_WIRE_H
#define ATOLL_BASE_WIRE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_REASON = 160 };

struct wire {
    const uint8_t *bytes; /* to read; NULL: writing */
    size_t size, at;      /* of them, and how many are read; `at` counts what was written, too */
    struct text *out;     /* to write to */
    bool failed;
    char reason[WIRE_REASON]; /* why, from `at` on */
};

static inline bool wire_reads(const struct wire *w)
{
    return w->bytes != NULL;
}

void wire_u8(struct wire *w, uint8_t *value);
void wire_u16(struct wire *w, uint16_t *value);
void wire_u32(struct wire *w, uint32_t *value);
/* A value of 1, 2, 4 or 8 bytes in 64 bits, not extended. */
void wire_uint(struct wire *w, unsigned bytes, uint64_t *value);
/* Writing: data[0..size). Reading: *data is set into the bytes that are read. */
void wire_bytes(struct wire *w, size_t size, const char **data);
/* The next bytes up to a 0, which is read or written too. */
void wire_string(struct wire *w, const char **string);
/* Reading: whether `count` things of at least `least` bytes each can still come; false marks the failure. */
bool wire_count(struct wire *w, uint64_t count, size_t least, const char *what);
/* Marks a failure at `at`; the first stays. Always false. */
bool wire_fail(struct wire *w, size_t at, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
