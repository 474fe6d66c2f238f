// a release is read by a relaxed load
// wrong: missing-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42; //@A
        store_release(&a[0], 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && load_relaxed(&a[0]))
        b[0] = a[1]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42;
        store_release(&a[0], 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && load_relaxed(&a[0])) {
        __threadfence();
        b[0] = a[1];
    }
}
