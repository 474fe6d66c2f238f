// atomics of 4 and of 8 bytes on one place
// wrong: mixed-size A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0)
        atomicAdd(&a[0], 1); //@A
    else
        atomicAdd((unsigned long long *)a, 1ull); //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    atomicAdd((unsigned long long *)a, 1ull);
}
