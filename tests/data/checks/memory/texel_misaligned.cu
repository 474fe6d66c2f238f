// x in texels where bytes are meant
// wrong: misaligned A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    surf2Dwrite(i, s, threadIdx.x, blockIdx.x); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    surf2Dwrite(i, s, threadIdx.x * 4, blockIdx.x);
}
