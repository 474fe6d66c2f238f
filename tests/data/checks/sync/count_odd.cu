// a barrier for one warp and a half
// wrong: wrong-count A
// ends: bad-barrier
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    a[threadIdx.x] = 1;
    bar_sync(1, 48); //@A
    b[threadIdx.x] = 1;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    a[threadIdx.x] = 1;
    bar_sync(1, 64);
    b[threadIdx.x] = 1;
}
