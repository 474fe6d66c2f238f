/* The work of a host thread. */
#ifndef ATOLL_ENGINE_WORK_H
#define ATOLL_ENGINE_WORK_H

#include "engine/run.h"

/* Runs blocks until there are no more or the launch stops. */
void worker_run(struct worker *worker);

#endif
