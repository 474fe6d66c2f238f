/* Counts placements of queens by recursion. */
__device__ __noinline__ int queens(unsigned cols, unsigned l, unsigned r, unsigned all)
{
    if (cols == all) return 1;
    int c = 0;
    unsigned free_ = all & ~(cols | l | r);
    while (free_) { unsigned b = free_ & -free_; free_ ^= b; c += queens(cols | b, (l | b) << 1, (r | b) >> 1, all); }
    return c;
}
extern "C" __global__ void recurse(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = i % n, b = i / n % n, c = i / n / n;
    unsigned all = (1u << n) - 1, A = 1u << a, B = 1u << b, C = 1u << c;
    if (i >= n * n * n) return;
    unsigned l = A << 1, r = A >> 1, k = A; int res = 0;
    if (!((k | l | r) & B)) { k |= B; l = (l | B) << 1; r = (r | B) >> 1;
        if (!((k | l | r) & C)) { k |= C; l = (l | C) << 1; r = (r | C) >> 1; res = queens(k, l, r, all); } }
    out[i] = res;
}
