// __syncwarp leaves out the lanes that write
// wrong: missing-warp-sync A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    unsigned lane = threadIdx.x % 32;
    tile[threadIdx.x] = a[threadIdx.x]; //@A
    if (lane < 8) {
        __syncwarp(0xff);
        b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x + 8]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    unsigned lane = threadIdx.x % 32;
    tile[threadIdx.x] = a[threadIdx.x];
    if (lane < 8) {
        __syncwarp(0xff);
        b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 7];
    }
}
