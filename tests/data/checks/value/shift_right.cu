// the upper half of a word that has none
// wrong: shift A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    b[i] = (unsigned)((int)(a[i] - 9) >> threadIdx.x); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    b[i] = (unsigned)((long long)(int)(a[i] - 9) >> threadIdx.x);
}
