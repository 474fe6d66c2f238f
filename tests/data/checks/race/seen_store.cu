// a plain store beside a strong one; right: by who has seen the strong one
// wrong: weak-access A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0)
        *(volatile unsigned *)&a[0] = 1; //@A
    else
        a[0] = 2; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *(volatile unsigned *)&a[0] = 1;
    } else {
        while (*(volatile unsigned *)&a[0] != 1)
            ;
        a[0] = 2;
    }
}
