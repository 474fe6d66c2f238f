/* Lanes of a warp that come to a barrier on different ways, one after the other, or never because they exit: the warp
 * arrives once all that are left have come (PTX ISA, "barrier{.cta}"). */
#include "engine_text.h"

enum { ORDERS = 3 };

/* Runs the body in all orders; thread i must have stored value(i). */
static void all_orders(const char *head, const char *body, uint32_t threads, uint32_t (*value)(uint32_t))
{
    struct engine e;
    engine_open(&e, head, body);
    e.launch.block[0] = threads;
    e.launch.grid[0] = 5;
    e.launch.time_limit = 60;
    for (int run = 0; run < 8; run++) {
        e.launch.order = (enum atoll_order)(run < ORDERS ? run : ATOLL_ORDER_SEEDED);
        e.launch.seed = (uint64_t)run;
        engine_must_run(&e, 0);
        for (uint32_t i = 0; i < 5 * threads; i++)
            if (e.words[i] != value(i % threads))
                fail_msg("order %d, thread %u: %u, wanted %u", e.launch.order, i, e.words[i], value(i % threads));
        assert_true(atoll_memory_write(e.device, e.out, (uint32_t[ENGINE_WORDS]){0}, sizeof e.words, &e.error));
    }
    engine_close(&e);
}

static uint32_t first_lanes(uint32_t thread)
{
    return thread % 32 == 0;
}

/* Lane 0 of each warp comes; the others branch away and exit, before or after it. */
static void counted_barrier_sees_lanes_exit(void **state)
{
    (void)state;
    all_orders("",
               "and.b32 %r2, %r0, 31; setp.ne.u32 %p0, %r2, 0; @%p0 bra END;\n"
               "barrier.sync 1, 64; st.global.u32 [%rd0], 1; END:",
               64, first_lanes);
    all_orders("",
               "and.b32 %r2, %r0, 31; setp.eq.u32 %p0, %r2, 0; @%p0 bra MEET; ret;\n"
               "MEET: bar.sync 1, 64; st.global.u32 [%rd0], 1;",
               64, first_lanes);
    all_orders("",
               "and.b32 %r2, %r0, 31; setp.ne.u32 %p0, %r2, 0; mov.u32 %r3, 0;\n"
               "LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r0; @%p1 bra LOOP; @%p0 exit;\n"
               "barrier.sync 15, 128; st.global.u32 [%rd0], 1;",
               128, first_lanes);
}

static uint32_t first_warp(uint32_t thread)
{
    return thread < 32;
}

static void arrival_of_some_lanes(void **state)
{
    (void)state;
    all_orders("",
               "setp.ge.u32 %p0, %r0, 32; @%p0 bra PROD; barrier.sync 1, 64; st.global.u32 [%rd0], 1; ret;\n"
               "PROD: setp.ne.u32 %p0, %r0, 32; @%p0 bra END; barrier.arrive 1, 64; END:",
               64, first_warp);
    /* lanes arrive on two ways, with work between */
    all_orders("",
               "setp.ge.u32 %p0, %r0, 32; @%p0 bra PROD; bar.sync 3, 64; st.global.u32 [%rd0], 1; ret;\n"
               "PROD: setp.ge.u32 %p0, %r0, 40; @%p0 bra LATE; barrier.arrive 3, 64; bra END;\n"
               "LATE: mov.u32 %r3, 0; LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r0; @%p1 bra LOOP;\n"
               "barrier.arrive 3, 64; END:",
               64, first_warp);
}

static uint32_t all_but_last(uint32_t thread)
{
    return thread % 32 != 31;
}

/* 31 lanes are a warp, on two ways. */
static void partly_exited_warp_counts_as_a_warp(void **state)
{
    (void)state;
    static const char body[] = "and.b32 %r2, %r0, 31; setp.eq.u32 %p0, %r2, 31; @%p0 exit; setp.ge.u32 %p0, %r2, 16;\n"
                               "@%p0 bra B; barrier.sync 1, %r39; bra END; B: barrier.sync 1, %r39;\n"
                               "END: st.global.u32 [%rd0], 1;";
    all_orders("", body, 32, all_but_last);
    all_orders("", body, 96, all_but_last);
}

static uint32_t odd_sum(uint32_t thread)
{
    return thread % 2 ? 3 * 8 + 1000 : 0;
}

/* Even lanes exit; the rest reduces on three ways: the predicate is true for 8 lanes of each of 3 warps. */
static void reductions_on_several_ways(void **state)
{
    (void)state;
    all_orders("",
               "and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; @%p0 exit; and.b32 %r3, %r0, 31;\n"
               "setp.lt.u32 %p1, %r3, 16; setp.lt.u32 %p2, %r3, 8; setp.lt.u32 %p3, %r3, 24;\n"
               "@%p2 bra A; @%p3 bra B; barrier.red.popc.u32 %r4, 2, 96, %p1; bra END;\n"
               "A: barrier.red.popc.u32 %r4, 2, 96, %p1; bra END; B: barrier.red.popc.u32 %r4, 2, 96, %p1;\n"
               "END: setp.lt.u32 %p4, %r4, 25; barrier.red.and.pred %p5, 2, %p4; barrier.red.or.pred %p6, 5, !%p4;\n"
               "selp.u32 %r5, 1000, 0, %p5; @%p6 mov.u32 %r5, 5; add.u32 %r4, %r4, %r5; st.global.u32 [%rd0], %r4;",
               96, odd_sum);
}

static uint32_t passed(uint32_t thread)
{
    return thread < 64 ? 4 * 32 : 0;
}

/* A ring of two full and two empty barriers between a warp that makes and two that take; lanes of the maker's exit. */
static void several_barriers_at_a_time(void **state)
{
    (void)state;
    all_orders(".shared .u32 cell[2];",
               "mov.u32 %r10, cell; mov.u32 %r2, 0; mov.u32 %r7, 0; setp.ge.u32 %p0, %r0, 64; @%p0 bra MAKE;\n"
               "TAKE: and.b32 %r3, %r2, 1; shl.b32 %r4, %r3, 2; add.u32 %r4, %r4, %r10; add.u32 %r5, %r3, 1;\n"
               "add.u32 %r6, %r3, 3; barrier.sync %r5, 96; ld.volatile.shared.u32 %r8, [%r4]; add.u32 %r7, %r7, %r8;\n"
               "barrier.arrive %r6, 96; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 32; @%p1 bra TAKE;\n"
               "shr.u32 %r7, %r7, 2; st.global.u32 [%rd0], %r7; ret;\n"
               "MAKE: setp.ge.u32 %p1, %r0, 90; @%p1 exit;\n"
               "PUT: and.b32 %r3, %r2, 1; shl.b32 %r4, %r3, 2; add.u32 %r4, %r4, %r10; add.u32 %r5, %r3, 1;\n"
               "add.u32 %r6, %r3, 3; setp.lt.u32 %p2, %r2, 2; @%p2 bra FIRST; barrier.sync %r6, 96;\n"
               "FIRST: mov.u32 %r9, 16; st.volatile.shared.u32 [%r4], %r9;\n"
               "setp.lt.u32 %p3, %r0, 70; @%p3 bra SIDE; barrier.arrive %r5, 96; bra NEXT;\n"
               "SIDE: barrier.arrive %r5, 96; NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 32; @%p1 bra PUT;",
               96, passed);
}

static uint32_t one(uint32_t thread)
{
    (void)thread;
    return 1;
}

/* Barriers of the whole block do not wait for warps that exit, wholly or in part, whenever that is. */
static uint32_t upper(uint32_t thread)
{
    return thread >= 70;
}

static void whole_block(void **state)
{
    (void)state;
    all_orders("", "setp.lt.u32 %p0, %r0, 70; @%p0 exit; bar.sync 0; bar.sync 7; st.global.u32 [%rd0], 1;", 128, upper);
    all_orders("",
               "mov.u32 %r3, 0; setp.ge.u32 %p0, %r0, 70; @%p0 bra MEET;\n"
               "LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 300; @%p1 bra LOOP; exit;\n"
               "MEET: bar.sync 0; bar.sync 7; st.global.u32 [%rd0], 1;",
               128, upper);
    all_orders("", "barrier.sync.aligned 4; barrier.sync 4; bar.warp.sync -1; bar.sync 4, 32; st.global.u32 [%rd0], 1;",
               1, one);
}

static uint32_t two_ways(uint32_t thread)
{
    return thread < 10 ? 11 : thread < 70 ? 12 : 13;
}

/* Lanes come to a barrier in functions that they called on different ways, some from the kernel itself. */
static void barriers_in_functions(void **state)
{
    (void)state;
    all_orders(".func (.reg .u32 r) f(.reg .u32 a) { bar.sync 0; add.u32 r, a, 1; ret; }\n"
               ".func (.reg .u32 r) g(.reg .u32 a) { .reg .u32 t; call (t), f, (a); add.u32 r, t, 1; ret; }",
               "setp.lt.u32 %p0, %r0, 10; @%p0 bra A; setp.lt.u32 %p0, %r0, 70; @%p0 bra B;\n"
               "barrier.sync 0; mov.u32 %r2, 13; bra END; A: call (%r2), f, (10); bra END;\n"
               "B: call (%r2), g, (10); END: st.global.u32 [%rd0], %r2;",
               96, two_ways);
}

static void must_deadlock(const char *body, uint32_t threads, const char *part)
{
    struct engine e;
    engine_open(&e, "", body);
    e.launch.block[0] = threads;
    e.launch.time_limit = 60;
    for (int order = 0; order < ORDERS; order++) {
        e.launch.order = (enum atoll_order)order;
        assert_false(engine_run(&e, 0));
        assert_int_equal(e.error.status, ATOLL_TRAP);
        assert_string_equal(e.trap.cause, "barrier-deadlock");
        if (!strstr(e.error.message, part))
            fail_msg("%s: wanted '%s'", e.error.message, part);
    }
    engine_close(&e);
}

/* True ones stay, and say who is missing. */
static void deadlocks(void **state)
{
    (void)state;
    must_deadlock("setp.lt.u32 %p0, %r0, 8; @%p0 bra A; barrier.sync 1; ret; A: barrier.sync 2;", 32,
                  "lanes 0x000000ff of warp 0 have not come");
    must_deadlock("setp.lt.u32 %p0, %r0, 32; @%p0 exit; barrier.sync 1, 64;", 64, "1 of 2 warps arrived");
    must_deadlock("setp.lt.u32 %p0, %r0, 4; selp.u32 %r2, 3, 4, %p0; barrier.sync %r2;", 32, "0 of 1 warps arrived");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_barrier_sees_lanes_exit),
        cmocka_unit_test(arrival_of_some_lanes),
        cmocka_unit_test(partly_exited_warp_counts_as_a_warp),
        cmocka_unit_test(reductions_on_several_ways),
        cmocka_unit_test(several_barriers_at_a_time),
        cmocka_unit_test(whole_block),
        cmocka_unit_test(barriers_in_functions),
        cmocka_unit_test(deadlocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
