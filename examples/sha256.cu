/* SHA-256 (FIPS 180-4): one message of `length` bytes a thread, messages one after another in `messages`;
 * eight words of digest a thread in `digests`. sha256_mine looks for a number whose digest starts with zero bits. */

__constant__ unsigned round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static __device__ unsigned rotate(unsigned x, int n)
{
    return __funnelshift_r(x, x, n);
}

static __device__ void compress(unsigned state[8], unsigned w[64])
{
#pragma unroll 1
    for (int i = 16; i < 64; i++) {
        unsigned a = w[i - 15], b = w[i - 2];
        unsigned s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3), s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    unsigned h[8];
    for (int i = 0; i < 8; i++)
        h[i] = state[i];
#pragma unroll 8
    for (int i = 0; i < 64; i++) {
        unsigned s1 = rotate(h[4], 6) ^ rotate(h[4], 11) ^ rotate(h[4], 25);
        unsigned t1 = h[7] + s1 + ((h[4] & h[5]) ^ (~h[4] & h[6])) + round_constants[i] + w[i];
        unsigned s0 = rotate(h[0], 2) ^ rotate(h[0], 13) ^ rotate(h[0], 22);
        unsigned t2 = s0 + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
        for (int j = 7; j > 0; j--)
            h[j] = h[j - 1];
        h[4] += t1;
        h[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += h[i];
}

static __device__ void start(unsigned state[8])
{
    const unsigned initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++)
        state[i] = initial[i];
}

/* Byte i of the padded message: the message, 0x80, zeros, and its length in bits in the last eight bytes. */
static __device__ unsigned padded(const unsigned char *message, unsigned length, unsigned total, unsigned i)
{
    if (i < length)
        return message[i];
    if (i == length)
        return 0x80;
    return i + 4 < total ? 0 : (length * 8) >> (8 * (total - 1 - i)) & 0xff;
}

extern "C" __global__ void sha256(const unsigned char *messages, unsigned length, unsigned count, unsigned *digests)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count)
        return;
    const unsigned char *message = messages + (size_t)id * length;
    unsigned total = (length + 9 + 63) / 64 * 64, state[8], w[64];
    start(state);
#pragma unroll 1
    for (unsigned at = 0; at < total; at += 64) {
#pragma unroll 1
        for (unsigned i = 0; i < 16; i++) {
            unsigned word = 0;
            for (unsigned j = 0; j < 4; j++)
                word = word << 8 | padded(message, length, total, at + 4 * i + j);
            w[i] = word;
        }
        compress(state, w);
    }
    for (int i = 0; i < 8; i++)
        digests[id * 8 + i] = state[i];
}

/* Smallest n in [0, threads) for which sha256(word, n; eight bytes, most significant first) has `bits` zero bits in
 * front: left in *found by an atomic minimum, so every order of threads gives the same answer. */
extern "C" __global__ void sha256_mine(unsigned word, unsigned bits, unsigned *found)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state[8], w[64] = {word, id, 0x80000000u, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64};
    start(state);
    compress(state, w);
    if (__clz(state[0]) >= bits)
        atomicMin(found, id);
}
