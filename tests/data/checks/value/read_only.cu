// a value read as never written, by threads that write it
// wrong: read-only-written A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x, v = __ldg(&a[i]); //@A
    b[i] = v;
    a[i ^ 1] = v + 1; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x, v = __ldg(&a[i]);
    b[i] = v;
    a[i + 128] = v + 1;
}
