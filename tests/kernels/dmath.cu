/* exp, log, square root and division of doubles. */
extern "C" __global__ void dmath(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = exp(-in[i]) + log(in[i]) + sqrt(in[i]) / (1 + in[i]);
}
