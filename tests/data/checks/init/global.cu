// a kernel adds to an output that nobody has set
// wrong: global A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    unsigned old = b[me]; //@B
    b[me] = old + t; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    b[me] = a[t];
    unsigned old = b[me];
    b[me] = old + t;
}
