/* The units around a processor: the domain, conditional execution and conditional output, masks. */
#include "ctm_run.h"

#include <math.h>

enum { WIDTH = 19, HEIGHT = 9 };

struct rig {
    struct ctm_run t;
    struct surface *out, *cond;
    float texels[HEIGHT][WIDTH][4], values[HEIGHT][WIDTH];
};

/* out0 = r0 = (i, j, 0, 1); where `own`, the conditional value is i / 16. */
static void rig_open(struct rig *r, const char *format, bool own)
{
    memset(r, 0, sizeof *r);
    ctm_run_begin(&r->t);
    r->t.launch.grid[0] = WIDTH;
    r->t.launch.grid[1] = HEIGHT;
    r->out = ctm_run_surface(&r->t, CTM_PARAM_OUTPUTS, "rgba32float", WIDTH, HEIGHT);
    r->cond = ctm_run_surface(&r->t, CTM_PARAM_COND, format, WIDTH, HEIGHT);
    if (own) {
        struct ctm_inst inst = ctm_blank(CTM_TYPE_OUTPUT);
        ctm_set(&inst, CTM_RGB_ADDR0, 0);
        ctm_set(&inst, CTM_ALPHA_OP, CTM_ALPHA_MAD);
        ctm_set(&inst, CTM_ALPHA_ADDR1, 0x80 | 3 << 3); /* 1/16 */
        ctm_set(&inst, CTM_ALPHA_SWIZ_A, 0);
        ctm_set(&inst, CTM_ALPHA_SEL_B, 1);
        ctm_set(&inst, CTM_ALPHA_SWIZ_B, 3);
        ctm_set(&inst, CTM_ALPHA_SWIZ_C, CTM_SWIZ_ZERO);
        ctm_set(&inst, CTM_W_OMASK, 1);
        ctm_run_add(&r->t, inst);
        r->t.program.condout = true;
    }
    ctm_run_add(&r->t, ctm_copy_out(0, 0));
}

static void rig_run(struct rig *r)
{
    unsigned char raw[HEIGHT * WIDTH * 4];
    if (!ctm_run_go(&r->t))
        fail_msg("%s", r->t.error.message);
    ctm_run_texels(r->out, r->texels);
    ctm_run_texels(r->cond, raw);
    for (unsigned i = 0; i < HEIGHT * WIDTH; i++) {
        uint16_t word;
        memcpy(&word, raw + 2 * i, sizeof word);
        memcpy(&r->values[i / WIDTH][i % WIDTH], raw + 4 * i, sizeof(float));
        if (r->cond->format->bytes == 2)
            r->values[i / WIDTH][i % WIDTH] = (float)word / 65535;
    }
}

static void rig_clear(struct rig *r)
{
    static const float nothing[HEIGHT][WIDTH][4];
    assert_true(surface_upload(r->out, nothing, sizeof nothing, NULL));
}

/* The buffer holds x / 8 of each row. */
static void rig_fill(struct rig *r)
{
    float values[HEIGHT][WIDTH];
    uint16_t words[HEIGHT][WIDTH];
    bool halves = r->cond->format->bytes == 2;
    for (unsigned i = 0; i < HEIGHT * WIDTH; i++) {
        values[i / WIDTH][i % WIDTH] = (float)(i % WIDTH) / 8;
        words[i / WIDTH][i % WIDTH] = (uint16_t)(i % WIDTH * 3000);
    }
    assert_true(halves ? surface_upload(r->cond, words, sizeof words, NULL)
                       : surface_upload(r->cond, values, sizeof values, NULL));
}

static bool ran(const struct rig *r, unsigned x, unsigned y)
{
    const float want[4] = {(float)x, (float)y, 0, 1}, nothing[4] = {0, 0, 0, 0};
    bool did = memcmp(r->texels[y][x], nothing, sizeof nothing) != 0;
    if (did)
        assert_memory_equal(r->texels[y][x], want, sizeof want);
    return did;
}

/* The grid's last blocks reach beyond it; a domain lies anywhere, and beyond surfaces. */
static void test_domain(void **state)
{
    static const uint32_t domains[][4] = {{0, 0, 0, 0}, {3, 2, 5, 4}, {0, 0, 1, 1}, {10, 5, 9, 4}, {16, 7, 19, 9}};
    static struct rig r;
    (void)state;
    for (unsigned d = 0; d < sizeof domains / sizeof *domains; d++) {
        rig_open(&r, "r32float", false);
        for (unsigned k = 0; k < 4; k++)
            ctm_run_u32(&r.t, CTM_PARAM_DOMAIN + 4 * k, domains[d][k]);
        r.t.launch.grid[0] = d == 2 ? 1 : WIDTH;
        r.t.launch.grid[1] = d == 2 ? 1 : HEIGHT;
        rig_run(&r);
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
            unsigned x = i % WIDTH, y = i / WIDTH;
            bool inside = x - domains[d][0] < domains[d][2] && y - domains[d][1] < domains[d][3];
            assert_true(ran(&r, x, y) == (!d || inside));
        }
        ctm_run_end(&r.t);
    }
}

static bool holds(unsigned condition, float v, float b)
{
    switch (condition) {
    case 1:
        return v < b;
    case 2:
        return v <= b;
    case 3:
        return v == b;
    case 4:
        return v >= b;
    case 5:
        return v > b;
    case 6:
        return v != b;
    }
    return condition == 7;
}

/* All conditions at both places, with the launch's value and the program's, both formats, written or not. */
static void test_conditions(void **state)
{
    static struct rig r;
    (void)state;
    for (unsigned n = 0; n < 8 * 2 * 2 * 2 * 2; n++) {
        unsigned condition = n % 8, loc = n / 8 % 2, own = n / 16 % 2, words = n / 32 % 2, written = n / 64;
        float before[HEIGHT][WIDTH], value = words ? 9000.0f / 65535 : 0.5f;
        uint32_t bits;
        rig_open(&r, words ? "r16unorm" : "r32float", own);
        rig_fill(&r);
        memcpy(&bits, &value, sizeof bits);
        ctm_run_u32(&r.t, CTM_PARAM_COND_VAL, bits);
        ctm_run_u32(&r.t, CTM_PARAM_COND_TEST, condition ^ 7);
        ctm_run_u32(&r.t, CTM_PARAM_COND_LOC, loc);
        ctm_run_u32(&r.t, CTM_PARAM_COND_MASK, written);
        for (unsigned x = 0; x < WIDTH; x++)
            for (unsigned y = 0; y < HEIGHT; y++)
                before[y][x] = words ? (float)(x * 3000) / 65535 : (float)x / 8;
        rig_run(&r);
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
            unsigned x = i % WIDTH, y = i / WIDTH;
            float programs = own ? (float)x / 16 : value, tested = loc ? value : programs;
            bool pass = holds(condition, tested, before[y][x]);
            if (ran(&r, x, y) != pass)
                fail_msg("condition %u, location %u, own %u, words %u: (%u, %u)", condition, loc, own, words, x, y);
            float stored = words ? (float)(uint16_t)(fminf(programs, 1) * 65535 + 0.5f) / 65535 : programs;
            assert_true(r.values[y][x] == (pass && written ? stored : before[y][x]));
        }
        ctm_run_end(&r.t);
    }
}

/* Channels that the mask takes away stay as they were. */
static void test_masks(void **state)
{
    static struct rig r;
    (void)state;
    rig_open(&r, "r32float", false);
    for (unsigned mask = 0; mask < 16; mask++) {
        rig_clear(&r);
        ctm_run_u32(&r.t, CTM_PARAM_OUT_MASK, ~mask & 15);
        rig_run(&r);
        for (unsigned i = 0; i < WIDTH * HEIGHT * 4; i++) {
            unsigned x = i / 4 % WIDTH, y = i / 4 / WIDTH, c = i % 4;
            const float want[4] = {(float)x, (float)y, 0, 1};
            assert_true(r.texels[y][x][c] == (mask >> c & 1 ? want[c] : 0));
        }
    }
    ctm_run_end(&r.t);
}

/* Outputs that a program writes, and a buffer that is asked, must be there. */
static void test_unbound(void **state)
{
    static struct rig r;
    (void)state;
    rig_open(&r, "r32float", false);
    memset(r.t.params + CTM_PARAM_COND, 0, 8);
    ctm_run_u32(&r.t, CTM_PARAM_COND_TEST, 3 ^ 7);
    assert_false(ctm_run_go(&r.t));
    assert_non_null(strstr(r.t.error.message, "cond is not bound"));
    ctm_run_u32(&r.t, CTM_PARAM_COND_TEST, 0);
    assert_true(ctm_run_go(&r.t));
    memset(r.t.params + CTM_PARAM_OUTPUTS, 0, 8);
    assert_false(ctm_run_go(&r.t));
    assert_non_null(strstr(r.t.error.message, "out0 is not bound"));
    ctm_run_end(&r.t);
}

/* An output that the notes name and nothing writes is 0; a program that is cut short is refused. */
static void test_program(void **state)
{
    static struct rig r;
    uint32_t texels[HEIGHT][WIDTH][4];
    (void)state;
    rig_open(&r, "r32float", false);
    memset(texels, 255, sizeof texels);
    struct surface *second = ctm_run_surface(&r.t, CTM_PARAM_OUTPUTS + 8, "rgba32float", WIDTH, HEIGHT);
    assert_true(surface_upload(second, texels, sizeof texels, NULL));
    ctm_add(&r.t.program.outputs, 1);
    rig_run(&r);
    ctm_run_texels(second, texels);
    for (unsigned i = 0; i < WIDTH * HEIGHT * 4; i++)
        assert_int_equal(texels[i / 4 / WIDTH][i / 4 % WIDTH][i % 4], 0);
    struct ctm_inst inst = r.t.insts[0];
    ctm_run_again(&r.t);
    assert_false(ctm_run_lower(&r.t)); /* no instructions */
    ctm_run_add(&r.t, inst);
    r.t.program.info[CTM_INFO_US_CODE_ADDR] = 1 << 16;
    assert_false(ctm_run_lower(&r.t));
    assert_non_null(strstr(r.t.error.message, "ends after 1"));
    ctm_run_end(&r.t);
}

/* LAST ends a program without flow control; what follows is not reached. */
static void test_last(void **state)
{
    static struct rig r;
    (void)state;
    rig_open(&r, "r32float", false);
    ctm_set(&r.t.insts[0], CTM_LAST, 1);
    ctm_run_add(&r.t, ctm_copy_out(5, 0)); /* zeros */
    rig_run(&r);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        assert_true(ran(&r, i % WIDTH, i / WIDTH));
    ctm_run_end(&r.t);
}

/* Launches that are not ordinary though next to nothing tells them from one: numbers that floats do not hold, a group
 * that is cut, and each state alone. All give (i, j, 0, 1) where there is a pair. */
static void test_usual(void **state)
{
    enum { FAR = 1 << 24 };
    static const struct {
        uint32_t domain[4], grid[2];
        bool words;
    } cases[] = {{{0, 0, 0, 0}, {16, 8}, true},           {{0, 0, 16, 8}, {16, 8}, true},
                 {{0, 0, 24, 9}, {16, 8}, true},          {{3, 1, 16, 8}, {16, 8}, true},
                 {{0, 0, 15, 8}, {16, 8}, false},         {{0, 0, 16, 7}, {16, 8}, false},
                 {{0, 0, 0, 0}, {17, 8}, true},           {{0, 0, 0, 0}, {16, 9}, true},
                 {{FAR + 1, 0, 0, 0}, {16, 8}, true},     {{0, FAR - 4, 16, 8}, {16, 8}, true},
                 {{0, UINT32_MAX, 8, 4}, {16, 8}, false}, {{FAR / 2 - 8, 0, 16, 8}, {16, 8}, true}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        static struct rig r;
        rig_open(&r, "r32float", false);
        for (unsigned k = 0; k < 4; k++)
            ctm_run_u32(&r.t, CTM_PARAM_DOMAIN + 4 * k, cases[n].domain[k]);
        memcpy(r.t.launch.grid, cases[n].grid, sizeof cases[n].grid);
        rig_run(&r);
        uint32_t width = cases[n].domain[2], height = cases[n].domain[3];
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
            uint32_t x = i % WIDTH - cases[n].domain[0], y = i / WIDTH - cases[n].domain[1];
            bool in_grid = x < cases[n].grid[0] && y < cases[n].grid[1];
            bool inside = x < (width ? width : cases[n].grid[0]) && y < (width ? height : cases[n].grid[1]);
            assert_true(ran(&r, i % WIDTH, i / WIDTH) == (in_grid && inside));
        }
        ctm_run_end(&r.t);
    }
}

/* An ordinary launch traps, too, where an output is not bound. */
static void test_usual_unbound(void **state)
{
    static struct rig r;
    (void)state;
    rig_open(&r, "r32float", false);
    r.t.launch.grid[0] = 16;
    r.t.launch.grid[1] = 8;
    rig_run(&r);
    memset(r.t.params + CTM_PARAM_OUTPUTS, 0, 8);
    assert_false(ctm_run_go(&r.t));
    assert_non_null(strstr(r.t.error.message, "out0 is not bound"));
    ctm_run_end(&r.t);
}

/* Programs that can tell how processors are grouped run in groups as they are on the device, others in wide blocks. */
static void test_shapes(void **state)
{
    static const struct {
        uint32_t op, width;
        bool flow, seeded;
    } cases[] = {{CTM_RGB_MIN, CTM_WIDE_X, false, false},
                 {CTM_RGB_MDH, CTM_BLOCK_X, false, false},
                 {CTM_RGB_MDV, CTM_BLOCK_X, false, false},
                 {CTM_RGB_MIN, CTM_BLOCK_X, true, false},
                 {CTM_RGB_MIN, CTM_BLOCK_X, false, true}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        static struct ctm_run t;
        struct ctm_inst inst = ctm_blank(CTM_TYPE_ALU), flow = ctm_blank(CTM_TYPE_FC);
        ctm_run_begin(&t);
        ctm_set(&inst, CTM_RGB_OP, cases[n].op);
        ctm_run_add(&t, inst);
        if (cases[n].flow)
            ctm_run_add(&t, flow);
        if (cases[n].seeded)
            t.tex_write = CTM_TEX_SEEDED;
        ctm_run_add(&t, ctm_copy_out(0, 0));
        assert_true(ctm_run_lower(&t));
        assert_int_equal(t.lanes.funcs[0].required_block[0], cases[n].width);
        assert_int_equal(t.lanes.funcs[0].required_block[1], cases[n].width == CTM_WIDE_X ? CTM_WIDE_Y : CTM_BLOCK_Y);
        ctm_run_end(&t);
    }
}

/* An output that only instructions behind LAST name is 0. */
static void test_last_names(void **state)
{
    static struct rig r;
    uint32_t texels[HEIGHT][WIDTH][4];
    (void)state;
    rig_open(&r, "r32float", false);
    memset(texels, 255, sizeof texels);
    struct surface *second = ctm_run_surface(&r.t, CTM_PARAM_OUTPUTS + 8, "rgba32float", WIDTH, HEIGHT);
    assert_true(surface_upload(second, texels, sizeof texels, NULL));
    ctm_set(&r.t.insts[0], CTM_LAST, 1);
    ctm_run_add(&r.t, ctm_copy_out(0, 1));
    rig_run(&r);
    ctm_run_texels(second, texels);
    for (unsigned i = 0; i < WIDTH * HEIGHT * 4; i++)
        assert_int_equal(texels[i / 4 / WIDTH][i / 4 % WIDTH][i % 4], 0);
    ctm_run_end(&r.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_domain),  cmocka_unit_test(test_conditions),    cmocka_unit_test(test_masks),
        cmocka_unit_test(test_unbound), cmocka_unit_test(test_program),       cmocka_unit_test(test_last),
        cmocka_unit_test(test_usual),   cmocka_unit_test(test_usual_unbound), cmocka_unit_test(test_last_names),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
