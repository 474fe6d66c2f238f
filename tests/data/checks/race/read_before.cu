// a plain read before the thread's own atomic; right: whoever comes last reads and clears it plainly
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        b[0] = a[0]; //@A
        atomicAdd(&a[0], 1);
    } else {
        atomicAdd(&a[0], 2); //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0 && atomicAdd(&a[0], 1) == gridDim.x - 1) {
        b[0] = a[0];
        a[0] = 0;
    }
}
