// the last of four blocks adds up what all have stored; they count themselves without fences
// wrong: missing-fence A B
// grid: 4
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        b[blockIdx.x] = blockIdx.x; //@A
        last = atomicInc(a, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        b[100 + threadIdx.x] = b[threadIdx.x]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        b[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc(a, gridDim.x) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        b[100 + threadIdx.x] = b[threadIdx.x];
}
