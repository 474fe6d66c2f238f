// a NaN that a function of many steps hands on
// wrong: nan A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    double x = a[i], share = x / x; //@A
    b[i] = (unsigned)__double2hiint(cbrt(share));
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    double x = a[i], share = x == 0 ? 1 : x / x;
    b[i] = (unsigned)__double2hiint(cbrt(share));
}
