/* When kernels are compiled: at once, or in a host thread of its own while the interpreter runs. */
#include "engine/compiler.h"

#include <pthread.h>
#include <stdlib.h>

struct compile_job {
    pthread_mutex_t lock;
    pthread_t thread;
    bool caches;  /* of what that thread does */
    bool started; /* a thread, which is to be joined */
    enum compile_state state;
    const char *why;
};

static struct compile_job *job_of(struct program *program)
{
    struct compile_job *job = __atomic_load_n(&program->job, __ATOMIC_ACQUIRE), *none = NULL;
    if (job)
        return job;
    job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    pthread_mutex_init(&job->lock, NULL);
    if (__atomic_compare_exchange_n(&program->job, &none, job, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return job;
    pthread_mutex_destroy(&job->lock);
    free(job);
    return none;
}

static void compile_now(struct program *program, struct compile_job *job, bool caches)
{
    const struct compiler *compiler = compiler_find();
    struct compiled *code = compiler->compile(program, caches, &job->why);
    if (code)
        __atomic_store_n(&program->code, code, __ATOMIC_RELEASE);
    __atomic_store_n(&job->state, code ? COMPILE_DONE : COMPILE_REFUSED, __ATOMIC_RELEASE);
}

static void *work(void *argument)
{
    struct program *program = argument;
    compile_now(program, program->job, program->job->caches);
    return NULL;
}

void program_compile_later(struct program *program, bool caches)
{
    struct compile_job *job = compiler_find() ? job_of(program) : NULL;
    if (!job || __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) != COMPILE_NOT)
        return;
    pthread_mutex_lock(&job->lock);
    if (job->state == COMPILE_NOT) {
        job->caches = caches;
        __atomic_store_n(&job->state, COMPILE_UNDER_WAY, __ATOMIC_RELEASE);
        job->started = pthread_create(&job->thread, NULL, work, program) == 0;
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

struct compiled *program_compile(struct program *program, bool caches, const char **why)
{
    const struct compiler *compiler = compiler_find();
    struct compile_job *job = compiler ? job_of(program) : NULL;
    *why = compiler ? "out of memory" : "this build has no compiler";
    if (!job)
        return NULL;
    pthread_mutex_lock(&job->lock);
    join(job);
    if (job->state == COMPILE_NOT)
        compile_now(program, job, caches);
    *why = job->why;
    pthread_mutex_unlock(&job->lock);
    return program_code(program);
}

const char *program_not_compiled(const struct program *program)
{
    const struct compile_job *job = __atomic_load_n(&program->job, __ATOMIC_ACQUIRE);
    return job && __atomic_load_n(&job->state, __ATOMIC_ACQUIRE) == COMPILE_REFUSED ? job->why : NULL;
}

void program_compile_close(struct program *program)
{
    struct compile_job *job = program->job;
    if (!job)
        return;
    __atomic_store_n(&program->closing, true, __ATOMIC_RELAXED);
    join(job);
    if (program->code)
        compiler_find()->free(program->code);
    pthread_mutex_destroy(&job->lock);
    free(job);
}
