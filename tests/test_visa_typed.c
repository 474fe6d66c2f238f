/* typed_atomic: every operation against plain C, with masks, predicates, levels, bounds, null operands, channels on one
 * texel; in 32 and 16 bits. Source: docs/visa.md, "Atomics", "Running". */
#include "visa_atomic_ref.h"
#include "visa_run.h"

#define N(a) (sizeof(a) / sizeof *(a))
enum { WIDTH = 8, HEIGHT = 4, ITEMS = 32 };

struct texels {
    struct visa_run run;
    struct atoll_surface *surface;
    struct atoll_surface_desc desc;
    unsigned simd;
    uint32_t old[ITEMS]; /* R: of each item */
    unsigned char memory[4096];
};

/* T6 is index 1. */
static void open_texels(struct texels *t, const char *body, const char *format, enum atoll_dimension dimension,
                        unsigned simd, const uint32_t in[3 * ITEMS])
{
    char text[4000];
    snprintf(text, sizeof text, "movs (M1_NM, 1) T6(0) 0x1:ud\n%s", body);
    *t = (struct texels){.simd = simd,
                         .desc = {.dimension = dimension, .width = WIDTH, .height = HEIGHT, .format = format}};
    if (dimension == ATOLL_DIM_1D || dimension == ATOLL_DIM_1D_ARRAY)
        t->desc.height = 0;
    if (dimension == ATOLL_DIM_3D)
        t->desc.depth = 3;
    if (dimension == ATOLL_DIM_1D_ARRAY || dimension == ATOLL_DIM_2D_ARRAY)
        t->desc.layers = 3;
    visa_open(&t->run, simd, text, in, ITEMS);
    if (!atoll_surface_create(t->run.device, &t->desc, &t->surface, &t->run.error))
        fail_msg("%s", t->run.error.message);
}

static void run_texels(struct texels *t, const void *before)
{
    unsigned char block[256] = {0};
    struct atoll_parameter_info p;
    struct atoll_kernel_info info;
    uint64_t size = atoll_surface_size(t->surface), values[3] = {t->run.in, t->run.out, ITEMS};
    uint64_t handle = atoll_surface_handle(t->surface);
    assert_true(size <= sizeof t->memory);
    assert_true(atoll_surface_write(t->surface, before, size, &t->run.error));
    atoll_kernel_describe(t->run.kernel, &info);
    assert_true(info.parameter_bytes <= sizeof block);
    for (unsigned i = 0; i < info.parameters; i++) {
        assert_true(atoll_kernel_parameter(t->run.kernel, i, &p, &t->run.error));
        if (strcmp(p.name, "bti1") == 0)
            memcpy(block + p.offset + 16, &handle, 8);
        else
            memcpy(block + p.offset, &values[i], p.size);
    }
    struct atoll_launch_options launch = {.grid = {ITEMS / t->simd, 1, 1},
                                          .block = {t->simd, 1, 1},
                                          .parameters = block,
                                          .parameter_bytes = info.parameter_bytes,
                                          .order = ATOLL_ORDER_DETERMINISTIC};
    if (!atoll_launch(t->run.kernel, &launch, NULL, &t->run.trap, &t->run.error) ||
        !atoll_memory_read(t->run.device, t->run.out, t->old, sizeof t->old, &t->run.error) ||
        !atoll_surface_read(t->surface, t->memory, size, &t->run.error))
        fail_msg("%s", t->run.error.message);
}

static void close_texels(struct texels *t)
{
    visa_close(&t->run);
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

static const uint32_t olds[8] = {0, 1, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0x40400000};
static const uint32_t datas[8] = {3, 1, 5, 1, 0x80000000, 2, 0x40000000, 0xC0400000};
static const uint32_t compares[8] = {0, 2, 5, 0x7FFFFFFF, 7, 0xFFFFFFFF, 0x3F800000, 1};

static void one_operation(const char *op, unsigned bits, unsigned simd)
{
    char body[600];
    uint32_t in[3 * ITEMS] = {0}, before[WIDTH * HEIGHT] = {0}, mask = bits == 16 ? 0xFFFF : UINT32_MAX;
    uint16_t halves[WIDTH * HEIGHT];
    struct texels t;
    for (unsigned i = 0; i < 8; i++) {
        in[ITEMS + i] = i == 7 && strcmp(op, "fcmpwr") == 0 ? olds[i] : datas[i] & mask;
        in[2 * ITEMS + i] = compares[i] & mask;
        before[i] = olds[i] & mask;
    }
    for (unsigned i = 0; i < ITEMS; i++)
        in[i] = i;
    /* Items 0 to 7 each have a texel; A is its x. */
    snprintf(
        body, sizeof body,
        "cmp.lt (M1, %u) P1 I(0,0)<1;1,0> 0x8:d\n(P1) typed_atomic.%s%s (M1, 8) T6 A.0 %%null.0 %%null.0 %%null.0 %s "
        "%s R.0\n",
        simd, op, bits == 16 ? ".16" : "", ref_is_alone(op) ? "%null.0" : "B.0", ref_has_two(op) ? "C.0" : "%null.0");
    open_texels(&t, body, bits == 16 ? "r16uint" : "r32uint", ATOLL_DIM_1D, simd, in);
    for (unsigned i = 0; i < WIDTH; i++)
        halves[i] = (uint16_t)before[i];
    run_texels(&t, bits == 16 ? (const void *)halves : before);
    for (unsigned i = 0; i < WIDTH; i++) {
        uint32_t want = (uint32_t)ref_stored(op, before[i], in[ITEMS + i], in[2 * ITEMS + i], bits), now = 0;
        memcpy(&now, t.memory + i * bits / 8, bits / 8);
        uint32_t gives = strcmp(op, "predec") == 0 ? want : before[i];
        bool nan =
            ref_is_float(op) && isnan(ref_number(want, 32)) && isnan(ref_number(now, 32)); /* which is not said */
        if ((now != want && !nan) || t.old[i] != gives)
            fail_msg(
                "%s, %u bits, SIMD%u: old 0x%x, src0 0x%x, src1 0x%x: stored 0x%x, wanted 0x%x; gave 0x%x, wanted 0x%x",
                op, bits, simd, before[i], in[ITEMS + i], in[2 * ITEMS + i], now, want, t.old[i], gives);
    }
    close_texels(&t);
}

static void operations_store_and_give_what_the_page_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < REF_OPERATIONS; i++)
        for (unsigned simd = 8; simd <= 32; simd *= 2) {
            one_operation(ref_operations[i], 32, simd);
            if (!ref_is_float(ref_operations[i]))
                one_operation(ref_operations[i], 16, simd);
        }
}

/* ---- who and where ---------------------------------------------------------------------------------------------- */

static void channels_on_one_texel_go_one_by_one(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, before[WIDTH] = {0}, sum = 0;
    struct texels t;
    (void)state;
    for (unsigned i = 0; i < ITEMS; i++)
        in[ITEMS + i] = i + 1;
    open_texels(&t, "typed_atomic.add (M1, 8) T6 A.0 %null.0 %null.0 %null.0 B.0 %null.0 R.0\n", "r32uint",
                ATOLL_DIM_1D, 8, in);
    run_texels(&t, before);
    for (unsigned i = 0; i < ITEMS; sum += i + 1, i++)
        assert_int_equal(t.old[i], sum);
    memcpy(before, t.memory, 4);
    assert_int_equal(before[0], sum);
    close_texels(&t);
}

/* Masks: M3 is of channels 8 to 15; others keep what they had. */
static void masks_choose_channels(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, before[WIDTH] = {0};
    struct texels t;
    (void)state;
    open_texels(
        &t,
        "mov (M1, 32) R(0,0)<1> 0x63:d\ntyped_atomic.inc (M3, 8) T6 A.32 %null.0 %null.0 %null.0 %null.0 %null.0 "
        "R.32\n",
        "r32uint", ATOLL_DIM_1D, 32, in);
    run_texels(&t, before);
    for (unsigned i = 0; i < ITEMS; i++)
        assert_int_equal(t.old[i], i >= 8 && i < 16 ? i - 8 : 0x63);
    close_texels(&t);
}

static void inverted_predicates_and_waiting_channels(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, before[WIDTH] = {0}, now;
    struct texels t;
    (void)state;
    open_texels(&t,
                "cmp.lt (M1, 8) P1 L(0,0)<1;1,0> 0x3:w\ncmp.ge (M1, 8) P2 L(0,0)<1;1,0> 0x5:w\n(P2) goto (M1, 8) out\n"
                "(!P1) typed_atomic.inc (M1, 8) T6 A.0 %null.0 %null.0 %null.0 %null.0 %null.0 %null.0\nout:\n",
                "r32uint", ATOLL_DIM_1D, 8, in);
    run_texels(&t, before);
    memcpy(&now, t.memory, 4);
    assert_int_equal(now, 2 * ITEMS / 8); /* channels 3 and 4 of each thread */
    close_texels(&t);
}

static void outside_reads_0_and_writes_nothing(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, before[WIDTH * HEIGHT * 3];
    struct texels t;
    (void)state;
    for (unsigned i = 0; i < N(before); i++)
        before[i] = 100;
    for (unsigned i = 0; i < ITEMS; i++) {
        in[i] = i % 4 == 0 ? WIDTH : i % 4 == 1 ? UINT32_MAX : 0; /* x */
        in[ITEMS + i] = i % 4 == 2 ? HEIGHT : 0;                  /* y */
        in[2 * ITEMS + i] = i % 4 == 3 ? 3 : 0;                   /* slice or layer */
    }
    for (unsigned d = 0; d < 2; d++) {
        open_texels(
            &t, "mov (M1, 8) R(0,0)<1> 0x5:d\ntyped_atomic.inc (M1, 8) T6 A.0 B.0 C.0 %null.0 %null.0 %null.0 R.0\n",
            "r32uint", d ? ATOLL_DIM_3D : ATOLL_DIM_2D_ARRAY, 8, in);
        run_texels(&t, before);
        for (unsigned i = 0; i < ITEMS; i++)
            assert_int_equal(t.old[i], 0);
        assert_memory_equal(t.memory, before, sizeof before);
        close_texels(&t);
    }
}

/* Coordinates that a surface has not are ignored; null ones are 0; a level that there is not lies outside. */
static void geometry_is_the_surfaces(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, before[WIDTH * HEIGHT * 3] = {0}, now;
    struct texels t;
    static const struct {
        enum atoll_dimension dimension;
        const char *operands;
        unsigned texel;
    } cases[] = {
        {ATOLL_DIM_1D, "A.0 B.0 C.0 %null.0", 2},
        {ATOLL_DIM_1D_ARRAY, "A.0 B.0 C.0 %null.0", 2 + WIDTH},
        {ATOLL_DIM_2D, "A.0 B.0 C.0 %null.0", 2 + WIDTH},
        {ATOLL_DIM_2D, "%null.0 B.0 C.0 %null.0", WIDTH},
        {ATOLL_DIM_2D_ARRAY, "A.0 B.0 C.0 %null.0", 2 + WIDTH + 2 * WIDTH * HEIGHT},
        {ATOLL_DIM_3D, "A.0 B.0 C.0 %null.0", 2 + WIDTH + 2 * WIDTH * HEIGHT},
        {ATOLL_DIM_3D, "A.0 %null.0 C.0 %null.0", 2 + 2 * WIDTH * HEIGHT},
        {ATOLL_DIM_3D, "A.0 B.0 C.0 B.0", UINT32_MAX},
    };
    (void)state;
    for (unsigned i = 0; i < ITEMS; i++) {
        in[i] = 2;
        in[ITEMS + i] = 1;
        in[2 * ITEMS + i] = 2;
    }
    for (size_t c = 0; c < N(cases); c++) {
        char body[300];
        snprintf(body, sizeof body, "typed_atomic.inc (M1, 8) T6 %s %%null.0 %%null.0 R.0\n", cases[c].operands);
        open_texels(&t, body, "r32uint", cases[c].dimension, 8, in);
        run_texels(&t, before);
        for (unsigned i = 0; i < atoll_surface_size(t.surface) / 4; i++) {
            memcpy(&now, t.memory + 4 * i, 4);
            assert_int_equal(now, i == cases[c].texel ? ITEMS : 0);
        }
        close_texels(&t);
    }
}

/* dst may be a source. */
static void sources_are_read_before_the_result_is_written(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, before[WIDTH] = {10, 20, 30, 40, 50, 60, 70, 80}, now;
    struct texels t;
    (void)state;
    for (unsigned i = 0; i < ITEMS; i++)
        in[i] = i;
    open_texels(
        &t,
        "cmp.lt (M1, 8) P1 I(0,0)<1;1,0> 0x8:d\n(P1) typed_atomic.add (M1, 8) T6 A.0 %null.0 %null.0 %null.0 A.0 "
        "%null.0 A.0\nmov (M1, 8) R(0,0)<1> A(0,0)<1;1,0>\n",
        "r32uint", ATOLL_DIM_1D, 8, in);
    run_texels(&t, before);
    for (unsigned i = 0; i < 8; i++) {
        memcpy(&now, t.memory + 4 * i, 4);
        assert_int_equal(now, before[i] + i);
        assert_int_equal(t.old[i], before[i]);
    }
    close_texels(&t);
}

static void what_is_not_bound_traps(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, out[ITEMS];
    struct visa_run t;
    (void)state;
    visa_open(
        &t, 8,
        "movs (M1_NM, 1) T6(0) 0x3:ud\ntyped_atomic.inc (M1, 8) T6 A.0 %null.0 %null.0 %null.0 %null.0 %null.0 R.0\n",
        in, ITEMS);
    assert_false(visa_launch_it(&t, out));
    assert_int_equal(t.error.status, ATOLL_TRAP);
    assert_non_null(strstr(t.error.message, "k.visaasm:"));
    visa_close(&t);
}

/* ---- reads and writes -------------------------------------------------------------------------------------------- */

static void typed_reads_and_writes_convert(void **state)
{
    uint32_t in[3 * ITEMS] = {0};
    unsigned char before[WIDTH * 4];
    struct texels t;
    (void)state;
    for (unsigned i = 0; i < sizeof before; i++)
        before[i] = (unsigned char)(i * 8);
    for (unsigned i = 0; i < ITEMS; i++)
        in[i] = i % 8;
    /* The texel's components, turned round. */
    open_texels(&t,
                ".decl T v_type=G type=f num_elts=32 align=GRF\n.decl S v_type=G type=f num_elts=32 align=GRF\n"
                "cmp.lt (M1, 8) P1 I(0,0)<1;1,0> 0x8:d\n"
                "gather4_typed.RGBA (M1, 8) T6 A.0 %null.0 %null.0 %null.0 T.0\n"
                "mov (M1, 8) S(0,0)<1> T(3,0)<1;1,0>\nmov (M1, 8) S(1,0)<1> T(2,0)<1;1,0>\n"
                "mov (M1, 8) S(2,0)<1> T(1,0)<1;1,0>\nmov (M1, 8) S(3,0)<1> T(0,0)<1;1,0>\n"
                "(P1) scatter4_typed.RGBA (M1, 8) T6 A.0 %null.0 %null.0 %null.0 S.0\n",
                "rgba8unorm", ATOLL_DIM_1D, 8, in);
    run_texels(&t, before);
    for (unsigned i = 0; i < WIDTH; i++)
        for (unsigned c = 0; c < 4; c++)
            assert_int_equal(t.memory[4 * i + c], before[4 * i + 3 - c]);
    close_texels(&t);
}

static void typed_reads_outside_have_an_alpha_of_1(void **state)
{
    uint32_t in[3 * ITEMS] = {0};
    unsigned char before[WIDTH * 4] = {0};
    struct texels t;
    (void)state;
    for (unsigned i = 0; i < ITEMS; i++)
        in[i] = WIDTH;
    open_texels(&t,
                ".decl T v_type=G type=f num_elts=32 align=GRF\n"
                "gather4_typed.RGBA (M1, 8) T6 A.0 %null.0 %null.0 %null.0 T.0\n"
                "add (M1, 8) T(0,0)<1> T(0,0)<1;1,0> T(1,0)<1;1,0>\nadd (M1, 8) T(0,0)<1> T(0,0)<1;1,0> T(2,0)<1;1,0>\n"
                "mul (M1, 8) T(3,0)<1> T(3,0)<1;1,0> 4.0:f\nadd (M1, 8) FR(0,0)<1> T(0,0)<1;1,0> T(3,0)<1;1,0>\n",
                "rgba8unorm", ATOLL_DIM_1D, 8, in);
    run_texels(&t, before);
    assert_int_equal(t.old[0], 0x40800000);
    close_texels(&t);
}

/* Bytes by rows, at a pitch of the next power of two; whoever runs. Out of bounds is 0, and nothing is written. */
static void rectangles_move_bytes(void **state)
{
    uint32_t in[3 * ITEMS] = {0};
    unsigned char before[WIDTH * HEIGHT * 4], want[32] = {0};
    struct texels t;
    (void)state;
    for (unsigned i = 0; i < sizeof before; i++)
        before[i] = (unsigned char)(i * 7 + 1);
    open_texels(&t,
                ".decl T v_type=G type=ud num_elts=16 align=GRF\nmov (M1, 8) T(0,0)<1> 0x0:ud\n"
                "cmp.lt (M1, 8) P1 L(0,0)<1;1,0> 0x3:w\n(!P1) goto (M1, 8) out\n"
                "media_ld.nomod (6,4) T6 0 0x1c:ud 0x1:ud T.0\nout:\nmov (M1, 8) R(0,0)<1> T(0,0)<1;1,0>\n",
                "r32uint", ATOLL_DIM_2D, 8, in);
    run_texels(&t, before);
    for (unsigned y = 0; y < 3; y++) /* the fourth row and the last two bytes of each lie outside */
        memcpy(want + 8 * y, before + (y + 1) * WIDTH * 4 + 28, 4);
    for (unsigned i = 0; i < 8; i++) { /* bytes 6 and 7 of a row are not moved */
        uint32_t mask = i % 2 ? 0xFFFF : UINT32_MAX, w;
        memcpy(&w, want + 4 * i, 4);
        assert_int_equal(t.old[i] & mask, w & mask);
    }
    close_texels(&t);
    open_texels(&t,
                ".decl T v_type=G type=ud num_elts=16 align=GRF\nmov (M1, 8) T(0,0)<1> 0x44332211:ud\n"
                "media_st.nomod (6,4) T6 0 0x1c:ud 0x1:ud T.0\n",
                "r32uint", ATOLL_DIM_2D, 8, in);
    run_texels(&t, before);
    for (unsigned y = 1; y < 4; y++)
        memcpy(before + y * WIDTH * 4 + 28, "\x11\x22\x33\x44", 4);
    assert_memory_equal(t.memory, before, sizeof before);
    close_texels(&t);
}

/* LSC: the same texels by other messages; the components of a mask without gaps. */
static void lsc_quads_and_atomics_reach_texels(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, before[WIDTH * 4], now[WIDTH * 4];
    struct texels t;
    (void)state;
    for (unsigned i = 0; i < N(before); i++)
        before[i] = 100 + i;
    for (unsigned i = 0; i < ITEMS; i++)
        in[i] = i;
    open_texels(&t,
                ".decl T v_type=G type=ud num_elts=32 align=GRF\n.decl S v_type=G type=ud num_elts=32 align=GRF\n"
                "lsc_load_quad.tgm (M1, 8) T:d32.yw bti(0x1)[A]:a32\nmov (M1, 8) R(0,0)<1> T(1,0)<1;1,0>\n"
                "mov (M1, 8) S(0,0)<1> T(0,0)<1;1,0>\nmov (M1, 8) S(1,0)<1> 0x1:ud\nmov (M1, 8) S(2,0)<1> 0x2:ud\n"
                "mov (M1, 8) S(3,0)<1> 0x3:ud\nlsc_store_quad.tgm (M1, 8) bti(0x1)[A]:a32 S:d32.xyzw\n",
                "rgba32uint", ATOLL_DIM_1D, 8, in);
    run_texels(&t, before);
    memcpy(now, t.memory, sizeof now);
    for (unsigned x = 0; x < WIDTH; x++) {
        assert_int_equal(t.old[x], before[4 * x + 3]);
        assert_int_equal(now[4 * x], before[4 * x + 1]);
        for (unsigned c = 1; c < 4; c++)
            assert_int_equal(now[4 * x + c], c);
    }
    close_texels(&t);
    open_texels(&t,
                "cmp.lt (M1, 8) P1 I(0,0)<1;1,0> 0x8:d\n"
                "(P1) lsc_atomic_iadd.tgm (M1, 8) R:d32 bti(0x1)[A]:a32 A %null\n",
                "r32uint", ATOLL_DIM_1D, 8, in);
    run_texels(&t, before);
    memcpy(now, t.memory, WIDTH * 4);
    for (unsigned x = 0; x < WIDTH; x++) {
        assert_int_equal(t.old[x], before[x]);
        assert_int_equal(now[x], before[x] + x);
    }
    close_texels(&t);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(operations_store_and_give_what_the_page_says),
        cmocka_unit_test(channels_on_one_texel_go_one_by_one),
        cmocka_unit_test(masks_choose_channels),
        cmocka_unit_test(inverted_predicates_and_waiting_channels),
        cmocka_unit_test(outside_reads_0_and_writes_nothing),
        cmocka_unit_test(geometry_is_the_surfaces),
        cmocka_unit_test(sources_are_read_before_the_result_is_written),
        cmocka_unit_test(what_is_not_bound_traps),
        cmocka_unit_test(typed_reads_and_writes_convert),
        cmocka_unit_test(typed_reads_outside_have_an_alpha_of_1),
        cmocka_unit_test(rectangles_move_bytes),
        cmocka_unit_test(lsc_quads_and_atomics_reach_texels),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
