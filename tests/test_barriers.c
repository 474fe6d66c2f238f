/* Barriers and warp operations. */
#include "engine_text.h"

/* Each round, every thread reads what its neighbour in another warp wrote in the round before. */
static void rounds_through_shared_memory(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, ".shared .u32 cell[128];",
                "mov.u32 %r2, cell; shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r0;\n"
                "add.u32 %r4, %r0, 37; and.b32 %r4, %r4, 127; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r2;\n"
                "mov.u32 %r5, 0;\n"
                "LOOP: bar.sync 0; ld.shared.u32 %r6, [%r4]; bar.sync 0; st.shared.u32 [%r3], %r6;\n"
                "add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 10; @%p0 bra LOOP;\n"
                "st.global.u32 [%rd0], %r6;");
    e.launch.block[0] = 128;
    e.launch.grid[0] = 8;
    for (int order = 0; order < 3; order++) {
        e.launch.order = (enum atoll_order)order;
        engine_must_run(&e, 0);
        for (uint32_t i = 0; i < 1024; i++)
            assert_int_equal(e.words[i], (i % 128 + 370) % 128);
    }
    engine_close(&e);
}

static void reductions(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "setp.lt.u32 %p0, %r0, 70; bar.red.popc.u32 %r2, 0, %p0; setp.ge.u32 %p1, %r0, 0;\n"
                "bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 2, !%p1; bar.red.and.pred %p4, 1, %p0;\n"
                "selp.u32 %r3, 100, 0, %p2; add.u32 %r2, %r2, %r3; selp.u32 %r3, 200, 0, %p3; add.u32 %r2, %r2, %r3;\n"
                "selp.u32 %r3, 400, 0, %p4; add.u32 %r2, %r2, %r3; st.global.u32 [%rd0], %r2;");
    e.launch.block[0] = 96;
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(e.words[i], 170);
    engine_close(&e);
}

/* The warp that completes a reduction begins the next one before the others have read the result. */
static void reductions_one_after_the_other(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                "LOOP: setp.lt.u32 %p0, %r0, %r3; bar.red.popc.u32 %r4, 0, %p0; add.u32 %r2, %r2, %r4;\n"
                "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 10; @%p1 bra LOOP;\n"
                "st.global.u32 [%rd0], %r2;");
    e.launch.block[0] = 96;
    for (int order = 0; order < 3; order++) {
        e.launch.order = (enum atoll_order)order;
        engine_must_run(&e, 0);
        for (uint32_t i = 0; i < 96; i++)
            assert_int_equal(e.words[i], 45);
    }
    engine_close(&e);
}

/* Limits reach a loop in which every warp gives its turn up at a barrier. */
static void endless_loop_around_a_barrier(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "", "LOOP: bar.sync 0; bra LOOP;");
    e.launch.block[0] = 64;
    e.launch.instruction_limit = 10000;
    for (int order = 0; order < 3; order++) {
        e.launch.order = (enum atoll_order)order;
        assert_false(engine_run(&e, 0));
        assert_int_equal(e.error.status, ATOLL_LIMIT);
    }
    engine_close(&e);
}

/* Producers arrive and go on; consumers wait for both. */
static void arrive_with_counts(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, ".shared .u32 cell[32];",
                "mov.u32 %r2, cell; and.b32 %r3, %r0, 31; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r2;\n"
                "setp.lt.u32 %p0, %r0, 32; @%p0 bra CONSUME;\n"
                "add.u32 %r4, %r0, 500; st.shared.u32 [%r3], %r4; barrier.arrive 3, 64; bra DONE;\n"
                "CONSUME: barrier.sync 3, 64; ld.shared.u32 %r5, [%r3]; st.global.u32 [%rd0], %r5;\n"
                "DONE:");
    e.launch.block[0] = 64;
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e.words[i], 532 + i);
    engine_close(&e);
}

/* Threads that have exited are not waited for. */
static void exited_threads_do_not_count(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "", "setp.gt.u32 %p0, %r0, 40; @%p0 exit; bar.sync 0; st.global.u32 [%rd0], 1;");
    e.launch.block[0] = 96;
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(e.words[i], i <= 40);
    engine_close(&e);
}

/* Lanes come to one barrier on two ways. */
static void divergent_arrival(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; @%p0 bra EVEN; barrier.sync 0; bra DONE;\n"
                "EVEN: barrier.sync 0; DONE: st.global.u32 [%rd0], %r0;");
    e.launch.block[0] = 64;
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(e.words[i], i);
    engine_close(&e);
}

static void deadlock_is_reported(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "", "setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 1; bra DONE; A: bar.sync 2; DONE:");
    e.launch.block[0] = 64;
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_TRAP);
    assert_string_equal(e.trap.cause, "barrier-deadlock");
    engine_close(&e);
}

/* PTX ISA, shfl: the four modes with their ranges. */
static void shuffles(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "shfl.sync.up.b32 %r2|%p0, %r0, 3, 0, -1; shfl.sync.down.b32 %r3|%p1, %r0, 5, 31, -1;\n"
                "shfl.sync.bfly.b32 %r4, %r0, 6, 31, -1; shfl.sync.idx.b32 %r5|%p2, %r0, 9, 0x181f, -1;\n"
                "selp.u32 %r6, 1, 0, %p0; selp.u32 %r7, 2, 0, %p1; selp.u32 %r8, 4, 0, %p2;\n"
                "add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8;\n"
                "st.global.u32 [%rd0], %r2; st.global.u32 [%rd0+128], %r3; st.global.u32 [%rd0+256], %r4;\n"
                "st.global.u32 [%rd0+384], %r5; st.global.u32 [%rd0+512], %r6;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(e.words[i], i < 3 ? i : i - 3);
        assert_int_equal(e.words[32 + i], i + 5 > 31 ? i : i + 5);
        assert_int_equal(e.words[64 + i], i ^ 6);
        assert_int_equal(e.words[96 + i], (i & 24) | 1); /* segments of 8: lane 9 & 7 */
        assert_int_equal(e.words[128 + i], (i >= 3 ? 1 : 0) + (i + 5 <= 31 ? 2 : 0) + 4);
    }
    engine_close(&e);
}

static void votes_and_matches(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "setp.lt.u32 %p0, %r0, 7; vote.sync.ballot.b32 %r2, %p0, -1; vote.sync.any.pred %p1, %p0, -1;\n"
                "vote.sync.all.pred %p2, %p0, -1; vote.sync.uni.pred %p3, %p0, -1; and.b32 %r3, %r0, 3;\n"
                "match.any.sync.b32 %r4, %r3, -1; match.all.sync.b32 %r5|%p4, %r3, -1;\n"
                "selp.u32 %r6, 1, 0, %p1; selp.u32 %r7, 2, 0, %p2; selp.u32 %r8, 4, 0, %p3; selp.u32 %r9, 8, 0, %p4;\n"
                "or.b32 %r6, %r6, %r7; or.b32 %r6, %r6, %r8; or.b32 %r6, %r6, %r9;\n"
                "st.global.u32 [%rd0], %r2; st.global.u32 [%rd0+128], %r4; st.global.u32 [%rd0+256], %r6;\n"
                "st.global.u32 [%rd0+384], %r5;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(e.words[i], 0x7f);
        assert_int_equal(e.words[32 + i], UINT32_C(0x11111111) << (i & 3));
        assert_int_equal(e.words[64 + i], 1);
        assert_int_equal(e.words[96 + i], 0);
    }
    engine_close(&e);
}

/* Members that took another way come to the same shfl.sync: it waits for them. */
static void warp_operation_waits_for_members(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r2, 0; setp.lt.u32 %p0, %r0, 16; @%p0 bra MEET;\n"
                "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r0; @%p1 bra LOOP;\n"
                "MEET: bar.warp.sync -1; shfl.sync.idx.b32 %r3, %r2, 31, 31, -1; st.global.u32 [%rd0], %r3;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e.words[i], 31);
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_through_shared_memory),
        cmocka_unit_test(reductions),
        cmocka_unit_test(reductions_one_after_the_other),
        cmocka_unit_test(endless_loop_around_a_barrier),
        cmocka_unit_test(arrive_with_counts),
        cmocka_unit_test(exited_threads_do_not_count),
        cmocka_unit_test(divergent_arrival),
        cmocka_unit_test(deadlock_is_reported),
        cmocka_unit_test(shuffles),
        cmocka_unit_test(votes_and_matches),
        cmocka_unit_test(warp_operation_waits_for_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
