// one thread waits for a flag, and the others of its block read without having met it
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0) {
        a[64 + threadIdx.x] = threadIdx.x; //@A
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(&a[0], 1);
    } else {
        if (threadIdx.x == 0)
            while (!atomicAdd(&a[0], 0))
                ;
        __threadfence();
        b[threadIdx.x] = a[127 - threadIdx.x]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0) {
        a[64 + threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(&a[0], 1);
    } else {
        if (threadIdx.x == 0)
            while (!atomicAdd(&a[0], 0))
                ;
        __syncthreads();
        __threadfence();
        b[threadIdx.x] = a[127 - threadIdx.x];
    }
}
