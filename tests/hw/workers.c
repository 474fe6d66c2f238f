/* Worker processes of recorders: workers.h. */
#include "workers.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FULL = 3 /* exit status of a worker that cannot write */ };

/* Shared with the workers of a job: how far they came, and who the device is. */
struct progress {
    volatile size_t next;
    size_t step;
    struct hw_gpu gpu;
};

enum hw_status hw_buried(int signal, char *detail, size_t room)
{
    snprintf(detail, room, "the process ended by signal %d", signal);
    return signal == SIGALRM ? HW_HANG : HW_ERROR;
}

/* ---- a worker ---------------------------------------------------------------------------------------------------- */

static bool identify(struct hw_worker *w, int ordinal)
{
    struct hw_gpu *gpu = &w->gpu;
    int count = 0;
    if (!cuda_load(&w->cuda) || w->cuda.init(0) != CUDA_OK || w->cuda.device_count(&count) != CUDA_OK ||
        ordinal >= count || w->cuda.device(&w->device, ordinal) != CUDA_OK)
        return false;
    w->cuda.driver_version(&gpu->driver);
    w->cuda.device_name(gpu->device, sizeof gpu->device, w->device);
    w->cuda.attribute(&gpu->major, CUDA_MAJOR, w->device);
    w->cuda.attribute(&gpu->minor, CUDA_MINOR, w->device);
    w->cuda.attribute(&gpu->units, CUDA_UNITS, w->device);
    gpu->found = 1;
    return true;
}

/* Runs items from progress->next on. A fault or an error ends it. */
static int work(const struct hw_job *job, struct progress *progress, FILE *file)
{
    struct hw_worker w = {.file = file};
    void *context;
    if (!identify(&w, job->device) || w.cuda.context_create(&context, 0, w.device) != CUDA_OK)
        return 2;
    while (progress->next < job->count) {
        size_t item = progress->next;
        unsigned seconds = job->seconds(job, item);
        bool go_on = true;
        if (seconds) {
            alarm(seconds);
            go_on = job->run(job, &w, item);
            alarm(0);
            if (fflush(file) != 0)
                return FULL;
        }
        progress->next += progress->step;
        if (!go_on)
            return 0;
    }
    return 0;
}

static int drive(const struct hw_job *job, struct progress *progress, FILE *file)
{
    while (progress->next < job->count) {
        size_t before = progress->next;
        fflush(file);
        pid_t child = fork();
        if (child == 0)
            _exit(work(job, progress, file));
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || (WIFEXITED(status) && WEXITSTATUS(status) == FULL))
            return 2;
        if (WIFSIGNALED(status) && progress->next < job->count) {
            job->bury(job, progress->next, WTERMSIG(status), file);
            progress->next += progress->step;
        } else if (progress->next == before) { /* no context: no use in trying for ever */
            fprintf(stderr, "%s: the device gives no context\n", job->program);
            return 2;
        }
        fprintf(stderr, "%zu of %zu\n", progress->next, job->count);
    }
    return 0;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

/* "RESULTS.N", of the first job RESULTS. */
static FILE *open_part(const char *results, int part, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, part ? "%s.%d" : "%s", results, part);
    FILE *file = fopen(path, mode);
    if (!file)
        perror(path);
    return file;
}

static int drive_part(const struct hw_job *job, struct progress *progress, int part)
{
    FILE *file = open_part(job->results, part, part ? "w" : "a"); /* the first part has the head */
    if (!file)
        return 2;
    progress->next = (size_t)part;
    progress->step = (size_t)job->jobs;
    int status = drive(job, progress, file);
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

/* Appends what a job wrote to the results, and removes its file. */
static bool gather(const struct hw_job *job, int part)
{
    char path[4096];
    FILE *from = open_part(job->results, part, "r"), *to = from ? open_part(job->results, 0, "a") : NULL;
    bool ok = to && append(to, from);
    ok = to && fclose(to) == 0 && ok;
    if (from)
        fclose(from);
    snprintf(path, sizeof path, "%s.%d", job->results, part);
    return ok && remove(path) == 0;
}

/* progress: one for each job. */
static int drive_all(const struct hw_job *job, struct progress *progress)
{
    pid_t parts[HW_MOST_JOBS];
    int worst = 0, status;
    for (int i = 0; i < job->jobs; i++) {
        parts[i] = fork();
        if (parts[i] == 0)
            _exit(drive_part(job, &progress[i], i));
    }
    for (int i = 0; i < job->jobs; i++)
        if (parts[i] < 0 || waitpid(parts[i], &status, 0) != parts[i] || !WIFEXITED(status))
            worst = 2;
        else if (WEXITSTATUS(status) > worst)
            worst = WEXITSTATUS(status);
    for (int i = 1; i < job->jobs; i++)
        if (!gather(job, i))
            worst = 2;
    return worst;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* In a process of its own: CUDA must not be initialised before a fork that uses it. */
static bool find_device(const struct hw_job *job, struct progress *progress)
{
    pid_t child = fork();
    if (child == 0) {
        struct hw_worker w = {0};
        bool found = identify(&w, job->device);
        progress->gpu = w.gpu;
        _exit(found ? 0 : HW_NO_GPU);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && progress->gpu.found;
}

static bool write_head(const struct hw_job *job, const struct hw_gpu *gpu)
{
    struct hw_origin origin = {.source = "gpu"};
    FILE *file = open_part(job->results, 0, "w");
    memcpy(origin.device, gpu->device, sizeof origin.device);
    snprintf(origin.driver, sizeof origin.driver, "%d.%d", gpu->driver / 1000, gpu->driver % 1000 / 10);
    snprintf(origin.compute, sizeof origin.compute, "%d.%d", gpu->major, gpu->minor);
    if (file)
        job->head(&origin, file);
    return file && fclose(file) == 0;
}

int hw_work(const struct hw_job *job)
{
    const size_t size = HW_MOST_JOBS * sizeof(struct progress);
    struct progress *progress = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 2;
    if (progress == MAP_FAILED)
        return 2;
    if (!find_device(job, progress)) {
        puts("skipped: no libcuda.so.1 or no such GPU here; nothing recorded");
        status = HW_NO_GPU;
    } else if (write_head(job, &progress->gpu)) {
        status = drive_all(job, progress);
    }
    munmap(progress, size);
    return status;
}
