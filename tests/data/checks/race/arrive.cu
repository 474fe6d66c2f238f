// a producer writes after it has arrived
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    if (threadIdx.x < 32) {
        bar_arrive(1, 64);
        tile[threadIdx.x] = a[threadIdx.x]; //@A
    } else {
        bar_sync(1, 64);
        b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = a[threadIdx.x];
        bar_arrive(1, 64);
    } else {
        bar_sync(1, 64);
        b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];
    }
}
