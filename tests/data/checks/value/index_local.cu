// an index that overflows goes through a local variable
// wrong: address-overflow A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int row = 70000 + (int)a[0], width = row - 1000;
    volatile int at[2];
    at[row & 1] = row * width - 535032704; //@A
    b[threadIdx.x] = a[at[row & 1] + threadIdx.x];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int row = 70000 + (int)a[0], width = row - 1000;
    volatile int at[2];
    at[row & 1] = row * width - 535032704;
    at[row & 1] = at[row & 1] - row * width + 535032704;
    b[threadIdx.x] = a[at[row & 1] + threadIdx.x];
}
