/* Copy propagation, and invariants: what is the same for every block that a warp runs is computed once. Both rest on
 * registers that have a single, unguarded definition, as most of a compiler's output has: their value is the
 * definition's wherever it reaches, and reading one before is undefined. */
#include "engine/plan/plan.h"

#include <assert.h>

enum { MAX_ONCE = 96 }; /* invariant registers: each keeps its slot for good, and frames should stay in the L1 cache */
#define NOWHERE UINT32_MAX
#define MANY    (UINT32_MAX - 1)

struct facts {
    uint32_t *def;      /* the only instruction that writes the register; NOWHERE, MANY */
    uint32_t *block;    /* of each instruction */
    uint32_t *last_use; /* instruction */
    bool *local;        /* all uses are after the definition, in its block */
};

static void find_definitions(const struct lane_func *func, struct facts *facts)
{
    for (uint32_t b = 0; b < func->nblocks; b++)
        for (uint32_t i = func->blocks[b].first; i < func->blocks[b].first + func->blocks[b].count; i++) {
            const struct lane_inst *inst = &func->insts[i];
            const struct lane_operand *op = &func->operands[inst->first];
            facts->block[i] = b;
            for (unsigned k = 0; k < inst->ndst; k++)
                if (op[k].kind == LANE_REG)
                    facts->def[op[k].index] =
                        facts->def[op[k].index] == NOWHERE && inst->guard.kind == LANE_NONE ? i : MANY;
        }
}

static void use(struct facts *facts, struct lane_operand op, uint32_t i)
{
    if (op.kind != LANE_REG)
        return;
    uint32_t def = facts->def[op.index];
    if (def >= MANY || facts->block[def] != facts->block[i] || i <= def)
        facts->local[op.index] = false;
    if (facts->last_use[op.index] == NOWHERE || i > facts->last_use[op.index])
        facts->last_use[op.index] = i;
}

static void find_uses(const struct lane_func *func, struct facts *facts)
{
    for (uint32_t r = 0; r < func->nregs; r++)
        facts->local[r] = true;
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *inst = &func->insts[i];
        for (unsigned k = inst->ndst; k < (unsigned)inst->ndst + inst->nsrc; k++)
            use(facts, func->operands[inst->first + k], i);
        use(facts, inst->guard, i);
    }
}

/* What lanes have that do not run is seen by instructions of the whole warp: a register that they read or write is
 * neither another's name nor filled in beforehand. */
static void find_whole(const struct lane_func *func, bool *whole)
{
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *inst = &func->insts[i];
        const struct lane_operand *op = &func->operands[inst->first];
        bool seen = inst->flags & LANE_WHOLE || (func->warp_lanes && lane_is(inst->op, LANE_WARP));
        for (unsigned k = 0; seen && k < (unsigned)inst->ndst + inst->nsrc; k++)
            if (op[k].kind == LANE_REG)
                whole[op[k].index] = true;
        if (inst->flags & LANE_WHOLE && inst->guard.kind == LANE_REG)
            whole[inst->guard.index] = true;
    }
}

static bool invariant_operand(const struct plan *plan, struct lane_operand op)
{
    op = plan_operand(plan, op);
    return op.kind != LANE_REG || plan->once[op.index];
}

/* Operations whose result depends on nothing but their operands, the launch and the place in the block. */
static bool invariant_operation(const struct lane_func *func, const struct lane_inst *inst)
{
    switch (inst->op) {
    case LANE_OP_sreg:
        return lane_sreg_is(inst->mode, LANE_SREG_FIXED);
    case LANE_OP_ld:
        return func->accesses[inst->aux].space == LANE_PARAM;
    case LANE_OP_frame:
        return func->kernel;
    default:
        return lane_is(inst->op, LANE_PURE) && (!lane_is(inst->op, LANE_TRAPS) || lane_type_float(inst->type));
    }
}

/* A parameter at a constant address: a load that would trap has to do so where it is. */
static bool loads_inside(const struct plan *plan, const struct lane_inst *inst, struct lane_operand address)
{
    const struct lane_access *access = &plan->func->accesses[inst->aux];
    uint64_t bytes = (uint64_t)lane_type_bits(access->type) / 8 * access->vec;
    address = plan_operand(plan, address);
    if (address.kind != LANE_CONST || plan->func->consts[address.index].symbol)
        return false;
    uint64_t at = plan->func->consts[address.index].lo + (uint64_t)access->offset;
    return at % bytes == 0 && at <= lane_param_space(plan->func) && bytes <= lane_param_space(plan->func) - at;
}

static bool is_invariant(const struct plan *plan, const struct facts *facts, uint32_t i)
{
    const struct lane_func *func = plan->func;
    const struct lane_inst *inst = &func->insts[i];
    const struct lane_operand *op = &func->operands[inst->first];
    if (inst->guard.kind != LANE_NONE || inst->ndst == 0 || !invariant_operation(func, inst))
        return false;
    for (unsigned k = 0; k < inst->ndst; k++)
        if (op[k].kind == LANE_REG &&
            (facts->def[op[k].index] != i || (plan->whole[op[k].index] && !(inst->flags & LANE_WHOLE))))
            return false;
    for (unsigned k = inst->ndst; k < (unsigned)inst->ndst + inst->nsrc; k++)
        if (!invariant_operand(plan, op[k]))
            return false;
    return inst->op != LANE_OP_ld || loads_inside(plan, inst, op[inst->ndst]);
}

/* mov d, s: may every use of d read s instead? */
static bool is_copy(const struct plan *plan, const struct facts *facts, uint32_t i)
{
    const struct lane_func *func = plan->func;
    const struct lane_inst *inst = &func->insts[i];
    if (inst->op != LANE_OP_mov || inst->guard.kind != LANE_NONE)
        return false;
    struct lane_operand d = func->operands[inst->first], s = plan_operand(plan, func->operands[inst->first + 1]);
    if (d.kind != LANE_REG || facts->def[d.index] != i || plan->whole[d.index])
        return false;
    if (s.kind == LANE_CONST)
        return true;
    if (plan->once[s.index])
        return true;
    uint32_t source = facts->def[s.index], last = facts->last_use[d.index];
    return source < MANY && facts->local[d.index] && (last == NOWHERE || source < i || source > last);
}

/* Does the invariant give all lanes one value? */
static bool is_uniform(const struct plan *plan, const struct lane_inst *inst)
{
    const struct lane_operand *op = &plan->func->operands[inst->first];
    if (inst->op == LANE_OP_sreg)
        return !lane_sreg_is(inst->mode, LANE_SREG_LANES) && !(inst->mode == LANE_SREG_WARPID && plan->func->packable);
    for (unsigned k = inst->ndst; k < (unsigned)inst->ndst + inst->nsrc; k++)
        if (op[k].kind != LANE_NONE && !plan_uniform(plan, op[k]))
            return false;
    return true;
}

static void decide(struct plan *plan, const struct facts *facts)
{
    const struct lane_func *func = plan->func;
    uint32_t budget = func->kernel ? MAX_ONCE : 0;
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *inst = &func->insts[i];
        const struct lane_operand *op = &func->operands[inst->first];
        if (is_copy(plan, facts, i)) {
            assert(plan->alias[op[0].index].kind == LANE_NONE);
            assert(plan_operand(plan, op[1]).kind != LANE_REG || plan_operand(plan, op[1]).index != op[0].index);
            plan->kind[i] = PLAN_DROP;
            plan->alias[op[0].index] = op[1];
        } else if (budget >= inst->ndst && is_invariant(plan, facts, i)) {
            plan->kind[i] = PLAN_ONCE;
            budget -= inst->ndst;
            for (unsigned k = 0; k < inst->ndst; k++)
                if (op[k].kind == LANE_REG) {
                    plan->once[op[k].index] = true;
                    plan->uniform[op[k].index] = is_uniform(plan, inst);
                }
        }
    }
}

bool plan_make(struct arena *arena, const struct lane_func *func, bool plain, struct plan *plan)
{
    struct arena scratch = {0};
    struct facts facts = {0};
    size_t nregs = (size_t)func->nregs + 1, ninsts = (size_t)func->ninsts + 1;
    plan->func = func;
    plan->kind = arena_array(arena, ninsts, 1);
    plan->alias = arena_array(arena, nregs, sizeof *plan->alias);
    plan->once = arena_array(arena, nregs, sizeof(bool));
    plan->uniform = arena_array(arena, nregs, sizeof(bool));
    plan->whole = arena_array(arena, nregs, sizeof(bool));
    plan->flushed = arena_array(arena, nregs, sizeof(bool));
    facts.def = arena_array(&scratch, nregs, sizeof(uint32_t));
    facts.last_use = arena_array(&scratch, nregs, sizeof(uint32_t));
    facts.block = arena_array(&scratch, ninsts, sizeof(uint32_t));
    facts.local = arena_array(&scratch, nregs, sizeof(bool));
    bool ok = plan->kind && plan->alias && plan->once && plan->uniform && plan->whole && plan->flushed && facts.def &&
              facts.last_use && facts.block && facts.local;
    if (ok)
        find_whole(func, plan->whole);
    if (ok && !plain) {
        for (size_t r = 0; r < nregs; r++)
            facts.def[r] = facts.last_use[r] = NOWHERE;
        find_definitions(func, &facts);
        find_uses(func, &facts);
        decide(plan, &facts);
        plan_find_flushed(plan);
    }
    arena_free(&scratch);
    return ok;
}
