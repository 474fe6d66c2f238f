// a counter is set to 0 by a plain store beside atomics of other warps
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned count;
    if (threadIdx.x == 32)
        count = 0; //@A
    atomicAdd(&count, threadIdx.x); //@B
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = count;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned count;
    if (threadIdx.x == 32)
        count = 0;
    __syncthreads();
    atomicAdd(&count, threadIdx.x);
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = count;
}
