/* Sums of an array.
 *
 *   reduce_shuffle  one sum a block: shuffles within a warp, shared memory between warps; block of up to 1024
 *   reduce_last     the whole sum in one launch: the last block to finish adds up what the others left in
 *                   `partial` (one word a block); `ticket` must be 0 and is 0 again afterwards (atomicInc wraps)
 *   reduce_float    sum of floats in a fixed tree order: exact reproducible bits; block of 256
 *   count_above     how many elements are above `limit`, with a ballot and a population count */

static __device__ unsigned warp_sum(unsigned value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    return value;
}

/* Valid in thread 0. The block must have a multiple of 32 threads; `sums` is shared memory for one word a warp. */
static __device__ unsigned block_sum(unsigned value, unsigned *sums)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0)
        value = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
    return value;
}

extern "C" __global__ void reduce_shuffle(const unsigned *in, unsigned count, unsigned *out)
{
    __shared__ unsigned sums[32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = block_sum(i < count ? in[i] : 0, sums);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

extern "C" __global__ void reduce_last(const unsigned *in, unsigned count, volatile unsigned *partial,
                                       unsigned *ticket, unsigned *out)
{
    __shared__ unsigned sums[32];
    __shared__ bool last;
    unsigned value = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        value += in[i];
    unsigned sum = block_sum(value, sums);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    value = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        value += partial[i];
    sum = block_sum(value, sums);
    if (threadIdx.x == 0)
        *out = sum;
}

extern "C" __global__ void reduce_float(const float *in, unsigned count, float *out)
{
    __shared__ float sums[256];
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    sums[threadIdx.x] = i < count ? in[i] : 0.0f;
    __syncthreads();
    for (int distance = 128; distance > 0; distance /= 2) {
        if (threadIdx.x < distance)
            sums[threadIdx.x] += sums[threadIdx.x + distance];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sums[0];
}

extern "C" __global__ void count_above(const unsigned *in, unsigned count, unsigned limit, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffffu, i < count && in[i] > limit);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, __popc(votes));
}
