// two warps with roles of their own meet at two __syncthreads; named barriers may
// wrong: different-barriers A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[32];
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = a[threadIdx.x];
        __syncthreads(); //@A
    } else {
        __syncthreads(); //@B
        b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[32];
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = a[threadIdx.x];
        bar_sync(1, 64);
    } else {
        bar_sync(1, 64);
        b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];
    }
}
