// a counter in shared memory that nobody sets to zero
// wrong: shared A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned counter;
    atomicAdd(&counter, 1 + a[t]); //@A
    __syncthreads();
    b[me] = counter;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned counter;
    if (t == 0)
        counter = 0;
    __syncthreads();
    atomicAdd(&counter, 1 + a[t]);
    __syncthreads();
    b[me] = counter;
}
