// an index that overflows in a product by a power of two
// wrong: address-overflow A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int row = (int)(blockDim.x * 1024 + a[0]), at = row * 65536; //@A
    b[threadIdx.x] = a[at + (int)threadIdx.x];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int row = (int)(blockDim.x * 1024 + a[0]), at = row * 65536;
    unsigned hash = (threadIdx.x + a[threadIdx.x] << 27) + threadIdx.x;
    long long offset = (long long)row * 65536 - 4294967296ll;
    b[threadIdx.x] = a[offset + threadIdx.x] + a[hash & 63] + a[at + (int)threadIdx.x - row * 65536];
}
