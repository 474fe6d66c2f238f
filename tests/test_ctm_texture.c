/* Lookups of CTM against plain C: operations, swizzles, formats, layouts, coordinates; the semaphore and results that
 * come late; uncached writes. */
#include "ctm_tex.h"

enum { W = CTM_BLOCK_X, H = CTM_BLOCK_Y };

static uint32_t rnd_state = 1;

static uint32_t rnd(void)
{
    rnd_state = rnd_state * 1664525 + 1013904223;
    return rnd_state >> 8;
}

static unsigned below(unsigned n)
{
    return rnd() % n;
}

/* A surface of random texels as input `id`. */
static struct surface *input_make(struct ctm_run *t, unsigned id, const char *format, const char *layout,
                                  uint32_t width, uint32_t height, bool quad)
{
    struct surface_shape shape = {.dim = LANE_DIM_2D,
                                  .width = width,
                                  .height = height,
                                  .format = format_find(format),
                                  .layout = layout_find(layout),
                                  .quad = quad};
    struct surface *s;
    uint64_t handle;
    assert_true(surface_make(&shape, &s, &t->error) && device_add_surface(t->device, s, DEVICE_HEADER_ANY, &t->error));
    t->surfaces[t->nsurfaces++] = s;
    handle = s->handle;
    memcpy(t->params + CTM_PARAM_INPUTS + 8 * id, &handle, sizeof handle);
    for (uint64_t i = 0; i < s->size; i++)
        s->texels[i] = (unsigned char)rnd();
    return s;
}

/* Input 0 gives r1 its values: what the test wants as coordinates, a texel a processor. */
static struct surface *places_make(struct ctm_run *t, const float (*places)[4])
{
    struct surface *s = input_make(t, 15, "rgba32float", "pitch", W, H, false);
    assert_true(surface_upload(s, places, W * H * 16, NULL));
    return s;
}

/* r1 = what places_make has here. */
static void load_places(struct ctm_run *t)
{
    ctm_run_add(t, acquires(tex(CTM_TEX_LOOKUP, 1, 15, 0)));
}

static void go(struct ctm_run *t)
{
    if (!ctm_run_go(t))
        fail_msg("%s", t->error.message);
}

/* ---- lookups ---------------------------------------------------------------------------------------------------- */

static void random_places(float places[W * H][4], const struct surface *s, bool scaled)
{
    static const float odd[] = {NAN,   INFINITY, -INFINITY, 1e30f,    -1e30f, 0x1p31f, -0x1p31f,
                                -0.0f, 1e-40f,   -1e-40f,   0.99999f, -0.5f,  3.5f,    0x1.fffffep22f};
    for (unsigned i = 0; i < W * H; i++)
        for (unsigned c = 0; c < 4; c++) {
            float whole = (float)((int)below(s->width + 8) - 4) + (float)below(4) / 4;
            places[i][c] = below(5) == 0 ? odd[below(sizeof odd / sizeof *odd)] : scaled ? whole / 16 : whole;
        }
}

/* The place that an operation looks at. */
static void place_ref(const struct ctm_inst *inst, const float from[4], const struct surface *s, int32_t at[2])
{
    static const uint8_t swizzles[] = {CTM_SRC_S_SWIZ, CTM_SRC_T_SWIZ};
    for (unsigned axis = 0; axis < 2; axis++) {
        float v = flush_ref(from[ctm_get(inst, swizzles[axis])]);
        if (ctm_get(inst, CTM_TEX_INST) == CTM_TEX_PROJ)
            v = flush_ref(v / flush_ref(from[ctm_get(inst, CTM_SRC_Q_SWIZ)]));
        if (!ctm_get(inst, CTM_TEX_UNSCALED))
            v = flush_ref(v * (float)(axis ? s->height : s->width));
        at[axis] = floor_ref(v);
    }
}

static void check_lookup(struct ctm_run *t, struct ctm_inst inst, const struct surface *s, const struct surface *out)
{
    static const uint8_t swizzles[] = {CTM_DST_R_SWIZ, CTM_DST_G_SWIZ, CTM_DST_B_SWIZ, CTM_DST_A_SWIZ};
    float places[W * H][4];
    uint32_t got[W * H][4];
    random_places(places, s, !ctm_get(&inst, CTM_TEX_UNSCALED));
    places_make(t, (const float(*)[4])places);
    load_places(t);
    ctm_run_add(t, inst);
    ctm_run_add(t, waits(ctm_copy_out(2, 0)));
    go(t);
    ctm_run_texels(out, got);
    for (unsigned i = 0; i < W * H; i++) {
        int32_t at[2];
        uint32_t texel[4];
        place_ref(&inst, places[i], s, at);
        texel_ref(s, at[0], at[1], texel);
        for (unsigned c = 0; c < 4; c++) {
            bool written = (ctm_get(&inst, CTM_RGB_WMASK) | ctm_get(&inst, CTM_ALPHA_WMASK) << 3) >> c & 1;
            uint32_t want = written ? texel[ctm_get(&inst, swizzles[c])] : 0;
            if (got[i][c] != want)
                fail_msg("processor %u, channel %u: %08x, wanted %08x (at %g %g)", i, c, got[i][c], want, places[i][0],
                         places[i][1]);
        }
    }
}

static void lookups_give_what_surfaces_have(void **unused)
{
    (void)unused;
    static const char *const formats[] = {"r16unorm", "rgba8unorm", "r32float", "rg32float", "rgba32float"};
    static const uint8_t ops[] = {CTM_TEX_LOOKUP, CTM_TEX_PROJ, CTM_TEX_LODBIAS,
                                  CTM_TEX_LOD,    CTM_TEX_DXDY, CTM_TEX_UNCACHED};
    static const uint8_t swizzles[] = {CTM_SRC_S_SWIZ, CTM_SRC_T_SWIZ, CTM_SRC_Q_SWIZ, CTM_DST_R_SWIZ,
                                       CTM_DST_G_SWIZ, CTM_DST_B_SWIZ, CTM_DST_A_SWIZ};
    for (unsigned i = 0; i < 400; i++) {
        struct ctm_run t;
        ctm_run_begin(&t);
        t.tex_write = (enum ctm_tex_write)below(3);
        struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", W, H);
        unsigned format = below(5);
        const struct surface *s = input_make(&t, 3, formats[format], below(2) ? "tile-r580" : "pitch", 1 + below(40),
                                             1 + below(40), format != 1 && format < 3 && below(2));
        struct ctm_inst inst = acquires(tex((enum ctm_tex_inst)ops[below(sizeof ops)], 2, 3, 1));
        for (unsigned k = 0; k < sizeof swizzles; k++)
            ctm_set(&inst, (enum ctm_field)swizzles[k], below(4));
        inst = masked(with(inst, CTM_TEX_UNSCALED, below(2)), below(4) ? WRITES_ALL : below(16));
        check_lookup(&t, inst, s, out);
        ctm_run_end(&t);
    }
}

/* r32 and f32 bits pass as they are: NaN payloads and subnormals of FLOAT32 too. */
static void lookups_keep_bits(void **unused)
{
    (void)unused;
    struct ctm_run t;
    uint32_t texels[W * H], got[W * H][4];
    ctm_run_begin(&t);
    struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", W, H);
    struct surface *s = input_make(&t, 0, "r32float", "pitch", W, H, false);
    for (unsigned i = 0; i < W * H; i++)
        texels[i] = i % 2 ? 0x7f800001u + i : i + 1;
    assert_true(surface_upload(s, texels, sizeof texels, NULL));
    ctm_run_add(&t, acquires(tex(CTM_TEX_LOOKUP, 1, 0, 0)));
    ctm_run_add(&t, waits(ctm_copy_out(1, 0)));
    go(&t);
    ctm_run_texels(out, got);
    for (unsigned i = 0; i < W * H; i++)
        assert_true(got[i][0] == texels[i] && got[i][1] == 0 && got[i][2] == 0 && got[i][3] == 0x3f800000);
    ctm_run_end(&t);
}

static void predicates_and_masks_hold(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 60; i++) {
        struct ctm_run t;
        float places[W * H][4];
        uint32_t got[W * H][4], old[W * H][4];
        ctm_run_begin(&t);
        t.tex_write = (enum ctm_tex_write)below(3);
        struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", W, H);
        struct surface *s = input_make(&t, 3, "rgba32float", "pitch", W, H, false);
        struct surface *r2 = input_make(&t, 4, "rgba32float", "pitch", W, H, false);
        random_places(places, s, false);
        places_make(&t, (const float(*)[4])places);
        load_places(&t);
        ctm_run_add(&t, acquires(tex(CTM_TEX_LOOKUP, 2, 4, 0)));
        ctm_run_add(&t, waits(below_zero(1)));
        unsigned rgb = below(6), alpha = below(6), rgb_inv = below(2), alpha_inv = below(2), mask = below(16);
        struct ctm_inst inst = masked(acquires(tex(CTM_TEX_LOOKUP, 2, 3, 1)), mask);
        inst = with(with(inst, CTM_RGB_PRED_SEL, rgb), CTM_RGB_PRED_INV, rgb_inv);
        inst = with(with(inst, CTM_ALPHA_PRED_SEL, alpha), CTM_ALPHA_PRED_INV, alpha_inv);
        ctm_run_add(&t, inst);
        ctm_run_add(&t, waits(ctm_copy_out(2, 0)));
        go(&t);
        ctm_run_texels(out, got);
        ctm_run_texels(r2, old);
        for (unsigned k = 0; k < W * H; k++) {
            int32_t at[2];
            uint32_t texel[4];
            place_ref(&inst, places[k], s, at);
            texel_ref(s, at[0], at[1], texel);
            for (unsigned c = 0; c < 4; c++) {
                unsigned sel = c < 3 ? rgb : alpha, inv = c < 3 ? rgb_inv : alpha_inv;
                unsigned bit = sel == CTM_PRED_RGBA ? c : sel - CTM_PRED_RRRR;
                bool p = sel == CTM_PRED_NONE || (flush_ref(places[k][bit]) < 0) != inv;
                uint32_t want = p && mask >> c & 1 ? texel[c] : old[k][c];
                if (got[k][c] != want)
                    fail_msg("processor %u, channel %u: %08x, wanted %08x", k, c, got[k][c], want);
            }
        }
        ctm_run_end(&t);
    }
}

static void unbound_inputs_stop(void **unused)
{
    (void)unused;
    struct ctm_run t;
    ctm_run_begin(&t);
    ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", W, H);
    ctm_run_add(&t, acquires(tex(CTM_TEX_LOOKUP, 1, 7, 0)));
    ctm_run_add(&t, waits(ctm_copy_out(1, 0)));
    assert_false(ctm_run_go(&t));
    assert_non_null(strstr(t.error.message, "in7 is not bound to a surface"));
    ctm_run_end(&t);
}

/* ---- the semaphore ------------------------------------------------------------------------------------------------
 */

/* The guide's example: three lookups share one ACQUIRE, and r1 is written over while the first is under way. */
static void the_guides_example(void **unused)
{
    (void)unused;
    static const uint8_t ones[4] = {CTM_SWIZ_ONE, CTM_SWIZ_ONE, CTM_SWIZ_ONE, CTM_SWIZ_ONE};
    for (unsigned mode = 0; mode < 3; mode++)
        for (uint32_t seed = 0; seed < 20; seed++) {
            struct ctm_run t;
            float places[W * H][4];
            uint32_t got[3][W * H][4];
            const struct surface *in[3], *out[3];
            ctm_run_begin(&t);
            t.tex_write = (enum ctm_tex_write)mode;
            t.launch.seed = seed;
            for (unsigned k = 0; k < 3; k++) {
                out[k] = ctm_run_surface(&t, CTM_PARAM_OUTPUTS + 8 * k, "rgba32float", W, H);
                in[k] = input_make(&t, k, "rgba32float", "pitch", 16, 16, false);
            }
            random_places(places, in[0], false);
            places_make(&t, (const float(*)[4])places);
            load_places(&t);
            ctm_run_add(&t, waits(tex(CTM_TEX_LOOKUP, 4, 0, 1)));
            ctm_run_add(&t, tex(CTM_TEX_LOOKUP, 5, 1, 1));
            ctm_run_add(&t, acquires(tex(CTM_TEX_LOOKUP, 6, 2, 1)));
            ctm_run_add(&t, copy_temp(1, 0, WRITES_ALL, ones));
            for (unsigned k = 0; k < 3; k++)
                ctm_run_add(&t, waits(ctm_copy_out(4 + k, k)));
            go(&t);
            for (unsigned k = 0; k < 3; k++) {
                ctm_run_texels(out[k], got[k]);
                for (unsigned i = 0; i < W * H; i++) {
                    uint32_t want[4];
                    texel_ref(in[k], floor_ref(places[i][0]), floor_ref(places[i][1]), want);
                    assert_memory_equal(got[k][i], want, sizeof want);
                }
            }
            ctm_run_end(&t);
        }
}

/* A lookup into r0 that nothing guards, then one with coordinates from r0: it gets those that were there before, as a
 * program for the chip relied on. */
static void unguarded_results_come_late(void **unused)
{
    (void)unused;
    uint32_t got[3][2][W * H][4];
    for (unsigned mode = 0; mode < 2; mode++) {
        struct ctm_run t;
        float places[W * H][4];
        ctm_run_begin(&t);
        t.tex_write = (enum ctm_tex_write)mode;
        const struct surface *out[2] = {ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", W, H),
                                        ctm_run_surface(&t, CTM_PARAM_OUTPUTS + 8, "rgba32float", W, H)};
        rnd_state = 5;
        struct surface *first = input_make(&t, 0, "rgba32float", "pitch", W, H, false);
        const struct surface *second = input_make(&t, 1, "rgba32float", "pitch", W, H, false);
        random_places(places, first, false);
        assert_true(surface_upload(first, places, sizeof places, NULL));
        ctm_run_add(&t, tex(CTM_TEX_LOOKUP, 0, 0, 0));
        ctm_run_add(&t, acquires(tex(CTM_TEX_LOOKUP, 1, 1, 0)));
        ctm_run_add(&t, waits(ctm_copy_out(0, 0)));
        ctm_run_add(&t, ctm_copy_out(1, 1));
        go(&t);
        for (unsigned k = 0; k < 2; k++)
            ctm_run_texels(out[k], got[mode][k]);
        for (unsigned i = 0; i < W * H; i++) {
            uint32_t want[4];
            int32_t at[2] = {(int32_t)(i % W), (int32_t)(i / W)};
            assert_memory_equal(got[mode][0][i], places[i], sizeof want);
            if (mode == CTM_TEX_IMMEDIATE)
                for (unsigned axis = 0; axis < 2; axis++)
                    at[axis] = floor_ref(places[i][axis]);
            texel_ref(second, at[0], at[1], want);
            assert_memory_equal(got[mode][1][i], want, sizeof want);
        }
        ctm_run_end(&t);
    }
}

/* A missing WAIT: some seeds show the old value and some the new one, each the same whenever it is used. */
static void seeds_show_a_missing_wait(void **unused)
{
    (void)unused;
    unsigned olds = 0, news = 0;
    for (uint32_t seed = 0; seed < 40; seed++)
        for (unsigned again = 0; again < 2; again++) {
            struct ctm_run t;
            uint32_t got[2][W * H][4], texels[W * H][4];
            ctm_run_begin(&t);
            t.tex_write = CTM_TEX_SEEDED;
            t.launch.seed = seed;
            const struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", W, H);
            const struct surface *in = input_make(&t, 0, "rgba32float", "pitch", W, H, false);
            ctm_run_add(&t, acquires(tex(CTM_TEX_LOOKUP, 1, 0, 0)));
            ctm_run_add(&t, ctm_copy_out(1, 0)); /* does not wait */
            go(&t);
            ctm_run_texels(out, got[again]);
            ctm_run_texels(in, texels);
            bool is_new = memcmp(got[again], texels, sizeof texels) == 0;
            olds += !is_new;
            news += is_new;
            for (unsigned i = 0; i < W * H && !is_new; i++)
                for (unsigned c = 0; c < 4; c++)
                    assert_int_equal(got[again][i][c], 0);
            /* other texels, so that only old and new tell */
            if (again)
                assert_int_equal(got[0][0][0] == 0, got[1][0][0] == 0);
            ctm_run_end(&t);
        }
    assert_true(olds > 20 && news > 20);
}

/* ---- random programs
 * ------------------------------------------------------------------------------------------------- Straight ones of
 * lookups, copies and predicates against a model of the semaphore: a list of what is under way. */

enum { TEMPS = 6, RANDOM_INPUTS = 3, LATE = 64 };

struct under_way {
    unsigned dst, mask;
    bool covered;
    uint8_t lanes[W * H]; /* channels of each processor */
    uint32_t value[W * H][4];
};

struct model {
    uint32_t temp[TEMPS][W * H][4];
    uint8_t pred[W * H];
    struct under_way late[LATE];
    unsigned count;
    const struct surface *in[RANDOM_INPUTS];
};

static void model_land(struct model *m, bool all)
{
    unsigned left = 0;
    for (unsigned n = 0; n < m->count; n++) {
        const struct under_way *u = &m->late[n];
        for (unsigned i = 0; i < W * H && (u->covered || all); i++)
            for (unsigned c = 0; c < 4; c++)
                if (u->lanes[i] >> c & 1)
                    m->temp[u->dst][i][c] = u->value[i][c];
        if (!u->covered && !all)
            m->late[left++] = *u;
    }
    m->count = left;
}

/* Who writes what: by the masks and the predicate. */
static uint8_t model_lanes(const struct model *m, const struct ctm_inst *inst, unsigned i, unsigned masks)
{
    uint8_t lanes = 0;
    for (unsigned c = 0; c < 4; c++) {
        unsigned sel = ctm_get(inst, c < 3 ? CTM_RGB_PRED_SEL : CTM_ALPHA_PRED_SEL);
        unsigned bit = sel == CTM_PRED_RGBA ? c : sel - CTM_PRED_RRRR;
        if (masks >> c & 1 && (sel == CTM_PRED_NONE || m->pred[i] >> bit & 1))
            lanes |= (uint8_t)(1u << c);
    }
    return lanes;
}

static void model_lookup(struct model *m, const struct ctm_inst *inst, bool immediate)
{
    struct under_way *u = &m->late[m->count++];
    const struct surface *s = m->in[ctm_get(inst, CTM_TEX_ID)];
    unsigned masks = ctm_get(inst, CTM_RGB_WMASK) | ctm_get(inst, CTM_ALPHA_WMASK) << 3;
    *u = (struct under_way){.dst = ctm_get(inst, CTM_DST_ADDR), .mask = masks};
    for (unsigned i = 0; i < W * H; i++) {
        const uint32_t *from = m->temp[ctm_get(inst, CTM_SRC_ADDR)][i];
        u->lanes[i] = model_lanes(m, inst, i, masks);
        texel_ref(s, floor_ref(float_of(from[0])), floor_ref(float_of(from[1])), u->value[i]);
    }
    if (immediate)
        model_land(m, true);
}

static void model_step(struct model *m, const struct ctm_inst *inst, bool immediate)
{
    if (ctm_get(inst, CTM_TEX_SEM_WAIT))
        model_land(m, false);
    if (ctm_get(inst, CTM_TYPE) == CTM_TYPE_TEX) {
        if (ctm_get(inst, CTM_TEX_INST) != CTM_TEX_NOP)
            model_lookup(m, inst, immediate);
        for (unsigned n = 0; n < m->count && ctm_get(inst, CTM_TEX_SEM_ACQUIRE); n++)
            m->late[n].covered = true;
        return;
    }
    unsigned masks = ctm_get(inst, CTM_RGB_WMASK) | ctm_get(inst, CTM_ALPHA_WMASK) << 3,
             src = ctm_get(inst, CTM_RGB_ADDR0);
    for (unsigned i = 0; i < W * H; i++) {
        uint8_t lanes = model_lanes(m, inst, i, masks);
        uint32_t from[4];
        memcpy(from, m->temp[src][i], sizeof from);
        for (unsigned c = 0; c < 4; c++) {
            if (lanes >> c & 1)
                m->temp[ctm_get(inst, CTM_RGB_ADDRD)][i][c] = from[c];
            if (ctm_get(inst, CTM_RGB_OMASK))
                m->pred[i] = (uint8_t)((m->pred[i] & ~(1u << c)) | (unsigned)(flush_ref(float_of(from[c])) < 0) << c);
        }
    }
}

/* A program of `count` instructions; `guarded`: what is used has been waited for. */
static void random_program(struct ctm_run *t, unsigned count, bool guarded)
{
    for (unsigned i = 0; i < count; i++) {
        struct ctm_inst inst;
        unsigned kind = below(8);
        if (kind < 4)
            inst = masked(tex(CTM_TEX_LOOKUP, below(TEMPS), below(RANDOM_INPUTS), below(TEMPS)),
                          below(3) ? WRITES_ALL : 1 + below(15));
        else if (kind == 4)
            inst = masked(tex(CTM_TEX_NOP, 0, 0, 0), 0);
        else if (kind == 5)
            inst = below_zero(below(TEMPS));
        else
            inst = copy_temp(below(TEMPS), below(TEMPS), 1 + below(15), NULL);
        if (kind != 5 && below(3) == 0)
            inst = with(with(inst, CTM_RGB_PRED_SEL, below(6)), CTM_ALPHA_PRED_SEL, below(6));
        if (guarded || below(3) == 0)
            inst = waits(inst);
        if (ctm_get(&inst, CTM_TYPE) == CTM_TYPE_TEX && (guarded || below(3) == 0))
            inst = with(inst, CTM_TEX_SEM_ACQUIRE, 1);
        ctm_run_add(t, inst);
    }
    for (unsigned i = 0; i < 4; i++)
        ctm_run_add(t, with(ctm_copy_out(i, i), CTM_TEX_SEM_WAIT, guarded || below(2)));
}

static void model_run(struct model *m, const struct ctm_run *t, bool immediate, uint32_t want[4][W * H][4])
{
    for (uint32_t pc = 0; pc < t->program.ninsts; pc++) {
        const struct ctm_inst *inst = &t->insts[pc];
        if (ctm_get(inst, CTM_TYPE) != CTM_TYPE_OUTPUT) {
            model_step(m, inst, immediate);
            continue;
        }
        if (ctm_get(inst, CTM_TEX_SEM_WAIT))
            model_land(m, false);
        memcpy(want[ctm_get(inst, CTM_RGB_TARGET)], m->temp[ctm_get(inst, CTM_RGB_ADDR0)], sizeof want[0]);
    }
}

static void model_begin(struct model *m)
{
    memset(m->temp, 0, sizeof m->temp);
    memset(m->pred, 0, sizeof m->pred);
    m->count = 0;
    for (unsigned i = 0; i < W * H; i++) {
        const float index[] = {(float)(i % W), (float)(i / W), 0, 1};
        memcpy(m->temp[0][i], index, sizeof index);
    }
}

static void random_programs(void **unused)
{
    (void)unused;
    static struct model m;
    for (unsigned i = 0; i < 1500; i++) {
        struct ctm_run t;
        struct surface *out[4];
        bool guarded = i % 4 == 0;
        rnd_state = i;
        ctm_run_begin(&t);
        for (unsigned k = 0; k < 4; k++)
            out[k] = ctm_run_surface(&t, CTM_PARAM_OUTPUTS + 8 * k, "rgba32float", W, H);
        for (unsigned k = 0; k < RANDOM_INPUTS; k++) {
            struct surface *s = input_make(&t, k, "rgba32float", "pitch", 4, 4, false);
            float texels[16][4];
            for (unsigned n = 0; n < 64; n++)
                texels[n / 4][n % 4] = (float)((int)below(9) - 4);
            assert_true(surface_upload(s, texels, sizeof texels, NULL));
            m.in[k] = s;
        }
        random_program(&t, 2 + below(24), guarded);
        for (unsigned mode = 0; mode < (guarded ? 3 : 2); mode++) {
            uint32_t want[4][W * H][4], got[W * H][4], program = t.program.ninsts;
            t.tex_write = (enum ctm_tex_write)mode;
            t.launch.seed = i;
            model_begin(&m);
            model_run(&m, &t, mode == CTM_TEX_IMMEDIATE, want);
            go(&t);
            for (unsigned k = 0; k < 4; k++) {
                ctm_run_texels(out[k], got);
                if (memcmp(got, want[k], sizeof got))
                    fail_msg("program %u, mode %u, output %u", i, mode, k);
            }
            ctm_run_again(&t);
            t.program.ninsts = program;
        }
        ctm_run_end(&t);
    }
}

/* ---- uncached writes
 * -------------------------------------------------------------------------------------------------- */

/* r1 of each processor is (value, x, y, 0). */
static void uncached_make(struct ctm_run *t, float places[W * H][4], struct surface **out)
{
    ctm_run_begin(t);
    t->program.info[CTM_INFO_UMRT] = 1;
    *out = ctm_run_surface(t, CTM_PARAM_OUTPUTS, "r32float", 16, 16);
    for (unsigned i = 0; i < W * H; i++) {
        places[i][0] = (float)(i + 100);
        places[i][1] = (float)(i * 5 % 16) + (float)below(4) / 4;
        places[i][2] = (float)(i / 2);
        places[i][3] = 0;
    }
    places[3][1] = -1; /* outside: dropped */
    places[4][2] = NAN;
    places[5][2] = 16;
    places_make(t, (const float(*)[4])places);
    load_places(t);
}

static void uncached_writes_reach_memory(void **unused)
{
    (void)unused;
    for (unsigned mode = 0; mode < 3; mode++) {
        struct ctm_run t;
        struct surface *out;
        float places[W * H][4], got[16][16], want[16][16] = {{0}};
        uncached_make(&t, places, &out);
        t.tex_write = (enum ctm_tex_write)mode;
        t.launch.grid[0] = W - 1; /* who is not in the domain writes nothing */
        ctm_run_add(&t, waits(send(1, false)));
        go(&t);
        ctm_run_texels(out, got);
        for (unsigned i = 0; i < W * H; i++) {
            int32_t x = floor_ref(places[i][1]), y = floor_ref(places[i][2]);
            if (x >= 0 && x < 16 && y >= 0 && y < 16 && i % W != W - 1)
                want[y][x] = places[i][0];
        }
        assert_memory_equal(got, want, sizeof got);
        ctm_run_end(&t);
    }
}

/* What each processor reads back at the place that it wrote to; 0 if it does not see it. */
static void read_back(unsigned mode, uint32_t seed, bool acquire, bool wait, float seen[W * H])
{
    struct ctm_run t;
    struct surface *out;
    float places[W * H][4], got[16][16];
    uncached_make(&t, places, &out);
    t.tex_write = (enum ctm_tex_write)mode;
    t.launch.seed = seed;
    memcpy(t.params + CTM_PARAM_INPUTS, &out->handle, 8); /* input 0 is output 0 */
    static const uint8_t swizzle[] = {CTM_SWIZ_R, CTM_SWIZ_G, CTM_SWIZ_B, CTM_SWIZ_A};
    struct ctm_inst look = tex(CTM_TEX_UNCACHED, 2, 0, 1);
    look = with(with(look, CTM_SRC_S_SWIZ, G), CTM_SRC_T_SWIZ, B);
    look = with(look, CTM_TEX_SEM_ACQUIRE, 1);
    ctm_run_add(&t, waits(send(1, acquire)));
    ctm_run_add(&t, wait ? waits(look) : look);
    ctm_run_add(&t, copy_temp(3, 1, WRITES_ALL, swizzle));
    /* what was seen goes to row 15, each processor at its own place */
    ctm_run_add(&t, waits(copy_temp(4, 2, 1, NULL)));
    static const uint8_t index[] = {CTM_SWIZ_R, CTM_SWIZ_R, CTM_SWIZ_G, CTM_SWIZ_ZERO};
    ctm_run_add(&t, copy_temp(4, 0, 6, index));
    struct surface *second = input_make(&t, 9, "r32float", "pitch", W, H, false);
    (void)second;
    ctm_run_add(&t, ctm_copy_out(0, 0));
    t.insts[t.program.ninsts - 1] = send(4, false);
    go(&t);
    ctm_run_texels(out, got);
    for (unsigned i = 0; i < W * H; i++)
        seen[i] = got[i / W][i % W];
    ctm_run_end(&t);
}

static void uncached_reads_see_what_was_waited_for(void **unused)
{
    (void)unused;
    float seen[W * H], other[W * H];
    unsigned hidden = 0, shown = 0;
    for (unsigned mode = 0; mode < 3; mode++) {
        read_back(mode, mode, true, true, seen);
        assert_true(seen[9] == 109 && seen[20] == 120);
    }
    read_back(CTM_TEX_DEFERRED, 0, false, true, seen); /* nothing covers the write */
    assert_true(seen[9] == 0 && seen[20] == 0);
    read_back(CTM_TEX_DEFERRED, 0, true, false, seen);
    assert_true(seen[9] == 0);
    read_back(CTM_TEX_IMMEDIATE, 0, false, false, seen);
    assert_true(seen[9] == 109);
    for (uint32_t seed = 0; seed < 30; seed++) {
        read_back(CTM_TEX_SEEDED, seed, false, true, seen);
        read_back(CTM_TEX_SEEDED, seed, false, true, other);
        assert_memory_equal(seen, other, sizeof seen);
        hidden += seen[9] == 0;
        shown += seen[9] == 109;
    }
    assert_true(hidden > 5 && shown > 5 && hidden + shown == 30);
}

/* A lookup at the index pair itself finds what one at its floats finds, where floats do not hold it, too. */
static void index_pairs_are_places(void **state)
{
    static const uint32_t firsts[] = {0, 5, (1 << 23) - 8, (1 << 24) - 8, 1 << 24, (1 << 24) + 1};
    enum { WIDE = (1 << 24) + 40, PAIRS = 16 };
    (void)state;
    for (unsigned n = 0; n < sizeof firsts / sizeof *firsts; n++) {
        static struct ctm_run t;
        ctm_run_begin(&t);
        struct surface *in = ctm_run_surface(&t, CTM_PARAM_INPUTS, "r32float", WIDE, 1), *out[2];
        for (unsigned o = 0; o < 2; o++)
            out[o] = ctm_run_surface(&t, CTM_PARAM_OUTPUTS + 8 * o, "r32float", WIDE, 1);
        for (uint32_t x = firsts[n] < 4 ? 0 : firsts[n] - 4; x < firsts[n] + PAIRS + 4; x++)
            memcpy(in->texels + 4 * (size_t)x, &x, 4);
        ctm_run_add(&t, copy_temp(2, 0, WRITES_ALL, NULL));
        ctm_run_add(&t, acquires(tex(CTM_TEX_LOOKUP, 1, 0, 0)));
        ctm_run_add(&t, acquires(tex(CTM_TEX_LOOKUP, 3, 0, 2)));
        ctm_run_add(&t, waits(ctm_copy_out(1, 0)));
        ctm_run_add(&t, ctm_copy_out(3, 1));
        ctm_run_u32(&t, CTM_PARAM_DOMAIN, firsts[n]);
        t.launch.grid[0] = PAIRS;
        t.launch.grid[1] = CTM_BLOCK_Y;
        go(&t);
        for (uint32_t x = firsts[n]; x < firsts[n] + PAIRS; x++) {
            uint32_t want = (uint32_t)(float)x, got[2];
            for (unsigned o = 0; o < 2; o++)
                memcpy(&got[o], out[o]->texels + 4 * (size_t)x, 4);
            if (got[0] != want || got[1] != want)
                fail_msg("(%u, 0): %u and %u, not %u", x, got[0], got[1], want);
        }
        ctm_run_end(&t);
    }
}

/* A lookup at r0 is another one once r0 has changed: r1.r = s0 at (i, j), r0.rg = r0.gr, r1.g = s0 at (j, i). */
static void places_change_with_the_register(void **state)
{
    static const uint8_t swapped[] = {G, R, B, A};
    static struct ctm_run t;
    float texels[H][W][4], values[W][W];
    (void)state;
    ctm_run_begin(&t);
    struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", W, H);
    struct surface *in = ctm_run_surface(&t, CTM_PARAM_INPUTS, "r32float", W, W);
    for (unsigned i = 0; i < W * W; i++)
        values[i / W][i % W] = (float)i;
    assert_true(surface_upload(in, values, sizeof values, NULL));
    struct ctm_inst look = tex(CTM_TEX_LOOKUP, 1, 0, 0);
    ctm_run_add(&t, acquires(masked(look, 1)));
    ctm_run_add(&t, waits(copy_temp(0, 0, 3, swapped)));
    ctm_run_add(&t, acquires(masked(with(look, CTM_DST_G_SWIZ, R), 2)));
    ctm_run_add(&t, waits(ctm_copy_out(1, 0)));
    go(&t);
    ctm_run_texels(out, texels);
    for (unsigned i = 0; i < W * H; i++) {
        assert_true(texels[i / W][i % W][0] == values[i / W][i % W]);
        assert_true(texels[i / W][i % W][1] == values[i % W][i / W]);
    }
    ctm_run_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups_give_what_surfaces_have),
        cmocka_unit_test(lookups_keep_bits),
        cmocka_unit_test(predicates_and_masks_hold),
        cmocka_unit_test(unbound_inputs_stop),
        cmocka_unit_test(the_guides_example),
        cmocka_unit_test(unguarded_results_come_late),
        cmocka_unit_test(seeds_show_a_missing_wait),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(uncached_writes_reach_memory),
        cmocka_unit_test(uncached_reads_see_what_was_waited_for),
        cmocka_unit_test(index_pairs_are_places),
        cmocka_unit_test(places_change_with_the_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
