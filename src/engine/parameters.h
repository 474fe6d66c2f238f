/* The parameter space of a launch. */
#ifndef ATOLL_ENGINE_PARAMETERS_H
#define ATOLL_ENGINE_PARAMETERS_H

#include "engine/run.h"

/* Fills run->params, param_bytes and, for kernels that read it, the table of surfaces. Grid and block must be known. */
bool parameters_make(struct run *run, struct atoll_error *error);
void parameters_free(struct run *run);

#endif
