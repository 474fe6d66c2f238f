/* The sync check: planted faults. */
#include "checks_rig.h"

static void test_planted(void **state)
{
    (void)state;
    planted("sync", 26);
}

/* A function's call is told: by the lanes that are in it. */
static void test_calls(void **state)
{
    (void)state;
    char *text = read_file("sync", "called", ".ptx");
    struct result result;
    run("sync", text, "wrong", (struct atoll_launch_options){.order = ATOLL_ORDER_DETERMINISTIC}, &result);
    assert_non_null(strstr(result.messages, "called.cu:8), k.ptx:30, called at called.cu:21; "));
    free(text);
    text = read_file("sync", "called_two", ".ptx");
    run("sync", text, "wrong", (struct atoll_launch_options){.order = ATOLL_ORDER_DETERMINISTIC}, &result);
    assert_non_null(strstr(result.messages, ", called at called_two.cu:20; thread ")); /* who waits, too */
    assert_non_null(strstr(result.messages, ", called at called_two.cu:22; "));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
