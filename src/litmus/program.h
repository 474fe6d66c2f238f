/* What the instructions of a litmus test do, as far as a memory model asks: accesses, fences, barriers, branches and
 * the arithmetic between them. Both dialects become this (decode.c). */
#ifndef ATOLL_LITMUS_PROGRAM_H
#define ATOLL_LITMUS_PROGRAM_H

#include "litmus/litmus.h"

enum { PROGRAM_VECTOR = 4, PROGRAM_NAMES = 64, PROGRAM_SOURCES = 4 };

enum program_kind {
    PROGRAM_NOTHING,
    PROGRAM_COMPUTE,
    PROGRAM_LOAD,
    PROGRAM_STORE,
    PROGRAM_ATOMIC, /* red too: without a destination */
    PROGRAM_FENCE,
    PROGRAM_PROXY_FENCE,
    PROGRAM_BARRIER,
    PROGRAM_BRANCH, /* of Dartagnan's dialect with a comparison of its own */
};

enum program_operation {
    PROGRAM_MOVE,
    PROGRAM_ADD,
    PROGRAM_SUB,
    PROGRAM_MUL,
    PROGRAM_DIV,
    PROGRAM_AND,
    PROGRAM_OR,
    PROGRAM_XOR,
    PROGRAM_NOT,
    PROGRAM_SHL,
    PROGRAM_SHR,
    PROGRAM_MIN,
    PROGRAM_MAX,
    PROGRAM_INC,
    PROGRAM_DEC,
    PROGRAM_EXCH,
    PROGRAM_CAS,
    PROGRAM_ADD_F32,
    PROGRAM_ADD_F16X2,
    PROGRAM_EQ,
    PROGRAM_NE,
    PROGRAM_LT,
    PROGRAM_LE,
    PROGRAM_GT,
    PROGRAM_GE,
    PROGRAM_SELECT, /* first or second by the third */
    PROGRAM_ALWAYS, /* of branches */
};

enum program_order { ORDER_WEAK, ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SC };
enum program_scope { SCOPE_CTA, SCOPE_GPU, SCOPE_SYS };

/* A number of up to 16 bytes. */
struct program_value {
    uint64_t part[2];
};

struct program_operand {
    bool constant;
    unsigned reg; /* an index of the thread's names */
    struct program_value value;
};

struct program_insn {
    enum program_kind kind;
    enum program_operation operation;
    unsigned bits; /* of an element; of an operation */
    bool is_signed;
    bool flushes; /* additions of f32 take subnormal numbers as zero (PTX ISA, "atom") */
    /* Accesses */
    enum program_order order;
    enum program_scope scope;
    enum litmus_proxy proxy;
    unsigned place, offset; /* offset in bytes */
    bool alias;             /* a proxy fence between addresses of one memory */
    bool arrives_only;      /* a barrier that does not wait */
    bool warp;              /* a barrier of a warp */
    /* Of barriers from[0] is the number, from[1] (if it is there) how many threads come; of a named one of Dartagnan's
     * dialect, how many have to. */
    bool named;
    unsigned instance;
    /* Operands; of a vector access: its elements */
    struct program_operand to[PROGRAM_VECTOR], from[PROGRAM_SOURCES];
    unsigned nto, nfrom;
    int guard; /* a register, -1: none */
    bool guard_not;
    unsigned target; /* of a branch: an instruction */
    const struct litmus_cell *cell;
};

struct program_thread {
    struct program_insn insns[LITMUS_ROWS];
    unsigned count;
    char names[PROGRAM_NAMES][8]; /* of registers */
    unsigned bits[PROGRAM_NAMES], nnames;
};

struct program {
    struct program_thread threads[LITMUS_THREADS];
};

/* ATOLL_UNSUPPORTED with line and column: what is not known. */
bool litmus_decode(const struct litmus *test, struct program *program, struct atoll_error *error);

/* What an operation gives; `bits` wide. */
struct program_value program_compute(const struct program_insn *insn, const struct program_value *from);
/* The new value of memory by an atomic operation; false: it writes nothing (a compare and swap that fails). */
bool program_atomic(const struct program_insn *insn, struct program_value old, const struct program_value *from,
                    struct program_value *value);
struct program_value program_cut(struct program_value value, unsigned bits);
static inline bool program_same(struct program_value a, struct program_value b)
{
    return a.part[0] == b.part[0] && a.part[1] == b.part[1];
}
/* The value that the test gives a register at the start. */
uint64_t program_initial(const struct litmus *test, unsigned thread, const char *name);

#endif
