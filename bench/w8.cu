/* W8: integer compute: each thread makes `rounds` (4096) rounds of xorshift and a linear congruential step. */
extern "C" __global__ void w8(unsigned *out, unsigned rounds)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = id + 1u;
#pragma unroll 1
    for (unsigned i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x = x * 1664525u + 1013904223u;
    }
    out[id] = x;
}
