// sums of packed halves, of which one has been set
// wrong: shared A B
#include <cuda_fp16.h>

#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ __half2 pairs[64];
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    pairs[t].x = __ushort_as_half(t);
    __syncthreads();
    __half2 sum = __hadd2(pairs[63 - t], __float2half2_rn(1)); //@B
    b[me] = __half_as_ushort(sum.y); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ __half2 pairs[64];
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    pairs[t].x = __ushort_as_half(t);
    __syncthreads();
    __half2 sum = __hadd2(pairs[63 - t], __float2half2_rn(1));
    b[me] = __half_as_ushort(sum.x);
}
