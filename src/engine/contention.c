/* The cost of atomics on shared memory, counted while a launch runs when it asks for that. */
#include "tap/contention.h"

#include "engine/run.h"

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
                                   .bank_conflicts = counter->conflicts};
    decoded_place(run, counter->who, place);
    for (unsigned i = 0; i <= LANES; i++)
        row.distinct_addresses[i] = counter->distinct[i];
    run->launch->contention(run->launch->user, &row);
}

void contention_report(struct run *run)
{
    for (uint32_t i = 0; run->contention && i < run->program->sites; i++)
        if (run->contention[i].executions)
            report(run, &run->contention[i]);
    free(run->contention);
    run->contention = NULL;
}

void warp_contention(struct warp *w, const struct decoded *at, const uint64_t address[LANES], uint32_t lanes)
{
    struct contention *counter = &w->worker->contention[at->site];
    counter->who = at;
    for (uint32_t thread; lanes; lanes &= ~thread) { /* each of packed warps for itself */
        thread = func_thread(w->func, lanes);
        contention_note(counter, address, lanes & thread);
    }
}
