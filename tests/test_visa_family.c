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

static void modules_are_read_but_not_run(void **state)
{
    struct atoll_error error = {0};
    struct atoll_module *module;
    struct atoll_device *device;
    struct atoll_launch_options launch = {.grid = {1, 1, 1}, .block = {8, 1, 1}};
    (void)state;
    assert_true(atoll_device_create(NULL, &device, &error));
    if (!atoll_module_load(device, text, strlen(text), NULL, &module, &error))
        fail_msg("%s", error.message);
    struct atoll_kernel *kernel;
    assert_true(atoll_module_kernel(module, "k", &kernel, &error));
    assert_false(atoll_launch(kernel, &launch, NULL, NULL, &error));
    assert_int_equal(error.status, ATOLL_UNSUPPORTED);
    assert_non_null(strstr(error.message, "not supported: vISA is read, checked and written, but not run yet"));
    atoll_module_destroy(module);
    atoll_device_destroy(device);
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
        cmocka_unit_test(assemble_and_back),
        cmocka_unit_test(one_instruction),
        cmocka_unit_test(modules_are_read_but_not_run),
        cmocka_unit_test(mistakes_have_their_place),
        cmocka_unit_test(platforms_have_verdicts),
        cmocka_unit_test(explained),
        cmocka_unit_test(rows_are_proven),
        cmocka_unit_test(nothing_is_said_of_hazards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
