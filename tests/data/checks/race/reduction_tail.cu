// the last steps of a reduction count on lanes in step
// wrong: missing-warp-sync A A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = a[t];
    __syncthreads();
    if (t < 32)
        for (unsigned n = 32; n; n /= 2)
            if (t < n)
                sums[t] += sums[t + n]; //@A
    if (t == 0)
        b[blockIdx.x] = sums[0];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    sums[t] = a[t];
    __syncthreads();
    if (t < 32)
        for (unsigned n = 32; n; n /= 2) {
            if (t < n)
                sums[t] += sums[t + n];
            __syncwarp();
        }
    if (t == 0)
        b[blockIdx.x] = sums[0];
}
