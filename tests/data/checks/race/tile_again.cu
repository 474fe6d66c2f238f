// a tile is overwritten while others still read it: the second barrier of the loop is missing
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        tile[threadIdx.x] = a[i * 64 + threadIdx.x]; //@A
        __syncthreads();
        sum += tile[63 - threadIdx.x]; //@B
    }
    b[blockIdx.x * 64 + threadIdx.x] = sum;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        tile[threadIdx.x] = a[i * 64 + threadIdx.x];
        __syncthreads();
        sum += tile[63 - threadIdx.x];
        __syncthreads();
    }
    b[blockIdx.x * 64 + threadIdx.x] = sum;
}
