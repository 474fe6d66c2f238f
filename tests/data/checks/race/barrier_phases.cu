// a barrier object is waited for once a round: what a round has read the next one overwrites before all have
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned long long object;
    __shared__ unsigned tile[64];
    unsigned sum = 0;
    if (threadIdx.x == 0)
        object_init(&object, 64);
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < 4; round++) {
        tile[threadIdx.x] = threadIdx.x + round; //@A
        object_wait(&object, object_arrive(&object));
        sum += tile[63 - threadIdx.x]; //@B
    }
    b[blockIdx.x * 64 + threadIdx.x] = sum;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned long long object;
    __shared__ unsigned tile[64];
    unsigned sum = 0;
    if (threadIdx.x == 0)
        object_init(&object, 64);
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < 4; round++) {
        tile[threadIdx.x] = threadIdx.x + round;
        object_wait(&object, object_arrive(&object));
        sum += tile[63 - threadIdx.x];
        object_wait(&object, object_arrive(&object));
    }
    b[blockIdx.x * 64 + threadIdx.x] = sum;
}
