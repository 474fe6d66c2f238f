// halves of a warp meet apart, and read each other's values
// wrong: missing-warp-sync A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x]; //@A
    __syncwarp(threadIdx.x & 16 ? 0xffff0000 : 0x0000ffff);
    b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 31]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncwarp(threadIdx.x & 16 ? 0xffff0000 : 0x0000ffff);
    b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 15];
}
