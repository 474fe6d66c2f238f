// the element before the first is the last of another array
// wrong: neighbour A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned first[32], second[32];
    if (threadIdx.x < 32) {
        first[threadIdx.x] = a[threadIdx.x];
        second[threadIdx.x] = b[threadIdx.x];
        __syncwarp();
        b[threadIdx.x] = first[31 - threadIdx.x] + first[(int)threadIdx.x - 1 + 32] + second[(int)threadIdx.x - 1]; //@A
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned first[32], second[32];
    if (threadIdx.x < 32) {
        first[threadIdx.x] = a[threadIdx.x];
        second[threadIdx.x] = b[threadIdx.x];
        __syncwarp();
        b[threadIdx.x] = first[31 - threadIdx.x] + first[threadIdx.x] + second[threadIdx.x ? threadIdx.x - 1 : 0];
    }
}
