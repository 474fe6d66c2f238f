// a shuffle of the whole warp that half of it runs
// wrong: absent-lanes A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        v = __shfl_xor_sync(~0u, v, 1); //@A
    __syncthreads(); //@B
    b[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        v = __shfl_xor_sync(0xffff, v, 1);
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = v;
}
