// texels are cleared by one block and counted by all; right: by the same threads
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int x = 4 * (threadIdx.x & 7), y = threadIdx.x / 8;
    if (blockIdx.x == 0)
        surf2Dwrite(0u, s, x, y); //@A
    texel_add(s, x, y, 1); //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int x = 4 * (threadIdx.x & 7), y = threadIdx.x / 8;
    if (blockIdx.x)
        return;
    surf2Dwrite(0u, s, x, y);
    texel_add(s, x, y, 1);
}
