// a logarithm of a sum of two NaNs
// wrong: nan A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = (float)a[i], y = (float)a[i + 128];
    float v = x / x, w = y / y; //@A
    b[i] = __float_as_uint(logf(v + w));
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = (float)a[i], y = (float)a[i + 128];
    float v = x == 0 ? 1 : x / x, w = y == 0 ? 1 : y / y;
    b[i] = __float_as_uint(logf(v + w));
}
