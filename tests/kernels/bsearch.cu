/* The first element of a sorted array that is not below a value. */
extern "C" __global__ void bsearch_(const unsigned *sorted, int m, const unsigned *q, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = q[i]; int lo = 0, hi = m;
    while (lo < hi) { int mid = (lo + hi) / 2; if (sorted[mid] < v) lo = mid + 1; else hi = mid; }
    out[i] = lo;
}
