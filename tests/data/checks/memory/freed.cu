// memory of the heap after it was given back
// wrong: freed A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *p = (unsigned *)malloc(64);
    p[0] = i;
    free(p);
    b[i] = *(volatile unsigned *)p; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *p = (unsigned *)malloc(64);
    p[0] = i;
    b[i] = *(volatile unsigned *)p;
    free(p);
}
