/* Reproducible noise: the next of a sequence of 32-bit words. */
#ifndef ATOLL_TESTS_NOISE_H
#define ATOLL_TESTS_NOISE_H

#include <stdint.h>

static inline uint32_t rig_random(uint32_t *state)
{
    uint32_t x = *state * 747796405u + 2891336453u;
    *state = x;
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    return (x >> 22) ^ x;
}

#endif
