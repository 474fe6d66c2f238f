// a vote of the whole warp in one branch, of its other half in the other
// wrong: absent-lanes A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned lane = threadIdx.x % 32, v = a[lane];
    if (lane < 16)
        v += __popc(__ballot_sync(~0u, v < 5)); //@A
    else
        v += __any_sync(0xffff0000, v > 30);
    b[blockIdx.x * 64 + threadIdx.x] = v;
} //@B

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned lane = threadIdx.x % 32, v = a[lane];
    if (lane < 16)
        v += __popc(__ballot_sync(0xffff, v < 5));
    else
        v += __any_sync(0xffff0000, v > 30);
    b[blockIdx.x * 64 + threadIdx.x] = v;
}
