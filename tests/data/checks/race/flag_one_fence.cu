// only the writer of a flag has a fence
// wrong: missing-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    volatile unsigned *flag = &a[0];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42; //@A
        __threadfence();
        *flag = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && *flag)
        b[0] = a[1]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42;
        store_release(&a[0], 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && load_acquire(&a[0]))
        b[0] = a[1];
}
