/* Edit distance: letters added, left out, changed, or swapped with their neighbour (optimal string alignment); case
 * does not count. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Both have at most NEAREST_LONGEST letters. Three rows: the swap looks two back. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned rows[3][NEAREST_LONGEST + 1] = {0};
    for (unsigned k = 0; k <= nb; k++)
        rows[0][k] = k;
    for (unsigned i = 1; i <= na; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned k = 1; k <= nb; k++) {
            unsigned changed = above[k - 1] + !same(a[i - 1], b[k - 1]);
            row[k] = least(least(above[k], row[k - 1]) + 1, changed);
            if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
                row[k] = least(row[k], before[k - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

/* A third of the letters may be wrong; of words of one or two letters none but their case, or everything were near. */
static unsigned bound(size_t a, size_t b)
{
    return (unsigned)((a > b ? a : b) / 3);
}

struct nearest nearest_to(const char *word, size_t length)
{
    return (struct nearest){.word = word, .length = length};
}

void nearest_try(struct nearest *nearest, const char *candidate)
{
    size_t length = candidate ? strlen(candidate) : 0;
    if (!length || length > NEAREST_LONGEST || nearest->length > NEAREST_LONGEST)
        return;
    unsigned far = distance(nearest->word, nearest->length, candidate, length);
    if (far > bound(nearest->length, length) || (nearest->found[0] && far >= nearest->distance))
        return;
    nearest->distance = far;
    memcpy(nearest->found, candidate, length + 1);
}

void nearest_hint(const struct nearest *nearest, char hint[NEAREST_HINT])
{
    hint[0] = 0;
    if (nearest->found[0])
        snprintf(hint, NEAREST_HINT, " (did you mean '%s'?)", nearest->found);
}

bool error_nearest(struct atoll_error *error, const struct nearest *nearest)
{
    if (!error || !nearest->found[0])
        return false;
    char hint[NEAREST_HINT];
    size_t length = strlen(error->message);
    nearest_hint(nearest, hint);
    snprintf(error->message + length, sizeof error->message - length, "%s", hint);
    return false;
}
