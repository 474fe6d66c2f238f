// bytes of a surface of words
// wrong: texel-size A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[2048 + i] = surf2Dread<unsigned char>(s, threadIdx.x * 4, blockIdx.x); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[2048 + i] = surf2Dread<unsigned>(s, threadIdx.x * 4, blockIdx.x);
}
