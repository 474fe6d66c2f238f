/* Examples of the instruction reference and its way to write scheduling, accepted as they are; spellings that mean
 * the same give the same word. */
#include "atoll.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t parse(const char *isa_name, const char *text, uint32_t *control)
{
    struct atoll_isa *isa;
    struct atoll_error error = {.message = "stale"};
    uint64_t word[2] = {0};
    assert_true(atoll_isa_open(isa_name, &isa, &error));
    bool ok = atoll_isa_encode(isa, text, strlen(text), 8, true, word, 12, NULL, &error);
    atoll_isa_close(isa);
    if (!ok)
        fail_msg("'%s': column %u: %s", text, error.column, error.message);
    assert_string_equal(error.message, ""); /* nothing to be told of */
    if (control)
        *control = (uint32_t)word[1];
    return word[0];
}

static void refused(const char *isa_name, const char *text, const char *message)
{
    struct atoll_isa *isa;
    struct atoll_error error = {0};
    uint64_t word[2] = {0};
    assert_true(atoll_isa_open(isa_name, &isa, &error));
    assert_false(atoll_isa_encode(isa, text, strlen(text), 8, true, word, 12, NULL, &error));
    atoll_isa_close(isa);
    if (!strstr(error.message, message))
        fail_msg("'%s': column %u: %s; wanted %s", text, error.column, error.message, message);
}

/* `same`: the text of nvdisasm for it. */
static const struct {
    const char *written, *same;
} examples[] = {
    {"ATOMS.ADD.U32 R9, [0x10], R8;", "ATOMS.ADD R9, [0x10], R8"},
    {"SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1;", "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1"},
    {"SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100", "SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100"},
    {"SUATOM.D.2D.ADD.U32.NEAR R10, [R2], R4, R1", "SUATOM.D.2D.ADD R10, [R2], R4, R1"},
    {"ATOMS.ADD.32 R9, [R2], R8", "ATOMS.ADD R9, [R2], R8"},
    {"ATOMS.EXCH.64 R8, [R2], R4", "ATOMS.EXCH.U64 R8, [R2], R4"},
    {"ATOMS.CAS.32 R9, [R2], R8, R9", "ATOMS.CAS R9, [R2], R8, R9"},
    {"ATOMS.CAS.U32 R9, [R2], R8, R9", "ATOMS.CAS R9, [R2], R8, R9"},
    {"ATOMS.CAS.S32 R9, [R2], R8, R9", "ATOMS.CAS R9, [R2], R8, R9"},
    {"ATOMS.CAS.U64 R8, [R2], R4, R6", "ATOMS.CAS.64 R8, [R2], R4, R6"},
    {"ATOMS.CAST.SPIN.U64 R8, [R2], R4, R6", "ATOMS.CAST.SPIN.64 R8, [R2], R4, R6"},
    {"ATOMS.CAST.32 R9, [R2], R8, RZ", "ATOMS.CAST R9, [R2], R8, RZ"},
    {"ATOMS.CAS R8, [R2], R254, RZ", "ATOMS.CAS R8, [R2], R254, RZ"}, /* only Rb is read */
    {"ATOMS.CAS.64 R8, [R2], R252, RZ", "ATOMS.CAS.64 R8, [R2], R252, RZ"},
    {"ATOM.E.CAS R8, [R2], R254, RZ", "ATOM.E.CAS R8, [R2], R254, RZ"},
    {"ATOMS.ADD.S32 R0, [R1 - 400], R9;", "ATOMS.ADD.S32 R0, [R1+-0x190], R9"},
    {"ATOMS.CAST.SPIN.U32 R0, [R4 + 0x18], R4, R5", "ATOMS.CAST.SPIN R0, [R4+0x18], R4, R5"},
    {"ATOMS.CAST.SPIN.U64 R0, [ R4 + 24 ], R4, R6 # a comment; of the reference",
     "ATOMS.CAST.SPIN.64 R0, [R4+0x18], R4, R6"},
    {"LDG.E R0, [R2 -0x4]", "LDG.E R0, [R2+-0x4]"},
    {"LDC R0, c[0x0][R2 - 16]", "LDC R0, c[0x0][R2+-0x10]"},
    {"LDS.32 R9, [R2]", "LDS R9, [R2]"},
    {"ATOM.E.ADD.U32 R9, [R2], R8", "ATOM.E.ADD R9, [R2], R8"},
    {"SUATOM.D.1D.CAS.32 R0, [R3], R4, 0x50", "SUATOM.D.1D.CAS R0, [R3], R4, 0x50"},
};

static void written_as_in_the_sources(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        uint64_t one = parse("SM50", examples[i].written, NULL), two = parse("SM50", examples[i].same, NULL);
        if (one != two)
            fail_msg("'%s' is %016" PRIx64 ", not %016" PRIx64, examples[i].written, one, two);
    }
    /* recorded: the vendor's disassembler writes these words so */
    assert_true(parse("SM50", "SUATOM.D.2D.ADD R16, [R2], R4, 0xa0", NULL) == UINT64_C(0xea020a0600470210));
    assert_true(parse("SM50", "SUATOM.D.2D.ADD R16, [R2], R4, R20", NULL) == UINT64_C(0xea720a0600470210));
    assert_true(parse("SM52", "SUATOM.D.2D.CAS P6, R16, [R2], R4, R20", NULL) == UINT64_C(0xead20a0640470210));
    assert_true(parse("SM50", "ATOMS.ADD R16, [R13], R17", NULL) == UINT64_C(0xec00000001170d10));
}

/* The reference writes .F16x2.RN; it exists from SM 5.2 on, as the sparse predicate does. */
static void later_architectures(void **state)
{
    (void)state;
    static const char *const texts[] = {"SUATOM.D.2D.ADD.F16x2.RN R16, [R2], R8, 0xa0",
                                        "ATOM.E.ADD.F16x2.RN R0, [R2], R4", "SUATOM.D.2D.ADD P0, R16, [R2], R4, R20",
                                        "SULD.D.2D P1, R16, [R2], R20", "SURED.D.2D.MIN.F16x2.RN [R2], R8, 0xa0"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        parse("SM52", texts[i], NULL);
        refused("SM50", texts[i], "this one needs SM52");
    }
    assert_true(parse("SM52", texts[0], NULL) ==
                parse("SM52", "SUATOM.D.2D.ADD.F16x2.FTZ.RN R16, [R2], R8, 0xa0", NULL));
}

/* An example of the reference has no operation; its comment speaks of an addition. */
static void without_operation(void **state)
{
    (void)state;
    static const char text[] = "SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100";
    struct atoll_isa *isa;
    struct atoll_error error = {0};
    uint64_t word[2] = {0};
    char *bytes;
    size_t size;
    assert_true(atoll_isa_open("SM50", &isa, &error));
    assert_true(atoll_isa_encode(isa, text, strlen(text), 8, true, word, 12, NULL, &error));
    assert_string_equal(error.message, "SUATOM without an operation is read as .ADD");
    assert_true(word[0] == parse("SM50", "SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100", NULL));
    atoll_isa_close(isa);
    static const char module[] =
        "NOP;\n  SUATOM.D.2D_ARRAY R2, [R4], R5, 0x100; # one\nSUATOM.P.1D.IGN R2, [R4], R5, R6;EXIT;\n";
    assert_true(atoll_assemble(module, strlen(module), NULL, NULL, &bytes, &size, &error));
    atoll_text_free(bytes);
    assert_true(error.status == ATOLL_OK && error.line == 2 && error.column == 3);
    assert_string_equal(error.message, "SUATOM without an operation is read as .ADD (and 1 more)");
    refused("SM50", "SUATOM.D.BA.U64.TRAP R2, [R3], R4, 0x100", "wanted one of .1D"); /* no dimension either */
}

/* Control bits: stall 0-3, yield 4, write barrier 5-7, read barrier 8-10, wait mask 11-16. */
static const struct {
    const char *written;
    uint32_t control;
} schedules[] = {
    {"&req={0,3} &rd=2 &wr=1 ?W6", 9u << 11 | 2u << 8 | 1u << 5 | 1u << 4 | 6},
    {"&req={0,3} &rd=2 &wr=1 ?Y6", 9u << 11 | 2u << 8 | 1u << 5 | 6},
    {"{&req={0,3}}{&rd=2}{&wr=1}{?Y6}", 9u << 11 | 2u << 8 | 1u << 5 | 6},
    {"{&req_9}{&rd2}{&wr1}{?W6}", 9u << 11 | 2u << 8 | 1u << 5 | 1u << 4 | 6},
    {"{&req_9}{&rd2}{&wr1}{?sched}", 9u << 11 | 2u << 8 | 1u << 5 | 15},
    {"{&req_6}", 6u << 11 | 7u << 8 | 7u << 5 | 15},
    {"{&rd0}{&wr5}", 0u << 8 | 5u << 5 | 15},
    {"{?sched}", 7u << 8 | 7u << 5 | 15},
    {"&req={}", 7u << 8 | 7u << 5 | 15},
};

static void scheduling(void **state)
{
    (void)state;
    static const char *const instructions[] = {"ATOMS.ADD.U32 R9, [0x10], R8", "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1"};
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < sizeof schedules / sizeof schedules[0]; i++)
            for (unsigned semicolon = 0; semicolon < 2; semicolon++) {
                char text[200];
                uint32_t control;
                snprintf(text, sizeof text, "%s %s%s", instructions[k], schedules[i].written, semicolon ? ";" : "");
                uint64_t word = parse("SM50", text, &control);
                assert_true(word == parse("SM50", instructions[k], NULL));
                if (control != schedules[i].control)
                    fail_msg("'%s': 0x%x, not 0x%x", text, control, schedules[i].control);
            }
}

/* The same in a module. */
static void modules(void **state)
{
    (void)state;
    static const char text[] = "ATOMS.ADD.U32 R9, [0x10], R8 {&req_9}{&rd2}{&wr1}{?sched};\n"
                               "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1 &req={1} &wr=0 ?Y6;\n"
                               "EXIT ?W15;\n";
    struct atoll_listing_options options = {.control = true};
    struct atoll_error error = {0};
    char *bytes, *listing;
    size_t size, length;
    if (!atoll_assemble(text, strlen(text), "SM50", NULL, &bytes, &size, &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    assert_true(atoll_disassemble(bytes, size, &options, &listing, &length, &error));
    assert_non_null(strstr(listing, "ATOMS.ADD R9, [0x10], R8"));
    assert_non_null(strstr(listing, "&req={0,3} &rd=2 &wr=1 ?Y15"));
    assert_non_null(strstr(listing, "&req={1} &wr=0 ?Y6"));
    atoll_text_free(bytes);
    atoll_text_free(listing);
}

static void mistake(const char *text, uint32_t column, const char *message)
{
    struct atoll_isa *isa;
    struct atoll_error error = {0};
    uint64_t word[2] = {0};
    assert_true(atoll_isa_open("SM50", &isa, &error));
    assert_false(atoll_isa_encode(isa, text, strlen(text), 8, true, word, 12, NULL, &error));
    atoll_isa_close(isa);
    if (error.column != column || !strstr(error.message, message))
        fail_msg("'%s': column %u: %s; wanted %u: %s", text, error.column, error.message, column, message);
}

static void mistakes(void **state)
{
    (void)state;
    mistake("IADD R1, R2, R3 &wr=1", 16, "fixed latency releases no scoreboard");
    mistake("ATOMS.ADD R1, [R2], R3 {&rd2", 29, "wanted scheduling as"); /* no closing brace */
    mistake("ATOMS.ADD R1, [R2], R3 &req={7}", 24, "each once, not '&req={7}'");
    mistake("ATOMS.ADD R1, [R2], R3 &wr=6", 23, "wanted scoreboards from 0 to 5, not 6");
    mistake("ATOMS.ADD R1, [R2], R3 &wr=1 {&wr2}", 31, "each once, not '&wr2}'");
    mistake("ATOMS.ADD R1, [R2], R3 ?Z6", 24, "each once, not '?Z6'");
    mistake("SUATOM.D.BA.1D.U63.TRAP R2, [R3], R4, 0x100", 15, "or .CAS, not '.U63'"); /* no operation */
    mistake("ATOMS.CAST.SPIN.U32 R0, [R4 + 0x18], R4, R6", 42,
            "wanted R5 (it follows from another operand) or RZ, not 'R6'; .U32 takes Rb and Rb+1, .U64 Rb and Rb+2");
    mistake("ATOMS.ADD R0, [R1 - -4], R9", 19, "one sign");
    mistake("ATOMS.ADD R0, [R1 - 402], R9", 19, "a multiple of 4");
    mistake("ATOMS.ADD R0, [RZ - 4], R9", 19, "a number from 0x0");
}

/* What was read is said too. */
static void read_instead(void **state)
{
    (void)state;
    mistake("MOV R1", 7, "wanted ',', not the end");
    mistake("MOV R1, R256", 9, "not 'R256'");
    mistake("MOV R1, \x1b[31m", 9, "not '?'"); /* nothing that a terminal obeys */
    mistake("  FOOBARFOOBARFOOBARFOOBARFOOBARFOOBAR R1", 3, "not 'FOOBARFOOBARFOOBARFOOBARFOOBARFO...'");
    mistake("FADD R1, R2, 0.1", 14, "the top 20 bits of an f32 hold, not '0.1'");
    mistake("FADD R1, R2, 1e40", 14, "a number that an f32 can hold, or INF, not '1e40'");
    mistake("SUATOM.D.2D.ADD.F16x2 R16, [R2], R8, 0xa0", 16, "not '.F16x2'");
    mistake("ATOMS.CAS R2, [R2], R4, R6", 25, "wanted R5 (it follows from another operand) or RZ, not 'R6'");
    mistake("@P0 SSY 0x10", 1, "wanted SSY, not '@P0'");
    mistake("@P0 HADD2 R0, R1, R2", 5, "wanted an instruction of SM50: this one needs SM52");
}

static void module_mistake(const char *text, const char *message)
{
    struct atoll_error error = {0};
    char *bytes;
    size_t size;
    assert_false(atoll_assemble(text, strlen(text), NULL, NULL, &bytes, &size, &error));
    if (strcmp(error.message, message) != 0)
        fail_msg("%s: wanted %s", error.message, message);
}

static void read_instead_in_modules(void **state)
{
    (void)state;
    module_mistake(".shared 16777217\n", "wanted at most 16 MiB"); /* what was read is after the cursor */
    module_mistake("EXIT; # no '; FOO' here\n.kernel k\nEXIT;\n.kernel k\nEXIT;\n",
                   "kernel 'k' stands in line 2 already");
    module_mistake("EXIT;\n.kernel main\nEXIT;\n", "kernel 'main' stands in line 1 already");
    module_mistake(".shared foo\n", "wanted a number, not 'foo'");
    module_mistake(".shared 4 foo\n", "wanted the end of the line, not 'foo'");
}

/* Reuse in the operands and annotations after them are one control word. */
static void reuse_and_annotations(void **state)
{
    (void)state;
    struct atoll_isa *isa;
    struct atoll_error error = {0};
    uint64_t word[2] = {0};
    static const char text[] = "FADD R1, R2.reuse, R3 ?W6";
    assert_true(atoll_isa_open("SM50", &isa, &error));
    assert_true(atoll_isa_encode(isa, text, strlen(text), 8, true, word, 12, NULL, &error));
    atoll_isa_close(isa);
    assert_int_equal((uint32_t)word[1], 0x207f6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_as_in_the_sources),
        cmocka_unit_test(later_architectures),
        cmocka_unit_test(without_operation),
        cmocka_unit_test(scheduling),
        cmocka_unit_test(modules),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(read_instead),
        cmocka_unit_test(read_instead_in_modules),
        cmocka_unit_test(reuse_and_annotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
