/* The parser of lane programs: errors name the place and what was wanted; hostile text does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lane/lane.h"

static void errors_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *why;
    } bad[] = {
        {"", 1, 1, "wanted 'lanes 1'"},
        {"lane 1", 1, 1, "wanted 'lanes 1'"},
        {"lanes 2", 1, 8, "version 2"},
        {"lanes 1 1", 1, 9, "unexpected text"},
        {"lanes 1\nvar", 2, 1, "wanted symbol, kernel or func"},
        {"lanes 1\nsymbol x", 2, 7, "wanted a name"},
        {"lanes 1\nsymbol \"x", 2, 9, "the string does not end"},
        {"lanes 1\nsymbol \"x\\q\"", 2, 10, "wanted \\xNN"},
        {"lanes 1\nsymbol \"x\\x00\"", 2, 10, "zero byte"},
        {"lanes 1\nsymbol \"x\" var", 2, 12, "no such kind"},
        {"lanes 1\nsymbol \"x\" global big", 2, 19, "no such attribute of a symbol"},
        {"lanes 1\nsymbol \"x\" global size 18446744073709551616", 2, 24, "too large"},
        {"lanes 1\nsymbol \"x\" global size 0x10000000000000000", 2, 24, "more than 64 bits"},
        {"lanes 1\nsymbol \"x\" global align 4294967296", 2, 25, "more than 32 bits"},
        {"lanes 1\nsymbol \"x\" global size 2\ninit 00", 4, 0, "1 initial bytes for a symbol of 2"},
        {"lanes 1\nsymbol \"x\" global size 1\ninit 0", 3, 6, "two digits a byte"},
        {"lanes 1\nsymbol \"x\" global size 1\ninit 0x", 3, 7, "wanted a digit"},
        {"lanes 1\nsymbol \"x\" global size 8\nreloc 0 size 8 &y", 3, 17, "no such symbol 'y'"},
        {"lanes 1\nsymbol \"x\" global size 8\nreloc 0 size 8 &#2", 3, 18, "no such symbol"},
        {"lanes 1\nsymbol \"x\" global size 8\nreloc 0 size 8 &#0", 3, 18, "no such symbol"},
        {"lanes 1\nsymbol \"x\" surfref count 1\nsurfref 1 width 1", 3, 10, "surface reference 1 of 1"},
        {"lanes 1\nsymbol \"x\" surfref count 4294967295", 3, 0, "more than 65536 surface references"},
        {"lanes 1\nsymbol \"x\" function f", 2, 21, "no such function 'f'"},
        {"lanes 1\nkernel \"k\" fast {", 2, 12, "no such attribute of a function"},
        {"lanes 1\nkernel \"k\" {", 0, 0, "does not end"},
        {"lanes 1\nkernel \"k\" {\nexit", 3, 1, "wanted a block as in b0:"},
        {"lanes 1\nkernel \"k\" {\nb1:", 3, 1, "wanted the block b0:"},
        {"lanes 1\nkernel \"k\" {\nb0:\nb0:", 4, 1, "wanted the block b1:"},
        {"lanes 1\nkernel \"k\" {\nreg 129 x", 3, 8, "129 bits"},
        {"lanes 1\nkernel \"k\" {\nword 0 size 4 ntid", 3, 15, "no such word of a launch"},
        {"lanes 1\nkernel \"k\" {\nword 0 size 8 surfaces width", 3, 24, "wanted '('"},
        {"lanes 1\nkernel \"k\" {\nword 0 size 8 surfaces (first hight)", 3, 31, "no such attribute of a surface"},
        {"lanes 1\nkernel \"k\" {\nword 0 size 8 surfaces (zero zero zero zero zero zero zero zero zero zero zero zero "
         "zero zero zero zero zero)",
         3, 105, "at most 16 words"},
        {"lanes 1\nkernel \"k\" {\nb0:\nfly", 4, 1, "no such operation 'fly'"},
        {"lanes 1\nkernel \"k\" {\nb0:\n%0 = mov.b32 1", 4, 1, "no such register '%0'"},
        {"lanes 1\nkernel \"k\" {\nb0:\n%4294967296 = mov.b32 1", 4, 2, "more than 32 bits"},
        {"lanes 1\nkernel \"k\" {\nb0:\n%99999999999999999999 = mov.b32 1", 4, 2, "too large"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = mov.b33 1", 5, 8, "wanted a type"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = mov.b32.b32 1", 5, 12, "'.b32' has no place here"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = sreg.tid.w.b32", 5, 9, "wanted .mode"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = mov.b32 0x100000000", 5, 13, "does not fit 32 bits"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = mov.b32 1:129", 5, 13, "does not fit 129 bits"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = ld.global.b32 [1]", 5, 20, "needs a width here"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = ld.global.b32 r", 5, 19, "wanted '['"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = ld.global.b32 [r+9223372036854775808]", 5, 21, "the offset"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = add.u32 r, r, r", 5, 19, "too many sources"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr = add.u32 r r", 5, 15, "unexpected text"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nr, 5", 5, 4, "needs a width"},
        {"lanes 1\nkernel \"k\" {\nb0:\nbra c0", 4, 5, "wanted a block"},
        {"lanes 1\nkernel \"k\" {\nreg 32 r\nb0:\nbrx r {b0 b0}", 5, 11, "wanted ','"},
        {"lanes 1\nkernel \"k\" {\nb0:\ncall f () -> ()", 4, 6, "no such function 'f'"},
        {"lanes 1\nkernel \"k\" {\nb0:\ncall k (1:2) -> ()", 4, 12, "wanted ':'"},
        {"lanes 1\nkernel \"k\" {\nb0:\ncall k ()", 4, 10, "wanted '-'"},
        {"lanes 1\nkernel \"k\" {\nb0:\nunsupported x", 4, 13, "wanted '\"'"},
        {"lanes 1\nkernel \"k\" {\nb0:\n@ exit", 4, 3, "no such register 'exit'"},
        {"lanes 1\nkernel \"k\" {\nb0:\nexit !x", 4, 7, "wanted a number"},
        {"lanes 1\nkernel \"k\" {\nb0:\nfence.planet", 4, 6, "wanted .mode"},
        {"lanes 1\nkernel \"k\" {\nb0:\nst.moon.b32 [1:64], 1:32", 4, 3, "wanted .space"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct lane_module m;
        struct atoll_error e = {0};
        if (lane_parse(bad[i].text, strlen(bad[i].text), &m, &e))
            fail_msg("accepted: %s", bad[i].text);
        assert_int_equal(e.status, ATOLL_INPUT);
        assert_null(m.arena.chunks);
        if (!strstr(e.message, bad[i].why) || (bad[i].column && (e.line != bad[i].line || e.column != bad[i].column)))
            fail_msg("%s\n%u:%u: %s, wanted %u:%u: %s", bad[i].text, e.line, e.column, e.message, bad[i].line,
                     bad[i].column, bad[i].why);
    }
}

/* Every prefix of a good text, in a block of exactly its size. */
static void prefixes_are_read_within_bounds(void **state)
{
    (void)state;
    static const char text[] =
        "lanes 1\nsymbol \"s\\x41\" global size 2 align 1\n  init 0011\n  reloc 0 size 1 &#1+4\n"
        "kernel \"k\" local 8 {\n  reg 32 %r1 \"x y\" -\nb0:\n    @%p %r1 = mov.b32 0x12 !3 // c\n"
        "    st.global.v2.b32 [%r1-4], %r1, 7:32\n    brx %r1 {b0, b1}\nb1:\n    exit\n}\n";
    for (size_t size = 0; size < sizeof text; size++) {
        char *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, text, size);
        struct lane_module m;
        if (lane_parse(copy, size, &m, NULL))
            lane_module_free(&m);
        free(copy);
    }
}

static void zero_bytes_are_no_end(void **state)
{
    (void)state;
    struct lane_module m;
    struct atoll_error e = {0};
    assert_false(lane_parse("lanes 1\n\0kernel", 15, &m, &e));
    assert_int_equal(e.line, 2);
    assert_false(lane_parse("lanes 1\nsymbol \"a\0b\" global", 27, &m, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_a_place),
        cmocka_unit_test(prefixes_are_read_within_bounds),
        cmocka_unit_test(zero_bytes_are_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
