/* Relocatable files of Maxwell as one module: what is found in other files, what has its place in each kernel, what is
 * refused. The verdicts are those of nvlink 11.8 on objects of ptxas -c. Where there are a ptxas that knows sm_50 and
 * nvlink beside it (on the PATH, or ATOLL_PTXAS names the former), random programs of several files must do the same
 * joined here and linked there. */
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
#include "cubins.h"
#include "differential/tools.h"
#include "given.h"
#include "skip.h"

#define HEAD ".elftype @\"ET_REL\"\n"
#define KERNEL                                                                                                      \
    HEAD ".kernel k\n.param 8\nS2R R0, SR_TID.X;\nMOV R2, c[0x0][0x140];\nMOV R3, c[0x0][0x144];\nSHL R4, R0, 2;\n" \
         "IADD R2.CC, R2, R4;\nIADD.X R3, R3, RZ;\n"
#define STORE                "STG.E [R2], R6;\nEXIT;\n"
#define CODE(name)           ".section .text." name ",\"ax\",@progbits\n.align 32\n"
#define OWN_FUNCTION(name)   CODE(name) ".type " name ",@function\n" name ":\n"
#define FUNCTION(name, bind) CODE(name) "." bind " " name "\n.type " name ",@function\n" name ":\n"
#define ADD(number)          "MOV32I R7, " number ";\nIADD R6, R6, R7;\nRET;\n"
#define DECLARE(name, space, size)                                                                                   \
    ".type " name ",@\"STT_CUDA_OBJECT\"\n.other " name ",@\"STO_CUDA_" space " STV_DEFAULT\"\n.size " name "," size \
    "\n"
#define OWN_OBJECT(name, space, size)   DECLARE(name, space, size) name ":\n"
#define OBJECT(name, bind, space, size) "." bind " " name "\n" OWN_OBJECT(name, space, size)
#define GLOBALS                         ".section .nv.global.init,\"aw\",@\"SHT_CUDA_GLOBAL_INIT\"\n.align 8\n"
#define ZEROS                           ".section .nv.global,\"aw\",@\"SHT_CUDA_GLOBAL\"\n.align 8\n"
#define CONSTANTS                       ".section .nv.constant3,\"a\",@\"SHT_CUDA_CONSTANT_B3\"\n.align 4\n"
#define SHARED                          ".section .nv_debug.shared,\"aw\",@\"SHT_CUDA_SHARED\"\n.align 16\n"
#define LOAD(name)                      "MOV32I R4, 32@lo(" name ");\nMOV32I R5, 32@hi(" name ");\nLDG.E R6, [R4];\n"
#define BANK(name)                      "MOV32I R4, `(" name ");\nLDC R6, c[0x3][R4];\n"

enum { FILES = 3, WORDS = 64 };

struct joined {
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_error error;
    struct text said; /* "code: message" a line */
};

static void listen(void *user, const struct atoll_diagnostic *d)
{
    text_printf(user, "%s: %s\n", d->code, d->message);
}

static bool join_blobs(struct joined *j, const struct blob *blobs, unsigned count, bool strict)
{
    static const char *const names[FILES] = {"a.cubin", "b.cubin", "c.cubin"};
    struct atoll_source sources[FILES];
    *j = (struct joined){.device = NULL};
    text_puts(&j->said, "");
    for (unsigned i = 0; i < count; i++)
        sources[i] = (struct atoll_source){(const char *)blobs[i].bytes, blobs[i].size, names[i]};
    struct atoll_module_options options = {.diagnose = listen, .user = &j->said, .strict = strict};
    assert_true(atoll_device_create(NULL, &j->device, &j->error));
    return atoll_module_link(j->device, sources, count, &options, &j->module, &j->error);
}

static bool join_texts(struct joined *j, const char *const *texts, bool strict)
{
    struct blob blobs[FILES];
    unsigned count = 0;
    for (; count < FILES && texts[count]; count++)
        blobs[count] = cubin_assemble(texts[count], texts[count], strlen(texts[count]));
    bool ok = join_blobs(j, blobs, count, strict);
    while (count)
        atoll_text_free((char *)blobs[--count].bytes);
    return ok;
}

static void joined_free(struct joined *j)
{
    atoll_module_destroy(j->module);
    atoll_device_destroy(j->device);
    text_free(&j->said);
}

/* One parameter, where the results go; a second one of random programs is a number. */
static bool launch(struct joined *j, const char *name, unsigned threads, enum atoll_order order, uint32_t words[WORDS])
{
    struct atoll_kernel *kernel;
    struct atoll_kernel_info info;
    uint64_t parameters[2] = {0, UINT64_C(0x401d000000000000)};
    struct atoll_launch_options options = {
        .grid = {1, 1, 1}, .block = {threads, 1, 1}, .dynamic_shared = 256, .order = order, .seed = 7};
    if (!atoll_module_kernel(j->module, name, &kernel, &j->error) ||
        !atoll_memory_alloc(j->device, WORDS * sizeof *words, &parameters[0], &j->error))
        fail_msg("%s", j->error.message);
    atoll_kernel_describe(kernel, &info);
    options.parameters = parameters;
    options.parameter_bytes = info.parameter_bytes;
    bool ok = atoll_launch(kernel, &options, NULL, NULL, &j->error);
    assert_true(atoll_memory_read(j->device, parameters[0], words, WORDS * sizeof *words, &(struct atoll_error){0}));
    return ok;
}

/* ---- what runs ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *files[FILES + 1];
    uint32_t want; /* of thread 1 */
} runs[] = {
    {{KERNEL "MOV R6, 1;\nJCAL `(f);\n" STORE, HEAD FUNCTION("f", "global") ADD("40")}, 41},
    {{HEAD FUNCTION("f", "global") ADD("40"), KERNEL "MOV R6, 1;\nJCAL `(f);\n" STORE}, 41},
    {{KERNEL LOAD("v") STORE, HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 7\n"}, 7},
    {{KERNEL LOAD("(v + 0x8)") STORE, HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "12") ".word 7, 8, 9\n"}, 9},
    {{KERNEL LOAD("v") STORE ZEROS OBJECT("w", "global", "GLOBAL", "4") ".zero 4\n",
      HEAD ZEROS OBJECT("v", "global", "GLOBAL", "4") ".zero 4\n"},
     0},
    /* the one definition stands for weak ones, also in their own file; else the first */
    {{KERNEL LOAD("v") STORE GLOBALS OBJECT("v", "weak", "GLOBAL", "4") ".word 7\n",
      HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 8\n"},
     8},
    {{KERNEL LOAD("v") STORE GLOBALS OBJECT("v", "weak", "GLOBAL", "4") ".word 7\n",
      HEAD GLOBALS OBJECT("v", "weak", "GLOBAL", "4") ".word 8\n"},
     7},
    {{KERNEL "MOV R6, 1;\nJCAL `(f);\n" STORE FUNCTION("f", "weak") ADD("10"), HEAD FUNCTION("f", "global") ADD("20")},
     21},
    {{KERNEL "MOV R6, 1;\nJCAL `(f);\n" STORE, HEAD FUNCTION("f", "weak") ADD("10"),
      HEAD FUNCTION("f", "weak") ADD("20")},
     11},
    /* names that no other file sees */
    {{KERNEL LOAD("v") STORE GLOBALS OWN_OBJECT("v", "GLOBAL", "4") ".word 7\n",
      HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 8\n"},
     7},
    {{KERNEL "MOV R6, 1;\nJCAL `(f);\n" STORE OWN_FUNCTION("f") ADD("10"),
      HEAD FUNCTION("g", "global") "JCAL `(f);\nRET;\n" OWN_FUNCTION("f") ADD("20")},
     11},
    {{KERNEL "MOV R6, 1;\nJCAL `(g);\n" STORE OWN_FUNCTION("f") ADD("10"),
      HEAD FUNCTION("g", "global") "JCAL `(f);\nRET;\n" OWN_FUNCTION("f") ADD("20")},
     21},
    /* bank 3 of all files, bank 2 of each function */
    {{KERNEL DECLARE("v", "CONSTANT", "4") BANK("v") STORE CONSTANTS ".word 1, 2, 3\n",
      HEAD CONSTANTS ".word 4\n" OBJECT("v", "global", "CONSTANT", "4") ".word 5\n"},
     5},
    {{KERNEL "MOV R6, c[0x2][0x4];\nJCAL `(f);\n" STORE ".section .nv.constant2.k,\"a\",@progbits\n.word 1, 2\n",
      HEAD FUNCTION("f", "global") "MOV R7, c[0x2][0x4];\nIADD R6, R6, R7;\nRET;\n"
                                   ".section .nv.constant2.f,\"a\",@progbits\n.word 10, 20\n"},
     22},
    {{KERNEL "MOV R6, c[`(n)];\nJCAL `(f);\n" STORE ".section .nv.constant2.k,\"a\",@\"SHT_CUDA_CONSTANT_B2\"\n"
             ".word 1, 2\n" OWN_OBJECT("n", "CONSTANT", "4") ".word 3\n",
      HEAD FUNCTION("f", "global") "MOV R7, c[`((n + 0x4))];\nIADD R6, R6, R7;\nRET;\n"
                                   ".section .nv.constant2.f,\"a\",@\"SHT_CUDA_CONSTANT_B2\"\n"
                                   ".word 10\n" OWN_OBJECT("n", "CONSTANT", "8") ".word 20, 30\n"},
     33},
    /* addresses in data: of a variable, of a function */
    {{KERNEL LOAD("p") "LDG.E R5, [R4+0x4];\nMOV R4, R6;\nLDG.E R6, [R4];\n" STORE,
      HEAD GLOBALS OBJECT("p", "global", "GLOBAL", "8") ".dword v\n",
      HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 11\n"},
     11},
    {{KERNEL LOAD("p") "MOV R8, R6;\nMOV R6, 2;\nPRET `(.L_back);\nJMX R8;\n.L_back:\n" STORE,
      HEAD GLOBALS OBJECT("p", "global", "GLOBAL", "4") ".word f\n", HEAD FUNCTION("f", "global") ADD("10")},
     12},
    /* an address that nobody knows is nothing to its neighbours */
    {{KERNEL LOAD("w")
          STORE GLOBALS OWN_OBJECT("p", "GLOBAL", "8") ".dword v\n" OWN_OBJECT("w", "GLOBAL", "4") ".word 12\n"},
     12},
    /* a kernel's descriptor is its address (a choice, as in data) */
    {{KERNEL "MOV32I R6, 32@lo(fun@fdesc(f));\nMOV32I R7, 32@lo(f);\nIADD R6, R6, -R7;\n" STORE,
      HEAD FUNCTION("f", "global") ADD("10")},
     0},
    /* shared memory of two files, and dynamic memory after it */
    {{KERNEL DECLARE(
          "dyn", "SHARED",
          "0") "MOV32I R8, 100;\nSTS [R4+`(w)], R8;\nSTS [R4+`((dyn + 0x10))], R0;\n"
               "MOV R6, 3;\nJCAL `(f);\nLDS R7, [R4+`(w)];\nIADD R6, R6, R7;\nLDS R7, [R4+`((dyn + 0x10))];\n"
               "IADD R6, R6, R7;\n" STORE SHARED DECLARE("w", "SHARED", "256, 4") "w:\n.zero 256\n",
      HEAD FUNCTION("f", "global") "STS [R4+`(w)], R6;\nLDS R6, [R4+`(w)];\nRET;\n" SHARED DECLARE(
          "w", "SHARED", "256, 16") "w:\n.zero 256\n"},
     104},
};

static void joins(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct joined j;
        uint32_t words[WORDS];
        if (!join_texts(&j, runs[i].files, true))
            fail_msg("run %u: %s", i, j.error.message);
        if (!launch(&j, "k", 2, ATOLL_ORDER_PARALLEL, words))
            fail_msg("run %u: %s", i, j.error.message);
        if (words[1] != runs[i].want)
            fail_msg("run %u: %u, not %u", i, words[1], runs[i].want);
        joined_free(&j);
    }
}

/* The host finds variables by their names; a single file too is laid out. */
static void variables(void **state)
{
    (void)state;
    static const char *const files[] = {KERNEL LOAD("v") STORE GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 7\n",
                                        NULL};
    struct joined j;
    uint64_t address, size;
    uint32_t words[WORDS], value = 70;
    assert_true(join_texts(&j, files, true));
    assert_true(atoll_module_variable(j.module, "v", &address, &size, &j.error));
    assert_int_equal(size, 4);
    assert_true(atoll_memory_write(j.device, address, &value, sizeof value, &j.error));
    assert_true(launch(&j, "k", 1, ATOLL_ORDER_PARALLEL, words));
    assert_int_equal(words[0], 70);
    joined_free(&j);
}

/* References of surfaces are one thing in all files and have one slot in all kernels that reach them. */
static void references(void **state)
{
    (void)state;
#define SURFACE(name) ".type " name ",@\"STT_CUDA_SURFACE\"\n"
    static const char *const files[] = {
        KERNEL SURFACE("one") SURFACE("two") "SUST.D.BA.1D.TRAP [R4], R0, `(one);\nJCAL `(f);\n"
                                             "SULD.D.BA.1D.TRAP R6, [R4], `(two);\n" STORE,
        HEAD FUNCTION("f", "global") SURFACE("one")
            SURFACE("two") "SULD.D.BA.1D.TRAP R6, [R4], `(one);\nMOV32I R7, 30;\nIADD R6, R6, R7;\n"
                           "SUST.D.BA.1D.TRAP [R4], R6, `(two);\nRET;\n",
        NULL};
    static const struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_1D, .width = 2, .format = "r32uint"};
    static const char *const names[] = {"two", "one"};
    struct joined j;
    uint32_t words[WORDS];
    if (!join_texts(&j, files, true))
        fail_msg("%s", j.error.message);
    for (unsigned i = 0; i < 2; i++) {
        struct atoll_surface *surface;
        if (!atoll_surface_create(j.device, &desc, &surface, &j.error) ||
            !atoll_module_bind_surface(j.module, names[i], 0, surface, &j.error))
            fail_msg("%s", j.error.message);
    }
    if (!launch(&j, "k", 2, ATOLL_ORDER_PARALLEL, words))
        fail_msg("%s", j.error.message);
    assert_int_equal(words[0], 30);
    assert_int_equal(words[1], 31);
    joined_free(&j);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static const struct {
    const char *files[FILES + 1];
    const char *message;
} refusals[] = {
    {{HEAD FUNCTION("f", "global") ADD("1"), HEAD FUNCTION("f", "global") ADD("1")},
     "b.cubin: 'f' is defined in a.cubin too"},
    {{HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 7\n", HEAD FUNCTION("g", "global") ADD("1"),
      HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 7\n"},
     "c.cubin: 'v' is defined in a.cubin too"},
    {{HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 7\n",
      HEAD GLOBALS OBJECT("v", "weak", "GLOBAL", "8") ".word 7, 8\n"},
     "a.cubin: 'v' has another size in b.cubin"},
    {{KERNEL DECLARE("v", "GLOBAL", "4") LOAD("v") STORE,
      HEAD CONSTANTS OBJECT("v", "global", "CONSTANT", "4") ".word 7\n"},
     "a.cubin: 'v' is in another state space in b.cubin"},
    {{KERNEL "JCAL `(v);\n" STORE, HEAD GLOBALS OBJECT("v", "global", "GLOBAL", "4") ".word 7\n"},
     "a.cubin: 'v' is something else in b.cubin"},
    {{HEAD FUNCTION("f", "global") ADD("1"), ".headerflags @\"EF_CUDA_SM52\"\n" HEAD FUNCTION("g", "global") ADD("1")},
     "a.cubin is for sm_50, b.cubin is for sm_52: they cannot be joined"},
    {{KERNEL STORE, ".elftype @\"ET_EXEC\"\n.kernel j\nEXIT;\n"},
     "b.cubin is linked already (ET_EXEC): only relocatable files can be joined"},
};

static void refuses(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct joined j;
        if (join_texts(&j, refusals[i].files, false))
            fail_msg("refusal %u: taken", i);
        assert_string_equal(j.error.message, refusals[i].message);
        assert_null(j.module);
        joined_free(&j);
    }
}

/* What nobody defines stops who uses it, and is told when files are joined. */
static const struct {
    const char *files[FILES + 1];
    const char *trap, *said;
} absent[] = {
    {{KERNEL "JCAL `(f);\n" STORE, HEAD FUNCTION("g", "global") ADD("1")},
     "not supported: a call of 'f', which is defined nowhere (a.cubin, .text.k, R_CUDA_ABS32_20)",
     "link-undefined: 'f' is defined in none of the files (a.cubin, .text.k, R_CUDA_ABS32_20)\n"},
    {{KERNEL LOAD("v") STORE},
     "not supported: the address of 'v', which is defined nowhere (a.cubin, .text.k, R_CUDA_ABS32_LO_20)",
     ""},
    {{KERNEL LOAD("p") STORE GLOBALS OWN_OBJECT("p", "GLOBAL", "8") ".dword v\n"},
     "not supported: memory that holds the address of 'v', at 0x0 (.nv.global.init, R_CUDA_64)",
     ""},
    {{KERNEL "MOV R6, c[`(n)];\n" STORE,
      HEAD FUNCTION("f", "global") ADD("1") ".section .nv.constant2.f,\"a\",@\"SHT_CUDA_CONSTANT_B2\"\n" OBJECT(
          "n", "global", "CONSTANT", "4") ".word 20\n"},
     "not supported: relocation R_CUDA_CONST_FIELD19_20 (type 50) by 'n' (a.cubin, .text.k, R_CUDA_CONST_FIELD19_20)",
     ""},
};

static void stops(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof absent / sizeof *absent; i++) {
        struct joined j;
        uint32_t words[WORDS];
        if (!join_texts(&j, absent[i].files, false))
            fail_msg("absent %u: %s", i, j.error.message);
        assert_string_equal(j.said.bytes, absent[i].said);
        assert_false(launch(&j, "k", 1, ATOLL_ORDER_PARALLEL, words));
        if (!strstr(j.error.message, absent[i].trap))
            fail_msg("absent %u: %s", i, j.error.message);
        joined_free(&j);
        if (absent[i].said[0]) {
            assert_false(join_texts(&j, absent[i].files, true));
            joined_free(&j);
        }
    }
}

/* ---- files of nvcc ---------------------------------------------------------------------------------------- */

static void compare(struct joined *ours, struct joined *theirs, const char *kernel, unsigned threads, const char *what)
{
    static const enum atoll_order orders[] = {ATOLL_ORDER_PARALLEL, ATOLL_ORDER_DETERMINISTIC, ATOLL_ORDER_SEEDED};
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t a[WORDS], b[WORDS];
        if (!launch(ours, kernel, threads, orders[i], a))
            fail_msg("%s, %s joined: %s", what, kernel, ours->error.message);
        if (!launch(theirs, kernel, threads, orders[i], b))
            fail_msg("%s, %s linked: %s", what, kernel, theirs->error.message);
        for (unsigned t = 0; t < threads; t++)
            if (a[t] != b[t])
                fail_msg("%s, %s: thread %u: %08x joined, %08x linked", what, kernel, t, a[t], b[t]);
    }
}

/* tests/data/kernels/joined: two files of nvcc 11.8 -rdc=true, and what nvlink 11.8 made of them - with two functions
 * of one name, which no other file sees. */
static void as_nvlink(void **state)
{
    (void)state;
    static const char *const names[] = {"a.cubin", "b.cubin", "linked.cubin"};
    struct blob blobs[3];
    struct joined ours, theirs;
    for (unsigned i = 0; i < 3; i++)
        blobs[i] = blob_load(DATA_DIR "/kernels/joined", names[i]);
    if (!join_blobs(&ours, blobs, 2, true))
        fail_msg("%s", ours.error.message);
    if (!join_blobs(&theirs, blobs + 2, 1, true))
        fail_msg("%s", theirs.error.message);
    compare(&ours, &theirs, "k", 32, "nvcc's files");
    compare(&ours, &theirs, "k2", 32, "nvcc's files");
    joined_free(&ours);
    joined_free(&theirs);
    for (unsigned i = 0; i < 3; i++)
        blob_free(&blobs[i]);
}

/* ---- random programs -------------------------------------------------------------------------------------- */

struct program {
    uint32_t state;
    unsigned files;
};

static uint32_t draw(struct program *p, uint32_t below)
{
    p->state ^= p->state << 13;
    p->state ^= p->state >> 17;
    p->state ^= p->state << 5;
    return p->state % below;
}

/* What every file has: variables and a function of its own, with names that others have too. File i shows v<i>, c<i>,
 * t<i> and f<i>, which calls those of later files; weak ones are in the file after it once more. */
static void put_variables(struct program *p, unsigned i, struct text *out)
{
    unsigned before = i ? i - 1 : p->files;
    for (unsigned k = 0; k < p->files; k++)
        if (k != i && k != before)
            text_printf(out, ".extern .global .u32 v%u[4];\n.extern .const .u32 c%u[4];\n", k, k);
    for (unsigned k = i + 1; k < p->files; k++)
        text_printf(out, ".extern .func (.param .b32 r) f%u(.param .b32 a);\n", k);
    if (i)
        text_printf(out, ".weak .global .u32 v%u[4] = {%u, 1, 2, 3};\n.extern .const .u32 c%u[4];\n", before,
                    draw(p, 99), before);
    text_printf(out, ".weak .global .u32 v%u[4] = {%u, %u, 5, 6};\n", i, draw(p, 99), draw(p, 99));
    text_printf(out, ".visible .const .u32 c%u[4] = {%u, %u, 7, 8};\n", i, draw(p, 99), draw(p, 99));
    text_printf(out, ".const .u32 hidden[%u] = {%u, 9};\n.global .align 8 .u64 where = v%u;\n", 2 + draw(p, 5),
                draw(p, 99), draw(p, p->files));
    text_printf(out, ".shared .align %u .b32 words[%u];\n.extern .shared .align 4 .b32 dyn[];\n", 4u << draw(p, 3),
                64 + draw(p, 9));
    text_printf(out,
                ".func (.param .b32 r) own(.param .b32 a) {\n.reg .b32 %%r<9>; ld.param.u32 %%r1, [a];\n"
                "mad.lo.u32 %%r1, %%r1, %u, %u; st.param.b32 [r], %%r1; ret; }\n",
                3 + draw(p, 9), draw(p, 99));
    bool last = i + 1 == p->files;
    text_printf(out, ".global .align 8 .u64 table[2] = {own, %s%.0u};\n", last ? "own" : "f", last ? 0 : i + 1);
}

static void put_call(struct text *out, const char *what)
{
    text_printf(out,
                "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %%r1; call (y), %s; ld.param.u32 %%r2, [y]; }\n"
                "xor.b32 %%r1, %%r1, %%r2;\n",
                what);
}

/* Something that changes %r1. %r8 is the thread. */
static void put_step(struct program *p, unsigned i, struct text *out)
{
    char call[80];
    switch (draw(p, 8)) {
    case 0:
        text_printf(out, "ld.global.u32 %%r2, [v%u+%u]; add.u32 %%r1, %%r1, %%r2;\n", draw(p, p->files),
                    4 * draw(p, 4));
        break;
    case 1:
        text_printf(out,
                    "and.b32 %%r2, %%r1, 3; cvt.u64.u32 %%d1, %%r2; shl.b64 %%d1, %%d1, 2; mov.u64 %%d2, c%u;\n"
                    "add.u64 %%d1, %%d1, %%d2; ld.const.u32 %%r2, [%%d1]; add.u32 %%r1, %%r1, %%r2;\n",
                    draw(p, p->files));
        break;
    case 2:
        text_printf(out,
                    "mov.u32 %%r2, words; mad.lo.u32 %%r3, %%r8, 4, %%r2; bar.sync 0; st.shared.u32 [%%r3], %%r1;\n"
                    "bar.sync 0; xor.b32 %%r4, %%r8, %u; mad.lo.u32 %%r3, %%r4, 4, %%r2;\n"
                    "ld.shared.u32 %%r4, [%%r3]; mad.lo.u32 %%r1, %%r1, 5, %%r4;\n",
                    1 + draw(p, 31));
        break;
    case 3:
        text_printf(out,
                    "cvt.rn.f64.u32 %%g1, %%r1; div.rn.f64 %%g1, %%g1, 0d40%02x24DC22ACDBF8;\n"
                    "mul.f64 %%g1, %%g1, 0d40514333%02xA36E2E; cvt.rzi.u32.f64 %%r1, %%g1;\n",
                    draw(p, 64), draw(p, 256));
        break;
    case 4:
        text_printf(out,
                    "mov.u32 %%r2, dyn; mad.lo.u32 %%r3, %%r8, 4, %%r2; bar.sync 0; st.shared.u32 [%%r3], %%r1;\n"
                    "bar.sync 0; ld.shared.u32 %%r4, [dyn+%u]; add.u32 %%r1, %%r1, %%r4;\n",
                    4 * draw(p, 31));
        break;
    case 5:
        text_puts(out, "ld.global.u64 %d1, [where]; ld.global.u32 %r2, [%d1+4]; ld.const.u32 %r3, [hidden];\n"
                       "mad.lo.u32 %r1, %r1, %r2, %r3;\n");
        break;
    case 6:
        text_printf(out, "ld.global.u64 %%d1, [table+%u];\n", 8 * draw(p, 2));
        put_call(out, "%d1, (x), P");
        break;
    default:
        snprintf(call, sizeof call, "own, (x)");
        if (i + 1 < p->files)
            snprintf(call, sizeof call, "f%u, (x)", i + 1 + draw(p, p->files - i - 1));
        put_call(out, call);
    }
}

static void put_body(struct program *p, unsigned i, struct text *out)
{
    text_puts(out, ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f64 %g<9>; mov.u32 %r8, %tid.x;\n"
                   "P: .callprototype (.param .b32 r) _ (.param .b32 a);\n");
    text_puts(out, "ld.param.u32 %r1, [a];\n");
    for (unsigned n = 2 + draw(p, 5); n > 0; n--)
        put_step(p, i, out);
}

static void put_file(struct program *p, unsigned i, struct text *out)
{
    text_puts(out, ".version 7.8\n.target sm_50\n.address_size 64\n");
    put_variables(p, i, out);
    text_printf(out, ".visible .func (.param .b32 r) f%u(.param .b32 a) {\n", i);
    put_body(p, i, out);
    text_puts(out, "st.param.b32 [r], %r1; ret; }\n");
    text_printf(out, ".visible .entry k%u(.param .u64 out, .param .u32 a) {\n", i);
    put_body(p, i, out);
    text_puts(out, "ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r8, 4; add.u64 %d1, %d1, %d2;\n"
                   "st.global.u32 [%d1], %r1; ret; }\n");
}

static void program_try(const struct tools *tools, uint32_t seed)
{
    struct program p = {.state = seed * 2654435761u + 1};
    struct blob objects[FILES] = {{0}}, linked = {0};
    struct joined ours, theirs;
    char what[40], kernel[16];
    p.files = 2 + draw(&p, FILES - 1);
    snprintf(what, sizeof what, "seed %u", seed);
    for (unsigned i = 0; i < p.files; i++) {
        struct text source = {0};
        put_file(&p, i, &source);
        struct blob ptx = {(unsigned char *)source.bytes, source.length};
        if (tools_compile(tools, &ptx, 50, TOOLS_OBJECT, &objects[i]) != TOOLS_DONE)
            fail_msg("%s: ptxas refuses file %u:\n%s", what, i, source.bytes);
        text_free(&source);
    }
    if (!tools_link(tools, objects, p.files, &linked))
        fail_msg("%s: nvlink refuses it", what);
    if (!join_blobs(&ours, objects, p.files, true))
        fail_msg("%s joined: %s", what, ours.error.message);
    if (!join_blobs(&theirs, &linked, 1, true))
        fail_msg("%s linked: %s", what, theirs.error.message);
    for (unsigned i = 0; i < p.files; i++) {
        snprintf(kernel, sizeof kernel, "k%u", i);
        compare(&ours, &theirs, kernel, 32, what);
    }
    joined_free(&ours);
    joined_free(&theirs);
    blob_free(&linked);
    for (unsigned i = 0; i < p.files; i++)
        blob_free(&objects[i]);
}

/* One file of recursion, pointers to functions and jump tables. */
static void calls_try(const struct tools *tools)
{
    static const char *const kernels[] = {"rec", "flat", "ind", "virt", "virtc", "sw"};
    struct blob ptx = blob_load(DATA_DIR "/kernels", "calls.ptx"), object = {0}, linked = {0};
    struct joined ours, theirs;
    assert_int_equal(tools_compile(tools, &ptx, 50, TOOLS_OBJECT, &object), TOOLS_DONE);
    assert_true(tools_link(tools, &object, 1, &linked));
    assert_true(join_blobs(&ours, &object, 1, true));
    assert_true(join_blobs(&theirs, &linked, 1, true));
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        compare(&ours, &theirs, kernels[i], WORDS, "calls");
    joined_free(&ours);
    joined_free(&theirs);
    blob_free(&ptx);
    blob_free(&object);
    blob_free(&linked);
}

static void programs(void **state)
{
    (void)state;
    struct tools tools;
    tools_open(&tools);
    if (!tools.ptxas || !tools.nvlink[0]) {
        tools_close(&tools);
        skip_because("no ptxas that knows sm_50 with nvlink beside it; ATOLL_PTXAS names the former");
    }
    calls_try(&tools);
    uint32_t seed = (uint32_t)given("ATOLL_LINK_SEED", 1, 0), end = seed + (uint32_t)given("ATOLL_LINK_COUNT", 6, 1);
    for (; seed < end; seed++)
        program_try(&tools, seed);
    tools_close(&tools);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins), cmocka_unit_test(variables), cmocka_unit_test(references), cmocka_unit_test(refuses),
        cmocka_unit_test(stops), cmocka_unit_test(as_nvlink), cmocka_unit_test(programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
