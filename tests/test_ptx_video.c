/* PTX's video instructions: values worked out by hand for the forms that no kernel of the corpus has (merges, masks,
 * selectors, minus, .po, scales; for the others PTX is held against machine code in test_sass_kernels.c), and forms
 * that are none, which stop the launch by name. */
#include "atoll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* %r1 .. %r3 are a, b, c; %r4 (0) is the result. */
static bool run(const char *instruction, const uint32_t abc[3], uint32_t *result, struct atoll_error *error)
{
    char text[1024];
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct {
        uint64_t out;
        uint32_t abc[3];
    } parameters = {.abc = {abc[0], abc[1], abc[2]}};
    struct atoll_launch_options launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = &parameters, .parameter_bytes = 20};
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_50\n.address_size 64\n"
             ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b, .param .u32 c)\n"
             "{ .reg .b32 %%r<5>; .reg .b64 %%rd1; .reg .f32 %%f1; .reg .pred %%p1;\n"
             "ld.param.u64 %%rd1, [out]; ld.param.u32 %%r1, [a]; ld.param.u32 %%r2, [b]; ld.param.u32 %%r3, [c];\n"
             "mov.u32 %%r4, 0;\n%s\nst.global.u32 [%%rd1], %%r4; ret; }\n",
             instruction);
    assert_true(atoll_device_create(NULL, &device, error));
    bool ok =
        atoll_module_load(device, text, strlen(text), NULL, &module, error) &&
        atoll_module_kernel(module, "k", &kernel, error) && atoll_memory_alloc(device, 4, &parameters.out, error) &&
        atoll_launch(kernel, &launch, NULL, NULL, error) && atoll_memory_read(device, parameters.out, result, 4, error);
    atoll_device_destroy(device);
    return ok;
}

static const uint32_t words[3] = {0x80ff7f01, 0x02fe807f, 0x11223344};

static void values(void **state)
{
    static const struct {
        const char *instruction;
        uint32_t want;
    } cases[] = {
        {"vadd.s32.s32.s32 %r4.h1, %r1.b3, %r2.b2, %r3;", 0xff7e3344},            /* -128 + -2 = -130 */
        {"vadd.s32.s32.s32.sat %r4.b2, %r1.b3, %r2.b2, %r3;", 0x11803344},        /* clamped to -128 */
        {"vadd.u32.s32.s32.sat %r4.b0, %r1.b3, %r2.b2, %r3;", 0x11223300},        /* ... to 0 */
        {"vsub.u32.u32.u32.min %r4, %r1.b1, %r2.b0, %r3;", 0},                    /* 127 - 127 */
        {"vabsdiff.u32.s32.s32.add %r4, %r1.b2, %r2.b1, %r3;", 0x11223344 + 127}, /* |-1 - -128| */
        {"vmin.s32.s32.s32 %r4.b1, %r1.h0, %r2.h0, %r3;", 0x11227f44},            /* min(32513, -32641) = 0x807f */
        {"vmax.s32.s32.u32 %r4, %r1, %r2.h1;", 0x2fe},
        {"vabsdiff4.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x7f017f7e}, /* 130, 1, 255, 126 */
        {"vabsdiff2.s32.s32.u32 %r4, %r1, %r2, %r3;", 0x81ff017e},     /* |-32513 - 766|, |32513 - 32895| */
        {"vabsdiff4.u32.u32.u32 %r4.b20, %r1, %r2, %r3;", 0x1101337e},
        {"vabsdiff2.u32.u32.u32 %r4, %r1, %r2, %r3;", 0x7e01017e},
        {"vset.s32.u32.lt %r4, %r1, %r2;", 1},
        {"vset.u32.u32.ge.add %r4, %r1, %r2, %r3;", 0x11223345},
        {"vset.s32.s32.ne %r4.b3, %r1.b0, 1, %r3;", 0x00223344},
        {"vshl.u32.u32.u32.clamp %r4, %r1.b0, %r3;", 0}, /* by 32 at the most */
        {"vshl.u32.u32.u32.wrap %r4, %r1.b0, %r3;", 16}, /* by 4 */
        {"vshl.u32.u32.u32.sat.clamp %r4, %r1, %r3;", UINT32_MAX},
        {"vshr.s32.s32.u32.clamp %r4, %r1, %r3;", UINT32_MAX},
        {"vshr.s32.s32.u32.wrap.add %r4, %r1.h1, 4, %r3;", 0x11223344 + 0xfffff80f},
        {"vmad.s32.s32.s32 %r4, -%r1.b3, %r2.b3, %r3;", 0x11223344 + 256}, /* -(-128 * 2) + c */
        {"vmad.u32.u32.u32.po %r4, %r1.b1, %r2.b3, %r3;", 0x11223344 + 255},
        {"vmad.s32.s32.s32.sat %r4, %r1.b3, %r2.b3, -%r3;", 0 - 0x11223344u - 256},
        {"vmad.u32.u32.u32.sat %r4, %r1, %r2, %r3;", UINT32_MAX},
        {"vmad.u32.u32.u32.sat %r4, -%r1, %r2, %r3;", 0x80000000}, /* with a sign */
        {"vmad.u32.u32.u32.shr7 %r4, %r1.h1, %r2.h1, %r3;", (0x80ff * 0x2fe + 0x11223344) >> 7},
        {"vmad.u32.u32.u32.shr15 %r4, %r1.h1, %r2.h1, %r3;", (0x80ff * 0x2fe + 0x11223344) >> 15},
        {"vadd4.s32.s32.s32 %r4, %r1, %r2, %r3;", 0x82fdff80},
        {"vadd4.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0x82fdff7f},
        {"vadd4.u32.u32.u32.sat %r4.b20, %r1, %r2, %r3;", 0x11ff3380},
        {"vadd4.s32.s32.s32.add %r4, %r1, %r2, %r3;", 0x11223344 - 126 - 3 - 1 + 128},
        {"vsub4.s32.s32.s32 %r4, %r1.b0123, %r2.b7777, %r3;", 0xff7dfd7e},
        {"vavrg2.s32.s32.s32 %r4, %r1, %r2, %r3;", 0xc1feffc0},
        {"vmin2.u32.u32.u32 %r4.h1, %r1, %r2, %r3;", 0x02fe3344},
        {"vmax2.s32.s32.s32 %r4, %r1.h01, %r2, %r3;", 0x7f0180ff},
        {"vset2.u32.u32.eq %r4, %r1, %r1.h10, %r3;", 0x00010001},
        {"vset4.s32.s32.gt.add %r4, %r1, %r2, %r3;", 0x11223344 + 2},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct atoll_error error = {0};
        uint32_t got;
        if (!run(cases[i].instruction, words, &got, &error))
            fail_msg("%s: %s", cases[i].instruction, error.message);
        if (got != cases[i].want)
            fail_msg("%s: %08x, not %08x", cases[i].instruction, got, cases[i].want);
    }
}

static void what_is_no_form_is_refused(void **state)
{
    static const char *const instructions[] = {
        "vadd.s32.s32 %r4, %r1, %r2;",
        "vadd.s32.s32.s32 %r4, %r1;",
        "vadd.s32.s32.s32 %r4.b0, %r1, %r2;",
        "vadd.s32.s32.s32.add %r4, %r1, %r2;",
        "vadd.s32.s32.s32.add %r4.h0, %r1, %r2, %r3;",
        "vadd.s32.s32.s32.frob %r4, %r1, %r2;",
        "vadd.s32.s32.s32 %r4, %r1, %f1;",
        "vadd.s32.s32.s32 %r4, %r1, %rd1;",
        "vadd.s32.s32.s32 %p1, %r1, %r2;",
        "vadd.s32.s32.s32 %r4, -%r1, %r2;",
        "vadd.s32.s32.s32 %r4, %r1.b3210, %r2;",
        "vset.s32.s32 %r4, %r1, %r2;",
        "vshl.u32.u32.u32 %r4, %r1, %r2;",
        "vmad.s32.s32.s32 %r4, -%r1, %r2, -%r3;",
        "vmad.s32.s32.s32 %r4, %r1, %r2;",
        "vadd4.s32.s32.s32 %r4, %r1.b0, %r2, %r3;",
        "vadd4.s32.s32.s32 %r4, %r1, %r2;",
        "vadd2.s32.s32.s32 %r4.b0, %r1, %r2, %r3;",
        "vset4.u32.u32.lt.sat %r4, %r1, %r2, %r3;",
    };
    (void)state;
    for (unsigned i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        struct atoll_error error = {0};
        uint32_t got;
        if (run(instructions[i], words, &got, &error))
            fail_msg("%s runs", instructions[i]);
        if (!error.message[0])
            fail_msg("%s: no message", instructions[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(what_is_no_form_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
