/* The interpreter: an engine for each instruction set of the host that it is compiled for. */
#ifndef ATOLL_ENGINE_INTERP_INTERP_H
#define ATOLL_ENGINE_INTERP_INTERP_H

#include "engine/executor.h"

extern const struct executor interp_base;
#if defined(__x86_64__)
extern const struct executor interp_v3, interp_v4;
#endif

#endif
