// a pointer to a local array of a function that has returned
// wrong: out-of-bounds A
#include "../checks.h"

static __device__ __noinline__ unsigned *list(unsigned first)
{
    unsigned own[4];
    unsigned *volatile from = own;
    for (unsigned i = 0; i < 4; i++)
        from[i] = first + i;
    return from;
}

static __device__ __noinline__ unsigned last(unsigned *to, unsigned first)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = first + i;
    return to[3];
}

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned *from = list(a[threadIdx.x]);
    b[threadIdx.x] = from[2]; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned mine[4];
    bool is = list(a[threadIdx.x]) != mine;
    b[threadIdx.x] = last(mine, a[threadIdx.x]) + mine[2] + is;
}
