// a block writes texels that another reads
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0)
        surf2Dwrite(threadIdx.x, s, 4 * threadIdx.x, 0); //@A
    else
        a[threadIdx.x] = surf2Dread<unsigned>(s, 4 * threadIdx.x, 0); //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    surf2Dwrite(threadIdx.x, s, 4 * threadIdx.x, blockIdx.x);
    __syncthreads();
    a[64 * blockIdx.x + threadIdx.x] = surf2Dread<unsigned>(s, 4 * (63 - threadIdx.x), blockIdx.x);
}
