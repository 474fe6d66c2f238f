/* Exclusive scan of 1024 words a block by a tree in shared memory. */
extern "C" __global__ void scan_blelloch(const int *in, int *out, int *sums)
{
    __shared__ int t[1024];
    int tid = threadIdx.x, n = 1024, off = 1; size_t base = (size_t)blockIdx.x * 1024;
    t[2 * tid] = in[base + 2 * tid]; t[2 * tid + 1] = in[base + 2 * tid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) { int a = off * (2 * tid + 1) - 1, b = off * (2 * tid + 2) - 1; t[b] += t[a]; }
        off *= 2;
    }
    if (tid == 0) { sums[blockIdx.x] = t[n - 1]; t[n - 1] = 0; }
    for (int d = 1; d < n; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (tid < d) { int a = off * (2 * tid + 1) - 1, b = off * (2 * tid + 2) - 1; int x = t[a]; t[a] = t[b]; t[b] += x; }
    }
    __syncthreads();
    out[base + 2 * tid] = t[2 * tid]; out[base + 2 * tid + 1] = t[2 * tid + 1];
}
