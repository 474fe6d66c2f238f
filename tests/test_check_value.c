/* The value check: planted faults. */
#include "checks_rig.h"

static void test_planted(void **state)
{
    (void)state;
    planted("value", 23);
}

/* Of a text that tells no source. */
static void count_shift(void *user, const struct atoll_finding *finding)
{
    struct result *result = user;
    assert_string_equal(finding->cause, "shift");
    result->count++;
}

/* Shifts, what is left of the width, and what joins them, all in the same registers: a search through all pairs of them
 * would not end. It is given up, and shifts are told. */
static void test_looked_at_for_ever(void **state)
{
    static const char head[] =
        ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param "
        ".u64 b, .param .u64 s)\n{\n.reg .b64 %rd<5>;\n.reg .b32 %r<5>;\nld.param.u64 %rd0, [a];\n"
        "mov.u32 %r3, %tid.x;\ncvt.u64.u32 %rd1, %r3;\n";
    static const char round[] = "sub.u32 %r2, 64, %r3; shl.b64 %rd2, %rd1, %r3; shr.u64 %rd3, %rd1, %r2;\n"
                                "or.b64 %rd4, %rd2, %rd3; st.global.u64 [%rd0], %rd3;\n";
    enum { ROUNDS = 1500 };
    struct result result;
    char *text = malloc(sizeof head + ROUNDS * sizeof round + sizeof "ret;\n}\n");
    (void)state;
    assert_non_null(text);
    strcpy(text, head);
    for (size_t i = 0, at = sizeof head - 1; i < ROUNDS; i++, at += sizeof round - 1)
        strcpy(text + at, round);
    strcat(text, "ret;\n}\n");
    struct atoll_launch_options launch = {.block = {96}, .grid = {1}, .max_findings = 4};
    assert_true(run_with("value", text, "k", launch, count_shift, &result) > 0);
    assert_int_equal(result.count, 4);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_looked_at_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
