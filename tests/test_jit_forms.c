/* Which operations of the workloads' kernels compiled code leaves to the interpreter: those that are listed here, which
 * are rare there or none of the work. JIT_FORMS=1 prints them all; arguments are other files to be looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"
#include "engine/compiler.h"
#include "engine/jit/jit.h"
#include "skip.h"

/* Faults end a launch, and where none comes they are gone around. Texels and atomics have forms by surface and space.
 */
static bool may_be_slow(const struct decoded *at)
{
    return lane_is(at->op, LANE_STOPS | LANE_TEXELS | LANE_UPDATES);
}

static void show(const char *kernel, uint32_t index, const struct decoded *at)
{
    printf("%s %u %s.%s", kernel, (unsigned)index, lane_rows[at->op].name, lane_type_name(at->inst->type));
    if (at->inst->type2)
        printf(".%s", lane_type_name(at->inst->type2));
    printf(" round %u flags %u mode %u aux %u", at->inst->round, at->inst->flags, at->inst->mode,
           (unsigned)at->inst->aux);
    if (at->access)
        printf(" space %u %s x %u dim %u%s", at->access->space, lane_type_name(at->access->type), at->access->vec,
               at->access->dim, at->access->formatted ? " formatted" : "");
    printf("\n");
}

/* How many of a kernel's instructions should have a compiled form and have none. */
static unsigned count(struct atoll_kernel *kernel, const char *file)
{
    struct atoll_module *module = kernel->module;
    struct program *program;
    struct atoll_error error = {0};
    const char *why = NULL;
    unsigned n = 0;
    if (!program_create(module->owner->device, &module->lanes, kernel->func, module->addresses, &program, &error))
        fail_msg("%s: %s", file, error.message);
    struct jit_code *code = jit_compile(program, &(struct setting){.formats = 0}, false, &why);
    if (!code)
        printf("%s: not compiled: %s\n", file, why);
    for (uint32_t i = 0; code && i < code->func->ndecoded; i++) {
        const struct decoded *at = &code->func->decoded[i];
        if (!code->slow[i])
            continue;
        if (getenv("JIT_FORMS") && at->op < LANE_OPS)
            show(file, i, at);
        n += !may_be_slow(at);
    }
    jit_free(code);
    program_destroy(program);
    return n;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static unsigned count_file(struct atoll_device *device, const char *path)
{
    struct atoll_module_options options = {.file = path};
    struct atoll_module *module;
    struct atoll_error error = {0};
    size_t size = 0;
    unsigned n = 0;
    char *bytes = read_file(path, &size);
    if (!bytes)
        fail_msg("%s: cannot be read", path);
    if (!atoll_module_load(device, bytes, size, &options, &module, &error))
        fail_msg("%s: %s", path, error.message);
    for (uint32_t k = 0; k < module->nkernels; k++)
        n += count(&module->kernels[k], path);
    atoll_module_destroy(module);
    free(bytes);
    return n;
}

static const char *const works[] = {
    "w1.ptx",
    "w1.simd16.visaasm",
    "w1.simd32.visaasm",
    "w1.sm_50.cubin",
    "w1.dpp",
    "w1.float4.dpp",
    "w2.ptx",
    "w2.simd16.visaasm",
    "w2.simd32.visaasm",
    "w2.dpp",
    "w2.float4.dpp",
    "w2b.ptx",
    "w3.ptx",
    "w3.sm_50.cubin",
    "w4.ptx",
    "w5.ptx",
    "w5.simd16.visaasm",
    "w5.simd32.visaasm",
    "w5.sm_50.cubin",
    "w6.ptx",
    "w7.ptx",
    "w8.ptx",
    "w8f.ptx",
    "w8f.dpp",
};

static void workloads(void **state)
{
    (void)state;
    const char *why = "this build has none";
    char path[400];
    struct atoll_device *device;
    if (!compiler_find() || !compiler_find()->available(&why))
        skip_because("no compiler: %s", why);
    assert_true(atoll_device_create(NULL, &device, NULL));
    for (unsigned i = 0; i < sizeof works / sizeof *works; i++) {
        snprintf(path, sizeof path, "%s/%s", BENCH_DIR, works[i]);
        unsigned n = count_file(device, path);
        if (n)
            fail_msg("%s: %u instructions call the interpreter", works[i], n);
    }
    atoll_device_destroy(device);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(workloads)};
    struct atoll_device *device;
    if (argc < 2)
        return cmocka_run_group_tests(tests, NULL, NULL);
    if (!atoll_device_create(NULL, &device, NULL))
        return 1;
    for (int i = 1; i < argc; i++)
        printf("%s: %u\n", argv[i], count_file(device, argv[i]));
    atoll_device_destroy(device);
    return 0;
}
