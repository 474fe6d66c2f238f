// a store beside the surface writes its border
// wrong: clamped A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    surf2Dwrite(i, s, (threadIdx.x + 1) * 4, blockIdx.x, cudaBoundaryModeClamp); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    surf2Dwrite(i, s, threadIdx.x * 4, blockIdx.x, cudaBoundaryModeClamp);
}
