/* What the launch of a vISA kernel gives: its parameters, and where inputs, surfaces and samplers find their bytes. */
#include "isa/visa/launch.h"

#include "isa/visa/parse.h"
#include "lane/lane.h"
#include "mem/sampler.h"

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

/* ---- OpenCL: what ocloc says of its kernels ---------------------------------------------------------------- */

static char *data(struct rig *r, const char *name)
{
    char path[500];
    snprintf(path, sizeof path, DATA_DIR "/visa_ocl/%s", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    char *text = arena_alloc(&r->arena, 1 << 17);
    assert_non_null(text);
    text[fread(text, 1, (1 << 17) - 1, file)] = 0;
    fclose(file);
    return text;
}

static void rig_ocl(struct rig *r, const char *kernel, const char *device, unsigned simd, bool zeinfo)
{
    char name[200];
    *r = (struct rig){.options.abi = "opencl"};
    snprintf(name, sizeof name, "%s.%s.simd%u.visaasm", kernel, device, simd);
    rig_parse(r, data(r, name));
    snprintf(name, sizeof name, "%s.%s.ze_info", kernel, device);
    r->options.abi_text = zeinfo ? data(r, name) : "";
}

static void test_zeinfo(void **state)
{
    struct rig r;
    (void)state;
    rig_ocl(&r, "01_hist_local", "skl", 32, true);
    assert_launch(&r, "kernel \"hist\" lanes 32 params 52 at 0 space 136 {\n"
                      "  param \"arg0\" \"bti\" offset 0 size 24 align 8 count 1 source \"in\"\n"
                      "  param \"arg1\" \"bti\" offset 24 size 24 align 8 count 1 source \"out\"\n"
                      "  param \"arg2\" \"u32\" offset 48 size 4 align 4 count 1 source \"n\"\n"
                      "  word 68 size 4 ntid_x\n"
                      "  word 72 size 4 ntid_y\n"
                      "  word 76 size 4 ntid_z\n"
                      "  word 88 size 4 threads_x\n"
                      "  word 92 size 4 threads_y\n"
                      "  word 96 size 4 threads_z\n"
                      "  word 104 size 4 ntid_x\n"
                      "  word 108 size 4 ntid_y\n"
                      "  word 112 size 4 ntid_z\n"
                      "  word 120 size 4 ntid_x\n"
                      "  word 124 size 4 ntid_y\n"
                      "  word 128 size 4 ntid_z\n"
                      "input 0: x0\ninput 1: x16\ninput 2: y0\ninput 3: y16\ninput 4: z0\ninput 5: z16\n"
                      "input 6: 56\ninput 7: 0\ninput 8: 24\ninput 9: 48\n"
                      "input 10: 88\ninput 11: 104\ninput 12: 120\n");
    assert_int_equal(r.launch.slm_bytes, 1024);
    assert_int_equal(r.launch.bti_at[0], 0);
    assert_int_equal(r.launch.bti_at[1], 24);
    rig_free(&r);
    /* the image is only written: the buffer's index comes before it; a sampler that no argument stands for */
    rig_ocl(&r, "15_typed_atomic_inline", "skl", 8, true);
    r.used.btis[0] = r.used.btis[1] = r.used.samplers[2] = true;
    assert_launch(&r, "kernel \"tat\" lanes 8 params 64 at 0 space 112 {\n"
                      "  param \"arg0\" \"bti\" offset 0 size 24 align 8 count 1 source \"a\"\n"
                      "  param \"arg1\" \"bti\" offset 24 size 24 align 8 count 1 source \"out\"\n"
                      "  param \"sampler2\" \"sampler\" offset 48 size 16 align 8 count 1\n"
                      "  word 76 size 4 ntid_x\n  word 80 size 4 ntid_y\n  word 84 size 4 ntid_z\n"
                      "  word 96 size 4 ntid_x\n  word 100 size 4 ntid_y\n  word 104 size 4 ntid_z\n"
                      "input 0: x0\ninput 1: y0\ninput 2: z0\ninput 3: 64\ninput 4: 24\ninput 5: 96\n");
    assert_int_equal(r.launch.bti_at[0], 24);
    assert_int_equal(r.launch.bti_at[1], 0);
    rig_free(&r);
    /* no local ids: the payload begins behind r0; private memory is each thread's own */
    rig_ocl(&r, "13_subgroup", "acm-g10", 16, true);
    assert_launch(&r, "kernel \"sg\" lanes 16 params 48 at 0 space 104 {\n"
                      "  param \"arg0\" \"bti\" offset 0 size 24 align 8 count 1 source \"a\"\n"
                      "  param \"arg1\" \"bti\" offset 24 size 24 align 8 count 1 source \"b\"\n"
                      "  word 60 size 4 ntid_x\n  word 64 size 4 ntid_y\n  word 68 size 4 ntid_z\n"
                      "  word 80 size 8 local\n"
                      "  word 88 size 4 ntid_x\n  word 92 size 4 ntid_y\n  word 96 size 4 ntid_z\n"
                      "input 0: 48\ninput 1: 0\ninput 2: 24\ninput 3: 80\ninput 4: 88\n");
    rig_free(&r);
}

/* A sampler in the source is no argument. */
static void test_inline_sampler(void **state)
{
    struct rig r;
    struct sampler_state sampler;
    (void)state;
    rig_ocl(&r, "02_image_copy", "tgllp", 32, true);
    r.used.samplers[0] = true;
    assert_true(rig_make(&r));
    const struct lane_func *f = &r.lanes.funcs[0];
    assert_int_equal(f->nkparams, 3);
    assert_int_equal(r.launch.sampler_at[0], f->words[0].offset);
    memcpy(&sampler, &f->words[0].value, 8);
    memcpy((char *)&sampler + 8, &f->words[1].value, 8);
    assert_true(sampler_valid(&sampler));
    assert_int_equal(sampler.filter, SAMPLER_NEAREST);
    assert_int_equal(sampler.wrap[1], SAMPLER_EDGE);
    assert_int_equal(sampler.normalized, 0);
    rig_free(&r);
}

/* ---- OpenCL: what the rules say of the same ------------------------------------------------------------------ */

static const struct ocl {
    const char *kernel, *arguments, *vectors; /* inputs of 12 bytes, in order: l local_size, e enqueued, g global */
    unsigned simd;
} ocl[] = {
    {"01_hist_local", "0=global\n1=global\n2=value\nslm=1024\n", "gle", 32},
    {"02_image_copy", "0=image:2d:read\n1=image:write:2d\n2=value:4\n", "e", 32},
    {"04_reduce_float", "0=global\n1=global\n2=local\n3=value\n", "le", 32},
    {"05_transpose", "# 2 buffers\n0=global\n1=global\n 2=value:4 \n\n3=value:4\r\nslm=1088", "e", 32},
    {"07_atomics_all", "0=global\n1=global\n2=global\n3=value\n", "e", 32},
    {"09_divergent", "0=global\n1=global\n2=value\n", "e", 16},
    {"12_image_rw_uint3d", "0=image:2d\n1=image:3d:read\n2=image:2darray:write\n3=value", "e", 32},
    {"13_subgroup", "0=global\n1=global\n", "l", 16},
    {"15_typed_atomic_inline", "0=image\n1=global\nkernel=other\n2=global\nkernel=tat\n", "e", 8},
    {"conv_border", "0=image:2d:read\n1=image:2d:write\n2=constant\n", "e", 32},
    {"matmul", "0=global\n1=global\n2=global\n3=value\n4=value\n5=value\nslm=2048\n", "", 16},
    {"math", "0=global\n1=global\n2=global\n3=global\n", "e", 32},
    {"half_int64", "0=global\n1=global\n2=global\n3=global\n4=global\n5=global\n", "e", 32},
    {"call", "0=global\n1=global\n2=value\n", "e", 8},
    {"bytes", "0=global\n1=global\n2=global\n3=global\n4=global\n5=value:1\n", "e", 32},
    {"private", "0=global\n1=global\n2=value\n", "e", 8},
};
static const char *const devices[] = {"skl", "tgllp", "acm-g10"};

/* The list, and what the vectors are. */
static const char *list_of(struct rig *r, const struct ocl *k)
{
    struct text list = {0};
    const struct visa_object *o = &r->module.kernels[0];
    const char *vector = k->vectors;
    text_printf(&list, "%s\n", k->arguments);
    for (uint32_t i = 0; i < o->ninputs; i++)
        if (o->inputs[i].size == 12) {
            text_printf(&list, "%s=%s\n", visa_name(o, VISA_G, o->inputs[i].id),
                        *vector == 'g'   ? "global_size"
                        : *vector == 'l' ? "local_size"
                                         : "enqueued_local_size");
            vector++;
        }
    const char *copy = arena_text(&r->arena, list.bytes, list.length);
    text_free(&list);
    return copy;
}

/* How the indices of this kernel are used. */
static void use(struct rig *r, const struct ocl *k)
{
    bool images = k->kernel[0] == '1' && k->kernel[1] == '2';
    r->used.sampled[0] = images || k->kernel[1] == '2';
    r->used.sampled[1] = r->used.typed[2] = images;
    r->used.typed[1] = r->used.sampled[0] || k->kernel[1] == '5';
    r->used.buffer[0] = !r->used.sampled[0];
}

static void assert_same_launch(struct rig *a, struct rig *b, const char *name)
{
    const struct lane_func *f = &a->lanes.funcs[0], *g = &b->lanes.funcs[0];
    uint32_t skip = f->nwords - g->nwords; /* samplers of the source, which a list does not have */
    uint32_t further = 8 * skip;
    if (f->nkparams != g->nkparams || f->param_bytes != g->param_bytes || (skip && skip != 2))
        fail_msg("%s: %u parameters, %u words; %u, %u", name, f->nkparams, f->nwords, g->nkparams, g->nwords);
    for (uint32_t i = 0; i < g->nwords; i++) {
        struct lane_word want = f->words[i + skip];
        want.offset -= further;
        assert_memory_equal(&want, &g->words[i], sizeof want);
    }
    for (uint32_t i = 0; i < a->module.kernels[0].ninputs; i++) {
        struct visa_home want = a->launch.inputs[i];
        want.at -= want.at >= f->param_bytes ? further : 0;
        if (memcmp(&want, &b->launch.inputs[i], sizeof want) != 0 || want.kind == VISA_HOME_NONE)
            fail_msg("%s: input %u", name, i);
    }
    assert_memory_equal(a->launch.bti_at, b->launch.bti_at, sizeof a->launch.bti_at);
    assert_int_equal(a->launch.slm_bytes, b->launch.slm_bytes);
    assert_int_equal(a->launch.simd, b->launch.simd);
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * sizeof ocl / sizeof *ocl; i++) {
        const struct ocl *k = &ocl[i / 3];
        struct rig told, deduced;
        rig_ocl(&told, k->kernel, devices[i % 3], k->simd, true);
        rig_ocl(&deduced, k->kernel, devices[i % 3], k->simd, false);
        deduced.options.abi_text = list_of(&deduced, k);
        use(&deduced, k);
        if (!rig_make(&told) || !rig_make(&deduced))
            fail_msg("%s %s: %s%s", k->kernel, devices[i % 3], told.error.message, deduced.error.message);
        assert_int_equal(told.launch.simd, k->simd);
        assert_same_launch(&told, &deduced, k->kernel);
        rig_free(&told);
        rig_free(&deduced);
    }
}

/* ---- OpenCL: what is refused ----------------------------------------------------------------------------------- */

static void refused(const char *kernel, unsigned simd, const char *text, enum atoll_status status, const char *part)
{
    struct rig r;
    rig_ocl(&r, kernel, "skl", simd, false);
    r.options.abi_text = text;
    assert_refused(&r, status, part);
    rig_free(&r);
}

#define DV "09_divergent", 16
#define ZE "---\nkernels:\n  - name: dv\n    payload_arguments:\n"

static void test_refused_lists(void **state)
{
    (void)state;
    refused(DV, "0=global\n1=global\n2=value\n", ATOLL_USAGE,
            "input V0038 at offset 192 (12 bytes) is not an argument, and nothing tells which it is: group_count, "
            "global_size, local_size or enqueued_local_size");
    refused(DV, "0=global\n1=value:4\n2=value\n", ATOLL_USAGE,
            "argument 1 (value) would be 4 bytes at offset 168, but input V0063 has 8 at 168");
    refused(DV, "0=global\n1=global\n2=global\n", ATOLL_USAGE,
            "argument 2 (global) would be 8 bytes at offset 176, but input V0034 has 4 at 176");
    refused(DV, "", ATOLL_USAGE, "input V0062 at offset 160 (8 bytes) is not an argument");
    refused(DV, "0=global\n2=global\n", ATOLL_USAGE, "has argument 2, but not 1");
    refused(DV, "0=globl\n", ATOLL_USAGE, "'0=globl' in the list of its arguments: wanted global, constant, local");
    refused(DV, "0=global\n0=global\n", ATOLL_USAGE, "twice");
    refused(DV, "0=global:3\n", ATOLL_USAGE, "nothing can follow this kind");
    refused(DV, "0=value:x\n", ATOLL_USAGE, "wanted a number of bytes");
    refused(DV, "0=image:4d\n", ATOLL_USAGE, "wanted 1d, 1dbuffer");
    refused(DV, "V0038=colour\n", ATOLL_USAGE, "wanted parameter, or a name");
    refused(DV, "256=global\n", ATOLL_USAGE, "wanted parameter, or a name");
    refused(DV, "global\n", ATOLL_USAGE, "wanted INDEX=KIND");
    refused(DV, "simd=8\n", ATOLL_INPUT, "SimdSize=16; its description says 8");
    refused(DV, "kernel=other\n0=global\n", ATOLL_UNSUPPORTED, "has nothing on this kernel");
    refused("02_image_copy", 32, "0=image\n1=image\n2=value\nV0038=local_size\n", ATOLL_USAGE,
            "which of its 2 images are read only");
}

static void test_refused_zeinfo(void **state)
{
    (void)state;
    refused(DV, "---\nkernels:\n  - name: other\n", ATOLL_UNSUPPORTED, "has nothing on this kernel");
    refused(DV, "kernels:\n  - name\n", ATOLL_INPUT, "'name': wanted 'key: value'");
    refused(DV, ZE "      - arg_type: arg_byvalue\n        offset: 1x\n", ATOLL_INPUT, "offset: 1x; wanted a number");
    refused(DV, ZE "      - arg_type: arg_byvalue\n        offset: 0\n        size: 4\n", ATOLL_INPUT,
            "without arg_index");
    refused(DV, ZE "      - arg_type: local_size\n        offset: 12\n        size: 12\n", ATOLL_INPUT,
            "its description has nothing that begins there: it is of another compilation");
    refused(DV, ZE "      - arg_type: local_size\n        offset: 0\n        size: 12\n        arg_index: 256\n",
            ATOLL_INPUT, "arg_index: 256; wanted a number up to 255");
    refused(DV, ZE "      - arg_type: printf_buffer\n        offset: 0\n        size: 400\n", ATOLL_UNSUPPORTED,
            "which is its printf_buffer");
    refused(DV, ZE "    per_thread_payload_arguments:\n      - arg_type: packed_local_ids\n        size: 6\n",
            ATOLL_UNSUPPORTED, "not supported: packed_local_ids of each thread");
}

/* Texts cut anywhere, or with a byte changed, are read or refused, and nothing else. */
static void test_damaged_zeinfo(void **state)
{
    (void)state;
    struct rig r;
    rig_ocl(&r, "02_image_copy", "skl", 32, true);
    size_t length = strlen(r.options.abi_text);
    char *copy = arena_text(&r.arena, r.options.abi_text, length);
    const char *whole = r.options.abi_text;
    r.options.abi_text = copy;
    for (size_t i = 0; i < length; i++) {
        static const char bytes[] = {0, '\n', ' ', '-', ':', '9'};
        copy[i] = bytes[i % sizeof bytes];
        rig_make(&r);
        lane_module_free(&r.lanes);
        copy[i] = whole[i];
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),         cmocka_unit_test(test_simd),
        cmocka_unit_test(test_shared),         cmocka_unit_test(test_zeinfo),
        cmocka_unit_test(test_inline_sampler), cmocka_unit_test(test_rules),
        cmocka_unit_test(test_refused_lists),  cmocka_unit_test(test_refused_zeinfo),
        cmocka_unit_test(test_damaged_zeinfo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
