// a table of the module and what lies behind it
// wrong: out-of-bounds A
#include "../checks.h"

__device__ unsigned table[64] = {1}, other[4096] = {2};

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = table[threadIdx.x + 64] + other[threadIdx.x]; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = table[threadIdx.x] + other[threadIdx.x];
}
