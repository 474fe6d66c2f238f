/* Executables of CTM: what is written is read back, what others lay out differently is taken, and what is damaged is
 * refused with the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "isa/ctm/elf.h"

enum { CODE = 52 + 2 * 32, NOTES = CODE + 2 * 24, PROGINFO = NOTES + 20 };

static struct ctm_program sample(struct ctm_inst insts[2])
{
    struct ctm_program p = {.name = "main", .insts = insts, .ninsts = 2, .condout = true};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < CTM_WORDS; k++)
            insts[i].word[k] = 0x01020304 * (i + 1) + k;
    for (unsigned i = 0; i < CTM_INFO_WORDS; i++)
        p.info[i] = i * 0x11 + 1;
    ctm_add(&p.inputs, 0);
    ctm_add(&p.inputs, 15);
    ctm_add(&p.outputs, 3);
    ctm_add(&p.floats, 255);
    ctm_add(&p.ints, 31);
    return p;
}

static struct text written(void)
{
    struct ctm_inst insts[2];
    struct ctm_program p = sample(insts);
    struct text out = {0};
    struct atoll_error error;
    assert_true(ctm_elf_write(&p, &out, &error));
    return out;
}

static void same(const struct ctm_program *a, const struct ctm_program *b)
{
    assert_int_equal(a->ninsts, b->ninsts);
    assert_memory_equal(a->insts, b->insts, a->ninsts * sizeof *a->insts);
    assert_memory_equal(a->info, b->info, sizeof a->info);
    assert_memory_equal(&a->inputs, &b->inputs, sizeof a->inputs);
    assert_memory_equal(&a->outputs, &b->outputs, sizeof a->outputs);
    assert_memory_equal(&a->floats, &b->floats, sizeof a->floats);
    assert_memory_equal(&a->ints, &b->ints, sizeof a->ints);
    assert_int_equal(a->condout, b->condout);
    assert_int_equal(a->early_exit, b->early_exit);
}

static void written_and_read(void **state)
{
    struct arena arena = {0};
    struct ctm_inst insts[2];
    struct ctm_program p = sample(insts), q;
    struct text out = written(), again = {0};
    struct atoll_error error;
    (void)state;
    assert_true(ctm_is_elf(out.bytes, out.length));
    assert_true(ctm_elf_read(&arena, out.bytes, out.length, &q, &error));
    same(&p, &q);
    assert_true(ctm_elf_write(&q, &again, &error));
    assert_int_equal(out.length, again.length);
    assert_memory_equal(out.bytes, again.bytes, out.length);
    text_free(&out);
    text_free(&again);
    arena_free(&arena);
}

/* guide p.49: the header, byte by byte. */
static void header_as_the_guide_says(void **state)
{
    static const uint8_t head[] = {0x7f, 'E', 'L', 'F', 1, 1, 1, 98, 1, 0, 0, 0, 0,  0, 0, 0,
                                   2,    0,   122, 0,   1, 0, 0, 0,  0, 0, 0, 0, 52, 0, 0, 0};
    static const uint8_t note[] = {8, 0, 0, 0, 64, 0, 0, 0, 1, 0, 0, 0, 'A', 'T', 'I', ' ', 'D', 'P', 'P', 0};
    static const uint8_t list[] = {8,   0,   0,   0,   8,   0, 0, 0, 2, 0, 0,  0, 'A', 'T',
                                   'I', ' ', 'D', 'P', 'P', 0, 0, 0, 0, 0, 15, 0, 0,   0};
    struct text out = written();
    (void)state;
    assert_memory_equal(out.bytes, head, sizeof head);
    assert_int_equal(bytes_u32((const uint8_t *)out.bytes + 36), 1); /* EF_ATI_DPP */
    assert_int_equal(bytes_u32((const uint8_t *)out.bytes + CODE), 0x01020304);
    assert_memory_equal(out.bytes + NOTES, note, sizeof note);
    assert_memory_equal(out.bytes + PROGINFO + 64, list, sizeof list);
    text_free(&out);
}

/* No sections, a foreign note before the others, notes in two segments, bytes behind: a loader takes it. */
static void laid_out_by_others(void **state)
{
    enum { HEAD = 52 + 4 * 32 };
    struct arena arena = {0};
    struct ctm_inst insts[2];
    struct ctm_program p = sample(insts), q;
    struct text out = written();
    const uint8_t *from = (const uint8_t *)out.bytes;
    size_t notes = bytes_u32(from + 52 + 32 + 16);
    uint8_t made[1024] = {0};
    struct atoll_error error;
    (void)state;
    memcpy(made, from, 52);
    bytes_put(made + 32, 0xfffffff0, 4); /* sections nowhere */
    bytes_put(made + 44, 4, 2);          /* program headers */
    bytes_put(made + 52, PT_PHDR, 4);    /* of no interest, and nowhere */
    bytes_put(made + 56, 0xffffffff, 4);
    memcpy(made + 84, from + 84, 32); /* PROGINFO, after a foreign note */
    bytes_put(made + 84 + 4, HEAD + 48, 4);
    bytes_put(made + 84 + 16, 20 + 84, 4);
    memcpy(made + 116, from + 52, 32); /* code */
    bytes_put(made + 116 + 4, HEAD, 4);
    memcpy(made + 148, from + 84, 32); /* the other notes */
    bytes_put(made + 148 + 4, HEAD + 48 + 20 + 84, 4);
    bytes_put(made + 148 + 16, notes - 84, 4);
    memcpy(made + HEAD, from + CODE, 48);
    memcpy(made + HEAD + 48, "\4\0\0\0\4\0\0\0\1\0\0\0GNU\0\1\2\3\4", 20);
    memcpy(made + HEAD + 48 + 20, from + NOTES, notes);
    if (!ctm_elf_read(&arena, made, sizeof made, &q, &error))
        fail_msg("%s", error.message);
    same(&p, &q);
    text_free(&out);
    arena_free(&arena);
}

/* Lists that are not there are empty, flags 0. */
static void notes_left_out(void **state)
{
    struct arena arena = {0};
    struct ctm_program q;
    struct text out = written();
    struct atoll_error error;
    (void)state;
    bytes_put(out.bytes + 84 + 16, 84, 4); /* PROGINFO alone */
    assert_true(ctm_elf_read(&arena, out.bytes, out.length, &q, &error));
    assert_false(q.condout || q.early_exit || ctm_has(&q.inputs, 0) || ctm_has(&q.floats, 255));
    assert_int_equal(q.info[9], 9 * 0x11 + 1);
    bytes_put(out.bytes + NOTES + 4, 4 * CTM_ELF_INFO_LEAST, 4); /* a shorter one */
    bytes_put(out.bytes + 84 + 16, 20 + 4 * CTM_ELF_INFO_LEAST, 4);
    assert_true(ctm_elf_read(&arena, out.bytes, out.length, &q, &error));
    assert_int_equal(q.info[5], 5 * 0x11 + 1);
    assert_int_equal(q.info[6], 0);
    text_free(&out);
    arena_free(&arena);
}

static void refused(void **state)
{
    static const struct {
        size_t at;
        uint32_t value, size;
        const char *says;
    } rows[] = {
        {0, 0, 1, "byte 0x0: no ELF file"},
        {4, 2, 1, "byte 0x4: the class is 2; wanted 1"},
        {5, 2, 1, "byte 0x5: the order of bytes is 2; wanted 1"},
        {7, 0, 1, "byte 0x7: the ABI is 0; wanted 98"},
        {8, 0, 1, "byte 0x8: the ABI's version is 0; wanted 1"},
        {16, 1, 2, "byte 0x10: the type is 1; wanted 2"},
        {18, 190, 2, "byte 0x12: the machine is 190; wanted 122"},
        {24, 4, 4, "byte 0x18: the entry is 4; wanted 0"},
        {36, 0, 4, "byte 0x24: the word of flags is 0; wanted 1"},
        {42, 56, 2, "byte 0x2a: the size of a program header is 56; wanted 32"},
        {44, 0, 2, "byte 0x2c: 0 program headers; wanted 1 to 256"},
        {44, 257, 2, "byte 0x2c: 257 program headers; wanted 1 to 256"},
        {28, 0xffffffe0, 4, "byte 0x1c: program headers: bytes 0xffffffe0 to 0x100000020 of 0x"},
        {52, 0, 4, "byte 0x34: no segment of code (PT_LOAD)"},
        {52 + 4, 0xffffffff, 4, "byte 0x38: code: bytes 0xffffffff to 0x10000002f of 0x"},
        {52 + 16, 47, 4, "byte 0x44: 47 bytes of code; wanted 1 to 512 instructions of 24 bytes"},
        {52 + 16, 0, 4, "byte 0x44: 0 bytes of code; wanted 1 to 512 instructions of 24 bytes"},
        {52 + 20, 72, 4, "byte 0x48: code has 72 bytes in memory and 48 in the file; wanted the same"},
        {84, PT_LOAD, 4, "byte 0x54: a second segment of code (PT_LOAD); wanted one"},
        {84, 0, 4, "byte 0x34: no note with program information"},
        {84 + 16, 0xffff, 4, "byte 0x58: notes: bytes 0xa4 to 0x100a3 of 0x"},
        {84 + 16, 100, 4, "byte 0xf8: a note past the end of its segment, 0x108"},
        {NOTES + 4, 20, 4, "byte 0xb8: 5 words of program information; wanted at least 6"},
        {NOTES + 4, 63, 4, "byte 0xb8: note PROGINFO: 63 bytes; wanted words of 4"},
        {NOTES + 4, 0xfffffffc, 4, "byte 0xa4: a note past the end of its segment"},
        {NOTES, 0xfffffffc, 4, "byte 0xa4: a note past the end of its segment"},
        {NOTES + 8, 99, 4, "byte 0x34: no note with program information"},
        {PROGINFO + 64 + 8, 1, 4, "byte 0x10c: a second note PROGINFO; wanted one"},
        {PROGINFO + 64 + 20, 16, 4, "byte 0x10c: note INPUTS: 16; wanted numbers below 16"},
        {PROGINFO + 64 + 8, 4, 4, "byte 0x10c: note CONDOUT: 0 in 2 words; wanted 0 or 1 in one"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = {0};
        struct ctm_program q;
        struct text out = written();
        struct atoll_error error = {0};
        bytes_put(out.bytes + rows[i].at, rows[i].value, rows[i].size);
        assert_false(ctm_elf_read(&arena, out.bytes, out.length, &q, &error));
        assert_int_equal(error.status, ATOLL_INPUT);
        if (strncmp(error.message, "CTM executable: ", 16) != 0 || !strstr(error.message + 16, rows[i].says))
            fail_msg("row %zu: '%s', wanted '%s'", i, error.message, rows[i].says);
        text_free(&out);
        arena_free(&arena);
    }
}

/* Cut anywhere before the notes' end, a file is refused; behind it are only sections. */
static void truncated(void **state)
{
    struct text out = written();
    size_t end = NOTES + bytes_u32((const uint8_t *)out.bytes + 84 + 16);
    (void)state;
    for (size_t size = 0; size <= out.length; size++) {
        struct arena arena = {0};
        struct ctm_program q;
        struct atoll_error error = {0};
        char *copy = malloc(size + 1);
        memcpy(copy, out.bytes, size);
        assert_int_equal(ctm_elf_read(&arena, copy, size, &q, &error), size >= end);
        assert_true(size >= end || error.message[0]);
        free(copy);
        arena_free(&arena);
    }
    text_free(&out);
}

/* Any byte changed to any of some values: read or refused, and what is read is written and read again. */
static void mutated(void **state)
{
    static const uint8_t values[] = {0, 1, 2, 4, 7, 0x10, 0x7f, 0x80, 0xfc, 0xff};
    struct text out = written();
    (void)state;
    for (size_t at = 0; at < out.length; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            struct arena arena = {0};
            struct ctm_program q, again;
            struct text text = {0};
            struct atoll_error error = {0};
            char was = out.bytes[at];
            out.bytes[at] = (char)values[v];
            if (ctm_elf_read(&arena, out.bytes, out.length, &q, &error)) {
                assert_true(ctm_elf_write(&q, &text, &error));
                assert_true(ctm_elf_read(&arena, text.bytes, text.length, &again, &error));
                same(&q, &again);
            } else {
                assert_true(error.message[0]);
            }
            out.bytes[at] = was;
            text_free(&text);
            arena_free(&arena);
        }
    text_free(&out);
}

static void not_written(void **state)
{
    struct ctm_program p = {.name = "main"};
    struct text out = {0};
    struct atoll_error error;
    (void)state;
    assert_false(ctm_elf_write(&p, &out, &error));
    p.ninsts = 513;
    assert_false(ctm_elf_write(&p, &out, &error));
    assert_string_equal(error.message, "a program of 513 instructions; wanted 1 to 512");
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(header_as_the_guide_says),
        cmocka_unit_test(laid_out_by_others),
        cmocka_unit_test(notes_left_out),
        cmocka_unit_test(refused),
        cmocka_unit_test(truncated),
        cmocka_unit_test(mutated),
        cmocka_unit_test(not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
