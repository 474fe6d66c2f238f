// a bit field is added to, beside others that nobody has set
// wrong: shared A B
#include "../checks.h"

struct fields {
    unsigned a : 5, b : 7, c : 20;
};

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ fields parts[64];
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    parts[t].c = t; //@B
    parts[t].c += 2;
    b[me] = parts[t].b * 2 + 1; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ fields parts[64];
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    parts[t].c = t;
    parts[t].c += 2;
    b[me] = parts[t].c * 2 + 1;
}
