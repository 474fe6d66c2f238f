/* Numbers that a test's program is given: arguments and variables. */
#ifndef ATOLL_TESTS_NUMBER_H
#define ATOLL_TESTS_NUMBER_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* As C writes them, from least to most. False: the text is something else. */
static inline bool number_read(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    *number = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 0) : 0;
    return end && !*end && !errno && *number >= least && *number <= most;
}

static inline bool number_read_int(const char *text, int least, int *number)
{
    uint64_t wide;
    bool is = number_read(text, (uint64_t)least, INT_MAX, &wide);
    *number = is ? (int)wide : 0;
    return is;
}

static inline bool number_read_u32(const char *text, uint32_t *number)
{
    uint64_t wide;
    bool is = number_read(text, 0, UINT32_MAX, &wide);
    *number = is ? (uint32_t)wide : 0;
    return is;
}

/* With a fraction or without, from 0 to most. */
static inline bool number_read_seconds(const char *text, double most, double *seconds)
{
    char *end = NULL;
    *seconds = isdigit((unsigned char)text[0]) ? strtod(text, &end) : 0;
    return end && !*end && *seconds <= most;
}

#endif
