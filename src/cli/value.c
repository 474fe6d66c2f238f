/* Numbers of the command line: types, ranges, lists. */
#include "cli/argument.h"

#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chars.h"
#include "base/half.h"

static const struct value_type types[] = {
    {"u8", 'u', 1},  {"u16", 'u', 2}, {"u32", 'u', 4}, {"u64", 'u', 8}, {"s8", 's', 1},  {"s16", 's', 2},
    {"s32", 's', 4}, {"s64", 's', 8}, {"b8", 'b', 1},  {"b16", 'b', 2}, {"b32", 'b', 4}, {"b64", 'b', 8},
    {"f16", 'f', 2}, {"f32", 'f', 4}, {"f64", 'f', 8}, {"ptr", 'p', 8},
};

const struct value_type *value_type_at(unsigned index)
{
    return index < sizeof types / sizeof types[0] ? &types[index] : NULL;
}

const struct value_type *value_type_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return &types[i];
    return NULL;
}

static bool bad(const struct value_type *type, const char *text, const char *why, struct atoll_error *error)
{
    return error_set(error, ATOLL_USAGE, "'%.100s' is no number of type %s%s", text, type->name, why);
}

static bool out_of_range(const struct value_type *type, const char *text, struct atoll_error *error)
{
    uint64_t top = UINT64_C(1) << (type->bytes * 8 - 1), most = type->class == 's' ? top - 1 : top - 1 + top;
    char why[80];
    snprintf(why, sizeof why, ": wanted %s%" PRIu64 " to %" PRIu64, type->class == 'u' ? "" : "-",
             type->class == 'u' ? 0 : top, most);
    return bad(type, text, why, error);
}

/* Decimal or 0x, perhaps behind a sign; a minus sign for signed and bit types. */
static bool integer_parse(const struct value_type *type, const char *text, uint64_t *value, struct atoll_error *error)
{
    bool minus = *text == '-';
    const char *digits = text + (minus || *text == '+');
    bool hex = digits[0] == '0' && (digits[1] | 32) == 'x';
    char *end;
    if (digits[0] < '0' || digits[0] > '9')
        return bad(type, text, "", error);
    errno = 0;
    *value = strtoull(digits, &end, hex ? 16 : 10);
    if (end == digits || *end || (hex && end == digits + 2))
        return bad(type, text, "", error);
    unsigned bits = type->bytes * 8;
    uint64_t top = UINT64_C(1) << (bits - 1), most = type->class == 's' ? top - 1 : top - 1 + top;
    if (minus)
        most = type->class == 'u' ? 0 : top;
    if (errno == ERANGE || *value > most)
        return out_of_range(type, text, error);
    if (minus)
        *value = 0 - *value;
    return true;
}

/* The text rounded to odd: rounded again, to fewer bits, it is as if it had been rounded once (like src/base/half.h).
 */
static double odd_parse(const char *text)
{
    int mode = fegetround();
    double ends[2];
    uint64_t bits;
    fesetround(FE_DOWNWARD);
    ends[0] = strtod(text, NULL);
    fesetround(FE_UPWARD);
    ends[1] = strtod(text, NULL);
    fesetround(mode);
    memcpy(&bits, &ends[0], sizeof bits);
    return ends[bits & 1 ? 0 : 1];
}

/* The host's conversion of decimal text is correctly rounded; f32 straight from the text, so that it rounds once. What
 * rounds to infinity is out of range, unless the text says infinity. */
static bool float_parse(const struct value_type *type, const char *text, void *out, struct atoll_error *error)
{
    char *end;
    double wide = strtod(text, &end);
    bool said = (text[*text == '-' || *text == '+'] | 32) == 'i', infinite = isinf(wide);
    if (end == text || *end || *text == ' ' || *text == '\t')
        return bad(type, text, "", error);
    if (type->bytes == 8)
        memcpy(out, &wide, sizeof wide);
    if (type->bytes == 4) {
        float narrow = strtof(text, &end);
        infinite = isinf(narrow);
        memcpy(out, &narrow, sizeof narrow);
    }
    if (type->bytes == 2) {
        uint16_t half = f16_from_f64(isfinite(wide) ? odd_parse(text) : wide, HALF_RN);
        infinite = (half & 0x7fff) == 0x7c00;
        memcpy(out, &half, sizeof half);
    }
    return !infinite || said || bad(type, text, ": out of range", error);
}

bool value_parse(const struct value_type *type, const char *text, size_t length, void *out, struct atoll_error *error)
{
    char copy[128]; /* the longest sensible number, terminated */
    uint64_t value;
    if (length == 0 || length >= sizeof copy)
        return error_set(error, ATOLL_USAGE, "a number of type %s is missing or too long", type->name);
    memcpy(copy, text, length);
    copy[length] = 0;
    /* bits without a type: a number with a point is a float of their size */
    bool real = type->class == 'b' && type->bytes > 1 && strchr(copy, '.') != NULL;
    if (type->class == 'f' || real)
        return float_parse(type, copy, out, error);
    if (!integer_parse(type, copy, &value, error))
        return false;
    memcpy(out, &value, type->bytes); /* little-endian: the low bytes */
    return true;
}

bool values_parse(struct arena *arena, const struct value_type *type, const char *text, void **values, uint64_t *count,
                  struct atoll_error *error)
{
    size_t commas = 0;
    for (const char *p = text; *p; p++)
        commas += *p == ',';
    unsigned char *out = arena_array(arena, commas + 1, type->bytes);
    if (!out)
        return error_memory(error);
    *values = out;
    *count = commas + 1;
    for (;;) {
        size_t length = strcspn(text, ",");
        if (!value_parse(type, text, length, out, error))
            return false;
        out += type->bytes;
        if (text[length] == 0)
            return true;
        text += length + 1;
    }
}

bool bytes_parse(struct arena *arena, const char *text, void **bytes, uint64_t *count, struct atoll_error *error)
{
    size_t length = strlen(text);
    unsigned char *out = arena_alloc(arena, length / 2 + 1);
    if (!out)
        return error_memory(error);
    for (size_t i = 0; i < length / 2; i++) {
        unsigned high = char_digit(text[2 * i]), low = char_digit(text[2 * i + 1]);
        if (high > 15 || low > 15)
            return error_set(error, ATOLL_USAGE, "'bytes:' wants pairs of hex digits, not '%.100s'", text + 2 * i);
        out[i] = (unsigned char)(high << 4 | low);
    }
    if (length % 2 || length == 0)
        return error_set(error, ATOLL_USAGE, "'bytes:' wants pairs of hex digits");
    *bytes = out;
    *count = length / 2;
    return true;
}
