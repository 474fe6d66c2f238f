/* Operand rules of Maxwell instructions: what the instruction reference forbids although it can be encoded. */
#include "isa/sass/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* wanted NULL: the instruction keeps the rules. */
static const struct {
    const char *text, *wanted;
    unsigned arch;
} cases[] = {
    {"ATOMS.ADD R16, [R13], R17", NULL, SASS_ARCH_50},
    {"ATOMS.EXCH.U64 R16, [R13+0x8], R18", NULL, SASS_ARCH_50},
    {"ATOMS.EXCH.U64 R16, [R13+0x8], R17", "data in a register that is a multiple of 2, not R17", SASS_ARCH_50},
    {"ATOMS.EXCH.U64 R15, [R13+0x8], R18", "the result in a register that is a multiple of 2, not R15", SASS_ARCH_50},
    {"ATOMS.EXCH.U64 RZ, [R13+0x8], RZ", NULL, SASS_ARCH_50},
    {"ATOMS.INC.S32 R16, [R13], R17", "a type that .INC takes: U32 (not S32)", SASS_ARCH_50},
    {"ATOMS.ADD.U64 R16, [R13], R18", "a type that .ADD takes: U32 S32 (not U64)", SASS_ARCH_50},
    {"ATOMS.CAS R0, [R2], R4, R5", NULL, SASS_ARCH_50},
    {"ATOMS.CAS R0, [R2], R5, R6", "compare and swap value in a register that is a multiple of 2, not R5",
     SASS_ARCH_50},
    {"ATOMS.CAST.SPIN R0, [R2], R4, R5", NULL, SASS_ARCH_50},
    {"ATOMS.CAS.64 R0, [R2], R4, R6", NULL, SASS_ARCH_50},
    {"ATOMS.CAS.64 R0, [R2], R6, R8", "a multiple of 4, not R6", SASS_ARCH_50},
    {"ATOMS.CAS.64 R1, [R2], R4, R6", "a multiple of 2, not R1", SASS_ARCH_50},
    {"ATOMS.CAS R0, [R2], R4, RZ", NULL, SASS_ARCH_50},
    {"ATOMS.CAS R8, [R2], R254, RZ", NULL, SASS_ARCH_50},
    {"ATOMS.CAS.64 R8, [R2], R252, RZ", NULL, SASS_ARCH_50},
    {"ATOMS.CAS R8, [R2], R253, RZ", "compare value in a register that is a multiple of 2, not R253", SASS_ARCH_50},
    {"ATOMS.CAS.64 R8, [R2], R254, RZ", "a multiple of 4, not R254", SASS_ARCH_50},
    {"ATOM.E.CAS R8, [R2], R254, RZ", NULL, SASS_ARCH_50},
    {"ATOMS.CAS R0, [R2], RZ, R4", "a register to compare with", SASS_ARCH_50},

    {"SUATOM.D.2D.ADD R16, [R2], R4, 0xa0", NULL, SASS_ARCH_50},
    {"SUATOM.D.2D.ADD R16, [R3], R4, 0xa0", "coordinates in a register that is a multiple of 2, not R3", SASS_ARCH_50},
    {"SUATOM.D.3D.ADD R16, [R6], R4, 0xa0", "coordinates in a register that is a multiple of 4, not R6", SASS_ARCH_50},
    {"SUATOM.D.1D.ADD R16, [R3], R4, 0xa0", NULL, SASS_ARCH_50},
    {"SUATOM.D.1D.ADD R16, [RZ], R4, 0xa0", "coordinates in registers, not RZ", SASS_ARCH_50},
    {"SUATOM.D.1D.ADD R16, [R3], R4, RZ", "a handle in a register, not RZ", SASS_ARCH_50},
    {"SUATOM.D.1D.INC.S32 R16, [R3], R4, 0xa0", "a type that .INC takes", SASS_ARCH_50},
    {"SUATOM.D.1D.MIN.F32.FTZ.RN R16, [R3], R4, 0xa0", "a type that .MIN takes", SASS_ARCH_50},
    {"SUATOM.D.1D.ADD.F32.FTZ.RN R16, [R3], R4, 0xa0", NULL, SASS_ARCH_50},
    {"SUATOM.D.1D.ADD.F16x2.FTZ.RN R16, [R3], R4, 0xa0", NULL, SASS_ARCH_52},
    {"SUATOM.D.1D.MAX.SD64 R16, [R3], R5, 0xa0", "data in a register that is a multiple of 2, not R5", SASS_ARCH_50},
    {"SUATOM.D.2D.CAS R16, [R2], R4, R20", NULL, SASS_ARCH_50},
    {"SUATOM.D.2D.CAS R16, [R2], R5, R20", "compare and swap value in a register that is a multiple of 2",
     SASS_ARCH_50},
    {"SUATOM.D.2D.CAS.U64 R16, [R2], R6, R20", "a multiple of 4, not R6", SASS_ARCH_50},
    {"SUATOM.D.2D.CAS.SD32 R16, [R2], R4, R20", "a type that .CAS takes", SASS_ARCH_50},
    {"SUATOM.D.1D.INVALIDATOMSOP9 R16, [R3], R4, 0xa0", "no reserved value", SASS_ARCH_50},
    {"SULD.D.2D.128 R4, [R2], 0x50", NULL, SASS_ARCH_50},
    {"SULD.D.2D.128 R6, [R2], 0x50", "the result in a register that is a multiple of 4, not R6", SASS_ARCH_50},
    {"SUST.D.2D.64 [R2], R5, 0x50", "data in a register that is a multiple of 2, not R5", SASS_ARCH_50},
    {"SURED.D.2D.ADD.U64 [R2], R5, 0x50", "data in a register that is a multiple of 2, not R5", SASS_ARCH_50},

    {"LDG.E.128 R4, [R2]", NULL, SASS_ARCH_50},
    {"LDG.E.128 R6, [R2]", "a multiple of 4, not R6", SASS_ARCH_50},
    {"LDG.E R6, [R3]", "a 64-bit address in a register that is a multiple of 2, not R3", SASS_ARCH_50},
    {"FMUL.INVALIDSCALE37 R0, R1, R2", "no reserved value", SASS_ARCH_50},
    {"S2R R0, SR_INVOCATION_ID", NULL, SASS_ARCH_50},
};

static void rules(void **state)
{
    (void)state;
    struct isa_table table;
    struct atoll_error error;
    if (!sass_open(&table, &error))
        fail_msg("%s", error.message);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct isa_word word = {{0, SASS_CONTROL_NEUTRAL}};
        struct isa_mistake mistake = {0};
        const char *text = cases[i].text;
        const struct isa_form *form = isa_parse(&table, text, strlen(text), cases[i].arch, 8, &word, &mistake);
        if (!form)
            fail_msg("'%s': at %zu: %s", text, mistake.at, mistake.wanted);
        mistake = (struct isa_mistake){0};
        bool kept = sass_rules(&table, form, &word, &mistake);
        if (kept != !cases[i].wanted || (!kept && !strstr(mistake.wanted, cases[i].wanted)))
            fail_msg("'%s': %s", text, kept ? "no mistake found" : mistake.wanted);
    }
    isa_close(&table);
}

/* `at`: byte of the text where the operand or type at fault begins. */
static void places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned at, arch;
    } wrong[] = {
        {"ATOMS.EXCH.U64 R16, [R13+0x8], R17", 31, SASS_ARCH_50},
        {"@!P0 ATOMS.EXCH.U64 R15, [R13+0x8], R18", 20, SASS_ARCH_50},
        {"ATOMS.INC.S32 R16, [R13], R17", 9, SASS_ARCH_50},
        {"  SUATOM.D.2D.ADD  R16,  [R3], R4, 0xa0", 25, SASS_ARCH_50},
        {"SUATOM.D.1D.ADD R16, [R3], R4, RZ", 31, SASS_ARCH_50},
        {"SUATOM.D.2D.CAS P6, R16, [R2], R5, R20", 31, SASS_ARCH_52},
        {"SUST.D.2D.64 [R2], R5, 0x50", 19, SASS_ARCH_50},
        {"LDG.E.128 R6, [R2]", 10, SASS_ARCH_50},
        {"LDG.E R6, [R3]", 10, SASS_ARCH_50},
        {"ATOMS.CAS R0, [R2], RZ, R4", 20, SASS_ARCH_50},
    };
    struct isa_table table;
    struct atoll_error error;
    assert_true(sass_open(&table, &error));
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct isa_word word = {{0, SASS_CONTROL_NEUTRAL}};
        struct isa_mistake mistake = {0};
        const char *text = wrong[i].text;
        const struct isa_form *form = isa_parse(&table, text, strlen(text), wrong[i].arch, 8, &word, &mistake);
        assert_non_null(form);
        assert_false(sass_rules_read(&table, form, &word, text, strlen(text), &mistake));
        if (mistake.at != wrong[i].at)
            fail_msg("'%s': at %zu, not %u", text, mistake.at, wrong[i].at);
    }
    isa_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules), cmocka_unit_test(places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
