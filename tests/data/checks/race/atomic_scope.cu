// atomics of the block's scope count for all blocks
// wrong: narrow-scope A A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    atomicAdd_block(&a[0], 1); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    atomicAdd(&a[0], 1);
}
