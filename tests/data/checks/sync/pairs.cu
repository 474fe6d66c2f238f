// four warps use one barrier in pairs: who meets whom is luck
// wrong: schedule-luck A A
// block: 128
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[128];
    tile[threadIdx.x] = a[threadIdx.x];
    bar_sync(1, 64); //@A
    b[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x ^ 32];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[128];
    tile[threadIdx.x] = a[threadIdx.x];
    bar_sync(1 + threadIdx.x / 64, 64);
    b[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x ^ 32];
    __syncthreads();
    if (threadIdx.x < 64)
        bar_sync(2, 64); // those who met there before wait for the others first
    a[threadIdx.x] = 1;
}
