/* Barrier objects: phases, counts, transactions, states; waiting loops; red.async; what is undefined is a fault. */
#define ENGINE_TARGET  "sm_90"
#define ENGINE_VERSION "8.1"
#include "engine_text.h"

#include "mem/mbarrier.h"

/* ---- the object alone ------------------------------------------------------------------------------------- */

static void phases(void **state)
{
    (void)state;
    uint64_t object = 0, before, first;
    bool over;
    assert_null(mbarrier_init(&object, 3));
    assert_null(mbarrier_arrive(&object, 1, false, false, &first));
    assert_int_equal(first & MBARRIER_COUNT, 3);
    assert_null(mbarrier_test(&object, first, &over));
    assert_false(over);
    assert_null(mbarrier_arrive(&object, 2, false, false, &before));
    assert_int_equal(before & MBARRIER_COUNT, 2);
    assert_null(mbarrier_test(&object, first, &over));
    assert_true(over);
    assert_null(mbarrier_arrive(&object, 3, false, false, &before)); /* the second phase wants 3 again */
    assert_int_equal(before >> MBARRIER_PARITY, 1);
    assert_null(mbarrier_test(&object, before, &over));
    assert_true(over);
}

static void transactions(void **state)
{
    (void)state;
    uint64_t object = 0, first, before;
    bool over;
    assert_null(mbarrier_init(&object, 1));
    assert_null(mbarrier_transact(&object, 16));
    assert_null(mbarrier_arrive(&object, 1, false, false, &first));
    assert_null(mbarrier_transact(&object, -12));
    assert_null(mbarrier_test(&object, first, &over));
    assert_false(over);
    assert_null(mbarrier_transact(&object, -4));
    assert_null(mbarrier_test(&object, first, &over));
    assert_true(over);
    /* They may complete before they are expected. */
    assert_null(mbarrier_transact(&object, -8));
    assert_null(mbarrier_arrive(&object, 1, false, false, &before));
    assert_null(mbarrier_test(&object, before, &over));
    assert_false(over);
    assert_null(mbarrier_transact(&object, 8));
    assert_null(mbarrier_test(&object, before, &over));
    assert_true(over);
}

static void drops(void **state)
{
    (void)state;
    uint64_t object = 0, before;
    assert_null(mbarrier_init(&object, 5));
    assert_null(mbarrier_arrive(&object, 2, true, false, &before));
    assert_null(mbarrier_arrive(&object, 3, false, false, &before));
    assert_null(mbarrier_arrive(&object, 1, false, true, &before));
    assert_int_equal(before & MBARRIER_COUNT, 3); /* 2 fewer in the second phase */
}

static void limits(void **state)
{
    (void)state;
    uint64_t object = 0, before, kept;
    bool over;
    assert_non_null(mbarrier_arrive(&object, 1, false, false, &before));
    assert_non_null(mbarrier_transact(&object, 1));
    assert_non_null(mbarrier_test(&object, 0, &over));
    assert_non_null(mbarrier_inval(&object));
    assert_non_null(mbarrier_init(&object, 0));
    assert_non_null(mbarrier_init(&object, 1 << 20));
    assert_null(mbarrier_init(&object, (1 << 20) - 1));
    kept = object;
    assert_non_null(mbarrier_arrive(&object, 0, false, false, &before));
    assert_non_null(mbarrier_arrive(&object, 1 << 20, false, false, &before));
    assert_non_null(mbarrier_arrive(&object, (1 << 20) - 1, false, true, &before));
    assert_non_null(mbarrier_transact(&object, 1 << 20));
    assert_non_null(mbarrier_transact(&object, -(1 << 20)));
    assert_int_equal(object, kept); /* faults leave it alone */
    assert_null(mbarrier_transact(&object, (1 << 20) - 1));
    assert_null(mbarrier_transact(&object, -(1 << 20) + 1));
    assert_int_equal(object, kept);
    assert_null(mbarrier_transact(&object, -(1 << 20) + 1));
    assert_null(mbarrier_transact(&object, (1 << 20) - 1));
    assert_int_equal(object, kept);
    assert_null(mbarrier_inval(&object));
    assert_non_null(mbarrier_inval(&object));
}

/* ---- kernels ---------------------------------------------------------------------------------------------- */

#define SHARED ".shared .align 8 .b64 bar; .shared .align 16 .b32 cell[64];"
#define INIT   "setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared::cta.b64 [bar], %r39; bar.sync 0;\n"

static void every_order(struct engine *e, void (*look)(const struct engine *))
{
    for (int order = 0; order < 3; order++)
        for (uint64_t seed = 0; seed < (order == ATOLL_ORDER_SEEDED ? 50 : 1); seed++) {
            e->launch.order = (enum atoll_order)order;
            e->launch.seed = seed;
            memset(e->words, 0xff, sizeof e->words);
            engine_must_run(e, 0);
            look(e);
        }
}

/* What threads of another warp wrote before they arrived is there after the wait; ten phases, by parity. */
static void look_rounds(const struct engine *e)
{
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(e->words[i], (i % 64 + 37 * 10) % 64);
}

static void rounds_by_parity(void **state)
{
    (void)state;
    static const char *const waits[] = {"try_wait.parity.shared::cta", "test_wait.parity.shared",
                                        "try_wait.parity.acquire.cta"};
    for (unsigned i = 0; i < 3; i++) {
        struct engine e;
        char body[2000];
        snprintf(body, sizeof body,
                 "%s"
                 "mov.u64 %%rd5, bar; cvta.shared.u64 %%rd5, %%rd5;\n"
                 "mov.u32 %%r2, cell; shl.b32 %%r3, %%r0, 2; add.u32 %%r3, %%r3, %%r2; st.shared.u32 [%%r3], %%r0;\n"
                 "add.u32 %%r4, %%r0, 37; and.b32 %%r4, %%r4, 63; shl.b32 %%r4, %%r4, 2; add.u32 %%r4, %%r4, %%r2;\n"
                 "mov.u32 %%r5, 0; mov.u32 %%r7, 0;\n"
                 "LOOP: mbarrier.arrive.b64 %%rd4, [%%rd5];\n"
                 "W1: mbarrier.%s.b64 %%p1, [%s], %%r7; @!%%p1 bra W1; xor.b32 %%r7, %%r7, 1;\n"
                 "ld.shared.u32 %%r6, [%%r4]; mbarrier.arrive.release.cta.shared.b64 _, [bar], 1;\n"
                 "W2: mbarrier.%s.b64 %%p1, [%s], %%r7; @!%%p1 bra W2; xor.b32 %%r7, %%r7, 1;\n"
                 "st.shared.u32 [%%r3], %%r6;\n"
                 "add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p0, %%r5, 10; @%%p0 bra LOOP;\n"
                 "st.global.u32 [%%rd0], %%r6;",
                 INIT, waits[i], i == 2 ? "%rd5" : "bar", waits[i], i == 2 ? "%rd5" : "bar");
        engine_open(&e, SHARED, body);
        e.launch.block[0] = 64;
        e.launch.grid[0] = 4;
        every_order(&e, look_rounds);
        engine_close(&e);
    }
}

/* Lanes of one warp wait for each other: the odd ones loop until the even ones have arrived, by state. */
static void look_states(const struct engine *e)
{
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e->words[i], i % 2 ? 77 : 1);
}

static void waits_within_a_warp(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct engine e;
        char body[1200];
        snprintf(body, sizeof body,
                 "%s"
                 "and.b32 %%r2, %%r0, 1; setp.eq.u32 %%p1, %%r2, 1; mov.u32 %%r3, 1; @!%%p1 bra EVEN;\n"
                 "mbarrier.arrive.shared.b64 %%rd4, [bar];\n"
                 "WAIT: mbarrier.%s.shared.b64 %%p2, [bar], %%rd4; @!%%p2 bra WAIT;\n"
                 "ld.shared.u32 %%r3, [cell]; bra DONE;\n"
                 "EVEN: mov.u32 %%r4, 77; st.shared.u32 [cell], %%r4; mbarrier.arrive.shared.b64 %%rd4, [bar];\n"
                 "DONE: st.global.u32 [%%rd0], %%r3;",
                 INIT, i ? "try_wait" : "test_wait");
        engine_open(&e, SHARED, body);
        every_order(&e, look_states);
        engine_close(&e);
    }
}

/* Every thread adds to a cell of shared memory; the barrier counts the bytes: 4 a thread. Warp 0 waits for them. */
static void look_async(const struct engine *e)
{
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e->words[i], 96 * 95 / 2);
}

#define ASYNC "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."

static void async_reductions(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, SHARED,
                "setp.eq.u32 %p0, %r0, 0; @!%p0 bra GO;\n"
                "mov.u32 %r3, 0; st.shared.u32 [cell], %r3; mbarrier.init.shared::cta.b64 [bar], 1;\n"
                "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd4, [bar], 384;\n"
                "fence.mbarrier_init.release.cluster;\n"
                "GO: bar.sync 0;\n"
                "mov.u32 %r5, cell; mapa.shared::cluster.u32 %r6, %r5, 0; mov.u32 %r7, bar;\n" ASYNC
                "add.u32 [%r6], %r0, [%r7]; setp.lt.u32 %p1, %r0, 32; @!%p1 bra DONE;\n"
                "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0, 1000; @!%p2 bra WAIT;\n"
                "ld.shared.u32 %r8, [cell]; st.global.u32 [%rd0], %r8;\nDONE:");
    e.launch.block[0] = 96;
    every_order(&e, look_async);
    engine_close(&e);
}

/* Each operation of red.async, and its bytes in the barrier's count. */
static void async_operations(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        uint64_t start, operand, result;
    } cases[] = {
        {"inc.u32", 6, 6, 0},
        {"dec.u32", 0, 9, 9},
        {"min.u32", 5, 0xffffffff, 5},
        {"min.s32", 5, 0xffffffff, 0xffffffff},
        {"max.u32", 5, 0xffffffff, 0xffffffff},
        {"max.s32", 5, 0xffffffff, 5},
        {"and.b32", 12, 10, 8},
        {"or.b32", 12, 10, 14},
        {"xor.b32", 12, 10, 6},
        {"add.u32", 12, 0xffffffff, 11},
        {"add.s32", 12, 0xffffffff, 11},
        {"add.u64", UINT64_MAX, 5, 4},
        {"add.s64", 3, UINT64_MAX, 2},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool wide = strstr(cases[i].op, "64") != NULL;
        struct engine e;
        char body[1000];
        snprintf(body, sizeof body,
                 "setp.eq.u32 %%p0, %%r0, 0; @!%%p0 bra DONE; mbarrier.init.shared.b64 [bar], 1;\n"
                 "mov.b64 %%rd4, %llu; st.shared.b64 [cell], %%rd4; mov.b64 %%rd5, %llu; cvt.u32.u64 %%r2, %%rd5;\n"
                 "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], %u; mbarrier.arrive.shared.b64 %%rd6, [bar];\n"
                 "mbarrier.test_wait.shared.b64 %%p1, [bar], %%rd6;\n" ASYNC "%s [cell], %s, [bar];\n"
                 "mbarrier.test_wait.shared.b64 %%p2, [bar], %%rd6;\n"
                 "ld.shared.b64 %%rd7, [cell]; st.global.b64 [%%rd1], %%rd7;\n"
                 "selp.u32 %%r3, 1, 0, %%p1; selp.u32 %%r4, 2, 0, %%p2; add.u32 %%r3, %%r3, %%r4;\n"
                 "st.global.u32 [%%rd1+8], %%r3;\nDONE:",
                 (unsigned long long)cases[i].start, (unsigned long long)cases[i].operand, wide ? 8 : 4, cases[i].op,
                 wide ? "%rd5" : "%r2");
        engine_open(&e, SHARED, body);
        engine_must_run(&e, 0);
        uint64_t got = e.words[0] | (uint64_t)e.words[1] << 32;
        assert_int_equal(wide ? got : (uint32_t)got, cases[i].result);
        assert_int_equal(e.words[2], 2); /* not before, but after */
        engine_close(&e);
    }
}

static void counts_and_states(void **state)
{
    (void)state;
    struct engine e;
    engine_open(
        &e, SHARED,
        "setp.eq.u32 %p0, %r0, 0; @!%p0 bra DONE; mbarrier.init.shared.b64 [bar], 7;\n"
        "mbarrier.arrive.noComplete.shared.b64 %rd4, [bar], 2; mbarrier.pending_count.b64 %r2, %rd4;\n"
        "mbarrier.arrive_drop.noComplete.shared.b64 %rd4, [bar], 1; mbarrier.pending_count.b64 %r3, %rd4;\n"
        "mbarrier.arrive_drop.shared::cluster.b64 _, [bar], 4; mbarrier.arrive.noComplete.shared.b64 %rd4, [bar], 1;\n"
        "mbarrier.pending_count.b64 %r4, %rd4; mbarrier.arrive_drop.shared.b64 %rd5, [bar];\n"
        "mbarrier.test_wait.shared.b64 %p1, [bar], %rd5; selp.u32 %r5, 1, 0, %p1;\n"
        "mbarrier.inval.shared.b64 [bar]; mbarrier.init.shared.b64 [bar], 1; getctarank.shared::cluster.u32 %r6, bar;\n"
        "st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1+8], %r4;\n"
        "st.global.u32 [%rd1+12], %r5; st.global.u32 [%rd1+16], %r6;\nDONE:");
    engine_must_run(&e, 0);
    const uint32_t want[] = {7, 5, 2, 1, 0};
    assert_memory_equal(e.words, want, sizeof want);
    engine_close(&e);
}

static void expect_stop(const char *body, const char *cause, const char *part)
{
    struct engine e;
    engine_open(&e, SHARED, body);
    e.trap = (struct atoll_trap){0};
    assert_false(engine_run(&e, 0));
    if (cause)
        assert_string_equal(e.trap.cause, cause);
    if (!strstr(e.error.message, part))
        fail_msg("'%s' in: %s", part, e.error.message);
    engine_close(&e);
}

static void faults(void **state)
{
    (void)state;
    expect_stop("mbarrier.arrive.shared.b64 %rd4, [bar];", "mbarrier", "no barrier object");
    expect_stop("mbarrier.init.shared.b64 [bar], 0;", "mbarrier", "1 to 2^20 - 1");
    expect_stop(INIT "mbarrier.arrive.shared.b64 %rd4, [bar], 33;", "mbarrier", "more arrivals than are pending");
    expect_stop(INIT "mbarrier.arrive.noComplete.shared.b64 %rd4, [bar], 1;", "mbarrier", ".noComplete completes");
    expect_stop(INIT "mbarrier.expect_tx.shared.b64 [bar], 600000;", "mbarrier", "transactions");
    expect_stop(INIT "mbarrier.inval.shared.b64 [bar];", "mbarrier", "invalidated");
    expect_stop("mbarrier.init.b64 [%rd1], 1;", "mbarrier", "not lie in shared memory");
    expect_stop("mbarrier.init.shared.b64 [bar+4], 1;", "misaligned", "8 bytes");
    expect_stop("mbarrier.init.shared.b64 [bar+65536], 1;", "out-of-bounds", "shared memory");
    expect_stop("mov.u32 %r2, cell; mapa.shared::cluster.u32 %r2, %r2, 1;", NULL, "mapa of another block");
}

/* A guard keeps lanes from what does not concern them. */
static void guards(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, SHARED,
                "setp.eq.u32 %p0, %r0, 3; mov.u32 %r2, 5; mov.u32 %r3, 9; @!%p0 mapa.u32 %r2, %r3, 0;\n"
                "mov.u32 %r4, 1; @%p1 mapa.u32 %r2, %r3, %r4; st.global.u32 [%rd0], %r2;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e.words[i], i == 3 ? 5 : 9);
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases),           cmocka_unit_test(transactions),     cmocka_unit_test(drops),
        cmocka_unit_test(limits),           cmocka_unit_test(rounds_by_parity), cmocka_unit_test(waits_within_a_warp),
        cmocka_unit_test(async_reductions), cmocka_unit_test(async_operations), cmocka_unit_test(counts_and_states),
        cmocka_unit_test(faults),           cmocka_unit_test(guards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
