// a lock in shared memory that is taken and given back without fences
// wrong: missing-fence A A
// grid: 1
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1))
            ;
        sum = sum + 1; //@A
        atomicExch(&lock, 0);
    }
    __syncthreads();
    b[threadIdx.x] = sum;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1))
            ;
        __threadfence_block();
        sum = sum + 1;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    b[threadIdx.x] = sum;
}
