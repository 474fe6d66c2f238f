/* docs/sass.md says what the rows of Maxwell say, and the lists hold every form. */
#include "atoll.h"
#include "base/text.h"
#include "isa/sass/reference.h"
#include "isa/sass/sass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static unsigned lines(const struct text *text)
{
    unsigned count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += text->bytes[i] == '\n';
    return count;
}

static void the_list_has_every_form(void **state)
{
    (void)state;
    struct isa_table table;
    struct atoll_error error;
    struct text all = {0}, surface = {0};
    assert_true(sass_open(&table, &error));
    sass_list(0, &all);
    sass_list(ATOLL_LIST_SURFACE, &surface);
    assert_true(text_ok(&all) && text_ok(&surface));
    assert_int_equal(lines(&all), table.nforms);
    assert_non_null(strstr(all.bytes, "IADD{.SAT}{.X} Rd{.CC}, {-}Ra, {-}Rb\n"));
    assert_null(strstr(surface.bytes, "IADD"));
    assert_non_null(strstr(surface.bytes, "SUATOM.D{.BA}{sudim}{atomsop}{suatomsize}{clamp} Rd, [Ra], Rb, Rc\n"));
    text_free(&all);
    text_free(&surface);
    isa_close(&table);
}

static void the_page_is_current(void **state)
{
    (void)state;
    static const char begin[] = "<!-- begin: atoll list sass --markdown -->\n", end[] = "<!-- end -->\n";
    struct text out = {0}, page = {0};
    char piece[4096];
    sass_list(ATOLL_LIST_MARKDOWN, &out);
    FILE *file = fopen(DOCS_DIR "/sass.md", "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        text_add(&page, piece, got);
    fclose(file);
    assert_true(text_ok(&out) && text_ok(&page));
    const char *from = strstr(page.bytes, begin), *to = from ? strstr(from, end) : NULL;
    assert_non_null(to);
    from += strlen(begin);
    if ((size_t)(to - from) != out.length || memcmp(from, out.bytes, out.length) != 0)
        fail_msg("docs/sass.md differs: run scripts/remake-reference");
    text_free(&out);
    text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_list_has_every_form),
                                       cmocka_unit_test(the_page_is_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
