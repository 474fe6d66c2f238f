// what an atomic adds was never stored
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned weights[64];
    if (t < 60)
        weights[t] = a[t];
    __syncthreads();
    unsigned weight = weights[t ^ 1]; //@B
    atomicAdd(&a[64], weight); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned weights[64];
    weights[t] = t < 60 ? a[t] : 0;
    __syncthreads();
    unsigned weight = weights[t ^ 1];
    atomicAdd(&a[64], weight);
}
