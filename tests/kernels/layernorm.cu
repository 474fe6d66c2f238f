/* Mean and variance of a row by a warp, then rsqrtf. */
__device__ float wsum(float v) { for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); return v; }
extern "C" __global__ void layernorm(const float *in, const float *g, const float *b, float *out, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float *r = in + (size_t)row * cols; float *o = out + (size_t)row * cols;
    float s = 0, q = 0;
    for (int i = lane; i < cols; i += 32) { float v = r[i]; s += v; q += v * v; }
    s = wsum(s); q = wsum(q);
    float mean = s / cols, inv = rsqrtf(q / cols - mean * mean + 1e-5f);
    for (int i = lane; i < cols; i += 32) o[i] = (r[i] - mean) * inv * g[i] + b[i];
}
