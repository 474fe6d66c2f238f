// a barrier for more threads than the block has
// wrong: wrong-count A
// ends: barrier-deadlock
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    a[threadIdx.x] = 1;
    bar_sync(1, 128); //@A
    b[threadIdx.x] = 1;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    a[threadIdx.x] = 1;
    bar_sync(1, blockDim.x);
    b[threadIdx.x] = 1;
}
