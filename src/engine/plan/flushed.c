/* Registers that never hold a subnormal, as all that is written to them has been flushed: operations with .ftz need not
 * flush them again. A register that is read before it was written is zero. */
#include "engine/meaning/kernel.h"
#include "engine/plan/plan.h"

enum { ROUNDS = 32 }; /* of looking at all instructions; where more are needed nothing is known */

static bool is_flushed(const struct plan *plan, struct lane_operand op)
{
    if (op.kind == LANE_REG)
        return plan->flushed[op.index];
    if (op.kind != LANE_CONST)
        return op.kind == LANE_NONE;
    const struct lane_const *c = &plan->func->consts[op.index];
    return c->width == 32 && !c->symbol && ((c->lo & 0x7f800000) || !(c->lo & 0x7fffffff));
}

static bool sources_flushed(const struct plan *plan, const struct lane_inst *inst, unsigned count)
{
    const struct lane_operand *src = &plan->func->operands[inst->first + inst->ndst];
    for (unsigned k = 0; k < count; k++)
        if (!is_flushed(plan, src[k]))
            return false;
    return true;
}

/* Is the result of 32 bits surely no subnormal? */
static bool gives_flushed(const struct plan *plan, const struct lane_inst *inst)
{
    bool f32 = inst->type == LANE_F32;
    switch (inst->op) {
    case LANE_OP_add:
    case LANE_OP_sub:
    case LANE_OP_mul:
    case LANE_OP_fma:
    case LANE_OP_div:
    case LANE_OP_min:
    case LANE_OP_max:
        return f32 && inst->flags & LANE_FTZ;
    case LANE_OP_mov:
        return sources_flushed(plan, inst, 1);
    case LANE_OP_selp:
        return sources_flushed(plan, inst, 2);
    case LANE_OP_cvt:
        return f32 && !lane_type_float(inst->type2);
    default:
        return false;
    }
}

void plan_find_flushed(struct plan *plan)
{
    const struct lane_func *func = plan->func;
    bool changed = true;
    for (uint32_t r = 0; r < func->nregs; r++)
        plan->flushed[r] = func->widths[r] == 32;
    for (unsigned round = 0; round < ROUNDS && changed; round++) {
        changed = false;
        for (uint32_t i = 0; i < func->ninsts; i++) {
            const struct lane_inst *inst = &func->insts[i];
            bool gives = inst->ndst == 1 && gives_flushed(plan, inst);
            for (unsigned k = 0; k < inst->ndst && !gives; k++) {
                struct lane_operand d = func->operands[inst->first + k];
                changed |= d.kind == LANE_REG && plan->flushed[d.index];
                if (d.kind == LANE_REG)
                    plan->flushed[d.index] = false;
            }
        }
    }
    for (uint32_t r = 0; r < func->nregs && changed; r++)
        plan->flushed[r] = false;
}

uint16_t plan_flags(const struct plan *plan, const struct lane_inst *inst)
{
    uint16_t flags = inst->flags;
    if (!(flags & LANE_FTZ) || !sources_flushed(plan, inst, inst->nsrc))
        return flags;
    switch (inst->op) {
    case LANE_OP_setp:
    case LANE_OP_min:
    case LANE_OP_max:
        return inst->type == LANE_F32 ? flags & (uint16_t)~LANE_FTZ : flags;
    case LANE_OP_add:
    case LANE_OP_sub:
    case LANE_OP_mul:
        return inst->type == LANE_F32 && inst->round == LANE_RN && !(flags & LANE_SAT) ? flags | MEANING_FLUSHED
                                                                                       : flags;
    default:
        return flags;
    }
}
