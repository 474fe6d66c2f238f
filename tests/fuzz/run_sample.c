/* Ways to sample: fields in their ranges, drawn from a number. */
#include "run_sample.h"

#include <string.h>

#include "mem/sampler.h"

static uint32_t draw(uint64_t *random, uint32_t n)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33) % n;
}

struct run_sample run_sample(uint32_t seed)
{
    static const uint8_t sources[LANE_SAMPLES] = {
        [LANE_SAMPLE_LOD] = 7,     [LANE_SAMPLE_LOD_C] = 8,  [LANE_SAMPLE_GRAD] = 12,
        [LANE_SAMPLE_GRAD_C] = 13, [LANE_SAMPLE_GATHER] = 8, [LANE_SAMPLE_GATHER_C] = 9};
    uint64_t random = seed;
    struct sampler_state state = {.bound = 1};
    state.filter = (uint8_t)draw(&random, SAMPLER_FILTERS);
    state.mip = (uint8_t)draw(&random, SAMPLER_MIPS);
    state.normalized = (uint8_t)draw(&random, 2);
    state.compare = (uint8_t)draw(&random, SAMPLER_COMPARES);
    for (unsigned k = 0; k < 3; k++)
        state.wrap[k] = (uint8_t)draw(&random, SAMPLER_WRAPS);
    state.border = (uint8_t)draw(&random, SAMPLER_BORDERS);
    struct run_sample s = {.mode = (uint8_t)draw(&random, LANE_SAMPLES)};
    memcpy(s.sampler, &state, sizeof s.sampler);
    s.sources = sources[s.mode];
    bool gathers = sampler_kind(s.mode) == LANE_SAMPLE_GATHER;
    s.aux = draw(&random, UINT32_C(1) << (gathers ? LANE_SAMPLE_CHANNEL + 2 : LANE_SAMPLE_CHANNEL));
    return s;
}
