/* Copy propagation and invariants: what decoding leaves out of the per-warp work, copies that a name can replace, and
 * work whose result is the same whenever the same warp of a block runs. */
#ifndef ATOLL_ENGINE_PLAN_PLAN_H
#define ATOLL_ENGINE_PLAN_PLAN_H

#include "base/arena.h"
#include "lane/lane.h"

enum plan_kind {
    PLAN_RUN,  /* as written */
    PLAN_DROP, /* a copy: its destination is another name of its source */
    PLAN_ONCE, /* invariant: runs once when a register frame is made, which belongs to one warp of all blocks */
};

struct plan {
    const struct lane_func *func;
    uint8_t *kind;              /* of each instruction, enum plan_kind */
    struct lane_operand *alias; /* of each register; kind LANE_NONE = itself */
    bool *once;                 /* registers that PLAN_ONCE instructions write */
    bool *uniform;              /* of those, the ones with the same value in all lanes */
    bool *whole;                /* registers that instructions of the whole warp read or write */
    bool *flushed;              /* registers of 32 bits that never hold a subnormal; none when `plain` */
};

/* Everything PLAN_RUN when `plain`. */
bool plan_make(struct arena *arena, const struct lane_func *func, bool plain, struct plan *plan);

/* flushed.c: finds them. */
void plan_find_flushed(struct plan *plan);
/* The flags of an instruction, with what is known of its sources: LANE_FTZ only where it changes something,
 * MEANING_FLUSHED where it changes results alone. */
uint16_t plan_flags(const struct plan *plan, const struct lane_inst *inst);

/* The operand that stands for `op`. */
static inline struct lane_operand plan_operand(const struct plan *plan, struct lane_operand op)
{
    while (op.kind == LANE_REG && plan->alias[op.index].kind != LANE_NONE)
        op = plan->alias[op.index];
    return op;
}

/* Has the operand the same value in all lanes, known without looking? */
static inline bool plan_uniform(const struct plan *plan, struct lane_operand op)
{
    op = plan_operand(plan, op);
    return op.kind == LANE_CONST || (op.kind == LANE_REG && plan->uniform[op.index]);
}

#endif
