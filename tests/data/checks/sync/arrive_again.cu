// a producer does not wait until its consumer has seen what it made
// wrong: schedule-luck A A; schedule-luck A B; wrong-count B C
// ends: barrier-deadlock
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[32];
    for (unsigned i = 0; i < 4; i++)
        if (threadIdx.x < 32) {
            tile[threadIdx.x] = i;
            bar_arrive(1, 64); //@A
        } else {
            bar_sync(1, 64); //@B
            b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];
        }
} //@C

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned tile[32];
    for (unsigned i = 0; i < 4; i++)
        if (threadIdx.x < 32) {
            if (i > 0)
                bar_sync(2, 64);
            tile[threadIdx.x] = i;
            bar_arrive(1, 64);
        } else {
            bar_sync(1, 64);
            b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];
            if (i < 3)
                bar_arrive(2, 64);
        }
}
