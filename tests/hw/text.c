/* Growing text and bytes, hexadecimal, digests; the formats of surfaces. */
#include "hw.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct hw_text *text, size_t more)
{
    if (text->size + more + 1 <= text->room)
        return;
    size_t room = 2 * text->room + more + 64;
    char *data = realloc(text->data, room);
    if (!data) {
        fputs("no memory left\n", stderr);
        exit(2);
    }
    text->data = data;
    text->room = room;
}

void hw_put(struct hw_text *text, const void *bytes, size_t size)
{
    reserve(text, size);
    if (size)
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = 0;
}

void hw_add(struct hw_text *text, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int size = vsnprintf(NULL, 0, format, list);
    va_end(list);
    reserve(text, (size_t)size);
    vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
    va_end(again);
    text->size += (size_t)size;
}

void hw_hex(struct hw_text *text, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *in = bytes;
    if (!size)
        hw_put(text, "-", 1);
    reserve(text, 2 * size);
    for (size_t i = 0; i < size; i++) {
        text->data[text->size++] = digits[in[i] >> 4];
        text->data[text->size++] = digits[in[i] & 15];
    }
    text->data[text->size] = 0;
}

void hw_free(struct hw_text *text)
{
    free(text->data);
    *text = (struct hw_text){0};
}

static int nibble(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hw_unhex(const char *hex, struct hw_text *bytes)
{
    bytes->size = 0;
    if (strcmp(hex, "-") == 0)
        return true;
    for (; hex[0]; hex += 2) {
        int high = nibble(hex[0]), low = high < 0 ? -1 : nibble(hex[1]);
        if (low < 0)
            return false;
        hw_put(bytes, &(unsigned char){(unsigned char)(high << 4 | low)}, 1);
    }
    return true;
}

uint64_t hw_digest(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *in = bytes;
    digest = digest ? digest : UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ in[i]) * UINT64_C(0x100000001b3);
    return digest;
}

/* ---- formats --------------------------------------------------------------------------------------------- */

/* CUarray_format of one, two and four channels (cuda.h 13.0); the plain ones do not depend on the channels. */
static const struct component {
    const char *suffix;
    char kind;
    uint8_t bits;
    uint8_t array[3];
} components[] = {
    {"8uint", 'u', 8, {0x01, 0x01, 0x01}},    {"16uint", 'u', 16, {0x02, 0x02, 0x02}},
    {"32uint", 'u', 32, {0x03, 0x03, 0x03}},  {"8sint", 'i', 8, {0x08, 0x08, 0x08}},
    {"16sint", 'i', 16, {0x09, 0x09, 0x09}},  {"32sint", 'i', 32, {0x0a, 0x0a, 0x0a}},
    {"16float", 'f', 16, {0x10, 0x10, 0x10}}, {"32float", 'f', 32, {0x20, 0x20, 0x20}},
    {"8unorm", 'n', 8, {0xc0, 0xc1, 0xc2}},   {"16unorm", 'n', 16, {0xc3, 0xc4, 0xc5}},
    {"8snorm", 's', 8, {0xc6, 0xc7, 0xc8}},   {"16snorm", 's', 16, {0xc9, 0xca, 0xcb}},
};
enum { COMPONENTS = sizeof components / sizeof components[0] };

static const struct {
    const char *name;
    uint8_t channels;
} channel_sets[] = {{"r", 1}, {"rg", 2}, {"rgba", 4}};

static void fill(unsigned index, struct hw_format *format)
{
    if (index == 3 * COMPONENTS) {
        *format = (struct hw_format){"rgb10a2unorm", 'n', 4, 4, 10, 0x50};
        return;
    }
    const struct component *part = &components[index / 3];
    unsigned channels = channel_sets[index % 3].channels;
    *format = (struct hw_format){.kind = part->kind,
                                 .bytes = (uint8_t)(channels * part->bits / 8),
                                 .channels = (uint8_t)channels,
                                 .bits = part->bits,
                                 .array = part->array[index % 3]};
    snprintf(format->name, sizeof format->name, "%s%s", channel_sets[index % 3].name, part->suffix);
}

bool hw_format_at(unsigned index, struct hw_format *format)
{
    if (index > 3 * COMPONENTS)
        return false;
    fill(index, format);
    return true;
}

bool hw_format(const char *name, struct hw_format *format)
{
    for (unsigned i = 0; hw_format_at(i, format); i++)
        if (strcmp(format->name, name) == 0)
            return true;
    return false;
}

const char *hw_dimension_name(enum atoll_dimension dimension)
{
    static const char *const names[] = {"1d", "1d_buffer", "a1d", "2d", "a2d", "3d"};
    return (unsigned)dimension < 6 ? names[dimension] : "?";
}
