// a block leaves before a barrier of the grid
// wrong: endless-wait A B
// ends: deadlock
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 1)
        return;
    if (threadIdx.x == 0) {
        atomicAdd(&a[0], 1);
        while (*(volatile unsigned *)&a[0] < gridDim.x) //@A
            ;
    }
    __syncthreads(); //@B
    b[blockIdx.x * 64 + threadIdx.x] = a[0];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (threadIdx.x == 0) {
        atomicAdd(&a[0], 1);
        while (*(volatile unsigned *)&a[0] < gridDim.x)
            ;
    }
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = a[0];
}
