/* Random kernels against what GPUs left (results/, names that end in .random.gz): some of each record, run through
 * the code that recorded them, whose driver is Atoll here. `hw_random` runs all. SHARE (a number, in the
 * environment): only each SHARE-th of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "../given.h"
#include "base/hard.h"
#include "driver_atoll.h"
#include "random.h"

enum { STEP = 11, LEAST = 500 /* kernels that a record has */ };

static struct hwr_left left[HWR_INPUTS];

static void read_record(const char *path, struct hwr_results *results)
{
    char message[256] = "cannot be read";
    FILE *file = hw_results_open(path);
    if (!file || !hwr_results_read(file, results, message))
        fail_msg("%s: %s", path, message);
    fclose(file);
    assert_string_equal(results->origin.source, "gpu");
    assert_true(results->count >= LEAST);
}

/* Lanes of a warp share texels, and ask who is there: in the hard build they change at every branch. */
static bool is_fixed(uint32_t seed)
{
    enum differential_kind kind = differential_kind(seed & ~HWR_FUSED);
    return HARD(true, false) || (kind != DIFFERENTIAL_SURFACE && kind != DIFFERENTIAL_WARP);
}

static void compare_record(const char *path)
{
    struct hwr_results results = {0};
    struct hwr_sums sums = {.has_races = hwr_has_races};
    struct cuda cuda;
    size_t step = STEP * given("SHARE", 1, 1);
    read_record(path, &results);
    assert_true(hw_atoll_open(&cuda, false));
    for (size_t i = 0; i < results.count; i += step)
        if (is_fixed(results.at[i].seed))
            hwr_compare(&cuda, &results.at[i], left, &sums);
    hw_atoll_close();
    print_message("%s: %u the same, %u differ, %u are known to, %u are open, %u did not run there\n", path, sums.same,
                  sums.differ, sums.known, sums.open, sums.failed);
    assert_int_equal(sums.stale, 0);
    assert_int_equal(sums.differ, 0);
    assert_true(sums.same > 0 &&
                sums.same >= 9 * (sums.known + sums.open + sums.failed)); /* it is a record of something */
    hwr_results_free(&results);
}

static void test_records(void **state)
{
    glob_t found;
    (void)state;
    assert_int_equal(glob(RESULTS_DIR "/*.random.gz", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        compare_record(found.gl_pathv[i]);
    globfree(&found);
}

/* Results survive their file. */
static void test_file(void **state)
{
    struct hwr_result r = {.seed = HWR_FUSED | 7, .digest = 1, .left = {UINT64_MAX, 3}},
                      failed = {.seed = 8, .status = HW_FAULT, .detail = "700 some words"};
    struct hw_origin origin = {"gpu", "A device", "13.0", "9.0"};
    struct hwr_results read = {0};
    char message[256];
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    hwr_head(&origin, file);
    hwr_result_write(&r, file);
    fputs("left 7 0 00ff\n", file);
    hwr_result_write(&failed, file);
    rewind(file);
    assert_true(hwr_results_read(file, &read, message));
    assert_int_equal(read.count, 2);
    assert_memory_equal(read.at[0].left, r.left, sizeof r.left);
    assert_int_equal(read.at[0].seed, r.seed);
    assert_int_equal(read.at[1].status, HW_FAULT);
    assert_string_equal(read.at[1].detail, failed.detail);
    assert_string_equal(read.origin.device, "A device");
    hwr_results_free(&read);
    rewind(file);
    fputs("atoll-hw-random-results 2", file);
    rewind(file);
    assert_false(hwr_results_read(file, &read, message));
    hwr_results_free(&read);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_file), cmocka_unit_test(test_records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
