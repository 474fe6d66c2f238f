// a mask from before a branch, used in it
// wrong: stale-mask A B
#include "../checks.h"
#include <cooperative_groups.h>

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 24) {
        unsigned mask = __activemask(); //@B
        if (threadIdx.x % 32 < 12)
            v = __ballot_sync(mask, v > 3); //@A
    }
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned v = a[threadIdx.x];
    if (threadIdx.x % 32 < 24) {
        unsigned mask = __activemask();
        v = __ballot_sync(mask, v > 3);
    }
    auto group = cooperative_groups::coalesced_threads();
    if (group.thread_rank() == 0)
        v += atomicAdd(&a[100], group.size());
    v = group.shfl(v, 0);
    cooperative_groups::this_thread_block().sync();
    b[blockIdx.x * 64 + threadIdx.x] = v;
}
