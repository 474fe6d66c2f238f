// a vector is loaded as a whole, and its last element is used
// wrong: shared A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ float4 points[64];
    points[t].x = a[t];
    points[t].y = t;
    points[t].z = 1;
    __syncthreads();
    float4 point = points[t ^ 1]; //@B
    ((float *)b)[me] = point.x + point.y * point.w; //@A
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned t = threadIdx.x, me = blockIdx.x * 64 + t;
    __shared__ float4 points[64];
    points[t].x = a[t];
    points[t].y = t;
    points[t].z = 1;
    __syncthreads();
    float4 point = points[t ^ 1];
    ((float *)b)[me] = point.x + point.y * point.z;
}
