// a ballot of the whole warp that half of it runs
// wrong: absent-lanes A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        v = __ballot_sync(~0u, v > 3); //@A
    __syncthreads(); //@B
    b[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x], mask = __ballot_sync(~0u, threadIdx.x % 32 < 16);
    if (threadIdx.x % 32 < 16)
        v = __ballot_sync(mask, v > 3);
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = v;
}
