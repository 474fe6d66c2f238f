// a struct is handed to printf, of which one field was never set
// wrong: local A A
#include "../checks.h"

#include <cstdio>

struct sample {
    unsigned count, sum;
    float mean;
};

static __device__ __noinline__ void look(sample *s, const unsigned *a, unsigned t, bool all)
{
    s->count = t;
    s->sum = a[t];
    if (all)
        s->mean = (float)s->sum;
}

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    sample it;
    look(&it, a, threadIdx.x, false);
    if (threadIdx.x == 3)
        printf("%u %u %f\n", it.count, it.sum, it.mean); //@A
    b[threadIdx.x] = it.sum;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    sample it;
    look(&it, a, threadIdx.x, true);
    if (threadIdx.x == 3)
        printf("%u %u %f\n", it.count, it.sum, it.mean);
    b[threadIdx.x] = it.sum;
}
