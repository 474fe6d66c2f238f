/* "did you mean": what is near enough, which of several is said, and words that are not compared. */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *find(const char *word, const char *const *candidates, char found[NEAREST_LONGEST + 1])
{
    struct nearest nearest = nearest_to(word, strlen(word));
    for (; *candidates; candidates++)
        nearest_try(&nearest, *candidates);
    memcpy(found, nearest.found, sizeof nearest.found);
    return found;
}

static void near_and_far(void **unused)
{
    (void)unused;
    static const char *const names[] = {"grid", "block", "kernel", "threads", "x", "y", "ab", NULL};
    static const struct {
        const char *word, *found;
    } rows[] = {
        {"gird", "grid"},
        {"gri", "grid"},
        {"grids", "grid"},
        {"gxid", "grid"},
        {"GRID", "grid"},
        {"kernl", "kernel"},
        {"threds", "threads"},
        {"treads", "threads"},
        {"drgi", ""},
        {"z", ""},
        {"ac", ""},
        {"X", "x"},
        {"", ""},
        {"fast", ""},
        {"lock", "block"},
        {"krenle", "kernel"},
    };
    char found[NEAREST_LONGEST + 1];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(find(rows[i].word, names, found), rows[i].found);
}

/* The nearest is said, of equal ones the first. */
static void several(void **unused)
{
    (void)unused;
    static const char *const names[] = {"source_two", "source_one", "source_ones", NULL};
    char found[NEAREST_LONGEST + 1];
    assert_string_equal(find("source_ons", names, found), "source_one");
    assert_string_equal(find("source_onee", names, found), "source_one");
    assert_string_equal(find("source_onesx", names, found), "source_ones");
}

static void long_words(void **unused)
{
    (void)unused;
    char longest[NEAREST_LONGEST + 2], other[NEAREST_LONGEST + 2], found[NEAREST_LONGEST + 1];
    memset(longest, 'a', sizeof longest);
    longest[NEAREST_LONGEST] = 0;
    memcpy(other, longest, sizeof other);
    other[5] = 'b';
    const char *const names[] = {other, NULL};
    assert_string_equal(find(longest, names, found), other);
    longest[NEAREST_LONGEST] = 'a';
    longest[NEAREST_LONGEST + 1] = 0;
    assert_string_equal(find(longest, names, found), "");
}

/* A message that is full stays as it is; nothing near adds nothing. */
static void messages(void **unused)
{
    (void)unused;
    struct atoll_error error;
    struct nearest nearest = nearest_to("gird", 4);
    error_set(&error, ATOLL_USAGE, "unknown");
    assert_false(error_nearest(&error, &nearest));
    assert_string_equal(error.message, "unknown");
    nearest_try(&nearest, NULL);
    nearest_try(&nearest, "grid");
    assert_false(error_nearest(&error, &nearest) || error_nearest(NULL, &nearest));
    assert_string_equal(error.message, "unknown (did you mean 'grid'?)");
    memset(error.message, '.', sizeof error.message - 1);
    error.message[sizeof error.message - 1] = 0;
    error_nearest(&error, &nearest);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_and_far),
        cmocka_unit_test(several),
        cmocka_unit_test(long_words),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
