/* Philox random numbers, four words at once. */
extern "C" __global__ void philox(uint4 *out, int n, unsigned k0, unsigned k1)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned c0 = i, c1 = 0, c2 = 0, c3 = 0, a = k0, b = k1;
        for (int r = 0; r < 10; r++) {
            unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
            c0 = h1 ^ c1 ^ a; c1 = l1; c2 = h0 ^ c3 ^ b; c3 = l0;
            a += 0x9E3779B9u; b += 0xBB67AE85u;
        }
        out[i] = make_uint4(c0, c1, c2, c3);
    }
}
