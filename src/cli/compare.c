/* How far found elements are from expected ones. */
#include "cli/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "file/picture.h"

static const uint64_t infinity = UINT64_C(0x7ff0000000000000), not_numbers = UINT64_C(0x7ff8000000000000);
enum { DARKEST = 64, WHITE = 255 }; /* of what differs: to be seen on black */

/* ---- elements -------------------------------------------------------------------------------------------------- */

static uint64_t integer_at(const struct array *array, const void *elements, uint64_t index)
{
    uint64_t value = 0;
    memcpy(&value, (const unsigned char *)elements + index * array->bytes, array->bytes); /* little-endian */
    unsigned unused = 64 - 8 * array->bytes;
    if (array->kind == 'i' && value >> (63 - unused) & 1)
        value |= ~(UINT64_MAX >> unused);
    return value;
}

static double float_at(const struct array *array, const void *elements, uint64_t index)
{
    uint64_t bits = integer_at(array, elements, index);
    if (array->bytes == 2)
        return f16_to_f32((uint16_t)bits);
    if (array->bytes == 4)
        return f32_from_bits((uint32_t)bits);
    return f64_from_bits(bits);
}

static uint64_t float_distance(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : not_numbers;
    return a == b ? 0 : f64_bits(fabs(a - b)); /* equal infinities, too */
}

static uint64_t distance_at(const struct array *array, const void *found, const void *expected, uint64_t index)
{
    if (array->kind == 'f')
        return float_distance(float_at(array, found, index), float_at(array, expected, index));
    uint64_t a = integer_at(array, found, index), b = integer_at(array, expected, index);
    bool less = array->kind == 'i' ? (int64_t)a < (int64_t)b : a < b;
    return less ? b - a : a - b;
}

/* The largest distance that does not count. */
static uint64_t distance_allowed(const struct comparison *c)
{
    if (c->array.kind == 'f')
        return f64_bits(fabs(c->tolerance)); /* not -0 */
    return c->tolerance < 0x1p64 ? (uint64_t)c->tolerance : UINT64_MAX;
}

static bool is_finite(const struct array *array, uint64_t distance)
{
    return array->kind != 'f' || distance < infinity;
}

bool compare_elements(struct comparison *c, const void *found, const void *expected)
{
    uint64_t allowed = distance_allowed(c);
    c->differ = c->worst = c->largest = c->finite = 0;
    if (c->array.count == 0 || memcmp(found, expected, (size_t)(c->array.count * c->array.bytes)) == 0)
        return false;
    for (uint64_t i = 0; i < c->array.count; i++) {
        uint64_t distance = distance_at(&c->array, found, expected, i);
        if (distance <= allowed)
            continue;
        c->differ++;
        if (distance > c->largest) {
            c->largest = distance;
            c->worst = i;
        }
        if (distance > c->finite && is_finite(&c->array, distance))
            c->finite = distance;
    }
    return c->differ > 0;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

void compare_value(const struct array *array, const void *elements, uint64_t index, struct text *out)
{
    static const int digits[] = {[2] = 5, [4] = 9, [8] = 17}; /* enough to tell neighbours apart */
    if (array->kind == 'f')
        text_printf(out, "%.*g", digits[array->bytes], float_at(array, elements, index));
    else if (array->kind == 'i')
        text_printf(out, "%" PRId64, (int64_t)integer_at(array, elements, index));
    else
        text_printf(out, "%" PRIu64, integer_at(array, elements, index));
}

/* Where the element is: of texels (x, y, z) and the channel, of arrays the indices in their order. */
static void tell_place(const struct comparison *c, uint64_t index, struct text *out)
{
    uint64_t at[ARRAY_DIMS] = {0}, rest = index;
    unsigned ndims = c->array.ndims;
    for (unsigned i = ndims; i-- > 0;) {
        at[i] = rest % c->array.dims[i];
        rest /= c->array.dims[i];
    }
    if (c->texels) {
        unsigned places = ndims - (c->channels > 1);
        for (unsigned i = places; i-- > 0;)
            text_printf(out, "%s%" PRIu64, i + 1 == places ? "(" : ", ", at[i]);
        text_puts(out, ")");
        if (c->channels > 1)
            text_printf(out, " channel %" PRIu64, at[ndims - 1]);
    } else if (ndims <= 1)
        text_printf(out, "element %" PRIu64, index);
    else
        for (unsigned i = 0; i < ndims; i++)
            text_printf(out, "%s%" PRIu64 "%s", i ? ", " : "element [", at[i], i + 1 == ndims ? "]" : "");
}

void compare_tell_at(const struct comparison *c, uint64_t index, const void *elements, struct text *out)
{
    tell_place(c, index, out);
    text_puts(out, ": ");
    compare_value(&c->array, elements, index, out);
}

void compare_tell(const struct comparison *c, const void *found, const void *expected, struct text *out)
{
    text_printf(out, "%" PRIu64 " of %" PRIu64 " elements differ", c->differ, c->array.count);
    if (c->tolerance > 0)
        text_printf(out, " by more than %.15g", c->tolerance);
    text_puts(out, ", the worst at ");
    tell_place(c, c->worst, out);
    text_puts(out, ": ");
    compare_value(&c->array, found, c->worst, out);
    text_puts(out, ", expected ");
    compare_value(&c->array, expected, c->worst, out);
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

bool compare_pictured(const struct comparison *c, const char *name, struct atoll_error *error)
{
    unsigned ndims = c->array.ndims;
    if (!c->texels && ndims != 2)
        return error_set(error, ATOLL_USAGE,
                         "--diff %.200s: pictures are of surfaces, PNG files and arrays of two dimensions", name);
    uint64_t width = ndims > (c->channels > 1) ? c->array.dims[ndims - 1 - (c->channels > 1)] : 1;
    uint64_t rows = width ? c->array.count / c->channels / width : 0;
    if (width > INT32_MAX || rows > INT32_MAX)
        return error_set(error, ATOLL_LIMIT, "--diff %.200s: a PNG file cannot have %" PRIu64 " x %" PRIu64 " pixels",
                         name, width, rows);
    return rows > 0 || error_set(error, ATOLL_USAGE, "--diff %.200s: it has no elements", name);
}

/* Of one distance: its part of the largest finite one. */
static unsigned char shade(const struct comparison *c, uint64_t distance)
{
    double part, whole;
    if (!is_finite(&c->array, distance))
        return WHITE;
    if (c->array.kind == 'f') {
        memcpy(&part, &distance, sizeof part);
        memcpy(&whole, &c->finite, sizeof whole);
    } else {
        part = (double)distance;
        whole = (double)c->finite;
    }
    return (unsigned char)(DARKEST + (WHITE - DARKEST) * (part / whole));
}

bool compare_picture(const struct comparison *c, const void *found, const void *expected, struct text *png,
                     struct atoll_error *error)
{
    unsigned channels = c->channels, ndims = c->array.ndims;
    uint64_t pixels = c->array.count / channels, allowed = distance_allowed(c);
    struct picture picture = {.channels = 1, .bits = 8, .size = pixels, .texels = calloc((size_t)pixels, 1)};
    picture.width = (uint32_t)c->array.dims[ndims - 1 - (channels > 1)];
    picture.height = (uint32_t)(pixels / picture.width);
    if (!picture.texels)
        return error_memory(error);
    for (uint64_t i = 0; i < pixels && c->differ; i++) {
        uint64_t most = 0;
        for (unsigned k = 0; k < channels; k++) {
            uint64_t distance = distance_at(&c->array, found, expected, i * channels + k);
            most = distance > most ? distance : most;
        }
        if (most > allowed)
            ((unsigned char *)picture.texels)[i] = shade(c, most);
    }
    bool ok = picture_write_png(&picture, png, error);
    picture_free(&picture);
    return ok;
}
