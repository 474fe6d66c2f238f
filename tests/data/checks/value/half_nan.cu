// halves: nothing times infinity
// wrong: nan A
#include "../checks.h"
#include <cuda_fp16.h>

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    __half2 x = __float2half2_rn((float)a[i]), y = __float2half2_rn(1e9f);
    __half2 z = __hmul2(x, y); //@A
    b[i] = *(unsigned *)&z;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    __half2 x = __float2half2_rn((float)a[i]), y = __float2half2_rn(60000.0f);
    __half2 z = __hmul2(x, y);
    b[i] = *(unsigned *)&z;
}
