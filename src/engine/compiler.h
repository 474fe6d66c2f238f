/* What a compiler is to launches: it makes code of a kernel that has been decoded for the interpreter, and runs blocks
 * with it. Whatever the code does not do itself, and any kernel that it does not take, is the interpreter's. */
#ifndef ATOLL_ENGINE_COMPILER_H
#define ATOLL_ENGINE_COMPILER_H

#include "engine/run.h"

struct compiled;

/* What became of a block: it is over, the interpreter is to go on with it, the launch stops. */
enum compiled_block { COMPILED_OVER, COMPILED_LEFT, COMPILED_STOPPED };

struct compiler {
    /* False: *why says what is missing. */
    bool (*available)(const char **why);
    /* Compiles the program's kernel; from then on launches find the code. `caches`: code may be taken from the disk,
     * and left there. NULL: *why says why not. */
    struct compiled *(*compile)(struct program *program, bool caches, const char **why);
    /* Starts a block of the grid and runs its warps as far as compiled code can. */
    enum compiled_block (*block)(struct worker *worker, struct block *block, uint64_t number, struct compiled *code);
    double (*seconds)(const struct compiled *code); /* that compiling took */
    bool (*cached)(const struct compiled *code);    /* the disk had it */
    void (*free)(struct compiled *code);
};

/* NULL: this build has none. */
const struct compiler *compiler_find(void);

/* What has become of compiling a program (compile.c). */
enum compile_state { COMPILE_NOT, COMPILE_UNDER_WAY, COMPILE_DONE, COMPILE_REFUSED };

/* Begins to compile in a host thread of its own, unless that was done before. */
void program_compile_later(struct program *program, bool caches);
/* Compiles now, or waits until that is done. NULL: *why says why there is no code. */
struct compiled *program_compile(struct program *program, bool caches, const char **why);
/* Why there is no code; NULL: there is, or nobody has tried. */
const char *program_not_compiled(const struct program *program);
/* Waits for a host thread that compiles; frees the code. */
void program_compile_close(struct program *program);

/* The code, if there is any yet. */
static inline struct compiled *program_code(struct program *program)
{
    return __atomic_load_n(&program->code, __ATOMIC_ACQUIRE);
}

#endif
