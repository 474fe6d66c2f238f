// texels are read by other threads of the block before the barrier
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    surf2Dwrite(threadIdx.x, s, 4 * threadIdx.x, blockIdx.x); //@A
    a[64 * blockIdx.x + threadIdx.x] = surf2Dread<unsigned>(s, 4 * (threadIdx.x ^ 32), blockIdx.x); //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    surf2Dwrite(threadIdx.x, s, 4 * threadIdx.x, blockIdx.x);
    __syncthreads();
    a[64 * blockIdx.x + threadIdx.x] = surf2Dread<unsigned>(s, 4 * (threadIdx.x ^ 32), blockIdx.x);
}
