// the last warp adds the sums of 32 warps, of which there are two
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned sums[32];
    unsigned sum = __reduce_add_sync(~0u, a[t]);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        unsigned mine = sums[t]; //@B
        for (int by = 16; by; by /= 2)
            mine += __shfl_down_sync(~0u, mine, by);
        if (t == 0)
            b[blockIdx.x] = mine; //@A
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned sums[32];
    unsigned sum = __reduce_add_sync(~0u, a[t]);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        unsigned mine = t < blockDim.x / 32 ? sums[t] : 0;
        for (int by = 16; by; by /= 2)
            mine += __shfl_down_sync(~0u, mine, by);
        if (t == 0)
            b[blockIdx.x] = mine;
    }
}
