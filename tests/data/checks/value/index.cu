// rows times columns, as ints
// wrong: address-overflow A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int row = (int)(a[threadIdx.x] + 50000), columns = 90000;
    const unsigned char *from = (const unsigned char *)b;
    long long base = (long long)row * columns - 4500000000ll;
    int at = row * columns; //@A
    b[threadIdx.x] = from[at + 4294967296ll - 4500000000ll + base];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int row = (int)(a[threadIdx.x] + 50000), columns = 90000;
    const unsigned char *from = (const unsigned char *)b;
    long long at = (long long)row * columns;
    b[threadIdx.x] = from[at - 4500000000ll];
}
