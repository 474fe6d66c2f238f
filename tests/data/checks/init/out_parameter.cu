// a function leaves its result as it is where nothing is found
// wrong: local A B
#include "../checks.h"

static __device__ __noinline__ void find(const unsigned *a, unsigned what, unsigned *place)
{
    for (unsigned i = 1; i < 8; i++)
        if (a[i] == what + 1)
            *place = i;
}

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    unsigned place;
    find(a, t, &place);
    unsigned it = place; //@B
    b[me] = it + 1; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    unsigned place = 0;
    find(a, t, &place);
    unsigned it = place;
    b[me] = it + 1;
}
