/* The nearest of 256-bit words by popcounts. */
extern "C" __global__ void hamming(const unsigned long long *q, const unsigned long long *db, int *best, int nq, int ndb)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nq) return;
    unsigned long long a = q[i * 4], b = q[i * 4 + 1], c = q[i * 4 + 2], d = q[i * 4 + 3];
    int m = 1 << 30, at = -1;
    for (int j = 0; j < ndb; j++) {
        int h = __popcll(a ^ db[j * 4]) + __popcll(b ^ db[j * 4 + 1]) + __popcll(c ^ db[j * 4 + 2]) + __popcll(d ^ db[j * 4 + 3]);
        if (h < m) { m = h; at = j; }
    }
    best[i] = at;
}
