/* Sums of floats by key, atomically. */
extern "C" __global__ void atomic_addf(const unsigned *key, const float *val, float *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[key[i]], val[i]);
}
