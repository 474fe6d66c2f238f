/* Tokens: push and pop by the stack policy and by the frontier policy. */
#include "lanes_run.h"

#include "base/hard.h"

#include "mem/surface.h"

#define STORE_R1 "  st.global.b32 [rd0], r1\n"

/* In the hard build lanes change at every branch, and by the frontier policy they need not meet again: kernels write
 * this where not all lanes are there. */
enum { NOT_ALL = 99, APART = HARD(0, 1) };

static const enum atoll_policy policies[] = {ATOLL_POLICY_STACK, ATOLL_POLICY_FRONTIER};

/* Runs the body by both policies; out[lane] must be value(lane). */
static void both(const char *body, uint32_t (*value)(uint32_t lane))
{
    struct lanes t;
    lanes_open(&t, body);
    for (int p = 0; p < 2; p++) {
        if (!lanes_run(&t, policies[p]))
            fail_msg("policy %d: %s", policies[p], t.error.message);
        for (uint32_t l = 0; l < 32; l++)
            if (t.words[l] != value(l) && !(APART && policies[p] == ATOLL_POLICY_FRONTIER && t.words[l] == NOT_ALL))
                fail_msg("policy %d, lane %u: %u, wanted %u", policies[p], l, t.words[l], value(l));
    }
    lanes_close(&t);
}

static uint32_t all_lanes(uint32_t lane)
{
    (void)lane;
    return UINT32_MAX;
}

/* if (lane & 1) r2 = 1 else r2 = 2; then all lanes are together again. */
static void two_sides_meet(void **state)
{
    (void)state;
    both("  push.sync b3\n  r2 = and.b32 r0, 1\n  p0 = setp.eq.u32 r2, 0\n  @p0 bra b2\n"
         "b1:\n  r2 = mov.b32 1\n  pop.sync\n"
         "b2:\n  r2 = mov.b32 2\n  pop.sync\n"
         "b3:\n  r1 = activemask\n" STORE_R1 "  exit",
         all_lanes);
}

/* Lanes leave an `if` one by one through guarded pops: the others go on in the next block. */
static uint32_t left_early(uint32_t lane)
{
    return lane < 8 ? 1 : lane < 16 ? 2 : 3;
}

static void guarded_pops_leave_some(void **state)
{
    (void)state;
    both("  push.sync b3\n  r1 = mov.b32 1\n  p0 = setp.lt.u32 r0, 8\n  @p0 pop.sync\n"
         "b1:\n  r1 = mov.b32 2\n  p0 = setp.ge.u32 r0, 16\n  @!p0 pop.sync\n"
         "b2:\n  r1 = mov.b32 3\n  pop.sync\n"
         "b3:\n  r2 = activemask\n  p1 = setp.ne.u32 r2, 0xffffffff\n  @p1 r1 = mov.b32 99\n" STORE_R1 "  exit",
         left_early);
}

/* for (i = 0; i < 8; i++) { for (j = 0; ; j++) { if (j == lane % 5) break; if ((i + j) & 1) continue; n++; }
 * if (i > lane / 4) break; } */
static uint32_t nested(uint32_t lane)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t j = 0;; j++) {
            if (j == lane % 5)
                break;
            if ((i + j) & 1)
                continue;
            n++;
        }
        if (i > lane / 4)
            break;
    }
    return n;
}

static const char nested_loops[] =
    "  r1 = mov.b32 0\n  r2 = mov.b32 0\n  r5 = rem.u32 r0, 5\n  r6 = div.u32 r0, 4\n  push.break b9\n"
    "b1:\n  r3 = mov.b32 0\n  push.break b6\n"
    "b2:\n  push.continue b5\n  p0 = setp.eq.u32 r3, r5\n  @p0 pop.break\n"
    "b3:\n  r4 = add.u32 r2, r3\n  r4 = and.b32 r4, 1\n  p0 = setp.ne.u32 r4, 0\n  @p0 pop.continue\n"
    "b4:\n  r1 = add.u32 r1, 1\n  pop.continue\n"
    "b5:\n  r3 = add.u32 r3, 1\n  bra b2\n"
    "b6:\n  p0 = setp.gt.u32 r2, r6\n  @p0 pop.break\n"
    "b7:\n  r2 = add.u32 r2, 1\n  p0 = setp.lt.u32 r2, 8\n  @p0 bra b1\n"
    "b8:\n  pop.break\n"
    "b9:\n  r7 = activemask\n  p1 = setp.ne.u32 r7, 0xffffffff\n  @p1 r1 = mov.b32 99\n" STORE_R1 "  exit";

static void loops_break_and_continue(void **state)
{
    (void)state;
    both(nested_loops, nested);
}

/* fib(lane % 8) by recursion; the lane's own stack lies in its part of `out`. Recursion depth differs between lanes. */
static uint32_t fib(uint32_t lane)
{
    uint32_t a = 0, b = 1;
    for (uint32_t i = lane % 8; i; i--, b += a, a = b - a)
        ;
    return a;
}

static void calls_recur(void **state)
{
    (void)state;
    /* rd2 = the lane's stack pointer, r2 = argument, r1 = result */
    both("  r2 = and.b32 r0, 7\n  r3 = mul.u32 r0, 128\n  r3 = add.u32 r3, 256\n  rd2 = cvt.u64.u32 r3\n"
         "  rd2 = add.u64 rd2, rd1\n  push.return b1\n  bra b2\n"
         "b1:\n" STORE_R1 "  pop.return\n"
         "b2:\n  p0 = setp.ge.u32 r2, 2\n  @p0 bra b4\n"
         "b3:\n  r1 = mov.b32 r2\n  pop.return\n"
         "b4:\n  st.global.b32 [rd2], r2\n  rd2 = add.u64 rd2, 8\n  r2 = sub.u32 r2, 1\n  push.return b5\n  bra b2\n"
         "b5:\n  st.global.b32 [rd2-4], r1\n  r2 = ld.global.b32 [rd2-8]\n"
         "  r2 = sub.u32 r2, 2\n  push.return b6\n  bra b2\n"
         "b6:\n  r3 = ld.global.b32 [rd2-4]\n  r1 = add.u32 r1, r3\n  rd2 = sub.u64 rd2, 8\n  "
         "pop.return",
         fib);
}

/* Four targets, each lane one; they meet after the switch. */
static uint32_t switched(uint32_t lane)
{
    static const uint32_t values[] = {10, 21, 22, 43};
    return values[lane * 7 % 4];
}

static void indirect_jumps_part(void **state)
{
    (void)state;
    both("  push.sync b5\n  r2 = mul.u32 r0, 7\n  r2 = and.b32 r2, 3\n  brx r2 {b1, b3, b2, b4}\n"
         "b1:\n  r1 = mov.b32 10\n  pop.sync\n"
         "b2:\n  r1 = mov.b32 22\n  pop.sync\n"
         "b3:\n  r1 = mov.b32 21\n  pop.sync\n"
         "b4:\n  r1 = mov.b32 43\n  pop.sync\n"
         "b5:\n  r3 = activemask\n  p1 = setp.ne.u32 r3, 0xffffffff\n  @p1 r1 = mov.b32 99\n" STORE_R1 "  exit",
         switched);
}

/* Lanes that exit inside of a loop and an `if` are waited for by nobody, at no barrier either. */
static uint32_t survivors(uint32_t lane)
{
    return lane % 3 == 1 ? 0 : 0x6db6db6d;
}

static void exits_inside(void **state)
{
    (void)state;
    both("  push.sync b3\n  r2 = rem.u32 r0, 3\n  p0 = setp.eq.u32 r2, 2\n  @p0 pop.sync\n"
         "b1:\n  p0 = setp.eq.u32 r2, 1\n  @p0 exit\n"
         "b2:\n  pop.sync\n"
         "b3:\n  bar.sync 0, 0\n  r1 = activemask\n" STORE_R1 "  exit",
         survivors);
}

/* pop of return or exit without a token ends the lane; exit tokens catch lanes. */
static uint32_t ended(uint32_t lane)
{
    return lane < 4 ? 7 : lane < 20 ? 0 : 5;
}

static void tokens_of_exit_and_return(void **state)
{
    (void)state;
    both("  p0 = setp.ge.u32 r0, 4\n  p1 = setp.lt.u32 r0, 20\n  p1 = and.pred p0, p1\n  @p1 pop.return\n"
         "b1:\n  r1 = mov.b32 5\n  push.exit b3\n  p0 = setp.lt.u32 r0, 4\n  @p0 pop.exit\n"
         "b2:\n" STORE_R1 "  exit\n"
         "b3:\n  r1 = mov.b32 7\n" STORE_R1 "  pop.exit",
         ended);
}

/* Jumps out of two levels of tokens at once. */
static uint32_t jumped(uint32_t lane)
{
    return lane % 4 == 0 ? 40 : 41 + lane % 2;
}

static void jumps_unwind(void **state)
{
    (void)state;
    both("  push.jump b4\n  push.sync b3\n  push.break b2\n  r1 = mov.b32 40\n  r2 = and.b32 r0, 3\n"
         "  p0 = setp.eq.u32 r2, 0\n  @p0 pop.jump\n"
         "b1:\n  r2 = and.b32 r0, 1\n  r1 = add.u32 r2, 41\n  pop.break\n"
         "b2:\n  pop.sync\n"
         "b3:\n  pop.jump\n"
         "b4:\n  r3 = activemask\n  p1 = setp.ne.u32 r3, 0xffffffff\n  @p1 r1 = mov.b32 99\n" STORE_R1 "  exit",
         jumped);
}

static void a_pop_needs_a_token(void **state)
{
    (void)state;
    struct lanes t;
    lanes_open(&t, "  push.break b1\n  pop.sync !7\nb1:\n  exit");
    for (int p = 0; p < 2; p++) {
        assert_false(lanes_run(&t, policies[p]));
        assert_string_equal(t.trap.cause, "no-token");
        assert_non_null(strstr(t.error.message, "'sync'"));
        assert_int_equal(t.trap.line, 7);
    }
    lanes_close(&t);
}

static void tokens_are_limited(void **state)
{
    (void)state;
    struct lanes t;
    lanes_open(&t, "  bra b1\nb1:\n  push.return b2\n  bra b1\nb2:\n  exit");
    for (int p = 0; p < 2; p++) {
        assert_false(lanes_run(&t, policies[p]));
        assert_string_equal(t.trap.cause, "token-overflow");
        assert_non_null(strstr(t.error.message, "65536"));
    }
    lanes_close(&t);
}

/* The default is the stack where the kernel is made for it. */
static void the_kernel_chooses(void **state)
{
    (void)state;
    static const char text[] = "lanes 1\nkernel \"k\" {\nb0:\n  exit\n}\n";
    struct lanes t;
    lanes_open(&t, "  push.sync b2\n  p0 = setp.lt.u32 r0, 5\n  @p0 bra b2\nb1:\n  pop.sync\n"
                   "b2:\n  r1 = activemask\n" STORE_R1 "  exit");
    assert_true(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    assert_int_equal(t.words[0], 0x1f); /* these came by a branch: the token was not for them */
    assert_true(lanes_run(&t, ATOLL_POLICY_FRONTIER));
    assert_int_equal(t.words[0], UINT32_MAX);
    program_destroy(t.program);
    lane_module_free(&t.module);
    assert_true(lane_parse(text, sizeof text - 1, &t.module, &t.error));
    assert_true(program_create(t.device, &t.module, 0, NULL, &t.program, &t.error));
    t.launch.parameter_bytes = 0;
    t.launch.policy = ATOLL_POLICY_STACK;
    assert_false(program_launch(t.program, "k", &t.launch, &t.stats, &t.trap, &t.error));
    assert_int_equal(t.error.status, ATOLL_USAGE);
    assert_non_null(strstr(t.error.message, "no token stack"));
    lanes_close(&t);
}

/* By the stack policy a warp comes to a barrier as one, whichever of its lanes run. */
static void warps_meet_at_barriers(void **state)
{
    (void)state;
    struct lanes t;
    lanes_open(&t, "  push.sync b2\n  r2 = and.b32 r0, 63\n  p0 = setp.ge.u32 r2, 40\n  @p0 pop.sync\n"
                   "b1:\n  bar.sync 0, 0\n  pop.sync\n"
                   "b2:\n  r1 = activemask\n" STORE_R1 "  exit");
    t.launch.block[0] = 40; /* two warps, the second of 8 lanes; all come */
    for (int p = 0; p < 2; p++) {
        assert_true(lanes_run(&t, policies[p]));
        assert_int_equal(t.words[0], UINT32_MAX);
        assert_int_equal(t.words[39], 0xff);
        assert_int_equal(t.stats.barriers, 1);
    }
    t.launch.block[0] = 64; /* lanes 40..63 do not come, but their warp does */
    assert_true(lanes_run(&t, ATOLL_POLICY_STACK));
    assert_int_equal(t.words[63], UINT32_MAX);
    lanes_close(&t);
}

/* A lock whose winner waits for the losers before it gives the lock back; out[0] is the lock, out[1] what it guards. */
static const char lock[] = "  push.sync b3\n"
                           "b1:\n  r2 = atom.global.cas.b32 [rd1], 0:32, 1:32 !10\n  p0 = setp.ne.u32 r2, 0 !11\n"
                           "  @p0 bra b1 !12\n"
                           "b2:\n  pop.sync !13\n"
                           "b3:\n  r3 = ld.global.volatile.b32 [rd1+4] !14\n  r3 = add.u32 r3, 1\n"
                           "  st.global.volatile.b32 [rd1+4], r3\n  r4 = atom.global.exch.b32 [rd1], 0:32\n  exit";

static void a_lock_deadlocks_by_the_stack(void **state)
{
    (void)state;
    struct lanes t;
    lanes_open(&t, lock);
    for (int order = 0; order <= ATOLL_ORDER_SEEDED; order++) {
        t.launch.order = (enum atoll_order)order;
        t.launch.threads = 2;
        t.launch.grid[0] = order == ATOLL_ORDER_DETERMINISTIC ? 1 : 3;
        t.launch.time_limit = 60;
        assert_false(lanes_run(&t, ATOLL_POLICY_STACK));
        assert_string_equal(t.trap.cause, "deadlock");
        assert_int_equal(t.words[1], 0);
        if (order != ATOLL_ORDER_DETERMINISTIC)
            continue;
        const char *lanes = strstr(t.error.message, "lanes 1-31 of warp 0 spin for ever at line 1");
        assert_non_null(lanes);
        assert_non_null(strstr(lanes, "lane 0 waits on the stack (other side of a branch) to go on at line 13"));
    }
    lanes_close(&t);
}

static void a_lock_in_a_surface_deadlocks(void **state)
{
    (void)state;
    struct lanes t;
    struct surface *surface;
    struct surface_shape shape = {
        .dim = LANE_DIM_2D, .width = 4, .height = 4, .format = format_find("r32uint"), .layout = layout_find("pitch")};
    lanes_open(&t, "  push.sync b3\n"
                   "b1:\n  r2 = suatom.cas.2d.trap.byte.u32 1:64, 4:32, 1:32, 0:32, 1:32 !10\n"
                   "  p0 = setp.ne.u32 r2, 0\n  @p0 bra b1\n"
                   "b2:\n  pop.sync\n"
                   "b3:\n  r4 = suatom.exch.2d.trap.byte.u32 1:64, 4:32, 1:32, 0:32\n  exit");
    assert_true(surface_make(&shape, &surface, &t.error));
    assert_true(device_add_surface(t.device, surface, 1, &t.error));
    t.launch.time_limit = 60;
    assert_false(lanes_run(&t, ATOLL_POLICY_STACK));
    assert_string_equal(t.trap.cause, "deadlock");
    memset(surface->texels, 0, surface->size);
    assert_true(lanes_run(&t, ATOLL_POLICY_FRONTIER));
    lanes_close(&t);
    surface_destroy(surface);
}

static void a_lock_runs_by_the_frontier(void **state)
{
    (void)state;
    struct lanes t;
    lanes_open(&t, lock);
    for (int order = 0; order <= ATOLL_ORDER_SEEDED; order++) {
        t.launch.order = (enum atoll_order)order;
        t.launch.block[0] = 64;
        t.launch.grid[0] = 3;
        assert_true(lanes_run(&t, ATOLL_POLICY_FRONTIER));
        assert_int_equal(t.words[0], 0);
        assert_int_equal(t.words[1], 192);
    }
    lanes_close(&t);
}

/* Warp 1 lets warp 0 go on, late: lanes of warp 0 wait on its stack meanwhile, but nothing is dead. */
static void a_late_release_is_no_deadlock(void **state)
{
    (void)state;
    struct lanes t;
    lanes_open(&t, "  r1 = mov.b32 0\n  p1 = setp.ge.u32 r0, 32\n  @p1 bra b5\n"
                   "b1:\n  push.sync b4\n  p0 = setp.ne.u32 r0, 0\n  @p0 pop.sync\n"
                   "b2:\n  r2 = ld.global.volatile.b32 [rd1+512]\n  p0 = setp.eq.u32 r2, 0\n  @p0 bra b2\n"
                   "b3:\n  pop.sync\n"
                   "b4:\n  r1 = activemask\n" STORE_R1 "  exit\n"
                   "b5:\n  r1 = add.u32 r1, 1\n  p0 = setp.lt.u32 r1, 3000000\n  @p0 bra b5\n"
                   "b6:\n  st.global.volatile.b32 [rd1+512], r1\n  exit");
    t.launch.block[0] = 64;
    assert_true(lanes_run(&t, ATOLL_POLICY_STACK));
    assert_int_equal(t.words[0], UINT32_MAX);
    lanes_close(&t);
}

/* Something changes with every turn, in registers or in memory: only a limit ends it. */
static void work_without_end_is_no_deadlock(void **state)
{
    (void)state;
    static const char *const bodies[] = {"  r2 = add.u32 r2, 1\n", "  red.global.add.u32 [rd1+8], 1:32\n",
                                         "  r2 = sreg.clock.b32\n  r2 = and.b32 r2, 0\n"};
    for (int i = 0; i < 3; i++) {
        struct lanes t;
        char body[600];
        snprintf(body, sizeof body,
                 "  push.sync b3\n  r2 = mov.b32 0\n  p0 = setp.eq.u32 r0, 3\n  @p0 pop.sync\n"
                 "b1:\n%s  r3 = ld.global.volatile.b32 [rd1]\n  p0 = setp.eq.u32 r3, 0\n  @p0 bra b1\n"
                 "b2:\n  pop.sync\nb3:\n  exit",
                 bodies[i]);
        lanes_open(&t, body);
        t.launch.instruction_limit = 3000000;
        assert_false(lanes_run(&t, ATOLL_POLICY_STACK));
        assert_int_equal(t.error.status, ATOLL_LIMIT);
        lanes_close(&t);
    }
}

static void tokens_have_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"lanes 1\nkernel \"k\" {\nb0:\n  push.sync b0\n  exit\n}\n", "push in a function that is not stacked"},
        {"lanes 1\nkernel \"k\" {\nb0:\n  pop.sync\n}\n", "pop in a function that is not stacked"},
        {"lanes 1\nkernel \"k\" stacked {\nb0:\n  push.sync b1\n  exit\n}\n", "leads to block 1 of 1"},
        {"lanes 1\nkernel \"k\" stacked {\nb0:\n  pop.sync\n  exit\n}\n", "in the middle of a block"},
        {"lanes 1\nfunc \"f\" stacked {\nb0:\n  pop.return\n}\n", "not a kernel"},
        {"lanes 1\nfunc \"f\" {\nb0:\n  ret\n}\nkernel \"k\" stacked {\nb0:\n  call f () -> ()\n  exit\n}\n",
         "a call in a stacked function"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct lane_module module;
        struct atoll_error error = {0};
        assert_true(lane_parse(bad[i].text, strlen(bad[i].text), &module, &error));
        assert_false(lane_verify(&module, &error));
        if (!strstr(error.message, bad[i].why))
            fail_msg("'%s' lacks '%s'", error.message, bad[i].why);
        lane_module_free(&module);
    }
}

/* Counted barriers of two warps of which most lanes exit, or part and wait on the stack. */
static void counted_barriers(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "  r2 = and.b32 r0, 31\n  p0 = setp.ne.u32 r2, 0\n  @p0 exit\nb1:\n  bar.sync 1, 64\n  r1 = mov.b32 "
        "1\n" STORE_R1 "  exit",
        "  push.sync b3\n  r2 = and.b32 r0, 31\n  p0 = setp.ne.u32 r2, 0\n  r1 = mov.b32 0\n  @p0 bra b2\n"
        "b1:\n  bar.sync 1, 64\n  r1 = mov.b32 1\n  pop.sync\nb2:\n  pop.sync\nb3:\n" STORE_R1 "  exit",
        "  push.sync b3\n  r2 = and.b32 r0, 31\n  p0 = setp.ne.u32 r2, 0\n  r1 = mov.b32 0\n  @p0 bra b2\n"
        "b1:\n  bar.sync 1, 64\n  r1 = mov.b32 1\n  pop.sync\nb2:\n  bar.arrive 1, 64\n  pop.sync\nb3:\n" STORE_R1
        "  exit"};
    for (int i = 0; i < 6; i++) {
        struct lanes t;
        if (i / 2 == 2 && policies[i % 2] == ATOLL_POLICY_STACK)
            continue; /* there each side would be an arrival of the whole warp */
        lanes_open(&t, bodies[i / 2]);
        t.launch.block[0] = 64;
        if (!lanes_run(&t, policies[i % 2]))
            fail_msg("body %d, policy %d: %s", i / 2, policies[i % 2], t.error.message);
        for (uint32_t l = 0; l < 64; l++)
            assert_int_equal(t.words[l], l % 32 == 0);
        lanes_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sides_meet),
        cmocka_unit_test(guarded_pops_leave_some),
        cmocka_unit_test(loops_break_and_continue),
        cmocka_unit_test(calls_recur),
        cmocka_unit_test(indirect_jumps_part),
        cmocka_unit_test(exits_inside),
        cmocka_unit_test(tokens_of_exit_and_return),
        cmocka_unit_test(jumps_unwind),
        cmocka_unit_test(a_pop_needs_a_token),
        cmocka_unit_test(tokens_are_limited),
        cmocka_unit_test(the_kernel_chooses),
        cmocka_unit_test(a_lock_in_a_surface_deadlocks),
        cmocka_unit_test(tokens_have_their_place),
        cmocka_unit_test(a_lock_deadlocks_by_the_stack),
        cmocka_unit_test(a_lock_runs_by_the_frontier),
        cmocka_unit_test(a_late_release_is_no_deadlock),
        cmocka_unit_test(work_without_end_is_no_deadlock),
        cmocka_unit_test(warps_meet_at_barriers),
        cmocka_unit_test(counted_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
