/* Counts primes by trial division. */
extern "C" __global__ void primes(int *count, unsigned from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = from + 2 * i + 1;
    bool p = true;
    for (unsigned d = 3; d * d <= v; d += 2) if (v % d == 0) { p = false; break; }
    if (p) atomicAdd(count, 1);
}
