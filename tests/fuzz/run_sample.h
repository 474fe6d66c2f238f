/* Ways to sample, for the generator of lane programs. */
#ifndef ATOLL_FUZZ_RUN_SAMPLE_H
#define ATOLL_FUZZ_RUN_SAMPLE_H

#include <stdint.h>

struct run_sample {
    uint64_t sampler[2]; /* its bytes */
    uint8_t mode;        /* enum lane_sample */
    uint8_t sources;
    uint32_t aux;
};

/* Any one that the verifier and the engine take. */
struct run_sample run_sample(uint32_t seed);

#endif
