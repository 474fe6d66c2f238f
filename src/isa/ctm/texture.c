/* Lookups, TEX_INST_KILL_LT_0, uncached writes, and the texture semaphore. docs/ctm.md, "Lookups and the semaphore". */
#include "isa/ctm/texture.h"

#include "isa/ctm/effects.h"

/* ---- operations ---------------------------------------------------------------------------------------------------
 */

/* A float operation whose subnormals are zeros. */
static struct lane_operand flushing(struct ctm_lower *l, enum lane_op op, struct lane_operand a, struct lane_operand b)
{
    struct lane_operand d = lane_reg(l->b, 32, NULL), src[] = {a, b};
    lane_emit(l->b, op, LANE_F32, 1, &d, 2, src)->flags = LANE_FTZ;
    return d;
}

/* floor(v) as an integer: what is beyond is the largest or smallest one, NaN is 0 (docs/ctm.md, "Choices",
 * coordinates). */
void ctm_floor(struct ctm_lower *l, struct lane_operand dst, struct lane_operand v)
{
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_cvt, LANE_S32, 1, &dst, 1, &v);
    inst->type2 = LANE_F32;
    inst->round = LANE_RMI;
    inst->flags = LANE_FTZ;
}

/* Of the index pair it is known. */
static struct lane_operand floor_of(struct ctm_lower *l, struct lane_operand v)
{
    struct lane_operand d = none;
    for (unsigned a = 0; a < 2; a++)
        if (v.kind == LANE_REG && v.index == l->index[a].index)
            return l->at[a];
    if (l->plain && ctm_plain_floor(l, v, &d))
        return d;
    d = lane_reg(l->b, 32, NULL);
    ctm_floor(l, d, v);
    return d;
}

/* The surface of the input: looked at before, where nothing can go round that. */
static struct lane_operand input(struct ctm_lower *l, unsigned id)
{
    struct lane_operand *kept = &l->texture->input[id];
    struct lane_operand surface = *kept;
    if (surface.kind == LANE_NONE)
        surface = ctm_surface(l, ctm_running(l), CTM_PARAM_INPUTS + 8 * id, "in", (int)id);
    if (!l->flows)
        *kept = surface;
    return surface;
}

/* ---- coordinates ----------------------------------------------------------------------------------------------------
 */

/* Width (0) or height (1) of an input, as a float. The launch looks it up. */
static struct lane_operand size_of(struct ctm_lower *l, unsigned id, unsigned axis)
{
    uint32_t at = CTM_PARAM_SIZES + 8 * id;
    for (unsigned i = 0; i < 2 && !l->scaled[id]; i++) {
        struct lane_word word = {.offset = at + 4 * i,
                                 .size = 4,
                                 .kind = LANE_WORD_SURFACE,
                                 .from = CTM_PARAM_INPUTS + 8 * id,
                                 .nentry = 1,
                                 .entry = {i ? LANE_SUQ_SECOND : LANE_SUQ_FIRST}};
        lane_word(l->b, &word);
    }
    l->scaled[id] = true;
    struct lane_operand size = ctm_param(l, at + 4 * axis), d = lane_reg(l->b, 32, NULL);
    lane_emit(l->b, LANE_OP_cvt, LANE_F32, 1, &d, 1, &size)->type2 = LANE_U32;
    return d;
}

static struct lane_operand source(struct ctm_lower *l, enum ctm_field swizzle)
{
    return ctm_read_temp(l, ctm_in(l, CTM_SRC_ADDR), ctm_in(l, CTM_SRC_ADDR_REL), ctm_in(l, swizzle));
}

static void coordinates(struct ctm_lower *l, struct lane_operand at[2])
{
    static const enum ctm_field swizzles[] = {CTM_SRC_S_SWIZ, CTM_SRC_T_SWIZ};
    for (unsigned axis = 0; axis < 2; axis++) {
        struct lane_operand v = source(l, swizzles[axis]);
        if (ctm_in(l, CTM_TEX_INST) == CTM_TEX_PROJ)
            v = flushing(l, LANE_OP_div, v, source(l, CTM_SRC_Q_SWIZ));
        if (!ctm_in(l, CTM_TEX_UNSCALED))
            v = flushing(l, LANE_OP_mul, v, size_of(l, ctm_in(l, CTM_TEX_ID), axis));
        at[axis] = floor_of(l, v);
    }
}

/* ---- lookups --------------------------------------------------------------------------------------------------------
 */

/* value[c], of those channels that are named, is what the surface has at `at` for register channel c. Processors that
 * are not alive read too: what is out of range is the edge. */
static void texels(struct ctm_lower *l, const struct lane_operand at[2], struct lane_operand value[CTM_CHANNELS])
{
    static const enum ctm_field swizzles[] = {CTM_DST_R_SWIZ, CTM_DST_G_SWIZ, CTM_DST_B_SWIZ, CTM_DST_A_SWIZ};
    const struct lane_access access = {.space = LANE_SURFACE,
                                       .type = LANE_B32,
                                       .vec = CTM_CHANNELS,
                                       .dim = LANE_DIM_2D,
                                       .clamp = LANE_CLAMP_NEAR,
                                       .unit = LANE_UNIT_SAMPLE,
                                       .formatted = true};
    unsigned id = ctm_in(l, CTM_TEX_ID);
    struct lane_operand got[CTM_CHANNELS] = {none, none, none, none}, running = ctm_running(l);
    struct lane_operand src[] = {input(l, id), at[0], at[1]};
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (value[c].kind != LANE_NONE && got[ctm_in(l, swizzles[c])].kind == LANE_NONE)
            got[ctm_in(l, swizzles[c])] = value[c];
    uint32_t aux = lane_access(l->b, &access);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_suld, LANE_VOID, CTM_CHANNELS, got, 3, src);
    inst->aux = aux;
    inst->guard = running; /* nothing may be bound where nobody is active */
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (value[c].kind != LANE_NONE)
            ctm_move(l, none, value[c], got[ctm_in(l, swizzles[c])]);
}

static void lookup(struct ctm_lower *l, struct late *late)
{
    struct lane_operand at[2], guard[CTM_CHANNELS], value[CTM_CHANNELS] = {none, none, none, none};
    unsigned dst = ctm_in(l, CTM_DST_ADDR);
    bool relative = ctm_in(l, CTM_DST_ADDR_REL);
    coordinates(l, at);
    if (late->deferred)
        texture_former(l, late);
    for (unsigned c = 0; c < CTM_CHANNELS; c++) {
        guard[c] = none;
        if (!(late->channels >> c & 1))
            continue;
        guard[c] = ctm_writes(l, c);
        if (late->deferred)
            value[c] = texture_place(l, late, c);
        else if (guard[c].kind == LANE_NONE && !l->temps_indexed)
            value[c] = ctm_define_temp(l, dst, c);
        else
            value[c] = lane_reg(l->b, 32, NULL);
    }
    texels(l, at, value);
    if (late->deferred)
        texture_issue(l, late, guard, value);
    for (unsigned c = 0; c < CTM_CHANNELS && !late->deferred; c++)
        if (late->channels >> c & 1)
            ctm_write_temp(l, dst, relative, c, guard[c], value[c]);
}

/* Processors are gone where a channel is below 0: of those that the masks and the predicate name, as it is in the
 * register. Inactive ones stay (docs/ctm.md, "Choices", kill). */
static void kill(struct ctm_lower *l)
{
    unsigned masks = ctm_in(l, CTM_RGB_WMASK) | ctm_in(l, CTM_ALPHA_WMASK) << 3;
    struct lane_operand gone = none;
    for (unsigned c = 0; c < CTM_CHANNELS; c++) {
        if (!(masks >> c & 1))
            continue;
        struct lane_operand v = ctm_read_temp(l, ctm_in(l, CTM_SRC_ADDR), ctm_in(l, CTM_SRC_ADDR_REL), c);
        struct lane_operand below = ctm_compare(l, LANE_LT, LANE_F32, v, ctm_float(l, 0));
        below = ctm_both(l, below, ctm_writes(l, c));
        gone = gone.kind == LANE_NONE ? below : ctm_two(l, LANE_OP_or, LANE_PRED, gone, below);
    }
    if (gone.kind != LANE_NONE)
        ctm_flow_kill(l, ctm_both(l, gone, ctm_flow_active(l)));
}

/* ---- what lower.c calls
 * ----------------------------------------------------------------------------------------------- */

bool ctm_texture_begin(struct ctm_lower *l)
{
    if (!texture_look(l))
        return false;
    texture_begin(l);
    return true;
}

void ctm_texture_at(struct ctm_lower *l)
{
    texture_wait(l);
}

void ctm_texture(struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture;
    uint32_t own = t->issued[l->pc];
    if (own != CTM_SLOTS)
        lookup(l, &t->late[own]);
    else if (ctm_in(l, CTM_TEX_INST) == CTM_TEX_KILL)
        kill(l);
    texture_acquire(l);
}

void ctm_uncached_output(struct ctm_lower *l, const struct lane_operand value[CTM_CHANNELS])
{
    struct ctm_texture *t = l->texture;
    uint32_t own = t->issued[l->pc];
    if (own != CTM_SLOTS) {
        struct late *late = &t->late[own];
        struct lane_operand zero = ctm_float(l, 0), guard[CTM_CHANNELS] = {ctm_both(l, l->alive, ctm_writes(l, 0))};
        struct lane_operand what[CTM_CHANNELS] = {value[0], floor_of(l, value[1].kind == LANE_NONE ? zero : value[1]),
                                                  floor_of(l, value[2].kind == LANE_NONE ? zero : value[2]), none};
        (void)ctm_surface(l, ctm_running(l), CTM_PARAM_OUTPUTS, "out", 0);
        if (late->deferred) {
            texture_former(l, late);
            texture_issue(l, late, guard, what);
        } else {
            texture_store(l, guard[0], what);
        }
    }
    texture_acquire(l);
}

void ctm_texture_end(struct ctm_lower *l)
{
    texture_end(l);
}
