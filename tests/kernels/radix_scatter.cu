/* A pass of a radix sort, 8-bit digits: rank by match.any within warps, offsets from a scanned table. */
extern "C" __global__ void radix_scatter(const unsigned *in, unsigned *out, const unsigned *offs, int shift)
{
    __shared__ unsigned cnt[8][256];
    int t = threadIdx.x, lane = t & 31, w = t >> 5;
    for (int i = 0; i < 8; i++) cnt[i][t] = 0;
    __syncthreads();
    unsigned k = in[blockIdx.x * 256 + t], d = (k >> shift) & 255;
    unsigned same = __match_any_sync(~0u, d);
    unsigned rank = __popc(same & ((1u << lane) - 1));
    if (rank == 0) cnt[w][d] = __popc(same);
    __syncthreads();
    unsigned s = 0;
    for (int i = 0; i < 8; i++) { unsigned c = cnt[i][t]; cnt[i][t] = s; s += c; }
    __syncthreads();
    out[offs[d * gridDim.x + blockIdx.x] + cnt[w][d] + rank] = k;
}
