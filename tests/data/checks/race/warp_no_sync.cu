// lanes of a warp exchange values by shared memory without __syncwarp
// wrong: missing-warp-sync A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x]; //@A
    b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];
}
