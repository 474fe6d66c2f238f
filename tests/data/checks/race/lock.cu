// a lock is left without a fence
// wrong: missing-fence A A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&a[0], 0, 1))
            ;
        a[1] = a[1] + 1; //@A
        atomicExch(&a[0], 0);
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&a[0], 0, 1))
            ;
        __threadfence();
        a[1] = a[1] + 1;
        __threadfence();
        atomicExch(&a[0], 0);
    }
}
