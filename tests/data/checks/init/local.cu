// a list of a thread is read past what it has filled
// wrong: local A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    unsigned list[16], n = a[t] + 4;
    for (unsigned i = 0; i < n; i++)
        list[(i * 5 + a[i]) % 16] = i;
    unsigned last = list[(n + a[0]) % 16]; //@B
    b[me] = last * 3 + 1; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    unsigned list[16], n = a[t] + 4;
    for (unsigned i = 0; i < 16; i++)
        list[(i * 5 + a[i]) % 16] = i;
    unsigned last = list[(n + a[0]) % 16];
    b[me] = last * 3 + 1;
}
