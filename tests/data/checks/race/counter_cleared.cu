// block 0 clears the counter, and other blocks count before that: its own atomic does not hide it
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        a[0] = 0; //@A
    __syncthreads();
    atomicAdd(&a[0], 1); //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0)
        a[blockIdx.x] = 0;
    __syncthreads();
    atomicAdd(&a[blockIdx.x], 1);
}
