// one warp hands data to the other by a volatile flag in shared memory, without fences
// wrong: missing-fence A B
// grid: 1
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[32];
    __shared__ volatile unsigned flag;
    unsigned t = threadIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t < 32) {
        tile[t] = t; //@A
        __syncwarp();
        if (t == 0)
            flag = 1;
        return;
    }
    while (flag == 0)
        ;
    __threadfence_block();
    b[t] = tile[63 - t]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[32];
    __shared__ volatile unsigned flag;
    unsigned t = threadIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t < 32) {
        tile[t] = t;
        __syncwarp();
        __threadfence_block();
        if (t == 0)
            flag = 1;
        return;
    }
    while (flag == 0)
        ;
    __threadfence_block();
    b[t] = tile[63 - t];
}
