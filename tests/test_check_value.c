/* The value check: planted faults. */
#include "checks_rig.h"

static void test_planted(void **state)
{
    (void)state;
    planted("value", 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
