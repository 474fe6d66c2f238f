// a flag of shared memory that is set in one case only decides
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ volatile unsigned found;
    if (a[t] == 5)
        found = 1;
    __syncthreads();
    unsigned it = found; //@B
    if (it) //@A
        b[me] = 1;
    else
        a[me] = 2;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ volatile unsigned found;
    if (t == 0)
        found = 0;
    __syncthreads();
    if (a[t] == 5)
        found = 1;
    __syncthreads();
    unsigned it = found;
    if (it)
        b[me] = 1;
    else
        a[me] = 2;
}
