/* hw_random_record: runs random kernels on a GPU through the CUDA driver API and writes digests of what they leave.
 *
 *   hw_random_record [--device N] [--jobs N] [--seconds S] [--beside RESULTS] FIRST COUNT RESULTS
 *
 * FIRST, COUNT: the seeds. --seconds: none begins later. --beside: where a kernel leaves something else than those
 * results say (Atoll's: hw_random --record), what it leaves is written, too, in lines "left SEED INPUT HEX": of the
 * first few of a kind that a worker comes to.
 * Needs libcuda.so.1 only. Exit status: 0 recorded, 2 cannot, 77 no GPU here (skipped). */
#include "../number.h"
#include "random.h"
#include "workers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECONDS = 30 /* a kernel may take */, LEFT = 3 };

struct record {
    const char *results, *beside;
    int device, jobs;
    time_t end; /* 0: none */
    uint32_t first, count;
    struct hwr_results expected;
};

static uint32_t seed_of(const struct hw_job *job, size_t item)
{
    return ((const struct record *)job->of)->first + (uint32_t)item;
}

static unsigned kernel_seconds(const struct hw_job *job, size_t item)
{
    const struct record *record = job->of;
    return hwr_wanted(seed_of(job, item)) && (!record->end || time(NULL) < record->end) ? SECONDS : 0;
}

static bool is_expected(const struct record *record, const struct hwr_result *r)
{
    for (size_t i = 0; i < record->expected.count; i++) {
        const struct hwr_result *e = &record->expected.at[i];
        if (e->seed == r->seed)
            return e->digest == r->digest && memcmp(e->left, r->left, sizeof r->left) == 0;
    }
    return true;
}

static void write_left(const struct hwr_result *r, const struct hwr_left *left, FILE *file)
{
    for (unsigned i = 0; i < HWR_INPUTS; i++) {
        struct hw_text text = {0};
        hw_hex(&text, &left[i], sizeof left[i]);
        fprintf(file, "left %" PRIu32 " %u %s\n", r->seed, i, text.data);
        hw_free(&text);
    }
}

static bool record_kernel(const struct hw_job *job, const struct hw_worker *w, size_t item)
{
    static struct hwr_left left[HWR_INPUTS];
    static unsigned written[DIFFERENTIAL_KINDS]; /* in this process */
    struct hwr_result result;
    hwr_run(&w->cuda, seed_of(job, item), &result, left);
    hwr_result_write(&result, w->file);
    if (result.status == HW_RAN && !is_expected(job->of, &result) &&
        written[differential_kind(result.seed & ~HWR_FUSED)]++ < LEFT)
        write_left(&result, left, w->file);
    return result.status == HW_RAN || result.status == HW_SKIP;
}

static void bury_kernel(const struct hw_job *job, size_t item, int signal, FILE *file)
{
    struct hwr_result r;
    hwr_result_begin(&r, seed_of(job, item));
    r.status = hw_buried(signal, r.detail, sizeof r.detail);
    hwr_result_write(&r, file);
}

static bool take_options(int argc, char **argv, struct record *r)
{
    unsigned places = 0;
    int seconds;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--device") == 0 && more && number_read_int(argv[i + 1], 0, &r->device))
            i++;
        else if (strcmp(argv[i], "--jobs") == 0 && more && number_read_int(argv[i + 1], 1, &r->jobs))
            i++;
        else if (strcmp(argv[i], "--seconds") == 0 && more && number_read_int(argv[i + 1], 0, &seconds)) {
            r->end = time(NULL) + seconds;
            i++;
        } else if (strcmp(argv[i], "--beside") == 0 && more)
            r->beside = argv[++i];
        else if (argv[i][0] == '-' || places > 2)
            return false;
        else if (places++ == 2)
            r->results = argv[i];
        else if (!number_read_u32(argv[i], places == 1 ? &r->first : &r->count))
            return false;
    }
    return places == 3 && r->jobs <= HW_MOST_JOBS;
}

static bool read_expected(struct record *record)
{
    char message[256];
    FILE *file = fopen(record->beside, "r");
    bool ok = file && hwr_results_read(file, &record->expected, message);
    if (!ok)
        fprintf(stderr, "%s: %s\n", record->beside, file ? message : "cannot be read");
    if (file)
        fclose(file);
    return ok;
}

int main(int argc, char **argv)
{
    struct record record = {.jobs = 1};
    if (!take_options(argc, argv, &record)) {
        fputs("usage: hw_random_record [--device N] [--jobs N] [--seconds S] [--beside RESULTS] FIRST COUNT RESULTS\n",
              stderr);
        return 2;
    }
    if (record.beside && !read_expected(&record))
        return 2;
    struct hw_job job = {.program = "hw_random_record",
                         .results = record.results,
                         .device = record.device,
                         .jobs = record.jobs,
                         .count = record.count,
                         .of = &record,
                         .seconds = kernel_seconds,
                         .run = record_kernel,
                         .bury = bury_kernel,
                         .head = hwr_head};
    int status = hw_work(&job);
    hwr_results_free(&record.expected);
    return status;
}
