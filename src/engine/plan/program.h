/* A kernel, linked and decoded: what every engine makes its own code of.
 *
 * Points. A *point* is a place where lanes can wait: every block start, the places before and after the operations that
 * wait (bar, barwarp, shfl ...), and the places before accesses that others see. Points are numbered in layout order;
 * engine/warp knows where lanes stand by them alone.
 */
#ifndef ATOLL_ENGINE_PLAN_PROGRAM_H
#define ATOLL_ENGINE_PLAN_PROGRAM_H

#include "base/arena.h"
#include "engine/engine.h"
#include "engine/meaning/kernel.h"
#include "engine/plan/inline.h"

struct atomic_row;
struct executor;
struct compiled;
struct compile_job;
/* A place in an engine's code, to go on at: its own business. */
struct step;

#define ALL_LANES UINT32_C(0xffffffff)
/* Function addresses are not device addresses. */
#define FUNCTION_ADDRESS PROGRAM_FUNCTION_ADDRESS(0)

/* What is decoded without being an instruction, numbered after the operations: falling into the next block; reading
 * what a reduction at a barrier has found. */
enum { DECODED_FALL = LANE_OPS, DECODED_REDUCED, DECODED_OPS };

/* An instruction: where its operands lie in the frame, and where lanes can wait around it. */
struct decoded {
    const struct lane_inst *inst; /* of a fall: one without a line */
    const struct func *func;
    const struct inlining *from;      /* of code that a call has brought; else NULL */
    const struct lane_access *access; /* memory operations */
    const struct atomic_row *atomic;
    const struct lane_call *call;
    uint32_t *offsets; /* of all operands in the frame, destinations first; KERNEL_NONE = absent */
    uint8_t *bits;     /* their widths; 0 = absent */
    uint16_t op;       /* enum lane_op, DECODED_... */
    uint8_t ndst, nsrc;
    uint16_t flags;             /* of the instruction, with what is known of its sources (plan_flags) */
    bool uniform;               /* all lanes have the same: address or handle; number and thread count of a barrier */
    bool same;                  /* of an invariant: its results are the same in all lanes */
    bool shares;                /* an access that others see */
    bool whole;                 /* writes what instructions of the whole warp, or others of its lanes, see */
    uint32_t site;              /* number of a memory operation, of every instruction where nothing is left out */
    uint32_t bytes;             /* element size of a memory operation */
    uint32_t before, after;     /* points of operations that wait; `before` of those that others see, too */
    uint32_t target;            /* the point that a branch, a fall or a token leads to */
    uint32_t count;             /* of what ends a block, and of calls: its instructions, those since the last call */
    uint32_t next;              /* of what ends a block: the point after it */
    uint32_t guard, guard_flip; /* offset of the guard predicate (KERNEL_NONE: always); ~0 where it is negated */
};

/* A decoded function. */
struct func {
    const struct lane_func *lane;
    struct decoded *decoded;    /* in layout order */
    struct decoded *invariants; /* what is carried out once, when a frame is made */
    uint32_t ndecoded, ninvariants;
    uint32_t *decoded_at; /* point -> index of what comes next */
    uint32_t *point_of_block;
    uint32_t npoints;
    uint32_t every;        /* the lanes that a warp has */
    uint32_t thread_lanes; /* of a packable kernel: of each of the threads, side by side, that make a warp; else 32 */
    uint32_t frame_bytes;
    unsigned char *constants; /* image of the constant part of the frame */
    uint32_t constants_at, constants_bytes;
    uint32_t *zero_at; /* registers that may be read before they are written: {offset, bytes} pairs */
    uint32_t nzero;
    bool ready;
    /* The engine's: where it goes on at each point, of which the first is the function's beginning; its code of the
     * invariants. */
    const struct step **points; /* read by func_point: compiled code may be put there while the kernel runs */
    const struct step *once;
};

/* Thread indices x, y, z of a warp's lanes, as far as they are alike in all warps of a launch: what each bit of a
 * lane's number adds to them. */
enum { LANE_BITS = 5 };
struct tids {
    bool known[3];
    uint16_t by[3][LANE_BITS];
};

/* What launches have in common that code is made for. */
struct setting {
    struct tids tids;
    uint64_t formats; /* that surfaces may have: bit i is format_at(i); 0: any */
};

struct program {
    struct arena arena;
    struct device *device;
    const struct lane_module *module;
    const uint64_t *addresses;
    uint32_t kernel;
    const struct executor *executor;
    struct inlined inlined;    /* the kernel, with what it calls in it */
    struct func *funcs;        /* as many as the module has; only reachable ones are ready */
    const uint64_t *shared_at; /* of symbols: struct reach */
    uint32_t reserved_bytes;   /* of the shared memory: zeros when a block starts (lane.h, LANE_RESERVED_BYTES); or 0 */
    uint32_t shared_bytes;
    bool dynamic_shared;
    bool plain; /* nothing is left out, no warps are packed: every instruction is decoded (for traces) */
    uint32_t local_bytes;
    uint32_t sites;
    double spent; /* seconds that launches took */
    bool closing; /* who compiles it may stop: nobody waits for the code any more */
    /* Compiling it (engine/compiler.h): for launches like the first one, for those with its thread indices, for any.
     * NULL: nobody has asked. */
    struct compile_job *jobs[3];
};

/* Links and decodes program->kernel and all that it can reach, and has the engine make them ready. */
bool program_decode(struct program *program, struct atoll_error *error);

/* The function that an instruction was written in: what its line is of. */
static inline const struct lane_func *decoded_written(const struct decoded *at)
{
    return at->from ? at->from->func : at->func->lane;
}

/* Are the warps of the lane program threads of one warp here? */
static inline bool func_packs(const struct func *func)
{
    return func->thread_lanes < LANES && func->every == ALL_LANES;
}

/* All lanes of the thread that the lowest of `lanes` is of. */
static inline uint32_t func_thread(const struct func *func, uint32_t lanes)
{
    uint32_t n = func->thread_lanes;
    return n == LANES ? ALL_LANES : ((UINT32_C(1) << n) - 1) << ((uint32_t)__builtin_ctz(lanes) & ~(n - 1));
}

/* Of all threads that they are of: those carry out what is LANE_WHOLE. */
static inline uint32_t func_whole(const struct func *func, uint32_t lanes)
{
    uint32_t all = lanes == ALL_LANES ? ALL_LANES : 0;
    for (uint32_t left = lanes & ~all; left; left &= ~all)
        all |= func_thread(func, left);
    return all;
}

/* Where the engine goes on at a point. */
static inline const struct step *func_point(const struct func *func, uint32_t point)
{
    return __atomic_load_n(&func->points[point], __ATOMIC_ACQUIRE);
}

/* What comes next at a point. */
static inline const struct decoded *func_decoded(const struct func *func, uint32_t point)
{
    return &func->decoded[func->decoded_at[point]];
}

#endif
