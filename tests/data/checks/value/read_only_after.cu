// a value read as never written after a barrier
// wrong: read-only-written A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    a[i] = i; //@B
    __syncthreads();
    b[i] = __ldg(&a[i ^ 1]); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    a[i] = i;
    __syncthreads();
    b[i] = a[i ^ 1];
}
