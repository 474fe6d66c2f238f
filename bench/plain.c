/* The workloads in plain C, with OpenMP. Two variants:
 *
 *   literal  what the kernel says: locked atomics, trees in arrays, compare-and-swap loops
 *   best     what a person who knows the whole program would write: W1 non-temporal stores, W3 plain adds, W4 private
 *            histograms, W5 W6 no locks in group memory, W7 straight sums, W9 sums of columns, W10 strips of rows
 * They are the yardstick of the times and the reference of the checksums. */
#include "plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void w0(struct plain *p)
{
    for (int i = 0; i < p->n; i++)
        p->out[i] = (uint32_t)i;
}

static void w1(struct plain *p)
{
    const uint32_t *restrict in = p->in;
    uint32_t *restrict out = p->out;
    size_t count = p->words;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] + 1;
}

static void w1_best(struct plain *p)
{
    typedef uint32_t vec __attribute__((vector_size(64)));
    size_t count = p->words / 16;
    const vec *in = (const vec *)p->in;
    vec *out = (vec *)p->out;
    if ((uintptr_t)p->in % 64 != 0 || p->words % 16 != 0) {
        w1(p);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t i = 0; i < count; i++) {
#if defined(__x86_64__) && defined(__AVX512F__)
        vec v = in[i] + 1;
        __asm__ volatile("vmovntdq %1, %0" : "=m"(out[i]) : "v"(v));
#else
        out[i] = in[i] + 1;
#endif
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void w2_row(const uint32_t *restrict a, const uint32_t *restrict b, const uint32_t *restrict c,
                   uint32_t *restrict out, int n)
{
    for (int x = 1; x < n - 1; x++)
        out[x] = (a[x - 1] + a[x] + a[x + 1] + b[x - 1] + b[x] + b[x + 1] + c[x - 1] + c[x] + c[x + 1]) / 9;
    for (int x = 0; x<n; x += n> 1 ? n - 1 : 1) {
        int l = x > 0 ? x - 1 : 0, r = x < n - 1 ? x + 1 : n - 1;
        out[x] = (a[l] + a[x] + a[r] + b[l] + b[x] + b[r] + c[l] + c[x] + c[r]) / 9;
    }
}

static void w2(struct plain *p)
{
    int n = p->n;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (int y = 0; y < n; y++) {
        const uint32_t *b = p->in + (size_t)y * (size_t)n;
        w2_row(y > 0 ? b - n : b, b, y < n - 1 ? b + n : b, p->out + (size_t)y * (size_t)n, n);
    }
}

static void w2b_row(const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c,
                    uint8_t *restrict out, int n)
{
    for (int i = 4; i < 4 * (n - 1); i++) {
        unsigned sum = 4u + a[i - 4] + a[i] + a[i + 4] + b[i - 4] + b[i] + b[i + 4] + c[i - 4] + c[i] + c[i + 4];
        out[i] = (uint8_t)((uint16_t)sum / 9);
    }
    for (int x = 0; x<n; x += n> 1 ? n - 1 : 1) {
        int l = x > 0 ? -4 : 0, r = x < n - 1 ? 4 : 0;
        for (int i = 4 * x; i < 4 * x + 4; i++) {
            unsigned sum = 4u + a[i + l] + a[i] + a[i + r] + b[i + l] + b[i] + b[i + r] + c[i + l] + c[i] + c[i + r];
            out[i] = (uint8_t)(sum / 9);
        }
    }
}

static void w2b(struct plain *p)
{
    int n = p->n;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (int y = 0; y < n; y++) {
        const uint32_t *b = p->in + (size_t)y * (size_t)n, *a = y > 0 ? b - n : b, *c = y < n - 1 ? b + n : b;
        w2b_row((const uint8_t *)a, (const uint8_t *)b, (const uint8_t *)c, (uint8_t *)(p->out + (size_t)y * (size_t)n),
                n);
    }
}

static void w3(struct plain *p)
{
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t i = 0; i < p->words; i++)
        __atomic_fetch_add(&p->out[i], 1, __ATOMIC_RELAXED);
}

static void w3_best(struct plain *p)
{
    uint32_t *out = p->out;
    size_t count = p->words;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t i = 0; i < count; i++)
        out[i]++;
}

static void w4(struct plain *p)
{
    size_t count = p->job->input_words;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t i = 0; i < count; i++)
        __atomic_fetch_add(&p->out[p->in[i] >> 16 & 255], 1, __ATOMIC_RELAXED);
}

static void w4_best(struct plain *p)
{
    size_t count = p->job->input_words;
#pragma omp parallel num_threads(p->threads)
    {
        uint32_t bins[4][256];
        memset(bins, 0, sizeof bins);
#pragma omp for schedule(static)
        for (size_t i = 0; i < count / 4; i++)
            for (size_t k = 0; k < 4; k++)
                bins[k][p->in[4 * i + k] >> 16 & 255]++;
        for (int i = 0; i < 256; i++)
            __atomic_fetch_add(&p->out[i], bins[0][i] + bins[1][i] + bins[2][i] + bins[3][i], __ATOMIC_RELAXED);
    }
    for (size_t i = count / 4 * 4; i < count; i++)
        p->out[p->in[i] >> 16 & 255]++;
}

static void w5(struct plain *p)
{
    size_t count = p->job->input_words;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t first = 0; first < count; first += 4096) {
        uint32_t bins[256] = {0};
        for (size_t i = first; i < first + 4096 && i < count; i++)
            __atomic_fetch_add(&bins[p->in[i] >> 16 & 255], 1, __ATOMIC_RELAXED);
        for (int i = 0; i < 256; i++)
            __atomic_fetch_add(&p->out[i], bins[i], __ATOMIC_RELAXED);
    }
}

/* One block of W6: thread t, round i: word ((t >> 2) + i) & 31. */
static void w6(struct plain *p)
{
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (int block = 0; block < p->n; block++) {
        uint32_t words[32] = {0};
        for (unsigned i = 0; i < 64; i++) {
            for (unsigned t = 0; t < 128; t++) {
                uint32_t *word = &words[((t >> 2) + i) & 31];
                uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
                while (!__atomic_compare_exchange_n(word, &old, old + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                    ;
            }
        }
        memcpy(p->out + 32 * (size_t)block, words, sizeof words);
    }
}

static void w6_best(struct plain *p)
{
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (int block = 0; block < p->n; block++) {
        volatile uint32_t words[32] = {0};
        for (unsigned i = 0; i < 64; i++)
            for (unsigned t = 0; t < 128; t++)
                words[((t >> 2) + i) & 31]++;
        for (int i = 0; i < 32; i++)
            p->out[32 * (size_t)block + (size_t)i] = words[i];
    }
}

static void w7(struct plain *p)
{
    size_t blocks = p->words;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t block = 0; block < blocks; block++) {
        uint32_t sums[256];
        memcpy(sums, p->in + block * 256, sizeof sums);
        for (int distance = 128; distance > 0; distance /= 2)
            for (int i = 0; i < distance; i++)
                sums[i] += sums[i + distance];
        p->out[block] = sums[0];
    }
}

static void w7_best(struct plain *p)
{
    size_t blocks = p->words;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t block = 0; block < blocks; block++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < 256; i++)
            sum += p->in[block * 256 + i];
        p->out[block] = sum;
    }
}

static void w8(struct plain *p)
{
    size_t count = p->words;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t first = 0; first < count; first += 64) {
        uint32_t x[64];
        for (size_t k = 0; k < 64; k++)
            x[k] = (uint32_t)(first + k) + 1;
        for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
            for (size_t k = 0; k < 64; k++) {
                x[k] ^= x[k] << 13;
                x[k] ^= x[k] >> 17;
                x[k] ^= x[k] << 5;
                x[k] = x[k] * 1664525u + 1013904223u;
            }
        }
        for (size_t k = 0; k < 64 && first + k < count; k++)
            p->out[first + k] = x[k];
    }
}

/* 32 neighbouring points at a time, so that the compiler can make vectors. */
static void w8f(struct plain *p)
{
    float step = bench_step(p->job);
    int n = p->n;
#pragma omp parallel for schedule(dynamic, 8) num_threads(p->threads)
    for (int row = 0; row < n; row++) {
        for (int first = 0; first < n; first += 32) {
            float cx[32], cy = fmaf(step, (float)row, -1.5f), x[32] = {0}, y[32] = {0}, xx[32] = {0}, yy[32] = {0};
            uint32_t counts[32] = {0}, alive = 1;
            for (int k = 0; k < 32; k++)
                cx[k] = fmaf(step, (float)(first + k), -2.25f);
            for (unsigned i = 0; i < BENCH_LIMIT && alive != 0; i++) {
                alive = 0;
                for (int k = 0; k < 32; k++) {
                    uint32_t on = xx[k] + yy[k] <= 4.0f;
                    float ny = fmaf(x[k] + x[k], y[k], cy), nx = (xx[k] - yy[k]) + cx[k];
                    y[k] = on ? ny : y[k];
                    x[k] = on ? nx : x[k];
                    xx[k] = x[k] * x[k];
                    yy[k] = y[k] * y[k];
                    counts[k] += on;
                    alive |= on;
                }
            }
            for (int k = 0; k < 32 && first + k < n; k++)
                p->out[(size_t)row * (size_t)n + (size_t)(first + k)] = counts[k];
        }
    }
}

static const struct {
    const char *name;
    void (*literal)(struct plain *);
    void (*best)(struct plain *);
} table[] = {
    {"w0", w0, w0},
    {"w1", w1, w1_best},
    {"w2", w2, w2},
    {"w2b", w2b, w2b},
    {"w3", w3, w3_best},
    {"w4", w4, w4_best},
    {"w5", w5, w4_best},
    {"w6", w6, w6_best},
    {"w7", w7, w7_best},
    {"w8", w8, w8},
    {"w8f", w8f, w8f},
    {"w9", plain_w9, plain_w9_best},
    {"w10", plain_w10, plain_w10_best},
};

static void *plain_open(const struct bench_job *job)
{
    struct plain *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->job = job;
    p->words = job->output_words;
    p->n = (int)job->size;
    p->threads = (int)job->threads;
    p->out = aligned_alloc(64, (job->output_words * 4 + 63) / 64 * 64);
    uint32_t *in = NULL;
    if (job->input_words > 0)
        in = aligned_alloc(64, (job->input_words * 4 + 63) / 64 * 64);
    if (in != NULL)
        memcpy(in, job->input, job->input_words * 4);
    p->in = in;
    if (p->out != NULL)
        memset(p->out, 0, job->output_words * 4);
    return p;
}

static void plain_reset(void *state)
{
    struct plain *p = state;
    memset(p->out, 0, p->words * 4);
}

static bool plain_run(void *state)
{
    struct plain *p = state;
    bool best = strcmp(p->job->variant, "best") == 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (bench_is(p->job, table[i].name)) {
            (best ? table[i].best : table[i].literal)(p);
            return true;
        }
    }
    return false;
}

static bool plain_fetch(void *state, struct bench_job *job)
{
    struct plain *p = state;
    memcpy(job->output, p->out, p->words * 4);
    return true;
}

static void plain_close(void *state)
{
    struct plain *p = state;
    free((void *)(uintptr_t)p->in);
    free(p->out);
    free(p);
}

const struct bench_executor plain_executor = {"plain", plain_open, plain_reset, plain_run, plain_fetch, plain_close};
