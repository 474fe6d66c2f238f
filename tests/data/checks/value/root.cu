// a root of a number that rounding has made negative
// wrong: nan A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    double x = 0.1 * (a[i] + 3), y = 0.3;
    double r = sqrt(y * y - x * x); //@A
    b[i] = (unsigned)__double2hiint(r + 1);
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    double x = 0.1 * (a[i] + 3), y = 0.3, d = y * y - x * x;
    double r = sqrt(d > 0 ? d : 0);
    b[i] = (unsigned)__double2hiint(r + 1);
}
