/* Insertion sort, a thread an array of 32 in local memory. */
extern "C" __global__ void insort(const int *in, int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int a[32];
    for (int i = 0; i < 32; i++) a[i] = in[t * 32 + i];
    for (int i = 1; i < 32; i++) {
        int v = a[i], j = i - 1;
        while (j >= 0 && a[j] > v) { a[j + 1] = a[j]; j--; }
        a[j + 1] = v;
    }
    for (int i = 0; i < 32; i++) out[t * 32 + i] = a[i];
}
