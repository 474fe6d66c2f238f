/* vISA's messages on texels and to the sampler. Source: docs/visa.md, "Running"; docs/sampling.md. */
#include "isa/visa/alu.h"
#include "isa/visa/memory.h"

#include <string.h>

/* Raw operand of dwords, by its role. */
static struct lane_operand dwords(struct visa_lower *l, const char *role)
{
    return visa_get_raw(l, visa_operand_in(l, role), 0, 4, 4);
}

static void coordinates(struct visa_lower *l, struct lane_operand out[4])
{
    static const char *const roles[] = {"u", "v", "r", "lod"};
    for (unsigned i = 0; i < 4; i++)
        out[i] = dwords(l, roles[i]);
}

/* A level that is not given is the first: a constant. */
static struct lane_access formatted(enum lane_clamp clamp, struct lane_operand level)
{
    return (struct lane_access){.space = LANE_SURFACE,
                                .type = LANE_B32,
                                .vec = 4,
                                .dim = LANE_DIM_ANY,
                                .clamp = (uint8_t)clamp,
                                .unit = LANE_UNIT_SAMPLE,
                                .formatted = true,
                                .level = level.kind != LANE_CONST};
}

/* A store of src: the handle, coordinates, the level, four components. */
static void texel_store(struct visa_lower *l, struct lane_operand src[9])
{
    struct lane_access access = formatted(LANE_CLAMP_ZERO, src[4]);
    if (!access.level)
        memmove(src + 4, src + 5, 4 * sizeof *src);
    uint32_t aux = lane_access(l->b, &access);
    visa_masked(l, LANE_OP_sust, 0, NULL, 8u + access.level, src)->aux = aux;
}

/* Which components there are: those of the mask; all four of gathers, whose field is the number of one. */
static unsigned components_of(const struct visa_lower *l, uint8_t out[4])
{
    return visa_channels_of(visa_operand_in(l, "channels") ? visa_number_in(l, "channels") : 15, out);
}

/* Components that the mask has, each in registers of its own. */
static void components_put(struct visa_lower *l, const struct lane_operand v[4], const char *dst)
{
    uint8_t channels[4];
    unsigned count = components_of(l, channels);
    for (unsigned i = 0; i < count; i++) {
        struct lane_operand c = v[channels[i]];
        if (l->scalar)
            c = visa_broadcast(l, c, 32, l->first);
        visa_put_raw(l, visa_operand_in(l, dst), i * visa_component(l, 4), 4, 4, c);
    }
}

static void texel_load(struct visa_lower *l, struct lane_operand handle, const struct lane_operand at[4],
                       enum lane_clamp clamp)
{
    struct lane_operand v[4] = {{LANE_NONE, 0}}, src[5] = {handle, at[0], at[1], at[2], at[3]};
    struct lane_access access = formatted(clamp, at[3]);
    uint8_t channels[4];
    unsigned count = visa_channels_of(visa_number_in(l, "channels"), channels);
    for (unsigned i = 0; i < count; i++)
        v[channels[i]] = lane_reg(l->b, 32, NULL);
    uint32_t aux = lane_access(l->b, &access);
    visa_masked(l, LANE_OP_suld, 4, v, 4u + access.level, src)->aux = aux;
    l->loaded = count == 1 && !l->scalar ? v[channels[0]].index : UINT32_MAX;
    components_put(l, v, "dst");
}

void visa_gather4_typed(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand at[4], handle = visa_handle_of(l, visa_operand_in(l, "surface"), 't');
    (void)does;
    if (handle.kind == LANE_NONE)
        return;
    coordinates(l, at);
    texel_load(l, handle, at, LANE_CLAMP_BORDER);
}

/* Components that the mask lacks are 0 (named choice: all four are normally given). */
void visa_scatter4_typed(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand handle = visa_handle_of(l, visa_operand_in(l, "surface"), 't'), src[9] = {handle};
    uint8_t channels[4];
    unsigned count = visa_channels_of(visa_number_in(l, "channels"), channels);
    (void)does;
    if (handle.kind == LANE_NONE)
        return;
    coordinates(l, src + 1);
    for (unsigned i = 0; i < 4; i++)
        src[5 + i] = lane_imm(l->b, 32, 0);
    for (unsigned i = 0; i < count; i++)
        src[5 + channels[i]] = visa_get_raw(l, visa_operand_in(l, "src"), i * visa_component(l, 4), 4, 4);
    texel_store(l, src);
}

/* LSC: of quads all components that the mask has. mode 1: store. */
void visa_lsc_typed(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand handle = visa_lsc_handle(l), at[4], src[9] = {handle};
    uint8_t channels[4];
    unsigned count = visa_channels_of(visa_number_in(l, "channels"), channels);
    if (handle.kind == LANE_NONE)
        return;
    coordinates(l, at);
    if (!does->mode) {
        texel_load(l, handle, at, LANE_CLAMP_BORDER);
        return;
    }
    memcpy(src + 1, at, sizeof at);
    for (unsigned i = 0; i < 4; i++)
        src[5 + i] = lane_imm(l->b, 32, 0);
    for (unsigned i = 0; i < count; i++)
        src[5 + channels[i]] = visa_get_raw(l, visa_operand_in(l, "src1"), i * visa_component(l, 4), 4, 4);
    texel_store(l, src);
}

/* ---- the sampler ----------------------------------------------------------------------------------------------------
 */

/* What each parameter of a message is, in order (docs/visa.md, "Running"). A layer is v of 1D arrays, r of 2D ones; AI
 * is that of cube arrays, which surfaces here have as layers. */
enum parameter { END, U, V, R, AI, LOD, BIAS, REF, DUX, DUY, DVX, DVY, DRX, DRY, OU, OV, SI, MCS, PARAMETERS };
static const uint8_t orders[][14] = {
    {U, V, R, AI},                                    /* 0 sample, lz, gather4 */
    {BIAS, U, V, R, AI},                              /* 1 b */
    {LOD, U, V, R, AI},                               /* 2 l */
    {REF, U, V, R, AI},                               /* 3 c, c_lz, gather4_c */
    {U, DUX, DUY, V, DVX, DVY, R, DRX, DRY, AI},      /* 4 d */
    {REF, BIAS, U, V, R, AI},                         /* 5 b_c */
    {REF, LOD, U, V, R, AI},                          /* 6 l_c */
    {REF, U, DUX, DUY, V, DVX, DVY, R, DRX, DRY, AI}, /* 7 d_c */
    {U, V, LOD, R},                                   /* 8 ld */
    {U, V, R},                                        /* 9 ld_lz */
    {U, V, OU, OV, R, AI},                            /* 10 gather4_po */
    {REF, U, V, OU, OV, R, AI},                       /* 11 gather4_po_c */
    {SI, MCS, MCS, U, V, R, LOD},                     /* 12 ld2dms_w */
};

/* Parameters that the message lacks are 0. */
static void parameters(struct visa_lower *l, unsigned order, struct lane_operand out[PARAMETERS])
{
    const struct visa_operand *list = visa_operand_in(l, "params");
    for (unsigned i = 0; i < PARAMETERS; i++)
        out[i] = lane_imm(l->b, 32, 0);
    for (unsigned i = 0; list && i < list->value && i < 14 && orders[order][i]; i++)
        out[orders[order][i]] = visa_get_raw(l, &list->list[i], 0, 4, 4);
}

/* The offsets of texels, an immediate: r, v, u, 4 bits each. */
static uint32_t texel_offsets(struct visa_lower *l)
{
    const struct visa_operand *op = visa_operand_in(l, "offsets");
    if (op->class != VISA_IMMEDIATE) {
        visa_stop(l, "not supported: offsets of texels that are no immediate");
        return 0;
    }
    return (uint32_t)op->value & 0xFFF;
}

static bool sampler_of(struct visa_lower *l, struct lane_operand state[2])
{
    struct lane_operand index = visa_get(l, visa_operand_in(l, "sampler")).v;
    if (index.kind != LANE_CONST || l->b->failed) {
        visa_stop(l, "not supported: a sampler whose index is known only when it runs");
        return false;
    }
    unsigned number = (unsigned)l->b->func->consts[index.index].lo & (VISA_SAMPLERS - 1);
    l->used.samplers[number] = true;
    for (unsigned i = 0; i < 2; i++)
        state[i] = l->collecting ? lane_reg(l->b, 64, NULL) : l->sampler_state[number][i];
    return true;
}

static void sample(struct visa_lower *l, const struct lane_operand *src, unsigned count, unsigned mode, uint32_t aux)
{
    struct lane_operand v[4];
    for (unsigned i = 0; i < 4; i++)
        v[i] = lane_reg(l->b, 32, NULL);
    struct lane_inst *inst = visa_masked(l, LANE_OP_sample, 4, v, count, src);
    inst->mode = (uint8_t)mode;
    inst->aux = aux;
    components_put(l, v, "dst");
}

/* op: the order of parameters; mode: enum lane_sample. Without a level or gradients the level is the bias: there are no
 * neighbours to take gradients from (named choice). */
void visa_sample(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand p[PARAMETERS], src[16], state[2];
    unsigned n = 0;
    struct lane_operand handle = visa_handle_of(l, visa_operand_in(l, "surface"), 's');
    if (handle.kind == LANE_NONE || !sampler_of(l, state))
        return;
    uint32_t aux = texel_offsets(l);
    parameters(l, does->op, p);
    src[n++] = handle;
    src[n++] = state[0];
    src[n++] = state[1];
    src[n++] = p[U];
    src[n++] = p[V];
    src[n++] = p[R];
    if (does->mode == LANE_SAMPLE_LOD || does->mode == LANE_SAMPLE_LOD_C)
        src[n++] = orders[does->op][0] == BIAS || orders[does->op][1] == BIAS ? p[BIAS] : p[LOD];
    for (unsigned i = DUX; (does->mode == LANE_SAMPLE_GRAD || does->mode == LANE_SAMPLE_GRAD_C) && i <= DRY; i++)
        src[n++] = p[i];
    if (does->mode == LANE_SAMPLE_GATHER || does->mode == LANE_SAMPLE_GATHER_C) {
        src[n++] = p[OU];
        src[n++] = p[OV];
        aux |= (uint32_t)(visa_number_in(l, "channel") & 3) << LANE_SAMPLE_CHANNEL;
    }
    if (does->mode & 1)
        src[n++] = p[REF];
    sample(l, src, n, does->mode, aux);
}

/* Texels by number; out of bounds all components are 0. */
void visa_load_texel(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand p[PARAMETERS], at[4];
    struct lane_operand handle = visa_handle_of(l, visa_operand_in(l, "surface"), 's');
    if (handle.kind == LANE_NONE)
        return;
    if (texel_offsets(l)) {
        visa_stop(l, "not supported: offsets of texels in %s", l->inst->row->name);
        return;
    }
    parameters(l, does->op, p);
    at[0] = p[U];
    at[1] = p[V];
    at[2] = p[R];
    at[3] = p[LOD];
    texel_load(l, handle, at, LANE_CLAMP_ZERO);
}

/* Surfaces have one sample a texel: there is nothing that says where others are. */
void visa_load_mcs(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand v[4];
    (void)does;
    for (unsigned i = 0; i < 4; i++)
        v[i] = visa_one(l, LANE_OP_mov, LANE_B32, lane_imm(l->b, 32, 0));
    components_put(l, v, "dst");
}

/* Extents at a level: width, height or layers, depth or layers, levels. */
void visa_resinfo(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand handle = visa_handle_of(l, visa_operand_in(l, "surface"), 's'), v[4], level;
    (void)does;
    if (handle.kind == LANE_NONE)
        return;
    if (l->no_mask) {
        visa_stop(l, "not supported: resinfo without mask (M1_NM)");
        return;
    }
    level = dwords(l, "lod");
    for (unsigned i = 0; i < 4; i++) {
        v[i] = lane_reg(l->b, 32, NULL);
        struct lane_operand src[2] = {handle, level};
        visa_masked(l, LANE_OP_suql, 1, &v[i], 2, src)->mode = (uint8_t)i;
    }
    components_put(l, v, "dst");
}

/* R: the samples of a texel, of which there is one; others 0. */
void visa_sampleinfo(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand v[4];
    (void)does;
    for (unsigned i = 0; i < 4; i++)
        v[i] = visa_one(l, LANE_OP_mov, LANE_B32, lane_imm(l->b, 32, i == 0));
    components_put(l, v, "dst");
}
