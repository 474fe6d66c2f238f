/* W7: sums of 256 words a block in a shared-memory tree with barriers, 16 M words. */
extern "C" __global__ void w7(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[256];
    unsigned rank = threadIdx.x;
    sums[rank] = in[blockIdx.x * 256u + rank];
    __syncthreads();
#pragma unroll 1
    for (unsigned distance = 128u; distance > 0; distance >>= 1) {
        if (rank < distance)
            sums[rank] += sums[rank + distance];
        __syncthreads();
    }
    if (rank == 0)
        out[blockIdx.x] = sums[0];
}
