/* The same kernels from PTX and from the machine code that ptxas made of it: the same inputs must give the same
 * outputs, to the bit. The kernels here are lists of instructions of one kind; those whose work has a plain C
 * description are in test_corpus_kernels.c, which runs both forms too.
 *
 * Every launch has one thread: the threads of these kernels write to their neighbours' places, in an order that a
 * compiler may change. Where ptxas takes approximations with their own rounding the places are named. */
#include "base/text.h"
#include "lane/lane.h"
#include "ref/rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 1 << 14, ROUNDS = 60 };

/* Outputs in bytes [first, last] that may differ: floats of 4 bytes by `close` units of the last place, NaNs (and what
 * is made of them), doubles that are NaN in both, or anything. */
enum allowance { CLOSE, OF_NAN, DOUBLE_NAN, HALF_NAN, ANYTHING };
struct exception {
    const char *kernel, *why;
    uint32_t first, last;
    enum allowance what;
    uint32_t close;
};
static const struct exception exceptions[] = {
    {"cvt", "u8 of an f64 NaN: 2^31 of the machine, clamped", 776, 807, OF_NAN, 0},
    {"cvt", "u16 of an f64 NaN: the same", 1032, 1063, OF_NAN, 0},
    {"f32", "* 1.0: left out", 496, 499, OF_NAN, 0},
    {"cvt", "an f64 NaN made an f16, by way of f32", 1864, 1867, HALF_NAN, 0},
    {"cvt", "an f16 NaN made an f64, by way of f32", 1872, 1879, DOUBLE_NAN, 0},
    {"f32", "sqrt.approx: a product with rsqrt, as SM 5.0 has no root", 360, 363, CLOSE, 2},
    {"sregs", "nwarpid: 64 warps of Maxwell", 72, 75, ANYTHING, 0},
    {"sregs", "nsmid", 136, 139, ANYTHING, 0},
    {"sregs", "clock", 184, 187, ANYTHING, 0},
    {"sregs", "globaltimer_lo", 312, 315, ANYTHING, 0},
    {"sregs", "clock64, globaltimer", 336, 351, ANYTHING, 0},
};

struct outcome {
    bool ok;
    struct atoll_error error;
    uint8_t in[BYTES], out[BYTES];
};

static void run(const char *name, const struct rig_mode *mode, const uint8_t *in, uint32_t n, struct outcome *outcome)
{
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, mode, DATA_DIR "/kernels", name);
    uint64_t from = rig_buffer(&rig, in, BYTES), to = rig_buffer(&rig, NULL, BYTES);
    rig_u64(&args, from);
    rig_u64(&args, to);
    rig_u32(&args, n);
    outcome->ok = rig_try(&rig, name, (struct rig_shape){{1, 1, 1}, {1, 1, 1}, 0}, &args, NULL, &outcome->error);
    rig_fetch(&rig, from, outcome->in, BYTES);
    rig_fetch(&rig, to, outcome->out, BYTES);
    rig_close(&rig);
}

/* Numbers of all magnitudes, special values, small integers: what makes floats and integers differ. */
static void fill(uint8_t *in, uint32_t seed)
{
    static const uint64_t special[] = {0,          1,          0x7fffffff, 0x80000000,         0xffffffff, 0x7f800000,
                                       0xff800000, 0x7fc00000, 0x3f800000, 0x7ff0000000000000, 0x3c00,     0x7c00};
    for (uint32_t i = 0; i < BYTES; i += 8) {
        uint64_t value = (uint64_t)rig_random(&seed) << 32 | rig_random(&seed);
        uint32_t kind = rig_random(&seed) % 8;
        double real = ldexp((double)(int32_t)rig_random(&seed), (int)(rig_random(&seed) % 60) - 50);
        float single = (float)real;
        if (kind == 0)
            value = special[value % (sizeof special / sizeof *special)];
        else if (kind == 1)
            value = value % 200 - 100;
        else if (kind < 4)
            memcpy(&value, &real, 8);
        else if (kind < 7)
            memcpy(&value, &single, 4);
        memcpy(in + i, &value, 8);
    }
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* What a NaN, or a conversion of one, may look like. */
static bool from_nan(uint32_t bits)
{
    return is_nan(bits) || bits == 0 || bits == 0x80 || bits == 0xff || bits == 0xff80 || bits == 0xffff ||
           bits == 0x8000 || bits == 0x80000000;
}

static bool is_double_nan(const uint8_t *at)
{
    double value;
    memcpy(&value, at, 8);
    return isnan(value);
}

static bool half_nans(uint32_t x, uint32_t y)
{
    return (x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00 && x >> 16 == y >> 16;
}

static bool allows(const struct exception *e, const uint8_t *a, const uint8_t *b, uint32_t at)
{
    uint32_t x, y, whole = at & ~UINT32_C(7);
    memcpy(&x, a + at, 4);
    memcpy(&y, b + at, 4);
    uint32_t apart = x > y ? x - y : y - x;
    if (e->what == OF_NAN)
        return from_nan(x) && from_nan(y);
    if (e->what == DOUBLE_NAN)
        return is_double_nan(a + whole) && is_double_nan(b + whole);
    if (e->what == HALF_NAN)
        return half_nans(x, y);
    return e->what == ANYTHING || apart <= e->close;
}

static bool excepted(const char *name, const uint8_t *a, const uint8_t *b, uint32_t at)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        const struct exception *e = &exceptions[i];
        if (strcmp(e->kernel, name) == 0 && at >= e->first && at <= e->last && allows(e, a, b, at))
            return true;
    }
    return false;
}

static void compare(const char *name, const uint8_t *a, const uint8_t *b, uint32_t round)
{
    for (uint32_t i = 0; i < BYTES; i += 4) {
        uint32_t x, y;
        memcpy(&x, a + i, 4);
        memcpy(&y, b + i, 4);
        if (x != y && !excepted(name, a, b, i))
            fail_msg("%s, round %u: byte %u is %08x from PTX, %08x from machine code", name, round, i, x, y);
    }
}

static void same(void **state)
{
    const char *name = *state;
    static uint8_t in[BYTES];
    struct outcome *ptx = malloc(sizeof *ptx), *code = malloc(sizeof *code);
    struct rig_mode machine = rig_cubin_modes[1];
    assert_true(ptx && code);
    if (strcmp(name, "half") == 0)
        machine.suffix = ".sm_53.cubin";
    for (uint32_t round = 0; round < ROUNDS; round++) {
        fill(in, round + 1);
        run(name, &rig_modes[1], in, round, ptx);
        run(name, &machine, in, round, code);
        if (!ptx->ok || !code->ok)
            fail_msg("%s: PTX %s; machine code %s", name, ptx->ok ? "ran" : ptx->error.message,
                     code->ok ? "ran" : code->error.message);
        compare(name, ptx->in, code->in, round);
        compare(name, ptx->out, code->out, round);
    }
    free(ptx);
    free(code);
}

/* Lists of surface instructions of all dimensions, on a 1D surface: what comes before the first of another dimension
 * must have the same effect, and that one must stop both. The surface is a reference's or a parameter's. */
static void surface_run(const char *name, const struct rig_mode *mode, uint32_t texels[64])
{
    struct rig rig;
    struct rig_args args = {0};
    struct atoll_trap trap = {0};
    struct atoll_error error = {0};
    for (uint32_t i = 0; i < 64; i++)
        texels[i] = i * 0x01030507;
    rig_open(&rig, mode, DATA_DIR "/kernels", name);
    struct atoll_surface *surface = rig_surface(&rig, ATOLL_DIM_1D, "r32uint", 64, 1, 1, texels);
    if (strcmp(name, "surf_ref") == 0)
        assert_true(atoll_module_bind_surface(rig.module, "srf0", 0, surface, &error));
    rig_u64(&args, rig_buffer(&rig, NULL, BYTES));
    rig_u64(&args, rig_buffer(&rig, NULL, BYTES));
    rig_u64(&args, atoll_surface_handle(surface));
    assert_false(rig_try(&rig, name, (struct rig_shape){{1, 1, 1}, {1, 1, 1}, 0}, &args, &trap, &error));
    assert_string_equal(trap.cause, "wrong-dimension");
    rig_surface_fetch(surface, texels, 64 * 4);
    atoll_surface_destroy(surface);
    rig_close(&rig);
}

static void surfaces(void **state)
{
    static const char *const names[] = {"surf_bindless", "surf_ref"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t ptx[64], code[64];
        surface_run(names[i], &rig_modes[1], ptx);
        surface_run(names[i], &rig_cubin_modes[1], code);
        rig_same(code + 2, ptx + 2, 4, 62, names[i]); /* the first two were added a clock */
    }
}

static void queries_run(const struct rig_mode *mode, uint32_t out[14])
{
    struct rig rig;
    struct rig_args args = {0};
    struct atoll_trap trap = {0};
    struct atoll_error error = {0};
    memset(out, 0xff, 14 * sizeof *out);
    rig_open(&rig, mode, DATA_DIR "/kernels", "suq");
    struct atoll_surface *layers = rig_surface(&rig, ATOLL_DIM_2D_ARRAY, "rgba8unorm", 5, 6, 7, NULL),
                         *volume = rig_surface(&rig, ATOLL_DIM_3D, "r32float", 3, 4, 9, NULL);
    assert_true(atoll_module_bind_surface(rig.module, "ref", 0, volume, &error));
    uint64_t buffer = rig_buffer(&rig, out, 14 * sizeof *out);
    rig_u64(&args, buffer);
    rig_u64(&args, atoll_surface_handle(layers));
    if (!rig_try(&rig, "suq", (struct rig_shape){{1, 1, 1}, {1, 1, 1}, 0}, &args, &trap, &error))
        fail_msg("%s", error.message);
    rig_fetch(&rig, buffer, out, 14 * sizeof *out);
    atoll_surface_destroy(layers);
    atoll_surface_destroy(volume);
    rig_close(&rig);
}

/* All but width and height come from a table in memory that the launch makes. */
static void queries(void **state)
{
    uint32_t ptx[14], code[14];
    (void)state;
    queries_run(&rig_modes[1], ptx);
    queries_run(&rig_cubin_modes[1], code);
    rig_same(code, ptx, 4, 14, "suq");
    assert_int_equal(code[0], 5);  /* width of the layers */
    assert_int_equal(code[5], 9);  /* depth of the volume */
    assert_int_equal(code[10], 7); /* array size */
    assert_int_equal(code[11], 0);
}

/* The lane program of every cubin is a text that reads back as itself. */
static void lanes_read_back(void **state)
{
    static const char *const names[] = {"atom_generic", "bfs",      "fft",    "sha256",
                                        "spaces",       "surf_ref", "switch", "vprintf"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct rig rig;
        struct lane_module module = {0};
        struct text again = {0};
        struct atoll_error error = {0};
        char *text;
        size_t size;
        rig_open(&rig, &rig_cubin_modes[1], DATA_DIR "/kernels", names[i]);
        assert_true(atoll_module_text(rig.module, ATOLL_TEXT_LANES, &text, &size, &error));
        if (!lane_parse(text, size, &module, &error) || !lane_verify(&module, &error))
            fail_msg("%s: %u: %s", names[i], error.line, error.message);
        lane_print(&module, &again);
        assert_true(text_ok(&again));
        assert_string_equal(again.bytes, text);
        text_free(&again);
        atoll_text_free(text);
        lane_module_free(&module);
        rig_close(&rig);
    }
}

int main(void)
{
    static const char *const names[] = {"atom_generic", "atom_shared", "atom_shared_abs", "cmp",   "cvt",  "f32",
                                        "f64",          "half",        "iarith16",        "sregs", "video"};
    enum { COUNT = sizeof names / sizeof *names };
    struct CMUnitTest tests[COUNT + 3] = {[COUNT] = cmocka_unit_test(lanes_read_back),
                                          [COUNT + 1] = cmocka_unit_test(surfaces),
                                          [COUNT + 2] = cmocka_unit_test(queries)};
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){names[i], same, NULL, NULL, (void *)(uintptr_t)names[i]};
    return cmocka_run_group_tests_name("PTX and machine code", tests, NULL, NULL) != 0;
}
