// memory is written by its address and read as a texel, with a barrier between
// wrong: missing-proxy-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    b[64 * blockIdx.x + threadIdx.x] = threadIdx.x; //@A
    __syncthreads();
    a[64 * blockIdx.x + threadIdx.x] = surf2Dread<unsigned>(s, 4 * (63 - threadIdx.x), blockIdx.x); //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    b[64 * blockIdx.x + threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    a[64 * blockIdx.x + threadIdx.x] = surf2Dread<unsigned>(s, 4 * (63 - threadIdx.x), blockIdx.x);
}
