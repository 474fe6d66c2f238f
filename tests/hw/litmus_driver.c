/* hw_litmus_record: runs litmus tests on a GPU through the CUDA driver API and counts what it shows.
 *
 *   hw_litmus_record [--device N] [--only TEXT] [--seconds S] [--seed N] CASES RESULTS
 *
 * Each test runs for S seconds (0.2). As in hw_record a worker process runs tests until one faults or hangs, and the
 * next one goes on behind it. Needs libcuda.so.1 only. Exit status: 0 recorded, 2 cannot, 77 no GPU here (skipped). */
#include "litmus.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIP = 77, SECONDS = 5 /* a test may take beside the time that it was given */, MOST_UNITS = 132 };

struct options {
    const char *cases, *results, *only;
    int device;
    double seconds;
    uint64_t seed;
};

/* Shared with the workers. */
struct progress {
    volatile size_t next;
    volatile int found;
    int major, minor, driver, units;
    char device[128];
};

struct worker {
    const struct options *options;
    const struct hwl_cases *cases;
    struct progress *progress;
    FILE *file;
    struct cuda cuda;
    int device;
};

static bool identify(struct worker *w)
{
    struct progress *p = w->progress;
    int count = 0;
    if (!cuda_load(&w->cuda) || w->cuda.init(0) != CUDA_OK || w->cuda.device_count(&count) != CUDA_OK ||
        w->options->device >= count || w->cuda.device(&w->device, w->options->device) != CUDA_OK)
        return false;
    w->cuda.driver_version(&p->driver);
    w->cuda.device_name(p->device, sizeof p->device, w->device);
    w->cuda.attribute(&p->major, CUDA_MAJOR, w->device);
    w->cuda.attribute(&p->minor, CUDA_MINOR, w->device);
    w->cuda.attribute(&p->units, CUDA_UNITS, w->device);
    p->found = 1;
    return true;
}

static void write_result(FILE *file, const struct hwl_result *r)
{
    struct hw_text text = {0};
    hwl_result_text(&text, r);
    fwrite(text.data, 1, text.size, file);
    fflush(file);
    hw_free(&text);
}

/* Runs tests from progress->next on. A fault or an error ends it: either may have harmed the context. */
static int work(struct worker *w)
{
    static struct hwl_result result;
    const struct options *o = w->options;
    struct progress *p = w->progress;
    void *context;
    if (!identify(w) || w->cuda.context_create(&context, 0, w->device) != CUDA_OK)
        return 2;
    struct hwl_effort effort = {
        .seconds = o->seconds, .units = p->units < MOST_UNITS ? (unsigned)p->units : MOST_UNITS, .device = w->device};
    for (; p->next < w->cases->count; p->next++) {
        const struct hwl_case *c = &w->cases->at[p->next];
        if (o->only && !strstr(c->name, o->only))
            continue;
        effort.seed = o->seed + p->next;
        alarm(SECONDS + (unsigned)o->seconds);
        hwl_run(&w->cuda, c, &effort, &result);
        alarm(0);
        write_result(w->file, &result);
        if (result.status != HW_RAN) {
            p->next++;
            return 0;
        }
    }
    return 0;
}

/* What became of a worker's last test when it ended by a signal. */
static void bury(const struct hwl_case *c, int signal, FILE *file)
{
    static struct hwl_result r;
    r = (struct hwl_result){.digest = c->digest, .status = signal == SIGALRM ? HW_HANG : HW_ERROR};
    memcpy(r.name, c->name, sizeof r.name);
    snprintf(r.detail, sizeof r.detail, "the process ended by signal %d", signal);
    write_result(file, &r);
}

static int drive(struct worker *w)
{
    struct progress *p = w->progress;
    while (p->next < w->cases->count) {
        size_t before = p->next;
        fflush(w->file);
        pid_t child = fork();
        if (child == 0)
            _exit(work(w));
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 2;
        if (WIFSIGNALED(status) && p->next < w->cases->count) {
            bury(&w->cases->at[p->next++], WTERMSIG(status), w->file);
        } else if (p->next == before) { /* no context: no use in trying for ever */
            fprintf(stderr, "hw_litmus_record: the device gives no context\n");
            return 2;
        }
        fprintf(stderr, "%zu of %zu\n", p->next, w->cases->count);
    }
    return 0;
}

/* In a process of its own: CUDA must not be initialised before a fork that uses it. */
static bool find_device(struct worker *w)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(identify(w) ? 0 : SKIP);
    return child > 0 && waitpid(child, &status, 0) == child && w->progress->found;
}

static void write_header(FILE *file, const struct progress *p)
{
    struct hwl_results header = {.origin.source = "gpu"};
    struct hw_text text = {0};
    memcpy(header.origin.device, p->device, sizeof header.origin.device);
    snprintf(header.origin.driver, sizeof header.origin.driver, "%d.%d", p->driver / 1000, p->driver % 1000 / 10);
    snprintf(header.origin.compute, sizeof header.origin.compute, "%d.%d", p->major, p->minor);
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
        else if (strcmp(argv[i], "--device") == 0 && more)
            o->device = atoi(argv[++i]);
        else if (strcmp(argv[i], "--seconds") == 0 && more)
            o->seconds = atof(argv[++i]);
        else if (strcmp(argv[i], "--seed") == 0 && more)
            o->seed = strtoull(argv[++i], NULL, 0);
        else if (argv[i][0] != '-' && !o->cases)
            o->cases = argv[i];
        else if (argv[i][0] != '-' && !o->results)
            o->results = argv[i];
        else
            return false;
    }
    return o->results != NULL && o->device >= 0 && o->seconds >= 0 && o->seconds <= 3600;
}

static int record(struct worker *w)
{
    w->file = fopen(w->options->results, "w");
    if (!w->file) {
        perror(w->options->results);
        return 2;
    }
    write_header(w->file, w->progress);
    int status = drive(w);
    return fclose(w->file) == 0 ? status : 2;
}

int main(int argc, char **argv)
{
    struct options options = {.seconds = 0.2};
    struct hwl_cases cases = {0};
    if (!take_options(argc, argv, &options)) {
        fputs("usage: hw_litmus_record [--device N] [--only TEXT] [--seconds S] [--seed N] CASES RESULTS\n", stderr);
        return 2;
    }
    struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        return 2;
    struct worker worker = {.options = &options, .cases = &cases, .progress = progress};
    if (!find_device(&worker)) {
        puts("skipped: no libcuda.so.1 or no such GPU here; nothing recorded");
        return SKIP;
    }
    int status = hwl_cases_read(options.cases, &cases) ? record(&worker) : 2;
    hwl_cases_free(&cases);
    return status;
}
