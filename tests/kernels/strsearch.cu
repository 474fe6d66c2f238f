/* Counts a word in a text and finds its first place. */
extern "C" __global__ void strsearch(const char *text, int n, const char *pat, int m, int *count, int *first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + m > n) return;
    int j = 0;
    while (j < m && text[i + j] == pat[j]) j++;
    if (j == m) { atomicAdd(count, 1); atomicMin(first, i); }
}
