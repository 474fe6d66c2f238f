/* Jumps, calls and tokens of Maxwell whose target is in a constant bank, LDC across banks, run from text: a block
 * of 32 threads, each of which leaves one word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

enum { THREADS = 32 };

/* R4 = thread; what is in R6 at .L_store is the thread's word. Parameters: the words, then 8 bytes for the test. */
#define BEFORE ".kernel k\n.param 8, 8\nS2R R4, SR_TID.X;\nMOV R6, RZ;\n"
#define AFTER  "\n.L_store:\nISCADD R2, R4, c[0x0][0x140], 0x2;\nMOV R3, c[0x0][0x144];\nSTG.E [R2], R6;\nEXIT;\n"

static bool run(const char *code, const char *data, uint64_t parameter, uint32_t words[THREADS],
                struct atoll_error *error)
{
    char text[4000];
    struct atoll_device *device = NULL;
    struct atoll_module *module = NULL;
    struct atoll_kernel *kernel = NULL;
    uint64_t parameters[2] = {0, parameter};
    snprintf(text, sizeof text, BEFORE "%s" AFTER "%s", code, data);
    assert_true(atoll_device_create(NULL, &device, error));
    if (!atoll_module_load(device, text, strlen(text), NULL, &module, error))
        fail_msg("%u: %s", error->line, error->message);
    assert_true(atoll_module_kernel(module, "k", &kernel, error));
    assert_true(atoll_memory_alloc(device, THREADS * sizeof *words, &parameters[0], error));
    struct atoll_launch_options launch = {
        .block = {THREADS, 1, 1}, .parameters = parameters, .parameter_bytes = sizeof parameters};
    bool ok = atoll_launch(kernel, &launch, NULL, NULL, error) &&
              atoll_memory_read(device, parameters[0], words, THREADS * sizeof *words, error);
    atoll_module_destroy(module);
    atoll_device_destroy(device);
    return ok;
}

static void expect(const char *code, const char *data, uint64_t parameter, const uint32_t want[4])
{
    uint32_t words[THREADS];
    struct atoll_error error = {0};
    if (!run(code, data, parameter, words, &error))
        fail_msg("%s: %s", code, error.message);
    for (unsigned i = 0; i < THREADS; i++)
        if (words[i] != want[i % 4])
            fail_msg("%s: thread %u: %x, not %x", code, i, words[i], want[i % 4]);
}

/* Words of a table count from the instruction after BRX (at 0x50); the place of SSY is after them. */
static void tables(void **state)
{
    (void)state;
    expect("LOP32I.AND R5, R4, 0x3; SHL R5, R5, 0x2; SSY c[0x2][0x10]; NOP; BRX c[0x2][R5];\n"
           /* 0x50 */ "IADD R6, R6, 0x1; SYNC; NOP;\n"
           /* 0x70 */ "IADD R6, R6, 0x2; SYNC; NOP;\n"
           /* 0x90 */ "IADD R6, R6, 0x3; SYNC; NOP;\n"
           /* 0xb0 */ "IADD R6, R6, 0x100;",
           ".section .nv.constant2.k, \"a\", @progbits\n.word 0x0, 0x20, 0x40, 0x0, 0x78\n", 0,
           (const uint32_t[]){0x101, 0x102, 0x103, 0x101});
}

/* The same constants as parameters: the code tells nothing of where it goes. */
static void parameters(void **state)
{
    static const uint32_t one[] = {1, 1, 1, 1};
    (void)state;
    expect(/* 0x18 */ "BRA c[0x0][0x148]; MOV32I R6, 0x7; BRA `(.L_store);\n" /* 0x38 */ "NOP; MOV32I R6, 0x1;", "",
           0x18, one);
    expect(/* 0x18 */ "CAL c[0x0][0x148]; NOP; NOP; BRA `(.L_store);\n" /* 0x48 */ "IADD R6, R6, 0x1; RET;", "", 0x28,
           one);
    expect(/* 0x18 */ "PBK c[0x0][0x148]; LOP32I.AND R5, R4, 0x1; ISETP.NE.AND P0, PT, R5, RZ, PT;\n"
                      /* 0x38 */ "@P0 BRK; NOP; BRK;\n" /* 0x58 */ "IADD R6, R6, 0x1;",
           "", 0x38, one);
    expect(/* 0x18 */ "PRET c[0x0][0x148]; RET; NOP;\n" /* 0x38 */ "NOP; NOP; IADD R6, R6, 0x1;", "", 0x18, one);
}

/* BRA.U goes with all threads or with none: those of `@P SYNC` meet the others at the target. */
static void uniform(void **state)
{
    static const char code[] = "MOV R7, RZ; LOP32I.AND R5, R4, 0x1; ISETP.%s.AND P0, PT, R5, %s, PT;\n"
                               "@P0 BRA.U `(.L_join); SSY `(.L_join); @P0 SYNC; MOV32I R7, 0x10; SYNC;\n"
                               ".L_join:\nVOTE.ANY R6, PT, PT; IADD R6, R6, R7;";
    static const struct {
        const char *test, *with;
        uint32_t want[4];
    } cases[] = {{"LT", "0x2", {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}}, /* all go */
                 {"GT", "0x2", {0xf, 0xf, 0xf, 0xf}},                             /* none */
                 {"EQ", "RZ", {UINT32_MAX, 0xf, UINT32_MAX, 0xf}}};               /* some would: none */
    char text[600];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, code, cases[i].test, cases[i].with);
        expect(text, "", 0, cases[i].want);
    }
}

/* Functions by their addresses in a table: JCAL and JMX, which count from nothing. */
static void addresses(void **state)
{
    static const char data[] = ".section .text.f, \"ax\", @progbits\n.type f, @function\n.global f\n"
                               "f:\nIADD R6, R6, 0x10;\nRET;\n"
                               ".section .text.g, \"ax\", @progbits\n.type g, @function\n.global g\n"
                               "g:\nIADD R6, R6, 0x20;\nRET;\n"
                               ".section .nv.constant2.k, \"a\", @progbits\n.word 0x0, 0x0\n"
                               ".section .rel.nv.constant2.k, \"\", @rel\n"
                               ".reloc 0x0, R_CUDA_32, f\n.reloc 0x4, R_CUDA_32, g\n";
    (void)state;
    expect("JCAL c[0x2][0x0]; JCAL c[0x2][0x4];", data, 0, (const uint32_t[]){0x30, 0x30, 0x30, 0x30});
    expect("LOP32I.AND R5, R4, 0x1; SHL R5, R5, 0x2; PRET `(.L_store); JMX c[0x2][R5];", data, 0,
           (const uint32_t[]){0x10, 0x20, 0x10, 0x20});
}

/* Functions that are not in the file, by their addresses in a bank, as ptxas 12 does it: the host's own run (malloc:
 * size in R4, R5, address in R4, R5), others are an error where they are called. */
static void elsewhere(void **state)
{
    static const char data[] = ".section .nv.constant4, \"a\", @progbits\n.word 0x0, 0x0\n"
                               ".section .rel.nv.constant4, \"\", @rel\n"
                               ".reloc 0x0, R_CUDA_32, nobody\n.reloc 0x4, R_CUDA_32, malloc\n"
                               ".type nobody, @function\n.global nobody\n.type malloc, @function\n.global malloc\n";
    uint32_t words[THREADS];
    struct atoll_error error = {0};
    (void)state;
    expect("MOV R10, R4; MOV32I R4, 0x10; MOV R5, RZ; MOV R8, c[0x4][0x4]; PRET `(.L_back); JMX R8 0x0; NOP;\n"
           ".L_back:\nLOP.OR R4, R4, R5; ISETP.NE.AND P0, PT, R4, RZ, PT; @P0 MOV32I R6, 0x1; MOV R4, R10;",
           data, 0, (const uint32_t[]){1, 1, 1, 1});
    assert_false(run("PRET `(.L_store); JMX c[0x4][0x0];", data, 0, words, &error));
    assert_int_equal(error.status, ATOLL_UNSUPPORTED);
    assert_non_null(strstr(error.message, "a call of 'nobody', which is defined nowhere"));
}

static void nowhere(void **state)
{
    uint32_t words[THREADS];
    struct atoll_error error = {0};
    (void)state;
    assert_false(run("BRA c[0x0][0x148];", "", 4, words, &error));
    assert_non_null(strstr(error.message, "BRA c[0x0][0x148] (bad-branch)"));
    assert_false(run("BRA c[0x2][0x8];", ".section .nv.constant2.k, \"a\", @progbits\n.word 0x8\n", 0, words, &error));
    assert_non_null(strstr(error.message, "past the bank's end"));
}

/* Threads 0 and 1 read bank 2, the others bank 3. */
static void banks(void **state)
{
    static const char data[] = ".section .nv.constant2.k, \"a\", @progbits\n.word 0x11, 0x22, 0x33, 0x44\n"
                               ".section .nv.constant3, \"a\", @progbits\n.word 0x55, 0x66, 0x77, 0x88\n";
    static const uint32_t want[] = {0x22, 0x33, 0x66, 0x77};
    uint32_t words[THREADS];
    struct atoll_error error = {0};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        static const char *const modes[] = {".IS", ".IL", ".ISL"};
        char code[300];
        snprintf(code, sizeof code,
                 "LOP32I.AND R5, R4, 0x3; SHR.U32 R7, R5, 0x1; LOP32I.AND R5, R5, 0x1; SHL R7, R7, 0x10;"
                 "ISCADD R5, R5, R7, 0x2; LDC%s R6, c[0x2][R5+0x4];",
                 modes[i]);
        expect(code, data, 0, want);
    }
    /* Past 64 KiB: .IL comes to the next bank, .IS stays. */
    expect("MOV32I R5, 0xfffc; LDC.IL R6, c[0x2][R5+0x8];", data, 0, (const uint32_t[]){0x66, 0x66, 0x66, 0x66});
    assert_false(run("MOV32I R5, 0x50000; LDC.IS R6, c[0x2][R5];", data, 0, words, &error));
    assert_non_null(strstr(error.message, "LDC.IS from a bank that is not there"));
}

/* A module of several sections: a table that is padded, a function called by its name, a descriptor in data. */
static void sections(void **state)
{
    (void)state;
    expect("LOP32I.AND R5, R4, 0x3; SHL R5, R5, 0x2; SSY c[0x2][0x10]; NOP; BRX c[0x2][R5];\n"
           /* 0x50 */ "IADD R6, R6, 0x1; SYNC; NOP;\n"
           /* 0x70 */ "IADD R6, R6, 0x2; SYNC; NOP;\n"
           /* 0x90 */ "IADD R6, R6, 0x3; SYNC; NOP;\n"
           /* 0xb0 */ "IADD R6, R6, 0x100; JCAL `(f);",
           ".section .nv.constant2.k, \"a\", @progbits\n.word 0x0, 0x20, 0x40, 0x0, 0x78\n.zero 12\n"
           ".section .nv.global.init, \"aw\", @progbits\n.align 8\n.dword fun@R_CUDA_FUNC_DESC_64(k)\n"
           ".section .text.f, \"ax\", @progbits\n.align 32\n.global f\n.type f, @function\nf:\n"
           "IADD R6, R6, 0x1000;\nRET;\n",
           0, (const uint32_t[]){0x1101, 0x1102, 0x1103, 0x1101});
}

/* What the information about a module says, which need not run. */
static void expect_info(const char *code, const char *wanted, const char *unwanted)
{
    struct atoll_error error = {0};
    struct atoll_device *device = NULL;
    struct atoll_module *module = NULL;
    char *info = NULL;
    size_t size;
    assert_true(atoll_device_create(NULL, &device, &error));
    if (!atoll_module_load(device, code, strlen(code), NULL, &module, &error) ||
        !atoll_module_text(module, ATOLL_TEXT_INFO, &info, &size, &error))
        fail_msg("%u: %s", error.line, error.message);
    if ((wanted && !strstr(info, wanted)) || (unwanted && strstr(info, unwanted)))
        fail_msg("%s", info);
    atoll_text_free(info);
    atoll_module_destroy(module);
    atoll_device_destroy(device);
}

/* Jumps whose targets are not known do not go to padding, and not to functions that are only called or debugged. */
static void unknown_targets(void **state)
{
    (void)state;
    static const char other[] = ".section .text.f,\"ax\",@progbits\n.align 32\n.global f\n.type f,@function\nf:\n"
                                "MOV R0, c[0x5][0x0];\nRET;\n";
    char code[2000];
    const char *jump = ".kernel k\n.param 8\nLDG.E R0, [R2];\nBRX R0;\nMOV R0, RZ;\nEXIT;\nNOP;\n";
    const char *straight = ".kernel k\n.param 8\nLDG.E R0, [R2];\nMOV R0, RZ;\nNOP;\n";
    expect_info(jump, "kernel k", "cannot run");
    expect_info(straight, "code that runs past its end", NULL);
    snprintf(code, sizeof code, "%s.kernel j\nJCAL `(f);\nEXIT;\n%s", jump, other);
    expect_info(code, "cannot run: /*0008*/: not supported: c[0x5][0x0]", NULL); /* of j */
    snprintf(code, sizeof code, "%s%s.section .debug_info,\"\",@progbits\n.dword f\n", jump, other);
    expect_info(code, "kernel k", "cannot run");
    snprintf(code, sizeof code, "%s%s.section .nv.global.init,\"aw\",@progbits\n.dword f\n", jump, other);
    expect_info(code, "cannot run: /*0008*/: not supported: c[0x5][0x0]", NULL);
}

/* A kernel's descriptor is its address (a choice), in data and in instructions. */
static void descriptors(void **state)
{
    (void)state;
    expect_info(".section .nv.global.init,\"aw\",@progbits\n.align 8\n.dword fun@R_CUDA_FUNC_DESC_64(k)\n"
                ".kernel k\nEXIT;\n",
                "kernel k", "cannot run");
    expect_info(
        ".kernel k\nMOV32I R0, 32@lo(fun@fdesc(k));\nMOV32I R0, 32@hi(fun@fdesc(k));\nEXIT;\n.kernel j\nEXIT;\n",
        "kernel k", "cannot run");
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(tables),    cmocka_unit_test(uniform),         cmocka_unit_test(parameters),
        cmocka_unit_test(addresses), cmocka_unit_test(nowhere),         cmocka_unit_test(elsewhere),
        cmocka_unit_test(banks),     cmocka_unit_test(unknown_targets), cmocka_unit_test(descriptors),
        cmocka_unit_test(sections),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
