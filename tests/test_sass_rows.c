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
#include "isa/sass/code.h"

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

/* What code asks for is in some row: a misspelt label or flag would never be found. */
static void test_roles(void **state)
{
    (void)state;
    const struct isa_table *table = sass_table(NULL);
    assert_non_null(table);
    for (unsigned role = 1; role < SASS_ROLES_END; role++) {
        unsigned i = 0;
        while (i < table->nforms && !table->forms[i].role[role])
            i++;
        if (i == table->nforms)
            fail_msg("no row has the role '%s'", table->family.roles[role]);
    }
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

/* Registers below R64 that instructions read and write. */
static void test_effects(void **state)
{
    static const struct {
        const char *text;
        uint64_t reads, writes;
    } effects[] = {
        {"FFMA R0, R1, R2, R3", 0xe, 0x1},
        {"FFMA32I R0, R1, 1, R0", 0x3, 0x1}, /* the third source is in the field of the result */
        {"IMAD32I R4, R1, 0x5, R4", 0x12, 0x10},
        {"DADD R4, R6, R8", 0x3c0, 0x30},
        {"DSET.BF.LT.AND R4, R6, R8, PT", 0x3c0, 0x10},
        {"F2I.S64.F32 R4, R6", 0x40, 0x30},
        {"STG.E.64 [R2], R4", 0x3c, 0},
        {"LDG.E.U.128 R4, [R2]", 0xc, 0xf0},
        {"AST a[0x70], R4", 0x10, 0},
        {"ATOM.E.CAS.64 R0, [R2], R4, R6", 0xfc, 0x3},
        {"ATOM.E.CAS.64 R0, [R2], RZ, R4", 0x3c, 0x3},
        {"ATOM.E.CAS R0, [R2], R4, RZ", 0x1c, 0x1},
        {"SUATOM.D.2D.CAS R0, [R2], R4, 0x1", 0x3c, 0x1},
        {"SUST.D.3D.64 [R4], R2, R8", 0x17c, 0}, /* Rc: the handle */
        {"SULD.P.1D.RG.TRAP R0, [R4], 0x1", 0x10, 0x3},
        {"TLD4.B R0, R4, RZ, 0x1, 2D, 0x1", 0x30, 0x1}, /* B: a component, not a handle in Rb */
        {"TLD4.R.B R0, R4, R8, 0x0, 2D, 0x1", 0x130, 0x1},
        {"TEXS.LL.DC R2, R0, R4, R8, 0x1, 2D, RGBA", 0x330, 0xf},
        {"TEXS R2, R0, R4, R8, 0x1, 2D, RGB", 0x110, 0x7},
        {"TEXS RZ, R0, R4, R8, 0x1, 2D, RA", 0x110, 0x3},
        {"TLDS.LZ R2, R0, R4, R8, 0x1, ARRAY_2D, RGB", 0x310, 0x7},
        {"TLD4S.R.AOFFI.DC R2, R0, R4, R8, 0x1", 0x330, 0xf},
        {"TXQ R0, R4, TEX_HEADER_DIMENSION, 0x1, 0x3", 0x10, 0x3},
        {"TXD R0, R4, R8, 0x1, 2D, 0xf", 0xf30, 0xf},
    };
    struct isa_table table;
    struct atoll_error error;
    (void)state;
    assert_true(sass_open(&table, &error));
    for (unsigned i = 0; i < sizeof effects / sizeof effects[0]; i++) {
        const char *text = effects[i].text;
        struct sass_insn insn = {.word = {{0}}};
        struct isa_mistake mistake;
        struct sass_effects got;
        insn.form = isa_parse(&table, text, strlen(text), SASS_ARCH_50, 8, &insn.word, &mistake);
        if (!insn.form)
            fail_msg("'%s': at %zu: %s", text, mistake.at, mistake.wanted);
        sass_effects(&(struct sass_code){.table = &table, .insns = &insn, .count = 1}, 0, &got);
        if (got.reads[0] != effects[i].reads || got.writes[0] != effects[i].writes)
            fail_msg("'%s': reads %llx, writes %llx", text, (unsigned long long)got.reads[0],
                     (unsigned long long)got.writes[0]);
    }
    isa_close(&table);
}

/* Who reads and writes the condition codes: by role, whatever a value is called. */
static void test_codes(void **state)
{
    static const struct {
        const char *text;
        bool reads, writes;
    } codes[] = {
        {"IADD R0.CC, R1, R2", false, true},
        {"IADD.X R0, R1, R2", true, false},
        {"IMNMX.XHI R0, R1, R2, PT", true, false},
        {"SHF.R.XHI R0, R1, R2, R3", true, false},
        {"SHF.R.HI R0, R1, R2, R3", false, false},
        {"CSET.BF.EQ.AND R0, CC, PT", true, false},
        {"P2R R0, CC, RZ, 0xf", true, false},
        {"R2P PR, R0, 0x7f", false, false},
        {"BRA CC.NE, 0x10", true, false},
        {"BRA 0x10", false, false},
        {"VABSDIFF4.X R0, R1, R2, R3", false, false}, /* .X: the lane that is written */
    };
    (void)state;
    const struct isa_table *table = sass_table(NULL);
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct sass_insn insn = {.word = {{0}}};
        struct isa_mistake mistake;
        struct sass_effects got;
        insn.form = isa_parse(table, codes[i].text, strlen(codes[i].text), SASS_ARCH_50, 8, &insn.word, &mistake);
        if (!insn.form)
            fail_msg("'%s': at %zu: %s", codes[i].text, mistake.at, mistake.wanted);
        sass_effects(&(struct sass_code){.table = table, .insns = &insn, .count = 1}, 0, &got);
        if ((got.pred_reads >> SASS_CC & 1) != codes[i].reads || (got.pred_writes >> SASS_CC & 1) != codes[i].writes)
            fail_msg("'%s': reads %x, writes %x", codes[i].text, got.pred_reads, got.pred_writes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lint),        cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_broken_rows), cmocka_unit_test(test_effects),
                                       cmocka_unit_test(test_roles),       cmocka_unit_test(test_codes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
