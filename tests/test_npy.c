/* NPY files: every type, byte orders, versions, and what is refused. */
#include "file/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct file {
    unsigned char bytes[1024];
    size_t size;
};

/* A file of version `major` whose header is `header`, with `size` bytes of data. */
static struct file make(unsigned major, const char *header, const void *data, size_t size)
{
    struct file file = {.bytes = "\x93NUMPY"};
    size_t length = strlen(header), start = major == 1 ? 10 : 12;
    file.bytes[6] = (unsigned char)major;
    file.bytes[8] = (unsigned char)length;
    file.bytes[9] = (unsigned char)(length >> 8);
    memcpy(file.bytes + start, header, length);
    if (size)
        memcpy(file.bytes + start + length, data, size);
    file.size = start + length + size;
    return file;
}

static void expect(const struct file *file, char kind, unsigned bytes, unsigned ndims, uint64_t count, const void *data)
{
    struct array array;
    void *elements;
    struct atoll_error error = {0};
    if (!npy_read(file->bytes, file->size, &array, &elements, &error))
        fail_msg("%s", error.message);
    assert_int_equal(array.kind, kind);
    assert_int_equal(array.bytes, bytes);
    assert_int_equal(array.ndims, ndims);
    assert_int_equal(array.count, count);
    assert_memory_equal(elements, data, (size_t)count * bytes);
    free(elements);
}

static void refuse(const struct file *file, const char *word)
{
    struct array array;
    void *elements;
    struct atoll_error error = {0};
    assert_false(npy_read(file->bytes, file->size, &array, &elements, &error));
    assert_int_equal(error.status, ATOLL_INPUT);
    if (!strstr(error.message, word))
        fail_msg("'%s' does not say '%s'", error.message, word);
    assert_null(elements);
}

static void versions_and_byte_orders_are_read(void **unused)
{
    (void)unused;
    const uint32_t values[2] = {0x01020304, 0xfffefdfc};
    struct file v1 = make(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }\n", values, 8);
    struct file v2 = make(2, "{\"shape\": (1, 2), 'fortran_order': False, 'descr': '<i4'}", values, 8);
    struct file v3 =
        make(3, "{'descr': '>u4', 'fortran_order': False, 'shape': (2, 1, 1)}", "\1\2\3\4\xff\xfe\xfd\xfc", 8);
    expect(&v1, 'u', 4, 1, 2, values);
    expect(&v2, 'i', 4, 2, 2, values);
    expect(&v3, 'u', 4, 3, 2, values);
}

static void every_type_comes_back(void **unused)
{
    (void)unused;
    static const char kinds[] = "biiiiuuuufff";
    static const unsigned sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct array array = {.kind = kinds[i], .bytes = sizes[i], .ndims = 2, .dims = {3, 2}, .count = 6};
        struct text out = {0};
        unsigned char data[48];
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = (unsigned char)(k * 91);
        npy_write(&array, data, &out);
        assert_true(text_ok(&out));
        assert_int_equal((out.length - 6 * sizes[i]) % 64, 0); /* data is aligned, as the format asks */
        struct file file = {.size = out.length};
        memcpy(file.bytes, out.bytes, out.length);
        expect(&file, kinds[i], sizes[i], 2, 6, data);
        text_free(&out);
    }
}

static void scalars_and_empty_arrays_are_arrays(void **unused)
{
    (void)unused;
    struct file scalar = make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "\7", 1);
    struct file empty = make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 18446744073709551600)}", "", 0);
    expect(&scalar, 'u', 1, 0, 1, "\7");
    expect(&empty, 'u', 1, 2, 0, "");
}

static void unsupported_arrays_are_refused_by_name(void **unused)
{
    (void)unused;
    struct file fortran = make(1, "{'descr': '<u4', 'fortran_order': True, 'shape': (2,)}", "12345678", 8);
    struct file complex = make(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "12345678", 8);
    struct file fields = make(1, "{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (1,)}", "1234", 4);
    struct file deep = make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "1", 1);
    refuse(&fortran, "Fortran order");
    refuse(&complex, "'<c8'");
    refuse(&fields, "structured");
    refuse(&deep, "8 dimensions");
}

static void broken_files_are_refused(void **unused)
{
    (void)unused;
    static const char *const headers[] = {
        "",
        "{",
        "}",
        "{'descr'",
        "{'descr': '<u4'",
        "{'descr': '<u4', }",
        "{'shape': (1,)}",
        "[1]",
        "{'descr': '<u4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<u3', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<u4\\'', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (01,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1,,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 1,,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<u4', 'fortran_order': Falsely, 'shape': (1,)}",
        "{'descr': '<u4', 'fortran_order': False,, 'shape': (1,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1,)}}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1,)}, 1)\n",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct file file = make(1, headers[i], "1234", 4);
        refuse(&file, "NPY");
    }
    struct file sound = make(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (2,)}", "12345678", 8);
    for (sound.size = sound.size - 1; sound.size > 0; sound.size--)
        refuse(&sound, "not a NPY file");
    struct file vast =
        make(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 16)}", "", 0);
    refuse(&vast, "ends before");
    struct file version = make(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (2,)}", "12345678", 8);
    version.bytes[6] = 9;
    refuse(&version, "version");
}

/* Whichever of the two values is meant: the file is wrong. */
static void keys_that_are_there_twice_are_refused(void **unused)
{
    (void)unused;
    struct file shape =
        make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 2, 1), 'shape': (1, 1, 2)}", "12", 2);
    struct file same = make(1, "{'descr': '|u1', 'shape': (2,), 'fortran_order': False, 'shape': (2,)}", "12", 2);
    struct file descr = make(1, "{'descr': '|u1', 'descr': '<u2', 'fortran_order': False, 'shape': (1,)}", "12", 2);
    struct file order =
        make(1, "{'fortran_order': False, 'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "12", 2);
    struct file unknown = make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'order': 1}", "12", 2);
    refuse(&shape, "key 'shape' twice");
    refuse(&same, "key 'shape' twice");
    refuse(&descr, "key 'descr' twice");
    refuse(&order, "key 'fortran_order' twice");
    refuse(&unknown, "unknown key 'order'");
}

static void what_follows_the_array_is_refused(void **unused)
{
    (void)unused;
    struct file one = make(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (2,)}", "123456789", 9);
    struct file none = make(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (0,)}", "1", 1);
    struct file blanks = make(1, "{'descr': '<u4', 'fortran_order': False, 'shape': (1,)} \t\r\n", "1234", 4);
    struct file wrap = make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2)}", "", 0);
    struct file just = make(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (2305843009213693952,)}", "", 0);
    refuse(&one, "1 bytes follow the array");
    refuse(&none, "1 bytes follow the array");
    expect(&blanks, 'u', 4, 1, 1, "1234");
    refuse(&wrap, "ends before");
    refuse(&just, "ends before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_and_byte_orders_are_read),
        cmocka_unit_test(every_type_comes_back),
        cmocka_unit_test(scalars_and_empty_arrays_are_arrays),
        cmocka_unit_test(unsupported_arrays_are_refused_by_name),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(keys_that_are_there_twice_are_refused),
        cmocka_unit_test(what_follows_the_array_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
