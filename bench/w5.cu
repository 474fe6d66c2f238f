/* W5: the same histogram from memory, 256 threads and 4096 pixels a block: shared-memory atomics on 256 bins, then one
 * global atomic a thread. */
extern "C" __global__ void w5(const unsigned *pixels, unsigned *bins, unsigned count)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    unsigned first = blockIdx.x * 4096u + threadIdx.x;
    for (unsigned i = 0; i < 4096u; i += 256u)
        if (first + i < count)
            atomicAdd(&local[pixels[first + i] >> 16 & 255u], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
