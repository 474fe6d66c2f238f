/* Checks: observers of a launch that look for mistakes of the kernel. The engine tells events, before each instruction
 * what it is about to do; every check that the launch asks for gets them; what checks find goes to the engine, which
 * has the words for it (engine/check.c).
 *
 * A check is a row of the table in check.c. To add one: a file with its functions here, its row there, its bit in
 * atoll.h (enum atoll_check), its section in docs/checks.md. Functions that a check has no
 * use for are NULL. All are called on one host thread, in the order in which things happen. */
#ifndef ATOLL_TAP_CHECK_H
#define ATOLL_TAP_CHECK_H

#include "lane/lane.h"

enum { TAP_WARPS = 128 /* of a block */, TAP_BARRIERS = 16 };

/* What an access does. */
enum tap_kind { TAP_LOAD, TAP_STORE, TAP_UPDATE /* reads and writes at once */ };
/* By which way it goes to memory (PTX ISA, "Proxies"). */
enum tap_proxy { TAP_GENERIC, TAP_SURFACE };

/* A block of the grid begins in a slot: one of the resident ones. */
struct tap_block {
    uint32_t slot;
    uint64_t number;
    uint32_t threads, warp_lanes;
    const unsigned char *shared;
    uint32_t shared_bytes, shared_written; /* the first of them: the system has written these */
};

/* An instruction of a warp, which is about to be carried out; of an access, that follows. */
struct tap_step {
    uint32_t slot, warp;
    uint32_t lanes;      /* that run it, with its guard */
    uint32_t active;     /* that come to it, whatever its guard says */
    bool waits;          /* of the warp: other lanes are still to come, and it will be told again */
    uint32_t site;       /* number of the instruction */
    uint32_t activation; /* of the function: 0 is the kernel, numbers of those that are over come again */
    const struct lane_func *func;
    const struct lane_inst *inst;
    uint32_t there;     /* lanes that come to it, whatever the guard says */
    uint64_t diverged;  /* how many times lanes of the warp have parted */
    const void *engine; /* the engine's own, for tap_engine */
};

/* Destinations come first. */
static inline struct lane_operand tap_operand(const struct tap_step *step, unsigned operand)
{
    return step->func->operands[step->inst->first + operand];
}

/* An access of a warp, which is about to happen. */
struct tap_access {
    uint32_t slot, warp, lanes;
    uint32_t site;
    uint8_t kind, proxy;     /* enum tap_kind, tap_proxy */
    uint8_t order, scope;    /* enum lane_order, lane_scope */
    bool shared;             /* the block's memory; else global memory or texels */
    bool registers;          /* of a local access: bytes of the warp that stand for registers */
    bool heap;               /* global memory of a kernel's malloc */
    bool read_only;          /* the program says that nobody writes there while the kernel runs */
    bool returns;            /* the kernel learns what it reads: not of reductions */
    uint32_t bytes, element; /* of a lane; of what it reads or writes at once */
    uint32_t stale;          /* in the weak order: lanes that read an older value, which passes nothing on, and that
                                store what is overwritten at once */
    const unsigned char *at[LANES]; /* where the host has them: one memory has one place, whatever names it has */
    uint64_t address[LANES];        /* as the kernel names it: global address, offset in shared memory, handle */
    uint32_t texel;                 /* of a surface access: bytes of a texel, as the format says; else 0 */
    const struct lane_func *func;
    const struct lane_inst *inst;
    const void *engine; /* the engine's own, for tap_engine */
};
/* Bytes of the kernel's memory, and of what checks keep of each, that are asked for before an access comes to them:
 * blocks of a row of blocks come one after the other, and go through rows of memory that lie apart, so the host does
 * not see that coming. What lies nearer is asked for too late. */
enum { TAP_AHEAD = 256 };
/* How many of `lanes`, from the lowest on, lie one behind the other. */
uint32_t tap_run(const struct tap_access *access, uint32_t lanes);

/* A lane's access that is not carried out as the kernel says it: it would trap; the clamp policy of a surface moves it
 * or drops it. */
struct tap_fault {
    const struct tap_access *access; /* without lanes */
    unsigned lane;
    const char *cause, *why; /* a word, the same pointer for the same cause; in a few words */
};

enum tap_what {
    TAP_FENCE,       /* of `scope` */
    TAP_PROXY_FENCE, /* between ways to memory */
    TAP_WARP_SYNC,   /* `lanes` meet */
    TAP_ARRIVE,      /* `lanes` come to barrier `id` and go on */
    TAP_COME,        /* `lanes` come to barrier `id` and wait */
    TAP_AWAIT,       /* `lanes` wait for barrier `id`, where they have arrived before */
};

struct tap_order {
    uint32_t slot, warp, lanes;
    uint8_t what, scope; /* enum tap_what, lane_scope */
    bool sc;             /* TAP_FENCE: sequentially consistent */
    uint32_t id;         /* of a barrier */
    bool whole;          /* TAP_WARP_SYNC: no other lanes are left in the warp */
    /* Of TAP_ARRIVE and TAP_COME: */
    uint32_t site, runs; /* the instruction; lanes that run it, where `lanes` are the whole warp (token stack) */
    bool part;           /* on a vector machine: others of the warp have gone another way */
    uint32_t count;      /* threads that the barrier is for; 0: all of the block */
    bool aligned;        /* all threads of a warp are to come to this very instruction */
};

/* The thread of a lane, in its block. Lanes beyond those of a narrow warp take part in what all of it does. */
static inline uint32_t tap_thread(uint32_t warp_lanes, uint32_t warp, unsigned lane)
{
    return warp * warp_lanes + (lane < warp_lanes ? lane : 0);
}

/* Lanes of a warp that have threads. */
static inline uint32_t tap_threads(uint32_t warp_lanes)
{
    return warp_lanes < LANES ? (UINT32_C(1) << warp_lanes) - 1 : UINT32_MAX;
}

/* Lanes leave the kernel. */
struct tap_exit {
    uint32_t slot, warp, lanes, site;
};

/* Lanes are about to carry out an operation of the warp together: those that it waited for have come. */
struct tap_meet {
    const struct tap_step *step; /* of those that came last */
    uint32_t lanes, live;        /* that carry it out; that have not exited */
    uint32_t masks[LANES];       /* members, as each of them names them */
    uint32_t lost;               /* shfl: lanes whose source is in range, but is none of these */
    uint8_t source[LANES];       /* of lost lanes */
};

/* No warp of the block can go on. */
struct tap_stuck {
    uint32_t slot;
    uint32_t warp, lanes, site; /* that go round in a loop, there, and nothing changes any more; no lanes: all wait */
};

/* A barrier of the block is complete. */
struct tap_barrier {
    uint32_t slot, id;
    uint64_t arrived[TAP_WARPS / 64]; /* warps */
    bool whole;                       /* nobody else is left in the block */
    uint32_t waiting[TAP_WARPS];      /* lanes of each warp that have waited and go on */
    uint32_t live[TAP_WARPS];         /* lanes of each warp that have not exited */
};

/* One side of a finding. */
struct tap_side {
    uint32_t site;
    uint8_t kind, order, proxy; /* of an access */
    uint64_t block;
    uint32_t thread; /* of the block */
    bool stays;      /* if the thread is there now, it has not been away since */
};
enum { TAP_NO_SITE = UINT32_MAX /* of `before`: the finding has one side */ };

/* Global memory that is given back: what comes there next is nobody's old memory. */
struct tap_freed {
    const unsigned char *at;
    uint64_t bytes;
};

/* A lane gets memory from the heap. */
struct tap_malloc {
    uint32_t slot, warp, lane, site;
    const unsigned char *at;
    uint64_t bytes;
};

/* Bytes of the host's memory. */
struct tap_range {
    const unsigned char *at;
    uint64_t bytes;
};

/* Lanes call a function or return from it. Values go through local memory: slots of the caller's frame and of the
 * callee's, whose bytes of lane l are at locals + l * stride. */
struct tap_call {
    uint32_t slot, warp, lanes;
    uint32_t activation; /* of the callee */
    bool returns;
    bool joins; /* others are in the callee, by the same activation */
    const struct lane_func *callee;
    const struct lane_call *call;
    const unsigned char *locals;
    uint32_t stride, caller_at, callee_at;
};

/* How the bytes from a place on are, as far as they are alike. */
enum tap_how { TAP_WRITTEN, TAP_UNWRITTEN, TAP_WRITTEN_UNDEFINED };
struct tap_extent {
    uint64_t bytes;
    uint8_t how; /* enum tap_how */
};

/* Memory that a value came from. */
struct tap_origin {
    bool shared, surface, local;
    uint64_t address; /* as the kernel names it: of surfaces the handle */
    uint32_t element;
};

/* Memory that something has: a variable, what a parameter points to. */
enum { TAP_NAME = 200 };
enum { TAP_BESIDE = 400 };
struct tap_owner {
    uint64_t start, bytes; /* of shared memory: as an offset */
    bool shared;
    char name[TAP_NAME];
};

/* What a check found: told once for each place or pair of places, then counted. */
struct tap_finding {
    const char *check, *cause; /* a word each */
    bool worse;                /* it stands for milder causes that are found at the same places */
    const char *why;           /* what is wrong, in a few words */
    const char *does;          /* what thread `now` does, "divides by zero"; NULL: what its access does */
    const char *did;           /* the same of `before`, "has left the kernel" */
    struct tap_side now, before;
    const struct tap_access *access; /* of `now`; NULL: no memory is told */
    unsigned lane;
    const struct tap_origin *origin; /* what `before` has read; NULL: it is not told */
};

/* Bytes that are watched, where the host has them. */
struct tap_watch {
    const unsigned char *at;
    uint32_t bytes; /* at most 16 */
};

/* An access to them, once it is over (history.c). */
struct tap_touch {
    uint32_t watch, site, lanes; /* lanes: how many */
    uint64_t when;
    struct tap_side side;
    unsigned char before[16], after[16];
    const char *order;
};

struct tap_slice {
    bool turn;
    uint32_t slot, warp;
    uint64_t block, begin, end, lanes;
};

/* Memory whose accesses are counted, `unit` bytes each; those of `counts` are (bytes + unit - 1) / unit. */
struct tap_heat {
    const unsigned char *at;
    uint64_t bytes;
    uint32_t unit;
    uint64_t *counts;
};

/* Of an instruction. */
struct tap_count {
    uint64_t executions, lanes, accesses, bytes, divergent;
};

/* What the engine does for checks. */
struct tap_engine {
    void *self;
    /* Called for every finding. */
    void (*found)(void *self, const struct tap_finding *finding);
    /* Does a store put there what is there already; what another lane of the same access stores? */
    bool (*stores_same)(const struct tap_access *access, unsigned lane);
    bool (*stores_alike)(const struct tap_access *access, unsigned lane, unsigned other);
    /* What a lane has in an operand of the instruction, destinations first: its low 64 bits. */
    uint64_t (*value)(const struct tap_step *step, unsigned operand, unsigned lane);
    /* Where in its local memory a lane loads or stores; false: elsewhere. */
    bool (*local)(const struct tap_step *step, unsigned lane, uint32_t *at);
    /* Of a shuffle: the lane whose value a lane gets, its own where that is out of range. */
    unsigned (*shuffled)(const struct tap_step *step, unsigned lane);
    /* At which instruction a lane of the warp waits, and its number; NULL: at none. */
    const struct lane_inst *(*stands)(const struct tap_step *step, unsigned lane, uint32_t *site);
    /* The variable that is symbol number `symbol` of the module; the allocation that the kernel's parameter of 64 bits
     * at byte `offset` points into. False: it is none. */
    bool (*symbol)(const void *self, uint32_t symbol, struct tap_owner *owner);
    bool (*pointee)(const void *self, uint32_t offset, struct tap_owner *owner);
    /* Where an address outside is, seen from the allocation that begins at `start`: ": element 32 of 'a' (...), 0 bytes
     * past its end". False: none with a name does. */
    bool (*beside)(const void *self, uint64_t start, uint64_t address, char out[TAP_BESIDE]);
    /* What observers that are no checks have seen. */
    void (*touched)(void *self, const struct tap_touch *touch);
    void (*ran)(void *self, const struct tap_slice *slice);
    void (*counted)(void *self, uint32_t site, const struct tap_count *count);
    /* What all lanes have in an operand, side by side, as wide as it is (a predicate: a bit each); NULL: it has none.
     * As long as no other instruction of the warp has run, results, too. */
    const void *(*row)(const struct tap_step *step, unsigned operand);
    /* Of a barrier object, where the host has it: arrivals that its phase waits for, and the phase's parity. */
    uint32_t (*object)(const unsigned char *at, bool *odd);
};

/* A launch, for checks. */
struct tap_launch {
    const struct tap_engine *engine;
    uint32_t slots, sites; /* resident blocks, instructions */
    bool read_only;        /* there are such accesses */
    bool lockstep;         /* lanes of a warp never run apart from each other's accesses (docs/checks.md, "Warps") */
    bool by_bytes;         /* messages that move blocks of texels do so byte by byte */
    uint64_t most;         /* bytes that a check may take; 0: as many as there are */
    const struct tap_range *unwritten; /* global memory and texels that nobody has written */
    uint32_t nunwritten;
    const struct tap_watch *watches; /* nwatches 0: there is no history */
    uint32_t nwatches, nheats;
    const struct tap_heat *heats;
    bool profile; /* counts and slices are wanted */
};

/* False of the functions: out of memory. */
struct check {
    const char *name;
    unsigned bit; /* of enum atoll_check */
    bool (*open)(const struct tap_launch *launch, void **state);
    void (*close)(void *state);
    bool (*block)(void *state, const struct tap_block *block);
    bool (*step)(void *state, const struct tap_step *step);
    bool (*access)(void *state, const struct tap_access *access);
    /* Faults of accesses, and what the clamp policy of a surface does to them. With somebody who takes faults, lanes
     * that would trap do not access, and get zeros; the launch goes on. */
    bool (*fault)(void *state, const struct tap_fault *fault);
    bool (*border)(void *state, const struct tap_fault *fault);
    bool (*order)(void *state, const struct tap_order *order);
    bool (*barrier)(void *state, const struct tap_barrier *barrier);
    bool (*freed)(void *state, const struct tap_freed *freed);
    bool (*exit)(void *state, const struct tap_exit *exit);
    bool (*meet)(void *state, const struct tap_meet *meet);
    bool (*stuck)(void *state, const struct tap_stuck *stuck);
    bool (*end)(void *state); /* the launch is over, however it ended: what is found now is told, too */
    bool (*made)(void *state, const struct tap_malloc *made);
    bool (*local)(void *state, const struct tap_access *access); /* to memory of the thread, or the warp's bytes */
    bool (*call)(void *state, const struct tap_call *call);
    /* Afterwards: what the check knows of memory that was not written. */
    void (*extent)(void *state, const struct tap_range *range, struct tap_extent *extent);
};

extern const struct check check_race, check_undefined, check_sync, check_value, check_memory, check_border;
/* Observers that find no mistakes, and have no bit. */
extern const struct check check_history, check_profile, check_heat;

/* Check number `index`; NULL past the last. */
const struct check *check_at(unsigned index);

/* The checks of a launch. */
enum { CHECKS = 12 };
struct tap {
    const struct check *checks[CHECKS];
    void *states[CHECKS];
    unsigned count;
    bool steps;           /* one of them wants every instruction */
    bool local;           /* and accesses to local memory */
    bool faults, borders; /* and faults, and what clamp policies do */
    bool accesses;        /* any of these, or accesses to memory that others see */
    bool meets;           /* operations of warps */
};
bool tap_open(struct tap *tap, unsigned checks, const struct tap_launch *launch);
/* One more, that no bit asks for; tap_close closes it. False: there is no room, and it is closed. */
bool tap_add(struct tap *tap, const struct check *check, void *state);
void tap_close(struct tap *tap);
bool tap_block(struct tap *tap, const struct tap_block *block);
bool tap_step(struct tap *tap, const struct tap_step *step);
bool tap_access(struct tap *tap, const struct tap_access *access);
bool tap_fault(struct tap *tap, const struct tap_fault *fault);
bool tap_border(struct tap *tap, const struct tap_fault *fault);
bool tap_order(struct tap *tap, const struct tap_order *order);
bool tap_barrier(struct tap *tap, const struct tap_barrier *barrier);
bool tap_freed(struct tap *tap, const struct tap_freed *freed);
bool tap_exit(struct tap *tap, const struct tap_exit *exit);
bool tap_meet(struct tap *tap, const struct tap_meet *meet);
bool tap_stuck(struct tap *tap, const struct tap_stuck *stuck);
bool tap_end(struct tap *tap);
bool tap_made(struct tap *tap, const struct tap_malloc *made);
bool tap_local(struct tap *tap, const struct tap_access *access);
bool tap_call(struct tap *tap, const struct tap_call *call);
/* False: no check knows. */
bool tap_extent(const struct tap *tap, const struct tap_range *range, struct tap_extent *extent);

#endif
