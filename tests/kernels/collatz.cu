/* Lengths of Collatz sequences: lanes leave a loop at very different times. */
extern "C" __global__ void collatz(int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long v = i + 1; int s = 0;
        while (v != 1) { v = v & 1 ? 3 * v + 1 : v >> 1; s++; }
        out[i] = s;
    }
}
