// bit fields of a word, one of which is not set: a compiler may put its bytes together by products
// wrong: shared A B
#include "../checks.h"

struct fields {
    unsigned a : 5, b : 7, c : 20;
};

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ fields parts[64];
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    parts[t].a = t; //@B
    parts[t].c = t * 3;
    __syncthreads();
    fields f = parts[63 - t];
    f.a = 1;
    b[me] = f.b + 1; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ fields parts[64];
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    parts[t].a = t;
    parts[t].c = t * 3;
    __syncthreads();
    fields f = parts[63 - t];
    f.b = 1;
    b[me] = f.c + 1;
}
