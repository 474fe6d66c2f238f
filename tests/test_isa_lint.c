/* Lint of the table engine: each rule notices a row that breaks it. */
#include "base/text.h"
#include "isa/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A family of 16-bit words whose opcode is the upper byte. */
static const char *const letters_text[] = {".A", ".B"};
static const char *const spoilt_text[] = {".A", ".A,"};
static const struct isa_names names[] = {{"letters", letters_text, 2, NULL, NULL},
                                         {"spoilt", spoilt_text, 2, NULL, NULL}};

static const char *const roles[] = {NULL, "Rd", "Ra", "size"};

static const struct isa_file file = {
    .prefix = 'r', .count = 12, .special = ISA_NO_NUMBER, .past = "r?", .wanted = "a register r0..r11"};
static const struct isa_kind_row kinds[] = {{.letter = 'R', .kind = ISA_REGISTER, .width = 4, .file = &file}};

static const struct isa_family family = {.name = "test",
                                         .names = names,
                                         .nnames = 2,
                                         .roles = roles,
                                         .nroles = 3,
                                         .bits = 16,
                                         .index_low = 3,
                                         .index_bits = 13,
                                         .kinds = kinds,
                                         .nkinds = 1,
                                         .guard = ""};

static void expect(const struct isa_row *rows, unsigned nrows, const char *wanted)
{
    const struct isa_list list = {rows, nrows};
    struct isa_table table;
    struct atoll_error error;
    struct text report = {0};
    if (!isa_open(&family, &list, 1, &table, &error))
        fail_msg("%s", error.message);
    unsigned breaks = isa_lint(&table, &report);
    if (wanted && (!breaks || !strstr(report.bytes, wanted)))
        fail_msg("wanted \"%s\", reported: %s", wanted, breaks ? report.bytes : "nothing");
    if (!wanted && breaks)
        fail_msg("%s", report.bytes);
    text_free(&report);
    isa_close(&table);
}

#define ROW(text, mask, value, ignored, flags)     \
    {                                              \
        text, mask, value, ignored, 1, flags, NULL \
    }

static void a_clean_row_is_clean(void **state)
{
    (void)state;
    const struct isa_row rows[] = {ROW("ADD{letters@7} {d@0-6}", 0xff00, 0x1200, 0, 0)};
    expect(rows, 1, NULL);
}

static void bits_are_accounted_for(void **state)
{
    (void)state;
    const struct isa_row lost[] = {ROW("ADD {d@0-6}", 0xff00, 0x1200, 0, 0)};
    expect(lost, 1, "bit 7 is not accounted for");
    const struct isa_row twice[] = {ROW("ADD {d@0-6}, {x@6-7}", 0xff00, 0x1200, 0, 0)};
    expect(twice, 1, "bit 6 is named twice");
    const struct isa_row ignored[] = {ROW("ADD{letters@7} {d@0-6}", 0xff00, 0x1200, 0x80, 0)};
    expect(ignored, 1, "bit 7 is named and ignored");
    const struct isa_row opcode[] = {ROW("ADD {d@0-7}", 0xff00, 0x1200, 0x200, 0)};
    expect(opcode, 1, "bit 9 is of the opcode and ignored");
    const struct isa_row value[] = {ROW("ADD {d@0-7}", 0xfd00, 0x1200, 0x200, 0)};
    expect(value, 1, "bit 9 is set in the value but not in the mask");
}

static void overlaps_are_stated(void **state)
{
    (void)state;
    const struct isa_row stated[] = {ROW("ADD {d@0-7}", 0xff00, 0x1200, 0, 0),
                                     ROW("ADD.ONE", 0xffff, 0x1201, 0, ISA_OVER)};
    expect(stated, 2, NULL);
    const struct isa_row silent[] = {ROW("ADD {d@0-7}", 0xff00, 0x1200, 0, 0), ROW("ADD.ONE", 0xffff, 0x1201, 0, 0)};
    expect(silent, 2, "can mean a word of ADD.ONE");
    const struct isa_row equal[] = {ROW("ADD {d@0-7}", 0xff00, 0x1200, 0, 0),
                                    ROW("SUB {d@0-7}", 0xff00, 0x1200, 0, ISA_OVER)};
    expect(equal, 2, "can mean a word of SUB");
}

static void texts_read_back(void **state)
{
    (void)state;
    const struct isa_row rows[] = {ROW("ADD{d@0-6}{spoilt@7}, 1", 0xff00, 0x1200, 0, 0)};
    expect(rows, 1, "writes what it cannot read");
}

static void registers_have_roles(void **state)
{
    (void)state;
    const struct isa_row without[] = {ROW("MOV {R@0}", 0xfff0, 0x1200, 0, 0)};
    expect(without, 1, "bit 0 begins an operand without a role");
    const struct isa_row with[] = {ROW("MOV {Rd@0}", 0xfff0, 0x1200, 0, 0)};
    expect(with, 1, NULL);
}

static void operands_are_found_by_role(void **state)
{
    (void)state;
    const struct isa_row rows[] = {ROW("LD{size:letters@15} {Rd@0}, [{Ra:x@8-14}]", 0, 0, 0, 0),
                                   ROW("NOP {Ra:R@8}, {d@0-7}", 0, 0, 0, 0)};
    const struct isa_list list = {rows, 2};
    struct isa_table table;
    struct atoll_error error;
    assert_true(isa_open(&family, &list, 1, &table, &error));
    const struct isa_element *rd = isa_role(&table, &table.forms[0], 1), *ra = isa_role(&table, &table.forms[0], 2);
    const struct isa_element *size = isa_role(&table, &table.forms[0], 3);
    assert_true(rd && rd->kind == ISA_REGISTER && rd->field.piece[0].low == 0);
    assert_true(ra && ra->kind == ISA_NUMBER && ra->field.piece[0].low == 8);
    assert_true(size && size->names == &names[0]);
    assert_null(isa_role(&table, &table.forms[1], 1));
    assert_true(isa_role(&table, &table.forms[1], 2)->kind == ISA_REGISTER);
    isa_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_row_is_clean), cmocka_unit_test(bits_are_accounted_for),
        cmocka_unit_test(overlaps_are_stated),  cmocka_unit_test(texts_read_back),
        cmocka_unit_test(registers_have_roles), cmocka_unit_test(operands_are_found_by_role),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
