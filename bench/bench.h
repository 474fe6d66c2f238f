/* What the benchmark programs share. Each program (atoll_bench, plain_bench, opencl_bench, vulkan_bench) is one
 * executor and bench.c, which makes the input, times the runs, checks the output against plain C and prints one line.
 */
#ifndef ATOLL_BENCH_H
#define ATOLL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One workload at one size. `size` is the width and height of a picture (bench_square), the pixels (w5), blocks (w6),
 * words (w7) or threads (w0 w8). */
struct bench_job {
    const char *work;    /* "w1" ... */
    const char *variant; /* of the executor: "" = its usual one */
    const char *folder;  /* with the kernels */
    uint32_t size;
    unsigned threads; /* host threads */
    uint64_t invocations;
    uint32_t *input; /* NULL: none */
    size_t input_words;
    uint32_t *output;
    size_t output_words;
    uint64_t instructions; /* of a run, by warps; 0 = not counted */
    double compile_ms;     /* of the kernels, without opening the compiler; 0 = not known */
    bool accumulates;      /* the output must be zeroed before each run */
};

#define BENCH_ROUNDS 4096u /* of w8 */
#define BENCH_LIMIT  256u  /* iterations of w8f */

struct bench_executor {
    const char *name;
    /* Prepares the work: NULL = cannot (a message went to stderr). The first run is timed separately. */
    void *(*open)(const struct bench_job *job);
    void (*reset)(void *state); /* zero the output, not timed */
    bool (*run)(void *state);
    bool (*fetch)(void *state, struct bench_job *job); /* fill job->output */
    void (*close)(void *state);
};
/* The executor of this program. */
const struct bench_executor *bench_program(void);
extern const struct bench_executor plain_executor; /* plain.c: variants "literal" and "best" */

bool bench_is(const struct bench_job *job, const char *work);
bool bench_square(const struct bench_job *job);   /* a picture */
bool bench_surfaces(const struct bench_job *job); /* which is in surfaces where there are some */
/* Step between two points of w8f. */
float bench_step(const struct bench_job *job);
/* Reads folder/work<suffix>; the caller frees it. NULL: not there (said on stderr). */
char *bench_read(const struct bench_job *job, const char *suffix, size_t *size);

#endif
