// four bytes at a time from any byte
// wrong: misaligned A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = *(const unsigned *)((const char *)a + i); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = *(const unsigned *)((const char *)a + i / 4 * 4);
}
