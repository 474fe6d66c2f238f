// a load beside the surface gives zero
// wrong: zeroed A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[2048 + i] = surf2Dread<unsigned>(s, ((int)threadIdx.x - 1) * 4, blockIdx.x, cudaBoundaryModeZero); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[2048 + i] = surf2Dread<unsigned>(s, threadIdx.x * 4, blockIdx.x, cudaBoundaryModeZero);
}
