/* Litmus tests: small programs of a few threads whose outcomes show what a memory model allows (docs/litmus.md). A test
 * is read (read.c, condition.c), its instructions are understood (decode.c), its executions are enumerated and held
 * against a model (outcomes.c, model.c), and it is written as a kernel of many instances (kernel.c) and run (run.c).
 * All stands above atoll.h. */
#ifndef ATOLL_LITMUS_LITMUS_H
#define ATOLL_LITMUS_LITMUS_H

#include <stdint.h>

#include "base/error.h"

enum {
    LITMUS_THREADS = 8,
    LITMUS_ROWS = 32,      /* instructions of a thread */
    LITMUS_PLACES = 8,     /* memory locations */
    LITMUS_REGISTERS = 32, /* initial values of registers */
    LITMUS_OBSERVED = 16,  /* registers and locations named by conditions */
    LITMUS_CONDITIONS = 8,
    LITMUS_NODES = 256, /* of all conditions */
    LITMUS_NAME = 32,
    LITMUS_NUMBERS = 16,      /* registers r0..r15, rd0.. and so on */
    LITMUS_BARE_NUMBERS = 64, /* of the dialect without brackets */
    LITMUS_BLOCKS = 8,        /* the blocks that a seeded order keeps resident */
    LITMUS_SIZE = 1 << 16,    /* bytes of a file */
    LITMUS_LINES = 4096,      /* of the kernel */
    LITMUS_PLACE_BYTES = 64,  /* a location has a cache line of the host to itself */
    LITMUS_TEXEL_BYTES = 16,  /* of a row of a surface of its own */
    LITMUS_OUTCOMES = 1024
};

enum litmus_space { LITMUS_GLOBAL, LITMUS_SHARED, LITMUS_SURFACE };

/* The ways to memory (PTX ISA, "Proxies"). */
enum litmus_proxy { LITMUS_GENERIC, LITMUS_SURFACES, LITMUS_TEXTURES, LITMUS_CONSTANTS, LITMUS_PROXIES };

struct litmus_place {
    char name[LITMUS_NAME];
    enum litmus_space space;
    enum litmus_proxy proxy; /* the one that it names memory for; LITMUS_GENERIC: none in particular */
    unsigned bits;           /* 8, 16, 32 or 64 */
    uint64_t initial;
    /* What it aliases: the place whose bytes it has, and the one whose generic address it has. Of most both are itself;
     * a second address of the same memory is its own `address`. */
    unsigned memory, address;
};

/* An instruction, without its semicolon. */
struct litmus_cell {
    const char *text;
    size_t size;
    uint32_t line, column;
};

struct litmus_thread {
    uint32_t device, block, thread; /* numbers within the instance, within the block */
    struct litmus_cell cells[LITMUS_ROWS];
};

/* A register of a thread, or (thread < 0) a location: its value at the end is part of the outcome. */
struct litmus_observed {
    int thread;
    char name[LITMUS_NAME];
    unsigned place, bits;
};

struct litmus_register {
    unsigned thread;
    char name[LITMUS_NAME];
    uint64_t value;
    uint32_t line, column;
};

enum litmus_operation {
    LITMUS_TRUE,
    LITMUS_AND,
    LITMUS_OR,
    LITMUS_NOT,
    LITMUS_EQ,
    LITMUS_NE,
    LITMUS_LT,
    LITMUS_LE,
    LITMUS_GT,
    LITMUS_GE
};
struct litmus_node {
    enum litmus_operation operation;
    unsigned left, right; /* nodes; of a comparison: observed values */
    bool constant;        /* the right side is `value` */
    uint64_t value;
};

enum litmus_quantifier {
    LITMUS_EXISTS,     /* allowed: is reported, never judged */
    LITMUS_NOT_EXISTS, /* forbidden: must not be seen in any order */
    LITMUS_FORALL,     /* holds for everything that is seen */
    LITMUS_SOMETIMES,  /* must be seen in the seeded order: the test is not vacuous */
    LITMUS_FILTER,     /* outcomes in which it is false do not count */
};
struct litmus_condition {
    enum litmus_quantifier quantifier;
    unsigned root;
    const char *text;
    size_t size;
    uint32_t line;
};

struct litmus {
    char *source; /* comments are blanks */
    char name[64], about[200];
    bool racy; /* races by intent: the parallel order is left out under a race detector */
    bool bare; /* Dartagnan's dialect: locations without brackets, no types (docs/litmus.md, "Dartagnan's dialect") */
    struct litmus_place places[LITMUS_PLACES];
    struct litmus_thread threads[LITMUS_THREADS];
    struct litmus_register registers[LITMUS_REGISTERS]; /* of threads that are not there, too, in the dialect */
    struct litmus_observed observed[LITMUS_OBSERVED];
    struct litmus_condition conditions[LITMUS_CONDITIONS];
    struct litmus_node nodes[LITMUS_NODES];
    unsigned nplaces, nthreads, nrows, nregisters, nobserved, nconditions, nnodes;
    unsigned blocks, block_threads; /* of an instance */
};

/* Reads a test; errors have line and column. Keeps a copy of the text, which litmus_free releases. */
bool litmus_parse(struct litmus *test, const char *text, size_t size, struct atoll_error *error);
void litmus_free(struct litmus *test);

/* The bits of a register's name (r3: 32), 0 if it is none. */
unsigned litmus_register_bits(const struct litmus *test, const char *name, size_t size);
/* The index of a location, or nplaces. */
unsigned litmus_find_place(const struct litmus *test, const char *name, size_t size);
bool litmus_holds(const struct litmus *test, unsigned node, const uint64_t *values);
/* Whether all filters let an outcome pass. */
bool litmus_passes(const struct litmus *test, const uint64_t *values);

/* ---- the kernel ---------------------------------------------------------------------------------------------- */

/* The kernel litmus(.u64 memory, .u64 results, .u64 surface, .u32 spins, .u64 again):
 *   grid (blocks, instances), block (block_threads)
 *   memory   instance * litmus_stride + place * LITMUS_PLACE_BYTES; after the places a counter where threads meet
 *   results  a u64 for each observed value of each instance (not for global and surface locations)
 *   surface  2d r32uint over the memory, a row an instance
 *   spins    how often to look whether the other threads of the instance run too; 0 = do not wait
 *   again    the same memory at other addresses
 * cells[line - 1] is where a line of the kernel comes from, NULL for the frame. */
struct litmus_kernel {
    char *text;
    size_t size;
    const struct litmus_cell *cells[LITMUS_LINES];
    bool lacks_fence; /* of one proxy: PTX has no such instruction */
};
bool litmus_emit(const struct litmus *test, struct litmus_kernel *kernel, struct atoll_error *error);

/* The same for hardware, where it matters to what is seen how instances lie (docs/hardware.md, "Litmus tests"). More
 * parameters, all .u32, behind `again`:
 *   stride, step   memory: instance * stride + place * step
 *   lanes          0, or 31: each lane of a warp has an instance of its own, where litmus_fills_lanes
 *   factor, mask   block b of grid row r (lane l) has instance (r * (lanes + 1) + l) * (factor + 2 * b) & mask;
 *                  odd, and one less than a power of two
 *   delay          0: none; else what random rounds before the test are made from */
bool litmus_emit_spread(const struct litmus *test, struct litmus_kernel *kernel, struct atoll_error *error);
bool litmus_fills_lanes(const struct litmus *test);

/* Whether surfaces lie over the memory; whether some of it has a second address. */
bool litmus_overlaid(const struct litmus *test);
bool litmus_aliased(const struct litmus *test);

static inline uint64_t litmus_stride(const struct litmus *test)
{
    return (test->nplaces + 1u) * (uint64_t)LITMUS_PLACE_BYTES;
}

/* ---- running ------------------------------------------------------------------------------------------------- */

struct litmus_outcome {
    uint64_t values[LITMUS_OBSERVED];
    uint64_t seeded, parallel, weak; /* how often it was seen; of a model: executions, 0, 0 */
};

struct litmus_outcomes {
    struct litmus_outcome items[LITMUS_OUTCOMES];
    unsigned count;
};

/* The outcome with these values, a new one if need be; NULL: too many. */
struct litmus_outcome *litmus_outcome(struct litmus_outcomes *outcomes, const struct litmus *test,
                                      const uint64_t *values);
void litmus_sort(struct litmus_outcomes *outcomes);

struct litmus_run {
    unsigned seeds, parallel; /* launches in the seeded order, on two host threads; some instances each */
    unsigned weak;            /* in the weak order */
    unsigned checked; /* in the seeded order, and every other one in the weak order if `weak`, looking for races */
    void (*finding)(void *user, const struct atoll_finding *finding); /* of checked launches */
    void *user;
};
/* Runs the test and counts what is seen. The kernel's own errors are told in the terms of the test. */
bool litmus_run(const struct litmus *test, const struct litmus_run *options, struct litmus_outcomes *outcomes,
                struct atoll_error *error);

/* ---- the models ---------------------------------------------------------------------------------------------- */

/* The axiomatic models, PTX ISA 6.0 and 7.5 (docs/litmus.md, "The models"). */
enum litmus_model { LITMUS_MODEL_60, LITMUS_MODEL_75, LITMUS_MODELS };
const char *litmus_model_name(enum litmus_model model);

struct litmus_limits {
    unsigned unroll;     /* times that a thread may go back to a label */
    uint64_t candidates; /* executions that are looked at */
    double seconds;
};

struct litmus_allowed {
    struct litmus_outcomes outcomes; /* `seeded`: executions that have it */
    uint64_t candidates, executions;
    /* Accesses of different sizes race: the axioms do not apply (PTX ISA, "Mixed-size Data-races"), and the outcomes
     * are all that reads of some write can give. */
    bool mixed;
    bool cut; /* ways that go round more often than `unroll` were left out */
};
/* All outcomes that the model allows. ATOLL_LIMIT: too many executions; ATOLL_UNSUPPORTED: an instruction that the
 * model does not know. */
bool litmus_allow(const struct litmus *test, enum litmus_model model, const struct litmus_limits *limits,
                  struct litmus_allowed *allowed, struct atoll_error *error);

#endif
