/* Plain launches: ordinary ones (units.c) in which surfaces are bound, index pairs are small, and constants that are
 * added to them for lookups are whole numbers. Straight programs of moderate length are lowered once for them alone,
 * and once for any: a branch that is the same in all groups chooses. So the engine sees that lookups are at the index
 * pair and something that all processors have, stores without a condition, and nothing else.
 *
 *   tests; if not plain: any       (tests are known last, and come first)
 *   plain: ... exit
 *   any:   ...                                                                                                     */
#include "isa/ctm/effects.h"
#include "isa/ctm/lower.h"

#include <string.h>

enum {
    MOST = 128,      /* instructions: longer programs are lowered once */
    DEEP = 4,        /* additions of which a coordinate is made, one of another: of up to 1 << DEEP numbers */
    WHOLE_BITS = 16, /* numbers that are added are below this power of two */
    QUARTERS = 4,
};

/* Sums of an index, which is below 2^(CTM_SMALL_BITS + 1), and of numbers are floats exactly, quarters too. */
_Static_assert(CTM_SMALL_BITS >= WHOLE_BITS + DEEP && CTM_SMALL_BITS + 2 + 2 <= 24, "of floats");

struct ctm_plain {
    uint32_t block, branch;   /* where the tests go, and which instruction looks at them */
    uint32_t line;            /* of both */
    struct lane_operand slow; /* predicate, the same in all lanes */
    bool bound[CTM_PARAM_BYTES / 8];
    bool whole[CTM_FLOATS * CTM_CHANNELS];
};

bool ctm_plain_can(const struct ctm_lower *l)
{
    bool kills = false;
    for (uint32_t i = 0; i < l->program->ninsts; i++) {
        const struct ctm_inst *inst = &l->program->insts[i];
        kills |= ctm_get(inst, CTM_TYPE) == CTM_TYPE_TEX && ctm_get(inst, CTM_TEX_INST) == CTM_TEX_KILL;
    }
    return !l->flows && !l->temps_indexed && !kills && !ctm_uncached(l->program) && l->tex_write != CTM_TEX_SEEDED &&
           l->program->ninsts <= MOST;
}

bool ctm_plain_wide(const struct ctm_lower *l)
{
    for (uint32_t i = 0; i < l->program->ninsts; i++)
        if (ctm_asks_quad(&l->program->insts[i]))
            return false;
    return ctm_plain_can(l);
}

bool ctm_plain_begin(struct ctm_lower *l)
{
    struct ctm_plain *p = l->plain = arena_alloc(l->arena, sizeof *p);
    if (!p)
        return false;
    *p = (struct ctm_plain){.block = l->b->func->nblocks - 1, .branch = l->b->func->ninsts, .line = l->b->line};
    p->slow = lane_reg(l->b, 1, NULL);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    inst->guard = p->slow;
    inst->flags |= LANE_UNI;
    lane_block(l->b);
    return true;
}

/* ---- whole numbers ----------------------------------------------------------------------------------------------- */

/* A float in quarters: an s32 of whole ones, and how many quarters more, which is known. */
struct whole {
    struct lane_operand value; /* LANE_NONE: 0 */
    int32_t quarters;
    bool pair; /* an index is in it */
};

static struct lane_operand plus(struct ctm_lower *l, enum lane_op op, struct lane_operand a, struct lane_operand b)
{
    if (b.kind == LANE_NONE)
        return a;
    return ctm_two(l, op, LANE_S32, a.kind == LANE_NONE ? ctm_u32(l, 0) : a, b);
}

/* The instruction that made a register, the last one; NULL: none. */
static const struct lane_inst *maker(const struct ctm_lower *l, struct lane_operand v)
{
    const struct lane_func *f = l->b->func;
    for (uint32_t i = f->ninsts; i-- > l->plain->branch && !l->b->failed;)
        for (unsigned d = 0; d < f->insts[i].ndst; d++) {
            struct lane_operand op = f->operands[f->insts[i].first + d];
            if (op.kind == v.kind && op.index == v.index)
                return &f->insts[i];
        }
    return NULL;
}

static bool number(const struct ctm_lower *l, struct lane_operand v, struct whole *whole)
{
    float number;
    uint32_t bits = (uint32_t)l->b->func->consts[v.index].lo;
    memcpy(&number, &bits, sizeof number);
    if (!(number > -(1 << WHOLE_BITS) && number < 1 << WHOLE_BITS))
        return false;
    *whole = (struct whole){.quarters = (int32_t)(number * QUARTERS)};
    return (float)whole->quarters == number * QUARTERS;
}

/* A float constant of the program, if `at` is where one lies: the tests will say that it is whole. */
static bool constant(struct ctm_lower *l, struct lane_operand v, struct lane_operand at, struct whole *whole)
{
    const struct lane_func *f = l->b->func;
    uint64_t offset = at.kind == LANE_CONST ? f->consts[at.index].lo : 0;
    if (offset < CTM_PARAM_FLOATS || offset >= CTM_PARAM_FLOATS + 4 * CTM_FLOATS * CTM_CHANNELS)
        return false;
    l->plain->whole[(offset - CTM_PARAM_FLOATS) / 4] = true;
    *whole = (struct whole){.value = lane_reg(l->b, 32, NULL)};
    ctm_floor(l, whole->value, v);
    return true;
}

static bool find_whole(struct ctm_lower *l, struct lane_operand v, unsigned depth, struct whole *whole)
{
    struct whole a, b;
    for (unsigned k = 0; k < 2; k++)
        if (v.kind == LANE_REG && v.index == l->index[k].index) {
            *whole = (struct whole){.value = l->at[k], .pair = true};
            return true;
        }
    if (l->b->failed || v.kind != LANE_REG)
        return !l->b->failed && number(l, v, whole);
    const struct lane_inst *inst = maker(l, v);
    if (!inst || inst->guard.kind != LANE_NONE)
        return false;
    struct lane_operand x = l->b->func->operands[inst->first + 1];
    if (inst->op == LANE_OP_ld)
        return l->b->func->accesses[inst->aux].space == LANE_PARAM && constant(l, v, x, whole);
    if ((inst->op != LANE_OP_add && inst->op != LANE_OP_sub) || inst->type != LANE_F32 || !depth)
        return false;
    enum lane_op op = (enum lane_op)inst->op;
    struct lane_operand y = l->b->func->operands[inst->first + 2];
    if (!find_whole(l, x, depth - 1, &a) || !find_whole(l, y, depth - 1, &b) || (a.pair && b.pair))
        return false;
    *whole = (struct whole){.value = plus(l, op, a.value, b.value),
                            .quarters = op == LANE_OP_add ? a.quarters + b.quarters : a.quarters - b.quarters,
                            .pair = a.pair || b.pair};
    return true;
}

bool ctm_plain_floor(struct ctm_lower *l, struct lane_operand v, struct lane_operand *floor)
{
    struct whole whole;
    if (v.kind != LANE_REG || !find_whole(l, v, DEEP, &whole))
        return false;
    uint32_t more = (uint32_t)(whole.quarters >> 2);
    *floor = plus(l, LANE_OP_add, whole.value, more ? ctm_u32(l, more) : none);
    return floor->kind != LANE_NONE;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

struct lane_operand ctm_plain_surface(struct ctm_lower *l, uint32_t param)
{
    l->plain->bound[param / 8] = true;
    return ctm_param64(l, param);
}

/* Is a float constant a whole number below 2^WHOLE_BITS? -0 is 0 to whoever adds it to something that is not. */
static struct lane_operand is_whole(struct ctm_lower *l, unsigned which)
{
    struct lane_operand v = ctm_param(l, CTM_PARAM_FLOATS + 4 * which), floor = lane_reg(l->b, 32, NULL);
    struct lane_operand size = ctm_one(l, LANE_OP_abs, LANE_F32, v), back = lane_reg(l->b, 32, NULL);
    ctm_floor(l, floor, v);
    lane_emit(l->b, LANE_OP_cvt, LANE_F32, 1, &back, 1, &floor)->type2 = LANE_S32;
    return ctm_both(l, ctm_compare(l, LANE_EQ, LANE_F32, back, v),
                    ctm_compare(l, LANE_LT, LANE_F32, size, ctm_float(l, 1 << WHOLE_BITS)));
}

struct lane_operand ctm_plain_end(struct ctm_lower *l)
{
    struct ctm_plain *p = l->plain;
    bool all = true;
    lane_block(l->b);
    l->b->line = p->line;
    uint32_t from = l->b->func->ninsts;
    struct lane_operand plain = ctm_both(l, l->usual, l->small), zero = lane_imm(l->b, 64, 0);
    for (unsigned i = 0; i < CTM_PARAM_BYTES / 8; i++)
        if (p->bound[i])
            plain = ctm_both(l, plain, ctm_compare(l, LANE_NE, LANE_B64, ctm_param64(l, 8 * i), zero));
    for (unsigned i = 0; i < CTM_FLOATS * CTM_CHANNELS; i++)
        if (p->whole[i]) {
            plain = ctm_both(l, plain, is_whole(l, i));
            all = false;
        }
    lane_emit(l->b, LANE_OP_not, LANE_PRED, 1, &p->slow, 1, &plain);
    struct lane_func *f = l->b->func;
    if (ctm_move_up(l, from, p->block, p->branch))
        f->insts[f->blocks[p->block].first + f->blocks[p->block].count - 1].aux = f->nblocks - 1;
    return all ? none : l->usual;
}
