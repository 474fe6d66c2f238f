// twice what nobody has written, which compilers compute by a shift
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    if (a[t] == 1)
        tile[t] = t;
    __syncthreads();
    unsigned v = tile[63 - t]; //@B
    b[blockIdx.x * 64 + t] = v * 2; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ uchar4 tile[64];
    unsigned t = threadIdx.x;
    tile[t].x = t;
    tile[t].z = 3;
    __syncthreads();
    uchar4 v = tile[63 - t];
    b[blockIdx.x * 64 + t] = v.x | v.y << 8 | v.z << 16 | (unsigned)v.w << 24;
}
