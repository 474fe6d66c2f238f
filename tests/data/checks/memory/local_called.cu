// an index beyond a local array, in a kernel that calls a function, and in the function that it is given to
// wrong: out-of-bounds A; out-of-bounds B
#include "../checks.h"

static __device__ __noinline__ unsigned sum(unsigned *from, unsigned count)
{
    unsigned all = 0, own[4];
    for (unsigned i = 0; i < count; i++)
        all += from[i]; //@A
    for (unsigned i = 0; i < 4; i++)
        own[i + all & 3] = all + i;
    return own[all & 3];
}

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned list[8], i = threadIdx.x;
    for (unsigned k = 0; k < 8; k++)
        list[k + a[i] & 7] = k;
    list[a[i] + 100000] = i; //@B
    b[i] = sum(list, a[i] + 80) + list[i & 7];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned list[8], i = threadIdx.x;
    for (unsigned k = 0; k < 8; k++)
        list[k + a[i] & 7] = k;
    list[a[i] + 7] = i;
    b[i] = sum(list, a[i] + 8) + list[i & 7];
}
