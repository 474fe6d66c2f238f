/* Approximated functions beside what an H100 gives: results of every argument of some binades, as a GPU returned them
 * (results/h100_approx, docs/hardware.md). Atoll's are correctly rounded, so this says how far the hardware is from
 * that; what is counted here is what it was when the page was written. */
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

enum { STEP = 97, MOST = 1 << 20 /* of arguments that are looked at */ };

static const struct function {
    const char *name, *form;
    uint32_t first, count;            /* arguments: so many floats from here on */
    uint32_t seen, same, near, worst; /* of every 97th: how many; equal; 1 ulp off; units in the last place at most */
} functions[] = {
    {"ex2", "ex2.approx.ftz.f32", 0x3f800000, 1 << 23, 86481, 53120, 33361, 1},
    {"rcp", "rcp.approx.ftz.f32", 0x3f800000, 1 << 23, 86481, 74908, 11573, 1},
    {"rsqrt", "rsqrt.approx.ftz.f32", 0x3f800000, 1 << 24, 172961, 135525, 37436, 1},
    {"sqrt", "sqrt.approx.ftz.f32", 0x3f800000, 1 << 24, 172961, 143939, 29022, 1},
    {"lg2", "lg2.approx.ftz.f32", 0x3f000000, 1 << 24, 172961, 34047, 48681, 149753},
    {"tanh", "tanh.approx.f32", 0x3d000000, 1 << 26, 691844, 34793, 52080, 134},
    {"sin", "sin.approx.ftz.f32", 0x3f000000, 1 << 24, 172961, 42614, 64281, 9},
    {"cos", "cos.approx.ftz.f32", 0x3f000000, 1 << 24, 172961, 24789, 44254, 145101},
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
    for (unsigned shift = 0; shift < 32; shift += 8)
        value |= (uint32_t)gzgetc(file) << shift;
    return value;
}

/* Every 97th result; how many. */
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

static void computed(const struct function *f, uint32_t n, uint32_t *results)
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
    struct atoll_launch_options launch = {.grid = {(n + 255) / 256, 1, 1}, .block = {256, 1, 1}};
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

/* Numbers in the order of floats. */
static int64_t place(uint32_t bits)
{
    return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

static void test_distances(void **state)
{
    uint32_t *hardware = malloc(MOST * sizeof *hardware), *atoll = malloc(MOST * sizeof *atoll);
    unsigned breaks = 0;
    (void)state;
    assert_non_null(hardware);
    assert_non_null(atoll);
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *f = &functions[i];
        uint32_t n = recorded(f, hardware), same = 0, near = 0, worst = 0;
        computed(f, n, atoll);
        for (uint32_t k = 0; k < n; k++) {
            uint64_t off = (uint64_t)llabs(place(hardware[k]) - place(atoll[k]));
            same += off == 0;
            near += off == 1;
            worst = off > worst ? (uint32_t)off : worst;
        }
        bool is = n == f->seen && same == f->same && near == f->near && worst == f->worst;
        breaks += !is;
        if (!is)
            print_error("{\"%s\", \"%s\", 0x%08x, %u, %u, %u, %u, %u},\n", f->name, f->form, f->first, f->count, n,
                        same, near, worst);
    }
    free(hardware);
    free(atoll);
    assert_int_equal(breaks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_distances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
