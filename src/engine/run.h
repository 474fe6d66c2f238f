/* A launch: what its host threads share, and what each of them has.
 *
 *   program   one kernel, linked and decoded (plan/program.h)
 *   run       one launch: arguments, limits, counters that workers share
 *   worker    one host thread: runs one block at a time, or some by turns
 *   block     shared memory, barriers, warps (warp/warp.h)
 *   warp      32 lanes: a register frame, the running lanes, where the others wait
 */
#ifndef ATOLL_ENGINE_RUN_H
#define ATOLL_ENGINE_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/executor.h"
#include "engine/warp/warp.h"
#include "mem/atomic.h"
#include "mem/device.h"
#include "mem/held.h"

enum {
    RESIDENT_BLOCKS = 8,          /* of a seeded order, whose warps are interleaved */
    PAUSE_ROUNDS = HARD(4096, 1), /* of turns of a block's warps, after which limits are looked at */
    CACHE_LINE = 64,              /* bytes; hosts fetch pairs of lines */
};

/* Allocation that a memory operation touched last. */
struct site {
    uint64_t base, size;
    unsigned char *host;
    bool readonly;
    bool owned; /* of an atomic operation: no other host thread writes what it reaches (compiled code finds it out) */
    const struct surface_ref *surface; /* of a surface operation: `base` is the handle */
    /* Of a load, in compiled code (jit/ahead.c): the row of all lanes that came last; how much further than the one
     * behind it that is which is asked for ahead. Of blocks before: where it lay, how far behind the one before. */
    const unsigned char *row;
    int64_t ahead;
    const unsigned char *before;
    int64_t by;
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
    uint32_t turns;   /* that ran out */
    uint32_t rounds;  /* of turns of a block's warps */
    bool watch;       /* its warps are to be watched */
    bool stalled;     /* they go round */
    bool knows_owned; /* sites say what is owned */
    uint32_t patience;
    uint64_t confirmed;  /* epoch in which they were found to go round once more */
    uint64_t next;       /* block to begin, in a seeded order */
    uint64_t begin, end; /* blocks that it has taken and not begun, in any other */
    bool reporter;       /* calls the progress callback */
    double next_report;
    uint64_t reported; /* instructions already added to run->instructions */
    uint64_t done;     /* blocks not yet added to run->blocks_done */
    uint64_t compiled; /* blocks that compiled code began to run */
    uint64_t stepped;  /* instructions that it had the interpreter carry out */
    const char *where; /* of an access that is about to trap: address_where's words; NULL: none */
};

/* What host threads know of each other when their warps go round (livelock.c). */
struct stall {
    pthread_mutex_t lock;
    unsigned active, stalled,
        confirmed;  /* host threads that have work; whose warps go round; that have seen it twice */
    uint64_t epoch; /* changes with `stalled` and `active` */
};

struct checking;

/* What a trap would say, where somebody asks beforehand (check_fault.c). */
enum { WHY_BYTES = 600 };
struct probe {
    const char *cause; /* NULL: nothing is wrong */
    char why[WHY_BYTES];
};

/* Is something looked at besides what checks are made for: history, profile, heat? */
static inline bool launch_watched(const struct atoll_launch_options *launch)
{
    return launch->nwatches || launch->slice || launch->line || launch->nheats;
}
/* Do checks or other observers want to see the launch? */
static inline bool launch_checked(const struct atoll_launch_options *launch)
{
    return launch->checks || launch->weak || launch_watched(launch);
}

struct run {
    struct stall stall;
    struct program *program;
    const struct atoll_launch_options *launch;
    void (*turn)(struct warp *warp); /* of the engine, as the launch wants its warps run */
    const char *file;
    bool stacked;                  /* the stack policy */
    bool counts_conflicts;         /* of the kernel's atomics */
    struct compile_job *compiled;  /* whose code warps may run, once it is there; NULL: the interpreter runs all */
    bool had_code;                 /* that was made before the launch */
    struct checking *checking;     /* of a checked launch; NULL: it is none */
    const bool *looked;            /* then: operations, by decoded.op, that warp_check is called for */
    struct probe *probe;           /* takes what traps say, and the launch goes on; NULL: traps stop it */
    struct contention *contention; /* of each site, summed when a host thread ends; NULL: not asked for */
    uint32_t grid[3], block[3];    /* in blocks, in threads */
    uint64_t extent[3];            /* threads of the grid as asked for */
    uint64_t blocks;
    uint32_t threads, nwarps, shared_bytes;
    uint32_t warp_lanes,
        thread_lanes;      /* of a warp here; as the kernel has it: fewer, where several are packed in one */
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

    enum atoll_status stopped; /* before its end, without a fault; ATOLL_OK: it was not */
    const char *limit;         /* that was reached; NULL: the caller stopped it */
    struct atoll_error *error; /* of the first that failed */
    struct atoll_trap *trap;
    atomic_int failed;
    atomic_flag print_lock;
};

/* Stops the launch for another reason than a trap (limits, unsupported). Always returns NULL. */
const struct step *run_stop(struct run *run, enum atoll_status status, const char *format, ...) PRINTF_LIKE(3, 4);
bool run_pause(struct run *run, struct worker *worker); /* limits, interrupt; true: stop */
/* Does the kernel look for the workspace of a cooperative launch, and the launch is none? */
bool run_lacks_workspace(const struct run *run);
/* The first instruction from there on that has a line (place.c). */
const struct decoded *decoded_standing(const struct decoded *at);
/* place.c: warp_place without a warp; where a line of a trace is from: "line 7", in machine code function, address and
 * text, "start" for what a kernel does before its first. With the place in the source, if it is told. */
uint32_t decoded_place(const struct run *run, const struct decoded *at, char place[PLACE_BYTES]);
/* The file of its line; NULL: it is machine code. */
const char *decoded_file(const struct run *run, const struct decoded *at);
void trace_place(const struct decoded *at, char place[PLACE_BYTES]);
/* The same for messages that name the file elsewhere. */
void short_place(const struct decoded *at, char place[PLACE_BYTES]);
/* Places in the source, of a trap or a finding. */
/* Adds where the function that an instruction is in was called, and so on, to what is said of its place. `warp`: one
 * that may be there; or NULL. */
void add_calls(const struct run *run, const struct warp *warp, const struct decoded *at, char place[PLACE_BYTES]);
/* The same of a lane, if it is there now. */
void add_calls_of(const struct warp *warp, unsigned lane, const struct decoded *at, char place[PLACE_BYTES]);
uint32_t decoded_line(const struct decoded *at); /* of the module's text; of machine code without one, the address */
void decoded_sources(const struct decoded *at, struct atoll_place places[ATOLL_INLINED], uint32_t *nplaces);
/* whose.c: where an address that cannot be accessed lies from what is allocated: ": element 256 of 'out' (256
 * x s32), 0 bytes past its end". True: it is in memory that was freed. */
enum { WHERE_BYTES = 400 };
bool address_where(const struct run *run, uint64_t address, uint64_t bytes, char where[WHERE_BYTES]);
/* The same of the allocation that begins at `start`. False: none does, or it has no name. */
bool address_beside(const struct run *run, uint64_t start, uint64_t address, char where[WHERE_BYTES]);
/* What an allocation is called: "'out' (256 x s32)". */
enum { OWNER_BYTES = 180 };
void address_owner(const struct run *run, const struct space_block *block, char owner[OWNER_BYTES]);
/* What an address that can be accessed is: "element 5 of 'out' (256 x s32)". */
void address_inside(const struct run *run, uint64_t address, char *where, size_t size);
/* What the source calls the kernel; its symbol too, where several have one name. */
enum { TITLE_BYTES = 400 };
void kernel_title(const struct run *run, char title[TITLE_BYTES]);

/* standing.c: the error of a launch that was stopped before its end: which threads are where. All host threads are out.
 */
void standing_report(struct run *run, const struct worker *workers, unsigned count);

bool worker_open(struct worker *worker, struct run *run, unsigned index);
void worker_close(struct worker *worker);
/* Starts a block of the grid (work.c). False: no memory; the launch stops. */
bool block_start(struct worker *worker, struct block *block, uint64_t number);
/* Which one it is; that it starts. */
void block_place(struct block *block, const struct run *run, uint64_t number);
void block_next(struct block *block, const struct run *run, uint64_t number);
/* How many blocks follow a block of which nothing differs but id[0], by one from each to the next. */
uint32_t block_row_left(const struct block *block, const struct run *run);
/* A host thread has no more work (livelock.c). */
void stall_leave(struct run *run);

enum checked_call { CHECKED_CALLS, CHECKED_JOINS, CHECKED_RETURNS };

/* check.c: opens what the launch asks for; tells what was found, and closes. False: the launch stops. */
bool check_open(struct run *run, struct atoll_error *error);
void check_close(struct run *run, struct atoll_stats *stats);
/* Tells of what a warp is about to do. *skip: lanes that are not to do it, as they would trap. False: no memory. */
bool warp_check(struct warp *w, const struct decoded *at, uint32_t *skip);
void warp_weak(struct warp *w, const struct decoded *at); /* of the weak order: it has been carried out */
void check_malloc(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address, uint64_t bytes);
bool check_block(struct block *block, uint64_t number);
void check_barrier(const struct block *block, uint32_t id);
/* check_memory.c: the host reads what a lane hands it, an argument of printf. */
void checked_read(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address, const unsigned char *from,
                  uint32_t bytes);
/* Lanes call or return; a lane has got memory by malloc. */
void checked_call(struct warp *w, uint32_t lanes, uint32_t activation, const struct lane_call *call,
                  const struct func *callee, uint32_t caller_at, uint32_t callee_at, enum checked_call how);
void check_exit(const struct warp *w, uint32_t lanes);
/* Nobody can go on: all wait; `warp` goes round in a loop, at `at`. */
void check_stuck(const struct block *block, const struct warp *warp, const struct decoded *at);
/* Blocks that a host thread has at a time. */
uint32_t resident_blocks(const struct run *run, unsigned index);

/* contention.c: counters of a host thread, their sums over a launch, and what is told of them. */
struct contention;
bool contention_open(struct worker *worker);
void contention_close(struct worker *worker);
void contention_report(struct run *run);
/* Is this instruction counted? */
bool contention_wanted(const struct run *run, const struct decoded *at);
void warp_contention(struct warp *w, const struct decoded *at, const uint64_t address[LANES], uint32_t lanes);
/* Of atomics on texels of one surface, or mip level. */
void warp_texel_contention(struct warp *w, const struct decoded *at, uint32_t lanes, const struct surface *surface);

/* What the warp carries out next, if it has a place. */
static inline const struct decoded *warp_at(const struct warp *warp)
{
    return warp->worker->run->program->executor->place(warp->pc);
}

/* program_create for a certain engine. */
bool program_create_on(const struct executor *executor, struct device *device, const struct lane_module *module,
                       uint32_t func, const uint64_t *addresses, struct program **program, struct atoll_error *error);

#endif
