/* A sorting network in registers, a thread 16 words. */
#define CS(i, j) { int x = min(a[i], a[j]), y = max(a[i], a[j]); a[i] = x; a[j] = y; }
extern "C" __global__ void sortnet(const int *in, int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int a[16];
#pragma unroll
    for (int i = 0; i < 16; i++) a[i] = in[t * 16 + i];
#pragma unroll
    for (int k = 2; k <= 16; k *= 2)
#pragma unroll
        for (int j = k / 2; j > 0; j /= 2)
#pragma unroll
            for (int i = 0; i < 16; i++) if ((i ^ j) > i) { if (i & k) CS(i ^ j, i) else CS(i, i ^ j) }
#pragma unroll
    for (int i = 0; i < 16; i++) out[t * 16 + i] = a[i];
}
