// a ratio of nothing to nothing
// wrong: nan A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = a[i], y = a[i + 1];
    b[i] = __float_as_uint(x / y + 1.0f); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = a[i], y = a[i + 1], ratio = x / y;
    b[i] = __float_as_uint(y != 0 ? ratio : 0.0f);
}
