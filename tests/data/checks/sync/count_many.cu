// one warp waits for two
// wrong: wrong-count A B
// ends: barrier-deadlock
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x >= 32) {
        a[threadIdx.x] = 1;
        asm volatile("exit;"); //@B
    }
    bar_sync(1, 64); //@A
    b[threadIdx.x] = 1;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x >= 32) {
        a[threadIdx.x] = 1;
        asm volatile("exit;");
    }
    bar_sync(1, 32);
    b[threadIdx.x] = 1;
}
