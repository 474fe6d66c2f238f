// the fences around a flag between blocks have the scope of a block
// wrong: narrow-scope A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    volatile unsigned *flag = &a[0];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        a[1] = 42; //@A
        __threadfence_block();
        *flag = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && *flag) {
        __threadfence_block();
        b[0] = a[1]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    volatile unsigned *flag = &a[0];
    if (threadIdx.x == 0) {
        a[2 * blockIdx.x + 1] = 42;
        __threadfence_block();
        flag[2 * blockIdx.x] = 1;
    }
    if (threadIdx.x == 32 && flag[2 * blockIdx.x]) {
        __threadfence_block();
        b[blockIdx.x] = a[2 * blockIdx.x + 1];
    }
}
