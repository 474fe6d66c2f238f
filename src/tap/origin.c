/* Origins of addresses (origin.h): what each instruction makes of those of its operands, until nothing changes. */
#include "tap/origin.h"

#include <stdlib.h>

enum { ROUNDS = 64 /* a chain of copies against the order of the text takes as many */ };

static struct origin join(struct origin a, struct origin b)
{
    if (a.kind == ORIGIN_UNSEEN)
        return b;
    if (b.kind == ORIGIN_UNSEEN || (a.kind == b.kind && a.which == b.which))
        return a;
    return (struct origin){.kind = ORIGIN_MANY};
}

struct origin origin_of(const struct lane_func *func, const struct origin *regs, struct lane_operand operand)
{
    if (operand.kind == LANE_REG)
        return regs[operand.index];
    if (operand.kind == LANE_CONST && func->consts[operand.index].symbol)
        return (struct origin){ORIGIN_SYMBOL, func->consts[operand.index].symbol};
    return (struct origin){.kind = ORIGIN_NONE};
}

/* Of a sum and the like: a variable and numbers. */
static struct origin sum(struct origin a, struct origin b)
{
    if (a.kind == ORIGIN_NONE)
        return b;
    if (b.kind == ORIGIN_NONE || a.kind == ORIGIN_UNSEEN)
        return a;
    return b.kind == ORIGIN_UNSEEN ? b : (struct origin){.kind = ORIGIN_MANY};
}

/* Of what makes no address. */
static struct origin apart(const struct lane_func *func, const struct origin *regs, const struct lane_operand *src,
                           unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (origin_of(func, regs, src[k]).kind > ORIGIN_NONE)
            return (struct origin){.kind = ORIGIN_MANY};
    return (struct origin){.kind = ORIGIN_NONE};
}

/* 64 bits of a kernel's parameters. */
static struct origin loaded(const struct lane_func *func, const struct lane_inst *inst)
{
    const struct lane_access *access = &func->accesses[inst->aux];
    struct lane_operand address = func->operands[inst->first + inst->ndst];
    if (!func->kernel || access->space != LANE_PARAM || access->vec != 1 || lane_type_bits(access->type) != 64 ||
        address.kind != LANE_CONST || func->consts[address.index].symbol)
        return (struct origin){.kind = ORIGIN_NONE};
    return (struct origin){ORIGIN_PARAMETER, (uint32_t)(func->consts[address.index].lo + (uint64_t)access->offset)};
}

/* Of what an instruction gives. */
static struct origin result(const struct lane_func *func, const struct origin *regs, const struct lane_inst *inst)
{
    const struct lane_operand *src = &func->operands[inst->first + inst->ndst];
    struct origin all = {.kind = ORIGIN_NONE};
    switch (inst->op) {
    case LANE_OP_ld:
        return loaded(func, inst);
    case LANE_OP_selp: /* d = c ? a : b */
        return join(origin_of(func, regs, src[0]), origin_of(func, regs, src[1]));
    case LANE_OP_mov:
    case LANE_OP_cvt:
    case LANE_OP_add:
    case LANE_OP_sub:
    case LANE_OP_and:
    case LANE_OP_or:
        for (unsigned k = 0; k < inst->nsrc; k++)
            all = sum(all, origin_of(func, regs, src[k]));
        return all;
    case LANE_OP_mad:
    case LANE_OP_madwide: /* the product is a number, or nothing that is followed */
        return sum(apart(func, regs, src, 2), origin_of(func, regs, src[2]));
    default:
        return apart(func, regs, src, lane_is(inst->op, LANE_PURE) ? inst->nsrc : 0);
    }
}

static bool round_changes(const struct lane_func *func, struct origin *regs)
{
    bool changed = false;
    for (uint32_t i = 0; i < func->ninsts; i++) {
        const struct lane_inst *inst = &func->insts[i];
        struct origin given = inst->ndst ? result(func, regs, inst) : (struct origin){.kind = ORIGIN_NONE};
        for (unsigned k = 0; k < inst->ndst; k++) {
            struct lane_operand dst = func->operands[inst->first + k];
            if (dst.kind != LANE_REG)
                continue;
            struct origin before = regs[dst.index], now = join(before, given);
            changed = changed || before.kind != now.kind || before.which != now.which;
            regs[dst.index] = now;
        }
    }
    return changed;
}

struct origin *origin_find(const struct lane_func *func)
{
    struct origin *regs = calloc((size_t)func->nregs + 1, sizeof *regs);
    unsigned rounds = 0;
    while (regs && round_changes(func, regs) && ++rounds < ROUNDS)
        ;
    /* What has not come to rest may still have others. */
    for (uint32_t i = 0; regs && rounds == ROUNDS && i < func->nregs; i++)
        regs[i].kind = ORIGIN_MANY;
    return regs;
}
