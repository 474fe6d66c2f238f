/* vISA through the public functions: modules of text and bytes, single instructions, explain, lint, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

static const char text[] = ".version 4.1\n.kernel \"k\"\n"
                           ".decl U v_type=G type=ud num_elts=8 align=GRF\n"
                           ".decl D v_type=G type=ud num_elts=8 align=GRF\n"
                           ".decl T6 v_type=T num_elts=1\n"
                           "typed_atomic.inc (M1, 8) T6 U.0 %null.0 %null.0 %null.0 %null.0 %null.0 D.0\n"
                           "ret (M1, 1)\n";

static void assemble_and_back(void **state)
{
    struct atoll_error error = {0};
    char *bytes, *listing, *again;
    size_t size, length, second;
    (void)state;
    if (!atoll_assemble(text, strlen(text), NULL, NULL, &bytes, &size, &error))
        fail_msg("%s", error.message);
    assert_memory_equal(bytes, "CISA", 4);
    assert_true(atoll_disassemble(bytes, size, NULL, &listing, &length, &error));
    assert_non_null(
        strstr(listing, "    typed_atomic.inc (M1, 8) T6 U.0 %null.0 %null.0 %null.0 %null.0 %null.0 D.0\n"));
    assert_true(atoll_assemble(listing, length, NULL, NULL, &again, &second, &error));
    assert_int_equal(size, second);
    assert_memory_equal(bytes, again, size);
    atoll_text_free(bytes);
    atoll_text_free(listing);
    atoll_text_free(again);
}

static void one_instruction(void **state)
{
    static const uint8_t ret[] = {0x34, 0, 0, 0};
    struct atoll_error error = {0};
    struct atoll_isa *isa;
    char out[ATOLL_INSTRUCTION_TEXT];
    uint8_t bytes[64];
    size_t used;
    (void)state;
    assert_true(atoll_isa_open("visa", &isa, &error));
    assert_true(atoll_isa_decode(isa, ret, sizeof ret, 0, out, &used, &error));
    assert_string_equal(out, "ret (M1, 1)");
    assert_int_equal(used, 4);
    assert_true(atoll_isa_encode(isa, out, strlen(out), 0, true, bytes, sizeof bytes, &used, &error));
    assert_int_equal(used, 4);
    assert_memory_equal(bytes, ret, 4);
    assert_false(atoll_isa_decode(isa, ret, 3, 0, out, &used, &error));
    assert_string_equal(error.message, "byte 2: the bytes end: 2 wanted, 1 left");
    assert_false(atoll_isa_encode(isa, "ret (M1, 3)", 11, 0, true, bytes, sizeof bytes, &used, &error));
    assert_int_equal(error.status, ATOLL_INPUT);
    assert_false(atoll_isa_encode(isa, "ret (M1, 1)", 11, 0, true, bytes, 3, &used, &error));
    assert_string_equal(error.message, "an instruction of 4 bytes, where there is room for 3");
    atoll_isa_close(isa);
}

static void info_tells_what_is_declared(void **state)
{
    static const char kernel[] = ".version 4.1\n.kernel \"k\"\n.decl V v_type=G type=d num_elts=8 align=GRF\n"
                                 ".decl T6 v_type=T num_elts=1\n.decl S0 v_type=S num_elts=1\n"
                                 ".input V offset=64 size=32\n.kernel_attr SimdSize=8\nret (M1, 1)\n";
    struct atoll_error error = {0};
    struct atoll_module *module;
    char *info;
    size_t size;
    (void)state;
    assert_true(atoll_module_load(NULL, kernel, strlen(kernel), NULL, &module, &error));
    assert_true(atoll_module_text(module, ATOLL_TEXT_INFO, &info, &size, &error));
    assert_non_null(strstr(info, "  inputs:\n    V  offset 64  32 bytes\n  surfaces:\n    T6\n  samplers:\n    S0\n"
                                 "  attributes:\n    SimdSize  8\n"));
    atoll_text_free(info);
    assert_true(atoll_module_text(module, ATOLL_TEXT_INFO_JSON, &info, &size, &error));
    assert_non_null(strstr(info,
                           "\"inputs\":[{\"name\":\"V\",\"offset\":64,\"size\":32}],\"surfaces\":[{\"name\":\"T6\"}],"
                           "\"samplers\":[{\"name\":\"S0\"}],\"attributes\":[{\"name\":\"SimdSize\",\"value\":\"8\"}"));
    atoll_text_free(info);
    atoll_module_destroy(module);
}

static void mistakes_have_their_place(void **state)
{
    struct atoll_error error = {0};
    char *bytes;
    size_t size;
    static const char bad[] = ".version 4.1\n.kernel \"k\"\nret (M1, 3)\n";
    struct atoll_module_options options = {.file = "k.visaasm"};
    (void)state;
    assert_false(atoll_assemble(bad, strlen(bad), NULL, &options, &bytes, &size, &error));
    assert_int_equal(error.status, ATOLL_INVALID);
    assert_int_equal(error.line, 3);
    assert_false(atoll_disassemble("CISA\004\001\001", 7, NULL, &bytes, &size, &error));
    assert_string_equal(error.message, "byte 6: the bytes end: 2 wanted, 1 left");
}

static bool verdict(const char *module, size_t size, const struct atoll_module_options *options,
                    struct atoll_error *error)
{
    struct atoll_source source = {.text = module, .size = size};
    return atoll_module_check(&source, 1, options, error);
}

/* Of a text and of bytes, which are named by kernel and byte. */
static void platforms_have_verdicts(void **state)
{
    static const char wide[] = ".version 4.1\n.kernel \"k\"\n.decl V v_type=G type=ud num_elts=8 align=GRF\n"
                               "rol (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x1:ud\n";
    struct atoll_module_options skl = {.target = "SKL"}, tgllp = {.target = "tgllp"}, none = {.target = "sm_75"};
    struct atoll_error error = {0};
    char *bytes;
    size_t size;
    (void)state;
    assert_true(verdict(wide, sizeof wide - 1, &tgllp, &error));
    assert_false(verdict(wide, sizeof wide - 1, &skl, &error));
    assert_int_equal(error.line, 4);
    assert_non_null(strstr(error.message, "'rol' needs ICLLP or later, not SKL"));
    assert_true(atoll_assemble(wide, sizeof wide - 1, NULL, NULL, &bytes, &size, &error));
    assert_true(verdict(bytes, size, &tgllp, &error));
    assert_false(verdict(bytes, size, &skl, &error));
    assert_non_null(strstr(error.message, "k, instruction 0 (byte "));
    assert_false(verdict(wide, sizeof wide - 1, &none, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    atoll_text_free(bytes);
}

static void count_notes(void *user, const struct atoll_diagnostic *diagnostic)
{
    unsigned *notes = user;
    assert_int_equal(diagnostic->severity, ATOLL_NOTE);
    assert_string_equal(diagnostic->code, "no-platform");
    assert_int_equal(diagnostic->line, 0);
    ++*notes;
}

/* Without a platform syntax and names are looked at, and that is said. */
static void no_platform_is_noted(void **state)
{
    unsigned notes = 0;
    struct atoll_error error = {0};
    struct atoll_module_options options = {.diagnose = count_notes, .user = &notes};
    (void)state;
    assert_true(verdict(text, sizeof text - 1, &options, &error));
    assert_int_equal(notes, 1);
    options.target = "SKL";
    assert_true(verdict(text, sizeof text - 1, &options, &error));
    assert_int_equal(notes, 1);
}

static void explains(const char *what, const char *first, const char *second, const char *third)
{
    const char *const wanted[] = {first, second, third};
    struct atoll_error error = {0};
    char *out;
    size_t size;
    if (!atoll_explain(what, &out, &size, &error))
        fail_msg("%s: %s", what, error.message);
    for (unsigned i = 0; i < 3; i++)
        if (!strstr(out, wanted[i]))
            fail_msg("no '%s' in\n%s", wanted[i], out);
    atoll_text_free(out);
}

static void explained(void **state)
{
    static const char *const wanted[] = {"73 00 23 01 a0 06", "48 bytes",
                                         "[(P)] typed_atomic.op (M1, N) surface u v r"};
    struct atoll_error error = {0};
    char *out;
    size_t size;
    (void)state;
    assert_true(atoll_explain("(!P1.any) typed_atomic.add (M3, 8) T6 V32.0 V33.0 %null.0 %null.0 V34.0 %null.0 V35.0",
                              &out, &size, &error));
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(out, wanted[i]))
            fail_msg("no '%s' in\n%s", wanted[i], out);
    atoll_text_free(out);
    explains("typed_atomic.cmpxchg", "    memory = old == src1 ? src0 : old\n    dst = old\n",
             "src0: ud, what is stored\n  src1: ud, what is compared with\n", "2D array    u = x, v = y, r = layer");
    explains("typed_atomic.fcmpwr", "memory = old == src0 ? src1 : old, compared as floats",
             "src0: f, what is compared", "no machine has them for texels");
    explains("typed_atomic.predec", "memory = old - 1\n    dst = old - 1\n", "src0: %null", "it reads it from bytes");
    explains("TYPED_ATOMIC.IMIN", "typed_atomic.minsint   (operation 11; the page: imin)", "src0: d, the operand",
             "written, dst = 0");
    explains("typed_atomic.add.16", "as uw; the upper half of dst is 0", ".16: TGLLP and later", "docs/visa.md");
    explains("svm_atomic.min.64", "min(old, src0), unsigned", "src0: uq", "address: uq");
    explains("dword_atomic", " 7 .cmpxchg  memory = old == src1 ? src0 : old; dst = old", "13 .predec", "offsets: ud");
    explains("lsc_atomic_icas", "old == src1 ? src2 : old", "src2: ud, what is stored", "DG2 and later: DG2 MTL");
    explains("typed_atomic.op14 (M1, 8) T6 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0", "73 0e 03", "", "");
    assert_false(atoll_explain("typed_atomic.foo", &out, &size, &error));
    assert_non_null(strstr(error.message, "'typed_atomic' has no operation 'foo': it has add, sub, inc"));
    assert_false(atoll_explain("typed_atomic.add.64", &out, &size, &error));
    assert_string_equal(error.message, "'typed_atomic' has no width '.64'");
    assert_false(atoll_explain_in("VISA", "nothing", &out, &size, &error));
    assert_string_equal(error.message, "'nothing' is no instruction of vISA");
}

static void rows_are_proven(void **state)
{
    struct atoll_error error = {0};
    struct atoll_lint_counts counts;
    char *report;
    size_t size;
    (void)state;
    assert_true(atoll_lint("visa", &report, &size, &counts, &error));
    if (counts.breaks)
        fail_msg("%s", report);
    assert_true(counts.rows >= 200);
    atoll_text_free(report);
}

static void nothing_is_said_of_hazards(void **state)
{
    struct atoll_error error = {0};
    char *report;
    size_t size;
    (void)state;
    assert_false(atoll_hazards(text, strlen(text), &report, &size, NULL, &error));
    assert_string_equal(error.message, "no hazards are known of vISA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assemble_and_back),           cmocka_unit_test(one_instruction),
        cmocka_unit_test(info_tells_what_is_declared), cmocka_unit_test(mistakes_have_their_place),
        cmocka_unit_test(platforms_have_verdicts),     cmocka_unit_test(explained),
        cmocka_unit_test(no_platform_is_noted),        cmocka_unit_test(rows_are_proven),
        cmocka_unit_test(nothing_is_said_of_hazards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
