// a large float to an int
// wrong: clamped-conversion A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = (float)(a[i] + 3) * 1e9f;
    b[i] = (unsigned)(int)x; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = (float)(a[i] + 3) * 1e9f;
    b[i] = x < 2147483648.0f ? (unsigned)(int)x : 0x7fffffffu;
}
