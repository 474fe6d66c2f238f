// a shuffle in a function that lanes which have parted call
// wrong: absent-lanes A B; absent-source A
#include "../checks.h"

static __device__ __noinline__ unsigned total(unsigned v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d); //@A
    return v;
}

static __device__ __noinline__ unsigned pick(const unsigned *a, unsigned lane)
{
    return lane < 5 ? a[lane] : a[lane / 2] * 3;
}

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned lane = threadIdx.x % 32, v = pick(a, lane);
    if (lane < 16)
        v = total(v);
    __syncthreads(); //@B
    b[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned lane = threadIdx.x % 32, v = lane;
    if (a[lane] < 5)
        v = pick(a, lane) + lane;
    v = total(v);
    b[blockIdx.x * 64 + threadIdx.x] = total(v + (lane & 1));
    if (total(1) != 32)
        b[1u << 30] = 0;
}
