/* docs/sass.md says what the rows of Maxwell say, and the lists hold every form. */
#include "atoll.h"
#include "base/text.h"
#include "isa/sass/reference.h"
#include "isa/sass/sass.h"
#include "reference.h"

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
    struct text out = {0};
    (void)state;
    sass_list(ATOLL_LIST_MARKDOWN, &out);
    reference_is_current(DOCS_DIR "/sass.md", "<!-- begin: atoll list sass --markdown -->\n", &out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_list_has_every_form),
                                       cmocka_unit_test(the_page_is_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
