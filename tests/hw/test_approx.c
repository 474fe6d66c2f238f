/* Approximated functions beside what an H100 gives: results of every argument of some binades, as a GPU returned them
 * (results/h100_approx, docs/hardware.md). Atoll's are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "atoll.h"

/* Every one of so many arguments is looked at; at most so many of a function. */
enum { STEP = 3, MOST = (1 << 26) / STEP + 1 };

static const struct function {
    const char *name, *form;
    uint32_t first, count; /* arguments: so many floats from here on */
} functions[] = {
    {"ex2", "ex2.approx.ftz.f32", 0x3f800000, 1 << 23},     {"rcp", "rcp.approx.ftz.f32", 0x3f800000, 1 << 23},
    {"rsqrt", "rsqrt.approx.ftz.f32", 0x3f800000, 1 << 24}, {"sqrt", "sqrt.approx.ftz.f32", 0x3f800000, 1 << 24},
    {"lg2", "lg2.approx.ftz.f32", 0x3f000000, 1 << 24},     {"tanh", "tanh.approx.f32", 0x3d000000, 1 << 26},
    {"tanh_low", "tanh.approx.f32", 0x3b800000, 3 << 23},   {"sin", "sin.approx.ftz.f32", 0x3f000000, 1 << 24},
    {"cos", "cos.approx.ftz.f32", 0x3f000000, 1 << 24},
};

/* ---- records ------------------------------------------------------------------------------------------------------
 */

/* A byte a result: twice what it has more than the one before (odd: less, and one more); 255: the result follows. */
static uint32_t next(gzFile file, uint32_t last)
{
    int byte = gzgetc(file);
    assert_true(byte >= 0);
    if (byte < 255)
        return byte & 1 ? last - (uint32_t)(byte + 1) / 2 : last + (uint32_t)byte / 2;
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        byte = gzgetc(file);
        assert_true(byte >= 0);
        value |= (uint32_t)byte << shift;
    }
    return value;
}

/* Every STEPth result; how many. */
static uint32_t recorded(const struct function *f, uint32_t *results)
{
    char path[500];
    uint32_t value = 0, n = 0;
    snprintf(path, sizeof path, "%s/h100_approx/%s.gz", RESULTS_DIR, f->name);
    gzFile file = gzopen(path, "rb");
    if (!file)
        fail_msg("cannot read %s", path);
    for (uint32_t i = 0; i < f->count; i++) {
        value = next(file, value);
        if (i % STEP == 0)
            results[n++] = value;
    }
    assert_int_equal(gzgetc(file), -1); /* no more */
    gzclose(file);
    return n;
}

/* ---- Atoll ---------------------------------------------------------------------------------------------------------
 */

static void computed(const struct function *f, enum atoll_engine engine, uint32_t n, uint32_t *results)
{
    char text[800];
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_error error;
    struct {
        uint64_t out;
        uint32_t first, n;
    } parameters = {.first = f->first, .n = n};
    snprintf(text, sizeof text,
             ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 first, "
             ".param .u32 n)\n{\n.reg .b32 %%r<9>; .reg .f32 %%f<3>; .reg .b64 %%rd<4>; .reg .pred %%p;\n"
             "ld.param.u64 %%rd1, [out]; ld.param.u32 %%r1, [first]; ld.param.u32 %%r2, [n];\n"
             "mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%tid.x; mad.lo.u32 %%r5, %%r3, 256, %%r4;\n"
             "setp.ge.u32 %%p, %%r5, %%r2; @%%p ret; mad.lo.u32 %%r6, %%r5, %d, %%r1; mov.b32 %%f1, %%r6;\n"
             "%s %%f2, %%f1; mul.wide.u32 %%rd2, %%r5, 4; add.u64 %%rd3, %%rd1, %%rd2; st.global.f32 [%%rd3], "
             "%%f2;\nret;\n}\n",
             STEP, f->form);
    struct atoll_launch_options launch = {.grid = {(n + 255) / 256, 1, 1}, .block = {256, 1, 1}, .engine = engine};
    struct atoll_trap trap;
    launch.parameters = &parameters;
    launch.parameter_bytes = sizeof parameters;
    assert_true(atoll_device_create(NULL, &device, &error));
    assert_true(atoll_memory_alloc(device, 4 * (uint64_t)n, &parameters.out, &error));
    if (!atoll_module_load(device, text, strlen(text), NULL, &module, &error))
        fail_msg("%s", error.message);
    assert_true(atoll_module_kernel(module, "k", &kernel, &error));
    if (!atoll_launch(kernel, &launch, NULL, &trap, &error))
        fail_msg("%s", error.message);
    assert_true(atoll_memory_read(device, parameters.out, results, 4 * (uint64_t)n, &error));
    atoll_module_destroy(module);
    atoll_device_destroy(device);
}

static uint32_t differences(const struct function *f, const uint32_t *hardware, const uint32_t *atoll, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++)
        if (hardware[k] != atoll[k] && count++ < 5)
            print_error("%s of %08x: %08x, not %08x\n", f->form, f->first + k * STEP, atoll[k], hardware[k]);
    return count;
}

static void test_same(void **state)
{
    static const enum atoll_engine engines[] = {ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT};
    uint32_t *hardware = malloc(MOST * sizeof *hardware), *atoll = malloc(MOST * sizeof *atoll), differ = 0;
    (void)state;
    assert_non_null(hardware);
    assert_non_null(atoll);
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        uint32_t n = recorded(&functions[i], hardware);
        for (unsigned engine = 0; engine < sizeof engines / sizeof *engines; engine++) {
            if (!atoll_engine_available(engines[engine], NULL)) {
                print_message("%s: no compiled code here\n", functions[i].form);
                continue;
            }
            computed(&functions[i], engines[engine], n, atoll);
            differ += differences(&functions[i], hardware, atoll, n);
        }
    }
    free(hardware);
    free(atoll);
    assert_int_equal(differ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
