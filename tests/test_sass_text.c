/* The text form of Maxwell modules: listings are read back to the byte; control bits that are not written are chosen
 * without hazards; mistakes are named with their place. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

#include "base/text.h"
#include "cubins.h"
#include "isa/sass/cubin.h"

static char *list(const char *name, const struct blob *blob, bool control, bool hex, size_t *length)
{
    struct atoll_listing_options options = {.control = control, .hex = hex};
    struct atoll_error error = {0};
    char *text;
    if (!atoll_disassemble(blob->bytes, blob->size, &options, &text, length, &error))
        fail_msg("%s: %s", name, error.message);
    return text;
}

static void loss_free(void *context, const char *name, const struct blob *blob)
{
    (void)context;
    for (int hex = 0; hex < 2; hex++) {
        size_t length;
        char *text = list(name, blob, true, hex, &length);
        struct blob again = cubin_assemble(name, text, length);
        if (again.size != blob->size || memcmp(again.bytes, blob->bytes, blob->size) != 0)
            fail_msg("%s: comes back changed", name);
        atoll_text_free(text);
        free(again.bytes);
    }
}

static void test_loss_free(void **state)
{
    (void)state;
    cubin_each(loss_free, NULL);
}

static unsigned hazards(const char *name, const void *bytes, size_t size)
{
    struct atoll_error error = {0};
    char *report;
    size_t length;
    unsigned count;
    if (!atoll_hazards(bytes, size, &report, &length, &count, &error))
        fail_msg("%s:%u:%u: %s", name, error.line, error.column, error.message);
    if (count)
        printf("%s:\n%s", name, report);
    atoll_text_free(report);
    return count;
}

/* What ptxas scheduled has no hazards, and neither has what we schedule ourselves; the instructions stay. */
static void scheduled(void *context, const char *name, const struct blob *blob)
{
    (void)context;
    size_t length;
    struct sass_module before, after;
    struct atoll_error error = {0};
    assert_int_equal(hazards(name, blob->bytes, blob->size), 0);
    char *text = list(name, blob, false, false, &length);
    struct blob again = cubin_assemble(name, text, length);
    assert_int_equal(hazards(name, again.bytes, again.size), 0);
    assert_true(sass_read(blob->bytes, blob->size, &before, &error));
    assert_true(sass_read(again.bytes, again.size, &after, &error));
    assert_int_equal(before.nsections, after.nsections);
    for (uint32_t i = 1; i < before.nsections; i++) {
        const struct sass_section *s = &before.sections[i], *t = &after.sections[i];
        assert_int_equal(s->size, t->size);
        bool code = s->type == SASS_PROGBITS && s->flags & SASS_EXECUTE;
        for (uint64_t at = 0; s->bytes && at + 8 <= s->size; at += 8)
            if (!code || at % SASS_BUNDLE)
                assert_true(bytes_u64(s->bytes + at) == bytes_u64(t->bytes + at));
    }
    sass_free(&before);
    sass_free(&after);
    atoll_text_free(text);
    free(again.bytes);
}

static void test_schedule(void **state)
{
    (void)state;
    cubin_each(scheduled, NULL);
}

static void hazard_expect(const char *text, const char *wanted)
{
    struct atoll_error error = {0};
    char *report;
    size_t length;
    unsigned count;
    if (!atoll_hazards(text, strlen(text), &report, &length, &count, &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    if (!wanted)
        assert_string_equal(report, "");
    else if (!strstr(report, wanted))
        fail_msg("wanted '%s' in:\n%s", wanted, report);
    atoll_text_free(report);
}

static void test_hazards(void **state)
{
    (void)state;
    hazard_expect("MOV R0, RZ ?W6;\nIADD R1, R0, R0 ?W6;\nEXIT ?W15;\n", NULL);
    hazard_expect("MOV R0, RZ ?W5;\nIADD R1, R0, R0 ?W6;\nEXIT ?W15;\n",
                  "R0 is ready 1 cycles later (written at 0x0008)");
    hazard_expect("ISETP.EQ.AND P0, PT, RZ, RZ, PT ?W12;\n@P0 EXIT ?W15;\n", "P0 is ready 1 cycles later");
    hazard_expect("S2R R0, SR_TID.X &wr=0 ?W15;\nIADD R1, R0, R0 ?W6;\nEXIT ?W15;\n",
                  "R0 is read before its result: scoreboard 0 is not waited for");
    hazard_expect("S2R R0, SR_TID.X &wr=0 ?W15;\nIADD R1, R0, R0 &req={0} ?W6;\nEXIT ?W15;\n", NULL);
    hazard_expect("LDG.E R0, [R2] ?W15;\nIADD R1, R0, R0 ?W6;\nEXIT ?W15;\n", "pending without a scoreboard");
    hazard_expect("STG.E [R2], R0 &rd=3 ?W15;\nMOV R0, RZ ?W6;\nEXIT ?W15;\n", "overwritten before it has been read");
    /* into registers that several instructions write, by lanes */
    hazard_expect("ISETP.NE.AND P1, PT, R4, 0x2, PT ?W13;\n@P1 MOV R4, c[0x0][0x140] ?W1;\n"
                  "@!P1 MOV R4, c[0x0][0x140] ?W5;\n@P1 IADD R4, R4, 0x1 ?W6;\nEXIT ?W13;\n",
                  NULL);
    hazard_expect("@P1 MOV R4, RZ ?W1;\n@!P1 MOV R4, RZ ?W4;\n@P1 IADD R4, R4, 0x1 ?W6;\nEXIT ?W13;\n",
                  "R4 is ready 1 cycles later (written at 0x0008)");
    hazard_expect("@P1 MOV R4, RZ ?W1;\nISETP.NE.AND P1, PT, R6, 0x2, PT ?W1;\n@!P1 IADD R4, R4, 0x1 ?W6;\n",
                  "R4 is ready 4 cycles later (written at 0x0008)"); /* P1 is another one now */
    hazard_expect("@P1 LDG.E R4, [R2] &wr=5 ?W1;\n@!P1 IADD R4, R4, 0x1 ?W6;\nEXIT &req={5} ?W13;\n", NULL);
    hazard_expect("@P1 LDG.E R4, [R2] &wr=5 ?W1;\n@P2 IADD R4, R4, 0x1 ?W6;\nEXIT &req={5} ?W13;\n",
                  "R4 is read before its result: scoreboard 5");
    hazard_expect("@P1 LDG.E R4, [R2] &wr=5 ?W1;\n@P1 EXIT ?W13;\nIADD R4, R4, 0x1 ?W6;\nEXIT ?W13;\n", NULL);
    hazard_expect("MOV R4, RZ ?W1;\n@P1 LDG.E R4, [R2] &wr=5 ?W2;\nIADD R4, R4, 0x1 &req={5} ?W6;\nEXIT ?W13;\n", NULL);
    hazard_expect("MOV R4, RZ ?W1;\n@P1 LDG.E R4, [R2] &wr=5 ?W2;\n@!P1 IADD R4, R4, 0x1 ?W6;\nEXIT ?W13;\n",
                  "R4 is ready 3 cycles later (written at 0x0008)");
    /* in the order of a unit */
    hazard_expect("LDG.E.U8 R6, [R2] &wr=5 ?W1;\nLDG.E.U8 R6, [R2+0x1] &wr=5 ?W2;\n"
                  "I2F.F32.U16 R6, R6 &req={5} &wr=0 ?W2;\nEXIT &req={0} ?W13;\n",
                  NULL);
    hazard_expect("DADD R6, R2, R2 &wr=4 ?W1;\nLDG.E.U8 R6, [R2+0x1] &wr=5 ?W2;\nEXIT ?W13;\n",
                  "R6 is overwritten before its result: scoreboard 4");
    /* a mask of predicates */
    /* P3 is false where P1 is: the load is not on its way where the branch goes. */
    static const char before[] = "%s ?W13;\n%s@P3 LDG.E R4, [R2] &wr=2 ?W2;\n@!P1 BRA `(a) ?W5;\n"
                                 "MOV R5, RZ &req={2} ?W1;\na: %s ?W6;\nEXIT &req={2} ?W13;\n";
    static const struct {
        const char *clear, *then, *use, *wanted;
    } known[] = {
        {"@!P1 R2P PR, RZ, 0x78", "", "MOV R4, RZ", NULL},
        {"@!P1 R2P PR, RZ, 0x78", "@P1 R2P PR, R8, 0x78 ?W13;\n", "MOV R4, RZ", NULL},
        {"@!P1 R2P PR, RZ, 0x78", "R2P PR, R8, 0x78 ?W13;\n", "MOV R4, RZ", "R4 is overwritten before"},
        {"@!P1 R2P PR, RZ, 0x78", "ISETP.NE.AND P1, PT, R9, RZ, PT ?W13;\n", "MOV R4, RZ", "R4 is overwritten before"},
        {"@P1 R2P PR, RZ, 0x78", "", "MOV R4, RZ", "R4 is overwritten before"},
        {"@!P1 R2P PR, RZ, 0x70", "", "MOV R4, RZ", "R4 is overwritten before"},
        {"@!P1 R2P PR, RZ, R9", "", "MOV R4, RZ", "R4 is overwritten before"},
        {"@!P1 R2P PR, R8, 0x78", "", "MOV R4, RZ", "R4 is overwritten before"},
        {"@!P2 R2P PR, RZ, 0x78", "", "MOV R4, RZ", "R4 is overwritten before"},
        {"@!P1 R2P PR, RZ, 0x7a", "", "MOV R4, RZ", NULL},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, before, known[i].clear, known[i].then, known[i].use);
        hazard_expect(text, known[i].wanted);
    }
    hazard_expect("@!P2 R2P PR, RZ, 0x5c ?W1;\n@P2 MOV R4, RZ ?W6;\nEXIT ?W13;\n", NULL); /* P2 was false there */
    hazard_expect("@P2 R2P PR, RZ, 0x5c ?W1;\n@P2 MOV R4, RZ ?W6;\nEXIT ?W13;\n", "P2 is ready");
    hazard_expect("R2P PR, R8.B2, 0x7 ?W1;\n@!P3 LDG.E R10, [R2+0x3c] &wr=5 ?W2;\nEXIT &req={5} ?W13;\n", NULL);
    hazard_expect("R2P PR, R8.B2, 0x8 ?W1;\n@!P3 LDG.E R10, [R2+0x3c] &wr=5 ?W2;\nEXIT &req={5} ?W13;\n",
                  "P3 is ready 12 cycles later");
    hazard_expect("R2P PR, R8, R9 ?W1;\n@!P3 LDG.E R10, [R2+0x3c] &wr=5 ?W2;\nEXIT &req={5} ?W13;\n", "P3 is ready");
    /* past SYNC, and where a branch is not taken */
    hazard_expect("SSY `(a) ?W13;\nLDG.E R0, [R2] &wr=2 ?W1;\n@P0 SYNC ?W13;\nMOV R4, RZ ?W6;\nSYNC ?W13;\n"
                  "a: IADD R1, R0, R0 ?W6;\nEXIT ?W13;\n",
                  "R0 is read before its result: scoreboard 2");
    hazard_expect("MOV R0, RZ ?W1;\n@P0 BRA `(a) ?W4;\nIADD R1, R0, R0 ?W6;\na: EXIT ?W13;\n",
                  "R0 is ready 1 cycles later");
    hazard_expect("MOV R0, RZ ?W1;\n@P0 BRA `(a) ?W5;\nIADD R1, R0, R0 ?W6;\na: EXIT ?W13;\n", NULL);
    /* along a loop */
    hazard_expect("a: IADD R1, R0, R0 ?W15;\nLDG.E R0, [R2] &wr=2 ?W15;\n@P0 BRA a ?W15;\nEXIT ?W15;\n",
                  "R0 is read before its result: scoreboard 2");
}

/* Registers that textures write and read: what is beside them is free while the texture is pending. */
static void test_texture_registers(void **state)
{
    (void)state;
    static const struct {
        const char *insn;
        const char *writes, *reads; /* registers' numbers: what is beside them is free */
    } rows[] = {
        {"TEXS.P RZ, R14, R6, R7, 0x56, 2D, R", "14", "6 7"},
        {"TEXS RZ, R14, R6, R8, 0x56, 2D, RG", "14 15", "6 8"},
        {"TEXS R18, R14, R6, R8, 0x56, 2D, RGB", "14 15 18", "6 8"},
        {"TEXS.NODEP R18, R14, R6, R8, 0x56, 3D, RGBA", "14 15 18 19", "6 7 8"},
        {"TEXS.LL RZ, R14, R6, R8, 0x56, CUBE, A", "14", "6 7 8 9"},
        {"TLDS.LZ RZ, R14, R6, R8, 0x56, ARRAY_2D, R", "14", "6 8 9"},
        {"TLD4S.R R18, R14, R6, R8, 0x56", "14 15 18 19", "6 8"},
        {"TLD4S.R.AOFFI R18, R14, R6, R8, 0x56", "14 15 18 19", "6 7 8"},
        {"TEX R14, R6, R8, 0x56, 2D, 0x9", "14 15", "6 7"},
        {"TEX.LL R14, R6, R10, 0x56, ARRAY_2D, 0x1", "14", "6 7 8 10"},
        {"TEX.B.LZ.AOFFI R14, R6, R10, 0x0, ARRAY_CUBE, 0xf", "14 15 16 17", "6 7 8 9 10 11"},
        {"TLD.LL R14, R6, R10, 0x56, 3D, 0x1", "14", "6 7 8 10"},
        {"TLD4.R.PTP R14, R6, R10, 0x56, 2D, 0xf", "14 15 16 17", "6 7 10 11"},
        {"TXD R14, R4, R8, 0x56, 2D, 0x3", "14 15", "4 5 8 9 10 11"},
        {"TXQ R14, R6, TEX_HEADER_DIMENSION, 0x54, 0x3", "14 15", "6"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned r = 0; r < 24; r++) {
            char text[200], number[8];
            snprintf(number, sizeof number, "%u", r);
            bool writes = text_list_has(rows[i].writes, number, strlen(number));
            bool reads = text_list_has(rows[i].reads, number, strlen(number));
            snprintf(text, sizeof text, ".norules\n%s &wr=5 &rd=4 ?W15;\nMOV R%u, RZ ?W6;\nEXIT ?W15;\n", rows[i].insn,
                     r);
            hazard_expect(text, writes  ? "is overwritten before its result: scoreboard 5"
                                : reads ? "is overwritten before it has been read"
                                        : NULL);
        }
}

static void mistake(const char *text, uint32_t line, uint32_t column, const char *wanted)
{
    struct atoll_error error = {0};
    char *bytes;
    size_t size;
    assert_false(atoll_assemble(text, strlen(text), "SM50", NULL, &bytes, &size, &error));
    if (!strstr(error.message, wanted) || error.line != line || (column && error.column != column))
        fail_msg("%u:%u: %s; wanted %u:%u: %s", error.line, error.column, error.message, line, column, wanted);
    assert_null(bytes);
}

static void test_mistakes(void **state)
{
    (void)state;
    mistake("", 1, 0, "an instruction");
    mistake("NOP;\n  FOO R1;\n", 2, 3, "an instruction");
    mistake("IADD R1, R0, R400;\n", 1, 0, "wanted");
    mistake("@P0 SUATMO.D.2D.ADD R0, [R2], R4, 0x1;\n", 1, 5,
            "wanted an instruction, not 'SUATMO' (did you mean 'SUATOM'?)");
    mistake("BRA nowhere;\n", 1, 5, "no label 'nowhere'");
    mistake("a:\na: NOP;\n", 2, 0, "label 'a' stands in line 1");
    mistake("NOP &wr=9;\n", 1, 0, "scheduling");
    mistake("IADD R0, R0, R0 &wr=1;\n", 1, 0, "fixed latency");
    mistake(".nonsense 4\n", 1, 0, "unknown directive '.nonsense'");
    mistake(".section x,\"q\"\n", 1, 0, "flags");
    mistake(".section .data,\"a\",@progbits\n.byte 256\n", 2, 0, "a number that fits");
    mistake(".section .data,\"a\",@progbits\n.zero 99999999999\n", 2, 0, "at most 256 MiB of zeros in all sections");
    mistake(".section .data,\"a\",@progbits\n.byte 1\n.zero 268435455\n.zero 1\n.align 4\n", 5, 0,
            "at most 256 MiB of zeros in all sections");
    mistake(".section .rel.data,\"\",@rel\n.reloc 0, R_CUDA_32\n", 2, 0, "OFFSET, TYPE, SYMBOL");
    mistake(".elfversion 7, 51\n", 1, 0, "version, OSABI, ABI version");
    mistake(".section .data,\"a\",@progbits\n.string \"open\n", 2, 0, "a string");
    mistake(".headerflags @\"EF_CUDA_SM75\"\n", 1, 0, "sm_75");
    mistake("NOP;\n.headerflags @\"EF_CUDA_SM53\"\n", 2, 0, "the architecture before the first instruction");
    mistake("MOV32I R2, 32@lo();\n", 1, 18, "a symbol");
    mistake(".section .data,\"a\",@progbits\n.word (a - b)\n", 2, 0, "no label 'a'");
    mistake(".section .data,\"a\",@progbits\n.byte a\n", 2, 0, "addresses have 4 or 8 bytes");
    mistake("ATOMS.ADD.U64 R1, [R2], R4;\n", 1, 0, "wanted");
}

/* Tens of thousands of names of every kind cost no more than their number, and so do strings of one long line. */
static void test_many_names(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    struct text text = {0};
    text_puts(&text, ".section .data,\"a\",@progbits\n.string \"\"");
    for (unsigned i = 0; i < COUNT; i++)
        text_puts(&text, ", \"\"");
    for (unsigned i = 0; i < COUNT; i++)
        text_printf(&text, "\n.global v%u\n.type v%u,@object\n.size v%u,1\nv%u: .byte %u", i, i, i, i, i & 255);
    text_puts(&text, "\n.kernel main\nEXIT;\n");
    struct blob cubin = cubin_assemble("many", text.bytes, text.length);
    struct sass_module module;
    struct atoll_error error = {0};
    assert_true(sass_read(cubin.bytes, cubin.size, &module, &error));
    assert_true(module.nsymbols > COUNT);
    const struct sass_section *data = &module.sections[sass_find_section(&module, ".data")];
    assert_int_equal(data->size, 2 * COUNT + 1);
    unsigned seen = 0;
    for (uint32_t i = 1; i < module.nsymbols; i++)
        if (module.symbols[i].name[0] == 'v') {
            unsigned number = (unsigned)strtoul(module.symbols[i].name + 1, NULL, 10);
            assert_int_equal(module.symbols[i].value, COUNT + 1 + number);
            assert_int_equal(data->bytes[module.symbols[i].value], number & 255);
            seen++;
        }
    assert_int_equal(seen, COUNT);
    sass_free(&module);
    blob_free(&cubin);
    text_free(&text);
}

/* A kernel without parameters has none, whatever the kernels beside it read. */
static void test_parameters_beside(void **state)
{
    (void)state;
    static const char text[] = ".kernel first\nMOV R2, c[0x0][0x140]; MOV R3, c[0x0][0x144]; EXIT;\n"
                               ".kernel second\nEXIT;\n";
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_error error = {0};
    struct atoll_kernel *kernel;
    struct atoll_kernel_info info;
    assert_true(atoll_device_create(NULL, &device, &error));
    if (!atoll_module_load(device, text, sizeof text - 1, NULL, &module, &error))
        fail_msg("%s", error.message);
    assert_true(atoll_module_kernel(module, "first", &kernel, &error));
    atoll_kernel_describe(kernel, &info);
    assert_int_equal(info.parameter_bytes, 8);
    assert_true(atoll_module_kernel(module, "second", &kernel, &error));
    atoll_kernel_describe(kernel, &info);
    assert_int_equal(info.parameters, 0);
    assert_int_equal(info.parameter_bytes, 0);
    atoll_module_destroy(module);
    atoll_device_destroy(device);
}

/* Every indirect jump of a section may go to all of it: found once, not once for each. */
static void test_indirect_jumps(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct text text = {0};
    struct atoll_module *module;
    struct atoll_error error = {0};
    for (unsigned i = 0; i < COUNT; i++)
        text_puts(&text, "BRX R0 0x0;\n");
    if (!atoll_module_load(NULL, text.bytes, text.length, NULL, &module, &error))
        fail_msg("%s", error.message);
    atoll_module_destroy(module);
    text_free(&text);
}

/* The shared window has 16 MiB, of which machine code may have every byte. */
static void test_window(void **state)
{
    (void)state;
    static const char text[] = ".shared 0x1000000\nMOV32I R8, 0x5;\nATOMS.ADD R0, [0xfffffc], R8;\n"
                               "ATOMS.ADD R0, [0xfffffc], R8;\nLDS R1, [0xfffffc];\nMOV R2, c[0x0][0x140];\n"
                               "MOV R3, c[0x0][0x144];\nSTG.E [R2], R0;\nSTG.E [R2+0x4], R1;\nEXIT;\n";
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_error error = {0};
    uint64_t out;
    uint32_t got[2];
    assert_true(atoll_device_create(NULL, &device, &error));
    assert_true(atoll_memory_alloc(device, sizeof got, &out, &error));
    if (!atoll_module_load(device, text, sizeof text - 1, NULL, &module, &error))
        fail_msg("%s", error.message);
    struct atoll_launch_options launch = {.parameters = &out, .parameter_bytes = sizeof out};
    if (!atoll_launch(atoll_module_kernel_at(module, 0), &launch, NULL, NULL, &error))
        fail_msg("%s", error.message);
    assert_true(atoll_memory_read(device, out, got, sizeof got, &error));
    assert_int_equal(got[0], 5);
    assert_int_equal(got[1], 10);
    launch.dynamic_shared = 4;
    assert_false(atoll_launch(atoll_module_kernel_at(module, 0), &launch, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "the window of 16 MiB"));
    atoll_device_destroy(device);
}

/* Text without directives is a kernel main; .kernel gives names, .param its parameters. */
static void test_bare(void **state)
{
    (void)state;
    static const char text[] = "// a comment\n"
                               ".kernel first\n.param 8, 4\n.shared 256\n"
                               "  MOV R2, c[0x0][0x140]; MOV R3, c[0x0][0x144]\n"
                               "loop: /* here */ LDG.E.64 R4, [R2];\n"
                               "  @P0 BRA loop\n  EXIT;\n"
                               ".kernel second\n.param 8\nloop: MOV R2, c[0x0][0x144];\n"
                               "counted: BRA `(loop); BRA counted; BRA c[0x0][0x144];\n";
    struct blob cubin = cubin_assemble("bare", text, sizeof text - 1);
    struct sass_module m;
    struct atoll_error error = {0};
    assert_true(sass_read(cubin.bytes, cubin.size, &m, &error));
    const struct sass_function *f = sass_find_function(&m, "first");
    assert_non_null(f);
    assert_true(f->entry);
    assert_int_equal(f->nparameters, 2);
    assert_int_equal(f->parameters[1].offset, 8);
    assert_int_equal(f->parameters[1].size, 4);
    assert_int_equal(f->cbank_size, 12);
    assert_int_equal(f->shared_size, 256);
    assert_int_equal(f->registers, 6);
    assert_int_equal(f->size, 64);
    f = sass_find_function(&m, "second");
    assert_non_null(f);
    assert_int_equal(f->cbank_size, 8); /* what .param says, whatever the code reads */
    sass_free(&m);
    loss_free(NULL, "bare", &cubin);
    free(cubin.bytes);
    cubin = cubin_assemble("main", "MOV R1, c[0x0][0x148]\nEXIT", 26);
    assert_true(sass_read(cubin.bytes, cubin.size, &m, &error));
    f = sass_find_function(&m, "main");
    assert_non_null(f);
    assert_int_equal(f->cbank_size, 16);
    sass_free(&m);
    loss_free(NULL, "main", &cubin);
    free(cubin.bytes);
}

static uint64_t word_at(const struct sass_module *m, const char *section, uint64_t at)
{
    const struct sass_section *s = &m->sections[sass_find_section(m, section)];
    assert_true(s->bytes && at + 8 <= s->size);
    return bytes_u64(s->bytes + at);
}

/* As the vendor's disassembler writes addresses of symbols, targets, annotations and data. */
static void test_vendor_forms(void **state)
{
    (void)state;
    static const char text[] =
        "\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM50 "
        "EF_CUDA_VIRTUAL_SM(EF_CUDA_SM50)\"\n\t.elftype\t@\"ET_EXEC\"\n"
        "\t.section\t.nv.constant2.k,\"a\",@progbits\n\t.word\t(.L_x_1 - k), .L_x_1@srel, (.L_x_0@srel + 0x8)\n"
        "\t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=11\"\n\t.align\t32\n"
        "        .global         k\n        .type           k,@function\n"
        "        .other          k,@\"STO_CUDA_ENTRY STV_DEFAULT\"\nk:\n.text.k:\n.L_x_0:\n"
        "        /*0008*/         {         MOV32I R2, 32@lo((v + 0x4)) ;        /* 0x010000000007f002 */\n"
        "        /*0010*/                   MOV32I R3, 32@hi(v)         }\n"
        "        /*0018*/               @P0 SYNC         (*\"BRANCH_TARGETS .L_x_0,.L_x_1\"*)\n"
        "        /*0028*/                   BRA c[0x0] [0x10] ;\n"
        "        /*0030*/                   JMX R2                   (*\"INDIRECT_CALL\"*);\n"
        ".L_x_1:\n        /*0038*/                   JCAL `(f) ;\n"
        "        /*0048*/                   BRX R4 `(((.L_x_0 - .) - 0x8))  (*\"BRANCH_TARGETS .L_x_0\"*);\n"
        "        /*0050*/                   IADD R4, R4, c[`((b + 0x4))] ;\n"
        "\t.section\t.nv.global,\"aw\",@nobits\n\t.type\t\tv,@object\n\t.size\t\tv,8\nv:\n\t.zero 8\n"
        "\t.section\t.nv.global.init,\"aw\",@progbits\n\t.type\t\tw,@object\nw:\n"
        "\t.dword\tfun@R_CUDA_G64(v), v\n\t.section\t.debug_loc,\"\",@progbits\n\t.dword\t(k + .L_x_1@srel), "
        "((k + .L_x_0@srel) + 0x8)\n"
        "//--------------------- SYMBOLS --------------------------\n\t.type\t\tf,@function\n";
    struct blob cubin = cubin_assemble("vendor", text, sizeof text - 1);
    struct sass_module m;
    struct atoll_error error = {0};
    static const struct {
        const char *section, *symbol;
        uint32_t type;
        uint64_t offset;
        int64_t addend;
    } wanted[] = {{".text.k", "v", SASS_R_ABS32_LO_20, 0x8, 4}, {".text.k", "v", SASS_R_ABS32_HI_20, 0x10, 0},
                  {".text.k", "f", SASS_R_ABS32_20, 0x38, 0},   {".text.k", "b", SASS_R_CONST_FIELD19_20, 0x50, 4},
                  {".nv.global.init", "v", SASS_R_G64, 0, 0},   {".nv.global.init", "v", SASS_R_64, 8, 0},
                  {".debug_loc", "k", SASS_R_64, 0, 0},         {".debug_loc", "k", SASS_R_64, 8, 0}};
    if (!sass_read(cubin.bytes, cubin.size, &m, &error))
        fail_msg("%s", error.message);
    assert_int_equal(m.nrelocations, sizeof wanted / sizeof wanted[0]);
    for (unsigned i = 0; i < m.nrelocations; i++) {
        unsigned found = 0;
        for (unsigned k = 0; k < m.nrelocations; k++) {
            const struct sass_relocation *r = &m.relocations[k];
            found += r->type == wanted[i].type && r->offset == wanted[i].offset && r->addend == wanted[i].addend &&
                     strcmp(m.symbols[r->symbol].name, wanted[i].symbol) == 0 &&
                     strcmp(m.sections[r->section].name, wanted[i].section) == 0;
        }
        assert_int_equal(found, 1);
    }
    assert_true(word_at(&m, ".text.k", 0x8) == 0x010000000007f002);
    assert_true(word_at(&m, ".text.k", 0x48) == 0xe2500ffffb07040f); /* -0x50 */
    assert_true(word_at(&m, ".debug_loc", 0) == 0x38 && word_at(&m, ".debug_loc", 8) == 8);
    assert_true(word_at(&m, ".nv.constant2.k", 0) == UINT64_C(0x3800000038));
    sass_free(&m);
    blob_free(&cubin);
}

/* The text of cuobjdump -sass. */
static void test_cuobjdump(void **state)
{
    (void)state;
    static const char text[] = "\nFatbin elf code:\n================\narch = sm_52\ncode version = [1,7]\n"
                               "host = linux\ncompile_size = 64bit\n\n\tcode for sm_52\n\t\tFunction : first\n"
                               "\t.headerflags    @\"EF_CUDA_SM52 EF_CUDA_PTX_SM(EF_CUDA_SM52)\"\n"
                               "                                   /* 0x001cfc00e22007f6 */\n"
                               "        /*0008*/   MOV R1, c[0x0][0x20] ;  /* 0x4c98078000870001 */\n"
                               "        /*0010*/   @P0 BRA 0x8 ;  /* 0xe2400fffff00000f */\n"
                               "        /*0018*/   EXIT ;\n\t\t..........\n\n\t\tFunction : second\nEXIT ;\n";
    struct blob cubin = cubin_assemble("cuobjdump", text, sizeof text - 1);
    struct sass_module m;
    struct atoll_error error = {0};
    assert_true(sass_read(cubin.bytes, cubin.size, &m, &error));
    assert_int_equal(m.arch, 52);
    assert_int_equal(m.nfunctions, 2);
    assert_true(word_at(&m, ".text.first", 0x8) == 0x4c98078000870001);
    assert_true(word_at(&m, ".text.first", 0x10) == 0xe2400fffff00000f);
    sass_free(&m);
    blob_free(&cubin);
}

/* Where EXITs are is worked out, unless a listing gives all control bits. */
static void test_exits(void **state)
{
    (void)state;
    static const char source[] = "S2R R0, SR_CTAID.X;\n@P0 EXIT;\nIADD R0, R0, R0;\nEXIT;\n";
    struct blob cubin = cubin_assemble("exits", source, sizeof source - 1);
    struct sass_module m;
    struct atoll_error error = {0};
    assert_true(sass_read(cubin.bytes, cubin.size, &m, &error));
    assert_int_equal(m.functions[0].nexits, 2);
    assert_int_equal(m.functions[0].exits[0], 0x10);
    assert_int_equal(m.functions[0].exits[1], 0x28);
    sass_free(&m);
    size_t length;
    char *listing = list("exits", &cubin, false, false, &length);
    for (size_t i = 0; i + 17 <= length; i++)
        if (memcmp(listing + i, "IADD R0, R0, R0 ;", 17) == 0)
            memcpy(listing + i, "EXIT            ;", 17);
    struct blob edited = cubin_assemble("edited", listing, length);
    assert_true(sass_read(edited.bytes, edited.size, &m, &error));
    assert_int_equal(m.functions[0].nexits, 3);
    assert_int_equal(m.functions[0].exits[1], 0x18);
    sass_free(&m);
    loss_free(NULL, "edited", &edited);
    atoll_text_free(listing);
    blob_free(&edited);
    blob_free(&cubin);
}

/* Words that are no instructions, and words that break rules, come back too. */
static void test_raw(void **state)
{
    (void)state;
    static const uint64_t words[] = {0x001f8000fc0007e0, 0x0000000000000000, 0xec00000031170d11, 0x50b0000000070f00};
    struct atoll_listing_options options = {.isa = "SM50", .control = true};
    struct atoll_error error = {0};
    char *text;
    size_t length;
    assert_true(atoll_disassemble(words, sizeof words, &options, &text, &length, &error));
    assert_non_null(strstr(text, ".insn 0x0000000000000000"));
    assert_non_null(strstr(text, "ATOMS.ADD.S64"));
    struct blob cubin = cubin_assemble("raw", text, length);
    struct sass_module m;
    assert_true(sass_read(cubin.bytes, cubin.size, &m, &error));
    assert_memory_equal(m.functions[0].text, words, sizeof words);
    sass_free(&m);
    free(cubin.bytes);
    atoll_text_free(text);
    assert_false(atoll_disassemble(words, 24, &options, &text, &length, &error));
    assert_non_null(strstr(error.message, "32-byte bundles"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss_free),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_hazards),
        cmocka_unit_test(test_texture_registers),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_bare),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_parameters_beside),
        cmocka_unit_test(test_indirect_jumps),
        cmocka_unit_test(test_vendor_forms),
        cmocka_unit_test(test_cuobjdump),
        cmocka_unit_test(test_exits),
        cmocka_unit_test(test_raw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
