/* The text of a command stream, written and read: docs/ctm.md, "Text of streams". */
#include "machine/stream.h"

#include "base/chars.h"
#include "base/decimal.h"
#include "base/half.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- to text ---------------------------------------------------------------------------------------------- */

/* Decimal digits of a float, and whether they mean it to the bit. */
static bool float_digits(uint32_t bits, int count, char digits[32])
{
    double value;
    size_t used;
    snprintf(digits, 32, "%.*g", count, (double)f32_from_bits(bits));
    for (char *p = digits; *p; p++)
        if (*p == ',')
            *p = '.'; /* the program's locale */
    bool minus = digits[0] == '-';
    if (!decimal_double(digits + minus, strlen(digits + minus), &value, &used))
        return false;
    return !digits[minus + used] && f32_bits((float)(minus ? -value : value)) == bits;
}

/* As few digits as will do, looking like a number that is no integer; else the bits. */
static void print_float(uint32_t bits, struct text *out)
{
    char digits[32];
    bool number = false;
    if ((bits & 0x7f800000) != 0x7f800000)
        for (int count = 1; count <= 9 && !number; count++)
            number = float_digits(bits, count, digits);
    if (number)
        text_printf(out, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
    else
        text_printf(out, "0x%08x", bits);
}

static void print_value(const struct stream_field *field, uint32_t value, struct text *out)
{
    const char *const *names = stream_names((enum stream_kind)field->kind);
    if (names && names[value])
        text_puts(out, names[value]);
    else if (field->kind == STREAM_FLOAT)
        print_float(value, out);
    else if (field->kind == STREAM_PLACE && field->high == 31)
        text_printf(out, "0x%08x", value);
    else
        text_printf(out, "%u", value);
}

static void print_command(const struct stream *stream, size_t at, const struct stream_row *row, struct text *out)
{
    text_puts(out, row->name);
    for (unsigned i = 0; i < STREAM_FIELDS && row->fields[i].name; i++) {
        const struct stream_field *field = &row->fields[i];
        text_printf(out, " %s=", field->name);
        print_value(field, stream_get(field, stream_word(stream, at + 1 + field->parameter)), out);
    }
    for (unsigned i = 0; i < row->parameters; i++) {
        uint32_t bits = stream_word(stream, at + 1 + i) & stream_reserved(row, i);
        if (bits)
            text_printf(out, " reserved%u=0x%x", i, bits);
    }
    text_puts(out, "\n");
}

static void print_words(const struct stream *stream, size_t at, const struct stream_item *item, struct text *out)
{
    text_puts(out, item->packet ? ".packet" : ".word");
    for (uint32_t i = 0; i < item->words; i++)
        text_printf(out, " 0x%08x", stream_word(stream, at + i));
    text_puts(out, "\n");
}

bool stream_print(const struct stream *stream, struct text *out, struct atoll_error *error)
{
    struct stream_item item;
    for (size_t at = 0; at < stream->words; at += item.words) {
        if (!stream_next(stream, at, &item, error))
            return false;
        if (item.row)
            print_command(stream, at, item.row, out);
        else
            print_words(stream, at, &item, out);
    }
    return text_ok(out) || error_memory(error);
}

/* ---- from text -------------------------------------------------------------------------------------------- */

struct reader {
    const char *line, *at, *end; /* of the line, without its comment */
    uint32_t number;             /* of the line */
    struct text *out;
    struct atoll_error *error;
};

static bool wrong(const struct reader *r, const char *at, const char *what, const char *wanted)
{
    size_t length = 0;
    while (at + length < r->end && length < 60 && (unsigned char)at[length] > ' ')
        length++;
    return error_at(r->error, ATOLL_INPUT, r->number, (uint32_t)(at - r->line) + 1, "%s '%.*s'%s%s", what, (int)length,
                    at, *wanted ? ": wanted " : "", wanted);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

/* The next word of the line; false: there is none. */
static bool next(struct reader *r, const char **word, size_t *length)
{
    while (r->at < r->end && blank(*r->at))
        r->at++;
    *word = r->at;
    while (r->at < r->end && !blank(*r->at))
        r->at++;
    *length = (size_t)(r->at - *word);
    return *length > 0;
}

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool read_number(const struct reader *r, const char *text, const char *end, uint32_t *value)
{
    struct digits digits;
    bool hex = end - text > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
    const char *from = hex ? text + 2 : text;
    const char *after = digits_read(from, end, hex ? 16 : 10, &digits);
    if (after == from || after != end)
        return wrong(r, text, "no number:", "decimal digits, or 0x and hexadecimal ones");
    if (digits.large || digits.value > UINT32_MAX)
        return wrong(r, text, "too large for 32 bits:", "");
    *value = (uint32_t)digits.value;
    return true;
}

static bool read_float(const struct reader *r, const char *text, const char *end, uint32_t *value)
{
    if (end - text > 2 && (text[1] | 0x20) == 'x')
        return read_number(r, text, end, value);
    bool minus = text < end && *text == '-';
    double number;
    size_t used;
    if (text + minus == end || char_digit(text[minus]) > 9)
        return wrong(r, text, "no number:", "0.5, or the bits of one, 0x3f000000");
    if (!decimal_double(text + minus, (size_t)(end - text - minus), &number, &used))
        return error_memory(r->error);
    if (text + minus + used != end)
        return wrong(r, text, "no number:", "0.5, or the bits of one, 0x3f000000");
    *value = f32_bits((float)(minus ? -number : number));
    return true;
}

/* The bits of a field from what stands behind its '='. */
static bool read_value(const struct reader *r, const struct stream_field *field, const char *text, const char *end,
                       uint32_t *bits)
{
    uint32_t value = STREAM_NAMES;
    const char *const *names = stream_names((enum stream_kind)field->kind);
    for (uint32_t i = 0; names && i < STREAM_NAMES; i++)
        if (names[i] && is(text, (size_t)(end - text), names[i]))
            value = i;
    if (!names || value == STREAM_NAMES)
        if (field->kind == STREAM_FLOAT ? !read_float(r, text, end, &value) : !read_number(r, text, end, &value))
            return false;
    *bits = stream_put(field, value);
    if (stream_get(field, *bits) == value)
        return true;
    uint32_t low = field->kind == STREAM_PLACE ? UINT32_C(1) << field->low : 1;
    return error_at(r->error, ATOLL_INPUT, r->number, (uint32_t)(text - r->line) + 1,
                    "%s=%.*s: wanted a multiple of %u, at most 0x%x", field->name, (int)(end - text), text, low,
                    stream_get(field, UINT32_MAX));
}

static const struct stream_field *field_of(const struct stream_row *row, const char *name, size_t length)
{
    for (unsigned i = 0; i < STREAM_FIELDS && row->fields[i].name; i++)
        if (is(name, length, row->fields[i].name))
            return &row->fields[i];
    return NULL;
}

/* "reservedN=...": bits of parameter N that no field has. */
static bool read_reserved(const struct reader *r, const struct stream_row *row, const char *word, const char *equals,
                          const char *end, uint32_t *words)
{
    unsigned parameter = char_digit(equals[-1]);
    uint32_t bits;
    if (equals - word != 9 || memcmp(word, "reserved", 8) != 0 || parameter >= row->parameters)
        return wrong(r, word, "no field of the command:", "");
    if (!read_number(r, equals + 1, end, &bits))
        return false;
    if (bits & ~stream_reserved(row, parameter))
        return wrong(r, equals + 1, "bits of a field:", "reserved ones");
    words[1 + parameter] |= bits;
    return true;
}

/* A FIELD=VALUE of a command; `seen` has the fields that were there. */
static bool read_field(const struct reader *r, const struct stream_row *row, const char *word, size_t length,
                       uint32_t *words, unsigned *seen)
{
    const char *equals = memchr(word, '=', length), *end = word + length;
    if (!equals || equals == word)
        return wrong(r, word, "no field:", "NAME=VALUE");
    const struct stream_field *field = field_of(row, word, (size_t)(equals - word));
    if (!field)
        return read_reserved(r, row, word, equals, end, words);
    unsigned bit = 1u << (field - row->fields);
    uint32_t bits;
    if (*seen & bit)
        return wrong(r, word, "given twice:", "");
    *seen |= bit;
    if (!read_value(r, field, equals + 1, end, &bits))
        return false;
    words[1 + field->parameter] |= bits;
    return true;
}

static bool read_command(struct reader *r, enum stream_command command)
{
    const struct stream_row *row = &stream_rows[command];
    uint32_t words[1 + STREAM_PARAMETERS] = {stream_opcode(command)};
    unsigned seen = 0;
    const char *word;
    size_t length;
    while (next(r, &word, &length))
        if (!read_field(r, row, word, length, words, &seen))
            return false;
    for (unsigned i = 0; i <= row->parameters; i++)
        text_number(r->out, words[i], 4);
    return true;
}

/* .word, .packet: any words; those of a packet are as many as its opcode says. */
static bool read_words(struct reader *r, const char *name, bool packet)
{
    const char *word;
    size_t length, count = 0;
    uint32_t value, wanted = 0;
    while (next(r, &word, &length)) {
        if (!read_number(r, word, word + length, &value))
            return false;
        if (count++ == 0)
            wanted = (value >> 16 & 0x3fff) + 2;
        if (packet && count == 1 && value >> 30 != 3)
            return wrong(r, word, "no opcode:", "bits 31:30 set");
        text_number(r->out, value, 4);
    }
    if (count == 0 || (packet && count != wanted))
        return error_at(r->error, ATOLL_INPUT, r->number, (uint32_t)(name - r->line) + 1, "%zu words: wanted %s", count,
                        packet ? "as many as the opcode says: bits 29:16, and 2" : "one or more");
    return true;
}

static bool read_line(struct reader *r)
{
    const char *word;
    size_t length;
    if (!next(r, &word, &length))
        return true;
    if (is(word, length, ".word") || is(word, length, ".packet"))
        return read_words(r, word, length == 7);
    for (unsigned i = 0; i < STREAM_COMMANDS; i++)
        if (is(word, length, stream_rows[i].name))
            return read_command(r, (enum stream_command)i);
    return wrong(r, word, "no command:", "set_domain, start_program ..., .word or .packet");
}

/* Where a comment begins: //, or ; as listings have it. */
static const char *comment(const char *at, const char *end)
{
    while (at < end && *at != ';' && *at != '#' && !(*at == '/' && at + 1 < end && at[1] == '/'))
        at++;
    return at;
}

bool stream_parse(const char *text, size_t length, struct text *out, struct atoll_error *error)
{
    const char *end = text + length;
    struct reader r = {.out = out, .error = error};
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        r.line = r.at = line;
        r.end = comment(line, stop);
        r.number++;
        if (!read_line(&r))
            return false;
        line = stop + 1;
    }
    return text_ok(out) || error_memory(error);
}
