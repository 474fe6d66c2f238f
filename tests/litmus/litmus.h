/* Litmus tests: small programs of a few threads whose outcomes show what the memory model allows. docs/litmus.md
 * describes the format. A test is parsed (parse.c), written as a PTX kernel of many instances (emit.c), and run and
 * judged by ../litmus.c. */
#ifndef ATOLL_TESTS_LITMUS_H
#define ATOLL_TESTS_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LITMUS_THREADS = 8,
    LITMUS_ROWS = 32,      /* instructions of a thread */
    LITMUS_PLACES = 8,     /* memory locations */
    LITMUS_REGISTERS = 32, /* initial values of registers */
    LITMUS_OBSERVED = 16,  /* registers and locations named by conditions */
    LITMUS_CONDITIONS = 8,
    LITMUS_NODES = 256, /* of all conditions */
    LITMUS_NAME = 32,
    LITMUS_NUMBERS = 16,    /* registers r0..r15, rd0.. and so on */
    LITMUS_BLOCKS = 8,      /* the blocks that a seeded order keeps resident */
    LITMUS_SIZE = 1 << 16,  /* bytes of a file */
    LITMUS_LINES = 4096,    /* of the kernel */
    LITMUS_PLACE_BYTES = 64 /* a location has a cache line of the host to itself */
};

enum litmus_space { LITMUS_GLOBAL, LITMUS_SHARED, LITMUS_SURFACE };

struct litmus_place {
    char name[LITMUS_NAME];
    enum litmus_space space;
    unsigned bits; /* 8, 16, 32 or 64 */
    uint64_t initial;
};

/* An instruction, without its semicolon. */
struct litmus_cell {
    const char *text;
    size_t size;
    uint32_t line, column;
};

struct litmus_thread {
    uint32_t block, thread; /* numbers within the instance, within the block */
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
};

enum litmus_operation { LITMUS_TRUE, LITMUS_AND, LITMUS_OR, LITMUS_NOT, LITMUS_EQ, LITMUS_NE, LITMUS_LT, LITMUS_GT };
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
    struct litmus_place places[LITMUS_PLACES];
    struct litmus_thread threads[LITMUS_THREADS];
    struct litmus_register registers[LITMUS_REGISTERS];
    struct litmus_observed observed[LITMUS_OBSERVED];
    struct litmus_condition conditions[LITMUS_CONDITIONS];
    struct litmus_node nodes[LITMUS_NODES];
    unsigned nplaces, nthreads, nrows, nregisters, nobserved, nconditions, nnodes;
    unsigned blocks, block_threads; /* of an instance */
};

struct litmus_error {
    uint32_t line, column; /* from 1 */
    char message[300];
};

/* Reads a test. Keeps a copy of the text, which litmus_free releases. */
bool litmus_parse(struct litmus *test, const char *text, size_t size, struct litmus_error *error);
void litmus_free(struct litmus *test);

/* The bits of a register's name (r3: 32), 0 if it is none. */
unsigned litmus_register_bits(const char *name, size_t size);
/* The index of a location, or nplaces. */
unsigned litmus_find_place(const struct litmus *test, const char *name, size_t size);
bool litmus_holds(const struct litmus *test, unsigned node, const uint64_t *values);

/* The kernel litmus(.u64 memory, .u64 results, .u64 surface, .u32 spins):
 *   grid (blocks, instances), block (block_threads)
 *   memory   instance * litmus_stride + place * LITMUS_PLACE_BYTES; after the places a counter where threads meet
 *   results  a u64 for each observed value of each instance (not for global and surface locations)
 *   surface  2d r32uint, a row an instance, 16 bytes a place
 *   spins    how often to look whether the other threads of the instance run too; 0 = do not wait
 * cells[line - 1] is where a line of the kernel comes from, NULL for the frame. */
struct litmus_kernel {
    char *text;
    size_t size;
    const struct litmus_cell *cells[LITMUS_LINES];
};
bool litmus_emit(const struct litmus *test, struct litmus_kernel *kernel, struct litmus_error *error);

static inline uint64_t litmus_stride(const struct litmus *test)
{
    return (test->nplaces + 1u) * (uint64_t)LITMUS_PLACE_BYTES;
}

#endif
