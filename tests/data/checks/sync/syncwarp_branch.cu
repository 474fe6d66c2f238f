// __syncwarp that half of the warp runs
// wrong: absent-lanes A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        __syncwarp(); //@A
        b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];
    }
    __syncthreads(); //@B
    b[blockIdx.x * 64 + (threadIdx.x ^ 32)] = tile[threadIdx.x ^ 32];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        __syncwarp(0xffff);
        b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];
    }
    __syncthreads();
    b[blockIdx.x * 64 + (threadIdx.x ^ 32)] = tile[threadIdx.x ^ 32];
}
