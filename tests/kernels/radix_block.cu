/* Sorts 256 keys a block by 4 bits, one bit a time (split with ballots), and counts digits. */
extern "C" __global__ void radix_block(const unsigned *in, unsigned *out, unsigned *counts, int shift)
{
    __shared__ unsigned keys[256], wsum[8], h[16];
    int t = threadIdx.x, lane = t & 31, w = t >> 5;
    if (t < 16) h[t] = 0;
    unsigned k = in[blockIdx.x * 256 + t];
    for (int b = 0; b < 4; b++) {
        bool one = (k >> (shift + b)) & 1;
        unsigned zeros = __ballot_sync(~0u, !one);
        if (lane == 0) wsum[w] = __popc(zeros);
        __syncthreads();
        int before = 0, total = 0;
        for (int i = 0; i < 8; i++) { if (i < w) before += wsum[i]; total += wsum[i]; }
        int zr = before + __popc(zeros & ((1u << lane) - 1));
        int pos = one ? total + t - zr : zr;
        keys[pos] = k;
        __syncthreads();
        k = keys[t];
    }
    atomicAdd(&h[(k >> shift) & 15], 1);
    __syncthreads();
    out[blockIdx.x * 256 + t] = k;
    if (t < 16) counts[t * gridDim.x + blockIdx.x] = h[t];
}
