// lanes name each other with different masks
// wrong: absent-lanes A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    b[blockIdx.x * 64 + threadIdx.x] = __reduce_add_sync(threadIdx.x % 32 < 16 ? ~0u : 0xffff0000, v); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    b[blockIdx.x * 64 + threadIdx.x] = __reduce_add_sync(threadIdx.x % 32 < 16 ? 0xffff : 0xffff0000, v);
}
