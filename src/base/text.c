/* A growing text with sticky failure. */
#include "base/text.h"
#include "base/bytes.h"
#include "base/hard.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct text *text, size_t more)
{
    if (text->failed)
        return false;
    if (text->capacity - text->length > more)
        return true;
    size_t capacity = text->capacity ? text->capacity : HARD(256, 1);
    while (capacity - text->length <= more) {
        if (capacity > SIZE_MAX / 4) {
            text->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *bytes = realloc(text->bytes, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void text_add(struct text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void text_number(struct text *text, uint64_t value, unsigned count)
{
    char bytes[8];
    bytes_put(bytes, value, sizeof bytes);
    text_add(text, bytes, count);
}

char *text_room(struct text *text, size_t more)
{
    return reserve(text, more) ? text->bytes + text->length : NULL;
}

void text_puts(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        text->failed = true;
    else if (reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

/* Length of the valid UTF-8 sequence at p (2..4), or 0. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
    size_t n = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] >= 0x90))
        return 0;
    return n;
}

void text_json(struct text *text, const char *bytes, size_t length)
{
    const unsigned char *p = (const unsigned char *)bytes;
    text_puts(text, "\"");
    for (size_t i = 0; i < length;) {
        size_t n = utf8_length(p + i, length - i);
        if (p[i] == '"' || p[i] == '\\')
            text_printf(text, "\\%c", p[i]);
        else if (p[i] >= 0x20 && p[i] < 0x7f)
            text_add(text, bytes + i, 1);
        else if (n)
            text_add(text, bytes + i, n);
        else
            text_printf(text, "\\u%04x", p[i]);
        i += n ? n : 1;
    }
    text_puts(text, "\"");
}

static const char *markup_name(unsigned char c)
{
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

void text_markup(struct text *text, const char *bytes, size_t length)
{
    const unsigned char *p = (const unsigned char *)bytes;
    for (size_t i = 0; i < length;) {
        size_t n = utf8_length(p + i, length - i);
        const char *name = markup_name(p[i]);
        bool last = n == 3 && p[i] == 0xef && p[i + 1] == 0xbf && p[i + 2] >= 0xbe; /* U+FFFE, U+FFFF */
        bool control = n == 2 && p[i] == 0xc2 && p[i + 1] < 0xa0;
        bool plain = (p[i] >= 0x20 && p[i] < 0x7f) || p[i] == '\n' || p[i] == '\t';
        if (name)
            text_puts(text, name);
        else if (plain || (n && !last && !control))
            text_add(text, bytes + i, n ? n : 1);
        else
            text_puts(text, "\xef\xbf\xbd");
        i += n ? n : 1;
    }
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

bool text_list_has(const char *list, const char *word, size_t length)
{
    for (const char *at = list; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (*at == *word && strncmp(at, word, length) == 0 && (at[length] == ' ' || !at[length]))
            return true;
    }
    return false;
}
