/* Several PTX files as one module: which declaration stands for a name, what stays apart, what is refused and where.
 * The verdicts are those of nvlink 13.0 on objects of ptxas -c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"
#include "base/text.h"

#define HEAD   ".version 7.8\n.target sm_75\n.address_size 64\n"
#define KERNEL ".visible .entry k(.param .u64 out) {\n.reg .b64 %d<9>; .reg .b32 %r<9>; ld.param.u64 %d1, [out];\n"
#define F_DECL ".extern .func (.param .b32 r) f(.param .b32 a);\n"
#define F_BODY(linkage, add)                                                                              \
    linkage " .func (.param .b32 r) f(.param .b32 a) {\n.reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 " \
            "%r1, %r1, " add "; st.param.b32 [r], %r1; ret; }\n"
#define F_CALL                                                                                          \
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], 1; call (y), f, (x); ld.param.u32 %r1, [y]; }\n" \
    "st.global.u32 [%d1], %r1;\n"

enum { FILES = 3, WORDS = 4 };

struct linked {
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_error error;
    struct text said; /* "file:line code" a line */
};

static void listen(void *user, const struct atoll_diagnostic *d)
{
    text_printf(user, "%s:%u %s\n", d->file, d->line, d->code);
}

static bool link_files(struct linked *l, const char *const *bodies)
{
    static const char *const names[FILES] = {"a.ptx", "b.ptx", "c.ptx"};
    struct atoll_source sources[FILES];
    struct text texts[FILES] = {{0}};
    unsigned count = 0;
    *l = (struct linked){.device = NULL};
    text_puts(&l->said, "");
    for (; count < FILES && bodies[count]; count++) {
        text_printf(&texts[count], HEAD "%s", bodies[count]);
        sources[count] = (struct atoll_source){texts[count].bytes, texts[count].length, names[count]};
    }
    struct atoll_module_options options = {.diagnose = listen, .user = &l->said};
    assert_true(atoll_device_create(NULL, &l->device, &l->error));
    bool ok = atoll_module_link(l->device, sources, count, &options, &l->module, &l->error);
    for (unsigned i = 0; i < count; i++)
        text_free(&texts[i]);
    return ok;
}

static void unlink_files(struct linked *l)
{
    atoll_module_destroy(l->module);
    atoll_device_destroy(l->device);
    text_free(&l->said);
}

static bool launch(struct linked *l, const char *name, uint32_t words[WORDS])
{
    struct atoll_kernel *kernel;
    uint64_t out;
    struct atoll_launch_options options = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    if (!atoll_module_kernel(l->module, name, &kernel, &l->error) ||
        !atoll_memory_alloc(l->device, WORDS * sizeof *words, &out, &l->error))
        fail_msg("%s", l->error.message);
    options.parameters = &out;
    options.parameter_bytes = sizeof out;
    options.dynamic_shared = 64;
    bool ok = atoll_launch(kernel, &options, NULL, NULL, &l->error);
    assert_true(atoll_memory_read(l->device, out, words, WORDS * sizeof *words, &(struct atoll_error){0}));
    return ok;
}

/* ---- what runs --------------------------------------------------------------------------------------------- */

#define LOAD(space, name) "ld." space ".u32 %r1, [" name "]; st.global.u32 [%d1], %r1;\n"

static const struct {
    const char *files[FILES + 1];
    uint32_t want;
} runs[] = {
    {{F_DECL KERNEL F_CALL "ret; }", F_BODY(".visible", "40")}, 41},
    {{F_BODY(".visible", "40"), F_DECL KERNEL F_CALL "ret; }"}, 41},
    {{".extern .global .u32 v;\n" KERNEL LOAD("global", "v") "ret; }", ".visible .global .u32 v = 7;"}, 7},
    {{".extern .const .u32 v;\n" KERNEL LOAD("const", "v") "ret; }", ".const .u32 z = 3; .visible .const .u32 v = 8;"},
     8},
    {{".extern .global .u32 v[];\n" KERNEL LOAD("global", "v+8") "ret; }", ".visible .global .u32 v[4] = {1, 2, 3};"},
     3},
    /* the one definition stands for weak ones, also in their own file */
    {{".weak .global .u32 v = 1;\n" KERNEL LOAD("global", "v") "ret; }", ".visible .global .u32 v = 9;"}, 9},
    {{".weak .global .u32 v = 1;\n" KERNEL LOAD("global", "v") "ret; }", ".weak .global .u32 v = 9;"}, 1},
    {{".weak .global .u32 v;\n" KERNEL LOAD("global", "v") "ret; }", ".weak .global .u32 v = 9;"}, 0},
    {{F_BODY(".weak", "10") KERNEL F_CALL "ret; }", F_BODY(".visible", "20")}, 21},
    {{F_BODY(".weak", "10") KERNEL F_CALL "ret; }", F_BODY(".weak", "20")}, 11},
    {{F_DECL KERNEL F_CALL "ret; }", F_BODY(".weak", "10"), F_BODY(".weak", "20")}, 11},
    /* .common: room for the largest */
    {{".common .global .u32 v;\n" KERNEL "mov.u64 %d2, v; st.global.u32 [%d2+4], 5; ld.global.u32 %r1, [%d2+4];\n"
      "st.global.u32 [%d1], %r1; ret; }",
      ".common .global .u64 v;"},
     5},
    {{".common .global .u32 v;\n" KERNEL LOAD("global", "v") "ret; }", ".visible .global .u32 v = 6;"}, 6},
    {{".common .global .u32 v;\n" KERNEL LOAD("global", "v") "ret; }", ".weak .global .u32 v = 6;"}, 6},
    /* names that nobody else can see */
    {{".global .u32 v = 4;\n" KERNEL LOAD("global", "v") "ret; }", ".global .u32 v = 5;"}, 4},
    {{".global .u32 v = 4;\n" KERNEL LOAD("global", "v") "ret; }", ".visible .global .u32 v = 5;"}, 4},
    {{F_BODY("", "1") KERNEL F_CALL "ret; }", F_BODY("", "2"), F_BODY(".visible", "3")}, 2},
    /* addresses that other files keep */
    {{".extern .global .u64 p;\n" KERNEL "ld.global.u64 %d2, [p]; ld.global.u32 %r1, [%d2]; st.global.u32 [%d1], %r1;\n"
      "ret; }",
      ".extern .global .u32 v;\n.visible .global .u64 p = v;", ".visible .global .u32 v = 11;"},
     11},
    {{".extern .global .u64 p;\n" KERNEL
      "ld.global.u64 %d2, [p]; { .param .b32 x; .param .b32 y; st.param.b32 [x], 1;\n"
      "P: .callprototype (.param .b32 r) _ (.param .b32 a); call (y), %d2, (x), P; ld.param.u32 %r1, [y]; }\n"
      "st.global.u32 [%d1], %r1; ret; }",
      F_DECL ".visible .global .u64 p = f;", F_BODY(".visible", "30")},
     31},
    /* shared memory of a name; dynamic arrays begin at one place, a sized one stands for an array without size */
    {{".extern .shared .u32 s;\n.extern .func g();\n" KERNEL
      "call g; ld.shared.u32 %r1, [s]; st.global.u32 [%d1], %r1;\n"
      "ret; }",
      ".visible .shared .u32 s;\n.visible .func g() { st.shared.u32 [s], 12; ret; }"},
     12},
    {{".extern .shared .align 4 .b8 s[];\n.extern .func g();\n" KERNEL
      "call g; ld.shared.u32 %r1, [s+4]; st.global.u32 [%d1], %r1; ret; }",
      ".extern .shared .align 16 .b8 t[];\n.visible .func g() { st.shared.u32 [t+4], 13; ret; }"},
     13},
    {{".extern .shared .align 4 .b8 s[];\n.extern .func g();\n" KERNEL
      "call g; ld.shared.u32 %r1, [s+4]; st.global.u32 [%d1], %r1; ret; }",
      ".visible .shared .align 4 .b8 s[8];\n.visible .func g() { st.shared.u32 [s+4], 14; ret; }"},
     14},
    /* what no kernel gets to may be missing; what the host has is not missing */
    {{F_DECL KERNEL "st.global.u32 [%d1], 15; ret; }", ".extern .func h();\n.visible .func g() { call h; ret; }"}, 15},
    {{".extern .func (.param .b64 r) malloc(.param .b64 n);\n" KERNEL
      "{ .param .b64 x; .param .b64 y; st.param.b64 [x], 8; call (y), malloc, (x); ld.param.u64 %d2, [y]; }\n"
      "st.global.u32 [%d2], 16; ld.global.u32 %r1, [%d2]; st.global.u32 [%d1], %r1; ret; }",
      ".global .u32 unused;"},
     16},
};

static void joined(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct linked l;
        uint32_t words[WORDS];
        if (!link_files(&l, runs[i].files))
            fail_msg("case %u: %s", i, l.error.message);
        if (!launch(&l, "k", words))
            fail_msg("case %u: %s", i, l.error.message);
        if (words[0] != runs[i].want)
            fail_msg("case %u: %u, not %u", i, words[0], runs[i].want);
        unlink_files(&l);
    }
}

/* Two weak functions of one name: the file of the second calls the first one too. */
static void one_of_each(void **state)
{
    (void)state;
    struct linked l;
    uint32_t words[WORDS];
    const char *const files[FILES + 1] = {
        F_BODY(".weak", "10") KERNEL F_CALL "ret; }",
        F_BODY(".weak", "20") ".visible .entry k2(.param .u64 out) {\n.reg .b64 %d<9>; .reg .b32 %r<9>;\n"
                              "ld.param.u64 %d1, [out];\n" F_CALL "ret; }"};
    assert_true(link_files(&l, files));
    assert_true(launch(&l, "k", words) && words[0] == 11);
    assert_true(launch(&l, "k2", words) && words[0] == 11);
    assert_non_null(atoll_module_kernel_at(l.module, 1));
    assert_null(atoll_module_kernel_at(l.module, 2));
    unlink_files(&l);
}

/* A variable's address is one in all files: also for the host. */
static void variable_of_the_host(void **state)
{
    (void)state;
    struct linked l;
    uint32_t words[WORDS], value = 77;
    uint64_t address, size;
    const char *const files[FILES + 1] = {".extern .global .u32 v;\n" KERNEL LOAD("global", "v") "ret; }",
                                          ".visible .global .u32 v = 1;"};
    assert_true(link_files(&l, files));
    assert_true(atoll_module_variable(l.module, "v", &address, &size, &l.error));
    assert_int_equal(size, 4);
    assert_true(atoll_memory_write(l.device, address, &value, sizeof value, &l.error));
    assert_true(launch(&l, "k", words));
    assert_int_equal(words[0], 77);
    unlink_files(&l);
}

/* ---- what is refused ----------------------------------------------------------------------------------------- */

static const struct {
    const char *files[FILES + 1], *said;
} refused[] = {
    {{".extern .global .u32 v;\n" KERNEL LOAD("global", "v") "ret; }", ".global .u32 v = 1;"},
     "a.ptx:4 link-undefined\n"},
    {{".extern .global .u32 v;", ".extern .global .u32 v;"}, "a.ptx:4 link-undefined\n"},
    {{"\n\n.visible .global .u32 v = 1;", "\n.visible .global .u32 v;"}, "b.ptx:5 link-duplicate\n"},
    {{F_BODY(".visible", "1"), F_BODY(".visible", "2")}, "b.ptx:4 link-duplicate\n"},
    {{KERNEL "ret; }", KERNEL "ret; }"}, "b.ptx:4 link-duplicate\n"},
    {{F_DECL KERNEL "\n\n" F_CALL "ret; }", F_BODY("", "1")}, "a.ptx:9 link-undefined\n"},
    {{F_DECL ".visible .global .u64 p = f;", ".global .u32 v;"}, "a.ptx:5 link-undefined\n"},
    {{".extern .global .u64 v;", ".visible .global .u32 v;"}, "b.ptx:4 link-mismatch\n"},
    {{".weak .global .u32 v;", ".weak .global .u64 v;"}, "b.ptx:4 link-mismatch\n"},
    {{".extern .const .u32 v;", ".visible .global .u32 v;"}, "b.ptx:4 link-mismatch\n"},
    {{".extern .global .texref v;", ".visible .global .u64 v;"}, "b.ptx:4 link-mismatch\n"},
    {{".extern .global .attribute(.managed) .u32 v;", ".visible .global .u32 v;"}, "b.ptx:4 link-mismatch\n"},
    {{".common .global .u64 v;", ".visible .global .u32 v;"}, "b.ptx:4 link-mismatch\n"},
    {{".visible .global .u32 v;", ".common .global .u64 v;"}, "b.ptx:4 link-mismatch\n"},
    {{".extern .func f(.param .b32 a);", F_BODY(".visible", "1")}, "b.ptx:4 link-mismatch\n"},
    {{".extern .func (.param .b32 r) f(.param .f32 a);", F_BODY(".visible", "1")}, "b.ptx:4 link-mismatch\n"},
    {{".extern .func (.param .b32 r) f(.param .b64 a);", F_BODY(".visible", "1")}, "b.ptx:4 link-mismatch\n"},
    {{".visible .global .u32 f;", F_BODY(".visible", "1")}, "b.ptx:4 link-mismatch\n"},
    {{".extern .func k();", KERNEL "ret; }"}, "b.ptx:4 link-mismatch\n"},
    /* mistakes of each file for itself come first */
    {{"\n.global .u33 v;", "\n\nnonsense"}, NULL},
};

static void refusals(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct linked l;
        if (link_files(&l, refused[i].files))
            fail_msg("case %u is linked", i);
        assert_int_equal(l.error.status, ATOLL_INVALID);
        assert_null(l.module);
        if (refused[i].said && strcmp(l.said.bytes, refused[i].said) != 0)
            fail_msg("case %u: %s(%s)", i, l.said.bytes, l.error.message);
        if (!refused[i].said)
            assert_true(strstr(l.said.bytes, "a.ptx:5 ") && strstr(l.said.bytes, "b.ptx:6 "));
        unlink_files(&l);
    }
}

/* The error says the file, and where the other one is. */
static void error_names_both(void **state)
{
    (void)state;
    struct linked l;
    const char *const files[FILES + 1] = {"\n\n.visible .global .u32 v = 1;", "\n.visible .global .u32 v;"};
    assert_false(link_files(&l, files));
    assert_string_equal(l.error.message, "b.ptx:5:23: 'v' is defined in a.ptx:6");
    assert_int_equal(l.error.line, 5);
    unlink_files(&l);
}

static void traps_name_the_file(void **state)
{
    (void)state;
    struct linked l;
    uint32_t words[WORDS];
    const char *const files[FILES + 1] = {".extern .func g();\n" KERNEL "call g; ret; }",
                                          "\n\n.visible .func g() {\ntrap; ret; }"};
    assert_true(link_files(&l, files));
    assert_false(launch(&l, "k", words));
    assert_int_equal(l.error.status, ATOLL_TRAP);
    assert_non_null(strstr(l.error.message, "b.ptx:7"));
    unlink_files(&l);
}

/* Kernels that no other file can see may have one name; then the name says nothing. */
static void kernels_of_one_name(void **state)
{
    (void)state;
    struct linked l;
    struct atoll_kernel *kernel;
    const char *const files[FILES + 1] = {".entry k() { ret; }", ".entry k() { ret; }"};
    assert_true(link_files(&l, files));
    assert_false(atoll_module_kernel(l.module, "k", &kernel, &l.error));
    assert_non_null(strstr(l.error.message, "2 kernels"));
    assert_non_null(atoll_module_kernel_at(l.module, 1));
    unlink_files(&l);
}

static void texts_of_all(void **state)
{
    (void)state;
    struct linked l;
    const char *const files[FILES + 1] = {F_DECL KERNEL F_CALL "ret; }", F_BODY(".visible", "40")};
    static const struct {
        enum atoll_text what;
        const char *a, *b;
    } wanted[] = {{ATOLL_TEXT_CANONICAL, "// a.ptx", "// b.ptx"},
                  {ATOLL_TEXT_INSN, "// a.ptx", "// b.ptx"},
                  {ATOLL_TEXT_INFO, "module a.ptx: PTX 7.8", "module b.ptx: PTX 7.8"},
                  {ATOLL_TEXT_INFO_JSON, "\"files\":[\"a.ptx\",\"b.ptx\"]", "\"name\":\"k\""},
                  {ATOLL_TEXT_LANES, "file \"a.ptx\"", "file \"b.ptx\""}};
    assert_true(link_files(&l, files));
    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char *text;
        size_t size;
        assert_true(atoll_module_text(l.module, wanted[i].what, &text, &size, &l.error));
        assert_true(strstr(text, wanted[i].a) && strstr(text, wanted[i].b));
        atoll_text_free(text);
    }
    unlink_files(&l);
}

static void wrong_calls(void **state)
{
    (void)state;
    struct atoll_error error;
    struct atoll_module *module = NULL;
    struct atoll_source sources[2] = {{HEAD, sizeof HEAD - 1, "a.ptx"}, {"MOV R0, R1;\n", 12, "b.sass"}};
    assert_false(atoll_module_link(NULL, sources, 0, NULL, &module, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    assert_false(atoll_module_link(NULL, NULL, 1, NULL, &module, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    assert_false(atoll_module_link(NULL, sources, 2, NULL, &module, &error));
    assert_int_equal(error.status, ATOLL_INPUT);
    assert_non_null(strstr(error.message, "a.ptx is PTX, b.sass is machine code"));
    sources[1] = (struct atoll_source){".version 7.8\n.target sm_75\n.address_size 32\n", 43, "b.ptx"};
    assert_false(atoll_module_link(NULL, sources, 2, NULL, &module, &error));
    assert_non_null(strstr(error.message, "32 bits"));
    assert_null(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined),
        cmocka_unit_test(one_of_each),
        cmocka_unit_test(variable_of_the_host),
        cmocka_unit_test(refusals),
        cmocka_unit_test(error_names_both),
        cmocka_unit_test(traps_name_the_file),
        cmocka_unit_test(kernels_of_one_name),
        cmocka_unit_test(texts_of_all),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
