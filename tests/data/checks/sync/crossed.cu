// two warps come to two barriers in different orders
// wrong: different-barriers A B
// ends: barrier-deadlock
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x < 32) {
        bar_sync(1, 64); //@A
        a[threadIdx.x] = 1;
        bar_sync(2, 64);
    } else {
        bar_sync(2, 64); //@B
        a[threadIdx.x] = 2;
        bar_sync(1, 64);
    }
    b[threadIdx.x] = 1;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x < 32) {
        bar_sync(1, 64);
        a[threadIdx.x] = 1;
        bar_sync(2, 64);
    } else {
        bar_sync(1, 64);
        a[threadIdx.x] = 2;
        bar_sync(2, 64);
    }
    b[threadIdx.x] = 1;
}
