/* Histogram by atomics on global memory. */
extern "C" __global__ void hist_global(const unsigned *in, unsigned *bins, int n, unsigned mask)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] & mask], 1u);
}
