/* The host's memory fails at the N-th allocation, for every N: each call ends in a clean error or does its work, and
 * nothing is lost. The linker has the library call these functions instead of the C library's (tests/meson.build). In
 * the hard build (base/hard.h) every piece that an arena hands out is an allocation of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

/* ---- the host's memory ------------------------------------------------------------------------------------- */

static _Atomic size_t asked; /* allocations since the last reset */
static _Atomic size_t fails; /* number of the one that fails; 0 = none */
static _Atomic size_t live;  /* pieces that were not freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

static bool refused(void)
{
    return ++asked == fails;
}

static void *counted(void *memory)
{
    live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (refused())
        return NULL;
    void *memory = __real_realloc(old, size);
    live += memory && !old;
    return memory;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return refused() ? NULL : counted(__real_aligned_alloc(align, size));
}

char *__wrap_strdup(const char *text)
{
    return refused() ? NULL : counted(__real_strdup(text));
}

void __wrap_free(void *memory)
{
    live -= memory != NULL;
    __real_free(memory);
}

/* ---- what is done ------------------------------------------------------------------------------------------ */

enum { WORDS = 64 };

struct work {
    struct atoll_device *device;
    struct atoll_surface *surface;
    struct atoll_module *module;
    char *text, *other;
    uint32_t words[WORDS];
    struct atoll_error error;
};

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".file 1 \"a.cu\"\n.section .debug_str {\nA: .b8 95, 90, 49, 102, 118, 0\n}\n"
    ".global .align 4 .b32 table[4] = {1, 2, 3, 4};\n"
    ".func (.param .b32 r) twice(.param .b32 x)\n{\n .reg .b32 %r<2>;\n ld.param.b32 %r0, [x];\n"
    " add.u32 %r1, %r0, %r0;\n st.param.b32 [r], %r1;\n ret;\n}\n"
    ".visible .entry k(.param .u64 out, .param .u64 s)\n{\n"
    " .reg .b32 %r<9>;\n .reg .b64 %d<6>;\n .reg .pred %p<3>;\n .shared .align 4 .b32 sum;\n"
    " .loc 1 2 3\n ld.param.u64 %d0, [out];\n ld.param.u64 %d1, [s];\n"
    " .loc 1 3 3, function_name A, inlined_at 1 2 3\n mov.u32 %r0, %tid.x;\n"
    " and.b32 %r1, %r0, 3;\n setp.eq.u32 %p0, %r1, 0;\n @%p0 bra A;\n"
    " { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), twice, (a); ld.param.b32 %r2, [b]; }\n bra B;\n"
    "A: mul.wide.u32 %d2, %r1, 4;\n mov.u64 %d3, table;\n add.u64 %d2, %d2, %d3;\n ld.global.b32 %r2, [%d2];\n"
    "B: red.shared.add.u32 [sum], %r2;\n bar.sync 0;\n ld.shared.b32 %r3, [sum];\n"
    " mov.u32 %r4, 0;\n sured.b.add.2d.u32.trap [%d1, {%r4, %r4}], 1;\n"
    " mul.wide.u32 %d4, %r0, 4;\n add.u64 %d4, %d4, %d0;\n st.global.b32 [%d4], %r3;\n ret;\n}\n";

static const char sass[] =
    ".kernel k\n.param 8\n.param 4\n"
    "S2R R0, SR_TID.X;\nSSY `(.meet);\nISETP.LT.AND P0, PT, R0, 0x8, PT;\n@P0 BRA `(.low);\nMOV32I R1, 0x7;\nSYNC;\n"
    ".low:\nIADD R1, R0, c[0x0][0x148];\nSYNC;\n"
    ".meet:\nSHL R2, R0, 0x2;\nIADD R4.CC, R2, c[0x0][0x140];\nIADD.X R5, RZ, c[0x0][0x144];\nSTG.E [R4], R1;\nEXIT;\n";

static bool launch(struct work *w, const void *parameters, size_t bytes)
{
    struct atoll_kernel *kernel;
    struct atoll_stats stats;
    struct atoll_trap trap;
    struct atoll_launch_options options = {.grid = {1, 1, 1},
                                           .block = {WORDS, 1, 1},
                                           .order = ATOLL_ORDER_DETERMINISTIC,
                                           .parameters = parameters,
                                           .parameter_bytes = bytes};
    return atoll_module_kernel(w->module, "k", &kernel, &w->error) &&
           atoll_launch(kernel, &options, &stats, &trap, &w->error);
}

static bool run_ptx(struct work *w)
{
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D, .width = 4, .height = 4, .format = "r32uint"};
    uint64_t parameters[2];
    size_t size;
    if (!atoll_device_create(NULL, &w->device, &w->error) ||
        !atoll_memory_alloc(w->device, sizeof w->words, &parameters[0], &w->error) ||
        !atoll_surface_create(w->device, &desc, &w->surface, &w->error) ||
        !atoll_module_load(w->device, ptx, sizeof ptx - 1, NULL, &w->module, &w->error))
        return false;
    parameters[1] = atoll_surface_handle(w->surface);
    return launch(w, parameters, sizeof parameters) &&
           atoll_memory_read(w->device, parameters[0], w->words, sizeof w->words, &w->error) &&
           atoll_module_text(w->module, ATOLL_TEXT_CANONICAL, &w->text, &size, &w->error);
}

static void expect_ptx(const struct work *w)
{
    uint32_t sum = 0;
    for (uint32_t l = 0; l < WORDS; l++)
        sum += l % 4 ? 2 * l : 1;
    for (uint32_t l = 0; l < WORDS; l++)
        assert_int_equal(w->words[l], sum);
    assert_non_null(strstr(w->text, ".entry k"));
}

static bool run_sass(struct work *w)
{
    uint64_t parameters[2] = {0, 5};
    size_t size, length;
    struct atoll_listing_options options = {.control = true};
    if (!atoll_assemble(sass, sizeof sass - 1, "SM50", NULL, &w->text, &size, &w->error) ||
        !atoll_device_create(NULL, &w->device, &w->error) ||
        !atoll_memory_alloc(w->device, sizeof w->words, &parameters[0], &w->error) ||
        !atoll_module_load(w->device, w->text, size, NULL, &w->module, &w->error) ||
        !atoll_disassemble(w->text, size, &options, &w->other, &length, &w->error))
        return false;
    return launch(w, parameters, 12) &&
           atoll_memory_read(w->device, parameters[0], w->words, sizeof w->words, &w->error);
}

static void expect_sass(const struct work *w)
{
    for (uint32_t l = 0; l < WORDS; l++)
        assert_int_equal(w->words[l], l < 8 ? l + 5 : 7);
    assert_non_null(strstr(w->other, "SSY"));
}

/* A file of nvcc's with line tables. */
static bool read_lines(struct work *w)
{
    static char bytes[1 << 16];
    FILE *file = fopen(DATA_DIR "/lines/fault.sm_50.cubin", "rb");
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return atoll_module_load(NULL, bytes, size, NULL, &w->module, &w->error);
}

static void expect_lines(const struct work *w)
{
    assert_non_null(w->module);
}

static const char visa[] =
    ".version 4.1\n.kernel \"k\"\n.decl OUT v_type=G type=uq num_elts=1 align=qword\n"
    ".decl A v_type=G type=uq num_elts=16 align=GRF\n.decl L v_type=G type=uw num_elts=16 align=GRF\n"
    ".decl D v_type=G type=ud num_elts=16 align=GRF\n.decl E v_type=G type=ub num_elts=64 align=GRF alias=<D, 0>\n"
    ".decl O v_type=G type=ud num_elts=16 align=GRF\n.decl P1 v_type=P num_elts=16\n.decl T6 v_type=T "
    "num_elts=1\n.input OUT offset=32 size=8\n"
    ".kernel_attr SimdSize=16\n.kernel_attr SLMSize=1\n.function \"k_main\"\nk_main:\n"
    "mov (M1_NM, 8) L(0,0)<1> 0x76543210:v\nadd (M1_NM, 8) L(0,8)<1> L(0,0)<1;1,0> 0x8:uw\n"
    "mov (M1, 16) D(0,0)<1> L(0,0)<1;1,0>\nshl (M1, 16) A(0,0)<1> D(0,0)<1;1,0> 0x2:ud\n"
    "shl (M1, 16) O(0,0)<1> D(0,0)<1;1,0> 0x2:ud\nscatter4_scaled.R (M1, 16) %slm 0x0:ud O.0 D.0\nbarrier\n"
    "mad (M1, 16) A(0,0)<1> %r0(0,2)<0;1,0> 0x40:ud A(0,0)<1;1,0>\n"
    "add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> OUT(0,0)<0;1,0>\n"
    "cmp.lt (M1, 16) P1 D(0,0)<1;1,0> 0x8:ud\n(P1) goto (M1, 16) low\nmov (M1, 16) E(0,0)<4> 0x7:ub\nlow:\n"
    "call (M1, 16) twice\nsvm_scatter.4.1 (M1, 16) A.0 D.0\nret (M1, 1)\n"
    ".function \"twice\"\ntwice:\nadd (M1, 16) D(0,0)<1> D(0,0)<1;1,0> D(0,0)<1;1,0>\nret (M1, 16)\n";

static bool run_visa(struct work *w)
{
    uint64_t out;
    return atoll_device_create(NULL, &w->device, &w->error) &&
           atoll_memory_alloc(w->device, sizeof w->words, &out, &w->error) &&
           atoll_module_load(w->device, visa, sizeof visa - 1, NULL, &w->module, &w->error) &&
           launch(w, &out, sizeof out) && atoll_memory_read(w->device, out, w->words, sizeof w->words, &w->error);
}

static void expect_visa(const struct work *w)
{
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(w->words[i], i % 16 < 8 ? 2 * (i % 16) : 14);
}

/* What tells of mistakes needs memory, too: without it there is no verdict. */
static bool run_wrong(struct work *w)
{
    static const char wrong[] = ".version 8.0\n.target sm_75\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<2>;\n"
                                "add.u32 %r0, %r1;\nfoo.b32 %r0;\nmov.b32 %r7, 0;\nadd.u31 %r0, %r0, %r0;\nret;\n}\n";
    bool ok = atoll_module_load(NULL, wrong, sizeof wrong - 1, NULL, &w->module, &w->error);
    assert_false(ok);
    return w->error.status == ATOLL_INVALID;
}

static void expect_wrong(const struct work *w)
{
    assert_in_range(w->error.line, 7, 10); /* the first that was told */
}

static void close_work(struct work *w)
{
    atoll_text_free(w->text);
    atoll_text_free(w->other);
    atoll_module_destroy(w->module);
    atoll_surface_destroy(w->surface);
    atoll_device_destroy(w->device);
}

/* ---- every N ------------------------------------------------------------------------------------------------- */

/* With the n-th allocation refused. False: there were not so many. */
static bool attempt(size_t n, bool (*run)(struct work *), void (*expect)(const struct work *))
{
    struct work w = {0};
    size_t before = live;
    asked = 0;
    fails = n;
    bool ok = run(&w);
    bool reached = asked >= n;
    fails = 0;
    if (ok)
        expect(&w);
    else if (w.error.status != ATOLL_MEMORY || !w.error.message[0])
        fail_msg("allocation %zu: status %d: %s", n, (int)w.error.status, w.error.message);
    close_work(&w);
    if (live != before && n != SIZE_MAX)
        fail_msg("allocation %zu: %zd pieces are lost", n, (ptrdiff_t)(live - before));
    return reached;
}

static void every(bool (*run)(struct work *), void (*expect)(const struct work *))
{
    size_t n = 1, step = 1;
    attempt(SIZE_MAX, run, expect); /* makes what a process makes once (base/once.h) */
    for (; attempt(n, run, expect); n += step)
        step = 1 + n / 500;
    print_message("%zu allocations\n", n - 1);
}

static void ptx_ends_cleanly(void **state)
{
    (void)state;
    every(run_ptx, expect_ptx);
}

static void machine_code_ends_cleanly(void **state)
{
    (void)state;
    every(run_sass, expect_sass);
}

static void line_tables_end_cleanly(void **state)
{
    (void)state;
    every(read_lines, expect_lines);
}

static void visa_ends_cleanly(void **state)
{
    (void)state;
    every(run_visa, expect_visa);
}

static void mistakes_end_cleanly(void **state)
{
    (void)state;
    every(run_wrong, expect_wrong);
}

int main(void)
{
    setenv("ATOLL_ENGINE", "interp", 1); /* libLLVM, if a slow launch had it opened, would keep some for the process */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptx_ends_cleanly),        cmocka_unit_test(machine_code_ends_cleanly),
        cmocka_unit_test(line_tables_end_cleanly), cmocka_unit_test(visa_ends_cleanly),
        cmocka_unit_test(mistakes_end_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
