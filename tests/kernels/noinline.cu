/* A function that is called from four places. */
__device__ __noinline__ float shade(float x, float y, int k) { float s = 0; for (int i = 0; i < k; i++) s = s * 0.5f + x * y + i; return s; }
extern "C" __global__ void noinline_(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i], s = shade(v, 2.0f, 8);
    if (v > 0.5f) s += shade(v, s, 12); else s -= shade(s, v, 4);
    out[i] = shade(s, v, 6);
}
