// a shuffle's result from a lane that is not there goes through a local variable, and is used
// wrong: absent-source A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned lane = threadIdx.x % 32, v = a[threadIdx.x] + lane;
    volatile unsigned other[2];
    if (lane < 20) {
        other[lane & 1] = __shfl_down_sync(0xfffff, v, 16); //@A
        v += other[lane & 1];
    }
    b[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned lane = threadIdx.x % 32, v = a[threadIdx.x] + lane;
    volatile unsigned other[2];
    if (lane < 20) {
        other[lane & 1] = __shfl_down_sync(0xfffff, v, 16);
        v += lane + 16 < 20 ? other[lane & 1] : 0;
        other[lane & 1] = v;
        v += other[lane & 1];
    }
    b[blockIdx.x * 64 + threadIdx.x] = v;
}
