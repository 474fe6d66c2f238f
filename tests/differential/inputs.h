/* What random kernels are run on: memory, surfaces, parameters, made of a number. */
#ifndef ATOLL_TESTS_DIFFERENTIAL_INPUTS_H
#define ATOLL_TESTS_DIFFERENTIAL_INPUTS_H

#include "generate.h"

#include "atoll.h" /* enum atoll_dimension; nothing of the library is linked */

#include <stddef.h>
#include <stdint.h>

enum {
    DIFFERENTIAL_OUT = DIFFERENTIAL_RESULT * DIFFERENTIAL_THREADS * DIFFERENTIAL_BLOCKS, /* bytes */
    DIFFERENTIAL_SCRATCHES = DIFFERENTIAL_SCRATCH * DIFFERENTIAL_THREADS * DIFFERENTIAL_BLOCKS + 64,
    DIFFERENTIAL_SURFACES = 5,
    DIFFERENTIAL_FIRST = 100, /* kernels are run on the numbers from here on */
};

struct differential_surface {
    enum atoll_dimension dimension;
    uint32_t width, height, depth; /* layers: depth */
    const char *format;
    uint32_t texel_bytes;
};
/* Behind `scratch`, in the order of the parameters. Texels begin as `in` does. */
extern const struct differential_surface differential_surfaces[DIFFERENTIAL_SURFACES];
/* Texels without gaps between rows. */
size_t differential_surface_bytes(const struct differential_surface *surface);

/* The last parameters. */
struct differential_words {
    uint32_t words[2];
    double real;
};
struct differential_words differential_words(uint32_t number);
/* What `in` holds: numbers of all magnitudes, special values, small integers, random bits. */
void differential_fill(uint8_t in[DIFFERENTIAL_BYTES], uint32_t number);

#endif
