/* Little-endian bytes, read and written by the same calls. */
#include "base/wire.h"

#include "base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool wire_fail(struct wire *w, size_t at, const char *format, ...)
{
    va_list args;
    if (w->failed)
        return false;
    va_start(args, format);
    vsnprintf(w->reason, sizeof w->reason, format, args);
    va_end(args);
    w->failed = true;
    w->at = at;
    return false;
}

/* The next `size` bytes to read; NULL where they do not come. */
static const uint8_t *next(struct wire *w, size_t size)
{
    if (w->failed)
        return NULL;
    if (w->size - w->at < size) {
        wire_fail(w, w->at, "the bytes end: %zu wanted, %zu left", size, w->size - w->at);
        return NULL;
    }
    const uint8_t *bytes = w->bytes + w->at;
    w->at += size;
    return bytes;
}

void wire_uint(struct wire *w, unsigned bytes, uint64_t *value)
{
    uint8_t raw[8];
    if (!wire_reads(w)) {
        bytes_put(raw, *value, bytes);
        text_add(w->out, (const char *)raw, bytes);
        w->at += bytes;
        return;
    }
    const uint8_t *from = next(w, bytes);
    *value = from ? bytes_get(from, bytes) : 0;
}

void wire_u8(struct wire *w, uint8_t *value)
{
    uint64_t v = *value;
    wire_uint(w, 1, &v);
    *value = (uint8_t)v;
}

void wire_u16(struct wire *w, uint16_t *value)
{
    uint64_t v = *value;
    wire_uint(w, 2, &v);
    *value = (uint16_t)v;
}

void wire_u32(struct wire *w, uint32_t *value)
{
    uint64_t v = *value;
    wire_uint(w, 4, &v);
    *value = (uint32_t)v;
}

void wire_bytes(struct wire *w, size_t size, const char **data)
{
    if (!wire_reads(w)) {
        text_add(w->out, *data, size);
        w->at += size;
        return;
    }
    const uint8_t *from = next(w, size);
    *data = from ? (const char *)from : "";
}

void wire_string(struct wire *w, const char **string)
{
    if (!wire_reads(w)) {
        wire_bytes(w, strlen(*string) + 1, string);
        return;
    }
    const uint8_t *end = w->failed ? NULL : memchr(w->bytes + w->at, 0, w->size - w->at);
    *string = "";
    if (end)
        wire_bytes(w, (size_t)(end - (w->bytes + w->at)) + 1, string);
    else
        wire_fail(w, w->at, "a string without its end");
}

bool wire_count(struct wire *w, uint64_t count, size_t least, const char *what)
{
    if (w->failed || !wire_reads(w) || count <= (w->size - w->at) / least)
        return !w->failed;
    return wire_fail(w, w->at, "%llu %s in %zu bytes", (unsigned long long)count, what, w->size - w->at);
}
