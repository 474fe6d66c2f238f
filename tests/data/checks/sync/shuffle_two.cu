// two halves of a warp shuffle at two places
// wrong: absent-lanes A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        v = __shfl_xor_sync(~0u, v, 1); //@A
        a[threadIdx.x] = v;
    } else {
        v = __shfl_xor_sync(~0u, v + 1, 2); //@B
        b[threadIdx.x] = v;
    }
    a[threadIdx.x + 64] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        v = __shfl_xor_sync(0xffff, v, 1);
        a[threadIdx.x] = v;
        __syncwarp();
    } else {
        v = __shfl_xor_sync(0xffff0000, v + 1, 2);
        b[threadIdx.x] = v;
        __syncwarp(); // lanes may meet at several places
    }
    a[threadIdx.x + 64] = v;
}
