// a stride too many, and a second fault behind it: both are told
// wrong: out-of-bounds A; out-of-bounds B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i * 64] = i; //@A
    b[i + 4000] = a[i]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i * 32] = i;
    b[i] = a[i];
}
