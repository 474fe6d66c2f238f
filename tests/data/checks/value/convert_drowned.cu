// a NaN that was there becomes an integer; in sines it stays one, and of large numbers only the quadrant is wanted
// wrong: clamped-conversion A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = __uint_as_float(0x7fffffff - a[i]);
    b[i] = (unsigned)(int)x + 1; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = __uint_as_float(0x7fffffff - a[i]);
    double large = (double)(a[i] + 3) * 1e30;
    b[i] = __float_as_uint(sinf(x) + tanf(x)) + (unsigned)__double2hiint(cos((double)x) + sinpi(large));
}
