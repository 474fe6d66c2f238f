// neighbours write bytes of one word, and one of them a half of it
// wrong: unordered A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned char *bytes = (unsigned char *)a;
    if (threadIdx.x == 0)
        bytes[4 * blockIdx.x + 1] = 1; //@A
    if (threadIdx.x == 32)
        *(unsigned short *)&bytes[4 * blockIdx.x] = 2; //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned char *bytes = (unsigned char *)a;
    bytes[64 * blockIdx.x + threadIdx.x] = threadIdx.x;
}
