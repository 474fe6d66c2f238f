/* What random kernels are made of: templates.c has their language. */
#ifndef ATOLL_TESTS_DIFFERENTIAL_TEMPLATES_H
#define ATOLL_TESTS_DIFFERENTIAL_TEMPLATES_H

#include <stddef.h>

enum { INTEGERS, FLOATS, CONVERSIONS, MEMORIES, WARPS, SURFACES, VIDEOS, HALVES, TEMPLATES };

struct templates {
    const char *const *at;
    size_t count;
};
extern const struct templates differential_templates[TEMPLATES];

#endif
