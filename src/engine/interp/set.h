/* What the interpreter's files share within one instruction set of the host. */
#ifndef ATOLL_ENGINE_INTERP_SET_H
#define ATOLL_ENGINE_INTERP_SET_H

#include "engine/interp/step.h"

/* Handler of a memory operation (also suq); NULL if the operation is none. */
step_fn *KERNEL_NAME(memory_handler)(const struct step *step);
/* Handler of an operation between lanes of a warp; NULL if the operation is none. meet.c */
step_fn *KERNEL_NAME(warp_handler)(unsigned op);
/* Handlers of surface operations. */
step_fn *KERNEL_NAME(surface_handler)(const struct step *step);
/* Handler of an operation on barrier objects, the same for all instruction sets; NULL if the operation is none. */
step_fn *mbarrier_handler(unsigned op);
/* Handler of sample and suql, likewise. */
step_fn *sampler_handler(unsigned op);
/* Special registers and the like: a kernel, or NULL. machine.c */
kernel_fn *KERNEL_NAME(machine_find)(const struct lane_inst *inst);

#endif
