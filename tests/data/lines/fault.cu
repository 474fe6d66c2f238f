// Kernels that go wrong at known lines.
#include "clamp.cuh"

template <typename T>
__global__ void fill(T *out, int n, T value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = value; // one too many
}
template __global__ void fill<int>(int *, int, int);
template __global__ void fill<float>(float *, int, float);

__global__ void gather(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = twice(in, i); // `in` may be shorter
}

__global__ void spin(volatile int *flag)
{
    if (threadIdx.x < 8)
        while (*flag == 0)
            ; // for ever
    flag[1] = 1;
}
