// two warps count differently
// wrong: wrong-count A B
// ends: bad-barrier
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x < 32) {
        a[threadIdx.x] = 1;
        bar_sync(1, 64); //@A
    } else {
        a[threadIdx.x] = 2;
        bar_sync(1, 32); //@B
    }
    b[threadIdx.x] = 1;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x < 32) {
        a[threadIdx.x] = 1;
        bar_sync(1, 64);
    } else {
        a[threadIdx.x] = 2;
        bar_sync(1, 64);
    }
    b[threadIdx.x] = 1;
}
