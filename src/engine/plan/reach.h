/* What a kernel may run: the functions that calls can reach, and the shared memory that these name. */
#ifndef ATOLL_ENGINE_PLAN_REACH_H
#define ATOLL_ENGINE_PLAN_REACH_H

#include "lane/lane.h"

struct reach {
    uint32_t *funcs; /* the kernel first; an indirect call may reach all functions */
    uint32_t count;
    bool calls, indirect;
    uint64_t *shared_at;     /* of symbol n, a variable in shared memory that is named, at [n - 1] */
    uint32_t reserved_bytes; /* before all variables in shared memory: the system's */
    uint64_t shared_bytes;   /* static, with these: where dynamic shared memory begins, if there is any */
    bool dynamic_shared;
};

/* Do arguments and results of a call have the sizes that a function has? */
bool reach_fits(const struct lane_call *call, const struct lane_func *callee);

/* All of it in `arena`. False without memory. */
bool reach_find(const struct lane_module *module, uint32_t kernel, struct arena *arena, struct reach *reach);

#endif
