/* Containers of vISA: what is read of one that Intel's tool accepts, the same bytes written again, and that no mutation
 * of it is read beyond its end. */
#include "isa/visa/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* typed_atomic.add.16 of one channel group, as data/visa/README.md says. */
struct file {
    uint8_t bytes[1024];
    size_t size;
};

static struct file sample(void)
{
    struct file file = {0};
    FILE *f = fopen(DATA_DIR "/visa/typed_atomic.isa", "rb");
    assert_non_null(f);
    file.size = fread(file.bytes, 1, sizeof file.bytes, f);
    fclose(f);
    return file;
}

static void test_read(void **state)
{
    struct file file = sample();
    struct arena arena = {0};
    struct visa_module m;
    struct atoll_error error = {0};
    (void)state;
    assert_true(visa_read(&arena, file.bytes, file.size, &m, &error));
    assert_int_equal(m.major * 10 + m.minor, 41);
    assert_int_equal(m.nkernels, 1);
    const struct visa_object *k = &m.kernels[0];
    assert_string_equal(k->name, "k");
    assert_int_equal(k->nvars[VISA_G], 4);
    assert_int_equal(k->ngen, 1);
    assert_int_equal(k->gen[0].platform, 5);
    const struct visa_attribute *target = visa_attribute(k, k->attributes, k->nattributes, "Target");
    assert_non_null(target);
    assert_int_equal(visa_attribute_value(target), 1);
    assert_int_equal(k->ninsts, 3);
    const struct visa_inst *atomic = &k->insts[1];
    assert_ptr_equal(atomic->row, &visa_rows[VISA_ROW_typed_atomic]);
    assert_int_equal(atomic->length, 48);
    assert_int_equal(visa_exec_channels(atomic->exec), 8);
    assert_int_equal(atomic->ops[0].value, 0x20);
    assert_int_equal(atomic->ops[1].id, 6);
    arena_free(&arena);
}

static void test_text(void **state)
{
    struct file file = sample();
    struct arena arena = {0};
    struct visa_module m;
    struct atoll_error error = {0};
    struct text out = {0};
    (void)state;
    assert_true(visa_read(&arena, file.bytes, file.size, &m, &error));
    visa_print(&m, &out);
    assert_true(text_ok(&out));
    assert_string_equal(out.bytes, ".version 4.1\n\n.kernel \"k\"\n"
                                   ".decl U v_type=G type=ud num_elts=8 align=GRF\n"
                                   ".decl V v_type=G type=ud num_elts=8 align=GRF\n"
                                   ".decl X v_type=G type=ud num_elts=8 align=GRF\n"
                                   ".decl D v_type=G type=ud num_elts=8 align=GRF\n"
                                   ".decl T6 v_type=T num_elts=1\n"
                                   ".kernel_attr Target=\"3d\"\n"
                                   "    movs (M1_NM, 1) T6(0) 0x1:ud\n"
                                   "    typed_atomic.add.16 (M1, 8) T6 U.0 V.0 %null.0 %null.0 X.0 %null.0 D.0\n"
                                   "    ret (M1, 1)\n");
    text_free(&out);
    arena_free(&arena);
}

/* Offset and size of the object, as the header of a file with the one kernel "k" says. */
static void object_of(const char *bytes, uint32_t *offset, uint32_t *size)
{
    memcpy(offset, bytes + 11, 4);
    memcpy(size, bytes + 15, 4);
}

static void test_write(void **state)
{
    struct file file = sample();
    struct arena arena = {0};
    struct visa_module m;
    struct atoll_error error = {0};
    struct text out = {0};
    uint32_t at[2], size[2];
    (void)state;
    assert_true(visa_read(&arena, file.bytes, file.size, &m, &error));
    assert_true(visa_write(&m, &out, &error));
    object_of((const char *)file.bytes, &at[0], &size[0]);
    object_of(out.bytes, &at[1], &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_int_equal(at[1] + size[1], out.length);
    assert_memory_equal(file.bytes + at[0], out.bytes + at[1], size[0]);
    text_free(&out);
    arena_free(&arena);
}

/* A copy that ends where its memory ends, so that a sanitizer sees what is read beyond. */
static bool reads(const struct file *file, size_t size, char message[300])
{
    uint8_t *copy = malloc(size ? size : 1);
    struct arena arena = {0};
    struct visa_module m;
    struct atoll_error error = {0};
    memcpy(copy, file->bytes, size);
    bool ok = visa_read(&arena, copy, size, &m, &error);
    snprintf(message, 300, "%.299s", error.message);
    if (!ok)
        assert_int_equal(error.status, ATOLL_INVALID);
    if (ok) {
        struct text out = {0};
        visa_print(&m, &out);
        text_free(&out);
    }
    free(copy);
    arena_free(&arena);
    return ok;
}

static void test_truncated(void **state)
{
    struct file file = sample();
    char message[300];
    uint32_t at, size;
    (void)state;
    object_of((const char *)file.bytes, &at, &size);
    for (size_t n = 0; n < (size_t)at + size; n++) {
        assert_false(reads(&file, n, message));
        assert_memory_equal(message, "byte ", 5);
    }
    assert_true(reads(&file, at + size, message)); /* machine code is cut off: nobody reads it */
}

static void test_mutated(void **state)
{
    static const uint8_t values[] = {0, 1, 7, 0x20, 0x7F, 0x80, 0xFF};
    char message[300];
    (void)state;
    for (size_t i = 0; i < sample().size; i++)
        for (unsigned v = 0; v < sizeof values; v++) {
            struct file file = sample();
            file.bytes[i] = values[v];
            reads(&file, file.size, message);
        }
}

static void test_messages(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *message;
    } bad[] = {
        {0, 'X', "byte 0: 0x41534958 where the mark of vISA files stands (0x41534943, \"CISA\")"},
        {4, 2, "byte 4: version 2.1: 3.0 and later are read"},
        {384, 0x93, "byte 384: 0x93 is no opcode"},
        {386, 8, "byte 386: an execution size of code 8 (0 to 5 are 1 to 32 channels)"},
        {387, 1, "byte 387: predicate 1 of 1"},
        {389, 7, "byte 389: surface 7 of 7"},
        {390, 36, "byte 390: variable 36 of 36"},
    };
    char message[300];
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct file file = sample();
        file.bytes[bad[i].at] = bad[i].value;
        assert_false(reads(&file, file.size, message));
        assert_string_equal(message, bad[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),      cmocka_unit_test(test_text),    cmocka_unit_test(test_write),
        cmocka_unit_test(test_truncated), cmocka_unit_test(test_mutated), cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
