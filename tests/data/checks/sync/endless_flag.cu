// a thread waits for a flag that is set behind the barrier that it keeps the others at
// wrong: endless-wait A B
// ends: deadlock
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ volatile unsigned flag;
    flag = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        while (flag == 0) //@A
            ;
    __syncthreads(); //@B
    if (threadIdx.x == 40)
        flag = 1;
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = flag;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ volatile unsigned flag;
    flag = 0;
    __syncthreads();
    if (threadIdx.x == 40)
        flag = 1;
    if (threadIdx.x == 0)
        while (flag == 0)
            ;
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = flag;
}
