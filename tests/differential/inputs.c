/* What random kernels are run on: inputs.h. */
#include "inputs.h"

#include "../ref/noise.h"

#include <string.h>

const struct differential_surface differential_surfaces[DIFFERENTIAL_SURFACES] = {
    {ATOLL_DIM_1D, 64, 1, 1, "rgba32uint", 16},
    {ATOLL_DIM_2D, 24, 9, 1, "rgba32uint", 16},
    {ATOLL_DIM_3D, 17, 5, 3, "rg32uint", 8},
    {ATOLL_DIM_1D_ARRAY, 20, 1, 3, "rgba32uint", 16},
    {ATOLL_DIM_2D_ARRAY, 18, 6, 2, "rgba32uint", 16}};

size_t differential_surface_bytes(const struct differential_surface *surface)
{
    return (size_t)surface->texel_bytes * surface->width * surface->height * surface->depth;
}

struct differential_words differential_words(uint32_t number)
{
    return (struct differential_words){.words = {0x1234f6e5, number}, .real = 1.5};
}

void differential_fill(uint8_t in[DIFFERENTIAL_BYTES], uint32_t number)
{
    static const uint32_t special[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff,
                                       0x7f800000, 0x3f800000, 0x00400000, 0x7c003c00, 0x3ff00000};
    for (size_t i = 0; i < DIFFERENTIAL_BYTES; i += 8) {
        uint32_t word = rig_random(&number), kind = rig_random(&number) % 8;
        double real = (double)(int32_t)word;
        uint64_t value = (uint64_t)word << 32 | rig_random(&number);
        for (uint32_t n = rig_random(&number) % 70; n; n--)
            real *= kind & 1 ? 0.43 : 1.9;
        float single = (float)real;
        if (kind < 2)
            memcpy(&value, &real, 8);
        else if (kind < 4)
            memcpy(&value, &single, 4);
        else if (kind == 4)
            value = special[word % 10] | (uint64_t)special[word / 16 % 10] << 32;
        else if (kind == 5)
            value = value % 200 - 100;
        memcpy(in + i, &value, 8);
    }
}
