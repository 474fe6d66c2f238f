/* Sampling: every wrap mode, filter and geometry against the formulas of the OpenCL C specification ("Image Addressing
 * and Filtering"), written here as they are there; levels, borders, comparison, gathers and odd numbers by hand. */
#include "mem/sampler.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"

/* ---- surfaces and questions ------------------------------------------------------------------------------ */

static struct surface *make(struct surface_shape shape, const char *format)
{
    struct surface *s;
    shape.format = format_find(format);
    shape.layout = layout_find("block-linear");
    assert_true(surface_make(&shape, &s, NULL));
    return s;
}

/* What the test puts at a texel of a level: small integers in no order. */
static float value(uint32_t level, uint32_t x, uint32_t y, uint32_t z)
{
    return (float)((x * 37 + y * 101 + z * 59 + level * 1000 + 11) % 251 + level * 300);
}

static void fill(struct surface *s)
{
    for (uint32_t level = 0; level < s->shape.levels; level++) {
        struct surface view;
        assert_true(surface_view(s, level, &view, NULL));
        for (uint32_t z = 0; z < view.slices; z++)
            for (uint32_t y = 0; y < view.height; y++)
                for (uint32_t x = 0; x < view.width; x++) {
                    float texel = value(level, x, y, z);
                    memcpy(view.texels + view.layout->offset(&view, x * 4, y, z), &texel, 4);
                }
    }
}

static struct surface *make_filled(struct surface_shape shape)
{
    struct surface *s = make(shape, "r32float");
    fill(s);
    return s;
}

static const struct sampler_state plain = {.bound = 1, .wrap = {SAMPLER_EDGE, SAMPLER_EDGE, SAMPLER_EDGE}};

static void ask(const struct surface *s, struct sampler_state state, struct sample sample, uint32_t rgba[4])
{
    assert_true(sampler_valid(&state));
    sampler_sample(s, &state, &sample, rgba);
}

static float ask_r(const struct surface *s, struct sampler_state state, struct sample sample)
{
    uint32_t rgba[4];
    ask(s, state, sample, rgba);
    if (s->format->channels == 1 && sample.mode != LANE_SAMPLE_GATHER && !sampler_compares(sample.mode)) {
        assert_int_equal(rgba[1], 0);
        assert_int_equal(rgba[2], 0);
    }
    return f32_from_bits(rgba[0]);
}

static void is(const char *what, float got, double want)
{
    if (!(fabs(got - want) <= 1e-4))
        fail_msg("%s: %g, wanted %g", what, (double)got, want);
}

/* ---- the reference --------------------------------------------------------------------------------------- */

/* The texels i0 and i1 of one coordinate and the fraction a; outside: -1 or size. */
struct axis {
    int i0, i1;
    double a;
};

static int between(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

/* u: the coordinate in texels; size: the image's. Where it repeats, the formulas are those of s = u / size, times size.
 */
static struct axis reference_axis(enum sampler_wrap wrap, bool linear, double u, int size)
{
    double s = u / size, half = linear ? 0.5 : 0;
    if (wrap == SAMPLER_REPEAT) {
        u = u - floor(s) * size;
    } else if (wrap == SAMPLER_MIRROR) {
        u = fabs(u - 2 * rint(0.5 * s) * size);
    } else if (wrap == SAMPLER_MIRROR_ONCE) {
        u = fabs(u);
    }
    struct axis r = {.a = u - half - floor(u - half)};
    r.i0 = (int)floor(u - half);
    r.i1 = r.i0 + 1;
    switch (wrap) {
    case SAMPLER_REPEAT:
        r.i0 = r.i0 < 0 ? r.i0 + size : r.i0 > size - 1 ? r.i0 - size : r.i0;
        r.i1 = r.i1 > size - 1 ? r.i1 - size : r.i1;
        break;
    case SAMPLER_BORDER:
        r.i0 = between(r.i0, -1, size);
        r.i1 = between(r.i1, -1, size);
        break;
    default:
        r.i0 = between(r.i0, 0, size - 1);
        r.i1 = between(r.i1, 0, size - 1);
    }
    if (!linear) {
        r.i1 = r.i0;
        r.a = 0;
    }
    return r;
}

/* Border 0. */
static double reference_texel(const struct surface *s, int x, int y, int z)
{
    bool out = x < 0 || y < 0 || z < 0 || x >= (int)s->width || y >= (int)s->height || z >= (int)s->slices;
    return out ? 0 : value(0, (uint32_t)x, (uint32_t)y, (uint32_t)z);
}

static double reference(const struct surface *s, const struct sampler_state *state, const double coord[3])
{
    bool linear = state->filter == SAMPLER_LINEAR;
    struct axis none = {0, 0, 0}, axis[3] = {none, none, none};
    axis[0] = reference_axis(state->wrap[0], linear, coord[0], (int)s->width);
    if (lane_has_axis(s->dim, LANE_AXIS_ROW))
        axis[1] = reference_axis(state->wrap[1], linear, coord[1], (int)s->height);
    if (lane_has_axis(s->dim, LANE_AXIS_SLICE))
        axis[2] = reference_axis(state->wrap[2], linear, coord[2], (int)s->depth);
    if (lane_has_axis(s->dim, LANE_AXIS_LAYER)) {
        int layer = between((int)rint(coord[s->dim == LANE_DIM_1D_ARRAY ? 1 : 2]), 0, (int)s->layers - 1);
        axis[2].i0 = axis[2].i1 = layer;
    }
    double sum = 0;
    for (unsigned n = 0; n < 8; n++) {
        double weight = (n & 1 ? axis[0].a : 1 - axis[0].a) * (n & 2 ? axis[1].a : 1 - axis[1].a) *
                        (n & 4 ? axis[2].a : 1 - axis[2].a);
        sum += weight * reference_texel(s, n & 1 ? axis[0].i1 : axis[0].i0, n & 2 ? axis[1].i1 : axis[1].i0,
                                        n & 4 ? axis[2].i1 : axis[2].i0);
    }
    return sum;
}

/* ---- against the reference ------------------------------------------------------------------------------- */

static const struct surface_shape shapes[] = {
    {.dim = LANE_DIM_1D, .width = 5},
    {.dim = LANE_DIM_1D_ARRAY, .width = 4, .layers = 3},
    {.dim = LANE_DIM_2D, .width = 4, .height = 3},
    {.dim = LANE_DIM_2D_ARRAY, .width = 3, .height = 4, .layers = 3},
    {.dim = LANE_DIM_3D, .width = 4, .height = 5, .depth = 3},
    {.dim = LANE_DIM_2D, .width = 1, .height = 1},
};

/* Coordinates in texels of coordinate k, from -2.5 sizes to 3.5 sizes; multiples of 1/16, on edges and between them. */
static double texels_of(const struct surface *s, unsigned k, uint32_t *random)
{
    const uint32_t sizes[3] = {s->width, s->dim == LANE_DIM_1D_ARRAY ? s->layers : s->height, s->slices};
    *random = *random * 1664525 + 1013904223;
    uint32_t range = sizes[k] * 6 * 16;
    return ((double)(*random >> 8) - floor((double)(*random >> 8) / range) * range) / 16 - 2.5 * sizes[k];
}

static void check_point(const struct surface *s, const struct sampler_state *state, uint32_t *random)
{
    const double size[3] = {s->width, s->dim == LANE_DIM_1D_ARRAY ? 1 : s->height,
                            s->dim == LANE_DIM_2D_ARRAY ? 1 : s->slices};
    struct sample sample = {.mode = LANE_SAMPLE_LOD};
    double coord[3];
    for (unsigned k = 0; k < 3; k++) {
        double texels = texels_of(s, k, random);
        bool layer = k > 0 && lane_geometries[s->dim].axes[k - 1] == LANE_AXIS_LAYER;
        sample.coord[k] = (float)(state->normalized && !layer ? texels / size[k] : texels);
        coord[k] = state->normalized && !layer ? sample.coord[k] * size[k] : texels;
    }
    float got = ask_r(s, *state, sample);
    double want = reference(s, state, coord);
    if (!(fabs(got - want) <= 1e-2))
        fail_msg("%s of %u x %u, filter %u, wrap %u %u %u, normalised %u, at %g %g %g: %g, wanted %g",
                 lane_geometries[s->dim].name, s->width, s->height, state->filter, state->wrap[0], state->wrap[1],
                 state->wrap[2], state->normalized, (double)sample.coord[0], (double)sample.coord[1],
                 (double)sample.coord[2], (double)got, want);
}

static void all_modes_follow_the_formulas(void **unused)
{
    (void)unused;
    uint32_t random = 1;
    for (unsigned n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        struct surface *s = make_filled(shapes[n]);
        for (unsigned mode = 0; mode < SAMPLER_WRAPS * SAMPLER_WRAPS * SAMPLER_WRAPS * 4; mode++) {
            struct sampler_state state = {.bound = 1, .filter = mode & 1, .normalized = mode >> 1 & 1};
            unsigned wraps = mode / 4;
            for (unsigned k = 0; k < 3; k++, wraps /= SAMPLER_WRAPS)
                state.wrap[k] = (uint8_t)(wraps % SAMPLER_WRAPS);
            for (unsigned point = 0; point < 40; point++)
                check_point(s, &state, &random);
        }
        surface_destroy(s);
    }
}

/* Texel -9 to 9 of a row of 3, written out. */
static void rows_of_texels(void **unused)
{
    (void)unused;
    static const char *const want[SAMPLER_WRAPS] = {
        [SAMPLER_REPEAT] = "abcabcabcabcabcabca",      [SAMPLER_MIRROR] = "cbaabccbaabccbaabcc",
        [SAMPLER_EDGE] = "aaaaaaaaaabcccccccc",        [SAMPLER_BORDER] = "---------abc-------",
        [SAMPLER_MIRROR_ONCE] = "cccccccbaabcccccccc",
    };
    struct surface *s = make((struct surface_shape){.dim = LANE_DIM_1D, .width = 3}, "r8uint");
    memcpy(s->texels, "abc", 3);
    for (uint8_t wrap = 0; wrap < SAMPLER_WRAPS; wrap++)
        for (int normalized = 0; normalized < 2; normalized++)
            for (int x = -9; x <= 9; x++)
                for (int part = 0; part < 3; part++) {
                    struct sampler_state state = {.bound = 1, .wrap = {wrap}, .normalized = (uint8_t)normalized};
                    float u = (float)x + 0.25f + 0.25f * (float)part;
                    struct sample sample = {.coord = {normalized ? u / 3 : u}};
                    uint32_t rgba[4];
                    ask(s, state, sample, rgba);
                    char letter = want[wrap][x + 9];
                    if (rgba[0] != (letter == '-' ? 0 : (uint32_t)letter))
                        fail_msg("wrap %u, normalised %d, %g: %u", wrap, normalized, (double)u, rgba[0]);
                    assert_int_equal(rgba[3], 1);
                }
    surface_destroy(s);
}

/* ---- by hand --------------------------------------------------------------------------------------------- */

static struct surface *row(const float *texels, uint32_t count)
{
    struct surface *s = make((struct surface_shape){.dim = LANE_DIM_1D, .width = count}, "r32float");
    assert_true(surface_upload(s, texels, count * 4, NULL));
    return s;
}

static void linear_by_hand(void **unused)
{
    (void)unused;
    struct surface *s = row((const float[]){10, 20, 40, 80}, 4);
    struct sampler_state state = plain;
    state.filter = SAMPLER_LINEAR;
    is("on a centre", ask_r(s, state, (struct sample){.coord = {1.5f}}), 20);
    is("on an edge", ask_r(s, state, (struct sample){.coord = {2}}), 30);
    is("a quarter", ask_r(s, state, (struct sample){.coord = {2.75f}}), 50);
    is("before the first", ask_r(s, state, (struct sample){.coord = {0.25f}}), 10);
    state.wrap[0] = SAMPLER_BORDER;
    is("half border", ask_r(s, state, (struct sample){.coord = {0}}), 5);
    state.border = SAMPLER_OPAQUE_WHITE;
    is("half white", ask_r(s, state, (struct sample){.coord = {4}}), 40.5);
    state.wrap[0] = SAMPLER_REPEAT;
    state.normalized = 1;
    is("around the end", ask_r(s, state, (struct sample){.coord = {1}}), 45);
    is("offset", ask_r(s, state, (struct sample){.coord = {0.625f}, .offset = {-2}}), 10);
    is("offset around", ask_r(s, state, (struct sample){.coord = {0.625f}, .offset = {7}}), 20);
    surface_destroy(s);
}

static void layers_round_to_even(void **unused)
{
    (void)unused;
    static const struct {
        float at;
        uint32_t layer;
    } tried[] = {{0.5f, 0},  {1.5f, 2},  {2.5f, 2}, {2.75f, 3},   {-1, 0},    {-0.0f, 0},
                 {3.25f, 3}, {1e30f, 4}, {4.5f, 4}, {1.4999f, 1}, {-1e30f, 0}};
    struct surface *one = make_filled((struct surface_shape){.dim = LANE_DIM_1D_ARRAY, .width = 2, .layers = 5});
    struct surface *two =
        make_filled((struct surface_shape){.dim = LANE_DIM_2D_ARRAY, .width = 2, .height = 2, .layers = 5});
    struct sampler_state state = plain;
    for (unsigned n = 0; n < sizeof tried / sizeof *tried; n++)
        for (state.normalized = 0; state.normalized < 2; state.normalized++)
            for (state.filter = 0; state.filter < SAMPLER_FILTERS; state.filter++) {
                is("1D array", ask_r(one, state, (struct sample){.coord = {0, tried[n].at}}),
                   value(0, 0, 0, tried[n].layer));
                is("2D array", ask_r(two, state, (struct sample){.coord = {0, 0, tried[n].at}}),
                   value(0, 0, 0, tried[n].layer));
            }
    is("NaN", ask_r(one, plain, (struct sample){.coord = {0, NAN}}), value(0, 0, 0, 0));
    surface_destroy(one);
    surface_destroy(two);
}

static void odd_coordinates(void **unused)
{
    (void)unused;
    struct surface *s = row((const float[]){10, 20, 40, 80}, 4);
    for (unsigned n = 0; n < 4; n++) {
        struct sampler_state state = plain;
        state.normalized = n & 1;
        state.filter = (uint8_t)(n >> 1);
        is("NaN is 0", ask_r(s, state, (struct sample){.coord = {NAN}}), 10);
        is("infinity", ask_r(s, state, (struct sample){.coord = {INFINITY}}), 80);
        is("-infinity", ask_r(s, state, (struct sample){.coord = {-INFINITY}}), 10);
        is("beyond integers", ask_r(s, state, (struct sample){.coord = {0x1p65f}}), 80);
        is("beyond integers, below", ask_r(s, state, (struct sample){.coord = {-0x1p65f}}), 10);
        is("largest", ask_r(s, state, (struct sample){.coord = {0x1.fffffep127f}}), 80);
        is("smallest", ask_r(s, state, (struct sample){.coord = {-0x1p-149f}}), 10);
        state.wrap[0] = SAMPLER_BORDER;
        is("far out", ask_r(s, state, (struct sample){.coord = {-3e38f}}), 0);
        is("infinity out", ask_r(s, state, (struct sample){.coord = {INFINITY}}), 0);
        state.wrap[0] = SAMPLER_REPEAT;
        state.filter = SAMPLER_NEAREST;
        is("an integer far away", ask_r(s, state, (struct sample){.coord = {0x1p100f}}), 10);
        is("infinity of a repeated row", ask_r(s, state, (struct sample){.coord = {INFINITY}}), 10);
        is("a little below 0 is the last", ask_r(s, state, (struct sample){.coord = {-0x1p-149f}}), 80);
        state.wrap[0] = SAMPLER_MIRROR;
        is("a little below 0, mirrored", ask_r(s, state, (struct sample){.coord = {-0x1p-149f}}), 10);
        is("an odd image", ask_r(s, state, (struct sample){.coord = {state.normalized ? 0x1.000002p23f : 4}}), 80);
    }
    surface_destroy(s);
}

/* Weights have all their bits: a normalised coordinate times 5 has more than a float. */
static void weights_are_not_rounded(void **unused)
{
    (void)unused;
    struct surface *s = row((const float[]){0, 0x1.8p20f, 0, 0, 0}, 5);
    struct sampler_state state = plain;
    state.filter = SAMPLER_LINEAR;
    state.normalized = 1;
    for (float u = 0.1001f; u < 0.29f; u += 0.0123f) {
        double weight = (double)u * 5 - 0.5;
        float got = ask_r(s, state, (struct sample){.coord = {u}});
        assert_int_equal(f32_bits(got), f32_bits((float)(weight * 0x1.8p20)));
    }
    surface_destroy(s);
}

/* What one texel is alone comes back as it is; what is mixed is rounded once, and a NaN is the canonical one. */
static void bits_of_texels(void **unused)
{
    (void)unused;
    static const uint32_t texels[] = {0x7fa00001, 0x80000000, 0x00000001, 0x3f800000, 0x33800000, 0x3f800000};
    struct surface *s = row((const float *)(const void *)texels, 6);
    struct sampler_state state = plain;
    uint32_t rgba[4];
    for (state.filter = 0; state.filter < SAMPLER_FILTERS; state.filter++)
        for (unsigned n = 0; n < 6; n++) {
            ask(s, state, (struct sample){.coord = {(float)n + 0.5f}}, rgba);
            assert_int_equal(rgba[0], texels[n]);
        }
    state.filter = SAMPLER_LINEAR;
    ask(s, state, (struct sample){.coord = {1}}, rgba);
    assert_int_equal(rgba[0], 0x7fffffff);
    assert_int_equal(rgba[3], 0x3f800000);
    /* (1 - 2^-21) * 1 + 2^-21 * 2^-24: a weight of 21 bits, one rounding */
    ask(s, state, (struct sample){.coord = {3.5f + 0x1p-21f}}, rgba);
    assert_int_equal(rgba[0], f32_bits((float)(1 - 0x1p-21 + 0x1p-45)));
    surface_destroy(s);
}

static void integers_are_not_mixed(void **unused)
{
    (void)unused;
    struct surface *s = make((struct surface_shape){.dim = LANE_DIM_1D, .width = 4}, "r16sint");
    assert_true(surface_upload(s, (const int16_t[]){-7, 100, 200, 300}, 8, NULL));
    struct sampler_state state = plain;
    uint32_t rgba[4];
    state.filter = SAMPLER_LINEAR;
    ask(s, state, (struct sample){.coord = {0.9f}}, rgba);
    assert_int_equal(rgba[0], (uint32_t)-7);
    assert_int_equal(rgba[3], 1);
    ask(s, state, (struct sample){.coord = {2}}, rgba);
    assert_int_equal(rgba[0], 200);
    surface_destroy(s);
    s = make((struct surface_shape){.dim = LANE_DIM_1D, .width = 4, .levels = 2}, "r8uint");
    memset(s->memory, 8, s->memory_size);
    memset(s->texels, 100, 4);
    state.normalized = 1;
    state.mip = SAMPLER_MIP_LINEAR;
    for (float lod = 0; lod < 1; lod += 0.25f) {
        ask(s, state, (struct sample){.coord = {0.4f}, .lod = lod}, rgba);
        assert_int_equal(rgba[0], lod > 0.5f ? 8 : 100);
    }
    surface_destroy(s);
}

static void borders(void **unused)
{
    (void)unused;
    static const struct {
        const char *format;
        uint8_t border;
        float want[4];
    } tried[] = {
        {"rgba8unorm", SAMPLER_ZERO, {0, 0, 0, 0}},         {"rgba8unorm", SAMPLER_OPAQUE_BLACK, {0, 0, 0, 1}},
        {"rgba8unorm", SAMPLER_OPAQUE_WHITE, {1, 1, 1, 1}}, {"bgra8unorm", SAMPLER_OPAQUE_BLACK, {0, 0, 0, 1}},
        {"r32float", SAMPLER_ZERO, {0, 0, 0, 1}},           {"rg16float", SAMPLER_OPAQUE_WHITE, {1, 1, 0, 1}},
        {"r11g11b10float", SAMPLER_ZERO, {0, 0, 0, 1}},     {"rgba16snorm", SAMPLER_OPAQUE_WHITE, {1, 1, 1, 1}},
    };
    uint32_t rgba[4];
    for (unsigned n = 0; n < sizeof tried / sizeof *tried; n++)
        for (uint8_t filter = 0; filter < SAMPLER_FILTERS; filter++) {
            struct surface *s =
                make((struct surface_shape){.dim = LANE_DIM_2D, .width = 2, .height = 2}, tried[n].format);
            struct sampler_state state = {
                .bound = 1, .filter = filter, .wrap = {SAMPLER_BORDER, SAMPLER_EDGE}, .border = tried[n].border};
            ask(s, state, (struct sample){.coord = {7, 1}}, rgba);
            for (unsigned c = 0; c < 4; c++)
                assert_int_equal(rgba[c], f32_bits(tried[n].want[c]));
            surface_destroy(s);
        }
    struct surface *s = make((struct surface_shape){.dim = LANE_DIM_1D, .width = 2}, "rg8uint");
    struct sampler_state state = {.bound = 1, .wrap = {SAMPLER_BORDER}, .border = SAMPLER_OPAQUE_WHITE};
    ask(s, state, (struct sample){.coord = {-1}}, rgba);
    assert_memory_equal(rgba, ((const uint32_t[]){1, 1, 0, 1}), sizeof rgba);
    surface_destroy(s);
}

static void disabled_and_missing(void **unused)
{
    (void)unused;
    struct surface *s = make((struct surface_shape){.dim = LANE_DIM_2D, .width = 512, .height = 64}, "r32uint");
    uint32_t rgba[4];
    memset(s->texels, 0x11, s->memory_size);
    assert_true(surface_reside(s, 1, 1, false, NULL));
    unsigned hidden = 0;
    for (int y = 0; y < 64; y += 5)
        for (int x = 0; x < 512; x += 9) {
            ask(s, plain, (struct sample){.coord = {(float)x, (float)y}}, rgba);
            bool missing = surface_missing(s, s->layout->offset(s, (uint64_t)x * 4, (uint32_t)y, 0));
            assert_int_equal(rgba[0], missing ? 0 : 0x11111111);
            assert_int_equal(rgba[3], !missing);
            hidden += missing;
        }
    assert_true(hidden > 0);
    surface_disable(s, true);
    ask(s, plain, (struct sample){.coord = {1, 1}}, rgba);
    assert_memory_equal(rgba, ((const uint32_t[4]){0}), sizeof rgba);
    surface_destroy(s);
}

/* ---- comparison and gathers ------------------------------------------------------------------------------ */

static void comparisons(void **unused)
{
    (void)unused;
    static const struct {
        enum sampler_compare compare;
        float below, same, above, nan; /* of a reference below, at and above the texel */
    } tried[] = {
        {SAMPLER_NEVER, 0, 0, 0, 0},         {SAMPLER_LESS, 1, 0, 0, 0},    {SAMPLER_EQUAL, 0, 1, 0, 0},
        {SAMPLER_LESS_EQUAL, 1, 1, 0, 0},    {SAMPLER_GREATER, 0, 0, 1, 0}, {SAMPLER_NOT_EQUAL, 1, 0, 1, 1},
        {SAMPLER_GREATER_EQUAL, 0, 1, 1, 0}, {SAMPLER_ALWAYS, 1, 1, 1, 1},
    };
    struct surface *s = row((const float[]){0.5f, 2}, 2);
    for (unsigned n = 0; n < sizeof tried / sizeof *tried; n++) {
        struct sampler_state state = plain;
        state.compare = (uint8_t)tried[n].compare;
        struct sample sample = {.mode = LANE_SAMPLE_LOD_C, .coord = {0.5f}};
        const float references[4] = {0.25f, 0.5f, 0.75f, NAN};
        const float want[4] = {tried[n].below, tried[n].same, tried[n].above, tried[n].nan};
        for (unsigned k = 0; k < 4; k++) {
            uint32_t rgba[4];
            sample.reference = references[k];
            ask(s, state, sample, rgba);
            for (unsigned c = 0; c < 4; c++)
                assert_int_equal(rgba[c], f32_bits(want[k]));
        }
    }
    struct sampler_state state = {
        .bound = 1, .filter = SAMPLER_LINEAR, .compare = SAMPLER_LESS, .wrap = {SAMPLER_BORDER}};
    struct sample sample = {.mode = LANE_SAMPLE_LOD_C, .coord = {1.25f}, .reference = 1};
    is("three quarters of 1 < 2", ask_r(s, state, sample), 0.75);
    sample.reference = 3;
    is("nothing is above 3", ask_r(s, state, sample), 0);
    sample.reference = -1;
    sample.coord[0] = -4;
    is("the border is compared", ask_r(s, state, sample), 1);
    surface_destroy(s);
}

/* The reference of a format between 0 and 1 is clamped to that; integers are compared as numbers, and mixed after. */
static void comparisons_by_format(void **unused)
{
    (void)unused;
    struct surface *s = make((struct surface_shape){.dim = LANE_DIM_1D, .width = 2}, "r8unorm");
    struct sampler_state state = plain;
    struct sample sample = {.mode = LANE_SAMPLE_LOD_C, .coord = {1.5f}, .reference = 2};
    memcpy(s->texels, "\x00\xff", 2);
    state.compare = SAMPLER_EQUAL;
    is("2 becomes 1", ask_r(s, state, sample), 1);
    sample.coord[0] = 0;
    sample.reference = -5;
    is("-5 becomes 0", ask_r(s, state, sample), 1);
    surface_destroy(s);
    s = make((struct surface_shape){.dim = LANE_DIM_1D, .width = 2}, "r32sint");
    assert_true(surface_upload(s, (const int32_t[]){-3, 16777217}, 8, NULL));
    state.compare = SAMPLER_GREATER;
    is("-2.5 > -3", ask_r(s, state, (struct sample){.mode = LANE_SAMPLE_LOD_C, .reference = -2.5f}), 1);
    state.filter = SAMPLER_LINEAR;
    sample = (struct sample){.mode = LANE_SAMPLE_LOD_C, .coord = {1.25f}, .reference = 16777216};
    is("mixed", ask_r(s, state, sample), 0.25);
    surface_destroy(s);
}

static void gathers(void **unused)
{
    (void)unused;
    struct surface *s = make((struct surface_shape){.dim = LANE_DIM_2D, .width = 2, .height = 2}, "rgba8uint");
    assert_true(surface_upload(s, "\1\2\3\4\5\6\7\10\21\22\23\24\25\26\27\30", 16, NULL));
    struct sampler_state state = plain; /* the filter does not matter */
    uint32_t rgba[4];
    for (state.filter = 0; state.filter < SAMPLER_FILTERS; state.filter++)
        for (uint8_t c = 0; c < 4; c++) {
            ask(s, state, (struct sample){.mode = LANE_SAMPLE_GATHER, .channel = c, .coord = {1, 1}}, rgba);
            assert_memory_equal(rgba, ((const uint32_t[]){17u + c, 21u + c, 5u + c, 1u + c}), sizeof rgba);
        }
    state = plain;
    state.wrap[0] = SAMPLER_BORDER;
    ask(s, state, (struct sample){.mode = LANE_SAMPLE_GATHER, .channel = 1, .coord = {2, 1}}, rgba);
    assert_memory_equal(rgba, ((const uint32_t[]){22, 0, 0, 6}), sizeof rgba);
    ask(s, state, (struct sample){.mode = LANE_SAMPLE_GATHER, .coord = {1, 1}, .offset = {-1, 1}}, rgba);
    assert_memory_equal(rgba, ((const uint32_t[]){0, 17, 17, 0}), sizeof rgba);
    state.compare = SAMPLER_GREATER;
    ask(s, state, (struct sample){.mode = LANE_SAMPLE_GATHER_C, .coord = {1, 1}, .reference = 6}, rgba);
    assert_memory_equal(rgba, ((const uint32_t[]){0, 0, 0x3f800000, 0x3f800000}), sizeof rgba);
    surface_destroy(s);
    s = row((const float[]){1, 2}, 2);
    ask(s, plain, (struct sample){.mode = LANE_SAMPLE_GATHER, .coord = {1}}, rgba);
    assert_memory_equal(rgba, ((const uint32_t[]){0x3f800000, 0x40000000, 0x40000000, 0x3f800000}), sizeof rgba);
    surface_destroy(s);
    s = make_filled((struct surface_shape){.dim = LANE_DIM_3D, .width = 2, .height = 2, .depth = 3});
    ask(s, plain, (struct sample){.mode = LANE_SAMPLE_GATHER, .coord = {1, 1, 1.25f}}, rgba);
    assert_int_equal(rgba[0], f32_bits(value(0, 0, 1, 1)));
    assert_int_equal(rgba[2], f32_bits(value(0, 1, 0, 1)));
    surface_destroy(s);
    assert_int_equal(sampler_gather_offset(31), 31);
    assert_int_equal(sampler_gather_offset(32), -32);
    assert_int_equal(sampler_gather_offset(UINT32_MAX), -1);
    assert_int_equal(sampler_gather_offset(0xffffff41), 1);
}

/* ---- levels ---------------------------------------------------------------------------------------------- */

/* Texel 0 of each level; the levels of a 16 x 8 surface are 16, 8, 4, 2 and 1 texels wide. */
static void levels_by_lod(void **unused)
{
    (void)unused;
    struct surface *s = make_filled((struct surface_shape){.dim = LANE_DIM_2D, .width = 16, .height = 8, .levels = 5});
    static const struct {
        float lod;
        uint32_t nearest;
        double linear;
    } tried[] = {{0, 0, 0},  {0.5f, 0, 0.5}, {0.75f, 1, 0.75}, {1, 1, 1},        {1.5f, 1, 1.5}, {9, 4, 4},
                 {-3, 0, 0}, {NAN, 0, 0},    {INFINITY, 4, 4}, {3.75f, 4, 3.75}, {4, 4, 4}};
    struct sampler_state state = plain;
    state.normalized = 1;
    for (unsigned n = 0; n < sizeof tried / sizeof *tried; n++) {
        struct sample sample = {.lod = tried[n].lod};
        uint32_t below = (uint32_t)tried[n].linear;
        double rest = tried[n].linear - below;
        state.mip = SAMPLER_MIP_NONE;
        is("none", ask_r(s, state, sample), value(0, 0, 0, 0));
        state.mip = SAMPLER_MIP_NEAREST;
        is("nearest", ask_r(s, state, sample), value(tried[n].nearest, 0, 0, 0));
        state.mip = SAMPLER_MIP_LINEAR;
        double want = (1 - rest) * value(below, 0, 0, 0) + (rest > 0 ? rest * value(below + 1, 0, 0, 0) : 0);
        is("linear", ask_r(s, state, sample), want);
        state.normalized = 0;
        is("texels are those of level 0", ask_r(s, state, sample), value(0, 0, 0, 0));
        state.normalized = 1;
    }
    struct sample gather = {.mode = LANE_SAMPLE_GATHER, .lod = 3};
    is("gathers read level 0", ask_r(s, state, gather), value(0, 0, 0, 0));
    state.mip = SAMPLER_MIP_NEAREST;
    is("the middle of level 2", ask_r(s, state, (struct sample){.lod = 2, .coord = {0.6f, 0.6f}}), value(2, 2, 1, 0));
    surface_destroy(s);
}

/* Levels are counted from the one that the surface names. */
static void levels_of_a_view(void **unused)
{
    (void)unused;
    struct surface *s = make_filled((struct surface_shape){.dim = LANE_DIM_2D, .width = 16, .height = 8, .levels = 5});
    struct surface view;
    struct sampler_state state = plain;
    state.normalized = 1;
    state.mip = SAMPLER_MIP_NEAREST;
    assert_true(surface_view(s, 2, &view, NULL));
    for (uint32_t lod = 0; lod < 5; lod++)
        is("level", ask_r(&view, state, (struct sample){.lod = (float)lod}), value(lod < 3 ? lod + 2 : 4, 0, 0, 0));
    assert_int_equal(surface_level_query(&view, LANE_SUQL_FIRST, 1), 2);
    assert_int_equal(surface_level_query(&view, LANE_SUQL_SECOND, 2), 1);
    assert_int_equal(surface_level_query(&view, LANE_SUQL_FIRST, 3), 0);
    assert_int_equal(surface_level_query(&view, LANE_SUQL_LEVELS, 9), 3);
    surface_destroy(s);
}

static void levels_by_gradients(void **unused)
{
    (void)unused;
    struct surface *s = make_filled((struct surface_shape){.dim = LANE_DIM_2D, .width = 16, .height = 8, .levels = 5});
    struct sampler_state state = plain;
    state.normalized = 1;
    state.mip = SAMPLER_MIP_LINEAR;
    static const struct {
        float gradient[3][2];
        double lod;
    } tried[] = {
        {{{0, 0}, {0, 0}}, 0},
        {{{1.0f / 16, 0}, {0, 0}}, 0},
        {{{2.0f / 16, 0}, {0, 0}}, 1},                      /* 2 texels */
        {{{0, 0}, {-4.0f / 8, 1.0f / 8}}, 2},               /* 4 texels down */
        {{{3.0f / 16, 2.0f / 16}, {4.0f / 8, 0}}, 2.32192}, /* 5 texels: 3 and 4 */
        {{{2.0f / 16, 3.0f / 16}, {0, 0}}, 1.58496},        /* log2(3) */
        {{{100, 0}, {0, 0}}, 4},
        {{{INFINITY, 0}, {0, 0}}, 4},
        {{{NAN, 0}, {1, 0}}, 0},
        {{{0x1p-149f, 0}, {0, 0}}, 0},
        {{{0, 0}, {0, 0}, {50, 50}}, 0}, /* there is no third coordinate */
    };
    for (unsigned n = 0; n < sizeof tried / sizeof *tried; n++) {
        struct sample sample = {.mode = LANE_SAMPLE_GRAD};
        memcpy(sample.gradient, tried[n].gradient, sizeof sample.gradient);
        double below = floor(tried[n].lod), rest = tried[n].lod - below;
        double want = (1 - rest) * value((uint32_t)below, 0, 0, 0) + rest * value((uint32_t)below + 1, 0, 0, 0);
        float got = ask_r(s, state, sample);
        if (!(fabs(got - want) < 0.02))
            fail_msg("gradient %u: %g, wanted %g", n, (double)got, want);
    }
    surface_destroy(s);
}

static void extents_of_levels(void **unused)
{
    (void)unused;
    static const struct {
        struct surface_shape shape;
        uint32_t want[3][5]; /* of levels 0, 1, 2 */
    } tried[] = {
        {{.dim = LANE_DIM_1D, .width = 9}, {{9, 0, 0, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 1, 1}}},
        {{.dim = LANE_DIM_1D_ARRAY, .width = 9, .layers = 5, .levels = 2},
         {{9, 5, 0, 2, 1}, {4, 5, 0, 2, 1}, {0, 0, 0, 2, 1}}},
        {{.dim = LANE_DIM_2D, .width = 9, .height = 3, .levels = 3},
         {{9, 3, 0, 3, 1}, {4, 1, 0, 3, 1}, {2, 1, 0, 3, 1}}},
        {{.dim = LANE_DIM_2D_ARRAY, .width = 9, .height = 3, .layers = 7, .levels = 3},
         {{9, 3, 7, 3, 1}, {4, 1, 7, 3, 1}, {2, 1, 7, 3, 1}}},
        {{.dim = LANE_DIM_3D, .width = 9, .height = 3, .depth = 6, .levels = 3},
         {{9, 3, 6, 3, 1}, {4, 1, 3, 3, 1}, {2, 1, 1, 3, 1}}},
    };
    for (unsigned n = 0; n < sizeof tried / sizeof *tried; n++) {
        struct surface *s = make(tried[n].shape, "r8uint");
        for (uint32_t level = 0; level < 3; level++)
            for (unsigned what = 0; what < LANE_SUQLS; what++)
                assert_int_equal(surface_level_query(s, (enum lane_suql)what, level), tried[n].want[level][what]);
        assert_int_equal(surface_level_query(s, LANE_SUQL_FIRST, UINT32_MAX), 0);
        surface_destroy(s);
    }
}

static void bytes_that_are_no_sampler(void **unused)
{
    (void)unused;
    static const struct {
        unsigned byte, first; /* the first value that is refused */
    } limits[] = {{1, SAMPLER_FILTERS},
                  {2, SAMPLER_MIPS},
                  {3, 2},
                  {4, SAMPLER_COMPARES},
                  {5, SAMPLER_WRAPS},
                  {6, SAMPLER_WRAPS},
                  {7, SAMPLER_WRAPS},
                  {8, SAMPLER_BORDERS},
                  {9, 1},
                  {15, 1}};
    struct sampler_state state = {.bound = 0};
    assert_false(sampler_valid(&state));
    state.bound = 2;
    assert_false(sampler_valid(&state));
    for (unsigned n = 0; n < sizeof limits / sizeof *limits; n++)
        for (unsigned value = 0; value < 256; value++) {
            unsigned char bytes[16] = {1};
            bytes[limits[n].byte] = (unsigned char)value;
            memcpy(&state, bytes, sizeof state);
            assert_int_equal(sampler_valid(&state), value < limits[n].first);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_modes_follow_the_formulas),
        cmocka_unit_test(rows_of_texels),
        cmocka_unit_test(linear_by_hand),
        cmocka_unit_test(layers_round_to_even),
        cmocka_unit_test(odd_coordinates),
        cmocka_unit_test(weights_are_not_rounded),
        cmocka_unit_test(bits_of_texels),
        cmocka_unit_test(integers_are_not_mixed),
        cmocka_unit_test(borders),
        cmocka_unit_test(disabled_and_missing),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(comparisons_by_format),
        cmocka_unit_test(gathers),
        cmocka_unit_test(levels_by_lod),
        cmocka_unit_test(levels_of_a_view),
        cmocka_unit_test(levels_by_gradients),
        cmocka_unit_test(extents_of_levels),
        cmocka_unit_test(bytes_that_are_no_sampler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
