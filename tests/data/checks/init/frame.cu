// a function reads what an earlier call has left in the same place of the stack
// wrong: local A B
#include "../checks.h"

static __device__ __noinline__ void fill(unsigned with, unsigned *a)
{
    volatile unsigned list[8];
    for (unsigned i = 0; i < 8; i++)
        list[(i + a[i]) % 8] = with;
    a[128 + threadIdx.x] = list[(with + a[0]) % 8];
}

static __device__ __noinline__ unsigned sum(unsigned n, const unsigned *a, unsigned filled)
{
    volatile unsigned list[8];
    unsigned all = 0;
    for (unsigned i = 0; i < filled; i++)
        list[(i + a[i]) % 8] = i;
    for (unsigned i = 0; i < n; i++) {
        unsigned one = list[i]; //@B
        all += one;
    }
    return all;
}

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    fill(t, a);
    b[me] = sum(4 + a[t], a, 3); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    fill(t, a);
    b[me] = sum(4 + a[t], a, 4);
}
