/* Words of several parts and of several operations: a made-up family of two co-issued halves, one of vectors and one of
 * scalars, and of instructions that take the whole word. */
#include "base/text.h"
#include "isa/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* 128 bits: 0-1 what the word is (0 = two operations, 2 = a jump, 3 = the end), 2 the last word; the vector half is
 * 8-71, its opcode at 64-67, in the second part; the scalar half 72-127, its opcode at 124-127. 3-7 do nothing. */
enum { VECTOR = 1, SCALAR };
#define ONES(low, high) ((UINT64_MAX >> (63 - (high) + (low))) << (low))
static const struct isa_unit units[] = {{"vector", {ONES(8, 63), ONES(0, 7)}, 64, 4},
                                        {"scalar", {0, ONES(8, 63)}, 124, 4}};

static const struct isa_above vmad = {{15}, {0}, {ONES(6, 7)}}, vmax = {{15}, {3}, {ONES(4, 7)}},
                              snop = {{ONES(60, 63)}, {0}, {ONES(8, 59)}},
                              srcp = {{ONES(60, 63)}, {ONES(61, 61)}, {ONES(25, 59)}}, all = {{0}, {0}, {ONES(0, 63)}},
                              far = {{ONES(0, 31)}, {0xabcd}, {ONES(32, 63)}},
                              near = {{ONES(0, 31)}, {0xabce}, {ONES(32, 63)}};

static const char *const masks_text[] = {"", ".x", ".y", ".xy"};
static const struct isa_names names[] = {{.name = "mask", .text = masks_text, .count = 4}};
static const struct isa_file file = {
    .prefix = 'r', .count = 255, .special = 255, .name = "zero", .past = "r?", .wanted = "a register r0..r254 or zero"};
static const struct isa_kind_row kinds[] = {{.letter = 'R', .kind = ISA_REGISTER, .width = 8, .file = &file}};
static const char *const roles[] = {NULL, "Rd", "Ra", "Rb", "Rc"};

#define JOIN  "{+vector} | {+scalar}{.LAST@2}"
#define VMAD  "MAD{mask@68-69} {Rd@8}, {Ra@16}, {Rb@24}, {Rc@32}"
#define VMAX  "MAX {Rd@8}, {Ra@16}"
#define SRCP  "RCP {Rd@72}, {Ra@80 -88}"
#define EMPTY ONES(3, 7)

static const struct isa_row rows[] = {
    {JOIN, 3, 0, EMPTY, 1, 0, NULL, NULL, 0},
    {"JUMP{.LAST@2} {x@8-23}", 3, 2, EMPTY | ONES(24, 63), 1, 0, NULL, &all, 0},
    {"END.FAR", 3, 3, ONES(2, 63), 1, 0, NULL, &far, 0},
    {"END.NEAR", 3, 3, ONES(2, 63), 1, 0, NULL, &near, 0},
    {VMAD, 0, 0, ONES(40, 63), 1, 0, NULL, &vmad, VECTOR},
    {VMAX, 0, 0, ONES(24, 63), 1, 0, NULL, &vmax, VECTOR},
    {"NOP", 0, 0, 0, 1, 0, NULL, &snop, SCALAR},
    {SRCP, 0, 0, 0, 1, 0, NULL, &srcp, SCALAR},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void open_rows(const struct isa_row *list, unsigned count, struct isa_table *table)
{
    const struct isa_family family = {.name = "pair",
                                      .names = names,
                                      .nnames = 1,
                                      .roles = roles,
                                      .nroles = 4,
                                      .bits = 128,
                                      .index_bits = 2,
                                      .units = units,
                                      .nunits = 2,
                                      .kinds = kinds,
                                      .nkinds = 1,
                                      .guard = ""};
    struct atoll_error error;
    if (!isa_open(&family, &(struct isa_list){list, count}, 1, table, &error))
        fail_msg("%s", error.message);
}

static void both_ways(const struct isa_table *table, uint64_t low, uint64_t high, const char *text)
{
    struct isa_word word = {{low, high, 77}}, read = {{0, 0, 77}}; /* part 2 is not of the rows */
    char out[ISA_TEXT];
    struct isa_mistake mistake;
    const char *why = "";
    const struct isa_form *form = isa_find(table, &word, 0, &why);
    if (!form)
        fail_msg("%s: %s", text, why);
    isa_print(table, form, &word, 0, out);
    assert_string_equal(out, text);
    if (isa_parse(table, text, strlen(text), 0, 0, &read, &mistake) != form)
        fail_msg("%s: at %zu: %s", text, mistake.at, mistake.wanted);
    assert_memory_equal(&read, &word, sizeof word);
}

static void operations_share_words(void **state)
{
    struct isa_table table;
    (void)state;
    open_rows(rows, ROWS, &table);
    both_ways(&table, UINT64_C(0x04030201) << 8, UINT64_C(0x30), "MAD.xy r1, r2, r3, r4 | NOP");
    both_ways(&table, 4 | UINT64_C(0xff05) << 8, 3 | UINT64_C(0x1ff07) << 8 | UINT64_C(2) << 60,
              "MAX r5, zero | RCP r7, -zero.LAST");
    both_ways(&table, 2 | 0x123400, 0, "JUMP 0x1234");
    isa_close(&table);
}

static void parts_tell_forms_apart(void **state)
{
    struct isa_table table;
    (void)state;
    open_rows(rows, ROWS, &table);
    both_ways(&table, 3, 0xabcd, "END.FAR");
    both_ways(&table, 3, 0xabce, "END.NEAR");
    assert_null(isa_find(&table, &(struct isa_word){{3, 0xabcf}}, 0, NULL));
    isa_close(&table);
}

static void code_asks_units(void **state)
{
    struct isa_table table;
    struct isa_operand operands[8];
    const struct isa_word word = {{UINT64_C(0x04030201) << 8, UINT64_C(0x1ff07) << 8 | UINT64_C(2) << 60}};
    (void)state;
    open_rows(rows, ROWS, &table);
    const struct isa_form *form = isa_find(&table, &word, 0, NULL);
    assert_true(form && form->joins);
    const struct isa_form *vector = isa_find_unit(&table, &word, VECTOR, 1, NULL);
    const struct isa_form *scalar = isa_find_unit(&table, &word, SCALAR, 1, NULL);
    assert_ptr_equal(vector->row, &rows[4]);
    assert_ptr_equal(scalar->row, &rows[7]);
    assert_int_equal(isa_operands(&table, scalar, &word, 0, operands, 8), 2);
    assert_int_equal(operands[0].reg, 7);
    assert_true(operands[1].neg);
    assert_int_equal(isa_operands(&table, form, &word, 0, operands, 8), 0);
    isa_close(&table);
}

static void bad_words_and_texts(void **state)
{
    static const struct {
        const char *text;
        size_t at;
        const char *wanted;
    } mistakes[] = {
        {"MAD r1, r2, r3, r4 | MAX r1, r2", 21, "an operation of scalar, not 'MAX'"},
        {"RCP r1, r2 | NOP", 0, "an operation of vector, not 'RCP'"},
        {"MAD r1, r2, r3, r4", 18, "'|'"},
        {"MAX r1, r300 | NOP", 8, "a register r0..r254 or zero, not 'r300'"},
        {"MAX r1, r2 | NOP.FIRST", 16, "the end of the instruction"},
        {"FOO", 0, "an operation of vector"},
    };
    struct isa_table table;
    const char *why = "";
    (void)state;
    open_rows(rows, ROWS, &table);
    assert_null(isa_find(&table, &(struct isa_word){{0, 5}}, 0, &why)); /* no such vector operation */
    assert_string_equal(why, "no instruction has this opcode");
    for (unsigned i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct isa_word word = {{0}};
        struct isa_mistake mistake;
        const char *text = mistakes[i].text;
        assert_null(isa_parse(&table, text, strlen(text), 0, 0, &word, &mistake));
        if (mistake.at != mistakes[i].at || !strstr(mistake.wanted, mistakes[i].wanted))
            fail_msg("'%s': at %zu: %s", text, mistake.at, mistake.wanted);
    }
    isa_close(&table);
}

static void expect(const struct isa_row *list, unsigned count, const char *wanted)
{
    struct isa_table table;
    struct text report = {0};
    open_rows(list, count, &table);
    unsigned breaks = isa_lint(&table, &report);
    if (wanted ? !breaks || !strstr(report.bytes, wanted) : breaks)
        fail_msg("wanted \"%s\", reported: %s", wanted ? wanted : "", breaks ? report.bytes : "nothing");
    text_free(&report);
    isa_close(&table);
}

static void lint_proves_joins(void **state)
{
    static const struct isa_above empty = {{0}, {0}, {0}}, outside = {{15}, {0}, {ONES(6, 8)}},
                                  low = {{0}, {0}, {ONES(0, 7)}}, high = {{0}, {0}, {ONES(0, 62)}};
    (void)state;
    expect(rows, ROWS, NULL);
    const struct isa_row joins[] = {rows[0], rows[4], rows[5], rows[6], rows[7]};
    expect(joins, 5, NULL);
    struct isa_row spoilt[5];
    memcpy(spoilt, joins, sizeof joins);
    spoilt[0].text = "{+vector} | {+scalar}";
    expect(spoilt, 5, "bit 2 is not accounted for");
    spoilt[0].text = "{+vector} | {+vector}{.LAST@2}";
    expect(spoilt, 5, "bit 8 is named twice");
    expect(spoilt, 5, "bit 72 is not accounted for");
    expect(spoilt, 5, "belongs to a unit that no form joins");
    spoilt[0].text = "{+vector} | {+scalar}{.LAST@2}{x@100}";
    expect(spoilt, 5, "bit 100 is named twice");
    memcpy(spoilt, joins, sizeof joins);
    spoilt[1].above = &outside;
    expect(spoilt, 5, "bit 72 is not of the unit");
    spoilt[1].above = &empty;
    expect(spoilt, 5, "bit 64 is not accounted for");
    memcpy(spoilt, joins, sizeof joins);
    spoilt[2].above = &vmad;
    expect(spoilt, 5, "can mean a word of MAX");
    const struct isa_row ends[] = {{"A {x@64-71}", 3, 3, ONES(2, 63), 1, 0, NULL, &high, 0},
                                   {"B {x@72-127}", 3, 2, ONES(2, 63), 1, 0, NULL, &low, 0}};
    expect(ends, 2, "bit 127 is not accounted for");
    expect(&ends[1], 1, NULL);
}

static void broken_joins_do_not_open(void **state)
{
    static const struct isa_row broken[] = {{"{+third}", 3, 0, 0, 1, 0, NULL, NULL, 0},
                                            {"<{+vector}>", 3, 0, 0, 1, 0, NULL, NULL, 0},
                                            {"A {+scalar}", 0, 0, 0, 1, 0, NULL, NULL, VECTOR}};
    const struct isa_family family = {.name = "pair", .bits = 128, .units = units, .nunits = 2, .guard = ""};
    (void)state;
    for (unsigned i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct isa_table table;
        struct atoll_error error;
        assert_false(isa_open(&family, &(struct isa_list){&broken[i], 1}, 1, &table, &error));
        assert_non_null(strstr(error.message, broken[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_share_words), cmocka_unit_test(parts_tell_forms_apart),
        cmocka_unit_test(code_asks_units),        cmocka_unit_test(bad_words_and_texts),
        cmocka_unit_test(lint_proves_joins),      cmocka_unit_test(broken_joins_do_not_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
