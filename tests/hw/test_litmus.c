/* Litmus tests as cases for hardware: their files, Atoll's run of them against the model, and records of GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "driver_atoll.h"
#include "litmus.h"

enum { LAUNCHES = 12, LEAST_TESTS = 240 };

static int generate(void **state)
{
    static struct hwl_cases cases;
    hwl_generate(&cases, TESTS_DIR, NULL);
    *state = &cases;
    return 0;
}

static int discard(void **state)
{
    hwl_cases_free(*state);
    return 0;
}

static void test_cases_survive_their_file(void **state)
{
    const struct hwl_cases *cases = *state;
    struct hwl_cases again = {0};
    assert_true(cases->count >= LEAST_TESTS);
    assert_true(hwl_cases_write(SCRATCH ".cases", cases));
    assert_true(hwl_cases_read(SCRATCH ".cases", &again));
    assert_int_equal(again.count, cases->count);
    for (size_t i = 0; i < again.count; i++) {
        struct hw_text a = {0}, b = {0};
        hwl_case_text(&a, &cases->at[i]);
        hwl_case_text(&b, &again.at[i]);
        assert_string_equal(a.data, b.data);
        hw_free(&a);
        hw_free(&b);
    }
    hwl_cases_free(&again);
}

static void write_results(const struct hwl_results *results)
{
    struct hw_text text = {0};
    FILE *file = fopen(SCRATCH ".txt", "w");
    assert_non_null(file);
    hwl_results_header(&text, results);
    for (size_t i = 0; i < results->count; i++)
        hwl_result_text(&text, &results->at[i]);
    assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
    assert_int_equal(fclose(file), 0);
    hw_free(&text);
}

static void test_atoll_shows_what_is_allowed(void **state)
{
    const struct hwl_cases *cases = *state;
    struct hwl_results results = {.origin = {"atoll", "Atoll", "-", "9.0"}}, again = {0};
    struct hwl_effort effort = {.launches = LAUNCHES, .units = 1};
    struct hwl_sums sums;
    struct cuda cuda;
    assert_true(hw_atoll_open(&cuda, true));
    for (size_t i = 0; i < cases->count; i++) {
        effort.seed = i;
        hwl_run(&cuda, &cases->at[i], &effort, hwl_result_new(&results));
    }
    hw_atoll_close();
    write_results(&results);
    assert_true(hwl_results_read(SCRATCH ".txt", &again));
    hwl_judge(&again, TESTS_DIR, NULL, &sums);
    assert_int_equal(sums.forbidden + sums.failed + sums.stale, 0);
    assert_int_equal(sums.judged + sums.unjudged, cases->count);
    assert_true(sums.seen > sums.allowed / 2); /* threads do meet */
    hwl_results_free(&results);
    hwl_results_free(&again);
}

/* As a GPU might show it. */
static void test_forbidden_outcome_is_found(void **state)
{
    const struct hwl_cases *cases = *state;
    struct hwl_results results = {.origin.source = "gpu"};
    struct hwl_result *r = hwl_result_new(&results);
    struct hwl_sums sums;
    size_t i = 0;
    while (strcmp(cases->at[i].name, "litmus/global/MP+release+acquire") != 0)
        i++;
    strcpy(r->name, cases->at[i].name);
    r->digest = cases->at[i].digest;
    r->nvalues = 2;
    r->count = 1;
    r->outcomes[0] = (struct hwl_outcome){.values = {1, 1}, .times = 5};
    hwl_judge(&results, TESTS_DIR, NULL, &sums);
    assert_int_equal(sums.forbidden, 0);
    for (unsigned k = 0; k < 2; k++)
        r->outcomes[k] = (struct hwl_outcome){.values = {k, !k}, .times = 5};
    r->count = 2;
    hwl_judge(&results, TESTS_DIR, NULL, &sums);
    assert_int_equal(sums.forbidden, 1);
    r->digest++;
    hwl_judge(&results, TESTS_DIR, NULL, &sums);
    assert_int_equal(sums.stale, 1);
    hwl_results_free(&results);
}

static void test_records(void **state)
{
    glob_t found;
    (void)state;
    if (glob(RESULTS_DIR "/*.litmus.txt", 0, NULL, &found) != 0) {
        print_message("not recorded yet\n");
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct hwl_results recorded = {0};
        struct hwl_sums sums;
        assert_true(hwl_results_read(found.gl_pathv[i], &recorded));
        assert_string_equal(recorded.origin.source, "gpu"); /* what Atoll wrote is no evidence */
        hwl_judge(&recorded, TESTS_DIR, NULL, &sums);
        print_message("%s: %u of %u allowed outcomes seen, %u forbidden ones\n", recorded.origin.device, sums.seen,
                      sums.allowed, sums.forbidden);
        assert_int_equal(sums.forbidden, 0);
        hwl_results_free(&recorded);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases_survive_their_file),
        cmocka_unit_test(test_atoll_shows_what_is_allowed),
        cmocka_unit_test(test_forbidden_outcome_is_found),
        cmocka_unit_test(test_records),
    };
    return cmocka_run_group_tests(tests, generate, discard);
}
