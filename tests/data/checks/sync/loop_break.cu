// threads leave a loop with a barrier in it at different times
// wrong: exited-threads A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    for (unsigned i = 0; i < 4; i++) {
        tile[threadIdx.x] = i;
        if (threadIdx.x / 32 + i == 3) {
            b[blockIdx.x * 64 + threadIdx.x] = i;
            asm volatile("exit;"); //@B
        }
        __syncthreads(); //@A
        a[blockIdx.x * 64 + threadIdx.x] = tile[0];
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    for (unsigned i = 0; i < 4; i++) {
        bool done = threadIdx.x / 32 + i >= 3;
        tile[threadIdx.x] = i;
        __syncthreads();
        if (!done)
            a[blockIdx.x * 64 + threadIdx.x] = tile[0];
        __syncthreads();
    }
}
