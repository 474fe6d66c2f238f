/* Powers modulo a 61-bit prime, in Montgomery form. */
typedef unsigned long long u64;
__device__ u64 mmul(u64 a, u64 b, u64 p, u64 pi)
{
    u64 lo = a * b, hi = __umul64hi(a, b), q = lo * pi, t = __umul64hi(q, p);
    u64 r = hi - t; if (hi < t) r += p; return r;
}
extern "C" __global__ void montgomery(const u64 *base, u64 *out, int n, u64 p, u64 pi, u64 r2, u64 e)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 b = mmul(base[i], r2, p, pi), r = mmul(1, r2, p, pi);
    for (u64 k = e; k; k >>= 1) { if (k & 1) r = mmul(r, b, p, pi); b = mmul(b, b, p, pi); }
    out[i] = mmul(r, 1, p, pi);
}
