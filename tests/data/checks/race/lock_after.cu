// a counter that a lock guards is stored when the lock has been given back
// wrong: unordered A B; unordered B B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&a[0], 0, 1) != 0)
            ;
        __threadfence();
        unsigned old = a[1]; //@A
        __threadfence();
        atomicExch(&a[0], 0);
        a[1] = old + blockIdx.x + 1; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&a[0], 0, 1) != 0)
            ;
        __threadfence();
        unsigned old = a[1];
        a[1] = old + blockIdx.x + 1;
        __threadfence();
        atomicExch(&a[0], 0);
    }
}
