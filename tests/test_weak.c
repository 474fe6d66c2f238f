/* The weak order (docs/memory-model.md): what the memory model allows is seen, what it forbids never. tests/litmus.c
 * runs all litmus tests in it, too; here are kernels, and what a launch refuses. */
#define ENGINE_TARGET  "sm_80"
#define ENGINE_VERSION "8.0"
#include "engine_text.h"

enum { SEEDS = 400 };

static void open_weak(struct engine *e, const char *head, const char *body, uint32_t blocks, uint32_t threads)
{
    engine_open(e, head, body);
    e->launch.grid[0] = blocks;
    e->launch.block[0] = threads;
    e->launch.order = ATOLL_ORDER_SEEDED;
    e->launch.weak = true;
    e->launch.time_limit = 60;
}

static void again(struct engine *e, uint64_t seed)
{
    static const uint32_t zeros[ENGINE_WORDS];
    e->launch.seed = seed;
    assert_true(atoll_memory_write(e->device, e->out, zeros, sizeof zeros, &e->error));
    engine_must_run(e, 0);
}

/* Of two blocks each does its part; which values of words 2 and 3 were seen, as bits 2 * word 2 + word 3. */
static unsigned seen(const char *first, const char *second)
{
    char body[2000];
    struct engine e;
    unsigned all = 0;
    snprintf(body, sizeof body, "setp.ne.u32 %%p0, %%r38, 0; @%%p0 bra SECOND;\n%s\nret;\nSECOND:\n%s", first, second);
    open_weak(&e, "", body, 2, 1);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        again(&e, seed);
        assert_true(e.words[2] < 2 && e.words[3] < 2);
        all |= 1u << (2 * e.words[2] + e.words[3]);
    }
    engine_close(&e);
    return all;
}

/* The reader stores the flag to word 2, the data to word 3. */
#define WRITER(order) "st.relaxed.gpu.global.u32 [%rd1], 1; " order " st.relaxed.gpu.global.u32 [%rd1 + 4], 1;"
#define READER(order)                                                                               \
    "ld.relaxed.gpu.global.u32 %r2, [%rd1 + 4]; " order " ld.relaxed.gpu.global.u32 %r3, [%rd1];\n" \
    "st.global.u32 [%rd1 + 8], %r2; st.global.u32 [%rd1 + 12], %r3;"

static void message_passing(void **state)
{
    (void)state;
    assert_int_equal(seen(WRITER(""), READER("")), 15);
    assert_int_equal(seen(WRITER("fence.acq_rel.gpu;"), READER("")), 15);
    assert_int_equal(seen(WRITER(""), READER("fence.acq_rel.gpu;")), 15);
    assert_int_equal(seen(WRITER("fence.acq_rel.gpu;"), READER("fence.acq_rel.gpu;")), 15 & ~(1u << 2));
    assert_int_equal(seen(WRITER("fence.acq_rel.cta;"), READER("fence.acq_rel.cta;")), 15); /* other blocks */
}

#define STORE_LOAD(own, other, order, result)                                                                \
    "st.relaxed.gpu.global.u32 [%rd1 + " own "], 1; " order " ld.relaxed.gpu.global.u32 %r2, [%rd1 + " other \
    "]; st.global.u32 [%rd1 + " result "], %r2;"

static void store_buffering(void **state)
{
    (void)state;
    assert_true(seen(STORE_LOAD("0", "4", "", "8"), STORE_LOAD("4", "0", "", "12")) & 1);
    assert_true(
        seen(STORE_LOAD("0", "4", "fence.acq_rel.gpu;", "8"), STORE_LOAD("4", "0", "fence.acq_rel.gpu;", "12")) & 1);
    assert_false(seen(STORE_LOAD("0", "4", "fence.sc.gpu;", "8"), STORE_LOAD("4", "0", "fence.sc.gpu;", "12")) & 1);
    assert_false(seen(STORE_LOAD("0", "4", "membar.gl;", "8"), STORE_LOAD("4", "0", "membar.gl;", "12")) & 1);
}

/* Stores of two threads to two words in opposite order: both first ones stay, where nothing forbids it. */
static void stores_pass_each_other(void **state)
{
#define TWO(first, second, order) \
    "st.relaxed.gpu.global.u32 [%rd1 + " first "], 0; " order " st.relaxed.gpu.global.u32 [%rd1 + " second "], 1;"
    (void)state;
    assert_true(seen(TWO("8", "12", ""), TWO("12", "8", "")) & 1);
    assert_false(seen(TWO("8", "12", "fence.sc.gpu;"), TWO("12", "8", "fence.sc.gpu;")) & 1);
}

/* Each block sums its part behind barriers; the last to come, by an atomic behind a fence, sums those sums. */
static const char last_block[] =
    "mul.lo.u32 %r3, %r0, 4; mov.u32 %r4, part; add.u32 %r3, %r3, %r4; add.u32 %r5, %r1, 1; st.shared.u32 [%r3], %r5;\n"
    "mov.u32 %r6, 32;\n"
    "LOOP: bar.sync 0; setp.lt.u32 %p0, %r0, %r6; shl.b32 %r7, %r6, 2; add.u32 %r8, %r3, %r7;\n"
    "@%p0 ld.shared.u32 %r9, [%r8]; @%p0 ld.shared.u32 %r10, [%r3]; @%p0 add.u32 %r9, %r9, %r10;\n"
    "@%p0 st.shared.u32 [%r3], %r9; shr.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra LOOP;\n"
    "setp.ne.u32 %p2, %r0, 0; @%p2 bra WAIT;\n"
    "ld.shared.u32 %r11, [part]; mul.wide.u32 %rd4, %r38, 4; add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4 + 64], "
    "%r11;\n"
    "fence.acq_rel.gpu; atom.relaxed.gpu.global.add.u32 %r12, [%rd1], 1; fence.acq_rel.gpu;\n"
    "st.shared.u32 [last], %r12; WAIT: bar.sync 0; ld.shared.u32 %r13, [last]; setp.ne.u32 %p3, %r13, 7; @%p3 ret;\n"
    "setp.gt.u32 %p4, %r0, 7; @%p4 ret; add.u64 %rd5, %rd1, 64; mul.wide.u32 %rd6, %r0, 4; add.u64 %rd5, %rd5, %rd6;\n"
    "ld.global.u32 %r14, [%rd5]; red.global.add.u32 [%rd1 + 4], %r14;";

static void right_kernels_stay_right(void **state)
{
    struct engine e;
    (void)state;
    open_weak(&e, ".shared .align 4 .b32 part[64]; .shared .align 4 .b32 last;", last_block, 8, 64);
    e.launch.checks = ATOLL_CHECK_RACE;
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        again(&e, seed);
        assert_int_equal(e.words[1], 512 * 513 / 2);
        assert_int_equal(e.stats.findings, 0);
    }
    engine_close(&e);
}

/* A lock: what was done under it is seen by who has it next. */
static void lock(void **state)
{
    struct engine e;
    (void)state;
    open_weak(&e, "",
              "TRY: atom.acquire.gpu.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra TRY;\n"
              "ld.global.u32 %r3, [%rd1 + 4]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1 + 4], %r3;\n"
              "st.release.gpu.global.u32 [%rd1], 0;",
              4, 40);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        again(&e, seed);
        assert_int_equal(e.words[1], 160);
    }
    engine_close(&e);
}

/* Loads are whole, whatever they read: of 8 bytes, of halves of a word. */
static void loads_are_not_torn(void **state)
{
    struct engine e;
    unsigned older = 0;
    (void)state;
    open_weak(&e, "",
              "setp.ne.u32 %p0, %r38, 0; @%p0 bra READ; mov.u64 %rd4, 1; mov.u32 %r5, 0;\n"
              "LOOP: st.relaxed.gpu.global.u64 [%rd1], %rd4; mad.lo.u64 %rd4, %rd4, 1, 0x100000001;\n"
              "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20; @%p1 bra LOOP; ret;\n"
              "READ: ld.relaxed.gpu.global.u64 %rd5, [%rd1]; ld.relaxed.gpu.global.u64 %rd6, [%rd1];\n"
              "st.global.u64 [%rd1 + 8], %rd5; st.global.u64 [%rd1 + 16], %rd6;",
              2, 1);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        again(&e, seed);
        for (unsigned i = 2; i < 6; i += 2)
            assert_true((e.words[i] == 0 && e.words[i + 1] == 0) || e.words[i] == e.words[i + 1] + 1);
        assert_true(e.words[4] >= e.words[2]); /* coherence */
        older += e.words[4] < 20;
    }
    assert_true(older > 0);
    engine_close(&e);
}

static void seeds_repeat(void **state)
{
    static const char body[] = "ld.volatile.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, %r1;\n"
                               "st.volatile.global.u32 [%rd1], %r3; ld.volatile.global.u32 %r4, [%rd1];\n"
                               "st.global.u32 [%rd0 + 4], %r4;";
    static uint32_t first[ENGINE_WORDS];
    struct engine e;
    (void)state;
    open_weak(&e, "", body, 8, 40);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        again(&e, seed);
        memcpy(first, e.words, sizeof first);
        again(&e, seed);
        assert_memory_equal(first, e.words, sizeof first);
    }
    engine_close(&e);
}

/* A great many places: older values are forgotten, and results are right. */
static void many_places(void **state)
{
    struct engine e;
    uint64_t memory;
    (void)state;
    open_weak(&e, "",
              "mov.u32 %r5, 0; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd4, %rd2;\n"
              "LOOP: st.global.u32 [%rd4], %r5; ld.global.u32 %r6, [%rd4]; setp.ne.u32 %p1, %r6, %r5; @%p1 trap;\n"
              "add.u64 %rd4, %rd4, 2048; add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 300; @%p0 bra LOOP;\n"
              "st.global.u32 [%rd0], %r5;",
              8, 64);
    assert_true(atoll_memory_alloc(e.device, 2048 * 300, &memory, &e.error));
    e.launch.seed = 3;
    engine_must_run(&e, memory);
    for (unsigned i = 0; i < 512; i++)
        assert_int_equal(e.words[i], 300);
    engine_close(&e);
}

static void refused(void **state)
{
    static const char old[] = ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k() { ret; }";
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct engine e;
    (void)state;
    open_weak(&e, "", "", 1, 1);
    e.launch.order = ATOLL_ORDER_DETERMINISTIC;
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_USAGE);
    assert_non_null(strstr(e.error.message, "ATOLL_ORDER_SEEDED"));
    assert_true(atoll_module_load(e.device, old, sizeof old - 1, NULL, &module, &e.error));
    assert_true(atoll_module_kernel(module, "k", &kernel, &e.error));
    struct atoll_launch_options launch = {.order = ATOLL_ORDER_SEEDED, .weak = true};
    assert_false(atoll_launch(kernel, &launch, NULL, NULL, &e.error));
    assert_int_equal(e.error.status, ATOLL_USAGE);
    assert_non_null(strstr(e.error.message, "not of its target"));
    atoll_module_destroy(module);
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_passing),
        cmocka_unit_test(store_buffering),
        cmocka_unit_test(stores_pass_each_other),
        cmocka_unit_test(right_kernels_stay_right),
        cmocka_unit_test(lock),
        cmocka_unit_test(loads_are_not_torn),
        cmocka_unit_test(seeds_repeat),
        cmocka_unit_test(many_places),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
