// a pointer that nobody has set
// wrong: null A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *p = (unsigned *)(size_t)a[0];
    b[i] = *p; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *p = a[0] ? (unsigned *)(size_t)a[0] : a;
    b[i] = *p;
}
