// a counter is read by a plain load while others still count
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    atomicAdd(&a[blockIdx.x], 1); //@A
    if (threadIdx.x == 40)
        b[blockIdx.x] = a[blockIdx.x]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    atomicAdd(&a[blockIdx.x], 1);
    __syncthreads();
    if (threadIdx.x == 40)
        b[blockIdx.x] = a[blockIdx.x];
}
