// the bins of an output are not zero
// wrong: global A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    atomicAdd(&b[a[t] % 16], 1); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    if (blockIdx.x == 0) {
        if (t < 16)
            b[t] = 0;
        __syncthreads();
        atomicAdd(&b[a[t] % 16], 1);
    }
}
