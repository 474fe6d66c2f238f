/* Plain C versions of the example kernels that work on arrays; see ref.h. */
#include "ref.h"

#include <math.h>
#include <string.h>

void ref_histogram(const uint8_t *bytes, size_t count, uint32_t bins[256])
{
    for (size_t i = 0; i < count; i++)
        bins[bytes[i]]++;
}

uint32_t ref_sum(const uint32_t *in, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += in[i];
    return sum;
}

static float tree(const float *in, size_t first, size_t count, size_t step)
{
    if (step == 256)
        return first < count ? in[first] : 0.0f;
    return tree(in, first, count, step * 2) + tree(in, first + step, count, step * 2);
}

void ref_tree_sums(const float *in, size_t count, float *out)
{
    for (size_t block = 0; block * 256 < count; block++)
        out[block] = tree(in + block * 256, 0, count - block * 256, 1);
}

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The constants of FIPS 180-4 are fractional parts of square and cube roots of primes; computed here, so that the
 * reference shares no table with the kernel. */
static void prime_roots(uint32_t state[8], uint32_t rounds[64])
{
    int found = 0;
    for (unsigned n = 2; found < 64; n++) {
        unsigned d = 2;
        while (d * d <= n && n % d != 0)
            d++;
        if (d * d <= n)
            continue;
        long double root = cbrtl(n), square = sqrtl(n);
        rounds[found] = (uint32_t)((root - floorl(root)) * 4294967296.0L);
        if (found < 8)
            state[found] = (uint32_t)((square - floorl(square)) * 4294967296.0L);
        found++;
    }
}

static void compress(uint32_t state[8], const uint32_t rounds[64], const uint8_t chunk[64])
{
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)chunk[4 * i] << 24 | (uint32_t)chunk[4 * i + 1] << 16 | (uint32_t)chunk[4 * i + 2] << 8 |
               chunk[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10));
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t1 =
            v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + rounds[i] + w[i];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void ref_sha256(const uint8_t *message, size_t length, uint32_t digest[8])
{
    uint32_t rounds[64];
    uint8_t tail[128] = {0};
    size_t whole = length / 64 * 64, rest = length - whole, end = rest < 56 ? 64 : 128;
    prime_roots(digest, rounds);
    for (size_t at = 0; at < whole; at += 64)
        compress(digest, rounds, message + at);
    if (rest > 0)
        memcpy(tail, message + whole, rest);
    tail[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        tail[end - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    for (size_t at = 0; at < end; at += 64)
        compress(digest, rounds, tail + at);
}

uint32_t ref_sha256_mine(uint32_t word, uint32_t bits, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        uint8_t message[8];
        uint32_t digest[8];
        for (unsigned i = 0; i < 4; i++) {
            message[i] = (uint8_t)(word >> (24 - 8 * i));
            message[4 + i] = (uint8_t)(n >> (24 - 8 * i));
        }
        ref_sha256(message, 8, digest);
        if (bits == 0 || digest[0] >> (32 - bits) == 0)
            return n;
    }
    return UINT32_MAX;
}

uint32_t ref_list_sum(uint32_t id, uint32_t length)
{
    uint32_t sum = 0;
    for (uint32_t i = length; i-- > 0;)
        sum = sum * 7 + id * 31 + i;
    return sum;
}

uint32_t ref_ackermann(uint32_t m, uint32_t n)
{
    if (m == 0)
        return n + 1;
    return ref_ackermann(m - 1, n == 0 ? 1 : ref_ackermann(m, n - 1));
}

uint32_t ref_fibonacci(uint32_t n)
{
    uint32_t a = 0, b = 1;
    while (n-- > 0) {
        uint32_t c = a + b;
        a = b;
        b = c;
    }
    return a;
}

int32_t ref_dispatch(int32_t which, int32_t x)
{
    int32_t count = 0;
    uint32_t n = (uint32_t)x;
    switch (which & 3) {
    case 0:
        return (int32_t)(0u - n);
    case 1:
        return (int32_t)(n * n);
    case 2:
        for (; n != 0; n &= n - 1)
            count++;
        return count;
    default:
        for (; n > 1; count++)
            n = n % 2 ? 3 * n + 1 : n / 2;
        return count;
    }
}
