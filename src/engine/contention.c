/* The cost of atomics, counted while a launch runs when it asks for that. */
#include "tap/contention.h"

#include "engine/check.h"

#include <stdlib.h>

bool contention_open(struct worker *worker)
{
    struct run *run = worker->run;
    if (!run->launch->contention)
        return true;
    worker->contention = calloc((size_t)run->program->sites + 1, sizeof *worker->contention);
    return worker->contention != NULL;
}

/* The first counters become the sums; called by one host thread, after all are done. */
void contention_close(struct worker *worker)
{
    struct run *run = worker->run;
    if (!worker->contention)
        return;
    if (!run->contention) {
        run->contention = worker->contention;
    } else {
        for (uint32_t i = 0; i < run->program->sites; i++)
            contention_add(&run->contention[i], &worker->contention[i]);
        free(worker->contention);
    }
    worker->contention = NULL;
}

static void report(const struct run *run, const struct contention *counter)
{
    char place[PLACE_BYTES];
    struct atoll_contention row = {.place = place,
                                   .executions = counter->executions,
                                   .lanes = counter->lanes,
                                   .passes = counter->passes,
                                   .bank_conflicts = counter->conflicts,
                                   .sectors = counter->sectors,
                                   .space = counter->space == LANE_SHARED    ? "shared"
                                            : counter->space == LANE_SURFACE ? "surface"
                                                                             : "global"};
    decoded_place(run, counter->who, place);
    for (unsigned i = 0; i <= LANES; i++)
        row.distinct_addresses[i] = counter->distinct[i];
    run->launch->contention(run->launch->user, &row);
}

/* Copies of one instruction: functions that became a part of the kernel where they were called. Two on one line of a
 * function are taken for one. */
static bool is_copy(const struct contention *a, const struct contention *b)
{
    const struct decoded *x = a->who, *y = b->who;
    return b->executions && (x->from || y->from) && decoded_written(x) == decoded_written(y) && x->op == y->op &&
           x->inst->line == y->inst->line && a->space == b->space;
}

static void join_copies(const struct run *run, struct contention *first)
{
    for (struct contention *other = first + 1; other < run->contention + run->program->sites; other++)
        if (is_copy(first, other)) {
            contention_add(first, other);
            other->executions = 0;
        }
}

void contention_report(struct run *run)
{
    for (uint32_t i = 0; run->contention && i < run->program->sites; i++)
        if (run->contention[i].executions && run->program->inlined.func)
            join_copies(run, &run->contention[i]);
    for (uint32_t i = 0; run->contention && i < run->program->sites; i++)
        if (run->contention[i].executions)
            report(run, &run->contention[i]);
    free(run->contention);
    run->contention = NULL;
}

bool contention_wanted(const struct run *run, const struct decoded *at)
{
    return at->op < LANE_OPS && lane_is(at->op, LANE_UPDATES) && at->access &&
           (at->access->space == LANE_SHARED || run->launch->contention_everywhere);
}

static void note(struct warp *w, const struct decoded *at, enum lane_space space, const uint64_t address[LANES],
                 uint32_t lanes)
{
    struct contention *counter = &w->worker->contention[at->site];
    counter->who = at;
    counter->space = (uint8_t)space;
    for (uint32_t thread; lanes; lanes &= ~thread) { /* each of packed warps for itself */
        thread = func_thread(w->func, lanes);
        contention_note(counter, address, lanes & thread);
    }
}

/* Where the first lane's generic address lies counts for all. */
void warp_contention(struct warp *w, const struct decoded *at, const uint64_t address[LANES], uint32_t lanes)
{
    enum lane_space space = at->access->space;
    if (space == LANE_GENERIC)
        space = address[__builtin_ctz(lanes)] - SPACE_SHARED < SPACE_WINDOW ? LANE_SHARED : LANE_GLOBAL;
    if (contention_wanted(w->worker->run, at))
        note(w, at, space, address, lanes);
}

void warp_texel_contention(struct warp *w, const struct decoded *at, uint32_t lanes, const struct surface *surface)
{
    uint64_t address[LANES] = {0};
    uint32_t bytes = checked_texel_bytes(surface, at), found = 0;
    if (!contention_wanted(w->worker->run, at) || !bytes || (bytes & (bytes - 1)) || bytes > surface->row_bytes)
        return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        int32_t coord[3] = {0, 0, 0};
        bool skip;
        checked_coordinate(w, at, lane, coord);
        if (surface_resolve(surface, at->access, coord, bytes, &address[lane], &skip) == SURFACE_OK && !skip)
            found |= UINT32_C(1) << lane;
    }
    if (found)
        note(w, at, LANE_SURFACE, address, found);
}
