/* docs/visa-reference.md says what the rows of vISA say, and every row says what its instruction does. */
#include "atoll.h"
#include "base/text.h"
#include "isa/visa/explain.h"
#include "isa/visa/means.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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
    static const char begin[] = "<!-- begin: atoll list visa --markdown -->\n", end[] = "<!-- end -->\n";
    struct text out = {0}, page = {0};
    char piece[4096];
    (void)state;
    visa_list(ATOLL_LIST_MARKDOWN, &out);
    FILE *file = fopen(DOCS_DIR "/visa-reference.md", "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        text_add(&page, piece, got);
    fclose(file);
    assert_true(text_ok(&out) && text_ok(&page));
    const char *from = strstr(page.bytes, begin), *to = from ? strstr(from, end) : NULL;
    assert_non_null(to);
    from += strlen(begin);
    if ((size_t)(to - from) != out.length || memcmp(from, out.bytes, out.length) != 0)
        fail_msg("docs/visa-reference.md differs: run scripts/remake-reference");
    text_free(&out);
    text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_list_has_every_form),
                                       cmocka_unit_test(every_row_has_a_meaning),
                                       cmocka_unit_test(the_page_is_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
