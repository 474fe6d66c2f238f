// a negative number to an unsigned one
// wrong: clamped-conversion A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    double x = (double)a[i] - 1.5;
    b[i] = (unsigned)x; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    double x = (double)a[i] - 0.5; // -0.5 becomes 0
    b[i] = (unsigned)x;
}
