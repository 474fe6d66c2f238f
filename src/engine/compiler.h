/* What a compiler is to launches: it makes code of a kernel that has been decoded for the interpreter, and runs blocks
 * with it. Whatever the code does not do itself, and any kernel that it does not take, is the interpreter's. */
#ifndef ATOLL_ENGINE_COMPILER_H
#define ATOLL_ENGINE_COMPILER_H

#include "engine/run.h"

#include <pthread.h>

/* The host's clock (launch.c). */
double host_seconds(void);

struct compiled;

/* What became of a block: it is over, the interpreter is to go on with it, the launch stops. */
enum compiled_block { COMPILED_OVER, COMPILED_LEFT, COMPILED_STOPPED };

struct compiler {
    /* False: *why says what is missing. */
    bool (*available)(const char **why);
    /* Compiles the program's kernel, for launches of which this is known. `caches`: code may be taken from the disk,
     * and left there. NULL: *why says why not. */
    struct compiled *(*compile)(struct program *program, const struct setting *setting, bool caches, const char **why);
    /* The kinds of texels, a bit each, that there is code for and that are among formats (bit i: format_at(i)). Code is
     * made for those of its setting, or for all where these are none; formatted accesses to others are the
     * interpreter's. */
    uint32_t (*kinds)(uint64_t formats);
    /* Starts a block of the grid and runs its warps as far as compiled code can. */
    enum compiled_block (*block)(struct worker *worker, struct block *block, uint64_t number, struct compiled *code);
    double (*seconds)(const struct compiled *code); /* that compiling took */
    bool (*cached)(const struct compiled *code);    /* the disk had it */
    void (*free)(struct compiled *code);
};

/* NULL: this build has none. */
const struct compiler *compiler_find(void);

/* What has become of compiling a program for some launches (compile.c). */
enum compile_state { COMPILE_NOT, COMPILE_UNDER_WAY, COMPILE_DONE, COMPILE_REFUSED };

struct compile_job {
    struct program *program;
    struct setting setting; /* of the launches that it is for */
    pthread_mutex_t lock;
    pthread_t thread;
    bool caches;  /* of what that thread does */
    bool started; /* a thread, which is to be joined */
    enum compile_state state;
    struct compiled *code;
    const char *why;
};

/* Where code for launches comes from of which this is known: of the first that asks, it is made for just those; others
 * share what knows less, or nothing, of them. NULL: no memory. */
struct compile_job *compile_job_for(struct program *program, const struct setting *setting);
/* Begins to compile in a host thread of its own, unless that was done before. */
void compile_later(struct compile_job *job, bool caches);
/* Compiles now, or waits until that is done. False: there is no code, job->why says why. */
bool compile_now(struct compile_job *job, bool caches);
/* Why there is no code; NULL: there is, or nobody has tried. */
const char *compile_refused(const struct compile_job *job);
/* Waits for host threads that compile; frees the code. */
void compile_close(struct program *program);

/* The code, if there is any yet. */
static inline struct compiled *compile_code(const struct compile_job *job)
{
    return __atomic_load_n(&job->code, __ATOMIC_ACQUIRE);
}

#endif
