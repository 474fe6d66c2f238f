/* The field engine: instructions of an opcode and fields that say their own length. A made-up family shows all that
 * rows can say; the fields of Intel vISA show that the real ones fit ("Common ISA", operands; docs/design.md, "From
 * machine code to lane program"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/fields.h"

/* ---- a made-up family -------------------------------------------------------------------------------------------- */

/* 'v': a byte below 0x80, or 0x80 + n and n bytes more (n < 8); written n1.n2.n3 in decimal. */
static size_t v_size(void *context, const uint8_t *bytes, size_t left, const char **wrong)
{
    (void)context;
    if (left && bytes[0] >= 0x88)
        *wrong = "more than 7 bytes";
    return left && bytes[0] >= 0x80 ? 1u + (bytes[0] & 7) : 1;
}

static void v_print(void *context, const uint8_t *bytes, size_t size, struct text *out)
{
    (void)context;
    if (bytes[0] < 0x80)
        text_printf(out, "%u", bytes[0]);
    for (size_t i = 1; i < size; i++)
        text_printf(out, "%s%u", i > 1 ? "." : "#", bytes[i]);
    if (bytes[0] == 0x80)
        text_puts(out, "#");
}

static bool v_parse(void *context, struct isa_reader *in, uint8_t bytes[FIELDS_BYTES], size_t *size)
{
    struct isa_integer value;
    (void)context;
    *size = 1;
    if (!reader_byte(in, '#')) {
        const char *at = in->at;
        if (!reader_integer(in, &value))
            return false;
        bytes[0] = (uint8_t)value.magnitude;
        in->at = value.magnitude < 0x80 ? in->at : at;
        return value.magnitude < 0x80 || reader_wanted(in, "a number below 128");
    }
    bytes[0] = 0x80;
    while (in->at < in->end && *size < 8 && (*size == 1 ? *in->at >= '0' && *in->at <= '9' : reader_byte(in, '.'))) {
        if (!reader_integer(in, &value))
            return false;
        bytes[(*size)++] = (uint8_t)value.magnitude;
        bytes[0]++;
    }
    return true;
}

static size_t v_sample(void *context, uint64_t noise, uint8_t bytes[FIELDS_BYTES])
{
    (void)context;
    bytes[0] = (uint8_t)(noise & 1 ? noise >> 1 & 0x7f : 0x80 + (noise >> 1 & 7));
    for (unsigned i = 1; i < 8; i++)
        bytes[i] = (uint8_t)(noise >> 8 * i);
    return bytes[0] < 0x80 ? 1 : 1u + (bytes[0] & 7);
}

static const struct fields_kind kinds[] = {
    {.letter = 'b', .bytes = 1, .what = "a byte"},
    {.letter = 'd', .bytes = 4, .what = "a dword"},
    {.letter = 'v', .what = "a value", .size = v_size, .print = v_print, .parse = v_parse, .sample = v_sample},
    {.letter = 'u', .what = "a value", .size = v_size},
};
static const char *const letters_text[] = {".A", ".B", NULL, "|.D"}, *const wide_text[] = {".none", ".one"};
static const struct isa_names names[] = {{"letters", letters_text, 4, NULL}, {"wide", wide_text, 2, ".other%u"}};
enum { ROLE_op = 1, ROLE_n, ROLE_x, ROLE_y, ROLES };
static const char *const roles[ROLES] = {NULL, "op", "n", "x", "y"};
static const struct fields_family made_up = {
    .name = "made", .kinds = kinds, .nkinds = 4, .names = names, .nnames = 2, .roles = roles, .nroles = ROLES - 1};

static const struct fields_row rows[] = {
    {1, "op:b x:v y:v", "add{letters@op:0-1}{.X@op:2}{.Y@op:!3}{wide@op:4-7} {y}, {x}", 3, 0},
    {2, "op:b=0 x:d", "neg {x}", 1, 0},
    {2, "op:b=7 x:v b", "inc {x}< by {b=1}>", 1, 0},
    {3, "n:b x:v*n y:d", "list {y} ({x*, })", 1, 0},
    {4, "", "nop", 2, 0},
};

static void open_rows(struct fields_table *table)
{
    struct atoll_error error;
    if (!fields_open(&made_up, &(struct fields_list){rows, sizeof rows / sizeof rows[0]}, 1, table, &error))
        fail_msg("%s", error.message);
}

/* Bytes and text of one instruction, both ways. */
static void same_of(const struct fields_table *table, const char *bytes, size_t size, const char *text)
{
    struct fields_insn insn;
    struct atoll_error error;
    struct isa_mistake mistake;
    struct text printed = {0}, read = {0};
    if (!fields_decode(table, 0, NULL, (const uint8_t *)bytes, size, 0, &insn, &error))
        fail_msg("%s: %s", text, error.message);
    fields_print(table, NULL, &insn, &printed);
    assert_string_equal(printed.bytes, text);
    assert_int_equal(insn.size, size);
    if (!fields_parse(table, 0, NULL, text, strlen(text), &read, &mistake))
        fail_msg("%s: at %zu: %s", text, mistake.at, mistake.wanted);
    assert_int_equal(read.length, size);
    assert_memory_equal(read.bytes, bytes, size);
    text_free(&printed);
    text_free(&read);
}

#define SAME(table, bytes, text) same_of(table, bytes, sizeof bytes - 1, text)

static void test_both_ways(void **state)
{
    struct fields_table table;
    (void)state;
    open_rows(&table);
    SAME(&table, "\x01\x08\x05\x82\x07\x09", "add.A.none #7.9, 5");
    SAME(&table, "\x01\xf7\x80\x00", "add.X.Y.other15 0, #"); /* entry 3: nothing is written */
    SAME(&table, "\x02\x00\x2a\x00\x00\x80", "neg 2147483690");
    SAME(&table, "\x02\x07\x09\x01", "inc 9");
    SAME(&table, "\x02\x07\x09\x02", "inc 9 by 2");
    SAME(&table, "\x03\x00\x01\x00\x00\x00", "list 1 ()");
    SAME(&table, "\x03\x03\x04\x81\x05\x06\x01\x00\x00\x00", "list 1 (4, #5, 6)");
    fields_close(&table);
}

static void test_roles(void **state)
{
    struct fields_table table;
    struct fields_insn insn;
    struct atoll_error error;
    const uint8_t bytes[] = {0xff, 3, 2, 0x81, 9, 4, 0x78, 0x56, 0x34, 0x12, 0xff};
    size_t size;
    (void)state;
    open_rows(&table);
    assert_true(fields_decode(&table, 0, NULL, bytes, sizeof bytes, 1, &insn, &error));
    assert_int_equal(insn.size, 9);
    assert_int_equal(fields_number(&insn, ROLE_n, 99), 2);
    assert_int_equal(fields_number(&insn, ROLE_y, 99), 0x12345678);
    assert_int_equal(fields_number(&insn, ROLE_op, 99), 99);
    assert_null(fields_role(&insn, ROLE_op, &size));
    const uint8_t *x = fields_role(&insn, ROLE_x, &size);
    assert_ptr_equal(x, bytes + 3);
    assert_int_equal(size, 3);
    assert_int_equal(fields_step(&insn, ROLE_x, NULL, x, size), 2);
    fields_close(&table);
}

static void bad_bytes(const struct fields_table *table, const char *bytes, size_t size, const char *wanted)
{
    struct fields_insn insn;
    struct atoll_error error;
    assert_false(fields_decode(table, 0, NULL, (const uint8_t *)bytes, size, 2, &insn, &error));
    if (!strstr(error.message, wanted))
        fail_msg("wanted \"%s\", got: %s", wanted, error.message);
}

#define BAD(table, bytes, wanted) bad_bytes(table, bytes, sizeof bytes - 1, wanted)

/* Instructions at byte 2. */
static void test_bad_bytes(void **state)
{
    struct fields_table table;
    (void)state;
    open_rows(&table);
    BAD(&table, "..", "byte 2: an instruction is wanted, and here is the end");
    BAD(&table, "..\x09", "byte 2: no instruction has the opcode 0x09");
    BAD(&table, "..\x04", "byte 2: no instruction of this architecture has the opcode 0x04");
    BAD(&table, "..\x01", "byte 3: op of add (at byte 2) wants 1 byte, 0 are left");
    BAD(&table, "..\x01\x08\x83\x01", "byte 4: x of add (at byte 2) wants 4 bytes, 2 are left");
    BAD(&table, "..\x01\x08\x01\x99", "byte 5: y of add (at byte 2) cannot be: more than 7 bytes");
    BAD(&table, "..\x01\x02\x01\x01", "byte 3: op of add (at byte 2) says 0x2, which it refuses");
    BAD(&table, "..\x02\x01\x01\x01", "byte 3: op of inc (at byte 2) is 0x1, which no form has");
    BAD(&table, "..\x02\x00\x01\x01\x01", "byte 4: x of neg (at byte 2) wants 4 bytes, 3 are left");
    BAD(&table, "..\x03\xff\x01", "byte 5: x of list (at byte 2) wants 1 byte, 0 are left");
    fields_close(&table);
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *text;
        size_t at;
        const char *wanted;
    } mistakes[] = {
        {"", 0, "an instruction, not the end"},
        {"mul 1, 2", 0, "an instruction, not 'mul'"},
        {"nop", 0, "an instruction of this architecture"},
        {"add.A.none 1; 2", 12, "','"},
        {"add.A.some 1, 2", 5, "one of .none .one"},
        {"add.A.X.other16 1, 2", 7, "one of .none .one"},
        {"neg -1", 4, "a number from 0 to 4294967295"},
        {"inc 128", 4, "a number below 128, not '128'"},
        {"neg 1 2", 6, "the end of the instruction, not '2'"},
        {"list 1 (2, 3", 12, "')'"},
    };
    struct fields_table table;
    struct isa_mistake mistake;
    struct text bytes = {0};
    (void)state;
    open_rows(&table);
    for (unsigned i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const char *text = mistakes[i].text;
        assert_null(fields_parse(&table, 0, NULL, text, strlen(text), &bytes, &mistake));
        if (mistake.at != mistakes[i].at || !strstr(mistake.wanted, mistakes[i].wanted))
            fail_msg("'%s': at %zu: %s", text, mistake.at, mistake.wanted);
    }
    assert_int_equal(bytes.length, 0);
    fields_close(&table);
}

/* ---- rows that are broken ---------------------------------------------------------------------------------------- */

static void expect_lint(const struct fields_row *broken, unsigned count, const char *wanted)
{
    struct fields_table table;
    struct atoll_error error;
    struct text report = {0};
    if (!fields_open(&made_up, &(struct fields_list){broken, count}, 1, &table, &error))
        fail_msg("%s", error.message);
    unsigned breaks = fields_lint(&table, NULL, &report);
    if (wanted ? !breaks || !strstr(report.bytes, wanted) : breaks)
        fail_msg("wanted \"%s\", reported: %s", wanted ? wanted : "", report.bytes ? report.bytes : "nothing");
    text_free(&report);
    fields_close(&table);
}

static void test_lint(void **state)
{
    (void)state;
    expect_lint(rows, sizeof rows / sizeof rows[0], NULL);
    expect_lint((struct fields_row[]){{1, "b", "a {b}", 1, 0}, {1, "b", "b {b}", 1, 0}}, 2, "can mean an instruction");
    expect_lint((struct fields_row[]){{1, "b=1 x:d", "a {x}", 1, 0}, {1, "x:d b=2", "b {x}", 1, 0}}, 2, "can mean");
    expect_lint((struct fields_row[]){{1, "b", "a {b}", 1, 0}, {1, "b", "b {b}", 2, 0}}, 2, NULL);
    expect_lint((struct fields_row[]){{1, "b d", "a {b}", 1, 0}}, 1, "d is not written");
    expect_lint((struct fields_row[]){{1, "b=1 d", "a {b} {d}", 1, 0}}, 1, "b is written twice");
    expect_lint((struct fields_row[]){{1, "op:b", "a{.X@op:0}", 1, 0}}, 1, "op is not written, or not all");
    expect_lint((struct fields_row[]){{1, "op:b", "a {op}{.X@op:0}", 1, 0}}, 1, "op is written twice");
    expect_lint((struct fields_row[]){{1, "x:v", "a{letters@x:0-1}", 1, 0}}, 1, "x is not written, or not all");
    expect_lint((struct fields_row[]){{1, "x:u", "a {x}", 1, 0}}, 1, "x has a kind that lacks functions");
    expect_lint((struct fields_row[]){{1, "x:v y:v", "a {x}{y}", 1, 0}}, 1, "a {x}{y}");
}

static void test_broken_rows(void **state)
{
    static const struct fields_row broken[] = {
        {1, "q", "a {q}", 1, 0},           {1, "z:b", "a {z}", 1, 0},       {1, "b b", "a {b}", 1, 0},
        {1, "x:v*n n:b", "a {x*,}", 1, 0}, {1, "n:b x:v*n", "a {x}", 1, 0}, {1, "b", "a {b*,}", 1, 0},
        {1, "x:v=1", "a {x}", 1, 0},       {1, "b", "a {c}", 1, 0},         {1, "b", "a {none@b}", 1, 0},
        {1, "b", "a{.X@b:8}", 1, 0},       {1, "b", "a{.X@b:0-1}", 1, 0},   {1, "b", "a {b", 1, 0},
        {1, "x:v", "a< {x}>", 1, 0},       {1, "b", "{b}", 1, 0},           {1, "b?", "a {b}", 1, 0},
        {1, "x:v", "a{letters@x}", 1, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct fields_table table;
        struct atoll_error error;
        if (fields_open(&made_up, &(struct fields_list){&broken[i], 1}, 1, &table, &error))
            fail_msg("'%s' '%s' opens", broken[i].layout, broken[i].text);
        assert_non_null(strstr(error.message, broken[i].text));
    }
}

/* ---- Intel vISA -------------------------------------------------------------------------------------------------- */

static uint64_t le(const uint8_t *bytes, size_t size)
{
    return fields_bits(bytes, size, 0, 64);
}

/* Execution size and mask: size code in the low four bits, M1..M8 and M1_NM..M8_NM above. */
static size_t exec_size(void *context, const uint8_t *bytes, size_t left, const char **wrong)
{
    (void)context;
    (void)left;
    if ((bytes[0] & 15) > 5)
        *wrong = "a size is 1 to 32 channels";
    return 1;
}

static void exec_print(void *context, const uint8_t *bytes, size_t size, struct text *out)
{
    (void)context;
    (void)size;
    text_printf(out, "(M%u%s, %u)", (bytes[0] >> 4 & 7) + 1u, bytes[0] >> 7 ? "_NM" : "", 1u << (bytes[0] & 15));
}

static bool exec_parse(void *context, struct isa_reader *in, uint8_t bytes[FIELDS_BYTES], size_t *size)
{
    struct isa_integer channels;
    (void)context;
    if (!reader_byte(in, '(') || !reader_byte(in, 'M') || in->at == in->end || *in->at < '1' || *in->at > '8')
        return reader_wanted(in, "an execution size such as (M1, 8)");
    unsigned mask = (unsigned)(*in->at++ - '1');
    bool all = reader_take(in, "_NM", 3);
    if (!reader_literal(in, ", ", 2) || !reader_integer(in, &channels))
        return false;
    for (bytes[0] = 0; bytes[0] < 6 && 1u << bytes[0] != channels.magnitude;)
        bytes[0]++;
    if (bytes[0] > 5)
        return reader_wanted(in, "1, 2, 4, 8, 16 or 32");
    bytes[0] = (uint8_t)(bytes[0] | mask << 4 | (unsigned)all << 7);
    *size = 1;
    return reader_byte(in, ')') || reader_wanted(in, "')'");
}

static size_t exec_sample(void *context, uint64_t noise, uint8_t bytes[FIELDS_BYTES])
{
    (void)context;
    bytes[0] = (uint8_t)((noise & 0xf0) | noise % 6);
    return 1;
}

/* The predicate: number in bits 0-11, .any and .all in 13-14, inverse in 15. */
static void guard_print(void *context, const uint8_t *bytes, size_t size, struct text *out)
{
    unsigned word = (unsigned)le(bytes, size), combine = word >> 13 & 3;
    (void)context;
    if (word)
        text_printf(out, "(%sP%u%s) ", word >> 15 ? "!" : "", word & 0xfff,
                    combine == 1   ? ".any"
                    : combine == 2 ? ".all"
                                   : "");
}

static bool guard_parse(void *context, struct isa_reader *in, uint8_t bytes[FIELDS_BYTES], size_t *size)
{
    struct isa_integer number = {0};
    (void)context;
    *size = 2;
    if (!reader_byte(in, '('))
        return true;
    bool inverse = reader_byte(in, '!');
    if (!reader_byte(in, 'P') || !reader_integer(in, &number) || number.magnitude > 0xfff)
        return reader_wanted(in, "a predicate");
    unsigned combine = reader_take(in, ".any", 4) ? 1 : reader_take(in, ".all", 4) ? 2 : 0;
    unsigned word = (unsigned)number.magnitude | combine << 13 | (unsigned)inverse << 15;
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    return reader_literal(in, ") ", 2);
}

static size_t guard_sample(void *context, uint64_t noise, uint8_t bytes[FIELDS_BYTES])
{
    unsigned word = noise & 1 ? (unsigned)((1 + noise % 100) | noise % 3 << 13 | (noise >> 8 & 1) << 15) : 0;
    (void)context;
    bytes[0] = (uint8_t)word;
    bytes[1] = (uint8_t)(word >> 8);
    return 2;
}

static const char *past_guard(const char *at, const char *end)
{
    const char *close = at < end && *at == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
    return close ? close + 1 : at;
}

/* A raw operand: variable, byte. */
static void raw_print(void *context, const uint8_t *bytes, size_t size, struct text *out)
{
    (void)context;
    (void)size;
    if (le(bytes, 4))
        text_printf(out, "V%u.%u", (unsigned)le(bytes, 4), (unsigned)le(bytes + 4, 2));
    else
        text_puts(out, "%null.0");
}

static bool raw_parse(void *context, struct isa_reader *in, uint8_t bytes[FIELDS_BYTES], size_t *size)
{
    struct isa_integer number = {0}, byte = {0};
    (void)context;
    *size = 6;
    if (reader_take(in, "%null.0", 7))
        return true;
    if (!reader_byte(in, 'V') || !reader_integer(in, &number) || !reader_byte(in, '.') || !reader_integer(in, &byte))
        return reader_wanted(in, "a raw operand such as V32.0");
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number.magnitude >> 8 * i);
    bytes[4] = (uint8_t)byte.magnitude;
    bytes[5] = (uint8_t)(byte.magnitude >> 8);
    return true;
}

static size_t raw_sample(void *context, uint64_t noise, uint8_t bytes[FIELDS_BYTES])
{
    (void)context;
    bytes[0] = (uint8_t)(noise & 1 ? 32 + noise % 64 : 0);
    bytes[4] = (uint8_t)(bytes[0] ? noise >> 8 : 0);
    return 6;
}

/* A vector operand says what it is in the low three bits of its tag, its modifier in the next three. */
static size_t vector_size(void *context, const uint8_t *bytes, size_t left, const char **wrong)
{
    static const uint8_t sizes[8] = {9, 5, 3, 9, 0, 2, 5, 0};
    (void)context;
    if (!left)
        return 1;
    unsigned class = bytes[0] & 7;
    if (!sizes[class])
        *wrong = class == 4 ? "an address-of has no bytes" : "no operand has class 7";
    if (class != 5 || left < 2)
        return sizes[class];
    return bytes[1] == 6 || bytes[1] == 11 || bytes[1] == 13 ? 10 : 6;
}

/* Only general operands and immediates are written here. */
static void vector_print(void *context, const uint8_t *bytes, size_t size, struct text *out)
{
    static const char *const modifiers[] = {"", "(abs)", "(-)", "(-abs)"};
    static const uint8_t steps[] = {0, 0, 1, 2, 4, 8, 16, 32};
    (void)context;
    if ((bytes[0] & 7) == 5) {
        text_printf(out, "0x%llx:%u", (unsigned long long)le(bytes + 2, size - 2), bytes[1]);
        return;
    }
    unsigned region = (unsigned)le(bytes + 7, 2);
    text_printf(out, "%sV%u(%u,%u)<%u;%u,%u>", modifiers[bytes[0] >> 3 & 3], (unsigned)le(bytes + 1, 4), bytes[5],
                bytes[6], steps[region & 7], steps[region >> 4 & 7], steps[region >> 8 & 7]);
}

static uint8_t step_code(const struct isa_integer *step)
{
    return (uint8_t)(step->magnitude ? __builtin_ctzll(step->magnitude) + 2 : 1);
}

static bool integers(struct isa_reader *in, const char *text, struct isa_integer *out)
{
    for (; *text; text++)
        if (*text == '#' ? !reader_integer(in, out++) : !reader_literal(in, text, 1))
            return false;
    return true;
}

static bool vector_parse(void *context, struct isa_reader *in, uint8_t bytes[FIELDS_BYTES], size_t *size)
{
    struct isa_integer n[6];
    (void)context;
    bytes[0] = reader_take(in, "(abs)", 5) ? 8 : reader_take(in, "(-)", 3) ? 16 : reader_take(in, "(-abs)", 6) ? 24 : 0;
    if (reader_byte(in, 'V')) {
        if (!integers(in, "#(#,#)<#;#,#>", n))
            return false;
        for (unsigned i = 0; i < 4; i++)
            bytes[1 + i] = (uint8_t)(n[0].magnitude >> 8 * i);
        bytes[5] = (uint8_t)n[1].magnitude;
        bytes[6] = (uint8_t)n[2].magnitude;
        bytes[7] = (uint8_t)(step_code(&n[3]) | step_code(&n[4]) << 4);
        bytes[8] = step_code(&n[5]);
        *size = 9;
        return true;
    }
    if (!integers(in, "#:#", n))
        return false;
    bytes[0] = 5;
    bytes[1] = (uint8_t)n[1].magnitude;
    *size = bytes[1] == 6 || bytes[1] == 11 || bytes[1] == 13 ? 10 : 6;
    for (unsigned i = 2; i < *size; i++)
        bytes[i] = (uint8_t)(n[0].magnitude >> 8 * (i - 2));
    return true;
}

static size_t vector_sample(void *context, uint64_t noise, uint8_t bytes[FIELDS_BYTES])
{
    (void)context;
    for (unsigned i = 2; i < 10; i++)
        bytes[i] = (uint8_t)(noise >> 4 * i);
    bytes[0] = noise & 1 ? 5 : (uint8_t)((noise >> 1 & 3) << 3);
    if (noise & 1) {
        bytes[1] = (uint8_t)((noise >> 8) % 15);
        return bytes[1] == 6 || bytes[1] == 11 || bytes[1] == 13 ? 10 : 6;
    }
    bytes[7] = (uint8_t)((1 + noise % 7) | (1 + noise / 7 % 7) << 4);
    bytes[8] = (uint8_t)(1 + noise / 49 % 7);
    return 9;
}

/* A destination: a general operand whose modifier is .sat or nothing; only the last of its region's steps counts. */
static void dst_print(void *context, const uint8_t *bytes, size_t size, struct text *out)
{
    (void)context;
    (void)size;
    text_printf(out, "V%u(%u,%u)<%u>", (unsigned)le(bytes + 1, 4), bytes[5], bytes[6], 1u << (bytes[8] - 2));
}

static bool dst_parse(void *context, struct isa_reader *in, uint8_t bytes[FIELDS_BYTES], size_t *size)
{
    struct isa_integer n[4];
    (void)context;
    if (!reader_byte(in, 'V'))
        return reader_wanted(in, "a variable");
    if (!integers(in, "#(#,#)<#>", n))
        return false;
    bytes[1] = (uint8_t)n[0].magnitude;
    bytes[5] = (uint8_t)n[1].magnitude;
    bytes[6] = (uint8_t)n[2].magnitude;
    bytes[8] = step_code(&n[3]);
    *size = 9;
    return true;
}

static size_t dst_sample(void *context, uint64_t noise, uint8_t bytes[FIELDS_BYTES])
{
    (void)context;
    bytes[1] = (uint8_t)(32 + noise % 90);
    bytes[5] = (uint8_t)(noise >> 16);
    bytes[6] = (uint8_t)(noise >> 24);
    bytes[8] = (uint8_t)(2 + noise % 3);
    return 9;
}

static void surface_print(void *context, const uint8_t *bytes, size_t size, struct text *out)
{
    (void)context;
    (void)size;
    text_printf(out, "T%u", bytes[0]);
}

static bool surface_parse(void *context, struct isa_reader *in, uint8_t bytes[FIELDS_BYTES], size_t *size)
{
    struct isa_integer number;
    (void)context;
    if (!reader_byte(in, 'T') || !reader_integer(in, &number))
        return reader_wanted(in, "a surface such as T6");
    bytes[0] = (uint8_t)number.magnitude;
    *size = 1;
    return true;
}

static const struct fields_kind visa_kinds[] = {
    {'b', 1, 0, "a byte", NULL, NULL, NULL, NULL},
    {'E', 1, 0, "an execution size", exec_size, exec_print, exec_parse, exec_sample},
    {'P', 2, 0, "a predicate", NULL, guard_print, guard_parse, guard_sample},
    {'R', 6, 0, "a raw operand", NULL, raw_print, raw_parse, raw_sample},
    {'S', 1, 0, "a surface", NULL, surface_print, surface_parse, NULL},
    {'V', 0, 0, "an operand", vector_size, vector_print, vector_parse, vector_sample},
    {'D', 0, 0x38, "a destination", vector_size, dst_print, dst_parse, dst_sample},
};
static const char *const atomic_text[] = {".add",     ".sub", ".inc", ".dec", ".min",     ".max",     ".xchg",
                                          ".cmpxchg", ".and", ".or",  ".xor", ".minsint", ".maxsint", ".predec"},
                         *const sat_text[] = {"", NULL, NULL, NULL, ".sat"}, *const zero_text[] = {""};
static const struct isa_names visa_names[] = {
    {"atomic", atomic_text, 14, ".op%u"}, {"sat", sat_text, 5, NULL}, {"zero", zero_text, 1, NULL}};
static const char *const visa_roles[] = {NULL, "op", "U", "V", "R", "lod", "src0", "src1", "dst"};
static const struct fields_family visa = {.name = "vISA",
                                          .kinds = visa_kinds,
                                          .nkinds = sizeof visa_kinds / sizeof visa_kinds[0],
                                          .names = visa_names,
                                          .nnames = 3,
                                          .roles = visa_roles,
                                          .nroles = 8,
                                          .past_guard = past_guard};
static const struct fields_row visa_rows[] = {
    {0x01, "E P dst:D src0:V src1:V", "{P}add{sat@dst:3-5} {E} {dst} {src0} {src1}", 1, 0},
    {0x29, "E P dst:D src0:V", "{P}mov{sat@dst:3-5} {E} {dst} {src0}", 1, 0},
    {0x34, "E P", "{P}ret {E}", 1, 0},
    {0x73, "op:b E P S U:R V:R R lod:R src0:R src1:R dst:R",
     "{P}typed_atomic{atomic@op:0-4}{.16@op:5}{zero@op:6-7} {E} {S} {U} {V} {R} {lod} {src0} {src1} {dst}", 1, 0},
};

static void test_visa(void **state)
{
    struct fields_table table;
    struct atoll_error error;
    struct text report = {0};
    (void)state;
    if (!fields_open(&visa, &(struct fields_list){visa_rows, 4}, 1, &table, &error))
        fail_msg("%s", error.message);
    if (fields_lint(&table, NULL, &report))
        fail_msg("%s", report.bytes);
    text_free(&report);
    SAME(&table, "\x34\x00\x00\x00", "ret (M1, 1)");
    SAME(&table, "\x29\x03\x00\x00\x00\x23\x00\x00\x00\x00\x00\x00\x02\x05\x00\x03\x00\x00\x00",
         "mov (M1, 8) V35(0,0)<1> 0x3:0");
    SAME(&table,
         "\x01\x83\x02\x40\x20\x23\x00\x00\x00\x01\x02\x00\x02\x10\x20\x00\x00\x00\x00\x00\x55\x02"
         "\x05\x0b\x01\x00\x00\x00\x00\x00\x00\x80",
         "(P2.all) add.sat (M1_NM, 8) V35(1,2)<1> (-)V32(0,0)<8;8,1> 0x8000000000000001:11");
    /* 48 bytes: the example of the format's description */
    SAME(&table,
         "\x73\x00\x23\x01\xa0\x06\x20\x00\x00\x00\x00\x00\x21\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
         "\x00\x00\x00\x00\x00\x00\x22\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x23\x00\x00\x00\x00\x00",
         "(!P1.any) typed_atomic.add (M3, 8) T6 V32.0 V33.0 %null.0 %null.0 V34.0 %null.0 V35.0");
    fields_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways), cmocka_unit_test(test_roles), cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_lint),  cmocka_unit_test(test_broken_rows),
        cmocka_unit_test(test_visa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
