// lanes without an element hand on what they have not loaded
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned tile[64];
    if (t % 32 < 24)
        tile[t] = a[t];
    __syncthreads();
    unsigned mine = tile[t]; //@B
    unsigned other = __shfl_xor_sync(~0u, mine, 16);
    b[me] = other * 5; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned tile[64];
    tile[t] = t % 32 < 24 ? a[t] : 0;
    __syncthreads();
    unsigned mine = tile[t];
    unsigned other = __shfl_xor_sync(~0u, mine, 16);
    b[me] = other * 5;
}
