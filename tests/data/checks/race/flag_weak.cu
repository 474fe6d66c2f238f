// a flag is stored by a plain store and read by a volatile load
// wrong: weak-access C D; weak-flag A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42; //@A
        __threadfence();
        a[0] = 1; //@C
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && *(volatile unsigned *)&a[0]) { //@D
        __threadfence();
        b[0] = a[1]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42;
        __threadfence();
        atomicExch(&a[0], 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && *(volatile unsigned *)&a[0]) {
        __threadfence();
        b[0] = a[1];
    }
}
