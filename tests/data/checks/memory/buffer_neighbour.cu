// an index far beyond the end: the next buffer is written
// wrong: neighbour A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[(size_t)i * 4 + 4096 * 5] = i; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[(size_t)i * 4] = i;
}
