// an unsigned product that does not fit; one that does, and a hash, are right
// wrong: address-overflow A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned n = a[threadIdx.x] + 70000;
    unsigned at = n * n; //@A
    b[threadIdx.x] = b[(unsigned long long)at - 605032704ull + 4];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned n = a[threadIdx.x] + 60000;
    unsigned at = n * n, hash = n * 2654435761u;
    b[threadIdx.x] = b[(unsigned long long)at - 3600000000ull + 4] + b[hash >> 25];
    int k = 2000000000 + (int)(n - 60000), sum = k + k - k; // comes back
    b[threadIdx.x] += b[sum - 2000000000 + 5];
}
