/* What an engine is to the rest: how it makes a decoded function ready, runs a warp to its next stop, and says where
 * the warp is. All else about a launch - grid, host threads, orders, limits, traps, divergence, tokens, barriers - is
 * the same for all of them. */
#ifndef ATOLL_ENGINE_EXECUTOR_H
#define ATOLL_ENGINE_EXECUTOR_H

#include "engine/plan/program.h"

struct warp;

/* Ways to run a warp. */
enum run_kind {
    RUN_PLAIN,
    RUN_SEEDED,  /* other warps may come between any two operations that they can see */
    RUN_TRACED,  /* every instruction is told */
    RUN_CHECKED, /* what others can see is told to checks */
    RUN_KINDS
};

struct executor {
    const char *name;
    /* Makes func->points and func->once, in the program's arena. */
    bool (*prepare)(struct program *program, struct func *func, struct atoll_error *error);
    /* Carries out the invariants of the warp's function: all lanes, none can trap. */
    void (*begin)(struct warp *warp);
    /* Runs a warp until it ends, blocks, has had its turns, or stops the launch. */
    void (*run[RUN_KINDS])(struct warp *warp);
    /* Carries out what is at warp->pc, which then says where the warp goes on. False: it stops there. */
    bool (*step)(struct warp *warp);
    /* What is at a place. */
    const struct decoded *(*place)(const struct step *step);
};

/* The fastest engine on this host, and the one that runs on every host, to compare with. */
const struct executor *executor_best(void);
const struct executor *executor_portable(void);

#endif
