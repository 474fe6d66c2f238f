/* docs/visa-reference.md says what the rows of vISA say, and every row says what its instruction does. */
#include "atoll.h"
#include "base/text.h"
#include "isa/visa/explain.h"
#include "isa/visa/means.h"
#include "reference.h"

static void the_list_has_every_form(void **state)
{
    struct text all = {0}, surface = {0};
    unsigned lines = 0;
    (void)state;
    visa_list(0, &all);
    visa_list(ATOLL_LIST_SURFACE, &surface);
    assert_true(text_ok(&all) && text_ok(&surface));
    for (size_t i = 0; i < all.length; i++)
        lines += all.bytes[i] == '\n';
    assert_int_equal(lines, VISA_ROWS);
    assert_non_null(strstr(all.bytes, "0x01  [(P)] add[.sat] (M1, N) dst a b\n"));
    assert_non_null(
        strstr(all.bytes, "[(P)] sample_lz[.flags].channels (M1, N) offsets sampler surface dst params...\n"));
    assert_null(strstr(surface.bytes, "add[.sat]"));
    assert_non_null(strstr(surface.bytes, "typed_atomic.op (M1, N) surface u v r lod src0 src1 dst\n"));
    text_free(&all);
    text_free(&surface);
}

static void every_row_has_a_meaning(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VISA_ROWS; i++) {
        bool formula = visa_rows[i].is & VISA_IS_LSC && visa_rows[i].is & VISA_IS_ATOMIC;
        if (!*visa_means(&visa_rows[i]) != formula)
            fail_msg("%s: '%s'", visa_rows[i].name, visa_means(&visa_rows[i]));
    }
}

static void the_page_is_current(void **state)
{
    struct text out = {0};
    (void)state;
    visa_list(ATOLL_LIST_MARKDOWN, &out);
    reference_is_current(DOCS_DIR "/visa-reference.md", "<!-- begin: atoll list visa --markdown -->\n", &out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_list_has_every_form),
                                       cmocka_unit_test(every_row_has_a_meaning),
                                       cmocka_unit_test(the_page_is_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
