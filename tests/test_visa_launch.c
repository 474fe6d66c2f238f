/* What the launch of a vISA kernel gives: its parameters, and where inputs, surfaces and samplers find their bytes. */
#include "isa/visa/launch.h"

#include "isa/visa/parse.h"
#include "lane/lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A kernel on its way to a lane function. */
struct rig {
    struct arena arena;
    struct visa_module module;
    struct visa_used used;
    uint32_t of_surface[16];
    struct atoll_module_options options;
    struct lane_module lanes;
    struct visa_launch launch;
    struct atoll_error error;
};

static void rig_parse(struct rig *r, const char *text)
{
    struct diag diag = {.source = text, .size = strlen(text), .first = &r->error};
    assert_true(visa_parse(&r->arena, &diag, &r->module));
    if (diag.errors)
        fail_msg("%s", r->error.message);
    memset(r->of_surface, 0xff, sizeof r->of_surface);
    r->used.of_surface = r->of_surface;
    r->used.nsurfaces = 16;
}

static bool rig_make(struct rig *r)
{
    struct lane_builder b;
    lane_begin(&b, &r->lanes, lane_add_func(&r->lanes));
    b.func->name = r->module.kernels[0].name;
    b.func->kernel = b.func->defined = true;
    bool ok = visa_launch_make(&r->arena, &r->module.kernels[0], &r->options, &r->used, &b, &r->launch, &r->error);
    lane_block(&b);
    lane_emit(&b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    assert_true(lane_end(&b, NULL));
    return ok;
}

static void rig_free(struct rig *r)
{
    lane_module_free(&r->lanes);
    arena_free(&r->arena);
}

/* The function's parameters and words, as its text has them; homes of inputs behind them. */
static void assert_launch(struct rig *r, const char *wanted)
{
    struct text text = {0};
    struct lane_module back = {0};
    if (!rig_make(r))
        fail_msg("%s", r->error.message);
    if (!lane_verify(&r->lanes, &r->error))
        fail_msg("%s", r->error.message);
    lane_print(&r->lanes, &text);
    struct atoll_error error;
    assert_true(lane_parse(text.bytes, text.length, &back, &error));
    struct text again = {0}, got = {0};
    lane_print(&back, &again);
    assert_string_equal(again.bytes, text.bytes);
    const char *at = strstr(text.bytes, "kernel "), *end = strstr(text.bytes, "b0:");
    text_add(&got, at, (size_t)(end - at));
    for (uint32_t i = 0; i < r->module.kernels[0].ninputs; i++) {
        const struct visa_home *home = &r->launch.inputs[i];
        if (home->kind == VISA_HOME_BYTES)
            text_printf(&got, "input %u: %u\n", i, home->at);
        if (home->kind == VISA_HOME_LOCAL_ID)
            text_printf(&got, "input %u: %c%u\n", i, "xyz"[home->axis], home -> first);
    }
    assert_string_equal(got.bytes, wanted);
    text_free(&text);
    text_free(&again);
    text_free(&got);
    lane_module_free(&back);
    lane_module_free(&r->lanes);
}

static void assert_refused(struct rig *r, enum atoll_status status, const char *part)
{
    assert_false(rig_make(r));
    assert_int_equal(r->error.status, status);
    if (!strstr(r->error.message, part))
        fail_msg("'%s' is not in: %s", part, r->error.message);
    lane_module_free(&r->lanes);
}

/* ---- as written ------------------------------------------------------------------------------------------- */

#define HEAD ".version 4.1\n.kernel \"k\"\n"
#define TAIL ".kernel_attr Target=\"cm\"\n"
#define CODE "    ret (M1, 1)\n"

static const char inputs_text[] = HEAD ".decl V32 v_type=G type=ud num_elts=1 align=dword\n"
                                       ".decl V33 v_type=G type=f num_elts=3 align=dword\n"
                                       ".decl V34 v_type=G type=q num_elts=2 align=qword\n"
                                       ".decl V35 v_type=G type=w num_elts=16 align=hword\n"
                                       ".decl T6 v_type=T num_elts=1 v_name=T6\n"
                                       ".input V32 offset=32 size=4\n"
                                       ".input V33 offset=36 size=12\n"
                                       ".input V34 offset=48 size=16\n"
                                       ".input T6 offset=64 size=4\n"
                                       ".input V35 offset=96 size=32\n" TAIL;

static void test_inputs(void **state)
{
    struct rig r = {0};
    (void)state;
    rig_parse(&r, inputs_text);
    r.used.btis[1] = r.used.btis[VISA_OWN_BTI] = r.used.samplers[3] = true;
    r.of_surface[6] = VISA_OWN_BTI;
    assert_launch(&r, "kernel \"k\" lanes 8 params 128 at 0 space 128 {\n"
                      "  param \"V32\" \"u32\" offset 0 size 4 align 4 count 1\n"
                      "  param \"V33\" \"f32\" offset 4 size 12 align 4 count 3\n"
                      "  param \"V34\" \"s64\" offset 16 size 16 align 8 count 2\n"
                      "  param \"V35\" \"s16\" offset 32 size 32 align 2 count 16\n"
                      "  param \"bti1\" \"bti\" offset 64 size 24 align 8 count 1\n"
                      "  param \"bti128\" \"bti\" offset 88 size 24 align 8 count 1 source \"T6\"\n"
                      "  param \"sampler3\" \"sampler\" offset 112 size 16 align 8 count 1\n"
                      "input 0: 0\ninput 1: 4\ninput 2: 16\ninput 4: 32\n");
    assert_int_equal(r.launch.inputs[3].kind, VISA_HOME_NONE);
    assert_int_equal(r.launch.bti_at[1], 64);
    assert_int_equal(r.launch.bti_at[VISA_OWN_BTI], 88);
    assert_int_equal(r.launch.bti_at[0], VISA_NOT_NAMED);
    assert_int_equal(r.launch.sampler_at[3], 112);
    assert_int_equal(r.launch.sampler_at[0], VISA_NOT_NAMED);
    rig_free(&r);
}

/* ---- threads of a warp ------------------------------------------------------------------------------------ */

static unsigned simd_of(const char *text, unsigned asked)
{
    struct rig r = {0};
    rig_parse(&r, text);
    r.options.simd = asked;
    if (!rig_make(&r))
        fail_msg("%s", r.error.message);
    unsigned simd = r.launch.simd;
    assert_int_equal(r.lanes.funcs[0].warp_lanes, simd);
    rig_free(&r);
    return simd;
}

#define MOV(exec) "    mov " exec " V32(0,0)<1> 0x0:d\n"
#define WIDE      HEAD ".decl V32 v_type=G type=d num_elts=32 align=hword\n" TAIL

static void test_simd(void **state)
{
    struct rig r = {0};
    (void)state;
    assert_int_equal(simd_of(WIDE MOV("(M1, 1)"), 0), 8);
    assert_int_equal(simd_of(WIDE MOV("(M1, 16)"), 0), 16);
    assert_int_equal(simd_of(WIDE MOV("(M5, 16)"), 0), 32);
    assert_int_equal(simd_of(WIDE MOV("(M1_NM, 32)"), 0), 8); /* says nothing of the channels */
    assert_int_equal(simd_of(WIDE MOV("(M1, 8)"), 16), 16);
    assert_int_equal(simd_of(WIDE ".kernel_attr SimdSize=16\n" MOV("(M1, 8)"), 0), 16);
    assert_int_equal(simd_of(WIDE ".kernel_attr SimdSize=16\n" MOV("(M1, 8)"), 16), 16);
    rig_parse(&r, WIDE ".kernel_attr SimdSize=16\n" CODE);
    r.options.simd = 8;
    assert_refused(&r, ATOLL_USAGE, "kernel 'k' has 16 threads a warp (SimdSize); asked for: 8");
    assert_int_equal(r.error.option, ATOLL_OPTION_SIMD);
    r.options.simd = 12;
    assert_refused(&r, ATOLL_USAGE, "wanted 8, 16 or 32");
    rig_free(&r);
    r = (struct rig){0};
    rig_parse(&r, WIDE ".kernel_attr SimdSize=4\n" CODE);
    assert_refused(&r, ATOLL_UNSUPPORTED, "SimdSize=4");
    rig_free(&r);
}

/* ---- shared memory ---------------------------------------------------------------------------------------- */

static void test_shared(void **state)
{
    struct rig r = {0};
    (void)state;
    rig_parse(&r, HEAD ".kernel_attr Target=\"cm\"\n.kernel_attr SLMSize=4\n" CODE);
    assert_true(rig_make(&r));
    assert_int_equal(r.launch.slm_bytes, 4096);
    assert_int_equal(r.lanes.nsymbols, 1);
    assert_int_equal(r.lanes.symbols[0].kind, LANE_SYMBOL_SHARED);
    assert_int_equal(r.lanes.symbols[0].size, 4096);
    rig_free(&r);
    r = (struct rig){0};
    rig_parse(&r, HEAD ".kernel_attr Target=\"cm\"\n.kernel_attr SLMSize=65\n" CODE);
    assert_refused(&r, ATOLL_INPUT, "SLMSize=65 KiB, at most 64");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_simd),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
