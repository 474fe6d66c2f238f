// a shuffle of the whole warp that half of it runs; the others store, and leave the kernel
// wrong: absent-lanes A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        v += __shfl_xor_sync(~0u, v, 1); //@A
    b[blockIdx.x * 64 + threadIdx.x] = v;
} //@B

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 >= 24)
        return;
    v += __reduce_add_sync(~0u, v);
    if (threadIdx.x % 32 < 16)
        v += __shfl_xor_sync(0xffff, v, 1);
    b[blockIdx.x * 64 + threadIdx.x] = v;
}
