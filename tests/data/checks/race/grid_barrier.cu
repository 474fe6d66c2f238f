// blocks meet at a barrier of the grid that counts without fences
// wrong: missing-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    a[64 + blockIdx.x] = 1; //@A
    if (threadIdx.x == 0) {
        atomicAdd(&a[0], 1);
        while (*(volatile unsigned *)&a[0] < gridDim.x)
            ;
        b[blockIdx.x] = a[64 + (blockIdx.x ^ 1)]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    a[64 + blockIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&a[0], 1);
        while (*(volatile unsigned *)&a[0] < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 1)
        b[blockIdx.x] = a[64 + (blockIdx.x ^ 1)];
}
