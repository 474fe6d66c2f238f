// what is added to a texel was never loaded
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned tile[64];
    if (t < 63)
        tile[t] = a[t];
    surf2Dwrite(t, s, 4 * (t % 32), 2 * blockIdx.x + t / 32);
    __syncthreads();
    unsigned mine = tile[t]; //@B
    texel_add(s, 4 * (t % 32), 2 * blockIdx.x + t / 32, mine); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned tile[64];
    tile[t] = t < 63 ? a[t] : 0;
    surf2Dwrite(t, s, 4 * (t % 32), 2 * blockIdx.x + t / 32);
    __syncthreads();
    unsigned mine = tile[t];
    texel_add(s, 4 * (t % 32), 2 * blockIdx.x + t / 32, mine);
}
