/* When kernels are compiled: at once, or in a host thread of its own while the interpreter runs. */
#include "engine/compiler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Do formats of surfaces matter to it? */
static bool has_formatted(const struct program *program)
{
    for (uint32_t f = 0; f < program->module->nfuncs; f++) {
        const struct func *func = &program->funcs[f];
        for (uint32_t i = 0; func->ready && i < func->ndecoded; i++)
            if ((func->decoded[i].op == LANE_OP_suld || func->decoded[i].op == LANE_OP_sust) &&
                func->decoded[i].access->formatted)
                return true;
    }
    return false;
}

/* Makes a job, unless somebody else has made it meanwhile. */
static struct compile_job *make(struct program *program, struct compile_job **place, const struct setting *setting)
{
    struct compile_job *job = calloc(1, sizeof *job), *none = NULL;
    if (!job)
        return NULL;
    job->program = program;
    job->setting = *setting;
    job->setting.formats = has_formatted(program) ? setting->formats : 0;
    pthread_mutex_init(&job->lock, NULL);
    if (__atomic_compare_exchange_n(place, &none, job, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return job;
    pthread_mutex_destroy(&job->lock);
    free(job);
    return none;
}

static struct compile_job *find(struct program *program, struct compile_job **place, const struct setting *setting)
{
    struct compile_job *job = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    return job ? job : make(program, place, setting);
}

static bool same(const struct tids *a, const struct tids *b)
{
    return !memcmp(a->known, b->known, sizeof a->known) && !memcmp(a->by, b->by, sizeof a->by);
}

/* Is it made for all formats of another setting? Those that are one kind of texels to the compiler are one. */
static bool has_formats(const struct compile_job *job, const struct setting *setting)
{
    uint64_t formats = job->setting.formats, more = setting->formats & ~formats;
    uint32_t kinds = formats && more ? compiler_find()->kinds(formats) : 0;
    return !kinds || !(compiler_find()->kinds(more) & ~kinds);
}

struct compile_job *compile_job_for(struct program *program, const struct setting *setting)
{
    struct compile_job *job = find(program, &program->jobs[0], setting);
    if (job && !same(&job->setting.tids, &setting->tids))
        return find(program, &program->jobs[2], &(struct setting){.formats = 0});
    if (!job || has_formats(job, setting))
        return job;
    return find(program, &program->jobs[1], &(struct setting){.tids = setting->tids});
}

static void compile(struct compile_job *job, bool caches)
{
    struct compiled *code = compiler_find()->compile(job->program, &job->setting, caches, &job->why);
    if (code)
        __atomic_store_n(&job->code, code, __ATOMIC_RELEASE);
    __atomic_store_n(&job->state, code ? COMPILE_DONE : COMPILE_REFUSED, __ATOMIC_RELEASE);
}

static void *work(void *argument)
{
    struct compile_job *job = argument;
    compile(job, job->caches);
    return NULL;
}

void compile_later(struct compile_job *job, bool caches)
{
    if (__atomic_load_n(&job->state, __ATOMIC_ACQUIRE) != COMPILE_NOT)
        return;
    pthread_mutex_lock(&job->lock);
    if (job->state == COMPILE_NOT) {
        job->caches = caches;
        __atomic_store_n(&job->state, COMPILE_UNDER_WAY, __ATOMIC_RELEASE);
        job->started = pthread_create(&job->thread, NULL, work, job) == 0;
        if (!job->started)
            __atomic_store_n(&job->state, COMPILE_NOT, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&job->lock);
}

static void join(struct compile_job *job)
{
    if (job->started)
        pthread_join(job->thread, NULL);
    job->started = false;
}

bool compile_now(struct compile_job *job, bool caches)
{
    pthread_mutex_lock(&job->lock);
    join(job);
    if (job->state == COMPILE_NOT)
        compile(job, caches);
    pthread_mutex_unlock(&job->lock);
    return job->code;
}

const char *compile_refused(const struct compile_job *job)
{
    return __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) == COMPILE_REFUSED ? job->why : NULL;
}

void compile_close(struct program *program)
{
    __atomic_store_n(&program->closing, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < sizeof program->jobs / sizeof *program->jobs; i++) {
        struct compile_job *job = program->jobs[i];
        if (!job)
            continue;
        join(job);
        if (job->code)
            compiler_find()->free(job->code);
        pthread_mutex_destroy(&job->lock);
        free(job);
    }
}
