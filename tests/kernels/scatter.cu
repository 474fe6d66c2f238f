/* Stores to anywhere. */
extern "C" __global__ void scatter(const unsigned *idx, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[idx[i]] = in[i] + 1.0f;
}
