// a running maximum less itself, before there is one
// wrong: nan A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float most = -INFINITY;
    for (unsigned k = 0; k < a[i]; k++)
        most = fmaxf(most, (float)a[k]);
    float d = most - most * (1 + a[i]); //@A
    b[i] = __float_as_uint(d);
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float most = -INFINITY;
    for (unsigned k = 0; k < a[i]; k++)
        most = fmaxf(most, (float)a[k]);
    float d = most - most * (1 + a[i]);
    b[i] = isnan(d) ? 0 : 1;
}
