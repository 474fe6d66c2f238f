/* Warps and blocks: which lanes run, where the others wait, and what makes them go on. On points alone: no engine's
 * code is looked into here.
 *
 * Divergence. The lanes that run together are the ones at the lowest point; the others are parked at their points. When
 * the running lanes reach a point where others wait they take them along; when they pass the lowest waiting point they
 * park and the lanes there run. A group that has kept others waiting for FAIR_TURNS transitions (since all lanes were
 * together) parks, whatever its place, and the next of all groups that can run has as many: so locks between lanes of a
 * warp make progress. turns.c says where such changes happen. A vector machine's warp has no such groups, but where
 * several are packed into one (program.h) they are it: all lanes of one rest while the others have their turn.
 *
 * Functions that return a place (struct step) say where the running lanes go on; NULL: the warp has to pause or to end.
 */
#ifndef ATOLL_ENGINE_WARP_WARP_H
#define ATOLL_ENGINE_WARP_WARP_H

#include "base/bitset.h"
#include "base/error.h"
#include "base/hard.h"
#include "engine/plan/program.h"

struct worker;
struct run;

enum {
    FAIR_TURNS = HARD(512, 1),        /* branches before a group of lanes lets the others of its warp run */
    WARP_TURNS = HARD(4096, 1),       /* branches before a warp lets the others of its block run */
    COOPERATIVE_TURNS = HARD(128, 1), /* the same where all blocks are resident: most warps may wait for other blocks */
    CALL_DEPTH = 1024,                /* nested calls */
    BARRIERS = 16,                    /* named barriers of a block */
    BLOCK_THREADS = 1024,             /* of a block */
    MAX_WARPS = BLOCK_THREADS / 8,    /* of a block; a warp has 8 lanes or more */
};
/* A kind of token after enum lane_token: the lanes that did not go the way of those that run. */
enum { TOKEN_OTHER_SIDE = LANE_TOKENS };
#define NO_POINT UINT32_MAX

/* A set of warps of a block, by their numbers. */
struct warps {
    uint64_t bits[MAX_WARPS / 64];
};

static inline void warps_add(struct warps *set, uint32_t warp)
{
    bitset_add(set->bits, warp);
}

static inline void warps_remove(struct warps *set, uint32_t warp)
{
    bitset_remove(set->bits, warp);
}

static inline bool warps_have(const struct warps *set, uint32_t warp)
{
    return bitset_has(set->bits, warp);
}

/* Are all of `set` in `all`? */
static inline bool warps_within(const struct warps *set, const struct warps *all)
{
    uint64_t missing = 0;
    for (unsigned i = 0; i < MAX_WARPS / 64; i++)
        missing |= set->bits[i] & ~all->bits[i];
    return !missing;
}

static inline uint32_t warps_count(const struct warps *set)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < MAX_WARPS / 64; i++)
        count += (uint32_t)__builtin_popcountll(set->bits[i]);
    return count;
}

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
    const struct step *pc; /* where to go on, in the engine's code; NULL: choose a waiting group first */
    struct block *block;
    struct worker *worker;
    struct warp *next; /* of the block, in their order and around */
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
    uint32_t served;                                  /* lanes that have run since the last round of all groups (of
                                                         packed warps: threads) began */
    uint32_t used_up;                                 /* how often turns were used up */
    uint32_t put_off;                                 /* draws of turns.c */
    bool change_put_off;                              /* the running group is to change at an access that others see */
    uint32_t arrived;                                 /* lanes waiting at bar.warp */
    uint32_t came[BARRIERS], barrier_lanes[BARRIERS]; /* barrier.c */
    uint16_t coming;                                  /* barriers with lanes in `came` */
    uint32_t local;                                   /* of the innermost local frame */
    unsigned char *locals;                            /* LANES * block->local_stride bytes */
    unsigned char *regfile;                           /* block->regfile_bytes */
    struct activation *activations;                   /* 0 = the kernel; grown on demand */
    uint32_t here;                                    /* the one whose lanes run */
    uint32_t ncalls;                                  /* those in use but for the kernel's */
    uint32_t last_activation, activation_room, free_activation;
    bool lockstep;   /* the lanes furthest behind always run: others would miss what the whole warp does there */
    bool packed;     /* so it is of each of its threads; these take turns */
    uint32_t spare;  /* of packed warps: lanes of threads that the block has not; nobody sees what they have */
    uint32_t rested; /* lanes of threads that wait for the others to have theirs; in `blocked` meanwhile */
    bool parts;      /* its lanes may part before any access that others see (lane_func.independent) */
    bool stacked;    /* the stack policy: `waiting` stays 0 */
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
    uint32_t arrivals; /* of warps */
    struct warps arrived;
    uint32_t count; /* reduction: predicates that were true */
    bool all, any;
    bool busy;             /* a phase has begun */
    uint32_t result_count; /* of the last completed reduction: read by DECODED_REDUCED */
    bool result_all, result_any;
};

struct block {
    struct worker *worker;
    uint32_t id[3];
    uint64_t next; /* number of the block that comes after it; 0: none has been placed here */
    unsigned char *shared;
    uint32_t shared_bytes;
    uint32_t nwarps, threads, live; /* threads that have not exited */
    struct warps live_warps;        /* those that have such threads */
    struct warp *warps;
    struct barrier barriers[BARRIERS];
    uint32_t phases;                    /* barriers that are busy */
    uint32_t local_bytes, local_stride; /* local memory of a lane; from one lane's to the next one's */
    uint32_t regfile_bytes;
    uint32_t warp_lanes; /* threads that make a warp */
    uint64_t barriers_done;
    struct warp *left; /* compiled code has left the block, and they go on from this one; NULL: from the first */
    bool busy;         /* a block of the grid is in it */
    bool lost;         /* compiled code was stopped between the warps' parts: where they are is not known */
    bool untouched;    /* all is as block_start left it: compiled code that runs to its end changes none of it */
};

/* The first thread of a phase arrives. Results stay: those of the last phase may not have read them yet. */
static inline void barrier_begin(struct block *block, struct barrier *barrier, uint32_t expected)
{
    block->phases++;
    barrier->expected = expected;
    barrier->arrived = (struct warps){{0}};
    barrier->arrivals = barrier->count = 0;
    barrier->all = true;
    barrier->any = false;
    barrier->busy = true;
}

/* ---- stopping (launch.c) ----------------------------------------------------------------------------------------- */

/* Stops the launch because of the lowest lane in `lanes` at an instruction. Always returns NULL. */
const struct step *warp_trap(struct warp *warp, const struct decoded *at, uint32_t lanes, const char *cause,
                             uint64_t address, const int64_t coordinate[3], const char *format, ...) PRINTF_LIKE(7, 8);
/* What LANE_OP_fault says. */
const struct step *warp_fault(struct warp *warp, const struct decoded *at, uint32_t lanes);
/* Where an instruction stands, for messages: "file:line", or the place that the function gives it; before it the place
 * in the source, if it is told. Returns line or address. (place.c) */
enum { PLACE_BYTES = 1200 };
uint32_t warp_place(const struct warp *warp, const struct decoded *at, char place[PLACE_BYTES]);
/* One line to the launch's trace, if it is wanted (trace.c). */
void warp_trace(struct warp *warp, const struct decoded *at);

/* ---- which lanes run (flow.c) ------------------------------------------------------------------------------------ */

/* The running lanes go to `point`: merge with lanes there, or park. */
const struct step *warp_goto(struct warp *warp, uint32_t point);
/* The running lanes are parked at `point`, blocked or not; picks the next group. */
const struct step *warp_park(struct warp *warp, uint32_t point, bool blocked);
/* Picks the next group when no lanes run (exec == 0). */
const struct step *warp_next(struct warp *warp);
/* The running lanes park at `point`, and the next group in turn runs. */
const struct step *warp_change(struct warp *warp, uint32_t point);
/* Are there others to change to? */
static inline bool warp_changes(const struct warp *warp)
{
    return (!warp->lockstep || warp->packed) && (warp->lowest != NO_POINT || warp->rested);
}
/* Running lanes take two ways. */
const struct step *warp_split(struct warp *warp, uint32_t taken, uint32_t point, uint32_t other);
/* `lanes` are parked at `point`, unblocked or blocked; the rest runs on. They are blocked no more. */
void warp_leave(struct warp *warp, uint32_t lanes, uint32_t point);
void warp_block(struct warp *warp, uint32_t lanes, uint32_t point);
void warp_unblock(struct warp *warp, uint32_t lanes);
/* Lanes exit. NULL with running lanes left (a guarded exit) means: go on with what comes next. */
const struct step *warp_exit(struct warp *warp, uint32_t lanes);
/* Operations of the warp that lanes meet at, with masks of who is to come. Lanes that wait at this one run on. */
void warp_gather(struct warp *warp, const struct decoded *at);
/* Those of `lanes` that have the value that the lowest of them has. */
static inline uint32_t lanes_like_first(const uint32_t values[LANES], uint32_t lanes)
{
    uint32_t same = 0, first = values[__builtin_ctz(lanes)], differ = 0;
    for (unsigned l = 0; l < LANES; l++)
        differ |= (values[l] ^ first) & -(lanes >> l & 1);
    if (!differ) /* mostly */
        return lanes;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (values[__builtin_ctz(left)] == first)
            same |= left & -left;
    return same;
}
/* Lanes that have not exited, that masks of `lanes` name, and that are none of these. */
static inline uint32_t warp_missing(const struct warp *warp, const uint32_t masks[LANES], uint32_t lanes)
{
    uint32_t missing = 0;
    for (uint32_t same, left = lanes; left; left &= ~same) {
        same = lanes_like_first(masks, left);
        missing |= masks[__builtin_ctz(left)] & warp->live & ~lanes;
    }
    return missing;
}
/* Those of `lanes` some of whose mask are not `here`, and can still come. */
uint32_t warp_incomplete(const struct warp *warp, const uint32_t masks[LANES], uint32_t lanes, uint32_t here);
/* Lanes that run wait there. True: no others run, and *next is what goes on. */
bool warp_hold(struct warp *warp, const struct decoded *at, uint32_t lanes, const struct step **next);
/* Lanes of another activation run next, if there are some that can. */
void warp_change_call(struct warp *warp);
/* Fills `at` in; finds the lowest point of lanes that wait unblocked. */
void warp_spread(struct warp *warp);
void warp_find_lowest(struct warp *warp);
/* turns.c: a ready warp runs on to an access that others see; `lanes`: there the next group of its lanes runs. */
void warp_put_off(struct warp *warp, bool lanes);

/* ---- tokens (stack.c) ------------------------------------------------------------------------------------- */

/* push: false after the launch was stopped; pop: as warp_exit. */
bool warp_push(struct warp *warp, const struct decoded *at, uint32_t lanes);
const struct step *warp_pop(struct warp *warp, const struct decoded *at, uint32_t lanes);
const char *token_name(unsigned kind);
void tokens_begin(struct warp *warp);
void tokens_free(struct warp *warp);
/* The warp's stack: takes `lanes` out of all tokens above their innermost one of the kind, and returns those that have
 * none; the lanes of the first token that has some run: where? NO_POINT: there are none. */
uint32_t tokens_unwind(struct warp *warp, uint32_t lanes, uint32_t kind);
uint32_t tokens_resume(struct warp *warp);
/* warp_split and warp_next by the stack policy. */
const struct step *stack_split(struct warp *warp, uint32_t taken, uint32_t point, uint32_t other);
const struct step *stack_next(struct warp *warp);

/* ---- lanes that wait for themselves (livelock.c) ---------------------------------------------------------- */

/* Are warps of any policy watched? A ready warp that is has used its turns up or gave way; a host thread's warps are
 * watched: false, the launch stops. */
bool watch_all(const struct run *run);
void watch_turn(struct worker *worker, struct warp *warp);
bool watch_round(struct worker *worker);

/* ---- calls and frames (calls.c) --------------------------------------------------------------------------- */

const struct step *warp_call(struct warp *warp, const struct decoded *at, uint32_t lanes, uint32_t function);
const struct step *warp_return(struct warp *warp, uint32_t lanes); /* as warp_exit */
void calls_begin(struct warp *warp);
void calls_free(struct warp *warp);
/* Lanes of other activations that can run; unblocked ones there; the next activation with such lanes, or the caller of
 * one that is over, is entered (false: there is none). */
uint32_t calls_able(const struct warp *warp);
void calls_unblock(struct warp *warp, uint32_t lanes);
bool calls_next(struct warp *warp);
bool calls_over(struct warp *warp);
/* What `lanes`, which wait, have come to: for messages. */
const struct decoded *warp_stands(const struct warp *warp, uint32_t lanes);
/* A register frame for a called function: constants in place, registers that may be read before they are written are
 * zero. Kernels have a frame for each warp of the block, which keeps its invariants from block to block. */
unsigned char *worker_frame(struct worker *worker, const struct func *func);
void worker_unframe(struct worker *worker, const struct func *func, unsigned char *frame);
/* The same for the kernel's function and one warp: makes the frame at the first call. */
bool warp_frame(struct warp *warp);

/* ---- barriers (barrier.c) --------------------------------------------------------------------------------- */

/* bar.sync, bar.arrive, bar.wait, bar.red for `lanes`; lanes of the warp have exited; the report of barriers that
 * nobody can complete (false: nobody waits at one). */
const struct step *warp_barrier(struct warp *warp, const struct decoded *at, uint32_t lanes);
void barriers_exit(struct warp *warp);
bool barriers_deadlock(struct block *block);

/* ---- memory and the host ---------------------------------------------------------------------------------- */

/* Host pointer to [address, address + bytes) as seen by `lane`; NULL after a trap was raised for that lane. */
unsigned char *warp_pointer(struct warp *warp, const struct decoded *at, unsigned lane, enum lane_space space,
                            uint64_t address, uint64_t bytes, bool write, enum lane_space *where);
/* What a surface handle stands for, and the surface that is bound to it; NULL after a trap was raised for `lanes`. */
const struct surface_ref *warp_handle(struct warp *warp, const struct decoded *at, uint32_t lanes, uint64_t handle);
const struct surface *warp_bound(struct warp *warp, const struct decoded *at, uint32_t lanes,
                                 const struct surface_ref *ref);
/* What is wrong with texel accesses of `lanes`. */
void warp_texel_trap(struct warp *warp, const struct decoded *at, uint32_t lanes, const struct surface *surface,
                     enum surface_fault fault);
/* syscall.c: false, the launch was stopped. */
bool warp_syscall(struct warp *warp, const struct decoded *at, uint32_t lanes);

/* Lanes for which a guard is true, running or not; those that carry out what has it. */
static inline uint32_t guard_true(const struct warp *warp, uint32_t guard, uint32_t flip)
{
    uint32_t bits;
    __builtin_memcpy(&bits, warp->frame.regs + guard, sizeof bits);
    return bits ^ flip;
}

static inline uint32_t guard_lanes(const struct warp *warp, uint32_t guard, uint32_t flip)
{
    return guard == KERNEL_NONE ? warp->frame.exec : warp->frame.exec & guard_true(warp, guard, flip);
}

static inline uint32_t decoded_lanes(const struct warp *warp, const struct decoded *at)
{
    return guard_lanes(warp, at->guard, at->guard_flip);
}

/* What a lane has in an operand of up to 64 bits, destinations first; it is no predicate. */
static inline uint64_t decoded_operand(const struct warp *warp, const struct decoded *at, unsigned operand,
                                       unsigned lane)
{
    size_t bytes = at->bits[operand] / 8u;
    uint64_t value = 0;
    __builtin_memcpy(&value, warp->frame.regs + at->offsets[operand] + lane * bytes, bytes);
    return value;
}

/* What holds between any two steps of a warp: a lane runs or waits or has left; who is blocked waits; lanes that wait
 * at one point have no entries in `at`, and `lowest` is where they can go on. */
static inline bool warp_sound(const struct warp *warp)
{
    return !(warp->frame.exec & warp->waiting) && !((warp->frame.exec | warp->waiting) & ~warp->live) &&
           !(warp->blocked & ~warp->waiting) && !(warp->rested & ~warp->blocked) &&
           (!warp->packed || (!(warp->rested & func_whole(warp->func, warp->frame.exec)) && !warp->hold)) &&
           (!warp->single || (warp->waiting && !warp->blocked && warp->lowest != NO_POINT)) &&
           (warp->lowest == NO_POINT || (warp->lowest < warp->func->npoints && (warp->waiting & ~warp->blocked))) &&
           (!warp->stacked || !warp->waiting);
}

#endif
