// the number of items, which only a full block stores, divides
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned items;
    if (a[t] > 7)
        items = 8 + a[t];
    __syncthreads();
    unsigned by = items; //@B
    b[me] = t / by; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned items;
    if (t == 0)
        items = 8 + a[t];
    __syncthreads();
    unsigned by = items;
    b[me] = t / by;
}
