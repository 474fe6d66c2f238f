// a tile of shared memory is read before all of it is written
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x]; //@A
    b[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
