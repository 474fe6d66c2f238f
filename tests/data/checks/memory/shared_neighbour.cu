// a halo that is not there: the next array is read
// wrong: neighbour A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned left[64], right[64];
    left[threadIdx.x] = a[threadIdx.x];
    right[threadIdx.x] = a[threadIdx.x + 64];
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = left[threadIdx.x + 1] + right[threadIdx.x]; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned left[65], right[64];
    left[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x == 0)
        left[64] = a[64];
    right[threadIdx.x] = a[threadIdx.x + 64];
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = left[threadIdx.x + 1] + right[threadIdx.x];
}
