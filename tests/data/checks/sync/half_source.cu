// half a warp reads the other half
// wrong: absent-source A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        v = __shfl_sync(0xffff, v, threadIdx.x + 4); //@A
        b[blockIdx.x * 64 + threadIdx.x] = v;
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        v = __shfl_sync(0xffff, v, threadIdx.x + 4, 16);
        b[blockIdx.x * 64 + threadIdx.x] = v;
    }
}
