// a histogram counts without atomics
// wrong: unordered A A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    a[b[blockIdx.x * 64 + threadIdx.x] % 4 + blockIdx.x % 1 + threadIdx.x % 2]++; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    atomicAdd(&a[b[blockIdx.x * 64 + threadIdx.x] % 4 + threadIdx.x % 2], 1);
}
