/* sinf, cosf and powf. */
extern "C" __global__ void sincos_(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sinf(in[i]) * cosf(in[i] * 0.5f) + powf(fabsf(in[i]), 1.3f);
}
