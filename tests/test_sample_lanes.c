/* Lane programs that sample: operands of each mode, destinations that are absent, lanes with surfaces and samplers of
 * their own, guards, and the traps of handles and samplers that stand for nothing. */
#include "lanes_run.h"

#include "base/half.h"
#include "base/text.h"
#include "mem/sampler.h"

enum { ROW = 7, IMAGE = 8 };

struct rig {
    struct lanes t;
    struct surface *row, *image;
};

static struct surface *add(struct rig *r, struct surface_shape shape, uint32_t handle)
{
    struct surface *s;
    shape.format = format_find("r32float");
    shape.layout = layout_find("block-linear");
    assert_true(surface_make(&shape, &s, NULL) && device_add_surface(r->t.device, s, handle, NULL));
    for (uint32_t level = 0; level < s->shape.levels; level++) {
        struct surface view;
        float texels[64];
        assert_true(surface_view(s, level, &view, NULL) && surface_packed_size(&view) <= sizeof texels);
        for (uint32_t i = 0; i < 64; i++)
            texels[i] = (float)(i + 100 * level);
        assert_true(surface_upload(&view, texels, surface_packed_size(&view), NULL));
    }
    return s;
}

/* The halves of a sampler as the text form has them. */
static void halves(struct sampler_state state, unsigned long long half[2])
{
    memcpy(half, &state, sizeof state);
}

/* Surface ROW: 8 texels 0 to 7. IMAGE: 8 x 4 texels 0 to 31, level 1: 100 to 107, level 2: 200, 201. In the body
 * $1 and $2 are the halves of a sampler, $3 and $4 those of a linear one with levels that compares by <
 * and repeats. */
static void open(struct rig *r, const char *body)
{
    unsigned long long a[2], b[2];
    struct text text = {0};
    halves((struct sampler_state){.bound = 1, .wrap = {SAMPLER_EDGE, SAMPLER_EDGE, SAMPLER_EDGE}}, a);
    halves(
        (struct sampler_state){
            .bound = 1, .filter = SAMPLER_LINEAR, .mip = SAMPLER_MIP_NEAREST, .normalized = 1, .compare = SAMPLER_LESS},
        b);
    const unsigned long long values[4] = {a[0], a[1], b[0], b[1]};
    for (const char *p = body; *p; p++)
        if (*p == '$')
            text_printf(&text, "0x%llx", values[*++p - '1']);
        else
            text_add(&text, p, 1);
    text_add(&text, "", 1);
    assert_true(text_ok(&text));
    lanes_open(&r->t, text.bytes);
    text_free(&text);
    r->row = add(r, (struct surface_shape){.dim = LANE_DIM_1D, .width = 8}, ROW);
    r->image = add(r, (struct surface_shape){.dim = LANE_DIM_2D, .width = 8, .height = 4, .levels = 3}, IMAGE);
}

static void close(struct rig *r)
{
    lanes_close(&r->t);
    surface_destroy(r->row);
    surface_destroy(r->image);
}

static void must_run(struct rig *r)
{
    if (!lanes_run(&r->t, ATOLL_POLICY_FRONTIER))
        fail_msg("%s", r->t.error.message);
}

static void is(const struct rig *r, unsigned lane, float want)
{
    if (r->t.words[lane] != f32_bits(want))
        fail_msg("lane %u: %g, wanted %g", lane, (double)f32_from_bits(r->t.words[lane]), (double)want);
}

static void lanes_have_coordinates_of_their_own(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r2 = cvt.f32.u32 r0\n"
             "p0 = setp.ne.u32 r0, 3\n"
             "r3 = mov.b32 0x40a00000\n"
             "@p0 r3, _, _, r4 = sample.lod 7, $1, $2, r2, 0, 0, 0, #0\n"
             "st.global.b32 [rd0], r3\nst.global.b32 [rd0+128], r4\nexit");
    must_run(&r);
    for (unsigned lane = 0; lane < 32; lane++) {
        is(&r, lane, lane == 3 ? 5 : lane < 8 ? (float)lane : 7);
        assert_int_equal(r.t.words[32 + lane], lane == 3 ? 0 : f32_bits(1));
    }
    close(&r);
}

/* Even lanes: the row, texels; odd lanes: the image, linear, level 2. */
static void lanes_have_surfaces_and_samplers_of_their_own(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r2 = and.b32 r0, 1\n"
             "p0 = setp.eq.u32 r2, 0\n"
             "rd1 = selp.b64 7, 8, p0\n"
             "rd2 = selp.b64 $1, $3, p0\n"
             "rd3 = selp.b64 $2, $4, p0\n"
             "r2 = selp.b32 0x40000000, 0x3f000000, p0\n" /* 2.0, 0.5 */
             "r3, _, _, _ = sample.lod rd1, rd2, rd3, r2, r2, 0, 0x40000000, #0\n"
             "st.global.b32 [rd0], r3\nexit");
    must_run(&r);
    for (unsigned lane = 0; lane < 32; lane++)
        is(&r, lane, lane & 1 ? 200.5f : 2);
    close(&r);
}

/* Offsets: u + 1 and v - 1; 1 and -1 in two places: 0x1f0. */
static void operands_of_the_modes(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "p1 = setp.eq.u32 r0, 0\np2 = setp.eq.u32 r0, 1\np3 = setp.eq.u32 r0, 2\np4 = setp.eq.u32 r0, 3\n"
             "@p1 r3, _, _, _ = sample.lod 8, $1, $2, 0x40000000, 0x40000000, 0, 0, #496\n"
             /* a step of 2 texels down: level 1; in its middle */
             "@p2 r3, _, _, _ = sample.grad 8, $3, $4, 0x3f000000, 0x3f000000, 0, 0, 0, 0x3f000000, 0, 0, 0, #0\n"
             /* 3 < 2 1/2 of the 4 texels at the corner of 9, 10, 17, 18 + offsets of 1 and -1 */
             "@p3 _, r3, _, _ = sample.gather 8, $1, $2, 0x40000000, 0x40000000, 0, 65, 63, #0\n"
             "@p4 _, _, _, r3 = sample.gather_c 8, $3, $4, 0x3e800000, 0x3f000000, 0, 0, 0, 0x41080000, #0\n"
             "st.global.b32 [rd0], r3\nexit");
    must_run(&r);
    is(&r, 0, 11);     /* (3, 1) */
    is(&r, 1, 103.5f); /* of 4 x 2 texels */
    is(&r, 2, 11);     /* (3, 1) of the square from (2, 0) */
    is(&r, 3, 1);      /* 8.5 < texel (1, 1) = 9 */
    close(&r);
}

static void comparisons_and_gradients(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "p1 = setp.eq.u32 r0, 0\np2 = setp.eq.u32 r0, 1\np3 = setp.eq.u32 r0, 2\n"
             "@p1 _, _, r3, _ = sample.lod_c 8, $3, $4, 0x3e800000, 0x3f000000, 0, 0, 0x41180000, #0\n"
             "@p2 r3, _, _, _ = sample.grad_c 8, $3, $4, 0x3f000000, 0x3f000000, 0, 0, 0x3f000000, 0, 0, 0, 0, "
             "0x43480000, #0\n"
             "@p3 r3 = suql.second 8, 1\n"
             "st.global.b32 [rd0], r3\nexit");
    must_run(&r);
    is(&r, 0, 0.75f); /* 9.5 < 9, 10, 17, 18 */
    is(&r, 1, 0.5f);  /* 4 texels along y: level 2 has 200 and 201; 200 < 201 */
    assert_int_equal(r.t.words[2], 2);
    close(&r);
}

static void traps(void **state)
{
    (void)state;
    static const struct {
        const char *body, *cause, *says;
    } tried[] = {
        {"r3, _, _, _ = sample.lod 0, $1, $2, 0, 0, 0, 0, #0\nexit", "null", "not the handle of a surface"},
        {"r3, _, _, _ = sample.lod 99, $1, $2, 0, 0, 0, 0, #0\nexit", "bad-handle", "the last is 8"},
        {"r3, _, _, _ = sample.lod 0xffffffffffff, $1, 0, 0, 0, 0, 0, #0\nexit", "bad-handle", "0xffffffffffff"},
        {"r3, _, _, _ = sample.lod 7, 0, 0, 0, 0, 0, 0, #0\nexit", "unbound-sampler", "no sampler is bound"},
        {"r3, _, _, _ = sample.lod 7, 0, 5, 0, 0, 0, 0, #0\nexit", "bad-sampler", "0x0000000000000005 is no sampler"},
        {"r3, _, _, _ = sample.gather 7, 2, 0, 0, 0, 0, 0, 0, #0\nexit", "bad-sampler", "is no sampler"},
        {"r3 = suql.first 3, 0\nexit", "bad-handle", "not the handle of a surface"},
    };
    for (unsigned n = 0; n < sizeof tried / sizeof *tried; n++) {
        struct rig r;
        open(&r, tried[n].body);
        assert_false(lanes_run(&r.t, ATOLL_POLICY_FRONTIER));
        assert_string_equal(r.t.trap.cause, tried[n].cause);
        if (!strstr(r.t.error.message, tried[n].says))
            fail_msg("'%s' does not say '%s'", r.t.error.message, tried[n].says);
        close(&r);
    }
}

/* A reduction that the host thread holds back is seen by the sample after it. */
static void held_reductions_come_first(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "sured.add.1d.trap.byte.u32 7, 0:32, 1:32\n"
             "r3, _, _, _ = sample.lod 7, $1, $2, 0, 0, 0, 0, #0\n"
             "st.global.b32 [rd0], r3\nexit");
    must_run(&r);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(r.t.words[lane], 32);
    close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_have_coordinates_of_their_own),
        cmocka_unit_test(lanes_have_surfaces_and_samplers_of_their_own),
        cmocka_unit_test(operands_of_the_modes),
        cmocka_unit_test(comparisons_and_gradients),
        cmocka_unit_test(traps),
        cmocka_unit_test(held_reductions_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
