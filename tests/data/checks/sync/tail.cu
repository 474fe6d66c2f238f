// a sum over a warp of which some threads have left
// wrong: absent-source A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x >= 40)
        return;
    v += __shfl_down_sync(~0u, v, 16); //@A
    b[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x], other;
    if (threadIdx.x >= 40)
        return;
    other = __shfl_down_sync(~0u, v, 16);
    v += threadIdx.x + 16 < 40 && threadIdx.x % 32 < 16 ? other : 0;
    b[blockIdx.x * 64 + threadIdx.x] = v;
}
