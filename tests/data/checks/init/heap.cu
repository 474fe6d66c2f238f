// memory of malloc is not zero
// wrong: heap A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    unsigned *list = (unsigned *)malloc(64);
    list[a[t]] = t;
    unsigned it = list[a[t] + 1]; //@B
    b[me] = it + list[a[t]]; //@A
    free(list);
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    unsigned *list = (unsigned *)malloc(64);
    list[a[t]] = t;
    list[a[t] + 1] = 0;
    unsigned it = list[a[t] + 1];
    b[me] = it + list[a[t]];
    free(list);
}
