// more levels than a thread has room for
// wrong: out-of-bounds A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile unsigned stack[16];
    for (unsigned k = 0; k < 16 + (i == 7) * 64; k++)
        stack[k] = k; //@A
    b[i] = stack[a[i] & 15];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile unsigned stack[16];
    for (unsigned k = 0; k < 16; k++)
        stack[k] = k;
    b[i] = stack[a[i] & 15];
}
