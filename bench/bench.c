/* Driver of the benchmark programs:
 *
 *   PROGRAM WORK [--size N] [--threads N] [--reps N] [--variant NAME] [--folder DIR] [--no-check]
 *
 * prints one line: work, executor/variant, size, threads, invocations, median wall ms, median CPU ms, ms that the
 * first run and the preparation took beyond a steady run, checksum, "ok" / "WRONG" / "unchecked", warp instructions of
 * a run (0 = not counted), ms of compiling (0 = not known). */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_ms(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

bool bench_is(const struct bench_job *job, const char *work)
{
    return strcmp(job->work, work) == 0;
}

float bench_step(const struct bench_job *job)
{
    return 3.0f / (float)job->size;
}

char *bench_read(const struct bench_job *job, const char *suffix, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s", job->folder, job->work, suffix);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    *size = text != NULL ? fread(text, 1, (size_t)length, file) : 0;
    fclose(file);
    return text;
}

/* Sizes of a workload: default, and how many words go in and out for size n. */
struct work {
    const char *name;
    uint32_t size;
    bool square;                      /* a picture */
    bool surfaces;                    /* in surfaces, not in memory */
    unsigned in_n, in_d;              /* words in: elements * n / d */
    unsigned out_n, out_d, out_fixed; /* words out: elements * n / d, or fixed */
    unsigned threads;                 /* invocations for each element */
    bool accumulates;
};
static const struct work works[] = {
    {"w0", 32, false, false, 0, 1, 1, 1, 0, 1, false},         {"w1", 4096, true, true, 1, 1, 1, 1, 0, 1, false},
    {"w2", 4096, true, true, 1, 1, 1, 1, 0, 1, false},         {"w2b", 4096, true, true, 1, 1, 1, 1, 0, 1, false},
    {"w3", 4096, true, true, 0, 1, 1, 1, 0, 1, true},          {"w4", 4096, true, true, 1, 1, 0, 1, 256, 1, true},
    {"w5", 1u << 24, false, false, 1, 1, 0, 1, 256, 1, true},  {"w6", 4096, false, false, 0, 1, 32, 1, 0, 128, false},
    {"w7", 1u << 24, false, false, 1, 1, 1, 256, 0, 1, false}, {"w8", 1u << 20, false, false, 0, 1, 1, 1, 0, 1, false},
    {"w8f", 2048, true, false, 0, 1, 1, 1, 0, 1, false},       {"w9", 4096, true, true, 1, 1, 1, 1, 0, 1, false},
    {"w10", 2048, true, false, 1, 4, 1, 1, 0, 4, false},
};

static const struct work *find_work(const struct bench_job *job)
{
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++)
        if (bench_is(job, works[i].name))
            return &works[i];
    return NULL;
}

bool bench_square(const struct bench_job *job)
{
    return find_work(job)->square;
}

bool bench_surfaces(const struct bench_job *job)
{
    return find_work(job)->surfaces;
}

/* ---- Input ------------------------------------------------------------------------------------------------------- */

/* 24-bit pixels; all 32 bits where the four channels of a texel are filtered, 16 where sums are floats. */
static void fill_noise(struct bench_job *job)
{
    bool sums = bench_is(job, "w2") && strncmp(job->variant, "ctm", 3) == 0;
    bool channels = bench_is(job, "w2b") || bench_is(job, "w9");
    uint32_t x = 12345, mask = channels ? 0xffffffffu : sums ? 0xffffu : 0xffffffu;
    for (size_t i = 0; i < job->input_words; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        job->input[i] = x & mask;
    }
}

/* 16 bits that differ from point to point. */
static uint32_t scattered(uint32_t x, uint32_t y)
{
    uint32_t v = x * 0x9e3779b1u ^ y * 0x85ebca6bu;
    v ^= v >> 15;
    v *= 0x2c1b3c6du;
    v ^= v >> 12;
    v *= 0x297a2d39u;
    return v >> 16;
}

/* A binary picture, a byte a pixel, as thresholds make them: blobs of some 16 pixels that hang together here and there,
 * and specks. */
static void fill_blobs(struct bench_job *job)
{
    unsigned char *pixels = (unsigned char *)job->input;
    for (uint32_t y = 0; y < job->size; y++) {
        for (uint32_t x = 0; x < job->size; x++) {
            uint32_t cx = x / 16, cy = y / 16, fx = x % 16, fy = y % 16;
            uint32_t top = scattered(cx, cy) * (16 - fx) + scattered(cx + 1, cy) * fx;
            uint32_t low = scattered(cx, cy + 1) * (16 - fx) + scattered(cx + 1, cy + 1) * fx;
            bool blob = top / 16 * (16 - fy) + low / 16 * fy >= 16 * 32768u, speck = scattered(~x, y) < 1024;
            pixels[(size_t)y * job->size + x] = blob != speck;
        }
    }
}

static bool prepare(struct bench_job *job)
{
    const struct work *work = find_work(job);
    if (work == NULL) {
        fprintf(stderr, "no workload '%s'\n", job->work);
        return false;
    }
    if (job->size == 0)
        job->size = work->size;
    size_t elements = work->square ? (size_t)job->size * job->size : job->size;
    job->invocations = (uint64_t)elements * work->threads;
    job->input_words = elements * work->in_n / work->in_d;
    job->output_words = work->out_fixed != 0 ? work->out_fixed : elements * work->out_n / work->out_d;
    job->accumulates = work->accumulates;
    job->output = calloc(job->output_words, 4);
    if (job->input_words > 0)
        job->input = malloc(job->input_words * 4);
    if (job->output == NULL || (job->input_words > 0 && job->input == NULL))
        return false;
    (bench_is(job, "w10") ? fill_blobs : fill_noise)(job);
    return true;
}

static uint64_t checksum(const struct bench_job *job)
{
    uint64_t hash = 0xcbf29ce484222325u;
    if (bench_is(job, "w8f")) { /* a plain sum, to be compared with a tolerance */
        uint64_t sum = 0;
        for (size_t i = 0; i < job->output_words; i++)
            sum += job->output[i];
        return sum;
    }
    for (size_t i = 0; i < job->output_words; i++)
        hash = (hash ^ job->output[i]) * 0x100000001b3u;
    return hash;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], by_value);
    return values[count / 2];
}

/* What plain C gives for the same job, into its output. */
static bool plainly(const struct bench_job *job)
{
    struct bench_job copy = *job;
    copy.variant = "best";
    void *state = plain_executor.open(&copy);
    if (state == NULL)
        return false;
    memset(copy.output, 0, copy.output_words * 4);
    plain_executor.reset(state);
    plain_executor.run(state);
    plain_executor.fetch(state, &copy);
    plain_executor.close(state);
    return true;
}

/* The same of a filter on texels of four channels: each is a picture of half the width and height. */
static bool plainly_by_channels(const struct bench_job *job)
{
    size_t texels = job->output_words / 4;
    uint32_t *words = malloc(2 * texels * sizeof *words);
    struct bench_job one = *job;
    one.size /= 2;
    one.input = words;
    one.output = words ? words + texels : NULL;
    one.input_words = one.output_words = texels;
    bool ok = words != NULL;
    for (unsigned c = 0; c < 4 && ok; c++) {
        for (size_t i = 0; i < texels; i++)
            one.input[i] = job->input[4 * i + c];
        ok = plainly(&one);
        for (size_t i = 0; i < texels; i++)
            job->output[4 * i + c] = one.output[i];
    }
    free(words);
    return ok;
}

static uint64_t expected(const struct bench_job *job)
{
    bool channels = bench_is(job, "w2") && strcmp(job->variant, "ctm4") == 0;
    return (channels ? plainly_by_channels(job) : plainly(job)) ? checksum(job) : 0;
}

static bool same(const struct bench_job *job, uint64_t got, uint64_t want)
{
    if (!bench_is(job, "w8f"))
        return got == want;
    uint64_t difference = got > want ? got - want : want - got;
    return difference <= want / 20000 + 16 * BENCH_LIMIT; /* fused multiply-adds move a few escapes */
}

#define MAX_REPS 101

static int measure(struct bench_job *job, int reps, bool check)
{
    const struct bench_executor *executor = bench_program();
    double wall[MAX_REPS], cpu[MAX_REPS];
    double start = clock_ms(CLOCK_MONOTONIC);
    void *state = executor->open(job);
    if (state == NULL)
        return 1;
    if (job->accumulates)
        executor->reset(state);
    if (!executor->run(state))
        return 1;
    double first = clock_ms(CLOCK_MONOTONIC) - start;
    int done = 0;
    for (double began = clock_ms(CLOCK_MONOTONIC); done < reps; done++) {
        if (job->accumulates)
            executor->reset(state);
        if (done >= 3 && clock_ms(CLOCK_MONOTONIC) - began > 10e3)
            break; /* ten seconds say enough */
        wall[done] = clock_ms(CLOCK_MONOTONIC);
        cpu[done] = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        if (!executor->run(state))
            return 1;
        wall[done] = clock_ms(CLOCK_MONOTONIC) - wall[done];
        cpu[done] = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu[done];
    }
    if (!executor->fetch(state, job))
        return 1;
    executor->close(state);
    uint64_t sum = checksum(job);
    const char *verdict = !check ? "unchecked" : same(job, sum, expected(job)) ? "ok" : "WRONG";
    double wall_ms = done > 0 ? median(wall, done) : first, cpu_ms = done > 0 ? median(cpu, done) : first;
    printf("%s %s%s%s %" PRIu32 " %u %" PRIu64 " %.4f %.4f %.2f %016" PRIx64 " %s %" PRIu64 " %.2f\n", job->work,
           executor->name, job->variant[0] != 0 ? "/" : "", job->variant, job->size, job->threads, job->invocations,
           wall_ms, cpu_ms, first - wall_ms, sum, verdict, job->instructions, job->compile_ms);
    return strcmp(verdict, "WRONG") == 0;
}

int main(int argc, char **argv)
{
    struct bench_job job = {.work = argc > 1 ? argv[1] : "", .variant = "", .folder = "bench", .threads = 2};
    int reps = 7;
    bool check = true;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--no-check") == 0)
            check = false;
        else if (i + 1 == argc)
            return fprintf(stderr, "%s needs a value\n", argv[i]), 2;
        else if (strcmp(argv[i], "--size") == 0)
            job.size = (uint32_t)strtoul(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--threads") == 0)
            job.threads = (unsigned)strtoul(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--reps") == 0)
            reps = atoi(argv[++i]);
        else if (strcmp(argv[i], "--variant") == 0)
            job.variant = argv[++i];
        else if (strcmp(argv[i], "--folder") == 0)
            job.folder = argv[++i];
        else
            return fprintf(stderr, "unknown option %s\n", argv[i]), 2;
    }
    if (reps > MAX_REPS)
        reps = MAX_REPS;
    return prepare(&job) ? measure(&job, reps, check) : 2;
}
