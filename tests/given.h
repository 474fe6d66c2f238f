/* Numbers that a test takes from its environment in place of its usual ones: SEED, COUNT and others. */
#ifndef ATOLL_TESTS_GIVEN_H
#define ATOLL_TESTS_GIVEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "number.h"

/* The variable's number, or the usual one where it is not set. A test that is given anything else fails: without cases
 * it would pass. */
static inline uint64_t given(const char *variable, uint64_t usual, uint64_t least)
{
    const char *text = getenv(variable);
    uint64_t number = usual;
    if (text && *text && !number_read(text, least, UINT64_MAX, &number))
        fail_msg("%s: wanted a number of at least %llu, read '%s'", variable, (unsigned long long)least, text);
    return number;
}

static inline double given_seconds(const char *variable, double usual)
{
    const char *text = getenv(variable);
    double seconds = usual;
    if (text && *text && !number_read_seconds(text, 1e6, &seconds))
        fail_msg("%s: wanted seconds, read '%s'", variable, text);
    return seconds;
}

#define given_seed(usual)  given("SEED", usual, 0)
#define given_count(usual) given("COUNT", usual, 1)

#endif
