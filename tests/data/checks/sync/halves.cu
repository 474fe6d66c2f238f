// the halves of a warp meet at two barriers
// wrong: divergent-barrier A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    if (threadIdx.x % 32 < 16) {
        tile[threadIdx.x] = a[threadIdx.x];
        __syncthreads(); //@A
    } else {
        tile[threadIdx.x] = 1;
        __syncthreads(); //@B
    }
    b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    if (threadIdx.x % 32 < 16)
        tile[threadIdx.x] = a[threadIdx.x];
    else
        tile[threadIdx.x] = 1;
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];
}
