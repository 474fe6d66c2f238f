// threads read what others write without waiting for the barrier object
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned long long object;
    __shared__ unsigned tile[64];
    if (threadIdx.x == 0)
        object_init(&object, 64);
    __syncthreads();
    tile[threadIdx.x] = a[threadIdx.x]; //@A
    object_arrive(&object);
    b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32]; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned long long object;
    __shared__ unsigned tile[64];
    if (threadIdx.x == 0)
        object_init(&object, 64);
    __syncthreads();
    tile[threadIdx.x] = a[threadIdx.x];
    object_wait(&object, object_arrive(&object));
    b[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];
}
