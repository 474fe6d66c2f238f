// half of a tile of shared memory is written, all of it is summed
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned tile[64];
    if (t < 32)
        tile[t] = a[t];
    __syncthreads();
    unsigned next = tile[(t + 1) % 64]; //@B
    b[me] = next + a[t]; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned tile[64];
    tile[t] = a[t];
    __syncthreads();
    unsigned next = tile[(t + 1) % 64];
    b[me] = next + a[t];
}
