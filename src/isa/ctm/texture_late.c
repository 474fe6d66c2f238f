/* Results that come late: kept from where they are issued until they are written. docs/ctm.md, "Late results". */
#include "isa/ctm/texture.h"

#include "isa/ctm/effects.h"

static struct lane_operand truth(struct ctm_lower *l, bool value)
{
    return lane_imm(l->b, 1, value);
}

/* ---- writing what is under way -------------------------------------------------------------------------------- */

void texture_store(struct ctm_lower *l, struct lane_operand guard,
                   const struct lane_operand value[TEXTURE_WRITE_VALUES])
{
    struct lane_access access = {.space = LANE_SURFACE,
                                 .type = LANE_B32,
                                 .vec = 1,
                                 .dim = LANE_DIM_2D,
                                 .clamp = LANE_CLAMP_ZERO,
                                 .unit = LANE_UNIT_SAMPLE};
    struct lane_operand src[] = {ctm_param64(l, CTM_PARAM_OUTPUTS), value[1], value[2], value[0]};
    uint32_t aux = lane_access(l->b, &access);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_sust, LANE_VOID, 0, NULL, 4, src);
    inst->aux = aux;
    inst->guard = guard;
}

/* Masks of what is done are false. `gate`: only if that is true. */
static void masks_clear(struct ctm_lower *l, struct late *late, struct lane_operand gate)
{
    struct lane_operand left = gate.kind == LANE_NONE ? truth(l, false) : ctm_one(l, LANE_OP_not, LANE_PRED, gate);
    for (unsigned c = 0; c < CTM_CHANNELS; c++) {
        struct lane_operand src[] = {late->mask[c], left};
        if (!(late->channels >> c & 1))
            continue;
        if (gate.kind == LANE_NONE)
            ctm_move(l, none, late->mask[c], left);
        else
            lane_emit(l->b, LANE_OP_and, LANE_PRED, 1, &late->mask[c], 2, src);
    }
}

/* The result is written, if `gate` is true (LANE_NONE: it is). */
static void land(struct ctm_lower *l, struct late *late, struct lane_operand gate)
{
    struct lane_operand al = l->al;
    if (late->relative)
        l->al = late->al;
    if (late->writes)
        texture_store(l, ctm_both(l, late->mask[0], gate), late->value);
    for (unsigned c = 0; c < CTM_CHANNELS && !late->writes; c++)
        if (late->channels >> c & 1)
            ctm_write_temp(l, late->dst, late->relative, c, ctm_both(l, late->mask[c], gate), late->value[c]);
    l->al = al;
    if (late->dynamic)
        masks_clear(l, late, gate);
}

static bool may_land(const struct late *late, const struct texture_state *state, uint32_t n)
{
    return late->deferred && texture_pending(state, n);
}

/* ---- seeded order ----------------------------------------------------------------------------------------------- */

static struct lane_operand mix(struct ctm_lower *l, struct lane_operand v, uint32_t factor)
{
    struct lane_operand high = ctm_two(l, LANE_OP_shr, LANE_U32, v, ctm_u32(l, 15));
    v = ctm_two(l, LANE_OP_xor, LANE_B32, v, high);
    return ctm_two(l, LANE_OP_mul, LANE_U32, v, ctm_u32(l, factor));
}

/* A number of the launch's seed and the group. */
static struct lane_operand seed_make(struct ctm_lower *l)
{
    struct lane_word word = {.offset = CTM_PARAM_SEED, .size = 4, .kind = LANE_WORD_SEED};
    lane_word(l->b, &word);
    struct lane_operand seed = mix(l, ctm_param(l, CTM_PARAM_SEED), 0xcc9e2d51u);
    seed = ctm_two(l, LANE_OP_xor, LANE_B32, seed, ctm_sreg(l, LANE_SREG_CTAID_X));
    seed = mix(l, seed, 0x9e3779b1u);
    seed = ctm_two(l, LANE_OP_xor, LANE_B32, seed, ctm_sreg(l, LANE_SREG_CTAID_Y));
    return mix(l, seed, 0x85ebca6bu);
}

/* Drawn for this result at this instruction. */
static struct lane_operand coin(struct ctm_lower *l, uint32_t n)
{
    struct lane_operand v = ctm_u32(l, (l->pc << 9 | n) * 0xc2b2ae35u);
    v = ctm_two(l, LANE_OP_xor, LANE_B32, l->texture->seed, v);
    v = mix(l, mix(l, v, 0x27d4eb2fu), 0x165667b1u);
    return ctm_compare(l, LANE_GE, LANE_U32, v, ctm_u32(l, 0x80000000u));
}

/* Before an instruction that would see whether a result has come it may come, with those before it for its place. */
static void seeded_at(struct ctm_lower *l, const struct texture_state *state)
{
    struct ctm_texture *t = l->texture;
    for (uint32_t n = 0; n < t->count; n++) {
        struct late *late = &t->late[n];
        if (!may_land(late, state, n) || !(late->writes ? ctm_is_lookup(l->inst) : texture_touches(l->inst, late)))
            continue;
        struct lane_operand now = coin(l, n);
        for (uint32_t k = 0; k < n; k++)
            if (may_land(&t->late[k], state, k) && texture_same_place(&t->late[k], late))
                land(l, &t->late[k], now);
        land(l, late, now);
    }
}

/* ---- at instructions -------------------------------------------------------------------------------------------- */

void texture_begin(struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture;
    bool any = false;
    for (uint32_t n = 0; n < t->count; n++) {
        struct late *late = &t->late[n];
        any |= late->deferred;
        for (unsigned c = 0; c < CTM_CHANNELS && late->deferred; c++)
            if (late->writes ? c < TEXTURE_WRITE_VALUES : late->channels >> c & 1)
                late->value[c] = lane_reg(l->b, 32, NULL);
        if (late->deferred && late->relative)
            late->al = lane_reg(l->b, 32, NULL);
        for (unsigned c = 0; c < CTM_CHANNELS && late->dynamic; c++)
            if (late->channels >> c & 1) {
                late->mask[c] = lane_reg(l->b, 1, NULL);
                ctm_move(l, none, late->mask[c], truth(l, false));
            }
        if (late->mixed) {
            late->covered = lane_reg(l->b, 1, NULL);
            ctm_move(l, none, late->covered, truth(l, false));
        }
    }
    if (any && l->tex_write == CTM_TEX_SEEDED)
        t->seed = seed_make(l);
}

void texture_wait(struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture;
    struct texture_state state = t->at[l->pc];
    for (uint32_t n = 0; ctm_in(l, CTM_TEX_SEM_WAIT) && n < t->count; n++) {
        struct late *late = &t->late[n];
        if (late->deferred && texture_has(&state.covered, n))
            land(l, late, late->mixed && texture_has(&state.open, n) ? late->covered : none);
    }
    texture_waited(l, l->pc, &state);
    if (l->tex_write == CTM_TEX_SEEDED)
        seeded_at(l, &state);
}

void texture_acquire(struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture;
    struct texture_state state = t->at[l->pc];
    uint32_t own = t->issued[l->pc];
    if (!texture_acquires(l->program, l->inst))
        return;
    texture_waited(l, l->pc, &state);
    for (uint32_t n = 0; n < t->count; n++)
        if (t->late[n].mixed && (texture_has(&state.open, n) || n == own))
            ctm_move(l, none, t->late[n].covered, truth(l, true));
}

/* Is the former result of the same instruction perhaps still under way? */
static bool again(const struct ctm_lower *l, const struct late *late)
{
    struct texture_state state = l->texture->at[l->pc];
    uint32_t own = l->texture->issued[l->pc];
    texture_waited(l, l->pc, &state);
    return texture_pending(&state, own) && !bitset_has(late->before, own);
}

void texture_former(struct ctm_lower *l, const struct late *late)
{
    struct ctm_texture *t = l->texture;
    struct texture_state state = t->at[l->pc];
    texture_waited(l, l->pc, &state);
    for (uint32_t n = 0; n < t->count; n++)
        if (bitset_has(late->before, n) && may_land(&t->late[n], &state, n))
            land(l, &t->late[n], none);
}

struct lane_operand texture_place(struct ctm_lower *l, const struct late *late, unsigned c)
{
    return again(l, late) ? lane_reg(l->b, 32, NULL) : late->value[c];
}

/* The mask of what is under way, with what is issued now. */
static void mask_keep(struct ctm_lower *l, struct late *late, unsigned c, struct lane_operand guard, bool more)
{
    struct lane_operand src[] = {late->mask[c], guard};
    if (!late->dynamic)
        late->mask[c] = guard.kind == LANE_NONE ? none : ctm_one(l, LANE_OP_mov, LANE_PRED, guard);
    else if (guard.kind == LANE_NONE || !more)
        ctm_move(l, none, late->mask[c], guard.kind == LANE_NONE ? truth(l, true) : guard);
    else
        lane_emit(l->b, LANE_OP_or, LANE_PRED, 1, &late->mask[c], 2, src);
}

void texture_issue(struct ctm_lower *l, struct late *late, const struct lane_operand guard[CTM_CHANNELS],
                   const struct lane_operand value[CTM_CHANNELS])
{
    bool more = again(l, late);
    for (unsigned c = 0; c < CTM_CHANNELS; c++) {
        if (late->value[c].kind != LANE_NONE)
            ctm_move(l, more ? guard[late->writes ? 0 : c] : none, late->value[c], value[c]);
        if (late->channels >> c & 1)
            mask_keep(l, late, c, guard[c], more);
    }
    if (late->relative)
        ctm_move(l, none, late->al, l->al);
    if (late->mixed) /* a former result that is kept is not covered, or this one is, too (find_before) */
        ctm_move(l, none, late->covered, truth(l, false));
}

void texture_end(struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture;
    const struct texture_state *state = &t->at[l->program->ninsts];
    for (uint32_t n = 0; n < t->count; n++)
        if (t->late[n].writes && may_land(&t->late[n], state, n))
            land(l, &t->late[n], none);
}
