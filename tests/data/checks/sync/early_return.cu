// threads leave before a barrier of all
// wrong: exited-threads A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x >= 40) {
        b[blockIdx.x * 64 + threadIdx.x] = 1;
        asm volatile("exit;"); //@B
    }
    __syncthreads(); //@A
    b[blockIdx.x * 64 + threadIdx.x] = tile[39 - threadIdx.x];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x >= 32) {
        b[blockIdx.x * 64 + threadIdx.x] = 1;
        asm volatile("exit;");
    }
    bar_sync(1, 32);
    b[blockIdx.x * 64 + threadIdx.x] = tile[31 - threadIdx.x];
}
