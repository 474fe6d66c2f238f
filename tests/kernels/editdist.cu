/* Edit distance, a block a pair of strings of 256: antidiagonals, a thread a row. */
extern "C" __global__ void editdist(const char *A, const char *B, int *out)
{
    __shared__ int d[3][257];
    __shared__ char b[256];
    int t = threadIdx.x; char a = A[blockIdx.x * 256 + t];
    b[t] = B[blockIdx.x * 256 + t];
    if (t == 0) { d[0][0] = 0; }
    __syncthreads();
    int *p2 = d[2], *p1 = d[0], *c = d[1];
    for (int k = 1; k <= 512; k++) {
        int i = t + 1, j = k - i; /* cell (i, j) on antidiagonal k */
        if (t == 0 && k <= 256) c[0] = k;
        if (j == 0) c[i] = i;
        if (j >= 1 && j <= 256) {
            int v = p2[i - 1] + (a != b[j - 1]);
            v = min(v, min(p1[i - 1], p1[i]) + 1);
            c[i] = v;
        }
        __syncthreads();
        int *x = p2; p2 = p1; p1 = c; c = x;
    }
    if (t == 255) out[blockIdx.x] = p1[256];
}
