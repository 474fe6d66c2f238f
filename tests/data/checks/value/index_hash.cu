// hashes modulo constants are right, however they overflow; a product that is divided besides is none
// wrong: address-overflow A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    int row = 70000 + (int)a[0], at = row * (row - 1000); //@A
    b[threadIdx.x] = (unsigned)(at / 10);
    b[threadIdx.x] += a[at - 535032704 + (int)threadIdx.x];
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x, high = a[i] + 0xdeadbeef + i, hash = (i + 1) * 2654435761u;
    unsigned sum = a[high % 61] + a[hash % 61] + a[high / 61 % 7], q = hash / 10, fnv = 2166136261u ^ i;
    sum += a[hash - q * 10] + a[q % 100] + a[high - 0xd0000000 & 63];
    for (int k = 0; k < 4; k++)
        fnv = (fnv ^ a[k]) * 16777619u;
    int number = (int)(high * 31 + 7), left = number % 10;
    sum += a[fnv % 97] + a[left < 0 ? left + 10 : left] + a[(int)(high % 113) - 5 & 127];
    unsigned base = high - i, back = high - 0x20000000u;
    b[i] = sum + a[high - base] + a[back - (base - 0x20000000u)];
}
