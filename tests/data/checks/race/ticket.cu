// the block that finishes last adds up what the others have left: their fence is missing
// wrong: missing-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned last;
    if (threadIdx.x == 0) {
        a[1 + blockIdx.x] = blockIdx.x; //@A
        last = atomicInc(&a[0], gridDim.x) == gridDim.x - 1;
        if (last)
            b[0] = a[1] + a[2]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned last;
    if (threadIdx.x == 0) {
        a[1 + blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc(&a[0], gridDim.x) == gridDim.x - 1;
        __threadfence();
        if (last)
            b[0] = a[1] + a[2];
    }
}
