// a row too far: all texels of it are told as one
// wrong: out-of-bounds A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    surf2Dwrite(i, s, threadIdx.x * 4, 63 + blockIdx.x); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    surf2Dwrite(i, s, threadIdx.x * 4, 62 + blockIdx.x);
}
