// a NaN that goes through hypotf, which orders the bits of floats as integers
// wrong: nan A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = (float)a[i], q = x / x; //@A
    b[i] = __float_as_uint(hypotf(q, 3));
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = (float)a[i], q = x > 0 ? x / x : 0;
    b[i] = __float_as_uint(hypotf(q, 3));
}
