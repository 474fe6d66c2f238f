/* vISA's messages to the sampler: parameters of each, channels, offsets of texels, what is missing or not bound.
 * Source: docs/visa.md, "Running"; docs/sampling.md. */
#include "visa_run.h"

#include "mem/sampler.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { WIDTH = 8, HEIGHT = 4, ITEMS = 32 };

/* Components of the texel at x, y, where the nearest one stands for those outside. */
static float texel(int x, int y, unsigned c)
{
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return (float)((x + 10 * y) * (int)(c + 1) + (int)c);
}

static uint32_t bits(float v)
{
    uint32_t b;
    memcpy(&b, &v, 4);
    return b;
}

struct look {
    const char *text;   /* D.0 gets the components */
    unsigned component; /* that is looked at, as it lies in registers */
    struct sampler_state state;
    bool integers;  /* A and B count texels as integers */
    float by;       /* A and B are texel numbers + by */
    uint32_t third; /* C */
};

static bool run_look(const struct look *k, unsigned simd, uint32_t out[ITEMS], struct atoll_error *error)
{
    char body[1000];
    uint32_t in[3 * ITEMS];
    float before[WIDTH * HEIGHT * 4];
    unsigned char block[256] = {0};
    struct visa_run t;
    struct atoll_surface *surface;
    struct atoll_surface_desc desc = {
        .dimension = ATOLL_DIM_2D, .width = WIDTH, .height = HEIGHT, .format = "rgba32float"};
    struct atoll_kernel_info info;
    struct atoll_parameter_info p;
    for (unsigned i = 0; i < ITEMS; i++) {
        float scale = k->state.normalized ? WIDTH : 1, scale2 = k->state.normalized ? HEIGHT : 1;
        in[i] = k->integers ? i % WIDTH : bits(((float)(i % WIDTH) + k->by) / scale);
        in[ITEMS + i] = k->integers ? i / WIDTH : bits(((float)(i / WIDTH) + k->by) / scale2);
        in[2 * ITEMS + i] = k->third;
        for (unsigned c = 0; c < 4; c++)
            before[4 * i + c] = texel((int)(i % WIDTH), (int)(i / WIDTH), c);
    }
    char *text = body;
    text += snprintf(text, sizeof body,
                     ".decl D v_type=G type=ud num_elts=128 align=GRF\n.decl S0 v_type=S num_elts=1\n"
                     "movs (M1_NM, 1) T6(0) 0x1:ud\nmovs (M1_NM, 1) S0(0) 0x0:ud\n");
    const char *E = strstr(k->text, "{E}");
    text += snprintf(text, sizeof body - (size_t)(text - body), "%.*s(M1, %u)%s\n", (int)(E - k->text), k->text, simd,
                     E + 3);
    snprintf(text, sizeof body - (size_t)(text - body), "mov (M1, %u) R(0,0)<1> D(%u,0)<1;1,0>\n", simd,
             k->component * simd / 8);
    visa_open(&t, simd, body, in, ITEMS);
    if (!atoll_surface_create(t.device, &desc, &surface, &t.error) ||
        !atoll_surface_write(surface, before, sizeof before, &t.error))
        fail_msg("%s", t.error.message);
    uint64_t values[3] = {t.in, t.out, ITEMS}, handle = atoll_surface_handle(surface);
    atoll_kernel_describe(t.kernel, &info);
    for (unsigned i = 0; i < info.parameters; i++) {
        assert_true(atoll_kernel_parameter(t.kernel, i, &p, &t.error));
        if (strcmp(p.name, "bti1") == 0)
            memcpy(block + p.offset + 16, &handle, 8);
        else if (strcmp(p.name, "sampler0") == 0)
            memcpy(block + p.offset, &k->state, sizeof k->state);
        else
            memcpy(block + p.offset, &values[i], p.size);
    }
    struct atoll_launch_options launch = {.grid = {ITEMS / simd, 1, 1},
                                          .block = {simd, 1, 1},
                                          .parameters = block,
                                          .parameter_bytes = info.parameter_bytes,
                                          .order = ATOLL_ORDER_DETERMINISTIC};
    bool ok = atoll_launch(t.kernel, &launch, NULL, &t.trap, &t.error) &&
              atoll_memory_read(t.device, t.out, out, 4 * ITEMS, &t.error);
    *error = t.error;
    visa_close(&t);
    return ok;
}

#define EDGE                                     \
    {                                            \
        SAMPLER_EDGE, SAMPLER_EDGE, SAMPLER_EDGE \
    }
static const struct sampler_state nearest = {.bound = 1, .wrap = EDGE},
                                  linear = {.bound = 1, .filter = 1, .wrap = EDGE},
                                  share = {.bound = 1, .normalized = 1, .wrap = EDGE},
                                  less = {.bound = 1, .compare = SAMPLER_LESS, .wrap = EDGE};

/* Of each item i the bits that it must have got; component: of the texel. */
static void check(struct look k, uint32_t (*want)(int x, int y, unsigned c), unsigned c)
{
    uint32_t out[ITEMS];
    struct atoll_error error;
    for (unsigned simd = 8; simd <= 16; simd *= 2) {
        if (!run_look(&k, simd, out, &error))
            fail_msg("%s: %s", k.text, error.message);
        for (unsigned i = 0; i < ITEMS; i++)
            if (out[i] != want((int)(i % WIDTH), (int)(i / WIDTH), c))
                fail_msg("%s, SIMD%u, item %u, component %u: 0x%x, wanted 0x%x", k.text, simd, i, c, out[i],
                         want((int)(i % WIDTH), (int)(i / WIDTH), c));
    }
}

static uint32_t itself(int x, int y, unsigned c)
{
    return bits(texel(x, y, c));
}

static uint32_t next(int x, int y, unsigned c)
{
    return bits(texel(x + 1, y - 1, c));
}

static uint32_t average(int x, int y, unsigned c)
{
    return bits((texel(x, y, c) + texel(x + 1, y, c) + texel(x, y + 1, c) + texel(x + 1, y + 1, c)) / 4);
}

static uint32_t larger_than_15(int x, int y, unsigned c)
{
    (void)c;
    return bits(15 < texel(x, y, 0) ? 1.0f : 0.0f);
}

static void parameters_stand_in_the_order_of_the_page(void **state)
{
    static const char *const texts[] = {
        "sample_lz.RGBA {E} 0x0:uw S0 T6 D.0 A.0 B.0", "sample_3d.RGBA {E} 0x0:uw S0 T6 D.0 A.0 B.0",
        "sample_l.RGBA {E} 0x0:uw S0 T6 D.0 C.0 A.0 B.0", "sample_b.RGBA {E} 0x0:uw S0 T6 D.0 C.0 A.0 B.0",
        "sample_d.RGBA {E} 0x0:uw S0 T6 D.0 A.0 C.0 C.0 B.0 C.0 C.0"};
    (void)state;
    for (unsigned t = 0; t < COUNT(texts); t++)
        for (unsigned c = 0; c < 4; c++) {
            check((struct look){.text = texts[t], .component = c, .state = nearest, .by = 0.5f}, itself, c);
            check((struct look){.text = texts[t], .component = c, .state = share, .by = 0.5f}, itself, c);
            check((struct look){.text = texts[t], .component = c, .state = linear, .by = 1}, average, c);
        }
}

static void components_that_are_not_asked_for_leave_no_gap(void **state)
{
    (void)state;
    struct look k = {.text = "sample_lz.GA {E} 0x0:uw S0 T6 D.0 A.0 B.0", .state = nearest, .by = 0.5f};
    check(k, itself, 1);
    k.component = 1;
    check(k, itself, 3);
}

/* Bits 8 to 11 are of u, 4 to 7 of v: signed. */
static void texels_may_be_moved(void **state)
{
    (void)state;
    check((struct look){.text = "sample_lz.RGBA {E} 0x1f0:uw S0 T6 D.0 A.0 B.0", .state = nearest, .by = 0.5f}, next,
          0);
}

static void comparisons_give_1_or_0(void **state)
{
    static const char *const texts[] = {"sample_c.R {E} 0x0:uw S0 T6 D.0 C.0 A.0 B.0",
                                        "sample_c_lz.R {E} 0x0:uw S0 T6 D.0 C.0 A.0 B.0"};
    (void)state;
    for (unsigned t = 0; t < COUNT(texts); t++)
        check((struct look){.text = texts[t], .state = less, .by = 0.5f, .third = bits(15)}, larger_than_15, 0);
}

/* The texels at (i0, j1), (i1, j1), (i1, j0), (i0, j0). */
static uint32_t gathered(int x, int y, unsigned c)
{
    return bits(texel(x + (c == 1 || c == 2), y + (c < 2), 1));
}

static void gathers_give_four_texels(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 4; c++)
        check((struct look){.text = "sample4.G {E} 0x0:uw S0 T6 D.0 A.0 B.0", .component = c, .state = linear, .by = 1},
              gathered, c);
}

static uint32_t nothing(int x, int y, unsigned c)
{
    (void)x;
    (void)y;
    (void)c;
    return 0;
}

static void texels_are_loaded_by_number(void **state)
{
    static const char *const texts[] = {"load_3d.RGBA {E} 0x0:uw T6 D.0 A.0 B.0 C.0",
                                        "load_lz.RGBA {E} 0x0:uw T6 D.0 A.0 B.0"};
    (void)state;
    for (unsigned t = 0; t < COUNT(texts); t++)
        for (unsigned c = 0; c < 4; c++)
            check((struct look){.text = texts[t], .component = c, .integers = true}, itself, c);
    check((struct look){.text = "load_3d.RGBA {E} 0x0:uw T6 D.0 A.0 B.0 C.0", .integers = true, .third = 1}, nothing,
          0);
    check((struct look){.text = "load_lz.A {E} 0x0:uw T6 D.0 C.0 B.0", .integers = true, .third = WIDTH}, nothing, 0);
}

static uint32_t extent(int x, int y, unsigned c)
{
    static const uint32_t extents[] = {WIDTH, HEIGHT, 0, 1};
    (void)x;
    (void)y;
    return extents[c];
}

static uint32_t one(int x, int y, unsigned c)
{
    (void)x;
    (void)y;
    return c == 0;
}

static void surfaces_say_how_large_they_are(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 4; c++)
        if (c != 2)
            check((struct look){.text = "resinfo.RGBA {E} T6 C.0 D.0", .component = c}, extent, c);
    check((struct look){.text = "sampleinfo.R {E} T6 D.0"}, one, 0);
}

static void a_sampler_must_be_bound(void **state)
{
    uint32_t out[ITEMS];
    struct atoll_error error;
    (void)state;
    assert_false(run_look(&(struct look){.text = "sample_lz.RGBA {E} 0x0:uw S0 T6 D.0 A.0 B.0"}, 8, out, &error));
    if (error.status != ATOLL_TRAP || !strstr(error.message, "k.visaasm:") || !strstr(error.message, "sampler"))
        fail_msg("%s", error.message);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(parameters_stand_in_the_order_of_the_page),
        cmocka_unit_test(components_that_are_not_asked_for_leave_no_gap),
        cmocka_unit_test(texels_may_be_moved),
        cmocka_unit_test(comparisons_give_1_or_0),
        cmocka_unit_test(gathers_give_four_texels),
        cmocka_unit_test(texels_are_loaded_by_number),
        cmocka_unit_test(surfaces_say_how_large_they_are),
        cmocka_unit_test(a_sampler_must_be_bound),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
