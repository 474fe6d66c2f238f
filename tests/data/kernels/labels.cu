// What listings name: a jump table whose targets lie at control words (-rdc=true), addresses in debugging information
// (-G), descriptors of functions and relocated constants (-rdc=true).
__constant__ struct {
    int a[16];
} constants;
__device__ __noinline__ int square(int a, int b)
{
    int t = a * b;
    if (t > 3)
        t -= a;
    return t;
}
__global__ void child(int *p)
{
    p[0] = square(p[1], p[2]);
}
__global__ void table(int *a, int n, float *b, double *c)
{
    int i = threadIdx.x;
    switch (a[i]) {
    case 0: b[i] = 3; break;
    case 1: b[i] = 3; a[i + 1] = n * 7; break;
    case 2: a[i] ^= n; b[2] = n * 1.5f; break;
    case 3: a[i + 1] = n * 7; c[i] = b[n]; break;
    case 4: c[i] = b[n]; break;
    }
}
__global__ void product(int *p, int n)
{
    p[threadIdx.x] = n * constants.a[10] + constants.a[11] * p[0];
}
__global__ void pointer(void **q)
{
    q[0] = (void *)child;
}
