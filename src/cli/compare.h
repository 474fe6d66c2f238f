/* Elements that were found, held against those that were expected: atoll run --expect, atoll diff.
 *
 * The distance of two integers is exact; that of two floats is rounded once, to f64. NaN is at no distance from NaN and
 * further from numbers than infinity is. An element differs if its distance is more than the tolerance.
 */
#ifndef ATOLL_CLI_COMPARE_H
#define ATOLL_CLI_COMPARE_H

#include "base/text.h"
#include "file/npy.h"

/* What both are, and how far apart. Distances are numbers of 64 bits; of floats the bits of an f64, whose order is the
 * same. */
struct comparison {
    struct array array;
    bool texels;       /* the shape is (..., height, width, channels), as far as there are such */
    unsigned channels; /* texels: 1 = the shape has no dimension of them */
    double tolerance;  /* at least 0 */

    uint64_t differ;  /* elements */
    uint64_t worst;   /* the first of the largest distance */
    uint64_t largest; /* its distance */
    uint64_t finite;  /* the largest one that is below infinity, of those that differ */
};

/* Fills in the results; false: nothing differs. */
bool compare_elements(struct comparison *c, const void *found, const void *expected);
/* An element as a number: "7", "0.25"; and with its place: "element 5: 7", "(4, 1): 7". */
void compare_value(const struct array *array, const void *elements, uint64_t index, struct text *out);
void compare_tell_at(const struct comparison *c, uint64_t index, const void *elements, struct text *out);
/* "3 of 64 elements differ, the worst at (4, 1): 7, expected 5": a line, without what they are called. */
void compare_tell(const struct comparison *c, const void *found, const void *expected, struct text *out);

/* Whether there can be a picture of the differences: of texels, and of arrays of two dimensions. */
bool compare_pictured(const struct comparison *c, const char *name, struct atoll_error *error);
/* Appends a PNG file, slices and layers below each other: black where nothing differs, from dark to light gray as far
 * as the worst channel differs, white for the worst of all and for what is infinitely far. */
bool compare_picture(const struct comparison *c, const void *found, const void *expected, struct text *png,
                     struct atoll_error *error);

#endif
