// a table is made by whoever comes first; who finds the flag set without a lock has no order
// wrong: missing-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0) {
        if (!*(volatile unsigned *)&a[0]) {
            a[1] = 7; //@A
            *(volatile unsigned *)&a[0] = 1;
        }
        b[blockIdx.x] = a[1]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0) {
        if (atomicCAS(&a[2], 0, 1) == 0) {
            a[1] = 7;
            store_release(&a[0], 1);
        }
        if (load_acquire(&a[0]))
            b[blockIdx.x] = a[1];
    }
}
