/* The check of uninitialised values: planted faults. */
#include "checks_rig.h"

static void test_planted(void **state)
{
    (void)state;
    planted("init", 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
