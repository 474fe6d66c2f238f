/* FFT of 1024 points a block, 512 threads, radix 2, twiddles from a table. */
extern "C" __global__ void fft(const float2 *in, float2 *out, const float2 *tw)
{
    __shared__ float2 s[1024];
    int t = threadIdx.x; size_t base = (size_t)blockIdx.x * 1024;
    for (int i = t; i < 1024; i += 512) s[__brev(i) >> 22] = in[base + i];
    __syncthreads();
    for (int len = 1; len < 1024; len <<= 1) {
        int k = t & (len - 1), i = ((t - k) << 1) + k, j = i + len;
        float2 w = tw[k * (512 / len)], a = s[i], b = s[j];
        float re = b.x * w.x - b.y * w.y, im = b.x * w.y + b.y * w.x;
        s[i] = make_float2(a.x + re, a.y + im); s[j] = make_float2(a.x - re, a.y - im);
        __syncthreads();
    }
    for (int i = t; i < 1024; i += 512) out[base + i] = s[i];
}
