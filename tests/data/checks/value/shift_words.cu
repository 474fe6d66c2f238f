// rotations and shifts of 128 bits are right, also by 0 and by more than a word; two words that are joined otherwise are not
// wrong: shift A
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x, n = a[i] + threadIdx.x % 33, word = a[i] + 12345;
    b[i] = word << n | word >> (31 - n & 31); //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x, n = a[i] + i;
    unsigned long long word = a[i] + 0x123456789abcdefull;
    word = word << (n & 63) | word >> (64 - n & 63);
    unsigned __int128 wide = (unsigned __int128)word << 64 | ~word, narrow = word;
    __int128 sign = (__int128)wide;
    wide = (wide << (n & 127)) + (wide >> (n & 127)) + (unsigned __int128)(sign >> (n & 127)) + (narrow << (n & 127));
    b[i] = (unsigned)(wide >> 64) + (unsigned)(wide >> 32);
}
