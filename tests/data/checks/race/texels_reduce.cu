// a plain store beside reductions of a texel
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 32)
        surf2Dwrite(0u, s, 0, blockIdx.x); //@A
    texel_add(s, 0, blockIdx.x, 1); //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 32)
        surf2Dwrite(0u, s, 0, blockIdx.x);
    __syncthreads();
    texel_add(s, 0, blockIdx.x, 1);
}
