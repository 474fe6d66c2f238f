// a release of the device meets an acquire of a block
// wrong: narrow-scope A B; narrow-scope C D
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42; //@A
        store_release(&a[0], 1); //@C
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && load_acquire_block(&a[0])) //@D
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
