/* Inclusive scan of a block by shuffles. */
__device__ int warp_scan(int v, int lane)
{
    for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, v, d); if (lane >= d) v += o; }
    return v;
}
extern "C" __global__ void scan_block(const int *in, int *out, int *sums, int n)
{
    __shared__ int ws[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    int v = i < n ? in[i] : 0;
    v = warp_scan(v, lane);
    if (lane == 31) ws[w] = v;
    __syncthreads();
    if (w == 0) ws[lane] = warp_scan(lane < (int)(blockDim.x >> 5) ? ws[lane] : 0, lane);
    __syncthreads();
    if (w > 0) v += ws[w - 1];
    if (i < n) out[i] = v;
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = v;
}
