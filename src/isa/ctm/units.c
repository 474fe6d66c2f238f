/* What surrounds a processor's program: its index pair and the PE's test before it, the CO's test and the outputs after
 * it. docs/ctm.md, "Units". What the state of the units says is the same for all processors: an ordinary launch (test
 * always, all masks set) passes by the rest in uniform branches. */
#include "isa/ctm/lower.h"

#include <stdio.h>

static struct lane_operand is_zero(struct ctm_lower *l, struct lane_operand v)
{
    return ctm_compare(l, LANE_EQ, LANE_B32, v, ctm_u32(l, 0));
}

/* ---- uniform branches ------------------------------------------------------------------------------------------- */

/* A branch of the whole group past what follows, where `p` is true (LANE_NONE: always): `land` says where
 * to. */
static uint32_t skip(struct ctm_lower *l, struct lane_operand p)
{
    uint32_t at = l->b->func->ninsts;
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    inst->guard = p;
    inst->flags |= LANE_UNI;
    lane_block(l->b);
    return at;
}

static void land(struct ctm_lower *l, uint32_t branch)
{
    uint32_t block = lane_block(l->b);
    if (!l->b->failed)
        l->b->func->insts[branch].aux = block;
}

static struct lane_operand any(struct ctm_lower *l, struct lane_operand p)
{
    struct lane_operand d = lane_reg(l->b, 1, NULL), src[] = {p, ctm_u32(l, UINT32_MAX)};
    lane_emit(l->b, LANE_OP_vote, LANE_VOID, 1, &d, 2, src)->mode = LANE_VOTE_ANY;
    return d;
}

/* ---- surfaces at the index pair ----------------------------------------------------------------------------------
 */

static uint32_t texel_access(struct ctm_lower *l, unsigned count)
{
    struct lane_access access = {.space = LANE_SURFACE,
                                 .type = LANE_B32,
                                 .vec = (uint8_t)count,
                                 .dim = LANE_DIM_2D,
                                 .clamp = LANE_CLAMP_ZERO, /* what is outside is dropped */
                                 .unit = LANE_UNIT_SAMPLE,
                                 .formatted = true};
    return lane_access(l->b, &access);
}

static void texel_store(struct ctm_lower *l, struct lane_operand guard, struct lane_operand surface, unsigned count,
                        const struct lane_operand value[])
{
    struct lane_operand src[3 + CTM_CHANNELS] = {surface, l->i, l->j};
    uint32_t aux = texel_access(l, count);
    for (unsigned c = 0; c < count; c++)
        src[3 + c] = value[c];
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_sust, LANE_VOID, 0, NULL, 3 + count, src);
    inst->aux = aux;
    inst->guard = guard;
}

static void texel_load(struct ctm_lower *l, struct lane_operand surface, unsigned count, struct lane_operand value[])
{
    uint32_t aux = texel_access(l, count);
    for (unsigned c = 0; c < count; c++)
        value[c] = lane_reg(l->b, 32, NULL);
    lane_emit(l->b, LANE_OP_suld, LANE_VOID, count, value, 3, (struct lane_operand[]){surface, l->i, l->j})->aux = aux;
}

struct lane_operand ctm_surface(struct ctm_lower *l, struct lane_operand who, uint32_t param, const char *name,
                                int number)
{
    struct lane_operand surface = ctm_param64(l, param);
    struct lane_operand unbound = ctm_compare(l, LANE_EQ, LANE_B64, surface, lane_imm(l->b, 64, 0));
    char digits[12] = "";
    if (number >= 0)
        snprintf(digits, sizeof digits, "%d", number);
    ctm_fault(l, ctm_both(l, unbound, who), LANE_FAULT_UNBOUND, "%s%s is not bound to a surface", name, digits);
    return surface;
}

/* ---- the CO ------------------------------------------------------------------------------------------------------
 */

/* Whether `value` passes the test against the conditional output buffer, whose element is converted to f32
 * (docs/ctm.md, "Choices", conditional value); conditions are those of set_cond_test, 1 to 6 (guide p.26). */
static struct lane_operand passes(struct ctm_lower *l, struct lane_operand test, struct lane_operand value)
{
    static const uint8_t conditions[] = {LANE_LT, LANE_LE, LANE_EQ, LANE_GE, LANE_GT, LANE_NEU};
    struct lane_operand element, pass = none;
    struct lane_operand condition = ctm_two(l, LANE_OP_xor, LANE_B32, test, ctm_u32(l, 7));
    texel_load(l, ctm_surface(l, none, CTM_PARAM_COND, "cond", -1), 1, &element);
    for (unsigned c = 0; c < sizeof conditions; c++) {
        struct lane_operand holds = lane_reg(l->b, 1, NULL), src[] = {value, element};
        lane_emit(l->b, LANE_OP_setp, LANE_F32, 1, &holds, 2, src)->cmp = conditions[c];
        struct lane_operand meant = ctm_compare(l, LANE_EQ, LANE_B32, condition, ctm_u32(l, c + 1));
        holds = ctm_both(l, holds, meant);
        pass = pass.kind == LANE_NONE ? holds : ctm_two(l, LANE_OP_or, LANE_PRED, pass, holds);
    }
    return pass;
}

/* *pass loses who does not pass the test, if it is one for this client: `loc` of set_cond_loc (guide p.26). */
static void test(struct ctm_lower *l, uint32_t loc, struct lane_operand value, struct lane_operand pass)
{
    struct lane_operand kind = ctm_param(l, CTM_PARAM_COND_TEST), where = ctm_param(l, CTM_PARAM_COND_LOC);
    struct lane_operand other = ctm_compare(l, LANE_NE, LANE_B32, where, ctm_u32(l, loc));
    uint32_t past = skip(l, ctm_two(l, LANE_OP_or, LANE_PRED, is_zero(l, kind), other));
    struct lane_operand src[] = {pass, passes(l, kind, value)};
    lane_emit(l->b, LANE_OP_and, LANE_PRED, 1, &pass, 2, src);
    land(l, past);
}

/* ---- before ------------------------------------------------------------------------------------------------------
 */

/* The extent of the domain, and where it begins: as given, or the grid from 0. */
static struct lane_operand extent(struct ctm_lower *l, struct lane_operand by_grid, uint32_t given, uint32_t grid)
{
    struct lane_operand d = lane_reg(l->b, 32, NULL);
    struct lane_operand src[] = {ctm_param(l, grid), ctm_param(l, given), by_grid};
    lane_emit(l->b, LANE_OP_selp, LANE_B32, 1, &d, 3, src);
    return d;
}

/* A coordinate of the thread in the grid. */
static struct lane_operand thread(struct ctm_lower *l, enum lane_sreg block, enum lane_sreg within, unsigned size)
{
    struct lane_operand first = ctm_two(l, LANE_OP_mul, LANE_U32, ctm_sreg(l, block), ctm_u32(l, size));
    return ctm_two(l, LANE_OP_add, LANE_U32, first, ctm_sreg(l, within));
}

static void index_pair(struct ctm_lower *l)
{
    struct lane_operand x = thread(l, LANE_SREG_CTAID_X, LANE_SREG_TID_X, CTM_BLOCK_X);
    struct lane_operand y = thread(l, LANE_SREG_CTAID_Y, LANE_SREG_TID_Y, CTM_BLOCK_Y);
    struct lane_operand by_grid = is_zero(l, ctm_param(l, CTM_PARAM_DOMAIN + 8));
    struct lane_operand in_x =
        ctm_compare(l, LANE_LT, LANE_U32, x, extent(l, by_grid, CTM_PARAM_DOMAIN + 8, CTM_PARAM_GRID_X));
    struct lane_operand in_y =
        ctm_compare(l, LANE_LT, LANE_U32, y, extent(l, by_grid, CTM_PARAM_DOMAIN + 12, CTM_PARAM_GRID_Y));
    l->alive = lane_reg(l->b, 1, NULL);
    lane_emit(l->b, LANE_OP_and, LANE_PRED, 1, &l->alive, 2, (struct lane_operand[]){in_x, in_y});
    l->i = ctm_two(l, LANE_OP_add, LANE_U32, x, ctm_param(l, CTM_PARAM_DOMAIN));
    l->j = ctm_two(l, LANE_OP_add, LANE_U32, y, ctm_param(l, CTM_PARAM_DOMAIN + 4));
}

static struct lane_operand as_float(struct ctm_lower *l, struct lane_operand v)
{
    struct lane_operand d = lane_reg(l->b, 32, NULL);
    lane_emit(l->b, LANE_OP_cvt, LANE_F32, 1, &d, 1, &v)->type2 = LANE_U32;
    return d;
}

/* Where a program finds its index pair: CTM_INDEX_TEMP = (i, j, 0, 1) (docs/ctm.md, "Choices", initial registers). */
static void initial(struct ctm_lower *l)
{
    const struct lane_operand value[CTM_CHANNELS] = {as_float(l, l->i), as_float(l, l->j), ctm_float(l, 0),
                                                     ctm_float(l, 1)};
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        ctm_write_temp(l, CTM_INDEX_TEMP, false, c, none, value[c]);
}

void ctm_units_begin(struct ctm_lower *l)
{
    index_pair(l);
    test(l, 1, ctm_param(l, CTM_PARAM_COND_VAL), l->alive);
    uint32_t past = skip(l, any(l, l->alive));
    lane_emit(l->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    land(l, past);
    l->first = l->b->func->ninsts;
    initial(l);
}

/* ---- after -------------------------------------------------------------------------------------------------------
 */

/* Channels that set_out_mask takes away keep what memory has. */
static void masked_store(struct ctm_lower *l, struct lane_operand pass, struct lane_operand surface,
                         struct lane_operand hidden, const struct lane_operand value[CTM_CHANNELS])
{
    struct lane_operand had[CTM_CHANNELS], kept[CTM_CHANNELS];
    texel_load(l, surface, CTM_CHANNELS, had);
    for (unsigned c = 0; c < CTM_CHANNELS; c++) {
        struct lane_operand hides = ctm_two(l, LANE_OP_and, LANE_B32, hidden, ctm_u32(l, 1u << c));
        struct lane_operand src[] = {value[c], had[c], is_zero(l, hides)};
        kept[c] = lane_reg(l->b, 32, NULL);
        lane_emit(l->b, LANE_OP_selp, LANE_B32, 1, &kept[c], 3, src);
    }
    texel_store(l, pass, surface, CTM_CHANNELS, kept);
}

static void output_store(struct ctm_lower *l, unsigned output, struct lane_operand pass)
{
    struct lane_operand value[CTM_CHANNELS], hidden = ctm_param(l, CTM_PARAM_OUT_MASK);
    struct lane_operand surface = ctm_surface(l, none, CTM_PARAM_OUTPUTS + 8 * output, "out", (int)output);
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        value[c] = ctm_read_output(l, output, c);
    uint32_t plain = skip(l, is_zero(l, hidden));
    masked_store(l, pass, surface, hidden, value);
    uint32_t done = skip(l, none);
    land(l, plain);
    texel_store(l, pass, surface, CTM_CHANNELS, value);
    land(l, done);
}

/* The conditional value is written for whoever passes, if set_cond_out_mask says so (docs/ctm.md, "Units"). */
static void cond_store(struct ctm_lower *l, struct lane_operand value, struct lane_operand pass)
{
    uint32_t past = skip(l, is_zero(l, ctm_param(l, CTM_PARAM_COND_MASK)));
    texel_store(l, pass, ctm_surface(l, none, CTM_PARAM_COND, "cond", -1), 1, &value);
    land(l, past);
}

void ctm_units_end(struct ctm_lower *l)
{
    struct lane_operand value = ctm_own_cond(l->program) ? ctm_read_cond(l) : ctm_param(l, CTM_PARAM_COND_VAL);
    struct lane_operand pass = lane_reg(l->b, 1, NULL);
    lane_emit(l->b, LANE_OP_mov, LANE_PRED, 1, &pass, 1, &l->alive);
    test(l, 0, value, pass);
    for (unsigned o = 0; o < CTM_OUTPUTS && !ctm_uncached(l->program); o++)
        if (l->output_written[o] || ctm_has(&l->program->outputs, o))
            output_store(l, o, pass);
    cond_store(l, value, pass);
    lane_emit(l->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
}
