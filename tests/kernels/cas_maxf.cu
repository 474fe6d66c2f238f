/* Greatest float by key, by compare-and-swap. */
__device__ void maxf(float *a, float v)
{
    int *p = (int *)a, old = *p, seen;
    do { seen = old; if (__int_as_float(seen) >= v) break; old = atomicCAS(p, seen, __float_as_int(v)); } while (seen != old);
}
extern "C" __global__ void cas_maxf(const unsigned *key, const float *val, float *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) maxf(&bins[key[i]], val[i]);
}
