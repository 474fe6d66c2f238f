/* hw_record: runs the cases on a GPU through the CUDA driver API and writes what it returns.
 *
 *   hw_record [--cases FILE] [--device N] [--only TEXT] [--jobs N] RESULTS
 *
 * A fault leaves the context, and often the process, unusable. A worker process therefore runs cases until one faults
 * and ends; the next worker goes on after it. A worker that dies or hangs costs the case it was at, no other.
 * Of N jobs each drives workers of its own through every N-th case and writes RESULTS.1, RESULTS.2 ...; at the end they
 * are appended to RESULTS. Most of the time goes into new contexts, which one job waits for.
 * Needs libcuda.so.1 only. Exit status: 0 recorded, 2 cannot, 77 no GPU here (skipped). */
#include "driver_api.h"
#include "hw.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIP = 77, SECONDS = 30 /* a case may take, its compilation included */, MOST_JOBS = 64 };

struct options {
    const char *cases, *only, *results;
    int device, jobs;
};

/* Shared with the workers of a job: how far they came, and who the device is. */
struct progress {
    volatile size_t next;
    size_t step;
    volatile int found; /* the device is known */
    int major, minor, driver;
    char device[128];
};

struct worker {
    struct cuda cuda;
    int device;
    struct progress *progress;
    FILE *file;
};

struct bench { /* what one case holds on the device */
    const struct cuda *cuda;
    const struct hw_case *c;
    void *module, *function, *array;
    uint64_t in, out, surface;
    unsigned char *out_bytes, *texels;
    char log[512];
};

/* ---- one case ------------------------------------------------------------------------------------------------ */

static bool check(const struct bench *b, struct hw_result *r, enum hw_status status, unsigned shot, int error,
                  const char *what)
{
    const char *name = NULL;
    if (error == CUDA_OK)
        return true;
    b->cuda->error_name(error, &name);
    r->status = status;
    r->shot = shot;
    snprintf(r->detail, sizeof r->detail, "%d %s %s %.60s", error, name ? name : "?", what, b->log);
    for (char *at = r->detail; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    return false;
}

static bool make_surface(struct bench *b, struct hw_result *r)
{
    const struct hw_case *c = b->c;
    struct hw_format format;
    if (!c->has_surface)
        return true;
    if (!hw_format(c->format, &format))
        return false;
    bool layered = c->layers != 0;
    struct cuda_array_desc desc = {.width = c->width,
                                   .height = c->height,
                                   .depth = layered ? c->layers : c->depth,
                                   .format = (int)format.array,
                                   .channels = format.channels,
                                   .flags = CUDA_SURFACE | (layered ? CUDA_LAYERED : 0u)};
    if (!check(b, r, HW_ERROR, 0, b->cuda->array_create(&b->array, &desc), "cuArray3DCreate"))
        return false;
    struct cuda_resource resource = {.is.array = b->array};
    return check(b, r, HW_ERROR, 0, b->cuda->surface_create(&b->surface, &resource), "cuSurfObjectCreate");
}

static bool open(struct bench *b, struct hw_result *r)
{
    const struct hw_case *c = b->c;
    const struct cuda *cuda = b->cuda;
    int options[] = {CUDA_JIT_LOG, CUDA_JIT_LOG_SIZE};
    void *values[] = {b->log, (void *)(uintptr_t)sizeof b->log};
    b->out_bytes = malloc(c->out_bytes + 1u);
    b->texels = malloc(c->texels.size + 1);
    return b->out_bytes && b->texels &&
           check(b, r, HW_ERROR, 0, cuda->module_load(&b->module, c->ptx.data, 2, options, values), "load") &&
           check(b, r, HW_ERROR, 0, cuda->function(&b->function, b->module, "k"), "cuModuleGetFunction") &&
           check(b, r, HW_ERROR, 0, cuda->alloc(&b->in, c->in_bytes + 16u), "cuMemAlloc") &&
           check(b, r, HW_ERROR, 0, cuda->alloc(&b->out, c->out_bytes + 16u), "cuMemAlloc") && make_surface(b, r);
}

static void shut(struct bench *b)
{
    if (b->surface)
        b->cuda->surface_destroy(b->surface);
    if (b->array)
        b->cuda->array_destroy(b->array);
    if (b->out)
        b->cuda->free_memory(b->out);
    if (b->in)
        b->cuda->free_memory(b->in);
    if (b->module)
        b->cuda->module_unload(b->module);
    free(b->out_bytes);
    free(b->texels);
}

/* All texels between the array and tightly packed host memory. Layers lie along z, for 1D arrays too. */
static int copy_texels(const struct bench *b, void *host, bool up)
{
    const struct hw_case *c = b->c;
    struct hw_format format;
    if (!c->has_surface || !hw_format(c->format, &format))
        return CUDA_OK;
    size_t row = (size_t)c->width * format.bytes, rows = c->height ? c->height : 1;
    struct cuda_copy_end memory = {.kind = CUDA_HOST, .host = host, .pitch = row, .height = rows};
    struct cuda_copy_end array = {.kind = CUDA_ARRAY, .array = b->array};
    struct cuda_copy copy = {
        .from = up ? memory : array, .to = up ? array : memory, .width_bytes = row, .height = rows};
    copy.depth = c->layers ? c->layers : c->depth ? c->depth : 1;
    return b->cuda->copy(&copy);
}

static bool prepare(struct bench *b, struct hw_result *r, unsigned shot)
{
    const struct hw_case *c = b->c;
    const char *in = c->in.data + (size_t)shot * c->in_bytes;
    memset(b->out_bytes, HW_FILL, c->out_bytes);
    memcpy(b->texels, c->texels.data ? c->texels.data : "", c->texels.size);
    return (!c->out_bytes ||
            check(b, r, HW_ERROR, shot, b->cuda->to_device(b->out, b->out_bytes, c->out_bytes), "cuMemcpyHtoD")) &&
           (!c->in_bytes || check(b, r, HW_ERROR, shot, b->cuda->to_device(b->in, in, c->in_bytes), "cuMemcpyHtoD")) &&
           check(b, r, HW_ERROR, shot, copy_texels(b, b->texels, true), "cuMemcpy3D");
}

static bool shoot(struct bench *b, struct hw_result *r, unsigned shot)
{
    const struct hw_case *c = b->c;
    void *parameters[] = {&b->out, &b->in, &b->surface};
    if (!prepare(b, r, shot) ||
        !check(b, r, HW_ERROR, shot, b->cuda->launch(b->function, 1, 1, 1, c->threads, 1, 1, 0, NULL, parameters, NULL),
               "cuLaunchKernel") ||
        !check(b, r, HW_FAULT, shot, b->cuda->synchronize(), ""))
        return false;
    if ((c->out_bytes &&
         !check(b, r, HW_ERROR, shot, b->cuda->to_host(b->out_bytes, b->out, c->out_bytes), "cuMemcpyDtoH")) ||
        !check(b, r, HW_ERROR, shot, copy_texels(b, b->texels, false), "cuMemcpy3D"))
        return false;
    hw_result_shot(r, c, b->out_bytes, b->texels);
    return true;
}

static void run_case(const struct worker *w, const struct hw_case *c, struct hw_result *r)
{
    struct bench b = {.cuda = &w->cuda, .c = c};
    hw_result_begin(r, c);
    if ((unsigned)(10 * w->progress->major + w->progress->minor) < c->sm) {
        r->status = HW_SKIP;
        snprintf(r->detail, sizeof r->detail, "needs sm_%u", c->sm);
        return;
    }
    r->status = HW_ERROR;
    snprintf(r->detail, sizeof r->detail, "no memory");
    if (open(&b, r)) {
        r->status = HW_RAN;
        r->detail[0] = 0;
        for (unsigned shot = 0; shot < c->shots && shoot(&b, r, shot); shot++)
            ;
    }
    if (r->status != HW_FAULT) /* nothing can be freed in a context that is gone */
        shut(&b);
}

/* ---- workers --------------------------------------------------------------------------------------------------- */

static void write_result(FILE *file, const struct hw_result *r)
{
    struct hw_text text = {0};
    hw_result_text(&text, r);
    fwrite(text.data, 1, text.size, file);
    fflush(file);
    hw_free(&text);
}

static bool identify(struct worker *w, int ordinal)
{
    struct progress *p = w->progress;
    int count = 0;
    if (!cuda_load(&w->cuda) || w->cuda.init(0) != CUDA_OK || w->cuda.device_count(&count) != CUDA_OK ||
        ordinal >= count || w->cuda.device(&w->device, ordinal) != CUDA_OK)
        return false;
    w->cuda.driver_version(&p->driver);
    w->cuda.device_name(p->device, sizeof p->device, w->device);
    w->cuda.attribute(&p->major, CUDA_MAJOR, w->device);
    w->cuda.attribute(&p->minor, CUDA_MINOR, w->device);
    p->found = 1;
    return true;
}

/* Only to learn who the device is; CUDA must not be initialised before a fork that uses it. */
static int probe(struct progress *progress, int device)
{
    struct worker w = {.progress = progress};
    return identify(&w, device) ? 0 : SKIP;
}

static bool wanted(const struct options *o, const struct hw_case *c)
{
    return !o->only || strstr(c->name, o->only);
}

/* Runs cases from progress->next on. A fault or an error ends it: either may have harmed the context. */
static int work(const struct options *o, const struct hw_cases *cases, struct progress *progress, FILE *file)
{
    struct worker w = {.progress = progress, .file = file};
    void *context;
    if (!identify(&w, o->device) || w.cuda.context_create(&context, 0, w.device) != CUDA_OK)
        return 2;
    while (progress->next < cases->count) {
        const struct hw_case *c = &cases->at[progress->next];
        struct hw_result result;
        bool go_on = true;
        if (wanted(o, c)) {
            alarm(SECONDS);
            run_case(&w, c, &result);
            alarm(0);
            write_result(file, &result);
            go_on = result.status == HW_RAN || result.status == HW_SKIP;
            hw_result_free(&result);
        }
        progress->next += progress->step;
        if (!go_on)
            return 0;
    }
    return 0;
}

/* What became of a worker's last case when it ended by a signal. */
static void bury(const struct hw_case *c, int signal, FILE *file)
{
    struct hw_result r;
    hw_result_begin(&r, c);
    r.status = signal == SIGALRM ? HW_HANG : HW_ERROR;
    snprintf(r.detail, sizeof r.detail, "the process ended by signal %d", signal);
    write_result(file, &r);
    hw_result_free(&r);
}

static int drive(const struct options *o, const struct hw_cases *cases, struct progress *progress, FILE *file)
{
    while (progress->next < cases->count) {
        size_t before = progress->next;
        fflush(file);
        pid_t child = fork();
        if (child == 0)
            _exit(work(o, cases, progress, file));
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 2;
        if (WIFSIGNALED(status) && progress->next < cases->count) {
            bury(&cases->at[progress->next], WTERMSIG(status), file);
            progress->next += progress->step;
        } else if (progress->next == before) { /* no context: no use in trying for ever */
            fprintf(stderr, "hw_record: the device gives no context\n");
            return 2;
        }
        fprintf(stderr, "\r%zu of %zu", progress->next, cases->count);
    }
    return 0;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

/* "RESULTS.N", of the first job RESULTS. */
static FILE *open_part(const char *results, int job, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, job ? "%s.%d" : "%s", results, job);
    FILE *file = fopen(path, mode);
    if (!file)
        perror(path);
    return file;
}

static int drive_part(const struct options *o, const struct hw_cases *cases, struct progress *progress, int job)
{
    FILE *file = open_part(o->results, job, "a");
    if (!file)
        return 2;
    progress->next = (size_t)job;
    progress->step = (size_t)o->jobs;
    int status = drive(o, cases, progress, file);
    return fclose(file) == 0 ? status : 2;
}

static bool append(FILE *to, FILE *from)
{
    char bytes[4096];
    size_t size;
    while ((size = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, size, to) != size)
            return false;
    return !ferror(from);
}

/* Appends what job `job` wrote to the results, and removes its file. */
static bool gather(const struct options *o, int job)
{
    char path[4096];
    FILE *from = open_part(o->results, job, "r"), *to = from ? open_part(o->results, 0, "a") : NULL;
    bool ok = to && append(to, from);
    ok = to && fclose(to) == 0 && ok;
    if (from)
        fclose(from);
    snprintf(path, sizeof path, "%s.%d", o->results, job);
    return ok && remove(path) == 0;
}

/* progress: one for each job. */
static int drive_all(const struct options *o, const struct hw_cases *cases, struct progress *progress)
{
    pid_t jobs[MOST_JOBS];
    int worst = 0, status;
    for (int i = 0; i < o->jobs; i++) {
        jobs[i] = fork();
        if (jobs[i] == 0)
            _exit(drive_part(o, cases, &progress[i], i));
    }
    for (int i = 0; i < o->jobs; i++)
        if (jobs[i] < 0 || waitpid(jobs[i], &status, 0) != jobs[i] || !WIFEXITED(status))
            worst = 2;
        else if (WEXITSTATUS(status) > worst)
            worst = WEXITSTATUS(status);
    for (int i = 1; i < o->jobs; i++)
        if (!gather(o, i))
            worst = 2;
    fprintf(stderr, "\n");
    return worst;
}

/* ---- the program ----------------------------------------------------------------------------------------------- */

static bool find_device(struct progress *progress, int device)
{
    pid_t child = fork();
    if (child == 0)
        _exit(probe(progress, device));
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && progress->found;
}

static bool write_header(const char *results, const struct progress *p)
{
    struct hw_results header = {.origin.source = "gpu"};
    struct hw_text text = {0};
    memcpy(header.origin.device, p->device, sizeof header.origin.device);
    snprintf(header.origin.driver, sizeof header.origin.driver, "%d.%d", p->driver / 1000, p->driver % 1000 / 10);
    snprintf(header.origin.compute, sizeof header.origin.compute, "%d.%d", p->major, p->minor);
    hw_results_header(&text, &header);
    FILE *file = open_part(results, 0, "w");
    bool ok = file && fwrite(text.data, 1, text.size, file) == text.size;
    hw_free(&text);
    return file && fclose(file) == 0 && ok;
}

static bool take_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--cases") == 0 && more)
            o->cases = argv[++i];
        else if (strcmp(argv[i], "--only") == 0 && more)
            o->only = argv[++i];
        else if (strcmp(argv[i], "--device") == 0 && more)
            o->device = atoi(argv[++i]);
        else if (strcmp(argv[i], "--jobs") == 0 && more)
            o->jobs = atoi(argv[++i]);
        else if (argv[i][0] != '-' && !o->results)
            o->results = argv[i];
        else
            return false;
    }
    return o->results != NULL && o->device >= 0 && o->jobs >= 1 && o->jobs <= MOST_JOBS;
}

int main(int argc, char **argv)
{
    struct options options = {.jobs = 1};
    struct hw_cases cases = {0};
    if (!take_options(argc, argv, &options)) {
        fputs("usage: hw_record [--cases FILE] [--device N] [--only TEXT] [--jobs N] RESULTS\n", stderr);
        return 2;
    }
    struct progress *progress =
        mmap(NULL, MOST_JOBS * sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        return 2;
    if (!find_device(progress, options.device)) {
        puts("skipped: no libcuda.so.1 or no such GPU here; nothing recorded");
        return SKIP;
    }
    if (!hw_cases_take(&cases, options.cases))
        return 2;
    int status = write_header(options.results, progress) ? drive_all(&options, &cases, progress) : 2;
    hw_cases_free(&cases);
    return status;
}
