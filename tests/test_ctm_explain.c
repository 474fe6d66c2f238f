/* What is told of R580's words: every operation and field has a meaning, names and instructions are explained, the
 * proof of the rows finds nothing, docs/ctm-reference.md is what the rows say. */
#include "atoll.h"
#include "isa/ctm/explain.h"
#include "reference.h"

static const struct family asked = {.name = "ctm", .title = "CTM", .explain = ctm_explain};

static void explained(const char *instruction, const char *const *wanted)
{
    struct text out = {0};
    struct atoll_error error = {0};
    if (!family_explain(&asked, instruction, FAMILY_ANY, &out, &error))
        fail_msg("%s: %s", instruction, error.message);
    for (; *wanted; wanted++)
        if (!strstr(out.bytes, *wanted))
            fail_msg("%s: no '%s' in:\n%s", instruction, *wanted, out.bytes);
    text_free(&out);
}

static void names_are_explained(void **state)
{
    (void)state;
    explained("TEX_INST_LOOKUP_UNCACHED", (const char *const[]){"reads an input", "r0 = LOOKUP_UNCACHED(s0, r1.rgba)",
                                                                "W1 24:22 TEX_INST = 7", "code 7, the only one", NULL});
    explained("OP_RGB_MAD", (const char *const[]){"RGB MAD: A * B + C", "W5 3:0 RGB_OP = 0", NULL});
    explained("max", (const char *const[]){"RGB MAX:", "alpha MAX:", NULL});
    explained("RGB_WMASK", (const char *const[]){"W0 13:11 RGB_WMASK", "are written", NULL});
    explained("OMOD_D4", (const char *const[]){"W3 28:26 RGB_OMOD", "5 OMOD_D4", NULL});
    explained("RNDR_TGT_B", (const char *const[]){"RGB_TARGET", NULL});
    explained("IF", (const char *const[]){"FC JUMP func=0x0f b0=incr", NULL});
    explained("FC_OP_BREAKLOOP", (const char *const[]){"FC BREAKLOOP func", "needs the code jumped over", NULL});
}

static void instructions_are_explained(void **state)
{
    (void)state;
    explained("r0.rgb = (1 - r2) * c1 | r0.a = rcp(r1.a)",
              (const char *const[]){"RGB MAD", "alpha RCP", "reads r1, r2\n", "reads c1\n", "writes r0\n",
                                    "W1 31:30 RGB_SRCP_OP = 3 SRCP_OP_INV", NULL});
    explained("00007807 02420000 0xe406e403 0 1 0",
              (const char *const[]){"r6 = TEXLD(s2, r3) wait acquire !W4=0x1", "W4 reserved = 0x00000001", NULL});
}

static void others_are_not(void **state)
{
    static const char *const wrong[] = {"FOO", "r0 = r1 +", "1 2 3 4 5", "", "ENDLOOP 3"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct text out = {0};
        struct atoll_error error = {0};
        assert_false(family_explain(&asked, wrong[i], FAMILY_ANY, &out, &error));
        assert_true(error.message[0]);
        text_free(&out);
    }
    assert_true(ctm_explains("OP_ALPHA_RCP") && ctm_explains("RGB_WMASK") && ctm_explains("r4 = TEXLD(s0, r1)"));
    assert_true(ctm_explains("1 2 3 4 5 6"));
    assert_false(ctm_explains("MAX") || ctm_explains("suld.b.2d") || ctm_explains("ATOMS.CAST") || ctm_explains("IF"));
}

static void the_rows_are_proved(void **state)
{
    struct text out = {0};
    unsigned breaks;
    (void)state;
    assert_true(ctm_lint(NULL, &out, &breaks) > 100);
    if (breaks)
        fail_msg("%s", out.bytes);
    text_free(&out);
}

static void the_page_is_current(void **state)
{
    struct text out = {0};
    (void)state;
    ctm_list(ATOLL_LIST_MARKDOWN, &out);
    reference_is_current(DOCS_DIR "/ctm-reference.md", "<!-- begin: atoll list ctm --markdown -->\n", &out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_explained),
                                       cmocka_unit_test(instructions_are_explained), cmocka_unit_test(others_are_not),
                                       cmocka_unit_test(the_rows_are_proved), cmocka_unit_test(the_page_is_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
