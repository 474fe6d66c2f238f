/* Sorts 1024 words a block in shared memory. */
extern "C" __global__ void bitonic(unsigned *data)
{
    __shared__ unsigned s[1024];
    int t = threadIdx.x; unsigned *d = data + (size_t)blockIdx.x * 1024;
    s[t] = d[t];
    __syncthreads();
    for (int k = 2; k <= 1024; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            int p = t ^ j;
            if (p > t) {
                bool up = (t & k) == 0;
                unsigned a = s[t], b = s[p];
                if ((a > b) == up) { s[t] = b; s[p] = a; }
            }
            __syncthreads();
        }
    d[t] = s[t];
}
