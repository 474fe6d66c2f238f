// data is handed over by a volatile flag, without fences
// wrong: missing-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    volatile unsigned *flag = &a[0];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42; //@A
        *flag = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && *flag)
        b[0] = a[1]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    volatile unsigned *flag = &a[0];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42;
        __threadfence();
        *flag = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && *flag) {
        __threadfence();
        b[0] = a[1];
    }
}
