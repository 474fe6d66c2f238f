/* What the generator of fuzz_run's kernels keeps while it makes one. */
#ifndef ATOLL_TESTS_RUN_STATE_H
#define ATOLL_TESTS_RUN_STATE_H

#include "run_gen.h"

enum { R32 = 6, R64 = 3, R16 = 2, R8 = 2, PREDICATES = 4, LABELS = 4096, FIXUPS = 8192, FUNCTIONS = 2, LOOPS = 3 };
enum { FRAME = 128 }; /* local memory of a function: its own bytes, then what calls take and give */

/* What a function computes with. */
struct registers {
    struct lane_operand r32[R32], r64[R64], r16[R16], r8[R8], r128, p[PREDICATES];
    struct lane_operand own, n, m, test, wide; /* address of the slot; scratch of 32 bits (2), a predicate, 64 bits */
    struct lane_operand frame;                 /* the local frame */
    struct lane_operand counters[LOOPS + FUNCTIONS]; /* of the kernel's loops, of the functions' in stacked kernels */
};

struct gen {
    const uint8_t *data;
    size_t size, at;
    const struct run_catalogue *catalogue;
    struct lane_module *module;
    struct lane_builder b;
    struct registers *r, kernel, functions[FUNCTIONS];
    struct lane_operand params[RUN_PARAMETERS], shared, shared_slot;
    uint32_t function_symbols[FUNCTIONS];
    uint32_t block_of[LABELS], labels;
    struct {
        uint32_t inst, label;
    } fixups[FIXUPS];
    uint32_t nfixups;
    uint32_t function;               /* that is being made; FUNCTIONS: the kernel */
    uint32_t entries[FUNCTIONS];     /* labels, in stacked kernels */
    uint32_t threads, shape[3], sum; /* shape: of a block, x y z */
    int budget, loops;
    bool stacked, together, locked; /* all threads that live come by; a lock has been used */
    bool vector;                    /* warps of a vector machine: instructions of the whole warp, registers as bytes */
    bool packable;                  /* of these, without such bytes */
    uint16_t whole;                 /* LANE_WHOLE or 0: of the form that is made */
};

#endif
