// a vote of lanes that know and a lane that does not
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned tile[64];
    if (t % 32)
        tile[t] = a[t];
    __syncthreads();
    unsigned mine = tile[t]; //@B
    if (__any_sync(~0u, mine == 9)) //@A
        b[me] = 1;
    else
        a[me] = 1;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned tile[64];
    if (t % 32)
        tile[t] = a[t];
    __syncthreads();
    unsigned mine = tile[t];
    if (__any_sync(~0u, mine == 9 || t % 32 == 1)) // lane 1 has settled it
        b[me] = 1;
    else
        a[me] = 1;
}
