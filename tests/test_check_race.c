/* The race check: planted faults, limits, names. */
#include "checks_rig.h"

static void test_planted(void **state)
{
    (void)state;
    planted("race", 46);
}

/* ---- limits -------------------------------------------------------------------------------------------------- */

/* Findings beyond the limit are counted, not told. */
static void test_bounded(void **state)
{
    struct result result;
    (void)state;
    char *text = read_file("race", "flag_weak", ".ptx");
    struct atoll_launch_options launch = {.cooperative = true, .order = ATOLL_ORDER_DETERMINISTIC, .max_findings = 1};
    assert_int_equal(run("race", text, "wrong", launch, &result), 1);
    assert_int_equal(result.count, 1);
    free(text);
}

/* What checks keep counts against the device's limit; a launch without checks takes none of it. */
static void test_memory(void **state)
{
    static const char kernel[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
                                 ".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
                                 "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r1, %r2, 256, %r1;\nmad.wide.u32 %rd2, %r1, 4, "
                                 "%rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n";
    struct atoll_device_options options = {.memory_limit = 5 << 20};
    struct atoll_error error;
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *k;
    uint64_t address;
    (void)state;
    assert_true(atoll_device_create(&options, &device, &error));
    assert_true(atoll_memory_alloc(device, 4 << 20, &address, &error));
    assert_true(atoll_module_load(device, kernel, sizeof kernel - 1, NULL, &module, &error));
    assert_true(atoll_module_kernel(module, "k", &k, &error));
    struct atoll_launch_options launch = {
        .grid = {4096}, .block = {256}, .parameters = &address, .parameter_bytes = sizeof address};
    assert_true(atoll_launch(k, &launch, NULL, NULL, &error));
    launch.checks = ATOLL_CHECK_RACE;
    assert_false(atoll_launch(k, &launch, NULL, NULL, &error));
    assert_int_equal(error.status, ATOLL_MEMORY);
    assert_non_null(strstr(error.message, "kernel 'k': out of memory for what the checks keep of the launch: the "
                                          "device's memory limit of 5242880 bytes leaves 1048576"));
    launch.grid[0] = 16;
    assert_true(atoll_launch(k, &launch, NULL, NULL, &error));
    launch.checks = 1u << 20;
    assert_false(atoll_launch(k, &launch, NULL, NULL, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    atoll_module_destroy(module);
    atoll_device_destroy(device);
}

/* ---- names --------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    struct atoll_error error;
    unsigned checks = 0;
    (void)state;
    assert_string_equal(atoll_check_name(0), "race");
    assert_null(atoll_check_name(100));
    assert_true(atoll_check_find("race", &checks, &error));
    assert_int_equal(checks, ATOLL_CHECK_RACE);
    assert_true(atoll_check_find("all,race", &checks, &error));
    assert_int_equal(checks, ATOLL_CHECK_ALL);
    assert_false(atoll_check_find("race,", &checks, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    assert_false(atoll_check_find("racer", &checks, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
