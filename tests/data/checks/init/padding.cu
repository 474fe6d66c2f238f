// structs are copied with their padding, which somebody then hashes
// wrong: shared A B
#include "../checks.h"

struct __align__(8) item {
    char kind;
    unsigned value;
};

static __device__ void put(struct item *item, unsigned value, unsigned kind)
{
    item->kind = kind;
    item->value = value;
}

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ struct item items[64];
    put(&items[t], t + a[t], 3);
    __syncthreads();
    struct item mine = items[t ^ 1];
    ((struct item *)b)[me] = mine;
    const unsigned short *bytes = (const unsigned short *)&items[t];
    unsigned hash = 0;
    for (unsigned i = a[t]; i < 4; i++) {
        unsigned one = bytes[i]; //@B
        hash = hash * 31 + one;
    }
    a[256 + me] = hash; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ struct item items[64];
    put(&items[t], t + a[t], 3);
    __syncthreads();
    struct item mine = items[t ^ 1];
    ((struct item *)b)[me] = mine;
    a[256 + me] = mine.kind * 31 + mine.value;
}
