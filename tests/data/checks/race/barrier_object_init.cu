// threads arrive at a barrier object that may not have begun: its beginning is not ordered before that
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned long long object;
    if (threadIdx.x == 0)
        object_init(&object, 64); //@A
    object_arrive(&object);       //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned long long object;
    if (threadIdx.x == 0)
        object_init(&object, 64);
    __syncthreads();
    object_arrive(&object);
}
