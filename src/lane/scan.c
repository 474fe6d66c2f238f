/* Words, numbers and strings of the text form. */
#include "lane/scan.h"
#include "base/chars.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void scan_begin(struct scan *s, const char *text, size_t size, struct atoll_error *error)
{
    *s = (struct scan){.at = text, .end = text + size, .line_start = text, .line = 1, .error = error};
}

static bool fail(struct scan *s, const char *where, const char *format, va_list args)
{
    char message[500];
    vsnprintf(message, sizeof message, format, args);
    return error_at(s->error, ATOLL_INPUT, s->line, (uint32_t)(where - s->line_start) + 1, "lane program: %s", message);
}

bool scan_fail(struct scan *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(s, s->at, format, args);
    va_end(args);
    return false;
}

bool scan_fail_at(struct scan *s, const char *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(s, where, format, args);
    va_end(args);
    return false;
}

char scan_peek(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
    if (s->end - s->at >= 2 && s->at[0] == '/' && s->at[1] == '/')
        while (s->at < s->end && *s->at != '\n')
            s->at++;
    return s->at < s->end ? *s->at : 0;
}

bool scan_accept(struct scan *s, char c)
{
    if (scan_peek(s) != c || s->at == s->end)
        return false;
    s->at++;
    return true;
}

bool scan_expect(struct scan *s, char c)
{
    return scan_accept(s, c) || scan_fail(s, "wanted '%c'", c);
}

bool scan_at_end_of_line(struct scan *s)
{
    return scan_peek(s) == '\n' || s->at == s->end;
}

static void newline(struct scan *s)
{
    s->line_start = ++s->at;
    s->line++;
}

bool scan_end_line(struct scan *s)
{
    if (!scan_at_end_of_line(s))
        return scan_fail(s, "unexpected text at the end of the line");
    if (s->at < s->end)
        newline(s);
    return true;
}

bool scan_skip_line(struct scan *s)
{
    const char *next = memchr(s->at, '\n', (size_t)(s->end - s->at));
    s->at = next ? next : s->end;
    if (!next)
        return false;
    newline(s);
    return true;
}

bool scan_next_line(struct scan *s)
{
    while (scan_peek(s) == '\n')
        newline(s);
    return s->at < s->end;
}

bool scan_is_word_byte(char c)
{
    return char_word(c) || c == '$' || c == '%' || c == '.';
}

bool scan_is_word_text(const char *name, size_t length)
{
    if (length == 0 || (name[0] >= '0' && name[0] <= '9') || name[0] == '.' || (length == 1 && name[0] == '_'))
        return false;
    if (name[0] == '%' && (length == 1 || (name[1] >= '0' && name[1] <= '9')))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!scan_is_word_byte(name[i]))
            return false;
    return true;
}

bool scan_at_word(struct scan *s)
{
    scan_peek(s);
    return s->at < s->end && scan_is_word_byte(*s->at);
}

bool scan_word(struct scan *s, struct word *word)
{
    if (!scan_at_word(s))
        return scan_fail(s, "wanted a word");
    word->start = s->at;
    while (s->at < s->end && scan_is_word_byte(*s->at))
        s->at++;
    word->length = (size_t)(s->at - word->start);
    return true;
}

bool scan_is(struct word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.start, text, word.length) == 0;
}

bool scan_accept_word(struct scan *s, const char *text)
{
    struct scan before = *s;
    struct word word;
    if (scan_at_word(s) && scan_word(s, &word) && scan_is(word, text))
        return true;
    *s = before;
    return false;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

/* value = value * base + digit; false when it needs more than 128 bits. Decimal numbers keep to 64. */
static bool push_digit(uint64_t *lo, uint64_t *hi, unsigned base, unsigned digit)
{
    if (base == 16) {
        if (*hi >> 60)
            return false;
        *hi = *hi << 4 | *lo >> 60;
        *lo = *lo << 4 | digit;
        return true;
    }
    if (*lo > (UINT64_MAX - digit) / 10)
        return false;
    *lo = *lo * 10 + digit;
    return true;
}

bool scan_number128(struct scan *s, uint64_t *lo, uint64_t *hi)
{
    scan_peek(s);
    const char *start = s->at;
    unsigned base = s->end - s->at > 2 && s->at[0] == '0' && s->at[1] == 'x' ? 16 : 10;
    if (base == 16)
        s->at += 2;
    const char *first = s->at;
    *lo = *hi = 0;
    for (; s->at < s->end && char_digit(*s->at) < base; s->at++)
        if (!push_digit(lo, hi, base, char_digit(*s->at)))
            return scan_fail_at(s, start, "the number is too large");
    if (s->at == first)
        return scan_fail_at(s, start, "wanted a number");
    return true;
}

bool scan_u64(struct scan *s, uint64_t *value)
{
    uint64_t hi;
    scan_peek(s);
    const char *start = s->at;
    if (!scan_number128(s, value, &hi))
        return false;
    return hi == 0 || scan_fail_at(s, start, "the number needs more than 64 bits");
}

bool scan_u32(struct scan *s, uint32_t *value)
{
    uint64_t wide;
    scan_peek(s);
    const char *start = s->at;
    if (!scan_u64(s, &wide))
        return false;
    *value = (uint32_t)wide;
    return wide <= UINT32_MAX || scan_fail_at(s, start, "the number needs more than 32 bits");
}

bool scan_offset(struct scan *s, int64_t *value)
{
    *value = 0;
    bool negative = scan_peek(s) == '-';
    const char *start = s->at;
    if (!negative && scan_peek(s) != '+')
        return true;
    s->at++;
    uint64_t magnitude;
    if (!scan_u64(s, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return scan_fail_at(s, start, "the offset needs more than 64 bits");
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

/* ---- strings ------------------------------------------------------------------------------------- */

/* One byte of a string: itself or \xNN. */
static bool string_byte(struct scan *s, char *byte)
{
    if (*s->at != '\\') {
        *byte = *s->at++;
        return true;
    }
    if (s->end - s->at < 4 || s->at[1] != 'x' || char_digit(s->at[2]) > 15 || char_digit(s->at[3]) > 15)
        return scan_fail(s, "wanted \\xNN");
    unsigned value = char_digit(s->at[2]) * 16 + char_digit(s->at[3]);
    if (value == 0)
        return scan_fail(s, "a string cannot hold a zero byte");
    *byte = (char)value;
    s->at += 4;
    return true;
}

bool scan_string(struct scan *s, struct arena *arena, const char **string)
{
    if (!scan_expect(s, '"'))
        return false;
    const char *start = s->at;
    const char *last = start; /* escapes make no string longer */
    while (last < s->end && *last != '"' && *last != '\n')
        last++;
    if (last == s->end || *last != '"')
        return scan_fail_at(s, start, "the string does not end");
    char *copy = arena_alloc(arena, (size_t)(last - start) + 1);
    if (!copy)
        return error_memory(s->error);
    for (size_t n = 0; s->at < last; n++)
        if (*s->at == 0)
            return scan_fail(s, "a string cannot hold a zero byte");
        else if (!string_byte(s, &copy[n]))
            return false;
    *string = copy;
    return scan_expect(s, '"');
}
