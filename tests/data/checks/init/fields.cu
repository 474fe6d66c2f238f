// fields of a word, one of which is not set
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned char parts[256];
    parts[4 * t] = a[t] + 1;
    parts[4 * t + 1] = t;
    __syncthreads();
    unsigned word = ((unsigned *)parts)[t ^ 1]; //@B
    b[me] = (word >> 16 & 255) * 3; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ unsigned char parts[256];
    parts[4 * t] = a[t] + 1;
    parts[4 * t + 1] = t;
    __syncthreads();
    unsigned word = ((unsigned *)parts)[t ^ 1];
    b[me] = (word >> 8 & 255) * 3 + (word & 255);
}
