/* Sums of doubles by key, by compare-and-swap. */
__device__ double addd(double *a, double v)
{
    unsigned long long *p = (unsigned long long *)a, old = *p, seen;
    do { seen = old; old = atomicCAS(p, seen, __double_as_longlong(v + __longlong_as_double(seen))); } while (seen != old);
    return __longlong_as_double(old);
}
extern "C" __global__ void cas_add(const unsigned *key, const float *val, double *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) addd(&bins[key[i]], val[i]);
}
