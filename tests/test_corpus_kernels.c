/* Small kernels of many kinds (tests/data/kernels): all must load, and those whose work has a plain C description are
 * run in every order and held against it. `half`, `cvt`, `video` and the like are lists of instructions: they must
 * load, and run to their end. */
#include "ref/ref.h"
#include "ref/rig.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rig_shape line(uint32_t blocks, uint32_t threads)
{
    return (struct rig_shape){{blocks, 1, 1}, {threads, 1, 1}, 0};
}

static void fill(void *bytes, size_t size, uint32_t seed)
{
    uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(rig_random(&seed) >> 9);
}

/* Small whole floats: sums and products of a few are exact in any order. */
static void fill_whole(float *values, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(int)(rig_random(&seed) % 64) - 20.0f;
}

static void all_load(void **state)
{
    const struct rig_mode *mode = *state;
    const char *suffix = mode->suffix ? mode->suffix : ".ptx";
    DIR *folder = opendir(DATA_DIR "/kernels");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[300];
        size_t length = strlen(entry->d_name);
        size_t tail = strlen(suffix);
        if (length <= tail || length >= sizeof name || strcmp(entry->d_name + length - tail, suffix) != 0)
            continue;
        memcpy(name, entry->d_name, length - tail);
        name[length - tail] = 0;
        struct rig rig;
        rig_open(&rig, *state, DATA_DIR "/kernels", name);
        assert_non_null(atoll_module_kernel_at(rig.module, 0));
        rig_close(&rig);
        count++;
    }
    closedir(folder);
    assert_true(count >= 34);
}

/* The kernels with the parameters (in, out, n): one warp, random input. What they compute is for other tests. */
static void lists_run(void **state)
{
    static const char *const names[] = {"atom_generic", "atom_shared", "atom_shared_abs", "cmp",   "cvt",  "f32",
                                        "f64",          "half",        "iarith16",        "sregs", "video"};
    static uint8_t in[1 << 16];
    fill(in, sizeof in, 99);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct rig rig;
        struct rig_args args = {0};
        const struct rig_mode *mode = *state;
        if (mode->suffix && strcmp(names[i], "half") == 0)
            continue; /* sm_53 */
        rig_open(&rig, mode, DATA_DIR "/kernels", names[i]);
        rig.races = true; /* all threads store what they got to one place */
        rig_u64(&args, rig_buffer(&rig, in, sizeof in));
        rig_u64(&args, rig_buffer(&rig, NULL, sizeof in));
        rig_u32(&args, 32);
        rig_launch(&rig, names[i], line(1, 32), &args);
        rig_close(&rig);
    }
}

/* Breadth-first search over a random graph, one launch a level. */
static void bfs(void **state)
{
    enum { N = 600, EDGES = 1500 };
    int32_t rows[N + 1], columns[EDGES], want[N], got[N], changed = 1;
    uint32_t seed = 1;
    for (int i = 0; i <= N; i++)
        rows[i] = i * EDGES / N;
    for (int i = 0; i < EDGES; i++)
        columns[i] = (int32_t)(rig_random(&seed) % N);
    for (int i = 0; i < N; i++)
        want[i] = i == 0 ? 0 : -1;
    memcpy(got, want, sizeof got);
    for (int level = 0, again = 1; again; level++) {
        again = 0;
        for (int v = 0; v < N; v++) {
            for (int e = rows[v]; want[v] == level && e < rows[v + 1]; e++) {
                if (want[columns[e]] == -1) {
                    want[columns[e]] = level + 1;
                    again = 1;
                }
            }
        }
    }
    struct rig rig;
    rig_open(&rig, *state, DATA_DIR "/kernels", "bfs");
    rig.races = true; /* it looks at distances that others set by atomics, by plain loads */
    uint64_t r = rig_buffer(&rig, rows, sizeof rows), c = rig_buffer(&rig, columns, sizeof columns);
    uint64_t d = rig_buffer(&rig, got, sizeof got), flag = rig_buffer(&rig, NULL, 4);
    for (uint32_t level = 0; changed; level++) {
        struct rig_args args = {0};
        assert_true(level < N);
        changed = 0;
        rig_put(&rig, flag, &changed, 4);
        rig_u64(&args, r);
        rig_u64(&args, c);
        rig_u64(&args, d);
        rig_u32(&args, level);
        rig_u32(&args, N);
        rig_u64(&args, flag);
        rig_launch(&rig, "_Z3bfsPKiS0_PiiiS1_", line(5, 128), &args);
        rig_fetch(&rig, flag, &changed, 4);
    }
    rig_fetch(&rig, d, got, sizeof got);
    rig_same(got, want, 4, N, "bfs");
    rig_close(&rig);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void bitonic(void **state)
{
    enum { N = 512 };
    uint32_t want[N], got[N];
    struct rig rig;
    fill(want, sizeof want, 2);
    rig_open(&rig, *state, DATA_DIR "/kernels", "bitonic");
    uint64_t data = rig_buffer(&rig, want, sizeof want);
    for (uint32_t k = 2; k <= N; k *= 2) {
        for (uint32_t j = k / 2; j > 0; j /= 2) {
            struct rig_args args = {0};
            rig_u64(&args, data);
            rig_u32(&args, j);
            rig_u32(&args, k);
            rig_launch(&rig, "_Z7bitonicPjii", line(N / 64, 64), &args);
        }
    }
    rig_fetch(&rig, data, got, sizeof got);
    qsort(want, N, sizeof want[0], by_value);
    rig_same(got, want, 4, N, "bitonic");
    rig_close(&rig);
}

static void crc(void **state)
{
    enum { N = 48, LENGTH = 100 };
    uint8_t bytes[N * LENGTH];
    uint32_t want[N], got[N];
    struct rig rig;
    struct rig_args args = {0};
    fill(bytes, sizeof bytes, 3);
    for (int t = 0; t < N; t++) { /* polynomial division bit by bit, most significant coefficient in bit 0 */
        uint32_t remainder = 0xffffffffu;
        for (int bit = 0; bit < LENGTH * 8; bit++) {
            uint32_t in = (uint32_t)bytes[t * LENGTH + bit / 8] >> (bit % 8) & 1;
            remainder = (remainder & 1) != in ? remainder >> 1 ^ 0xedb88320u : remainder >> 1;
        }
        want[t] = ~remainder;
    }
    rig_open(&rig, *state, DATA_DIR "/kernels", "crc");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, rig_buffer(&rig, bytes, sizeof bytes));
    rig_u64(&args, out);
    rig_u32(&args, LENGTH);
    rig_launch(&rig, "_Z3crcPKhPji", line(1, N), &args);
    rig_fetch(&rig, out, got, sizeof got);
    rig_same(got, want, 4, N, "crc");
    rig_close(&rig);
}

/* Division of every type. One thread a launch: the kernel's threads read their neighbour's operand. */
static void division(void **state)
{
    enum { N = 40 };
    int32_t a[N], n = -7, ga[N];
    uint32_t b[N], m = 1000003, gb[N], seed = 4;
    int64_t c[N], k = 123456789012, gc[N];
    float f[N + 1], gf[N + 1];
    double g[N + 1], gg[N + 1];
    struct rig rig;
    fill(a, sizeof a, 5);
    fill(b, sizeof b, 6);
    fill(c, sizeof c, 7);
    c[3] = 5;
    for (int i = 0; i <= N; i++) {
        f[i] = ldexpf((float)(int32_t)rig_random(&seed), (int)(rig_random(&seed) % 200) - 130);
        g[i] = ldexp((double)(int32_t)rig_random(&seed), (int)(rig_random(&seed) % 1500) - 750);
    }
    f[4] = 0;
    g[9] = 1e-310;
    rig_open(&rig, *state, DATA_DIR "/kernels", "div");
    uint64_t at[5] = {rig_buffer(&rig, a, sizeof a), rig_buffer(&rig, b, sizeof b), rig_buffer(&rig, c, sizeof c),
                      rig_buffer(&rig, f, sizeof f), rig_buffer(&rig, g, sizeof g)};
    for (uint64_t i = 0; i < N; i++) {
        struct rig_args args = {0};
        rig_u64(&args, at[0] + 4 * i);
        rig_u64(&args, at[1] + 4 * i);
        rig_u64(&args, at[2] + 8 * i);
        rig_u64(&args, at[3] + 4 * i);
        rig_u64(&args, at[4] + 8 * i);
        rig_u32(&args, (uint32_t)n);
        rig_u32(&args, m);
        rig_u64(&args, (uint64_t)k);
        rig_launch(&rig, "_Z2dvPiPjPxPfPdijx", line(1, 1), &args);
    }
    rig_fetch(&rig, at[0], ga, sizeof ga);
    rig_fetch(&rig, at[1], gb, sizeof gb);
    rig_fetch(&rig, at[2], gc, sizeof gc);
    rig_fetch(&rig, at[3], gf, sizeof gf);
    rig_fetch(&rig, at[4], gg, sizeof gg);
    for (int i = 0; i < N; i++) {
        float fq = f[i] / f[i + 1];
        double gq = g[i] / g[i + 1];
        assert_int_equal(ga[i], a[i] / n + a[i] % n);
        assert_int_equal(gb[i], b[i] / m + b[i] % m);
        assert_true(gc[i] == c[i] / k + c[i] % k);
        assert_true(memcmp(&gf[i], &fq, 4) == 0 || (isnan(fq) && isnan(gf[i])));
        assert_true(memcmp(&gg[i], &gq, 8) == 0 || (isnan(gq) && isnan(gg[i])));
    }
    rig_close(&rig);
}

/* The kernel uses approximate sine and cosine: a tolerance. Against a plain discrete Fourier transform. */
static void fft(void **state)
{
    enum { N = 512 };
    static float in[2 * N], got[2 * N];
    struct rig rig;
    struct rig_args args = {0};
    uint32_t seed = 8;
    for (int i = 0; i < 2 * N; i++)
        in[i] = (float)(int)(rig_random(&seed) % 201) / 100.0f - 1.0f;
    rig_open(&rig, *state, DATA_DIR "/kernels", "fft");
    uint64_t data = rig_buffer(&rig, in, sizeof in);
    rig_u64(&args, data);
    rig_u32(&args, N);
    rig_launch(&rig, "_Z3fftP6float2i", line(1, N), &args);
    rig_fetch(&rig, data, got, sizeof got);
    for (int k = 0; k < N; k++) {
        double re = 0, im = 0;
        for (int i = 0; i < N; i++) {
            double angle = -2 * 3.14159265358979323846 * (i * k % N) / N;
            re += in[2 * i] * cos(angle) - in[2 * i + 1] * sin(angle);
            im += in[2 * i] * sin(angle) + in[2 * i + 1] * cos(angle);
        }
        assert_true(fabs(got[2 * k] - re) < 1e-3 && fabs(got[2 * k + 1] - im) < 1e-3);
    }
    rig_close(&rig);
}

static void histogram(void **state)
{
    enum { N = 20000 };
    static uint8_t bytes[N];
    uint32_t want[256] = {0}, got[256];
    struct rig rig;
    struct rig_args args = {0};
    fill(bytes, sizeof bytes, 9);
    ref_histogram(bytes, N, want);
    rig_open(&rig, *state, DATA_DIR "/kernels", "histogram");
    uint64_t bins = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, rig_buffer(&rig, bytes, sizeof bytes));
    rig_u64(&args, bins);
    rig_u32(&args, N);
    rig_launch(&rig, "_Z4histPKhPji", line(6, 256), &args);
    rig_fetch(&rig, bins, got, sizeof got);
    rig_same(got, want, 4, 256, "histogram");
    rig_close(&rig);
}

static void life(void **state)
{
    enum { W = 50, H = 37 };
    uint8_t a[W * H], b[W * H], got[W * H];
    struct rig rig;
    fill(a, sizeof a, 10);
    for (int i = 0; i < W * H; i++)
        a[i] &= 1;
    rig_open(&rig, *state, DATA_DIR "/kernels", "life");
    uint64_t at[2] = {rig_buffer(&rig, a, sizeof a), rig_buffer(&rig, NULL, sizeof a)};
    for (int step = 0; step < 6; step++) {
        struct rig_args args = {0};
        rig_u64(&args, at[step % 2]);
        rig_u64(&args, at[1 - step % 2]);
        rig_u32(&args, W);
        rig_u32(&args, H);
        rig_launch(&rig, "_Z4lifePKhPhii", (struct rig_shape){{4, 5, 1}, {16, 8, 1}, 0}, &args);
        for (int i = 0; i < W * H; i++) {
            int x = i % W, y = i / W, alive = -a[i];
            for (int n = 0; n < 9; n++)
                alive += a[(y + n / 3 + H - 1) % H * W + (x + n % 3 + W - 1) % W];
            b[i] = alive == 3 || (alive == 2 && a[i]);
        }
        memcpy(a, b, sizeof a);
    }
    rig_fetch(&rig, at[0], got, sizeof got);
    rig_same(got, a, 1, W * H, "life");
    rig_close(&rig);
}

static void lock(void **state)
{
    int32_t count = 0;
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, *state, DATA_DIR "/kernels", "lock");
    uint64_t counter = rig_buffer(&rig, NULL, 4);
    rig_u64(&args, counter);
    rig_launch(&rig, "_Z2lkPi", line(4, 50), &args);
    rig_fetch(&rig, counter, &count, 4);
    assert_int_equal(count, 200);
    rig_close(&rig);
}

static void mandel(void **state)
{
    enum { W = 40, H = 30 };
    int32_t want[W * H], got[W * H];
    struct rig rig;
    struct rig_args args = {0};
    for (int i = 0; i < W * H; i++) {
        double cr = fma(i % W, 0.07, -2.1), ci = fma(i / W, 0.07, -1.05), x = 0, y = 0;
        want[i] = 0;
        while (x * x + y * y < 4 && want[i] < 1000) {
            double t = x * x - y * y + cr;
            y = fma(x + x, y, ci);
            x = t;
            want[i]++;
        }
    }
    rig_open(&rig, *state, DATA_DIR "/kernels", "mandel");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, out);
    rig_u32(&args, W);
    rig_u32(&args, H);
    rig_f64(&args, -2.1);
    rig_f64(&args, -1.05);
    rig_f64(&args, 0.07);
    rig_launch(&rig, "_Z6mandelPiiiddd", (struct rig_shape){{3, 4, 1}, {16, 8, 1}, 0}, &args);
    rig_fetch(&rig, out, got, sizeof got);
    rig_same(got, want, 4, W * H, "mandel");
    rig_close(&rig);
}

static void matmul(void **state)
{
    enum { N = 48 };
    static float a[N * N], b[N * N], want[N * N], got[N * N];
    uint32_t seed = 11;
    struct rig rig;
    struct rig_args args = {0};
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(int32_t)rig_random(&seed) / 1e9f;
        b[i] = (float)(int32_t)rig_random(&seed) / 1e9f;
    }
    for (int i = 0; i < N * N; i++) {
        want[i] = 0;
        for (int k = 0; k < N; k++)
            want[i] = fmaf(a[i / N * N + k], b[k * N + i % N], want[i]);
    }
    rig_open(&rig, *state, DATA_DIR "/kernels", "matmul");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, rig_buffer(&rig, a, sizeof a));
    rig_u64(&args, rig_buffer(&rig, b, sizeof b));
    rig_u64(&args, out);
    rig_u32(&args, N);
    rig_launch(&rig, "_Z6matmulPKfS0_Pfi", (struct rig_shape){{3, 3, 1}, {16, 16, 1}, 0}, &args);
    rig_fetch(&rig, out, got, sizeof got);
    rig_same(got, want, 4, N * N, "matmul");
    rig_close(&rig);
}

/* A 16-byte structure as parameter, vector stores, a 64-bit count that is not a multiple of the block. */
static void set_memory(void **state)
{
    enum { N = 333 };
    static const uint32_t value[4] = {1, 0x80000000u, 3, 0xffffffffu};
    static uint32_t want[4 * (N + 3)], got[4 * (N + 3)];
    struct rig rig;
    struct rig_args args = {0};
    memset(want, 0, sizeof want);
    for (int i = 0; i < 4 * N; i++)
        want[i] = value[i % 4];
    rig_open(&rig, *state, DATA_DIR "/kernels", "memset");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, out);
    rig_u64(&args, 0); /* the structure is aligned to 16 bytes */
    for (int i = 0; i < 4; i++)
        rig_u32(&args, value[i]);
    rig_u64(&args, N);
    rig_launch(&rig, "_Z2msP5uint4S_m", line(3, 128), &args);
    rig_fetch(&rig, out, got, sizeof got);
    rig_same(got, want, 16, N + 3, "memset");
    rig_close(&rig);
}

static void reduce(void **state)
{
    enum { N = 5000 };
    static float in[N];
    float want = 0, got = 0;
    struct rig rig;
    struct rig_args args = {0};
    fill_whole(in, N, 12);
    for (int i = 0; i < N; i++)
        want += in[i];
    rig_open(&rig, *state, DATA_DIR "/kernels", "reduce");
    uint64_t out = rig_buffer(&rig, NULL, 4);
    rig_u64(&args, rig_buffer(&rig, in, sizeof in));
    rig_u64(&args, out);
    rig_u32(&args, N);
    rig_launch(&rig, "_Z3redPKfPfi", (struct rig_shape){{5, 1, 1}, {128, 1, 1}, 128 * 4}, &args);
    rig_fetch(&rig, out, &got, 4);
    assert_memory_equal(&got, &want, 4);
    rig_close(&rig);
}

static void saxpy_and_vecadd(void **state)
{
    enum { N = 1111 };
    float x[N], y[N], want[N], got[N];
    struct rig rig;
    struct rig_args args = {0}, add = {0};
    uint32_t seed = 13;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(int32_t)rig_random(&seed) * 1e-3f;
        y[i] = (float)(int32_t)rig_random(&seed) * 1e-4f;
        want[i] = fmaf(x[i], 0.3f, y[i]);
    }
    rig_open(&rig, *state, DATA_DIR "/kernels", "saxpy");
    uint64_t at = rig_buffer(&rig, y, sizeof y);
    rig_u32(&args, N);
    rig_f32(&args, 0.3f);
    rig_u64(&args, rig_buffer(&rig, x, sizeof x));
    rig_u64(&args, at);
    rig_launch(&rig, "_Z5saxpyifPKfPf", line(3, 96), &args);
    rig_fetch(&rig, at, got, sizeof got);
    rig_same(got, want, 4, N, "saxpy");
    rig_close(&rig);

    rig_open(&rig, *state, DATA_DIR "/kernels", "vecadd");
    at = rig_buffer(&rig, NULL, sizeof y);
    rig_u64(&add, rig_buffer(&rig, x, sizeof x));
    rig_u64(&add, rig_buffer(&rig, y, sizeof y));
    rig_u64(&add, at);
    rig_u32(&add, N);
    rig_launch(&rig, "_Z6vecaddPKfS0_Pfi", line(12, 96), &add);
    rig_fetch(&rig, at, got, sizeof got);
    for (int i = 0; i < N; i++)
        want[i] = x[i] + y[i];
    rig_same(got, want, 4, N, "vecadd");
    rig_close(&rig);
}

static void scan(void **state)
{
    enum { N = 1024 };
    int32_t in[N], want[N], got[N], sum = 0;
    uint32_t seed = 14;
    struct rig rig;
    struct rig_args args = {0};
    for (int i = 0; i < N; i++) {
        in[i] = (int32_t)(rig_random(&seed) % 2001) - 1000;
        want[i] = sum;
        sum += in[i];
    }
    rig_open(&rig, *state, DATA_DIR "/kernels", "scan");
    uint64_t data = rig_buffer(&rig, in, sizeof in);
    rig_u64(&args, data);
    rig_u32(&args, N);
    rig_launch(&rig, "_Z4scanPii", line(1, N / 2), &args);
    rig_fetch(&rig, data, got, sizeof got);
    rig_same(got, want, 4, N, "scan");
    rig_close(&rig);
}

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The compression of SHA-256 with other constants and without the final addition. */
static void compress(const uint32_t in[16], const uint32_t constants[64], uint32_t h[8])
{
    uint32_t w[64];
    for (uint32_t i = 0; i < 64; i++) {
        if (i < 16) {
            w[i] = in[i] >> 24 | (in[i] >> 8 & 0xff00u) | (in[i] << 8 & 0xff0000u) | in[i] << 24;
        } else {
            uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
        }
    }
    for (uint32_t i = 0; i < 8; i++)
        h[i] = i + 1;
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = h[7] + (rotate(h[4], 6) ^ rotate(h[4], 11) ^ rotate(h[4], 25)) +
                      ((h[4] & h[5]) ^ (~h[4] & h[6])) + constants[i] + w[i];
        uint32_t t2 =
            (rotate(h[0], 2) ^ rotate(h[0], 13) ^ rotate(h[0], 22)) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
        memmove(h + 1, h, 7 * sizeof h[0]);
        h[4] += t1;
        h[0] = t1 + t2;
    }
}

static void sha256(void **state)
{
    enum { N = 64 };
    uint32_t in[N * 16], constants[64], want[N * 8], got[N * 8];
    uint64_t address = 0, size = 0;
    struct atoll_error error = {0};
    struct rig rig;
    struct rig_args args = {0};
    fill(in, sizeof in, 15);
    fill(constants, sizeof constants, 16);
    for (int i = 0; i < N; i++)
        compress(in + 16 * i, constants, want + 8 * i);
    rig_open(&rig, *state, DATA_DIR "/kernels", "sha256");
    assert_true(atoll_module_variable(rig.module, "K", &address, &size, &error));
    assert_int_equal(size, sizeof constants);
    rig_put(&rig, address, constants, sizeof constants);
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, rig_buffer(&rig, in, sizeof in));
    rig_u64(&args, out);
    rig_launch(&rig, "_Z3shaPKjPj", line(1, N), &args);
    rig_fetch(&rig, out, got, sizeof got);
    rig_same(got, want, 4, N * 8, "sha256");
    rig_close(&rig);
}

static int32_t switch_reference(const int32_t *op, int32_t *a, int n)
{
    uint32_t acc = 0;
    for (int i = 0; i < n; i++) {
        int32_t x = a[i], s = (int32_t)acc;
        uint32_t u = (uint32_t)x;
        if (op[i] == 8)
            continue;
        if (op[i] == 9)
            break;
        switch (op[i]) {
        case 0:
            acc += u;
            break;
        case 1:
            acc -= u;
            break;
        case 2:
            acc *= u;
            break;
        case 3:
            acc ^= u;
            break;
        case 4:
            acc <<= u & 31;
            break;
        case 5:
            acc = (uint32_t)__builtin_popcount(acc);
            break;
        case 6:
            acc = (uint32_t)(s < x ? s : x);
            break;
        case 7:
            acc = x != 0 ? (uint32_t)(s / x) : acc;
            break;
        default:
            acc = ~acc;
        }
        if (acc == 77)
            break;
        a[i] = (int32_t)acc;
    }
    return (int32_t)acc;
}

static void switches(void **state)
{
    enum { N = 60 };
    struct rig rig;
    rig_open(&rig, *state, DATA_DIR "/kernels", "switch");
    for (uint32_t seed = 100; seed < 110; seed++) {
        int32_t op[N], a[N + 1] = {0}, got[N + 1];
        uint32_t s = seed;
        struct rig_args args = {0};
        for (int i = 0; i < N; i++) {
            op[i] = (int32_t)(rig_random(&s) % 12);
            if (op[i] == 9 && i < 40)
                op[i] = 8;
            a[i] = (int32_t)(rig_random(&s) % 100) - 30;
        }
        uint64_t data = rig_buffer(&rig, a, sizeof a);
        rig_u64(&args, rig_buffer(&rig, op, sizeof op));
        rig_u64(&args, data);
        rig_u32(&args, N);
        a[N] = switch_reference(op, a, N);
        rig_launch(&rig, "_Z2swPKiPii", line(1, 1), &args);
        rig_fetch(&rig, data, got, sizeof got);
        rig_same(got, a, 4, N + 1, "switch");
    }
    rig_close(&rig);
}

static void transpose(void **state)
{
    enum { W = 75, H = 49 };
    static float in[W * H], want[W * H], got[W * H];
    struct rig rig;
    struct rig_args args = {0};
    fill_whole(in, W * H, 17);
    for (int i = 0; i < W * H; i++)
        want[i % W * H + i / W] = in[i];
    rig_open(&rig, *state, DATA_DIR "/kernels", "transpose");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, out);
    rig_u64(&args, rig_buffer(&rig, in, sizeof in));
    rig_u32(&args, W);
    rig_u32(&args, H);
    rig_launch(&rig, "_Z2trPfPKfii", (struct rig_shape){{3, 2, 1}, {32, 8, 1}, 0}, &args);
    rig_fetch(&rig, out, got, sizeof got);
    rig_same(got, want, 4, W * H, "transpose");
    rig_close(&rig);
}

/* One warp of smemat.cu, every statement by all lanes in turn: what the deterministic order promises. */
static void shared_atomics_reference(int32_t o[32], uint64_t q[32], float f[32])
{
    int32_t s[64] = {0}, r[32], c[32];
    uint64_t t[32], z[32];
    for (int i = 0; i < 32; i++) {
        s[i] = i;
        t[i] = (uint64_t)i;
    }
    for (int i = 0; i < 32; i++)
        s[i & 7] = s[i & 7] > i ? s[i & 7] : i;
    for (int i = 0; i < 32; i++)
        s[i & 3] = s[i & 3] < -i ? s[i & 3] : -i;
    for (int i = 0; i < 32; i++) {
        s[9] &= i;
        s[10] |= i;
        s[11] ^= i;
        s[12] = s[12] >= 77 ? 0 : s[12] + 1;
        s[13] = s[13] == 0 || s[13] > 88 ? 88 : s[13] - 1;
    }
    for (int i = 0; i < 32; i++) {
        r[i] = s[14];
        s[14] = i;
    }
    for (int i = 0; i < 32; i++) {
        c[i] = s[15];
        s[15] = c[i] == i ? r[i] : c[i];
    }
    for (int i = 0; i < 32; i++) {
        z[i] = t[1];
        t[1] = z[i] == 5 ? (uint64_t)i : z[i];
    }
    for (int i = 0; i < 32; i++) {
        uint64_t old = t[2];
        t[2] = z[i];
        z[i] += old;
    }
    for (int i = 0; i < 32; i++) {
        uint64_t old = t[3];
        t[3] += z[i];
        z[i] += old;
    }
    for (int i = 0; i < 32; i++) {
        uint64_t old = t[4];
        t[4] = old > z[i] ? old : z[i];
        z[i] += old;
    }
    for (int i = 0; i < 32; i++) {
        o[i] = s[i] + r[i] + c[i];
        q[i] = t[i] + z[i];
        f[i] = (float)i + 1.5f + (float)i;
    }
}

static void shared_atomics(void **state)
{
    int32_t o[32], go[32];
    uint64_t q[32], gq[32];
    float f[32], gf[32];
    struct rig rig;
    struct rig_args args = {0};
    const struct rig_mode *mode = *state;
    if (mode->order != ATOLL_ORDER_DETERMINISTIC)
        return; /* many answers are right in other orders */
    shared_atomics_reference(o, q, f);
    rig_open(&rig, mode, DATA_DIR "/kernels", "smemat");
    uint64_t at[3] = {rig_buffer(&rig, NULL, sizeof o), rig_buffer(&rig, NULL, sizeof q),
                      rig_buffer(&rig, NULL, sizeof f)};
    for (int i = 0; i < 3; i++)
        rig_u64(&args, at[i]);
    rig_launch(&rig, "_Z2saPiPyPf", line(1, 32), &args);
    rig_fetch(&rig, at[0], go, sizeof go);
    rig_fetch(&rig, at[1], gq, sizeof gq);
    rig_fetch(&rig, at[2], gf, sizeof gf);
    rig_same(go, o, 4, 32, "int");
    rig_same(gq, q, 8, 32, "long");
    rig_same(gf, f, 4, 32, "float");
    rig_close(&rig);
}

/* surf.cu reads the same surface as 2D, 3D and 1D: the second access must be refused, the first be done. */
static void wrong_dimension(void **state)
{
    enum { W = 32, H = 4 };
    static uint8_t in[4 * W * H], got[4 * W * H];
    struct rig rig;
    struct rig_args args = {0};
    struct atoll_trap trap = {0};
    struct atoll_error error = {0};
    fill(in, sizeof in, 18);
    rig_open(&rig, *state, DATA_DIR "/kernels", "surf");
    struct atoll_surface *src = rig_surface(&rig, ATOLL_DIM_2D, "rgba8uint", W, H, 1, in);
    struct atoll_surface *dst = rig_surface(&rig, ATOLL_DIM_2D, "rgba8uint", W, H, 1, NULL);
    rig_u64(&args, atoll_surface_handle(src));
    rig_u64(&args, atoll_surface_handle(dst));
    rig_u32(&args, W);
    rig_u32(&args, H);
    assert_false(rig_try(&rig, "_Z2skyyii", (struct rig_shape){{1, 1, 1}, {32, 1, 1}, 0}, &args, &trap, &error));
    assert_int_equal(error.status, ATOLL_TRAP);
    rig_surface_fetch(dst, got, sizeof got);
    for (int i = 0; i < 4 * W; i++)
        assert_int_equal(got[i], i % 4 == 0 ? 255 - in[i] : in[i]);
    rig_close(&rig);
}

static void prints(void **state)
{
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, *state, DATA_DIR "/kernels", "vprintf");
    rig_u64(&args, rig_buffer(&rig, NULL, 4096));
    rig_launch(&rig, "vprintfk", line(1, 3), &args);
    assert_non_null(strstr(rig.printed, "0 2.000000\n"));
    assert_non_null(strstr(rig.printed, "1 2.000000\n"));
    assert_non_null(strstr(rig.printed, "2 2.000000\n"));
    assert_int_equal(rig.printed_size, 3 * strlen("0 2.000000\n"));
    rig_close(&rig);
}

int main(void)
{
    struct CMUnitTest tests[] = {
        RUN(all_load),
        RUN(lists_run),
        RUN(bfs),
        RUN(bitonic),
        RUN(crc),
        RUN(division),
        RUN(fft),
        RUN(histogram),
        RUN(life),
        RUN(lock),
        RUN(mandel),
        RUN(matmul),
        RUN(set_memory),
        RUN(reduce),
        RUN(saxpy_and_vecadd),
        RUN(scan),
        RUN(sha256),
        RUN(switches),
        RUN(transpose),
        RUN(shared_atomics),
        RUN(wrong_dimension),
        RUN(prints),
    };
    int failed = 0;
    for (int mode = 0; mode < 2 * RIG_MODES; mode++) {
        const struct rig_mode *one = mode < RIG_MODES ? &rig_modes[mode] : &rig_cubin_modes[mode - RIG_MODES];
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
            tests[i].initial_state = (void *)(uintptr_t)one;
        failed += cmocka_run_group_tests_name(one->name, tests, NULL, NULL);
    }
    /* nvlink joins the constant banks of all functions in those of the kernel. */
    struct rig_mode linked = rig_cubin_modes[1];
    struct CMUnitTest some[] = {RUN(division), RUN(fft), RUN(switches)};
    linked.suffix = ".linked.sm_50.cubin";
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        some[i].initial_state = &linked;
    failed += cmocka_run_group_tests_name("linked", some, NULL, NULL);
    return failed != 0;
}
