/* Operations on barrier objects (mem/mbarrier.h), lane by lane: lanes of a warp arrive one after the other.
 *
 * A waiting loop makes progress: `try` that finds the phase unfinished lets the other warps of the block run, and
 * branches count against a warp's and a group of lanes' turns (run.h) as they do in any loop, so that a loop around
 * `test` comes to an end too. */
#include "mem/mbarrier.h"
#include "engine/interp/set.h"

#include <string.h>

static const struct step *fault(struct warp *w, const struct step *s, unsigned lane, uint64_t address,
                                const char *problem)
{
    return warp_trap(w, s->info, UINT32_C(1) << lane, "mbarrier", address, NULL, "barrier object at 0x%llx: %s",
                     (unsigned long long)address, problem);
}

/* The object of a lane; NULL after a trap. */
static uint64_t *object(struct warp *w, const struct step *s, unsigned lane, uint64_t *address)
{
    const struct decoded *info = s->info;
    enum lane_space space;
    *address = decoded_operand(w, info, info->ndst, lane) + (uint64_t)info->access->offset;
    unsigned char *at = warp_pointer(w, s->info, lane, info->access->space, *address, sizeof(uint64_t), true, &space);
    if (at && space != LANE_SHARED) {
        fault(w, s, lane, *address, "it does not lie in shared memory");
        return NULL;
    }
    return (uint64_t *)(void *)at;
}

/* One lane's operation: what is wrong, or NULL. */
static const char *carry_out(struct warp *w, const struct step *s, unsigned lane, uint64_t *at, bool *waits)
{
    const struct decoded *info = s->info;
    unsigned mode = info->inst->mode;
    uint64_t value = info->nsrc > 1 ? decoded_operand(w, info, info->ndst + 1u, lane) : 0, state;
    const char *problem;
    bool over = true;
    switch (info->inst->op) {
    case LANE_OP_mbarinit:
        return mbarrier_init(at, (uint32_t)value);
    case LANE_OP_mbarinval:
        return mbarrier_inval(at);
    case LANE_OP_mbartx:
        return mbarrier_transact(at, mode == LANE_MBARTX_EXPECT ? (int64_t)value : -(int64_t)value);
    case LANE_OP_mbararrive:
        problem = mbarrier_arrive(at, (uint32_t)value, mode == LANE_MBAR_DROP || mode == LANE_MBAR_DROP_KEEP,
                                  mode == LANE_MBAR_ARRIVE_KEEP || mode == LANE_MBAR_DROP_KEEP, &state);
        if (!problem && info->bits[0])
            memcpy(w->frame.regs + s->at.d + (size_t)lane * sizeof state, &state, sizeof state);
        return problem;
    default:
        if (mode == LANE_MBAR_TEST_PARITY || mode == LANE_MBAR_TRY_PARITY)
            value <<= MBARRIER_PARITY;
        problem = mbarrier_test(at, value, &over);
        set_predicate(w, s->at.d, over ? ALL_LANES : 0, UINT32_C(1) << lane);
        *waits |= !over && (mode == LANE_MBAR_TRY || mode == LANE_MBAR_TRY_PARITY);
        return problem;
    }
}

static const struct step *go_mbarrier(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    bool waits = false;
    w->accesses[LANE_SHARED] += lanes != 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        uint64_t address, *at = object(w, s, lane, &address);
        if (!at)
            return NULL;
        const char *problem = carry_out(w, s, lane, at, &waits);
        if (problem)
            return fault(w, s, lane, address, problem);
    }
    if (!waits || w->block->nwarps == 1)
        return s + 1;
    w->pc = s + 1;
    return NULL;
}

step_fn *mbarrier_handler(unsigned op)
{
    return lane_is(op, LANE_OBJECT) ? go_mbarrier : NULL;
}
