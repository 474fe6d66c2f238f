/* What surrounds a processor's program: its index pair and the PE's test before it, the CO's test and the outputs after
 * it. docs/ctm.md, "Units". What the state of the units says is the same for all processors: there are two beginnings
 * and two ends, one for ordinary launches (is_usual), which say nothing of it, and one for all. */
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

static void texel_store_at(struct ctm_lower *l, struct lane_operand guard, struct lane_operand surface,
                           const struct lane_operand at[2], unsigned count, const struct lane_operand value[])
{
    struct lane_operand src[3 + CTM_CHANNELS] = {surface, at[0], at[1]};
    uint32_t aux = texel_access(l, count);
    for (unsigned c = 0; c < count; c++)
        src[3 + c] = value[c];
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_sust, LANE_VOID, 0, NULL, 3 + count, src);
    inst->aux = aux;
    inst->guard = guard;
}

static void texel_store(struct ctm_lower *l, struct lane_operand guard, struct lane_operand surface, unsigned count,
                        const struct lane_operand value[])
{
    texel_store_at(l, guard, surface, (struct lane_operand[]){l->i, l->j}, count, value);
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
    if (l->plain)
        return ctm_plain_surface(l, param);
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

/* Coordinates of threads: of the block, within it; parameters: first of the domain, extents. */
static const struct axis {
    uint8_t block, within;
    uint16_t first, extent, grid;
} axes[2] = {
    {LANE_SREG_CTAID_X, LANE_SREG_TID_X, CTM_PARAM_DOMAIN, CTM_PARAM_DOMAIN + 8, CTM_PARAM_GRID_X},
    {LANE_SREG_CTAID_Y, LANE_SREG_TID_Y, CTM_PARAM_DOMAIN + 4, CTM_PARAM_DOMAIN + 12, CTM_PARAM_GRID_Y},
};

enum { EXACT_BITS = 23 }; /* sums of two such numbers are floats exactly */

static void emit(struct ctm_lower *l, enum lane_op op, enum lane_type type, struct lane_operand d, unsigned nsrc,
                 const struct lane_operand *src)
{
    lane_emit(l->b, op, type, 1, &d, nsrc, src);
}

/* The extent of the domain: as given, as far as the grid reaches, or the grid. */
static struct lane_operand extent(struct ctm_lower *l, const struct axis *axis, struct lane_operand by_grid)
{
    struct lane_operand d = lane_reg(l->b, 32, NULL), grid = ctm_param(l, axis->grid);
    struct lane_operand given = ctm_two(l, LANE_OP_min, LANE_U32, grid, ctm_param(l, axis->extent));
    emit(l, LANE_OP_selp, LANE_B32, d, 3, (struct lane_operand[]){grid, given, by_grid});
    return d;
}

/* first + extent of blocks * the block. */
static void count_from(struct ctm_lower *l, struct lane_operand d, unsigned axis, struct lane_operand first)
{
    struct lane_operand block = ctm_sreg(l, (enum lane_sreg)axes[axis].block);
    emit(l, LANE_OP_mad, LANE_U32, d, 3, (struct lane_operand[]){block, ctm_u32(l, l->block[axis]), first});
}

/* Are all processors of the block in the domain, along an axis? */
static struct lane_operand is_full(struct ctm_lower *l, unsigned axis, struct lane_operand extent)
{
    struct lane_operand end = lane_reg(l->b, 32, NULL);
    count_from(l, end, axis, ctm_u32(l, l->block[axis]));
    return ctm_compare(l, LANE_LE, LANE_U32, end, extent);
}

/* Is the launch an ordinary one: all processors are in the domain, floats hold index pairs exactly, there is no test,
 * all channels of outputs are written and conditional values are not? */
static struct lane_operand is_usual(struct ctm_lower *l, const struct lane_operand extents[2])
{
    struct lane_operand large = ctm_u32(l, 0), full = none;
    struct lane_operand state =
        ctm_two(l, LANE_OP_or, LANE_B32, ctm_param(l, CTM_PARAM_COND_TEST),
                ctm_two(l, LANE_OP_or, LANE_B32, ctm_param(l, CTM_PARAM_OUT_MASK), ctm_param(l, CTM_PARAM_COND_MASK)));
    for (unsigned a = 0; a < 2; a++) {
        struct lane_operand grid = ctm_param(l, axes[a].grid);
        full = ctm_both(l, full, is_full(l, a, extents[a]));
        large = ctm_two(l, LANE_OP_or, LANE_B32, large, ctm_two(l, LANE_OP_or, LANE_B32, grid, extents[a]));
        large = ctm_two(l, LANE_OP_or, LANE_B32, large, ctm_param(l, axes[a].first));
    }
    l->small = is_zero(l, ctm_two(l, LANE_OP_shr, LANE_U32, large, ctm_u32(l, CTM_SMALL_BITS)));
    large = ctm_two(l, LANE_OP_shr, LANE_U32, large, ctm_u32(l, EXACT_BITS));
    return ctm_both(l, full, is_zero(l, ctm_two(l, LANE_OP_or, LANE_B32, state, large)));
}

static void as_float(struct ctm_lower *l, struct lane_operand d, struct lane_operand v)
{
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_cvt, LANE_F32, 1, &d, 1, &v);
    inst->type2 = LANE_U32;
}

/* Any launch: who is in the domain and passes the PE's test; l->i, l->j; what programs find. */
static void begin_any(struct ctm_lower *l, const struct lane_operand extents[2])
{
    struct lane_operand thread[2], inside[2], *const pair[] = {&l->i, &l->j};
    for (unsigned a = 0; a < 2; a++) {
        thread[a] = lane_reg(l->b, 32, NULL);
        count_from(l, thread[a], a, ctm_sreg(l, (enum lane_sreg)axes[a].within));
        inside[a] = ctm_compare(l, LANE_LT, LANE_U32, thread[a], extents[a]);
        *pair[a] = ctm_two(l, LANE_OP_add, LANE_U32, thread[a], ctm_param(l, axes[a].first));
    }
    emit(l, LANE_OP_and, LANE_PRED, l->alive, 2, inside);
    test(l, 1, ctm_param(l, CTM_PARAM_COND_VAL), l->alive);
    uint32_t past = skip(l, any(l, l->alive));
    lane_emit(l->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    land(l, past);
    for (unsigned a = 0; a < 2; a++) {
        as_float(l, l->index[a], *pair[a]);
        ctm_floor(l, l->at[a], l->index[a]);
    }
}

/* An ordinary one. */
static void begin_usual(struct ctm_lower *l)
{
    struct lane_operand all = lane_imm(l->b, 1, 1);
    for (unsigned a = 0; a < 2; a++) {
        struct lane_operand within = ctm_sreg(l, (enum lane_sreg)axes[a].within);
        within = ctm_two(l, LANE_OP_add, LANE_U32, within, ctm_param(l, axes[a].first));
        count_from(l, l->at[a], a, within);
        as_float(l, l->index[a], l->at[a]);
    }
    emit(l, LANE_OP_mov, LANE_PRED, l->alive, 1, &all);
}

/* Where a program finds its index pair: CTM_INDEX_TEMP = (i, j, 0, 1) (docs/ctm.md, "Choices", initial registers). */
static void initial(struct ctm_lower *l)
{
    const struct lane_operand value[CTM_CHANNELS] = {l->index[0], l->index[1], ctm_float(l, 0), ctm_float(l, 1)};
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        ctm_write_temp(l, CTM_INDEX_TEMP, false, c, none, value[c]);
}

void ctm_units_state(struct ctm_lower *l)
{
    struct lane_operand by_grid = is_zero(l, ctm_param(l, axes[0].extent));
    for (unsigned a = 0; a < 2; a++)
        l->extent[a] = extent(l, &axes[a], by_grid);
    l->usual = is_usual(l, l->extent);
}

static void begin(struct ctm_lower *l)
{
    for (unsigned a = 0; a < 2; a++) {
        l->index[a] = lane_reg(l->b, 32, NULL);
        l->at[a] = lane_reg(l->b, 32, NULL);
    }
    l->alive = lane_reg(l->b, 1, NULL);
}

void ctm_units_begin(struct ctm_lower *l)
{
    begin(l);
    if (l->usual.kind == LANE_NONE) {
        begin_any(l, l->extent);
    } else {
        uint32_t usual = skip(l, l->usual);
        begin_any(l, l->extent);
        uint32_t done = skip(l, none);
        land(l, usual);
        begin_usual(l);
        land(l, done);
    }
    l->first = l->b->func->ninsts;
    initial(l);
}

void ctm_units_begin_plain(struct ctm_lower *l)
{
    begin(l);
    begin_usual(l);
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

static bool is_stored(const struct ctm_lower *l, unsigned output)
{
    bool named = l->output_written[output] || l->output_named[output] || ctm_has(&l->program->outputs, output);
    return named && !ctm_uncached(l->program);
}

static void end_any(struct ctm_lower *l)
{
    struct lane_operand value = ctm_own_cond(l->program) ? ctm_read_cond(l) : ctm_param(l, CTM_PARAM_COND_VAL);
    struct lane_operand pass = lane_reg(l->b, 1, NULL);
    emit(l, LANE_OP_mov, LANE_PRED, pass, 1, &l->alive);
    test(l, 0, value, pass);
    for (unsigned o = 0; o < CTM_OUTPUTS; o++)
        if (is_stored(l, o))
            output_store(l, o, pass);
    cond_store(l, value, pass);
    lane_emit(l->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
}

/* An ordinary launch all of whose outputs are bound. */
static void end_usual(struct ctm_lower *l)
{
    struct lane_operand value[CTM_CHANNELS], guard = l->plain ? none : l->alive;
    for (unsigned o = 0; o < CTM_OUTPUTS; o++) {
        uint32_t param = CTM_PARAM_OUTPUTS + 8 * o;
        if (!is_stored(l, o))
            continue;
        for (unsigned c = 0; c < CTM_CHANNELS; c++)
            value[c] = ctm_read_output(l, o, c);
        struct lane_operand surface = l->plain ? ctm_plain_surface(l, param) : ctm_param64(l, param);
        texel_store_at(l, guard, surface, l->at, CTM_CHANNELS, value);
    }
    lane_emit(l->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
}

void ctm_units_end_plain(struct ctm_lower *l)
{
    end_usual(l);
}

void ctm_units_end(struct ctm_lower *l)
{
    struct lane_operand usual = l->usual;
    if (usual.kind == LANE_NONE) {
        end_any(l);
        return;
    }
    for (unsigned o = 0; o < CTM_OUTPUTS; o++) {
        struct lane_operand zero = lane_imm(l->b, 64, 0);
        if (is_stored(l, o))
            usual =
                ctm_both(l, usual, ctm_compare(l, LANE_NE, LANE_B64, ctm_param64(l, CTM_PARAM_OUTPUTS + 8 * o), zero));
    }
    uint32_t ordinary = skip(l, usual);
    end_any(l);
    land(l, ordinary);
    end_usual(l);
}
