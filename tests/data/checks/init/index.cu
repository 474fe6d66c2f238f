// an index from a table that is filled in part
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned order[64];
    if (t % 2 == 0)
        order[t] = t / 2;
    __syncthreads();
    unsigned at = order[63 - t]; //@B
    a[64 + at % 64] = t; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned order[64];
    order[t] = t / 2;
    __syncthreads();
    unsigned at = order[63 - t];
    a[64 + at % 64] = t;
}
