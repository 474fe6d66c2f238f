/* Prices of options: expf, logf, sqrtf, divisions. */
__device__ float cnd(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228040143267794f * expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) c = 1.0f - c;
    return c;
}
extern "C" __global__ void blackscholes(const float *S, const float *X, const float *T, float *call, float *put, int n, float r, float v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float st = sqrtf(T[i]), d1 = (logf(S[i] / X[i]) + (r + 0.5f * v * v) * T[i]) / (v * st), d2 = d1 - v * st;
    float c1 = cnd(d1), c2 = cnd(d2), e = expf(-r * T[i]);
    call[i] = S[i] * c1 - X[i] * e * c2; put[i] = X[i] * e * (1.0f - c2) - S[i] * (1.0f - c1);
}
