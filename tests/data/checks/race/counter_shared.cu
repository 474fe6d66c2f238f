// a counter of the block is cleared, and the barrier is missing; right: the last warp, which knows it is, clears it again
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;        //@A
    atomicAdd(&count, 1); //@B
    __syncthreads();
    a[threadIdx.x] = count;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0 && atomicAdd(&count, 1) == blockDim.x / 32 - 1)
        count = 0;
}
