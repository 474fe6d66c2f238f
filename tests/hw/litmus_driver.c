/* hw_litmus_record: runs litmus tests on a GPU through the CUDA driver API and counts what it shows.
 *
 *   hw_litmus_record [--device N] [--only TEXT] [--seconds S] [--seed N] CASES RESULTS
 *
 * Each test runs for S seconds (0.2), alone on the device. Needs libcuda.so.1 only. Exit status: 0 recorded, 2 cannot,
 * 77 no GPU here (skipped). */
#include "../number.h"
#include "litmus.h"
#include "workers.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS = 5 /* a test may take beside the time that it was given */, MOST_UNITS = 132 };

struct options {
    const char *cases, *results, *only;
    int device;
    double seconds;
    uint64_t seed;
};

/* What the functions of the job need. */
struct record {
    const struct options *options;
    const struct hwl_cases *cases;
};

static void write_result(FILE *file, const struct hwl_result *r)
{
    struct hw_text text = {0};
    hwl_result_text(&text, r);
    fwrite(text.data, 1, text.size, file);
    hw_free(&text);
}

static const struct hwl_case *case_at(const struct hw_job *job, size_t item)
{
    return &((const struct record *)job->of)->cases->at[item];
}

static unsigned case_seconds(const struct hw_job *job, size_t item)
{
    const struct options *o = ((const struct record *)job->of)->options;
    return !o->only || strstr(case_at(job, item)->name, o->only) ? SECONDS + (unsigned)o->seconds : 0;
}

static bool record_case(const struct hw_job *job, const struct hw_worker *w, size_t item)
{
    static struct hwl_result result;
    const struct options *o = ((const struct record *)job->of)->options;
    struct hwl_effort effort = {.seconds = o->seconds,
                                .units = w->gpu.units < MOST_UNITS ? (unsigned)w->gpu.units : MOST_UNITS,
                                .seed = o->seed + item,
                                .device = w->device};
    hwl_run(&w->cuda, case_at(job, item), &effort, &result);
    write_result(w->file, &result);
    return result.status == HW_RAN;
}

static void bury_case(const struct hw_job *job, size_t item, int signal, FILE *file)
{
    static struct hwl_result r;
    const struct hwl_case *c = case_at(job, item);
    r = (struct hwl_result){.digest = c->digest};
    memcpy(r.name, c->name, sizeof r.name);
    r.status = hw_buried(signal, r.detail, sizeof r.detail);
    write_result(file, &r);
}

static void write_head(const struct hw_origin *origin, FILE *file)
{
    struct hwl_results header = {.origin = *origin};
    struct hw_text text = {0};
    hwl_results_header(&text, &header);
    fwrite(text.data, 1, text.size, file);
    hw_free(&text);
}

static bool take_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--only") == 0 && more)
            o->only = argv[++i];
        else if (strcmp(argv[i], "--device") == 0 && more && number_read_int(argv[i + 1], 0, &o->device))
            i++;
        else if (strcmp(argv[i], "--seconds") == 0 && more && number_read_seconds(argv[i + 1], 3600, &o->seconds))
            i++;
        else if (strcmp(argv[i], "--seed") == 0 && more && number_read(argv[i + 1], 0, UINT64_MAX, &o->seed))
            i++;
        else if (argv[i][0] != '-' && !o->cases)
            o->cases = argv[i];
        else if (argv[i][0] != '-' && !o->results)
            o->results = argv[i];
        else
            return false;
    }
    return o->results != NULL;
}

int main(int argc, char **argv)
{
    struct options options = {.seconds = 0.2};
    struct hwl_cases cases = {0};
    if (!take_options(argc, argv, &options)) {
        fputs("usage: hw_litmus_record [--device N] [--only TEXT] [--seconds S] [--seed N] CASES RESULTS\n", stderr);
        return 2;
    }
    if (!hwl_cases_read(options.cases, &cases))
        return 2;
    struct record record = {&options, &cases};
    struct hw_job job = {.program = "hw_litmus_record",
                         .results = options.results,
                         .device = options.device,
                         .jobs = 1,
                         .count = cases.count,
                         .of = &record,
                         .seconds = case_seconds,
                         .run = record_case,
                         .bury = bury_case,
                         .head = write_head};
    int status = hw_work(&job);
    hwl_cases_free(&cases);
    return status;
}
