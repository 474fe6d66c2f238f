/* What engines share: decoded programs, warps, blocks, workers.
 *
 *   program   one kernel, linked: functions decoded into steps, frame layouts, shared-memory layout
 *   run       one launch: arguments, limits, counters that workers share
 *   worker    one host thread: runs one block at a time
 *   block     shared memory, barriers, warps
 *   warp      32 lanes: a register frame, the running lanes, where the others wait
 *
 * Divergence. A *point* is a place where lanes can wait: every block start, the places before and after the operations
 * that wait (bar, barwarp, shfl ...), and the places before accesses that others see. Points are numbered in layout
 * order. The lanes that run together are the ones at the lowest point; the others are parked at their points. When the
 * running lanes reach a point where others wait they take them along; when they pass the lowest waiting point they park
 * and the lanes there run. A group that has kept others waiting for FAIR_TURNS transitions parks, whatever its place,
 * and the next of all groups that can run has as many: so locks between lanes of a warp make progress. turns.c says
 * where such changes happen.
 */
#ifndef ATOLL_ENGINE_RUN_H
#define ATOLL_ENGINE_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/engine.h"
#include "engine/meaning/kernel.h"
#include "mem/atomic.h"
#include "mem/held.h"

enum {
    FAIR_TURNS = 512,        /* branches before a group of lanes lets the others of its warp run */
    WARP_TURNS = 4096,       /* branches before a warp lets the others of its block run */
    COOPERATIVE_TURNS = 128, /* the same where all blocks are resident: most warps may wait for other blocks */
    CALL_DEPTH = 1024,       /* nested calls */
    BARRIERS = 16,           /* named barriers of a block */
    MAX_WARPS = 32,          /* of a block */
    RESIDENT_BLOCKS = 8,     /* of a seeded order, whose warps are interleaved */
    CACHE_LINE = 64,         /* bytes; hosts fetch pairs of lines */
    LOCAL_DYNAMIC = 1 << 19, /* local bytes a lane when calls make the need unknown (CUDA's own limit is 512 KiB) */
};
/* Steps that are not instructions, numbered behind the operations. */
enum { STEP_FALL = LANE_OPS, STEP_REDUCED };
/* A kind of token behind enum lane_token: the lanes that did not go the way of those that run. */
enum { TOKEN_OTHER_SIDE = LANE_TOKENS };
/* Function addresses are not device addresses. */
#define FUNCTION_ADDRESS PROGRAM_FUNCTION_ADDRESS(0)
#define ALL_LANES        UINT32_C(0xffffffff)
#define NO_POINT         UINT32_MAX

/* What a step knows beyond the offsets that its handler uses. */
struct decoded {
    const struct lane_inst *inst;
    const struct func *func;
    const struct lane_access *access; /* memory operations */
    const struct atomic_row *atomic;
    const struct lane_call *call;
    uint32_t *offsets; /* of all operands in the frame, destinations first; KERNEL_NONE = absent */
    uint8_t *bits;     /* their widths; 0 = absent */
    uint8_t ndst, nsrc;
    bool uniform;           /* all lanes have the same: address or handle; number and thread count of a barrier */
    uint32_t site;          /* number of a memory operation: its allocation cache */
    bool shares;            /* an access that others see */
    uint32_t before, after; /* points of operations that wait; `before` of those that others see, too */
    uint32_t bytes;         /* element size of a memory operation */
};

/* A decoded function. */
struct func {
    const struct lane_func *lane;
    struct step *steps;
    struct step *once; /* `nonce` steps that run when a frame is made */
    uint32_t nonce;
    uint32_t nsteps;
    const struct step **points; /* point -> step */
    uint32_t *point_of_block;
    uint32_t npoints;
    uint32_t frame_bytes;
    unsigned char *constants; /* image of the constant part of the frame */
    uint32_t constants_at, constants_bytes;
    uint32_t *zero_at; /* registers that may be read before they are written: {offset, bytes} pairs */
    uint32_t nzero;
    bool ready;
};

struct program {
    struct arena arena;
    struct device *device;
    const struct lane_module *module;
    const uint64_t *addresses;
    uint32_t kernel;
    const struct interp_set *set;
    struct func *funcs;        /* as many as the module has; only reachable ones are ready */
    const uint64_t *shared_at; /* of symbols: struct reach */
    uint32_t shared_bytes;
    bool dynamic_shared;
    bool plain; /* nothing is left out: every instruction is a step (for traces) */
    uint32_t local_bytes;
    uint32_t sites;
};

/* Ways to run a warp. */
enum run_kind {
    RUN_PLAIN,
    RUN_SEEDED, /* other warps may come between any two operations that they can see */
    RUN_TRACED, /* every step is told */
    RUN_KINDS
};

/* One set of handlers, compiled for one instruction set of the host. */
struct interp_set {
    const char *name;
    /* Fills the handlers of a step whose other fields are set. False: this combination cannot be executed. */
    bool (*bind)(struct step *step, const struct lane_inst *inst);
    /* Runs a warp until it ends, blocks, has had its turns, or stops the launch. */
    void (*run[RUN_KINDS])(struct warp *warp);
};
extern const struct interp_set interp_set_base;
#if defined(__x86_64__)
extern const struct interp_set interp_set_v3, interp_set_v4;
#endif
const struct interp_set *interp_set_best(void);

enum warp_state { WARP_READY, WARP_BLOCKED, WARP_DONE };

/* A function that some lanes of a warp execute (calls.c). The state of the one whose lanes run is in the warp. */
struct activation {
    const struct func *func; /* NULL: not in use */
    unsigned char *regs;
    uint32_t local;                    /* of its local frame */
    uint32_t waiting, blocked, lowest; /* as of the warp */
    bool single;
    uint32_t at[LANES];
    uint32_t caller, callees; /* number of the one that called; how many it has called that are not over */
    uint32_t depth;
    uint32_t back; /* point of the caller where lanes go on after the callee */
    const struct lane_call *call;
};

/* Of a warp's stack (stack.c). */
struct token {
    uint32_t lanes, point;
    uint32_t kind; /* enum lane_token, TOKEN_OTHER_SIDE */
};
struct own_tokens;

struct warp {
    struct frame frame;    /* must be first */
    const struct step *pc; /* where to go on; NULL: choose a waiting group first */
    struct block *block;
    struct worker *worker;
    const struct func *func;
    unsigned char *kernel_regs; /* the kernel's frame of this warp */
    uint8_t state;              /* enum warp_state */
    uint8_t number;
    uint32_t live;    /* lanes that have not exited */
    uint32_t waiting; /* parked lanes of this activation, blocked ones too */
    uint32_t blocked; /* of those, the ones that wait for a barrier or for lanes of their warp */
    uint32_t lowest;  /* lowest point of waiting lanes that are not blocked; NO_POINT = none */
    uint32_t at[LANES];
    bool single;   /* all waiting lanes, and there are some, are at `lowest`, none blocked; `at` is not filled in */
    uint32_t hold; /* transitions during which the lowest-first rule rests (fairness) */
    int32_t fair, turns;
    uint32_t served;                                  /* lanes that have run since the last round of all groups began */
    uint32_t used_up;                                 /* how often turns were used up */
    uint32_t put_off;                                 /* draws of turns.c */
    bool change_put_off;                              /* the running group is to change at an access that others see */
    uint32_t arrived;                                 /* lanes waiting at bar.warp */
    uint32_t came[BARRIERS], barrier_lanes[BARRIERS]; /* barrier.c */
    uint16_t coming;                                  /* barriers with lanes in `came` */
    uint32_t local;                                   /* of the innermost local frame */
    unsigned char *locals;                            /* LANES * block->local_stride bytes */
    struct activation *activations;                   /* 0 = the kernel; grown on demand */
    uint32_t here;                                    /* the one whose lanes run */
    uint32_t ncalls;                                  /* those in use but for the kernel's */
    uint32_t last_activation, activation_room, free_activation;
    bool stacked; /* the stack policy: `waiting` stays 0 */
    uint32_t ntokens, token_room;
    struct token *tokens;
    struct own_tokens *own; /* of the frontier policy; NULL before the first push */
    uint32_t watched;       /* turns that ran out since the warp was last watched (livelock.c) */
    uint64_t clock;         /* of %clock in reproducible orders */
    uint64_t instructions, lane_instructions, divergent, accesses[LANE_SPACES], atomics;
    uint32_t tid[3][LANES];
};

struct barrier {
    uint32_t expected; /* threads; 0 = all warps with threads left */
    uint32_t arrived;  /* set of warps */
    uint32_t arrivals; /* of warps */
    uint32_t count;    /* reduction: predicates that were true */
    bool all, any;
    bool busy;             /* a phase has begun */
    uint32_t result_count; /* of the last completed reduction: read by the step behind it */
    bool result_all, result_any;
};

struct block {
    struct worker *worker;
    uint32_t id[3];
    unsigned char *shared;
    uint32_t shared_bytes;
    uint32_t nwarps, threads, live; /* threads that have not exited */
    uint32_t live_warps;            /* set of warps that have such threads */
    struct warp *warps;
    struct barrier barriers[BARRIERS];
    uint32_t phases; /* barriers that are busy */
    uint32_t local_stride;
    uint64_t barriers_done;
    bool busy; /* a block of the grid is in it */
};

/* The first thread of a phase arrives. Results stay: those of the last phase may not have read them yet. */
static inline void barrier_begin(struct block *block, struct barrier *barrier, uint32_t expected)
{
    block->phases++;
    barrier->expected = expected;
    barrier->arrived = barrier->arrivals = barrier->count = 0;
    barrier->all = true;
    barrier->any = false;
    barrier->busy = true;
}

/* Allocation that a memory operation touched last. */
struct site {
    uint64_t base, size;
    unsigned char *host;
    bool readonly;
    const struct surface_ref *surface; /* of a surface operation: `base` is the handle */
};

struct worker {
    /* Workers lie side by side: none writes what another reads. */
    _Alignas(2 * CACHE_LINE) struct run *run;

    struct block *blocks; /* those that are resident: one, RESIDENT_BLOCKS in a seeded order, all its blocks of a
                             cooperative launch */
    uint32_t nblocks, index;
    struct site *sites;
    uint64_t generation;         /* of the address space, when the sites were filled */
    unsigned char **free_frames; /* of each function: a list through the first bytes */
    struct arena arena;
    struct contention *contention; /* of each site, when the launch asks for it */
    struct held held;              /* surface reductions that other host threads do not know of yet */
    uint64_t random;
    uint32_t turns;  /* that ran out */
    uint32_t rounds; /* of turns of a block's warps */
    bool watch;      /* its warps are to be watched */
    bool stalled;    /* they go round */
    uint32_t patience;
    uint64_t confirmed; /* epoch in which they were found to go round once more */
    uint64_t next;      /* block to begin, in a seeded order */
    bool reporter;      /* calls the progress callback */
    double next_report;
    uint64_t reported; /* instructions already added to run->instructions */
    uint64_t done;     /* blocks not yet added to run->blocks_done */
};

/* What host threads know of each other when their warps go round (livelock.c). */
struct stall {
    pthread_mutex_t lock;
    unsigned active, stalled,
        confirmed;  /* host threads that have work; whose warps go round; that have seen it twice */
    uint64_t epoch; /* changes with `stalled` and `active` */
};

struct run {
    struct stall stall;
    struct program *program;
    const struct atoll_launch_options *launch;
    void (*turn)(struct warp *warp); /* of the interpreter's set, as the launch wants its warps run */
    const char *file;
    bool stacked;                  /* the stack policy */
    struct contention *contention; /* of each site, summed when a host thread ends; NULL: not asked for */
    uint32_t grid[3], block[3];
    uint64_t blocks;
    uint32_t threads, nwarps, shared_bytes;
    unsigned char *params; /* SPACE_PARAM_WINDOW bytes */
    uint64_t descriptors;  /* address of the table of surfaces; 0 = the kernel reads none */
    uint64_t workspace;    /* of a cooperative launch; 0 = it is none */
    unsigned workers;
    uint32_t param_bytes;
    double start, deadline;
    /* Workers write the counters now and then and read `stop` all the time: each has cache lines of its own. */
    _Alignas(2 * CACHE_LINE) atomic_uint_fast64_t next_block;
    atomic_uint_fast64_t blocks_done, instructions;
    /* Set once: everybody winds up. */
    _Alignas(2 * CACHE_LINE) atomic_int stop;

    struct atoll_error *error; /* of the first that failed */
    struct atoll_trap *trap;
    atomic_int failed;
    atomic_flag print_lock;
};

/* ---- what handlers call (not per instruction set) ---------------------------------------------------- */

/* Stops the launch because of the lowest lane in `lanes` at `step`. Always returns NULL. */
const struct step *warp_trap(struct warp *warp, const struct step *step, uint32_t lanes, const char *cause,
                             uint64_t address, const int64_t coordinate[3], const char *format, ...) PRINTF_LIKE(7, 8);
/* Where a step stands, for messages: "file:line", or the place that the function gives it. Returns line or address. */
enum { PLACE_BYTES = 700 };
uint32_t warp_place(const struct warp *warp, const struct step *step, char place[PLACE_BYTES]);
/* The same without a warp. */
uint32_t step_place(const struct run *run, const struct step *step, char place[PLACE_BYTES]);

/* Does the kernel look for the workspace of a cooperative launch, and the launch is none? */
bool run_lacks_workspace(const struct run *run);

/* contention.c: counters of a host thread, their sums over a launch, and what is told of them. */
struct contention;
bool contention_open(struct worker *worker);
void contention_close(struct worker *worker);
void contention_report(struct run *run);
void warp_contention(struct warp *w, const struct step *s, const uint64_t address[LANES], uint32_t lanes);
/* Stops the launch for another reason (limits, unsupported). Always returns NULL. */
const struct step *run_stop(struct run *run, enum atoll_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* The running lanes go to `point`: merges with lanes there, or parks. Returns the step to run, NULL when the warp has
 * to pause or to end. */
const struct step *warp_goto(struct warp *warp, uint32_t point);
/* The running lanes are parked at `point`, blocked or not; picks the next group. */
const struct step *warp_park(struct warp *warp, uint32_t point, bool blocked);
/* `lanes` are parked, unblocked, at `point`; the rest runs on. */
void warp_leave(struct warp *warp, uint32_t lanes, uint32_t point);
/* The running lanes park at `point`, and the next group in turn runs: returns its step. */
const struct step *warp_change(struct warp *warp, uint32_t point);
/* turns.c: a ready warp runs on to an access that others see; `lanes`: there the next group of its lanes runs. */
void warp_put_off(struct warp *warp, bool lanes);
/* One line to the launch's trace. */
void warp_trace(struct warp *warp, const struct step *step);
/* Picks the next group when no lanes run (exec == 0). NULL: none can run now. */
const struct step *warp_next(struct warp *warp);
/* Running lanes take two ways. */
const struct step *warp_split(struct warp *warp, uint32_t taken, uint32_t point, uint32_t other);
/* Tokens (stack.c). push: false after the launch was stopped; pop: as warp_exit. */
bool warp_push(struct warp *warp, const struct step *step, uint32_t lanes);
const struct step *warp_pop(struct warp *warp, const struct step *step, uint32_t lanes);
const char *token_name(unsigned kind);
void tokens_begin(struct warp *warp);
void tokens_free(struct warp *warp);
/* warp_split and warp_next by the stack policy. */
const struct step *stack_split(struct warp *warp, uint32_t taken, uint32_t point, uint32_t other);
const struct step *stack_next(struct warp *warp);
/* Lanes that wait for themselves (livelock.c). A ready warp of the stack policy has used its turns up or gave way; a
 * host thread's warps are watched: false, the launch stops; a host thread has no more work. */
void watch_turn(struct worker *worker, struct warp *warp);
bool watch_round(struct worker *worker);
void stall_leave(struct run *run);
/* calls.c: lanes of other activations that can run; unblocked ones there; the next activation with such lanes, or the
 * caller of one that is over, is entered (false: there is none). */
void calls_begin(struct warp *warp);
void calls_free(struct warp *warp);
uint32_t calls_able(const struct warp *warp);
void calls_unblock(struct warp *warp, uint32_t lanes);
bool calls_next(struct warp *warp);
bool calls_over(struct warp *warp);
/* Lanes of another activation run next, if there are some that can. */
void warp_change_call(struct warp *warp);
/* Fills `at` in. */
void warp_spread(struct warp *warp);
/* Finds the lowest point of lanes that wait unblocked. */
void warp_find_lowest(struct warp *warp);
const struct step *warp_exit(struct warp *warp, uint32_t lanes);
const struct step *warp_call(struct warp *warp, const struct step *step, uint32_t lanes, uint32_t function);
/* exit, return: NULL with running lanes left (a guarded one) means: go on with the next step. */
const struct step *warp_return(struct warp *warp, uint32_t lanes);
/* Rendezvous of a warp-level operation: true, the lanes that run may carry it out; false, *next runs first. */
bool warp_gather(struct warp *warp, const struct step *step, uint32_t members, const struct step **next);
/* A register frame for a called function: constants in place, registers that may be read before they are written are
 * zero. Kernels have a frame for each warp of the block, which keeps its invariants from block to block. */
unsigned char *worker_frame(struct worker *worker, const struct func *func);
/* The same for the kernel's function and one warp: makes the frame at the first call. */
bool warp_frame(struct warp *warp);
void worker_unframe(struct worker *worker, const struct func *func, unsigned char *frame);
/* `lanes` are parked, blocked, at `point`; they are blocked no more. */
void warp_block(struct warp *warp, uint32_t lanes, uint32_t point);
void warp_unblock(struct warp *warp, uint32_t lanes);
/* The step behind which `lanes`, which wait, stand: for messages. */
const struct step *warp_stands(const struct warp *warp, uint32_t lanes);
/* barrier.c. bar.sync, bar.arrive, bar.red for `lanes`: returns the next step; lanes of the warp have exited; the
 * report of barriers that nobody can complete (false: nobody waits at one). */
const struct step *warp_barrier(struct warp *warp, const struct step *step, uint32_t lanes);
void barriers_exit(struct warp *warp);
bool barriers_deadlock(struct block *block);
const struct step *warp_syscall(struct warp *warp, const struct step *step, uint32_t lanes);

/* Host pointer to [address, address + bytes) as seen by `lane`; NULL after a trap was raised for that lane. */
unsigned char *warp_pointer(struct warp *warp, const struct step *step, unsigned lane, enum lane_space space,
                            uint64_t address, uint64_t bytes, bool write, enum lane_space *where);

/* Lanes for which the guard of `step` is true, running or not. */
static inline uint32_t guard_lanes(const struct warp *warp, const struct step *step)
{
    uint32_t bits;
    __builtin_memcpy(&bits, warp->frame.regs + step->guard, sizeof bits);
    return bits ^ step->guard_flip;
}

/* Lanes of `warp` that run `step`. */
static inline uint32_t step_lanes(const struct warp *warp, const struct step *step)
{
    return step->guard == KERNEL_NONE ? warp->frame.exec : warp->frame.exec & guard_lanes(warp, step);
}

/* program_create for one instruction set of the host. */
bool program_create_on(const struct interp_set *set, struct device *device, const struct lane_module *module,
                       uint32_t func, const uint64_t *addresses, struct program **program, struct atoll_error *error);
bool program_decode(struct program *program, struct atoll_error *error);
bool worker_open(struct worker *worker, struct run *run, unsigned index);
void worker_close(struct worker *worker);
bool run_pause(struct run *run, struct worker *worker); /* limits, interrupt; true: stop */

#endif
