/* NPY files: a small parser of the header's Python literal, byte order, and the writer. */
#include "file/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_LARGEST 65536 /* bytes; numpy itself warns above 10000 */

/* The header's text, walked from front to back. */
struct cursor {
    const char *at, *end;
};

static bool bad(struct atoll_error *error, const char *what)
{
    return error_set(error, ATOLL_INPUT, "not a NPY file that can be read: %s", what);
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

static bool take(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

/* 'text' or "text" without escapes; out holds `room` bytes. */
static bool take_string(struct cursor *c, char *out, size_t room)
{
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    char quote = *c->at++;
    const char *close = memchr(c->at, quote, (size_t)(c->end - c->at));
    size_t length = close ? (size_t)(close - c->at) : room;
    if (length >= room || memchr(c->at, '\\', length))
        return false;
    memcpy(out, c->at, length);
    out[length] = 0;
    c->at = close + 1;
    return true;
}

static bool take_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

static bool take_number(struct cursor *c, uint64_t *value)
{
    skip_blanks(c);
    const char *start = c->at;
    if (c->end - c->at > 1 && c->at[0] == '0' && c->at[1] >= '0' && c->at[1] <= '9')
        return false; /* no number of Python's */
    for (*value = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (*value > (UINT64_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (uint64_t)(*c->at - '0');
    }
    if (c->at > start && c->at < c->end && *c->at == 'L') /* Python 2 wrote longs this way */
        c->at++;
    return c->at > start;
}

/* (), (3,), (3, 4); (3) is a number in parentheses. */
static bool take_shape(struct cursor *c, struct array *array, struct atoll_error *error)
{
    bool comma = true;
    if (!take(c, '('))
        return bad(error, "'shape' is not a tuple");
    while (!take(c, ')')) {
        if (array->ndims == ARRAY_DIMS)
            return bad(error, "more than 8 dimensions");
        if (!take_number(c, &array->dims[array->ndims++]))
            return bad(error, "'shape' holds something that is no number");
        comma = take(c, ',');
        if (!comma && (array->ndims == 1 || c->at == c->end || *c->at != ')'))
            return bad(error, "'shape' is not a tuple");
    }
    return true;
}

/* "<f4": byte order, kind, bytes. */
static bool set_type(struct array *array, const char *descr, bool *swap, struct atoll_error *error)
{
    static const char *const types[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"};
    const char *type = descr + (descr[0] == '<' || descr[0] == '>' || descr[0] == '|' || descr[0] == '=');
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(type, types[i]) != 0)
            continue;
        array->kind = type[0];
        array->bytes = (unsigned)(type[1] - '0');
        *swap = descr[0] == '>' && array->bytes > 1;
        return true;
    }
    return error_set(error, ATOLL_INPUT,
                     "NPY element type '%.40s' is not supported (b1, i1 to i8, u1 to u8, f2, f4, f8)", descr);
}

static bool take_descr(struct cursor *c, struct array *array, bool *swap, struct atoll_error *error)
{
    char descr[32];
    if (!take_string(c, descr, sizeof descr))
        return bad(error, "'descr' is no simple type (structured arrays are not supported)");
    return set_type(array, descr, swap, error);
}

static bool take_order(struct cursor *c, struct atoll_error *error)
{
    if (take_word(c, "True"))
        return bad(error, "the array is in Fortran order; save it with numpy.ascontiguousarray");
    return take_word(c, "False") || bad(error, "'fortran_order' is neither True nor False");
}

static bool parse_entry(struct cursor *c, struct array *array, unsigned *seen, bool *swap, struct atoll_error *error)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char key[32];
    unsigned i = 0;
    if (!take_string(c, key, sizeof key) || !take(c, ':'))
        return bad(error, "the header is no dict of three keys");
    while (i < 3 && strcmp(key, keys[i]) != 0)
        i++;
    if (i == 3 || *seen >> i & 1)
        return error_set(error, ATOLL_INPUT, "not a NPY file that can be read: the header has %s key '%s'%s",
                         i == 3 ? "the unknown" : "the", key, i == 3 ? "" : " twice");
    *seen |= 1u << i;
    return i == 0 ? take_descr(c, array, swap, error) : i == 1 ? take_order(c, error) : take_shape(c, array, error);
}

static bool parse_header(struct cursor *c, struct array *array, bool *swap, struct atoll_error *error)
{
    unsigned seen = 0;
    if (!take(c, '{'))
        return bad(error, "the header is no dict");
    while (!take(c, '}')) {
        if (!parse_entry(c, array, &seen, swap, error))
            return false;
        if (!take(c, ',') && !(c->at < c->end && *c->at == '}'))
            return bad(error, "the header is no dict of three keys");
    }
    skip_blanks(c);
    if (c->at < c->end)
        return bad(error, "something follows the header's dict");
    return seen == 7 || bad(error, "the header lacks 'descr', 'fortran_order' or 'shape'");
}

bool is_npy(const void *file, size_t size)
{
    return size >= 6 && memcmp(file, "\x93NUMPY", 6) == 0;
}

/* Where the header lies in the file. */
static bool find_header(const unsigned char *file, size_t size, struct cursor *c, struct atoll_error *error)
{
    if (size < 10 || !is_npy(file, size))
        return bad(error, "the signature is missing");
    unsigned major = file[6];
    if (major < 1 || major > 3)
        return bad(error, "the version is none of 1, 2 and 3");
    size_t start = major == 1 ? 10 : 12;
    if (size < start)
        return bad(error, "the file ends in the header");
    size_t length = file[8] | (size_t)file[9] << 8;
    if (major > 1)
        length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (length > HEADER_LARGEST || length > size - start)
        return bad(error, "the header is longer than the file, or than 65536 bytes");
    c->at = (const char *)file + start;
    c->end = c->at + length;
    return true;
}

bool npy_parse(const void *file, size_t size, struct array *array, size_t *offset, bool *swap,
               struct atoll_error *error)
{
    struct cursor c = {0};
    *array = (struct array){0};
    *swap = false;
    if (!find_header(file, size, &c, error))
        return false;
    const char *end = c.end;
    if (!parse_header(&c, array, swap, error))
        return false;
    *offset = (size_t)(end - (const char *)file);
    uint64_t room = (size - *offset) / array->bytes;
    array->count = 1;
    for (unsigned i = 0; i < array->ndims; i++)
        if (array->dims[i] == 0)
            array->count = 0;
    for (unsigned i = 0; i < array->ndims && array->count; i++) {
        if (array->dims[i] > room / array->count)
            return bad(error, "the file ends before the array does");
        array->count *= array->dims[i];
    }
    if (array->count > room)
        return bad(error, "the file ends before the array does");
    uint64_t rest = size - *offset - array->count * array->bytes;
    return rest == 0 ||
           error_set(error, ATOLL_INPUT, "not a NPY file that can be read: %" PRIu64 " bytes follow the array", rest);
}

static void swap_bytes(unsigned char *element, unsigned bytes)
{
    for (unsigned i = 0; i < bytes / 2; i++) {
        unsigned char held = element[i];
        element[i] = element[bytes - 1 - i];
        element[bytes - 1 - i] = held;
    }
}

bool npy_read(const void *file, size_t size, struct array *array, void **elements, struct atoll_error *error)
{
    size_t offset;
    bool swap;
    *elements = NULL;
    if (!npy_parse(file, size, array, &offset, &swap, error))
        return false;
    size_t bytes = (size_t)(array->count * array->bytes);
    unsigned char *copy = malloc(bytes ? bytes : 1);
    if (!copy)
        return error_memory(error);
    memcpy(copy, (const unsigned char *)file + offset, bytes);
    for (size_t i = 0; swap && i < array->count; i++)
        swap_bytes(copy + i * array->bytes, array->bytes);
    *elements = copy;
    return true;
}

void npy_write(const struct array *array, const void *elements, struct text *out)
{
    struct text header = {0};
    text_printf(&header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (", array->bytes == 1 ? '|' : '<',
                array->kind, array->bytes);
    for (unsigned i = 0; i < array->ndims; i++)
        text_printf(&header, "%s%" PRIu64 "%s", i ? " " : "", array->dims[i],
                    array->ndims == 1 || i + 1 < array->ndims ? "," : "");
    text_puts(&header, "), }");
    while (text_ok(&header) && (10 + header.length + 1) % 64)
        text_puts(&header, " ");
    text_puts(&header, "\n");
    if (header.failed) {
        out->failed = true;
        text_free(&header);
        return;
    }
    unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    start[8] = (unsigned char)(header.length & 255);
    start[9] = (unsigned char)(header.length >> 8);
    text_add(out, (const char *)start, sizeof start);
    text_add(out, header.bytes, header.length);
    text_add(out, elements, (size_t)(array->count * array->bytes));
    text_free(&header);
}
