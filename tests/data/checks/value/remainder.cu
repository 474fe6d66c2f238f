// a hash into no buckets
// wrong: division-by-zero A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    int buckets = (int)a[i];
    b[i] = (unsigned)((int)i % buckets); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    int buckets = (int)a[i] + 1;
    b[i] = (unsigned)((int)i % buckets);
}
