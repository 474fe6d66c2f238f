/* Lines of hexadecimal numbers: the shape that a family gives them decides, and the same instruction comes out of each.
 */
#include "cli/words.h"
#include "isa/family.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What words_run makes of a few lines. */
static void run(const struct family_hex *hex, enum words_mode mode, const char *lines, char *out, size_t room)
{
    struct atoll_isa *isa;
    struct atoll_error error;
    int in[2], back[2], was = dup(STDOUT_FILENO);
    assert_true(atoll_isa_open("SM50", &isa, &error));
    assert_true(was >= 0 && pipe(in) == 0 && pipe(back) == 0);
    assert_int_equal(write(in[1], lines, strlen(lines)), strlen(lines));
    close(in[1]);
    fflush(stdout);
    dup2(back[1], STDOUT_FILENO);
    bool ok = words_run(isa, hex, mode, in[0], &error);
    dup2(was, STDOUT_FILENO);
    close(back[1]);
    close(in[0]);
    close(was);
    ssize_t got = read(back[0], out, room - 1);
    close(back[0]);
    atoll_isa_close(isa);
    assert_true(ok && got >= 0);
    out[got] = 0;
}

#define TEXT    "SUATOM.D.1D.ADD.IGN R195, [R30], R115, 0x1e39\n"
#define REFUSED "? wanted numbers\n"

static void shapes(void **unused)
{
    (void)unused;
    static const struct {
        struct family_hex hex;
        const char *lines, *texts, *back; /* to text, and that to numbers */
    } cases[] = {
        {{8, 1, 4, "numbers"},
         "ea01e39007371ec3\n0xEA01E39007371EC3 8 7e0\n ea01e39007371ec3 8 7e0 1\n-\n",
         TEXT TEXT REFUSED REFUSED,
         "ea01e39007371ec3\n"},
        {{4, 2, 0, "numbers"},
         "07371ec3 ea01e390\n7371ec3 ea01e390 10\n7371ec3\n107371ec3 ea01e390\n7371ec3 ea01e390 10 7e0\n",
         TEXT TEXT REFUSED REFUSED REFUSED,
         "07371ec3 ea01e390\n"},
        {{1, 0, 0, "numbers"},
         "c3 1e 37 07 90 e3 01 ea\n1c3\n\n",
         TEXT REFUSED REFUSED,
         NULL /* the words of this machine come with control bits where there is room for them */},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[1000];
        run(&cases[i].hex, WORDS_DISASSEMBLE, cases[i].lines, out, sizeof out);
        assert_string_equal(out, cases[i].texts);
        if (!cases[i].back)
            continue;
        run(&cases[i].hex, WORDS_ASSEMBLE, TEXT, out, sizeof out);
        assert_string_equal(out, cases[i].back);
        run(&cases[i].hex, WORDS_FILTER, "# one\n" TEXT, out, sizeof out);
        assert_string_equal(out, cases[i].back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
