/* Proofs on the rows of Maxwell SASS: no bit unnamed, no two rows for a word, every spelling read back. And what the
 * engine says of broken rows and broken text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/sass/sass.h"

static void test_lint(void **state)
{
    struct isa_table table;
    struct atoll_error error;
    struct text report = {0};
    (void)state;
    if (!sass_open(&table, &error))
        fail_msg("%s", error.message);
    unsigned breaks = isa_lint(&table, &report);
    if (breaks)
        fputs(report.bytes, stderr);
    print_message("%u rows\n", table.nforms);
    text_free(&report);
    isa_close(&table);
    assert_int_equal(breaks, 0);
}

/* Text that is no instruction: where, and what belongs there. */
static const struct {
    const char *text;
    size_t at;
    const char *wanted;
} mistakes[] = {
    {"FOO R1", 0, "an instruction"},
    {"IADD R1, R2", 11, "','"},
    {"IADD R1, R2, R300", 13, "register"},
    {"IADD R1, R2, 0x80000", 13, "a number from -0x80000 to 0x7ffff"},
    {"IADD.FOO R1, R2, R3", 4, "register"},
    {"SUATOM.D.4D.ADD R16, [R2], R4, 0xa0", 8, "one of .1D .1D_BUFFER"},
    {"ATOMS.ADD R16, [R13+0x2], R17", 20, "a multiple of 4"},
    {"FADD R0, R1, 0.1", 13, "the top 20 bits of an f32"},
    {"MOV R0, c[0x20][0x0]", 10, "a bank from 0x0 to 0x1f"},
    {"BRA 0x100000000", 4, "a number from"},
    {"", 0, "an instruction"},
    {"@P9 EXIT", 0, ""},
};

static void test_mistakes(void **state)
{
    struct isa_table table;
    struct atoll_error error;
    (void)state;
    assert_true(sass_open(&table, &error));
    for (unsigned i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct isa_word word = {{0, SASS_CONTROL_NEUTRAL}};
        struct isa_mistake mistake;
        const char *text = mistakes[i].text;
        const struct isa_form *form = isa_parse(&table, text, strlen(text), SASS_ARCH_50, 8, &word, &mistake);
        if (form || !strstr(mistake.wanted, mistakes[i].wanted))
            fail_msg("'%s': at %zu: %s", text, mistake.at, mistake.wanted);
        if (mistakes[i].wanted[0] && mistake.at != mistakes[i].at)
            fail_msg("'%s': at %zu, not %zu: %s", text, mistake.at, mistakes[i].at, mistake.wanted);
    }
    isa_close(&table);
}

/* Each row breaks one rule of templates. */
static const char *const broken_rows[] = {"A {Z@0}",    "A {R@0", "A {R@200}", "A {nolist@0}",
                                          "A {R@0 ?3}", "A {R@}", "A {x@5-2}"};

static void test_broken_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof broken_rows / sizeof broken_rows[0]; i++) {
        const struct isa_row row = {.text = broken_rows[i], .archs = 1};
        const struct isa_family family = {.name = "broken", .bits = 64, .index_low = 51, .guard = ""};
        struct isa_table table;
        struct atoll_error error;
        assert_false(isa_open(&family, &(struct isa_list){&row, 1}, 1, &table, &error));
        assert_non_null(strstr(error.message, broken_rows[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lint), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_broken_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
