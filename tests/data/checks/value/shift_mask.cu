// a mask of the lanes below, made by a shift by all bits
// wrong: shift A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x, n = a[i] + threadIdx.x % 33;
    b[i] = (1u << n) - 1; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x, n = a[i] + threadIdx.x % 33;
    b[i] = n < 32 ? (1u << n) - 1 : ~0u;
}
