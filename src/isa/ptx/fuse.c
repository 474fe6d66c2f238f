/* Products fused into sums, as ptxas does by its default (-fmad=true): with atoll_module_options.fmad.
 *
 *   mul.f32 m, a, b;  add.f32 d, m, c;      fma.rn.f32 d, a, b, c
 *   mul.f32 m, a, b;  sub.f32 d, m, c;      fma.rn.f32 d, a, b, -c
 *   mul.f32 m, a, b;  sub.f32 d, c, m;      fma.rn.f32 d, -a, b, c
 *
 * The PTX ISA lets a compiler do so where neither has a rounding modifier. Which ones ptxas 13.0 takes was read from
 * the code that it makes for sm_90: products that are used by nothing but sums and differences of the same block, flush
 * as they do and do not saturate. Sums are looked at one after the other, first for products with one use, then for
 * all; of two products that with fewer uses is fused, or else the first, and the other is the addend of an fma from
 * then on, and no sum behind takes it. Negations and copies of a product are looked through, for they cost ptxas
 * nothing: a sum takes the product with a negated factor. What uses them uses the product, so that all of them are gone
 * with it, or all stay. */
#include "isa/ptx/lower.h"

#include <string.h>

enum { NOWHERE = UINT32_MAX };

struct fuser {
    struct lowerer *l;
    struct lane_func *func;
    const struct lane_inst *insts; /* as they were */
    uint32_t ninsts;
    uint32_t first;        /* of the block at hand */
    uint32_t *defs, *uses; /* of each register: how often */
    uint32_t *last;    /* of each register: which instruction before the one at hand has defined it, from 1; 0: none */
    uint32_t *product; /* of each register: the product that it is, as it is or negated, NOWHERE */
    bool *negative;    /* of each register: it is negated */
    uint32_t (*from)[2];   /* of each sum: the products that its sources are and that it is able to take, NOWHERE */
    uint32_t *of;          /* of each instruction: the product that it gives, NOWHERE */
    uint32_t *able, *gone; /* of each product: sums that are able to take it, that have taken it */
    uint8_t *taken;        /* of each sum: the source that is fused into it, from 1; of each product: it is an addend */
};

static const struct lane_operand *sources(const struct fuser *f, const struct lane_inst *inst)
{
    return &f->func->operands[inst->first + inst->ndst];
}

static bool is_reg(struct lane_operand operand)
{
    return operand.kind == LANE_REG;
}

static void count(struct fuser *f)
{
    for (uint32_t i = 0; i < f->ninsts; i++) {
        const struct lane_inst *inst = &f->insts[i];
        const struct lane_operand *operands = &f->func->operands[inst->first];
        for (unsigned k = 0; k < (unsigned)inst->ndst + inst->nsrc; k++)
            if (is_reg(operands[k]))
                (k < inst->ndst ? f->defs : f->uses)[operands[k].index]++;
        if (is_reg(inst->guard))
            f->uses[inst->guard.index]++;
    }
}

/* Are the factors at the instruction at hand still what they were at the product? */
static bool same_factors(const struct fuser *f, uint32_t product)
{
    const struct lane_operand *factors = sources(f, &f->insts[product]);
    for (unsigned k = 0; k < 2; k++)
        if (is_reg(factors[k]) && f->last[factors[k].index] > product + 1)
            return false;
    return true;
}

/* The product of this block that an operand is. */
static uint32_t product_of(const struct fuser *f, struct lane_operand operand)
{
    uint32_t product = is_reg(operand) ? f->product[operand.index] : NOWHERE;
    return product != NOWHERE && product >= f->first ? product : NOWHERE;
}

/* The product in source k of the sum at hand that it may be fused into. */
static uint32_t product_in(const struct fuser *f, uint32_t sum, unsigned k)
{
    const struct lane_inst *inst = &f->insts[sum];
    const struct lane_operand *src = sources(f, inst);
    uint32_t product = product_of(f, src[k]);
    if (product == NOWHERE || product == product_of(f, src[1 - k]))
        return NOWHERE;
    const struct lane_inst *mul = &f->insts[product];
    bool alike = mul->type == inst->type && ((mul->flags ^ inst->flags) & LANE_FTZ) == 0;
    return alike && same_factors(f, product) ? product : NOWHERE;
}

static bool is_sum(const struct lane_inst *inst)
{
    return inst->flags & LANE_FUSES && inst->op != LANE_OP_mul;
}

static void find_products_in(struct fuser *f, uint32_t sum)
{
    for (unsigned k = 0; k < 2; k++) {
        uint32_t product = product_in(f, sum, k);
        f->from[sum][k] = product;
        if (product != NOWHERE)
            f->able[product]++;
    }
}

/* The product of which the instruction is a copy, or the negation; NOWHERE. One that flushes fits products that do. */
static uint32_t copied(const struct fuser *f, const struct lane_inst *inst)
{
    if (inst->op != LANE_OP_mov && inst->op != LANE_OP_neg)
        return NOWHERE;
    uint32_t product = product_of(f, sources(f, inst)[0]);
    if (product == NOWHERE || inst->op == LANE_OP_mov)
        return product;
    const struct lane_inst *mul = &f->insts[product];
    return inst->type == mul->type && !(inst->flags & ~mul->flags & LANE_FTZ) ? product : NOWHERE;
}

/* The product that the instruction at hand gives, of which its register is the only name. */
static void name_product(struct fuser *f, uint32_t at, struct lane_operand d)
{
    const struct lane_inst *inst = &f->insts[at];
    if (!is_reg(d) || inst->guard.kind != LANE_NONE || f->defs[d.index] != 1)
        return;
    uint32_t product = copied(f, inst);
    if (product != NOWHERE) {
        f->uses[f->func->operands[f->insts[product].first].index] += f->uses[d.index] - 1;
        f->negative[d.index] = f->negative[sources(f, inst)[0].index] != (inst->op == LANE_OP_neg);
    } else if (inst->op == LANE_OP_mul && inst->flags & LANE_FUSES && !(inst->flags & LANE_SAT))
        product = at;
    f->product[d.index] = f->of[at] = product;
}

static void define(struct fuser *f, uint32_t at)
{
    const struct lane_inst *inst = &f->insts[at];
    const struct lane_operand *d = &f->func->operands[inst->first];
    for (unsigned k = 0; k < inst->ndst; k++)
        if (is_reg(d[k]))
            f->last[d[k].index] = at + 1;
    if (inst->ndst == 1)
        name_product(f, at, d[0]);
}

/* Products of a block, and how many sums of it can take each. */
static void find(struct fuser *f, uint32_t first, uint32_t end)
{
    f->first = first;
    for (uint32_t i = first; i < end; i++) {
        if (is_sum(&f->insts[i]))
            find_products_in(f, i);
        define(f, i);
    }
}

static uint32_t uses_of(const struct fuser *f, uint32_t product)
{
    return f->uses[f->func->operands[f->insts[product].first].index];
}

static bool take(struct fuser *f, uint32_t sum, unsigned k)
{
    uint32_t product = f->from[sum][k], other = f->from[sum][1 - k];
    if (product == NOWHERE || f->able[product] != uses_of(f, product) || f->taken[product])
        return false;
    f->taken[sum] = (uint8_t)(k + 1);
    f->gone[product]++;
    if (other != NOWHERE)
        f->taken[other] = 1;
    return true;
}

static bool is_single(const struct fuser *f, uint32_t product)
{
    return product != NOWHERE && uses_of(f, product) == 1;
}

/* The source of a sum that is the product to take first. */
static unsigned preferred(const struct fuser *f, uint32_t sum)
{
    const uint32_t *from = f->from[sum];
    return from[0] != NOWHERE && from[1] != NOWHERE && uses_of(f, from[1]) < uses_of(f, from[0]);
}

static void decide(struct fuser *f, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (is_sum(&f->insts[i]) && !(is_single(f, f->from[i][0]) && take(f, i, 0)) && is_single(f, f->from[i][1]))
            take(f, i, 1);
    for (uint32_t i = first; i < end; i++) {
        if (!is_sum(&f->insts[i]) || f->taken[i])
            continue;
        unsigned k = preferred(f, i);
        if (!take(f, i, k))
            take(f, i, 1 - k);
    }
}

/* ---- writing the function once more ------------------------------------------------------------------------------ */

static struct lane_inst *emit(struct fuser *f, const struct lane_inst *like, enum lane_op op, struct lane_operand d,
                              unsigned nsrc, const struct lane_operand *src)
{
    struct lane_inst *inst = lane_emit(&f->l->b, op, (enum lane_type)like->type, 1, &d, nsrc, src);
    inst->flags = (uint16_t)(like->flags & ~LANE_FUSES);
    return inst;
}

/* As PTX's neg (lower_arith.c): a NaN's sign is not turned. */
static struct lane_operand negated(struct fuser *f, const struct lane_inst *like, struct lane_operand value)
{
    struct lane_operand d = lane_reg(&f->l->b, lane_type_bits((enum lane_type)like->type), NULL);
    emit(f, like, LANE_OP_neg, d, 1, &value)->flags = LANE_NAN;
    return d;
}

static void emit_fused(struct fuser *f, const struct lane_inst *sum, unsigned k, const struct lane_inst *product)
{
    const struct lane_operand *from = sources(f, sum);
    struct lane_operand src[3], d = f->func->operands[sum->first];
    memcpy(src, sources(f, product), 2 * sizeof *src);
    src[2] = from[1 - k];
    if (f->negative[from[k].index] != (k && sum->op == LANE_OP_sub))
        src[0] = negated(f, sum, src[0]);
    if (!k && sum->op == LANE_OP_sub)
        src[2] = negated(f, sum, src[2]);
    emit(f, sum, LANE_OP_fma, d, 3, src);
}

static void emit_same(struct fuser *f, const struct lane_inst *inst)
{
    struct lane_operand operands[UINT8_MAX * 2];
    memcpy(operands, &f->func->operands[inst->first], ((size_t)inst->ndst + inst->nsrc) * sizeof *operands);
    struct lane_inst *out = lane_emit(&f->l->b, (enum lane_op)inst->op, (enum lane_type)inst->type, inst->ndst,
                                      operands, inst->nsrc, operands + inst->ndst);
    uint32_t first = out->first;
    *out = *inst;
    out->first = first;
    out->flags = (uint16_t)(out->flags & ~LANE_FUSES);
}

static void write(struct fuser *f, uint32_t i)
{
    const struct lane_inst *inst = &f->insts[i];
    f->l->b.line = inst->line;
    f->l->b.guard = inst->guard;
    f->l->b.guard_not = inst->guard_not;
    uint32_t product = f->of[i];
    if (product != NOWHERE && f->gone[product] && f->gone[product] == uses_of(f, product))
        return;
    if (is_sum(inst) && f->taken[i])
        emit_fused(f, inst, f->taken[i] - 1u, &f->insts[f->from[i][f->taken[i] - 1]]);
    else
        emit_same(f, inst);
}

static bool prepare(struct fuser *f)
{
    struct arena *arena = f->l->arena;
    uint32_t regs = f->func->nregs + 1;
    f->defs = arena_array(arena, regs, sizeof *f->defs);
    f->uses = arena_array(arena, regs, sizeof *f->uses);
    f->last = arena_array(arena, regs, sizeof *f->last);
    f->product = arena_array(arena, regs, sizeof *f->product);
    f->negative = arena_array(arena, regs, sizeof *f->negative);
    f->of = arena_array(arena, f->ninsts + 1, sizeof *f->of);
    f->from = arena_array(arena, f->ninsts + 1, sizeof *f->from);
    f->able = arena_array(arena, f->ninsts + 1, sizeof *f->able);
    f->gone = arena_array(arena, f->ninsts + 1, sizeof *f->gone);
    f->taken = arena_array(arena, f->ninsts + 1, sizeof *f->taken);
    if (!f->defs || !f->uses || !f->last || !f->product || !f->negative || !f->of || !f->from || !f->able || !f->gone ||
        !f->taken)
        return false;
    memset(f->product, 0xff, regs * sizeof *f->product);
    memset(f->of, 0xff, (f->ninsts + 1) * sizeof *f->of);
    count(f);
    return true;
}

bool fuse_products(struct lowerer *l)
{
    struct lane_func *func = l->b.func;
    struct lane_block *blocks = func->blocks;
    uint32_t nblocks = func->nblocks;
    struct fuser f = {.l = l, .func = func, .insts = func->insts, .ninsts = func->ninsts};
    if (l->b.failed || !prepare(&f))
        return false;
    for (uint32_t k = 0; k < nblocks; k++) {
        uint32_t first = blocks[k].first, end = first + blocks[k].count;
        find(&f, first, end);
        decide(&f, first, end);
    }
    func->insts = NULL;
    func->blocks = NULL;
    func->ninsts = func->nblocks = l->b.cap_insts = l->b.cap_blocks = 0;
    for (uint32_t k = 0; k < nblocks && !l->b.failed; k++) {
        lane_block(&l->b);
        for (uint32_t i = 0; i < blocks[k].count; i++)
            write(&f, blocks[k].first + i);
    }
    return !l->b.failed;
}
