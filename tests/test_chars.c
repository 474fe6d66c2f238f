/* Bytes and numbers of text, as all readers take them. */
#include "base/bytes.h"
#include "base/chars.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void classes(void **unused)
{
    (void)unused;
    for (int c = 0; c < 256; c++) {
        const char *at = c ? strchr("0123456789abcdef", tolower(c)) : NULL;
        const char *digits = "0123456789abcdef";
        assert_int_equal(char_digit((char)c) < 16, at != NULL);
        if (at)
            assert_int_equal(char_digit((char)c), at - digits);
        assert_int_equal(char_word((char)c), c < 128 && (isalnum(c) || c == '_'));
    }
}

static void numbers(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        unsigned base, length;
        uint64_t value;
        int large; /* -1: it is not */
    } cases[] = {
        {"", 10, 0, 0, -1},
        {"x", 16, 0, 0, -1},
        {"129a", 10, 3, 129, -1},
        {"129ag", 16, 4, 0x129a, -1},
        {"1789", 8, 2, 017, -1},
        {"18446744073709551615", 10, 20, UINT64_MAX, -1},
        {"18446744073709551616", 10, 20, 0, 19},
        {"184467440737095516150,", 10, 21, UINT64_MAX * 10, 20},
        {"FFFFffffFFFFffff", 16, 16, UINT64_MAX, -1},
        {"10000000000000001z", 16, 17, 1, 16},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct digits digits;
        const char *text = cases[i].text, *end = digits_read(text, text + strlen(text), cases[i].base, &digits);
        assert_int_equal(end - text, cases[i].length);
        assert_true(digits.value == cases[i].value);
        assert_int_equal(digits.large ? digits.large - text : -1, cases[i].large);
    }
}

static void bytes(void **unused)
{
    (void)unused;
    uint8_t at[9] = {0};
    bytes_put(at + 1, UINT64_C(0x8877665544332211), 8);
    assert_memory_equal(at, "\0\x11\x22\x33\x44\x55\x66\x77\x88", 9);
    assert_true(bytes_u64(at + 1) == UINT64_C(0x8877665544332211) && bytes_get(at + 1, 8) == bytes_u64(at + 1));
    assert_true(bytes_u32(at + 3) == 0x66554433 && bytes_u16(at + 7) == 0x8877 && bytes_get(at + 2, 3) == 0x443322);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes), cmocka_unit_test(numbers), cmocka_unit_test(bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
