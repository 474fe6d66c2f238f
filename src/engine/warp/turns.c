/* Turns between accesses. Groups of lanes and warps take turns at branches; two loops that spin could so meet in the
 * same phase for ever: one stores 1 and swaps it away again before each of its branches, the other looks at the branch
 * only. Where spinning is possible - turns are used up - every other change is therefore put off to just before an
 * access that others see, a few such accesses further on, drawn from a hash so that each order repeats itself.
 *
 *   branch    st   exch   branch    st   exch   branch
 *     ^                     ^        ^
 *     turns used up ........        put off: here by one access, or by none, two, three ...
 */
#include "engine/run.h"

enum {
    PUT_OFF_STEPS = 512, /* without an access that others see the change is made where the warp is then */
    PUT_OFF_BITS = 7,    /* at most 2^7 - 1 accesses */
};

/* 0 .. 2^(n % PUT_OFF_BITS + 1) - 1 for the n-th draw: loops with few accesses and loops with many. */
static unsigned draw(struct warp *warp)
{
    uint32_t n = warp->put_off++, hash = (n * 32 + warp->number + 1) * UINT32_C(0x9e3779b1);
    hash ^= hash >> 15;
    hash *= UINT32_C(0x85ebca77);
    hash ^= hash >> 13;
    return hash & ((2u << (n % PUT_OFF_BITS)) - 1);
}

/* Runs the warp on to just before the access after `skip` others that others see. False: it came to rest before. */
static bool run_to_access(struct warp *warp, unsigned skip)
{
    const struct run *run = warp->worker->run;
    if (!warp->pc)
        warp->pc = warp_next(warp);
    warp->turns = INT32_MAX;
    for (unsigned i = 0; warp->pc && i < PUT_OFF_STEPS; i++) {
        if (warp_at(warp)->shares && skip-- == 0)
            break;
        if (run->launch->trace)
            warp_trace(warp, warp_at(warp));
        if (!run->program->executor->step(warp))
            return false;
    }
    return warp->pc != NULL;
}

void warp_put_off(struct warp *warp, bool lanes)
{
    if (run_to_access(warp, draw(warp)) && lanes && warp_at(warp)->shares)
        warp->pc = warp_change(warp, warp_at(warp)->before);
}
