/* Where the registers of a function lie in its frame. */
#ifndef ATOLL_ENGINE_PLAN_FRAME_H
#define ATOLL_ENGINE_PLAN_FRAME_H

#include "engine/plan/plan.h"
#include "engine/plan/program.h"

/* Gives every register a slot: registers whose lives do not overlap share one. *slots gets a byte offset per register,
 * func->zero_at the registers that may be read before they are written, *bytes the size of the register part
 * (a multiple of 64). All in `arena`. */
bool frame_layout(struct arena *arena, struct func *func, const struct plan *plan, uint32_t **slots, uint32_t *bytes);

/* The registers that a function may read before it writes them, by register. In `arena`. */
bool frame_read_first(struct arena *arena, const struct lane_func *func, bool **first);

/* Bytes of a register of `width` bits for a whole warp. */
static inline uint32_t frame_register_bytes(unsigned width)
{
    return width == 1 ? 4 : width * LANES / 8;
}

#endif
