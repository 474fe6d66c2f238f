/* Command streams: the table of commands, their text both ways, and streams that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "file/file.h"
#include "machine/stream.h"

/* Opcodes are apart, headers count their parameters, fields lie within parameters and not over each other. */
static void test_table(void **state)
{
    (void)state;
    for (unsigned i = 0; i < STREAM_COMMANDS; i++) {
        const struct stream_row *row = &stream_rows[i];
        uint32_t opcode = stream_opcode((enum stream_command)i), taken[STREAM_PARAMETERS] = {0};
        assert_true(row->parameters >= 1 && row->parameters <= STREAM_PARAMETERS);
        assert_int_equal(opcode & 0xc00000ff, 0xc0000000);
        assert_int_equal((opcode >> 16 & 0x3fff) + 1, row->parameters);
        for (unsigned j = 0; j < i; j++) {
            assert_int_not_equal(opcode, stream_opcode((enum stream_command)j));
            assert_string_not_equal(row->name, stream_rows[j].name);
        }
        for (unsigned f = 0; f < STREAM_FIELDS && row->fields[f].name; f++) {
            const struct stream_field *field = &row->fields[f];
            assert_true(field->parameter < row->parameters && field->low <= field->high && field->high < 32);
            assert_int_equal(taken[field->parameter] & stream_mask(field), 0);
            taken[field->parameter] |= stream_mask(field);
            for (unsigned g = 0; g < f; g++)
                assert_string_not_equal(field->name, row->fields[g].name);
        }
        for (unsigned p = 0; p < row->parameters; p++)
            assert_int_equal(stream_reserved(row, p), ~taken[p]);
    }
}

/* The two opcodes that the guide states. */
static void test_stated(void **state)
{
    (void)state;
    assert_int_equal(stream_opcode(STREAM_set_consti_fmt), 0xC0010F00);
    assert_int_equal(stream_opcode(STREAM_set_cond_test), 0xC0001B00);
    for (unsigned i = 0; i < STREAM_COMMANDS; i++)
        assert_int_equal(stream_rows[i].sure == STREAM_STATED, i == STREAM_set_consti_fmt || i == STREAM_set_cond_test);
}

/* The page's table is the code's. */
static void test_docs(void **state)
{
    (void)state;
    static const char *const sure[] = {"stated", "high", "good", "low"};
    struct blob page;
    struct atoll_error error;
    assert_true(file_read(DOCS_DIR "/ctm.md", 1 << 20, &page, &error));
    for (unsigned i = 0; i < STREAM_COMMANDS; i++) {
        char row[100];
        snprintf(row, sizeof row, "| %s | %08X | %s |", stream_rows[i].name, stream_opcode((enum stream_command)i),
                 sure[stream_rows[i].sure]);
        if (!strstr((const char *)page.bytes, row))
            fail_msg("docs/ctm.md has no '%s'", row);
    }
    blob_free(&page);
}

static struct stream stream_of(const struct text *bytes)
{
    struct stream stream;
    assert_true(stream_open(bytes->bytes, bytes->length, &stream, NULL));
    return stream;
}

static void test_text(void **state)
{
    (void)state;
    static const char text[] = "set_cond_val value=0.1\n"
                               "set_domain i0=0 j0=0 i1=63 j1=4095 reserved1=0x5000\n"
                               "set_inp_fmt input=3 base=0x00001000 pitch=64 tiling=TILED format=FLOAT32_4 height=64\n"
                               "set_cond_test condition=le\n"
                               "set_cond_loc loc=PE\n"
                               "set_out_fmt output=0 base=0x00000000 pitch=0 tiling=0x0\n"
                               "start_program\n"
                               ".packet 0xc0012200 0x00000001 0x00000002\n"
                               ".word 0x00000007\n";
    static const uint32_t words[] = {0xc0000200, 0x3dcccccd, 0xc0030300, 0,          0x5000, 63,         4095,
                                     0xc0030b00, 3,          0x1000,     0x04010040, 64,     0xc0001b00, 2,
                                     0xc0001c00, 1,          0xc0030c00, 0,          0,      0,          0,
                                     0xc0000400, 0,          0xc0012200, 1,          2,      7};
    struct text bytes = {0}, again = {0};
    struct atoll_error error = {0};
    if (!stream_parse(text, strlen(text), &bytes, &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    assert_int_equal(bytes.length, sizeof words);
    struct stream stream = stream_of(&bytes);
    for (size_t i = 0; i < stream.words; i++)
        assert_int_equal(stream_word(&stream, i), words[i]);
    assert_true(stream_print(&stream, &again, &error));
    assert_non_null(strstr(again.bytes, "\nset_out_fmt output=0 base=0x00000000 pitch=0 tiling=LINEAR format=UINT16_1 "
                                        "height=0\nstart_program\n.packet 0xc0012200 0x00000001"));
    assert_memory_equal(again.bytes, text, (size_t)(strstr(text, "set_out_fmt") - text));
    text_free(&bytes);
    text_free(&again);
}

/* Words of commands with any bits, and words that are none, come back from their text. */
static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 7;
    struct text bytes = {0}, text = {0}, again = {0};
    struct atoll_error error = {0};
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned command = (unsigned)(seed >> 33) % (STREAM_COMMANDS + 2);
        uint32_t word = (uint32_t)(seed >> 20), count = word & 7;
        if (command < STREAM_COMMANDS) {
            text_number(&bytes, stream_opcode((enum stream_command)command), 4);
            count = stream_rows[command].parameters;
        } else if (command == STREAM_COMMANDS)
            text_number(&bytes, 0xc0000000 | count << 16 | (word & 0xffff), 4), count++;
        else
            text_number(&bytes, word & 0x3fffffff, 4), count = 0;
        for (; count; count--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text_number(&bytes, seed >> (seed >> 60), 4);
        }
    }
    struct stream stream = stream_of(&bytes);
    assert_true(stream_print(&stream, &text, &error));
    if (!stream_parse(text.bytes, text.length, &again, &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    assert_int_equal(again.length, bytes.length);
    assert_memory_equal(again.bytes, bytes.bytes, bytes.length);
    text_free(&bytes);
    text_free(&text);
    text_free(&again);
}

static void test_bad_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *says;
    } bad[] = {
        {"\nset_domian i0=1", 2, 1, "no command: 'set_domian'"},
        {"set_domain i0", 1, 12, "no field: 'i0'"},
        {"set_domain i2=3", 1, 12, "no field of the command: 'i2=3'"},
        {"set_domain i0=3 i0=3", 1, 17, "given twice: 'i0=3'"},
        {"set_domain i0=4096", 1, 15, "at most 0xfff"},
        {"set_domain i0=x", 1, 15, "no number: 'x'"},
        {"set_domain i0=4294967296", 1, 15, "too large"},
        {"set_inp_fmt pitch=6", 1, 19, "a multiple of 4"},
        {"set_inp_fmt base=0x100", 1, 18, "a multiple of 2048"},
        {"set_inp_fmt format=FLOAT", 1, 20, "no number"},
        {"set_cond_val value=1x", 1, 20, "no number"},
        {"set_domain reserved0=1", 1, 22, "bits of a field"},
        {"set_domain reserved4=1", 1, 12, "no field"},
        {".packet 0xc0030000 1", 1, 1, "2 words: wanted as many"},
        {".packet 7", 1, 9, "no opcode"},
        {".word", 1, 1, "0 words"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct text bytes = {0};
        struct atoll_error error = {0};
        assert_false(stream_parse(bad[i].text, strlen(bad[i].text), &bytes, &error));
        if (!strstr(error.message, bad[i].says) || error.line != bad[i].line || error.column != bad[i].column)
            fail_msg("'%s': %u:%u: %s", bad[i].text, error.line, error.column, error.message);
        text_free(&bytes);
    }
}

static void test_truncated(void **state)
{
    (void)state;
    struct text bytes = {0}, out = {0};
    struct atoll_error error = {0};
    struct stream stream;
    assert_true(stream_parse("start_program\nset_domain i1=1\n", 30, &bytes, &error));
    assert_false(stream_open(bytes.bytes, 7, &stream, &error));
    assert_true(stream_open(bytes.bytes, 16, &stream, &error));
    assert_false(stream_print(&stream, &out, &error));
    assert_string_equal(out.bytes, "start_program\n");
    assert_int_equal(error.status, ATOLL_INPUT);
    assert_non_null(strstr(error.message, "word 2 (set_domain, 0xc0030300)"));
    assert_non_null(strstr(error.message, "after 2 of 5 words"));
    text_free(&bytes);
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),     cmocka_unit_test(test_stated), cmocka_unit_test(test_docs),
        cmocka_unit_test(test_text),      cmocka_unit_test(test_random), cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
