// memory of the heap that one way of two gives back
// wrong: leak A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *p = (unsigned *)malloc(64); //@A
    p[i & 15] = a[i];
    b[i] = p[i & 15];
    if (i & 1)
        free(p);
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *p = (unsigned *)malloc(64);
    p[i & 15] = a[i];
    b[i] = p[i & 15];
    free(p);
}
