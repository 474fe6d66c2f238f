/* Edit distance, a thread a pair of strings of 32, the row in local memory. */
extern "C" __global__ void editdist_thread(const char *A, const char *B, int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned char row[33];
    for (int j = 0; j <= 32; j++) row[j] = j;
    for (int i = 1; i <= 32; i++) {
        char a = A[t * 32 + i - 1]; int diag = row[0]; row[0] = i;
        for (int j = 1; j <= 32; j++) {
            int v = min(min(row[j], row[j - 1]) + 1, diag + (a != B[t * 32 + j - 1]));
            diag = row[j]; row[j] = v;
        }
    }
    out[t] = row[32];
}
