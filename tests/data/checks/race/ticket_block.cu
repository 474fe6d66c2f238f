// all threads leave something for the block that finishes last: fences around the barriers
// wrong: missing-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ bool last;
    a[64 + 64 * blockIdx.x + threadIdx.x] = threadIdx.x; //@A
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&a[0], 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        b[threadIdx.x] = a[64 + threadIdx.x] + a[128 + threadIdx.x]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ bool last;
    a[64 + 64 * blockIdx.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&a[0], 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        b[threadIdx.x] = a[64 + threadIdx.x] + a[128 + threadIdx.x];
    }
}
