// bits are put into a word that nobody has cleared
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ volatile unsigned flags[64];
    unsigned old = flags[t]; //@B
    flags[t] = old | 4;
    if (flags[t] & 2) //@A
        b[me] = 1;
    else
        a[me] = 1;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ volatile unsigned flags[64];
    unsigned old = flags[t];
    flags[t] = old | 4;
    if (flags[t] & 4)
        b[me] = 1;
    else
        a[me] = 1;
}
