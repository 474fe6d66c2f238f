// a bin that is not there
// wrong: out-of-bounds A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&a[(i & 63) * 66], 1u); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&a[(i & 63) * 64], 1u);
}
