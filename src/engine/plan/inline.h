/* Calls of a kernel as part of its own code: what is called is copied to where the call stands, with registers of its
 * own. So compiled code need not be left for a call, and lanes that come back meet behind it as they meet elsewhere. */
#ifndef ATOLL_ENGINE_PLAN_INLINE_H
#define ATOLL_ENGINE_PLAN_INLINE_H

#include "lane/lane.h"

/* Where code came from that a call has brought. */
struct inlining {
    const struct lane_func *func;  /* the function called: its lines are those of the code */
    const struct lane_func *by;    /* who called it */
    uint32_t line;                 /* of the call, in `by` */
    const struct inlining *caller; /* how that came here; NULL: it is the kernel */
};

struct inlined {
    struct lane_module module;    /* owns all of it */
    struct lane_func *func;       /* the kernel; NULL: it is as it was written */
    const struct inlining **from; /* of each block; NULL: the kernel's own */
    uint32_t *counts; /* of each block: its instructions as they were written; calls that are left end a block */
    bool calls;       /* some are left */
};

/* Where the frame of a function that is called begins, behind a caller's that ends there: of calls that are made, too.
 */
static inline uint32_t inlined_behind(uint32_t end)
{
    return (end + 15) & ~UINT32_C(15);
}

/* Makes it of a kernel of a verified module. Functions that call themselves or others so, or by pointers, and what is
 * much code stay calls. Calls by pointers are tests for each function whose address the module has somewhere, where
 * these are few, before a call that is left. False: no memory. Free it by lane_module_free(&inlined->module), in any
 * case. */
bool inline_calls(const struct lane_module *module, uint32_t kernel, struct inlined *inlined);

#endif
