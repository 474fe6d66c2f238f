/* Places and messages of diagnostics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/diag.h"

struct last {
    unsigned count;
    char message[1000], line_text[200];
    uint32_t line, column, length;
};

static void keep(void *user, const struct atoll_diagnostic *d)
{
    struct last *last = user;
    last->count++;
    strncpy(last->message, d->message, sizeof last->message - 1);
    size_t length = d->line_length < sizeof last->line_text - 1 ? d->line_length : sizeof last->line_text - 1;
    memcpy(last->line_text, d->line_text, length);
    last->line_text[length] = 0;
    last->line = d->line;
    last->column = d->column;
    last->length = d->length;
}

/* Line and column by counting. */
static void count_place(const char *text, uint32_t pos, uint32_t *line, uint32_t *column)
{
    *line = *column = 1;
    for (uint32_t i = 0; i < pos; i++) {
        ++*column;
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        }
    }
}

static void check_places(const char *text, size_t size, unsigned rounds)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    diag->source = text;
    diag->size = size;
    srand(1);
    for (unsigned i = 0; i < rounds; i++) {
        uint32_t pos = (uint32_t)((size_t)rand() % (size + 1)), line, column, line2, column2;
        diag_place(diag, pos, &line, &column);
        count_place(text, pos, &line2, &column2);
        assert_int_equal(line, line2);
        assert_int_equal(column, column2);
    }
    free(diag);
}

static void places_in_any_order(void **state)
{
    (void)state;
    char text[5000];
    srand(2);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = rand() % 7 ? 'x' : '\n';
    check_places(text, sizeof text, 3000);
    check_places(text, 1, 10);
    check_places(text, 0, 3);
    memset(text, 'x', sizeof text);
    check_places(text, sizeof text, 300);
    memset(text, '\n', sizeof text);
    check_places(text, sizeof text, 300);
}

static void message_has_place_and_line(void **state)
{
    (void)state;
    const char text[] = "one\ntwo three\r\nfour";
    struct last last = {0};
    struct atoll_module_options options = {.diagnose = keep, .user = &last};
    struct atoll_error error = {0};
    struct diag diag = {.source = text, .size = sizeof text - 1, .options = &options, .first = &error};
    diag_report(&diag, ATOLL_WARNING, "w", 0, 3, "a warning");
    assert_int_equal(error.status, ATOLL_OK);
    diag_report(&diag, ATOLL_ERROR, "e", 8, 5, "got '%s'\nnext\tline", "three");
    assert_string_equal(last.message, "got 'three' next line");
    assert_string_equal(last.line_text, "two three");
    assert_int_equal(last.line, 2);
    assert_int_equal(last.column, 5);
    assert_int_equal(last.length, 5);
    diag_report(&diag, ATOLL_ERROR, "e", sizeof text - 1, 0, "the end");
    assert_string_equal(last.line_text, "four");
    assert_int_equal(last.column, 5);
    diag_report(&diag, ATOLL_ERROR, "e", 4000, 0, "beyond");
    assert_int_equal(last.line, 3);
    assert_int_equal(diag.errors, 3);
    assert_int_equal(diag.warnings, 1);
    assert_int_equal(error.status, ATOLL_INVALID);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 5);
}

static void stops_at_max_errors(void **state)
{
    (void)state;
    struct last last = {0};
    struct atoll_module_options options = {.diagnose = keep, .user = &last, .max_errors = 2};
    struct diag diag = {.source = "x", .size = 1, .options = &options};
    for (int i = 0; i < 5; i++)
        diag_report(&diag, ATOLL_ERROR, "e", 0, 1, "error %d", i);
    assert_true(diag.stop);
    assert_int_equal(diag.errors, 2);
    assert_int_equal(last.count, 2);
}

static void held_messages_come_by_place(void **state)
{
    (void)state;
    struct last last = {0};
    struct atoll_error error = {0};
    struct atoll_module_options options = {.diagnose = keep, .user = &last, .max_errors = 2};
    struct diag diag = {.source = "abc", .size = 3, .options = &options, .first = &error, .hold = true};
    diag_report(&diag, ATOLL_ERROR, "e", 2, 1, "third");
    diag_report(&diag, ATOLL_ERROR, "e", 1, 1, "second");
    diag_report(&diag, ATOLL_ERROR, "e", 0, 1, "first");
    assert_int_equal(last.count, 0);
    assert_int_equal(diag.errors, 3);
    diag_flush(&diag);
    assert_int_equal(last.count, 2);
    assert_string_equal(last.message, "second");
    assert_string_equal(error.message, "first");
    assert_true(diag.stop);
}

/* A hundred thousand messages about a text of a million bytes, on one line and forth and back. */
static void many_messages_are_cheap(void **state)
{
    (void)state;
    enum { SIZE = 1000000 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, 'x', SIZE);
    struct last last = {0};
    struct atoll_module_options options = {.diagnose = keep, .user = &last};
    struct diag diag = {.source = text, .size = SIZE, .options = &options};
    for (uint32_t i = 0; i < 100000; i++)
        diag_report(&diag, ATOLL_ERROR, "e", i & 1 ? i * 10 : SIZE - i * 10, 1, "m");
    assert_int_equal(last.count, 100000);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_in_any_order),     cmocka_unit_test(message_has_place_and_line),
        cmocka_unit_test(stops_at_max_errors),     cmocka_unit_test(held_messages_come_by_place),
        cmocka_unit_test(many_messages_are_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
