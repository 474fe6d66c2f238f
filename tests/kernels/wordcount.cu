/* Counts words and letters. */
extern "C" __global__ void wordcount(const unsigned char *text, int n, int *words, int *letters)
{
    __shared__ int cw, cl;
    if (threadIdx.x == 0) cw = cl = 0;
    __syncthreads();
    int w = 0, l = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char c = text[i], p = i ? text[i - 1] : ' ';
        bool a = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), b = (p >= 'a' && p <= 'z') || (p >= 'A' && p <= 'Z');
        l += a; w += a && !b;
    }
    atomicAdd(&cw, w); atomicAdd(&cl, l);
    __syncthreads();
    if (threadIdx.x == 0) { atomicAdd(words, cw); atomicAdd(letters, cl); }
}
