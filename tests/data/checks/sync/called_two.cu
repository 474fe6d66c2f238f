// lanes that have parted each wait for all in a function of their own, which others have called before
// wrong: absent-lanes A B
// block: 32
#include "../checks.h"

static __device__ __noinline__ unsigned sum(unsigned v)
{
    return __reduce_add_sync(~0u, v); //@A
}

static __device__ __noinline__ unsigned twice(unsigned v)
{
    return 2 * __reduce_add_sync(~0u, v); //@B
}

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = sum(threadIdx.x) + twice(3);
    if (threadIdx.x & 1)
        v += sum(v);
    else
        v += twice(v);
    b[threadIdx.x] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = sum(threadIdx.x) + twice(3), odd = sum(v), even = twice(v);
    b[threadIdx.x] = v + (threadIdx.x & 1 ? odd : even);
}
