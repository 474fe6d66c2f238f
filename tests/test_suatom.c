/* Lane programs with what no PTX instruction does: atomics on surfaces that return the old value, loads through the
 * format, residency. A warp at a time, through the engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"

enum { WIDTH = 64, WORDS = 4 * LANES };

struct rig {
    struct device *device;
    struct surface *surface;
    struct lane_module module;
    struct program *program;
    uint64_t out;
    uint32_t words[WORDS]; /* of the output: lane i writes words 4 * i to 4 * i + 3 */
    struct atoll_error error;
    struct atoll_trap trap;
    bool ok;
};

/* Runs `body` in one warp. %tid = lane, %s = handle of the surface, %x4 = 4 * lane; results go to %a %b %c %d and the
 * predicates %p %q (in %d, bits 0 and 1). */
static void run(struct rig *r, const char *body)
{
    static const char frame[] = "lanes 1\n"
                                "kernel \"k\" params 16 {\n"
                                "  param \"out\" \"u64\" offset 0 size 8 align 8 count 1\n"
                                "  param \"s\" \"u64\" offset 8 size 8 align 8 count 1\n"
                                "  reg 32 %%tid %%x4 %%a %%b %%c %%d %%t %%u\n"
                                "  reg 64 %%s %%out %%o %%e %%f\n"
                                "  reg 1 %%p %%q\n"
                                "b0:\n"
                                "    %%out = ld.param.u64 [0:64]\n"
                                "    %%s = ld.param.u64 [8:64]\n"
                                "    %%tid = sreg.tid.x.b32\n"
                                "    %%x4 = mul.u32 %%tid, 4\n"
                                "    %%o = mulwide.u32 %%tid, 16\n"
                                "    %%out = add.u64 %%out, %%o\n"
                                "    %%a = mov.b32 9\n    %%b = mov.b32 9\n    %%c = mov.b32 9\n    %%d = mov.b32 9\n"
                                "    %%p = setp.eq.u32 %%tid, 99\n    %%q = setp.eq.u32 %%tid, 99\n"
                                "%s"
                                "    %%t = selp.b32 1, 0, %%p\n    %%u = selp.b32 2, 0, %%q\n"
                                "    %%d = or.b32 %%t, %%u\n"
                                "    st.global.v4.b32 [%%out], %%a, %%b, %%c, %%d\n"
                                "    exit\n"
                                "}\n";
    char text[8192];
    assert_true(snprintf(text, sizeof text, frame, body) < (int)sizeof text);
    memset(&r->module, 0, sizeof r->module);
    if (!lane_parse(text, strlen(text), &r->module, &r->error) || !lane_verify(&r->module, &r->error) ||
        !program_create(r->device, &r->module, 0, NULL, &r->program, &r->error))
        fail_msg("line %u: %s", r->error.line, r->error.message);
    uint64_t parameters[2] = {r->out, r->surface->handle};
    struct atoll_launch_options launch = {
        .block = {LANES}, .parameters = parameters, .parameter_bytes = 16, .threads = 1};
    r->ok = program_launch(r->program, "test", &launch, NULL, &r->trap, &r->error);
    struct space_block block;
    assert_true(space_find(device_space(r->device), r->out, &block));
    memcpy(r->words, block.host, sizeof r->words);
    program_destroy(r->program);
    lane_module_free(&r->module);
}

static void must_run(struct rig *r, const char *body)
{
    run(r, body);
    if (!r->ok)
        fail_msg("%s", r->error.message);
}

static uint32_t *texel(const struct rig *r, uint32_t x)
{
    return (uint32_t *)(void *)(r->surface->texels + r->surface->layout->offset(r->surface, x * 4, 0, 0));
}

static void open(struct rig *r, const char *format, const char *layout)
{
    *r = (struct rig){0};
    struct surface_shape shape = {
        .dim = LANE_DIM_2D, .width = WIDTH, .height = 4, .format = format_find(format), .layout = layout_find(layout)};
    assert_true(device_create(1 << 20, &r->device, &r->error));
    assert_true(surface_make(&shape, &r->surface, &r->error));
    assert_true(device_add_surface(r->device, r->surface, DEVICE_HEADER_ANY, &r->error));
    assert_true(space_alloc(device_space(r->device), sizeof r->words, false, false, &r->out, &r->error));
    for (uint32_t x = 0; x < WIDTH && 4 * x + 4 <= r->surface->row_bytes; x++)
        *texel(r, x) = 100 + x;
}

static void close(struct rig *r)
{
    device_destroy(r->device);
    surface_destroy(r->surface);
}

static void old_values_come_back(void **state)
{
    (void)state;
    static const char *const layouts[] = {"pitch", "block-linear"};
    for (unsigned k = 0; k < 2; k++) {
        struct rig r;
        open(&r, "r32uint", layouts[k]);
        must_run(&r, "    %a = suatom.add.2d.trap.byte.u32 %s, %x4, 0:32, 1:32\n"
                     "    %b = suatom.exch.2d.trap.sample.u32 %s, %tid, 0:32, %tid\n"
                     "    %c = suatom.cas.2d.trap.sample.b32 %s, %tid, 0:32, 5:32, 77:32\n"
                     "    _ = suatom.max.2d.trap.sample.u32 %s, %tid, 0:32, 3:32\n");
        for (uint32_t i = 0; i < LANES; i++) {
            assert_int_equal(r.words[4 * i], 100 + i);
            assert_int_equal(r.words[4 * i + 1], 101 + i);
            assert_int_equal(r.words[4 * i + 2], i);
            assert_int_equal(*texel(&r, i), i == 5 ? 77 : i < 3 ? 3 : i);
        }
        close(&r);
    }
}

static void lanes_go_one_after_the_other(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r32uint", "pitch");
    must_run(&r, "    %a = suatom.inc.2d.trap.byte.u32 %s, 0:32, 0:32, 110:32\n"
                 "    %b = suatom.dec.2d.trap.byte.u32 %s, 4:32, 0:32, 50:32\n");
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(r.words[4 * i], i <= 10 ? 100 + i : i - 11);
        assert_int_equal(r.words[4 * i + 1], i == 0 ? 101 : 50 - (i - 1));
    }
    close(&r);
}

/* Named choices: ignored lanes return 0; .near works on the nearest texel. */
static void clamps(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r32uint", "block-linear");
    must_run(&r, "    %t = sub.u32 %tid, 4\n"
                 "    %a = suatom.add.2d.zero.sample.u32 %s, %t, 0:32, 1:32\n"
                 "    %b = suatom.or.2d.near.sample.b32 %s, %t, 9:32, 0:32\n"
                 "    %p = setp.eq.u32 0, 0\n");
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(r.words[4 * i], i < 4 ? 0 : 96 + i);
        assert_int_equal(*texel(&r, i), i < 28 ? 101 + i : 100 + i);
    }
    run(&r, "    %t = sub.u32 %tid, 4\n    %a = suatom.add.2d.trap.sample.u32 %s, %t, 0:32, 1:32\n");
    assert_false(r.ok);
    assert_string_equal(r.trap.cause, "out-of-bounds");
    close(&r);
}

static void types(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r32sint", "pitch");
    *texel(&r, 1) = 0x3f800000;
    *texel(&r, 2) = (uint32_t)-5;
    *texel(&r, 3) = 0x3c004000; /* 1.0, 2.0 */
    must_run(&r, "    %a = suatom.add.2d.trap.sample.ftz.f32 %s, 1:32, 0:32, 0x3f000000:32\n"
                 "    %b = suatom.min.2d.trap.sample.p.b32 %s, 2:32, 0:32, 3:32\n"
                 "    %c = suatom.add.2d.trap.sample.ftz.f16x2 %s, 3:32, 0:32, 0x3c003c00:32\n"
                 "    %e = suatom.add.2d.trap.sample.u64 %s, 2:32, 1:32, 0x100000001:64\n");
    assert_int_equal(r.words[0], 0x3f800000);
    assert_int_equal(*texel(&r, 1), 0x41880000); /* 1.0 + 32 * 0.5 */
    assert_int_equal((int32_t)r.words[1], -5);   /* signed by the format */
    assert_int_equal((int32_t)*texel(&r, 2), -5);
    assert_int_equal(*texel(&r, 3), 0x50205040); /* 33.0, 34.0 */
    uint64_t wide;
    memcpy(&wide, r.surface->texels + r.surface->layout->offset(r.surface, 16, 1, 0), 8);
    assert_int_equal(wide, UINT64_C(0x2000000020));
    close(&r);
}

static void residency(void **state)
{
    (void)state;
    struct rig r;
    *(&r) = (struct rig){0};
    open(&r, "r32uint", "pitch");
    device_remove(r.device, r.surface->handle);
    surface_destroy(r.surface);
    struct surface_shape shape = {.dim = LANE_DIM_2D,
                                  .width = WIDTH,
                                  .height = 4,
                                  .settings = {32768},
                                  .format = format_find("r32uint"),
                                  .layout = layout_find("pitch")};
    assert_true(surface_make(&shape, &r.surface, &r.error) &&
                device_add_surface(r.device, r.surface, DEVICE_HEADER_ANY, &r.error));
    for (uint32_t y = 0; y < 4; y++)
        memset(r.surface->texels + y * 32768, (int)(y + 1), WIDTH * 4);
    assert_true(surface_reside(r.surface, 1, 1, false, &r.error)); /* rows 2 and 3 */
    must_run(&r, "    %t = shr.u32 %tid, 3\n"                      /* row */
                 "    %a, %p = suld.2d.zero.sample.residency.b32 %s, %tid, %t\n"
                 "    %u = sub.u32 %tid, 1\n"
                 "    %b, %q = suatom.add.2d.zero.sample.residency.u32 %s, %u, %t, 1:32\n"
                 "    sust.2d.zero.sample.b32 %s, 60:32, 3:32, 7:32\n");
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t row = i / 8, value = 0x01010101 * (row + 1);
        assert_int_equal(r.words[4 * i], row < 2 ? value : 0);
        assert_int_equal(r.words[4 * i + 1], row < 2 && i > 0 ? value : 0); /* out of range is not absent */
        assert_int_equal(r.words[4 * i + 3], row < 2 ? 3 : 0);
    }
    assert_int_equal(r.surface->texels[3 * 32768 + 240], 4);
    surface_disable(r.surface, true);
    must_run(&r, "    %a, %p = suld.2d.trap.byte.residency.b32 %s, 77:32, 99:32\n");
    assert_int_equal(r.words[0], 0);
    assert_int_equal(r.words[3], 1);
    close(&r);
}

static void loads_through_the_format(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "rgba8unorm", "block-linear");
    *texel(&r, 0) = 0xff000080;
    must_run(&r, "    %a, _, %b, %c = suld.2d.zero.sample.p.v4.b32 %s, %tid, 0:32\n"
                 "    sust.2d.zero.sample.p.v4.b32 %s, 40:32, 0:32, 0:32, 0x3f800000:32, 0:32, 0x3f800000:32\n");
    float want = 128.0f / 255.0f, got;
    memcpy(&got, &r.words[0], 4);
    assert_true(got == want);
    assert_int_equal(r.words[1], 0);
    assert_int_equal(r.words[2], 0x3f800000);
    assert_int_equal(*texel(&r, 40), 0xff00ff00);
    must_run(&r, "    %t = add.u32 %tid, 60\n    %a, %b, %c, _ = suld.2d.zero.sample.p.v4.b32 %s, %t, 0:32\n");
    assert_int_equal(r.words[4 * 5], 0);
    assert_int_equal(r.words[4 * 5 + 2], 0);
    close(&r);
}

static void narrow_loads_extend_by_their_sign(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r32uint", "pitch");
    *texel(&r, 0) = 0xfedc8081;
    must_run(&r, "    %a = suld.2d.trap.byte.s8 %s, 0:32, 0:32\n    %b = suld.2d.trap.byte.b8 %s, 0:32, 0:32\n"
                 "    %c = suld.2d.trap.byte.s16 %s, 0:32, 0:32\n");
    assert_int_equal(r.words[0], 0xffffff81);
    assert_int_equal(r.words[1], 0x81);
    assert_int_equal(r.words[2], 0xffff8081);
    close(&r);
}

/* An access that leaves the geometry to the surface, with three coordinates, of any bound surface. */
static void any_geometry(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r32uint", "block-linear");
    must_run(&r, "    %a = suld.any.border.sample.b32 %s, %tid, 0:32, 77:32\n"
                 "    %b = suatom.add.any.zero.sample.u32 %s, 3:32, 0:32, %tid, 1:32\n"
                 "    sust.any.trap.sample.p.b32 %s, %tid, 1:32, %tid, %x4\n"
                 "    %t = sub.u32 %tid, 1\n"
                 "    %c = suatom.add.any.border.sample.u32 %s, %t, 1:32, 0:32, 1:32\n"
                 "    sured.add.any.zero.sample.u32 %s, %t, 1:32, 0:32, 1:32\n");
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(r.words[4 * i], 100 + i);
        assert_int_equal(r.words[4 * i + 1], 103 + i);
        assert_int_equal(r.words[4 * i + 2], i ? 4 * (i - 1) : 0);
        uint32_t *row1 = (uint32_t *)(void *)(r.surface->texels + r.surface->layout->offset(r.surface, i * 4, 1, 0));
        assert_int_equal(*row1, 4 * i + (i < 31 ? 2 : 0));
    }
    run(&r, "    %a = suld.any.trap.sample.b32 %s, %tid, 0xffffffff:32, 77:32\n");
    assert_false(r.ok);
    assert_string_equal(r.trap.cause, "out-of-bounds");
    assert_non_null(strstr(r.error.message, "coordinate (0, 4294967295) (x in texels) is outside of the 2D surface"));
    run(&r, "    %e = suatom.add.any.zero.sample.u64 %s, 0:32, 0:32, 0:32, 1:64\n");
    assert_false(r.ok);
    assert_string_equal(r.trap.cause, "wrong-format");
    assert_non_null(strstr(r.error.message,
                           "an access of 1 x u64 does not fit the format; 2D surface of 64 x 4 x 1 texels r32uint"));
    close(&r);
}

/* Texels of 16 bits, in registers of 32 bits; floats; through memory too. */
static void short_and_float_texels(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r16sint", "block-linear");
    uint16_t *first = (uint16_t *)(void *)r.surface->texels;
    for (unsigned i = 0; i < 8; i++) /* 16 bytes of a row lie together */
        first[i] = (uint16_t)(0xfffe + i);
    must_run(&r, "    %t = or.b32 %x4, 0x70000\n" /* upper halves are of no account */
                 "    %a = suatom.add.any.zero.sample.u16 %s, %tid, 0:32, 0:32, %t\n"
                 "    %b = suatom.min.any.zero.sample.p.b16 %s, 0:32, 0:32, 0:32, 1:32\n"
                 "    %c = suatom.cas.any.zero.sample.b16 %s, 1:32, 0:32, 0:32, 0x50003:32, 0x90007:32\n");
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(r.words[4 * i], (0xfffe + i) & 0xffff);
    assert_int_equal(r.words[1], 0xfffffffe); /* signed by the format */
    assert_int_equal(first[0], 0xfffe);
    assert_int_equal(r.words[2], 3);
    assert_int_equal(r.words[6], 7);
    assert_int_equal(first[1], 7);
    assert_int_equal(first[2], 8);
    run(&r, "    %a = suatom.add.any.zero.sample.u32 %s, %tid, 0:32, 0:32, %x4\n");
    assert_false(r.ok);
    assert_string_equal(r.trap.cause, "wrong-format");
    close(&r);
    open(&r, "r16float", "pitch");
    first = (uint16_t *)(void *)r.surface->texels;
    first[0] = 0x3c00;
    first[1] = 0x7e01; /* NaN */
    first[2] = 0x8000;
    must_run(&r, "    %a = suatom.sub.any.zero.sample.f16 %s, 0:32, 0:32, 0:32, 0x3800:32\n"
                 "    %b = suatom.max.any.zero.sample.f16 %s, 1:32, 0:32, 0:32, 0x3c00:32\n"
                 "    %c = suatom.fcas.any.zero.sample.f16 %s, 2:32, 0:32, 0:32, 0:32, %x4\n");
    assert_int_equal(first[0], 0xcb80); /* 1 - 32 * 0.5 */
    assert_int_equal(r.words[1], 0x7e01);
    assert_int_equal(r.words[5], 0x3c00);
    assert_int_equal(r.words[2], 0x8000);
    assert_int_equal(r.words[6], 0); /* lane 0 swapped zero for zero, lane 1 that for 4 */
    assert_int_equal(first[2], 4);
    close(&r);
    open(&r, "r32float", "pitch");
    must_run(&r, "    %a = atom.global.exch.b32 [%out], 0x80000000:32\n"
                 "    %b = atom.global.fcas.f32 [%out], 0:32, 0x3f800000:32\n"
                 "    %c = atom.global.sub.f32 [%out], 0x40000000:32\n"
                 "    %a = atom.global.add.u16 [%out+2], 0x71:32\n");
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(r.words[4 * i], 0xbf80);
        assert_int_equal(r.words[4 * i + 1], 0x80000000);
        assert_int_equal(r.words[4 * i + 2], 0x3f800000);
    }
    close(&r);
}

/* Out of bounds: alpha 1, as the format reads; but nothing there at all reads 0. */
static void border(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        uint32_t alpha;
    } formats[] = {{"rgba8unorm", 0x3f800000}, {"r32uint", 1}, {"r32float", 0x3f800000}};
    static const char body[] = "    %t = sub.u32 %tid, 4\n"
                               "    %a, _, %b, %c = suld.any.border.sample.p.v4.b32 %s, %t, 0:32, 0:32\n";
    for (unsigned k = 0; k < 3; k++) {
        struct rig r;
        open(&r, formats[k].format, "pitch");
        must_run(&r, body);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(r.words[4 * i], 0);
            assert_int_equal(r.words[4 * i + 2], formats[k].alpha);
        }
        surface_disable(r.surface, true);
        must_run(&r, body);
        assert_int_equal(r.words[2], 0);
        close(&r);
    }
}

/* Lanes name mip levels, from the surface's own on. */
static void levels(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r32uint", "pitch");
    device_remove(r.device, r.surface->handle);
    surface_destroy(r.surface);
    struct surface_shape shape = {.dim = LANE_DIM_2D,
                                  .width = 64,
                                  .height = 8,
                                  .levels = 4,
                                  .level = 1,
                                  .format = format_find("r32uint"),
                                  .layout = layout_find("block-linear")};
    assert_true(surface_make(&shape, &r.surface, &r.error) &&
                device_add_surface(r.device, r.surface, DEVICE_HEADER_ANY, &r.error));
    uint32_t texels[32 * 4];
    for (uint32_t level = 1; level < 4; level++) {
        struct surface view;
        assert_true(surface_view(r.surface, level, &view, &r.error));
        for (unsigned i = 0; i < 32 * 4; i++)
            texels[i] = level;
        assert_true(surface_upload(&view, texels, surface_packed_size(&view), &r.error));
    }
    must_run(&r, "    %t = and.b32 %tid, 3\n"
                 "    %a = suld.any.zero.sample.level.b32 %s, %tid, 0:32, 0:32, %t\n"
                 "    %b = suatom.add.2d.zero.sample.level.u32 %s, 0:32, 0:32, %t, 16:32\n"
                 "    %c, %p = suld.2d.zero.sample.level.p.residency.b32 %s, %tid, 0:32, 2:32\n"
                 "    sust.2d.zero.sample.level.b32 %s, 0:32, 1:32, 4:32, 7:32\n");
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t level = i % 4;
        assert_int_equal(r.words[4 * i], level < 3 && i < 32u >> level ? level + 1 : 0);
        assert_int_equal(r.words[4 * i + 1], level < 3 ? level + 1 + 16 * (i / 4) : 0);
        assert_int_equal(r.words[4 * i + 2], i == 0 ? 3 + 16 * 8 : i < 8 ? 3 : 0);
        assert_int_equal(r.words[4 * i + 3], 1);
    }
    run(&r, "    %a = suld.any.near.sample.level.b32 %s, %tid, 0:32, 0:32, %tid\n");
    assert_false(r.ok);
    assert_string_equal(r.trap.cause, "out-of-bounds");
    assert_non_null(strstr(r.error.message, "mip level 3: the surface has levels 0 to 2"));
    close(&r);
}

/* A handle is an index in the table of headers; the trap names the index and the last one. */
static void headers(void **state)
{
    (void)state;
    struct rig r;
    open(&r, "r32uint", "pitch");
    must_run(&r, "    %a = suld.2d.trap.byte.b32 1, 0:32, 0:32\n");
    assert_int_equal(r.words[0], 100);
    run(&r, "    %a = suld.2d.trap.byte.b32 9, 0:32, 0:32\n");
    assert_string_equal(r.trap.cause, "bad-handle");
    assert_non_null(strstr(r.error.message, "0x9 is not the handle of a surface: no such header; the last is 1"));
    run(&r, "    %a = suld.2d.trap.byte.b32 0x100001, 0:32, 0:32\n"); /* a sampler's bits: the front end masks them */
    assert_string_equal(r.trap.cause, "bad-handle");
    close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_values_come_back),
        cmocka_unit_test(lanes_go_one_after_the_other),
        cmocka_unit_test(clamps),
        cmocka_unit_test(types),
        cmocka_unit_test(residency),
        cmocka_unit_test(loads_through_the_format),
        cmocka_unit_test(narrow_loads_extend_by_their_sign),
        cmocka_unit_test(any_geometry),
        cmocka_unit_test(short_and_float_texels),
        cmocka_unit_test(border),
        cmocka_unit_test(levels),
        cmocka_unit_test(headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
