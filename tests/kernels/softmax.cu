/* Softmax of a row a block: expf, reductions by shuffles and shared memory. */
__device__ float wmax(float v) { for (int d = 16; d; d >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, d)); return v; }
__device__ float wsum(float v) { for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); return v; }
extern "C" __global__ void softmax(const float *in, float *out, int cols)
{
    __shared__ float red[32];
    const float *r = in + (size_t)blockIdx.x * cols; float *o = out + (size_t)blockIdx.x * cols;
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
    float m = -1e30f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) m = fmaxf(m, r[i]);
    m = wmax(m); if (lane == 0) red[w] = m; __syncthreads();
    m = red[0]; for (int i = 1; i < nw; i++) m = fmaxf(m, red[i]);
    __syncthreads();
    float s = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) { float e = expf(r[i] - m); o[i] = e; s += e; }
    s = wsum(s); if (lane == 0) red[w] = s; __syncthreads();
    s = 0; for (int i = 0; i < nw; i++) s += red[i];
    float inv = 1.0f / s;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) o[i] *= inv;
}
