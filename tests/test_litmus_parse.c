/* The reader of litmus tests: what is read, places of errors, and texts cut short or damaged at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "litmus/litmus.h"

static const char good[] = "PTX MP // title\n\"about\"\nracy\n"
                           "{ x = 1; .surface .b64 y = 0xff; P1:r3 = -1; (* nested (* comment *) *) }\n"
                           " P0@block 0, warp 1, lane 3 | P1@cta 2 ;\n"
                           " st.u32 [x], 1 | suld.b.2d.v2.b32.trap {r0, r1}, [y] ;\n"
                           " L: | @p0 bra L ;\n"
                           "~exists (P1:r0 = 1 /\\ ~(1:r1 != 0 \\/ x < 2))\n"
                           "forall (true)\n";

static void reads_a_test(void **state)
{
    struct litmus t;
    struct atoll_error error;
    struct litmus_kernel kernel;
    (void)state;
    if (!litmus_parse(&t, good, strlen(good), &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    assert_string_equal(t.name, "MP");
    assert_string_equal(t.about, "about");
    assert_true(t.racy);
    assert_int_equal(t.nplaces, 2);
    assert_int_equal(t.places[1].bits, 64);
    assert_int_equal(t.places[1].space, LITMUS_SURFACE);
    assert_int_equal(t.registers[0].value, UINT32_MAX);
    assert_int_equal(t.threads[0].thread, 35);
    assert_int_equal(t.threads[1].block, 2);
    assert_int_equal(t.blocks, 3);
    assert_int_equal(t.block_threads, 36);
    assert_int_equal(t.nrows, 2);
    assert_int_equal(t.threads[1].cells[0].line, 6);
    assert_int_equal(t.threads[1].cells[0].column, 18);
    assert_int_equal(t.nconditions, 2);
    assert_int_equal(t.nobserved, 3);
    uint64_t values[LITMUS_OBSERVED] = {1, 0, 5}; /* P1:r0, P1:r1, x */
    assert_true(litmus_holds(&t, t.conditions[0].root, values));
    values[2] = 1;
    assert_false(litmus_holds(&t, t.conditions[0].root, values));
    assert_true(litmus_emit(&t, &kernel, &error));
    assert_non_null(strstr(kernel.text, "st.u32 [%x_at], 1;\n"));
    assert_non_null(strstr(kernel.text, "suld.b.2d.v2.b32.trap {%r0, %r1}, [%surface, {16, %row}];\n"));
    assert_non_null(strstr(kernel.text, "@%p0 bra L;\n"));
    free(kernel.text);
    litmus_free(&t);
}

/* Each text, where it is wrong and a part of the message. */
static const struct {
    const char *text;
    uint32_t line, column;
    const char *message;
} bad[] = {
    {"", 1, 1, "'PTX'"},
    {"PTXX a {}", 1, 1, "'PTX'"},
    {"PTX\n{}", 1, 4, "name of the test"},
    {"PTX a\n\"about\n{}", 2, 2, "description"},
    {"PTX a (* open\n{}", 1, 7, "comment without an end"},
    {"PTX a { x 1 }", 1, 11, "'='"},
    {"PTX a { x = }", 1, 13, "a number"},
    {"PTX a { x = 99999999999999999999 }", 1, 13, "64 bits"},
    {"PTX a { x = 12z }", 1, 15, "a digit"},
    {"PTX a { x = 1; x = 2 }", 1, 16, "'x' has a value already"},
    {"PTX a { r0 = 1 }", 1, 9, "name of a register"},
    {"PTX a { P9:r0 = 1 }", 1, 10, "at most 8"},
    {"PTX a { P0:r16 = 1 }", 1, 12, "'r16' is no register"},
    {"PTX a { x = 1 y = 2 }", 1, 15, "';' or '}'"},
    {"PTX a { abcdefghijklmnopqrstuvwxyzabcdef = 1 }", 1, 9, "31 letters"},
    {"PTX a { x = 0 } Q0 ;", 1, 17, "a thread"},
    {"PTX a { x = 0 } P1 ;", 1, 17, "P0 was expected"},
    {"PTX a { x = 0 } P0@block 8 ;", 1, 26, "at most 7"},
    {"PTX a { x = 0 } P0@block 0 | P1@block 0 ;", 1, 30, "same thread"},
    {"PTX a { x = 0 } P0@thread 4, lane 1 ;", 1, 20, "not by both"},
    {"PTX a { x = 0 } P0@grid 1 ;", 1, 20, "'block'"},
    {"PTX a { x = 0 } P0 | P1 ;\n a ;", 2, 4, "fewer columns"},
    {"PTX a { x = 0 } P0 ;\n a | b ;", 2, 4, "more columns"},
    {"PTX a { x = 0 } P0 ;\n a", 2, 2, "without an end"},
    {"PTX a { x = 0 } P0 ;\n st [x; 1 ;", 2, 7, "inside of brackets"},
    {"PTX a { x = 0 } P0 ;\n a\x01 ;", 2, 3, "0x01"},
    {"PTX a { x = 0 } P0 ;\n a ;\nexists (z = 1)", 3, 9, "'z' has no initial value"},
    {"PTX a { x = 0 } P0 ;\n a ;\nexists (P1:r0 = 1)", 3, 9, "no thread P1"},
    {"PTX a { x = 0 } P0 ;\n a ;\nexists (P0:q0 = 1)", 3, 9, "no register"},
    {"PTX a { x = 0 } P0 ;\n a ;\nexists (x = 1", 3, 14, "')'"},
    {"PTX a { x = 0 } P0 ;\n a ;\nexists (x ? 1)", 3, 11, "'='"},
    {"PTX a { x = 0 } P0 ;\n a ;\nexists (x = 1) more", 3, 16, "~exists"},
    {"PTX a { x = 0 } P0 ;\n a ;\nexists 1 = 2 /\\ 3", 3, 18, "'='"},
    {"PTX a { x = 0;\n P1:r3 = 1 } P0 ;\n a ;\nexists (x = 1)", 2, 2, "r3 of P1 has a value"},
    {"PTX a { x = 0 } P0@cta 0,gpu 0 ;\n ld r0, y ;\nexists (z = 1)", 3, 9, "no instruction accesses it"},
    {"PTX a no end\n} P0@cta 0,gpu 0 ;", 2, 19, "'{'"},
    {"PTX a { a=0; b=0; c=0; d=0; e=0; f=0; g=0; h=0 } P0@cta 0,gpu 0 ;\n ld r0, y ;", 2, 9, "8 locations"},
    {"PTX a { .shared x = 0 } P0 | P1 ;\n a | b ;\nexists (x = 1)", 1, 1, "shared memory"},
};

static void says_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct litmus t;
        struct atoll_error error;
        if (litmus_parse(&t, bad[i].text, strlen(bad[i].text), &error))
            fail_msg("accepted: %s", bad[i].text);
        if (error.line != bad[i].line || error.column != bad[i].column || !strstr(error.message, bad[i].message))
            fail_msg("%s\n%u:%u: %s", bad[i].text, error.line, error.column, error.message);
    }
}

static void says_what_does_not_fit_a_place(void **state)
{
    static const char *const texts[] = {"PTX a { .surface x = 0 } P0 ;\n st.u32 [x], 1 ;\nexists (true)",
                                        "PTX a { x = 0 } P0 ;\n suld.b.2d.b32.trap {r0}, [x] ;\nexists (true)"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct litmus t;
        struct atoll_error error;
        struct litmus_kernel kernel;
        assert_true(litmus_parse(&t, texts[i], strlen(texts[i]), &error));
        assert_false(litmus_emit(&t, &kernel, &error));
        assert_int_equal(error.line, 2);
        assert_non_null(strstr(error.message, "a surface"));
        litmus_free(&t);
    }
}

static void try(const char *text, size_t size)
{
    static struct litmus_allowed allowed;
    struct litmus_limits limits = {.unroll = 1, .candidates = 200, .seconds = 1};
    struct litmus t;
    struct atoll_error error;
    struct litmus_kernel kernel;
    char *copy = malloc(size + 1); /* exactly as large: sanitizers see what is read beyond */
    assert_non_null(copy);
    memcpy(copy, text, size);
    char *exact = realloc(copy, size ? size : 1);
    if (litmus_parse(&t, exact, size, &error)) {
        if (litmus_emit(&t, &kernel, &error))
            free(kernel.text);
        if (!litmus_allow(&t, LITMUS_MODEL_75, &limits, &allowed, &error))
            assert_true(error.message[0]);
        litmus_free(&t);
    } else {
        assert_true(error.line > 0 && error.column > 0 && error.message[0]);
    }
    free(exact);
}

/* The same in Dartagnan's dialect. */
static const char bare[] = "PTX SB \n\"two\nlines // here\"\n{ x = 0; rd1 = 2; s @ surface aliases x; P0:r9=1 };\n"
                           " P0@cta 0,gpu 0 | P1@cta 0,gpu 1 ;\n"
                           " st.weak x, 1 | LC00: ;\n"
                           " bar.cta.sync 1 | atom.acq_rel.sys.cas r2, rd1, 2, 3 ;\n"
                           " suld.weak r1, s | bne r2, 2, LC00 ;\n"
                           " add r1, r1, 4 | fence.proxy.alias ;\n"
                           "locations [x; 0:r1;]\nfilter (x != 7)\nexists (P0:r1 == 5 /\\ rd1 >= 3)\n";

static void reads_the_dialect(void **state)
{
    struct litmus t;
    struct atoll_error error;
    struct litmus_kernel kernel;
    (void)state;
    if (!litmus_parse(&t, bare, strlen(bare), &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    assert_true(t.bare);
    assert_string_equal(t.about, "two lines // here");
    assert_int_equal(t.nplaces, 3);
    assert_string_equal(t.places[1].name, "rd1");
    assert_int_equal(t.places[2].memory, 0);
    assert_int_equal(t.places[2].proxy, LITMUS_SURFACES);
    assert_int_equal(t.threads[1].block, 1); /* of another device */
    assert_int_equal(t.nobserved, 3);
    assert_int_equal(t.nconditions, 2);
    uint64_t values[LITMUS_OBSERVED] = {7};
    assert_false(litmus_passes(&t, values));
    assert_true(litmus_emit(&t, &kernel, &error));
    assert_non_null(strstr(kernel.text, "st.weak.global.u32 [%x_at], 1;\n"));
    assert_non_null(strstr(kernel.text, "suld.b.2d.b32.trap {%r1}, [%surface, {0, %row}];\n"));
    assert_non_null(strstr(kernel.text, "setp.ne.s32 %is, %r2, 2;\n@%is bra LC00;\n"));
    free(kernel.text);
    litmus_free(&t);
}

/* What only the dialect leaves open: locations without values, quotes, '%', threads that are not there. */
static const char loose[] = "PTX loose\n \"a \"b\" {\" c\"\n{ P0:%r1 = 3; P5:r1 = 4 }\n"
                            " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
                            " L: st.weak y, %r1 | red.relaxed.gpu.add z, 1 ;\n" /* (* no comment in a description *) */
                            " goto E | ld r2, 5 ; (* a comment *)\n"
                            " E: | ld.weak r64, q ;\n"
                            "forall 2 > 1 /\\ (3 = y \\/ ~(1 = 1))\n";

static void takes_the_dialect_loosely(void **state)
{
    struct litmus t;
    struct atoll_error error;
    uint64_t values[LITMUS_OBSERVED] = {3};
    (void)state;
    if (!litmus_parse(&t, loose, strlen(loose), &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    assert_string_equal(t.about, "a \"b\" {\" c");
    assert_int_equal(t.nplaces, 3);
    assert_string_equal(t.places[0].name, "y");
    assert_string_equal(t.places[1].name, "z");
    assert_string_equal(t.places[2].name, "q");
    assert_int_equal(t.places[1].initial, 0);
    assert_int_equal(t.nregisters, 2);
    assert_string_equal(t.registers[0].name, "r1");
    assert_int_equal(t.registers[1].line, 3);
    assert_int_equal(t.registers[1].column, 15);
    assert_int_equal(t.nobserved, 1);
    assert_true(litmus_holds(&t, t.conditions[0].root, values));
    values[0] = 2;
    assert_false(litmus_holds(&t, t.conditions[0].root, values));
    litmus_free(&t);
}

static void damage(const char *good_text, size_t size)
{
    static const char bytes[] = "{}()[]|;:=~/\\@\"*P0x9.- \n\t\xff";
    uint32_t random = 1;
    char text[1000];
    assert_true(size < sizeof text);
    for (size_t n = 0; n < size; n++)
        try(good_text, n);
    for (unsigned i = 0; i < 10000; i++) {
        memcpy(text, good_text, size);
        for (unsigned k = 0; k <= i % 4; k++) {
            random = random * 1664525 + 1013904223;
            text[(random >> 8) % size] = bytes[(random >> 24) % (sizeof bytes - 1)];
        }
        try(text, size);
    }
}

static void survives_damage(void **state)
{
    (void)state;
    damage(good, sizeof good - 1);
    damage(bare, sizeof bare - 1);
    damage(loose, sizeof loose - 1);
}

static void bounds_what_is_large(void **state)
{
    size_t size = LITMUS_SIZE - 100;
    char *text = malloc(LITMUS_SIZE + 2);
    struct litmus t;
    struct atoll_error error;
    (void)state;
    assert_non_null(text);
    for (unsigned kind = 0; kind < 4; kind++) {
        int head = sprintf(text, "PTX a { x = 0%s", kind < 2 ? " } P0 ;\n a ;\nexists (" : "; ");
        memset(text + head, "(~;("[kind], size - (size_t)head);
        assert_false(litmus_parse(&t, text, size, &error));
    }
    memset(text, ' ', LITMUS_SIZE + 1);
    assert_false(litmus_parse(&t, text, LITMUS_SIZE + 1, &error));
    assert_non_null(strstr(error.message, "65536 bytes"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_test),         cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(reads_the_dialect),    cmocka_unit_test(takes_the_dialect_loosely),
        cmocka_unit_test(survives_damage),      cmocka_unit_test(says_what_does_not_fit_a_place),
        cmocka_unit_test(bounds_what_is_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
