/* The checks of memory: planted faults, what a launch does that goes on behind them, heaps that leak a lot. */
#include "checks_rig.h"

static void test_planted(void **state)
{
    (void)state;
    planted("memory", 17);
}

static void test_border(void **state)
{
    (void)state;
    planted("border", 3);
}

/* Lanes that would trap load zeros and store nothing; what the others do counts. */
static void test_goes_on(void **state)
{
    static const char kernel[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
        ".reg .b64 %rd<8>;\n.reg .b32 %r<4>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
        "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n"
        "mov.u32 %r2, 77;\nld.global.u32 %r2, [%rd4];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd5], %r2;\n"
        "ld.global.u64 %rd4, [%rd4+-4];\nret;\n}\n";
    uint32_t ones[16], got[32];
    struct atoll_error error;
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *k;
    struct result result = {.check = "memory"};
    uint64_t parameters[2];
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        ones[i] = 1;
    assert_true(atoll_device_create(NULL, &device, &error));
    assert_true(atoll_memory_alloc(device, sizeof ones, &parameters[0], &error));
    assert_true(atoll_memory_alloc(device, sizeof got, &parameters[1], &error));
    assert_true(atoll_memory_write(device, parameters[0], ones, sizeof ones, &error));
    assert_true(atoll_module_load(device, kernel, sizeof kernel - 1, NULL, &module, &error));
    assert_true(atoll_module_kernel(module, "k", &k, &error));
    struct atoll_launch_options launch = {.block = {32},
                                          .parameters = parameters,
                                          .parameter_bytes = sizeof parameters,
                                          .checks = ATOLL_CHECK_MEMORY,
                                          .user = &result};
    assert_true(atoll_launch(k, &launch, NULL, NULL, &error));
    assert_true(atoll_memory_read(device, parameters[1], got, sizeof got, &error));
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(got[i], i < 16 ? 2 : 1);
    launch.checks = 0;
    assert_false(atoll_launch(k, &launch, NULL, NULL, &error));
    assert_int_equal(error.status, ATOLL_TRAP);
    atoll_module_destroy(module);
    atoll_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_border),
        cmocka_unit_test(test_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
