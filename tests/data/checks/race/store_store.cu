// blocks store different values to one place
// wrong: unordered A A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0)
        a[0] = blockIdx.x + 1; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0)
        a[blockIdx.x] = blockIdx.x + 1;
    a[100] = 5;
}
