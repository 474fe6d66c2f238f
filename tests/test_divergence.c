/* Which lanes run where: branches, loops with different lengths, early exits, locks inside of a warp, calls. */
#include "engine_text.h"

static void both_ways(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; @%p0 bra EVEN;\n"
                "add.u32 %r3, %r0, 1000; bra DONE;\n"
                "EVEN: add.u32 %r3, %r0, 2000;\n"
                "DONE: activemask.b32 %r4; st.global.u32 [%rd0], %r3; st.global.u32 [%rd0+128], %r4;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(e.words[i], i + (i % 2 ? 1000 : 2000));
        assert_int_equal(e.words[32 + i], UINT32_MAX); /* reconverged */
    }
    assert_int_equal(e.stats.divergent_branches, 1);
    engine_close(&e);
}

static void loops_of_different_length(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                "LOOP: add.u32 %r3, %r3, %r2; add.u32 %r2, %r2, 1; setp.le.u32 %p0, %r2, %r0; @%p0 bra LOOP;\n"
                "st.global.u32 [%rd0], %r3;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e.words[i], i * (i + 1) / 2);
    engine_close(&e);
}

static void early_exit(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "setp.lt.u32 %p0, %r0, 5; @%p0 exit; setp.gt.u32 %p1, %r0, 40; @%p1 ret;\n"
                "activemask.b32 %r2; st.global.u32 [%rd0], %r2;");
    e.launch.block[0] = 50; /* a warp of 18 */
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(e.words[i], i < 5 || i > 40 ? 0 : i < 32 ? 0xffffffe0 : 0x1ff);
    engine_close(&e);
}

/* Every lane takes the same lock: without fairness the lanes that spin would starve the one that holds it. */
static void lock_between_lanes(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, ".global .u32 lock; .global .u32 count;",
                "mov.u64 %rd4, lock; mov.u64 %rd5, count;\n"
                "SPIN: atom.global.cas.b32 %r2, [%rd4], 0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra SPIN;\n"
                "ld.volatile.global.u32 %r3, [%rd5]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd5], %r3;\n"
                "membar.gl; atom.global.exch.b32 %r4, [%rd4], 0;\n"
                "st.global.u32 [%rd0], %r3;");
    e.launch.block[0] = 96;
    for (int order = 0; order < 3; order++) {
        uint32_t sum = 0;
        e.launch.order = (enum atoll_order)order;
        e.launch.time_limit = 60;
        engine_must_run(&e, 0);
        for (uint32_t i = 0; i < 96; i++)
            sum += e.words[i];
        assert_int_equal(sum, 96 * 97 / 2 + 96 * 96 * (uint32_t)order); /* count goes on from launch to launch */
    }
    engine_close(&e);
}

static void jump_table(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "and.b32 %r2, %r0, 3; TS: .branchtargets A, B, C, D; brx.idx %r2, TS;\n"
                "A: mov.u32 %r3, 10; bra END; B: mov.u32 %r3, 11; bra END; C: mov.u32 %r3, 12; bra END;\n"
                "D: mov.u32 %r3, 13; END: st.global.u32 [%rd0], %r3;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e.words[i], 10 + i % 4);
    engine_close(&e);
}

static void recursion_of_different_depth(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e,
                ".func (.reg .u32 r) sum(.reg .u32 a) {\n"
                " .reg .pred %p; .reg .u32 %t; mov.u32 r, 0; setp.eq.u32 %p, a, 0; @%p bra OUT;\n"
                " sub.u32 %t, a, 1; call (%t), sum, (%t); add.u32 r, a, %t; OUT: ret; }",
                "call (%r2), sum, (%r0); st.global.u32 [%rd0], %r2;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e.words[i], i * (i + 1) / 2);
    engine_close(&e);
}

static void guarded_writes_keep_other_lanes(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r2, 7; setp.lt.u32 %p0, %r0, 9; @%p0 mov.u32 %r2, 8; @!%p0 add.u32 %r2, %r2, 93;\n"
                "cvt.u64.u32 %rd4, %r0; @%p0 shl.b64 %rd4, %rd4, 4; cvt.u32.u64 %r3, %rd4; add.u32 %r2, %r2, %r3;\n"
                "st.global.u32 [%rd0], %r2;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(e.words[i], i < 9 ? 8 + 16 * i : 100 + i);
    engine_close(&e);
}

/* Some lanes access a row of shared memory: a row inside of it, one that ends after it and one that would begin before
 * it. Addresses of the lanes that do not run do not matter, and what they would touch stays. */
static void rows_of_shared_memory_for_some_lanes(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, ".shared .align 4 .u32 cell[40];",
                "mov.u32 %r10, cell; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r10; add.u32 %r3, %r0, 100;\n"
                "st.shared.u32 [%r2], %r3;\n"
                "setp.lt.u32 %p0, %r0, 8; @!%p0 bra ODD; add.u32 %r4, %r2, 128; add.u32 %r3, %r0, 132;\n"
                "st.shared.u32 [%r4], %r3;\n"
                "ODD: and.b32 %r5, %r0, 1; setp.ne.u32 %p1, %r5, 0; selp.u32 %r4, %r2, 0xdeadbeef, %p1;\n"
                "mov.u32 %r6, 7; @!%p1 bra TOP; ld.shared.u32 %r6, [%r4];\n"
                "TOP: setp.ge.u32 %p2, %r0, 24; mov.u32 %r7, 7; @!%p2 bra UP; ld.shared.u32 %r7, [%r2+32];\n"
                "UP: mov.u32 %r8, 7; @!%p0 bra DOWN; ld.shared.u32 %r8, [%r2+128];\n"
                "DOWN: setp.ge.u32 %p3, %r0, 4; mov.u32 %r9, 7; @!%p3 bra STORE; ld.shared.u32 %r9, [%r2+-16];\n"
                "STORE: @!%p1 bra BACK; st.shared.u32 [%r4], %r0;\n"
                "BACK: ld.shared.u32 %r3, [%r2]; st.global.u32 [%rd0], %r6; st.global.u32 [%rd0+128], %r7;\n"
                "st.global.u32 [%rd0+256], %r8; st.global.u32 [%rd0+384], %r9; st.global.u32 [%rd0+512], %r3;");
    engine_must_run(&e, 0);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(e.words[i], i % 2 ? 100 + i : 7);
        assert_int_equal(e.words[32 + i], i >= 24 ? 108 + i : 7);
        assert_int_equal(e.words[64 + i], i < 8 ? 132 + i : 7);
        assert_int_equal(e.words[96 + i], i >= 4 ? 96 + i : 7);
        assert_int_equal(e.words[128 + i], i % 2 ? i : 100 + i);
    }
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(loops_of_different_length),
        cmocka_unit_test(early_exit),
        cmocka_unit_test(lock_between_lanes),
        cmocka_unit_test(jump_table),
        cmocka_unit_test(recursion_of_different_depth),
        cmocka_unit_test(guarded_writes_keep_other_lanes),
        cmocka_unit_test(rows_of_shared_memory_for_some_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
