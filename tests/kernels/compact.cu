/* Keeps what is above 0: ballots, and one atomic a warp that hands out the places. */
extern "C" __global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int v = i < n ? in[i] : 0; bool keep = v > 0;
    unsigned m = __ballot_sync(~0u, keep); int base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(m));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(m & ((1u << lane) - 1))] = v;
}
