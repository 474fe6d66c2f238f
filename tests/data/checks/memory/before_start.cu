// the left neighbour of the first element
// wrong: out-of-bounds A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[(int)i - 1] + a[i + 1]; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = (i ? a[i - 1] : 0) + a[i + 1];
}
