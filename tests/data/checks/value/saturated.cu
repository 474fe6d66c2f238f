// a NaN that a clamp to [0, 1] makes a zero of, before and behind a product
// wrong: nan A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = (float)a[i], share = x / x; //@A
    b[i] = __float_as_uint(__saturatef(x + 2) * share);
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = (float)a[i], share = x / x, more;
    asm("add.sat.f32 %0, %1, %2;" : "=f"(more) : "f"(share), "f"(x));
    b[i] = __float_as_uint(__saturatef(share) * (x + 2) + more);
}
