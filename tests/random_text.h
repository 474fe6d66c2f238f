/* Text of programs at random: numbers that a seed repeats, and what was said so far. */
#ifndef ATOLL_TESTS_RANDOM_TEXT_H
#define ATOLL_TESTS_RANDOM_TEXT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

struct random_text {
    char at[64000];
    size_t length;
    uint64_t random; /* the seed, to start */
};

static inline uint32_t random_draw(struct random_text *t, uint32_t below)
{
    t->random = t->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(t->random >> 33) % below;
}

static inline void random_say(struct random_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, args);
    va_end(args);
    assert_true(t->length < sizeof t->at);
}

#endif
