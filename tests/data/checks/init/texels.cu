// texels beside those that are written
// wrong: surface A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    surf2Dwrite(t, s, 4 * (t % 32), 2 * blockIdx.x + t / 32);
    __syncthreads();
    unsigned it = surf2Dread<unsigned>(s, 4 * (t % 32 + 1), 2 * blockIdx.x + t / 32); //@B
    a[me] = it + 1; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    surf2Dwrite(t, s, 4 * (t % 32), 2 * blockIdx.x + t / 32);
    __syncthreads();
    unsigned it = surf2Dread<unsigned>(s, 4 * (t % 32), 2 * blockIdx.x + t / 32);
    a[me] = it + 1;
}
