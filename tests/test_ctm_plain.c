/* Straight programs are lowered twice: for plain launches, in which lookups at the index pair and whole constants are
 * made of integers, and for any (src/isa/ctm/plain.c). Both look up where floats say, by the interpreter and in
 * compiled code, whatever the constants, the domain, the formats. */
#include "ctm_tex.h"
#include "isa/ctm/family.h"

enum { WIDTH = 24, HEIGHT = 13, FAR = 60000, OUTPUTS = 4, ROUNDS = 60 };

static const char text[] = ".dpp main\n"
                           "    r1.rg = r0 + c0.rg_\n"
                           "    r2.rg = r1 - c1.rg_\n"
                           "    r3.rg = c2.rg_ + r0\n"
                           "    r4.r = r2.r + 0.5\n"
                           "    r4.g = r3.g - 0.25\n"
                           "    r4.r = r4.r + 0.5\n"
                           "    r5 = TEXLD(s0, r1) unscaled\n"
                           "    r6 = TEXLD(s0, r2) unscaled\n"
                           "    r7 = TEXLD(s0, r3) unscaled\n"
                           "    r8 = TEXLD(s0, r4) unscaled wait acquire\n"
                           "    out0 = r5 + 0 wait\n"
                           "    out1 = r6 + 0\n"
                           "    out2 = r7 + 0\n"
                           "    out3 = r8 + 0 last\n";

/* Whole numbers, and what is none or too large to be taken for one. */
static const float numbers[] = {0,       -0.0f,    1,           -1,       2,     -3,       7,
                                0.5f,    -0.25f,   0.99999994f, 65535,    65536, -70000,   1e-40f,
                                -1e-40f, 0x1p-30f, 1e9f,        -0x1p31f, NAN,   INFINITY, 0.75f};
static const float afar[] = {0, 1, -1, -59990, -60000, -60003, 0.25f};

static uint64_t random_state = 88172645463325252u;
static uint32_t draw(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(random_state >> 33) % n;
}

struct rig {
    struct ctm_run t;
    struct surface *in, *out[OUTPUTS];
    float c[3][2];
    uint32_t width, height, first[2];
};

static void open_rig(struct rig *r, const char *in, const char *const out[OUTPUTS], uint32_t width)
{
    static uint32_t texels[(FAR + WIDTH) * HEIGHT * 4];
    r->width = width;
    r->height = HEIGHT;
    ctm_run_begin(&r->t);
    if (!ctm_load(&r->t.arena, text, sizeof text - 1, &(struct atoll_module_options){.file = "main"}, NULL,
                  &r->t.program, &r->t.error))
        fail_msg("%s", r->t.error.message);
    r->in = ctm_run_surface(&r->t, CTM_PARAM_INPUTS, in, width, HEIGHT);
    for (unsigned i = 0; i < width * HEIGHT * 4; i++)
        texels[i] = 0x3f000000 + (i * 2654435761u >> 8);
    assert_true(surface_upload(r->in, texels, surface_packed_size(r->in), NULL));
    for (unsigned o = 0; o < OUTPUTS; o++)
        r->out[o] = ctm_run_surface(&r->t, CTM_PARAM_OUTPUTS + 8 * o, out[o], width, HEIGHT);
}

/* Constants most of which are whole, as those of programs are; where index pairs begin. */
static void draw_launch(struct rig *r)
{
    bool any = draw(3) == 0, far = r->width > FAR;
    const float *of = far ? afar : numbers;
    uint32_t count = any && !far ? sizeof numbers / sizeof *numbers : 7;
    for (unsigned i = 0; i < 6; i++) {
        r->c[i / 2][i % 2] = of[draw(i % 2 && far ? 3 : count)];
        ctm_run_u32(&r->t, CTM_PARAM_FLOATS + 16 * (i / 2) + 4 * (i % 2), bits_of(r->c[i / 2][i % 2]));
    }
    r->t.launch.grid[0] = draw(2) ? WIDTH : 1 + draw(WIDTH);
    r->t.launch.grid[1] = draw(2) ? HEIGHT - 1 : 1 + draw(HEIGHT);
    r->first[0] = far ? FAR - draw(3) : draw(3);
    r->first[1] = draw(3);
    ctm_run_u32(&r->t, CTM_PARAM_DOMAIN, r->first[0]);
    ctm_run_u32(&r->t, CTM_PARAM_DOMAIN + 4, r->first[1]);
}

/* Where the lookups are. */
static void places_ref(const struct rig *r, uint32_t i, uint32_t j, float at[OUTPUTS][2])
{
    float pair[2] = {(float)(i + r->first[0]), (float)(j + r->first[1])};
    for (unsigned a = 0; a < 2; a++) {
        at[0][a] = flush_ref(pair[a] + flush_ref(r->c[0][a]));
        at[1][a] = flush_ref(at[0][a] - flush_ref(r->c[1][a]));
        at[2][a] = flush_ref(flush_ref(r->c[2][a]) + pair[a]);
    }
    at[3][0] = flush_ref(flush_ref(at[1][0] + 0.5f) + 0.5f);
    at[3][1] = flush_ref(at[2][1] - 0.25f);
}

/* An output is written where its surface has the index pair. */
static void check(const struct rig *r)
{
    for (unsigned o = 0; o < OUTPUTS; o++)
        for (uint32_t n = 0; n < r->t.launch.grid[0] * r->t.launch.grid[1]; n++) {
            uint32_t i = n % r->t.launch.grid[0], j = n / r->t.launch.grid[0], want[4], got[4];
            uint32_t x = i + r->first[0], y = j + r->first[1];
            float at[OUTPUTS][2];
            if (x >= r->width || y >= r->height)
                continue;
            places_ref(r, i, j, at);
            texel_ref(r->in, floor_ref(at[o][0]), floor_ref(at[o][1]), want);
            format_load(r->out[o]->format,
                        r->out[o]->texels +
                            r->out[o]->layout->offset(r->out[o], (uint64_t)x * r->out[o]->format->bytes, y, 0),
                        got);
            for (unsigned c = 0; c < r->out[o]->format->channels; c++)
                if (want[c] != got[c])
                    fail_msg("output %u, channel %u at (%u, %u): %g, not %g", o, c, x, y, (double)float_of(got[c]),
                             (double)float_of(want[c]));
        }
}

static void run_rounds(const char *in, const char *const out[OUTPUTS], uint32_t width, unsigned rounds)
{
    static struct rig r;
    open_rig(&r, in, out, width);
    for (unsigned round = 0; round < rounds; round++) {
        draw_launch(&r);
        for (unsigned engine = ATOLL_ENGINE_INTERPRETER; engine <= ATOLL_ENGINE_JIT; engine++) {
            for (unsigned o = 0; o < OUTPUTS; o++)
                memset(r.out[o]->memory, 0x5a, r.out[o]->memory_size);
            r.t.launch.engine = (enum atoll_engine)engine;
            if (!ctm_run_go(&r.t))
                fail_msg("%s", r.t.error.message);
            check(&r);
        }
    }
    ctm_run_end(&r.t);
}

static void lookups_are_where_floats_say(void **state)
{
    static const char *const quads[] = {"rgba32float", "r32float", "rgba32float", "r32float"};
    static const char *const singles[] = {"r32float", "r32float", "rgba32float", "rg32float"};
    (void)state;
    run_rounds("rgba32float", quads, WIDTH, ROUNDS);
    run_rounds("r32float", singles, WIDTH, ROUNDS);
    run_rounds("rgba8unorm", quads, WIDTH, ROUNDS);
    run_rounds("r16unorm", singles, WIDTH, ROUNDS);
    run_rounds("r32float", singles, FAR + WIDTH, ROUNDS / 4);
}

/* A surface that is not bound is told, in a launch that is plain but for that. */
static void unbound_surfaces_trap(void **state)
{
    static const char *const quads[] = {"rgba32float", "rgba32float", "rgba32float", "rgba32float"};
    static const uint64_t no = 0;
    static struct rig r;
    (void)state;
    for (unsigned which = 0; which < 2; which++) {
        open_rig(&r, "rgba32float", quads, WIDTH);
        memcpy(r.t.params + (which ? CTM_PARAM_OUTPUTS + 8 : CTM_PARAM_INPUTS), &no, sizeof no);
        assert_false(ctm_run_go(&r.t));
        assert_non_null(strstr(r.t.error.message, which ? "out1 is not bound" : "in0 is not bound"));
        ctm_run_end(&r.t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups_are_where_floats_say),
        cmocka_unit_test(unbound_surfaces_trap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
