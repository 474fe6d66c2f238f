/* Ten rounds of AES by tables in shared memory, a thread a block of 16 bytes. */
extern "C" __global__ void aes(const uint4 *in, uint4 *out, const unsigned *T, const unsigned *rk, int n)
{
    __shared__ unsigned t[4][256];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) t[i >> 8][i & 255] = T[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 s = in[i];
    for (int r = 0; r < 10; r++) {
        uint4 q;
        q.x = t[0][s.x >> 24] ^ t[1][(s.y >> 16) & 255] ^ t[2][(s.z >> 8) & 255] ^ t[3][s.w & 255] ^ rk[r * 4];
        q.y = t[0][s.y >> 24] ^ t[1][(s.z >> 16) & 255] ^ t[2][(s.w >> 8) & 255] ^ t[3][s.x & 255] ^ rk[r * 4 + 1];
        q.z = t[0][s.z >> 24] ^ t[1][(s.w >> 16) & 255] ^ t[2][(s.x >> 8) & 255] ^ t[3][s.y & 255] ^ rk[r * 4 + 2];
        q.w = t[0][s.w >> 24] ^ t[1][(s.x >> 16) & 255] ^ t[2][(s.y >> 8) & 255] ^ t[3][s.z & 255] ^ rk[r * 4 + 3];
        s = q;
    }
    out[i] = s;
}
