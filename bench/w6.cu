/* W6: shared-memory compare-and-swap loops: blocks of 128 threads, each makes 64 increments on 32 shared words,
 * word = ((tid >> 2) + i) & 31: four lanes of a warp want the same word. The words are added to sums[32 * block]. */
extern "C" __global__ void w6(unsigned *sums)
{
    __shared__ unsigned words[32];
    if (threadIdx.x < 32)
        words[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = 0; i < 64u; i++) {
        unsigned *word = &words[((threadIdx.x >> 2) + i) & 31u];
        unsigned old = *(volatile unsigned *)word, seen;
        do {
            seen = old;
            old = atomicCAS(word, seen, seen + 1u);
        } while (old != seen);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        sums[blockIdx.x * 32u + threadIdx.x] = words[threadIdx.x];
}
