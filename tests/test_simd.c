/* What lane programs say of vector machines: warps of 8 and 16 lanes, instructions that the whole warp carries out, the
 * warp's registers as bytes, several warps side by side. */
#include "lanes_run.h"

#define STORE(r) "  st.global.b32 [rd0], " r "\n  exit"

static void no_trace(void *user, const char *line, size_t size)
{
    (void)user, (void)line, (void)size;
}

/* In several orders; traced, when no warps are packed. */
static void runs(const char *attributes, const char *body, uint32_t threads, uint32_t (*value)(uint32_t thread))
{
    static const struct {
        enum atoll_order order;
        uint64_t seed;
        bool traced;
    } orders[] = {{ATOLL_ORDER_DETERMINISTIC, 0, false}, {ATOLL_ORDER_SEEDED, 1, false},
                  {ATOLL_ORDER_SEEDED, 2, false},        {ATOLL_ORDER_SEEDED, 3, false},
                  {ATOLL_ORDER_SEEDED, 4, false},        {ATOLL_ORDER_PARALLEL, 0, false},
                  {ATOLL_ORDER_DETERMINISTIC, 0, true}};
    struct lanes t;
    lanes_open_as(&t, attributes, body);
    t.launch.block[0] = threads;
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++) {
        t.launch.order = orders[i].order;
        t.launch.seed = orders[i].seed;
        t.launch.trace = orders[i].traced ? no_trace : NULL;
        t.launch.instruction_limit = 20000000;
        if (!lanes_run(&t, ATOLL_POLICY_DEFAULT))
            fail_msg("%s", t.error.message);
        for (uint32_t l = 0; l < threads; l++)
            if (t.words[l] != value(l))
                fail_msg("order %u, thread %u: 0x%x, wanted 0x%x", i, l, t.words[l], value(l));
    }
    lanes_close(&t);
}

/* ---- warps ------------------------------------------------------------------------------------------------ */

static uint32_t warp_of_8(uint32_t thread)
{
    return thread / 8 * 256 + thread % 8;
}

static uint32_t warp_of_16(uint32_t thread)
{
    return thread / 16 * 256 + thread % 16;
}

static void warps_have_their_lanes(void **state)
{
    static const char body[] = "  r2 = sreg.laneid.b32\n  r3 = sreg.warpid.b32\n  r3 = mul.u32 r3, 256\n"
                               "  r2 = add.u32 r2, r3\n" STORE("r2");
    (void)state;
    runs("lanes 8", body, 20, warp_of_8);
    runs("lanes 16", body, 40, warp_of_16);
}

static uint32_t members(uint32_t thread)
{
    return thread < 16 ? 0xffff : 0xff;
}

static void lanes_beyond_the_width_do_not_run(void **state)
{
    (void)state;
    runs("lanes 16", "  r2 = activemask\n" STORE("r2"), 24, members);
}

static void blocks_have_a_limit(void **state)
{
    struct lanes t;
    (void)state;
    lanes_open_as(&t, "lanes 8", "  exit");
    t.launch.block[0] = 1025;
    assert_false(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    assert_string_equal(t.error.message, "grid or block too large: a block has at most 1024 threads");
    lanes_close(&t);
}

/* ---- more warps than a word has bits ---------------------------------------------------------------------- */

static uint32_t across(uint32_t thread)
{
    return (thread + 520) % 1024 * 3 + 1;
}

static uint32_t half_of_them(uint32_t thread)
{
    (void)thread;
    return 512;
}

/* 128 warps: what one stores before a barrier, one far from it reads after it. */
static void large_blocks_meet(void **state)
{
    (void)state;
    runs("lanes 8",
         "  r2 = mul.u32 r0, 3\n  r2 = add.u32 r2, 1\n  st.global.b32 [rd0], r2\n  bar.sync 0:32, 0:32\n"
         "  r3 = add.u32 r0, 520\n  r3 = and.b32 r3, 1023\n  rd2 = mulwide.u32 r3, 4\n  rd2 = add.u64 rd2, rd1\n"
         "  r5 = ld.global.b32 [rd2]\n  bar.sync 1:32, 0:32\n" STORE("r5"),
         1024, across);
    runs("lanes 8",
         "  r2 = and.b32 r0, 1\n  p0 = setp.eq.u32 r2, 1\n  r5, _ = barred.popc 0:32, 0:32, p0\n" STORE("r5"), 1024,
         half_of_them);
}

static uint32_t of_the_pair(uint32_t thread)
{
    return (thread ^ 8) + 1;
}

/* Pairs of warps meet 16 threads at a time, four pairs at barriers of their own. */
static void counts_are_of_threads(void **state)
{
    (void)state;
    runs("lanes 8",
         "  r2 = add.u32 r0, 1\n  st.global.b32 [rd0], r2\n  r3 = shr.u32 r0, 4\n  bar.sync r3, 16:32\n"
         "  r4 = xor.b32 r0, 8\n  rd2 = mulwide.u32 r4, 4\n  rd2 = add.u64 rd2, rd1\n  r5 = ld.global.b32 [rd2]\n"
         "  bar.sync r3, 16:32\n" STORE("r5"),
         64, of_the_pair);
}

static void fails(uint32_t threads, const char *body, const char *message)
{
    struct lanes t;
    lanes_open_as(&t, "lanes 8", body);
    t.launch.block[0] = threads;
    assert_false(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    if (!strstr(t.error.message, message))
        fail_msg("'%s'", t.error.message);
    lanes_close(&t);
}

static void barriers_tell_who_is_missing(void **state)
{
    (void)state;
    fails(16, "  bar.sync 0:32, 12:32\n  exit", "barrier thread count 12 is not a multiple of the warp size");
    fails(1024,
          "  p0 = setp.ge.u32 r0, 1016\n  @p0 bra b2\nb1:\n  bar.sync 0:32, 0:32\n  exit\nb2:\n"
          "  bar.sync 1:32, 0:32\n  exit",
          "threads wait at barrier 0 for ever: 127 of 128 warps arrived");
    fails(1024,
          "  p0 = setp.ge.u32 r0, 512\n  @p0 bra b2\nb1:\n  exit\nb2:\n"
          "  bar.sync 1:32, 768:32\n  exit",
          "threads wait at barrier 1 for ever: 64 of 96 warps arrived");
    fails(1024,
          "  p0 = setp.eq.u32 r0, 1020\n  @p0 bra b2\nb1:\n  bar.sync 0:32, 0:32\n  exit\nb2:\n"
          "  bar.sync 1:32, 0:32\n  exit",
          "lanes 0x00000010 of warp 127 have not come");
}

/* ---- the whole warp --------------------------------------------------------------------------------------- */

static uint32_t seven(uint32_t thread)
{
    (void)thread;
    return 7;
}

static uint32_t some_seven(uint32_t thread)
{
    return thread < 4 ? 7 : 0;
}

/* Lanes 0 to 3 go one way, and there r5 is written. */
#define BRANCH(insts) \
    "  r5 = mov.b32 0\n  r6 = mov.b32 5\n  p0 = setp.ge.u32 r0, 4\n  @p0 bra b2\nb1:\n" insts "b2:\n" STORE("r5")

static void the_whole_warp_writes(void **state)
{
    (void)state;
    runs("lanes 16", BRANCH("  r5 = mov.b32 7\n"), 16, some_seven);
    runs("lanes 16", BRANCH("  r5 = mov.whole.b32 7\n"), 16, seven);
    runs("lanes 16", BRANCH("  r5 = add.whole.u32 r6, 2\n"), 16, seven);
    runs("lanes 32", BRANCH("  r5 = add.whole.u32 r6, 2\n"), 32, seven);
}

static uint32_t odd_seven(uint32_t thread)
{
    return thread & 1 ? 7 : 0;
}

static void guards_count_for_all_lanes(void **state)
{
    (void)state;
    runs("lanes 32", "  r2 = and.b32 r0, 1\n  p1 = setp.eq.u32 r2, 1\n" BRANCH("  @p1 r5 = mov.whole.b32 7\n"), 32,
         odd_seven);
    runs("lanes 32",
         "  r2 = and.b32 r0, 1\n  p1 = setp.eq.u32 r2, 1\n" BRANCH("  @!p1 r5 = div.whole.u32 r6, 1\n"
                                                                   "  r5 = xor.whole.b32 r5, 0\n"
                                                                   "  @p1 r5 = mov.whole.b32 7\n"
                                                                   "  @!p1 r5 = mov.whole.b32 0\n"),
         32, odd_seven);
}

static uint32_t all_above_3(uint32_t thread)
{
    (void)thread;
    return 0xfffffff0;
}

static void votes_of_the_whole_warp(void **state)
{
    (void)state;
    runs("lanes 32",
         "  p1 = setp.ge.u32 r0, 4\n" BRANCH("  r7 = ballot.whole p1, 0xffffffff\n  r5 = mov.whole.b32 r7\n"), 32,
         all_above_3);
}

static uint32_t beyond(uint32_t thread)
{
    (void)thread;
    return 0xffff0009;
}

/* What the whole warp has written stays in lanes that it has not, when all that it has write. */
static void lanes_beyond_the_width_keep_what_they_have(void **state)
{
    (void)state;
    runs("lanes 16",
         "  p1 = setp.ge.whole.u32 9:32, 9:32\n  p1 = setp.lt.u32 r0, 0\n  r5 = ballot.whole p1, 0xffffffff\n"
         "  r6 = mov.whole.b32 9\n  r6 = add.u32 r0, 100\n  r7 = add.u32 r6, 1\n  p2 = setp.eq.whole.u32 r6, 9\n"
         "  p2 = and.pred p1, p2\n  r8 = ballot.whole p2, 0xffffffff\n  r5 = and.b32 r5, r8\n"
         "  r7 = sub.u32 r7, r0\n  r7 = sub.u32 r7, 92\n  r5 = or.b32 r5, r7\n" STORE("r5"),
         16, beyond);
}

static uint32_t own_number(uint32_t thread)
{
    return thread;
}

/* r7 lives in lanes that wait while r5 to r9 are written by the whole warp: they may not share its place. */
static void lanes_that_wait_keep_what_they_have(void **state)
{
    (void)state;
    runs("lanes 32 regfile 16",
         "  r5 = mov.b32 0\n  p0 = setp.ge.u32 r0, 4\n  @!p0 bra b2\n"
         "b1:\n  r7 = mov.b32 r0\n  bra b3\n"
         "b2:\n  r8 = mov.whole.b32 1\n  r9 = add.whole.u32 r8, 5\n  st.whole.regfile.b32 [r8+3], r9\n  r7 = mov.b32 "
         "r0\n"
         "b3:\n" STORE("r7"),
         32, own_number);
}

/* ---- barriers in halves ------------------------------------------------------------------------------------- */

static uint32_t next_warps(uint32_t thread)
{
    return (thread + 8) % 32 + 3;
}

/* Three rounds: each thread writes, arrives, has something else to do, waits, and reads what a lane of the next warp
 * wrote. */
static void arriving_and_waiting(void **state)
{
    (void)state;
    runs("lanes 8",
         "  r2 = add.u32 r0, 8\n  r2 = and.b32 r2, 31\n  rd2 = mulwide.u32 r2, 4\n  rd2 = add.u64 rd2, rd1\n"
         "  r3 = mov.b32 r0\n  r4 = mov.b32 0\n"
         "b1:\n  r4 = add.u32 r4, 1\n  r3 = add.u32 r0, r4\n  st.global.b32 [rd0+1024], r3\n  bar.arrive 0:32, 0:32\n"
         "  r6 = mul.u32 r3, 5\n  bar.wait 0:32, 0:32\n  r5 = ld.global.b32 [rd2+1024]\n  bar.arrive 1:32, 32:32\n"
         "  bar.wait 1:32, 7:32\n  p0 = setp.lt.u32 r4, 3\n  @p0 bra b1\nb2:\n" STORE("r5"),
         32, next_warps);
}

static uint32_t one(uint32_t thread)
{
    (void)thread;
    return 1;
}

/* Nobody has arrived, or the phase is over: nobody waits. */
static void waiting_for_nothing(void **state)
{
    (void)state;
    runs("lanes 16",
         "  r5 = mov.b32 1\n  bar.wait 3:32, 0:32\n  bar.sync 3:32, 0:32\n  bar.wait 3:32, 0:32\n"
         "  r2 = and.b32 r0, 1\n  p0 = setp.eq.u32 r2, 1\n  @p0 bar.wait 3:32, 0:32\n"
         "  r2 = and.b32 r0, 3\n  bar.wait r2, 0:32\n" STORE("r5"),
         48, one);
}

/* Warp 0 arrives at barriers 0 and 1; warp 1 arrives at 0 alone: warp 0 goes on from the one and not from the other. */
static void nobody_else_comes(void **state)
{
    struct lanes t;
    (void)state;
    lanes_open_as(&t, "lanes 8",
                  "  bar.arrive 0:32, 0:32\n  p0 = setp.ge.u32 r0, 8\n  @p0 bra b2\nb1:\n  bar.arrive 1:32, 16:32\n"
                  "  bar.wait 0:32, 0:32\n  bar.wait 1:32, 0:32\nb2:\n" STORE("r0"));
    t.launch.block[0] = 16;
    assert_false(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    assert_string_equal(t.trap.cause, "barrier-deadlock");
    assert_non_null(strstr(t.error.message, "barrier 1 for ever: 1 of 2 warps arrived"));
    lanes_close(&t);
}

static void a_barrier_that_is_not_there(void **state)
{
    struct lanes t;
    (void)state;
    lanes_open_as(&t, "lanes 8", "  bar.wait 16:32, 0:32\n" STORE("r0"));
    t.launch.block[0] = 8;
    assert_false(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    assert_string_equal(t.trap.cause, "bad-barrier");
    lanes_close(&t);
}

/* Lanes 0 to 3 of warp 0 come a second time while the first phase is under way: they have come for the next, and the
 * warp arrives in it when its other lanes, which wait for the first phase, have left. */
#define AHEAD(other)                                                                      \
    "  r5 = mov.b32 1\n  bar.arrive 0:32, 0:32\n  p1 = setp.ge.u32 r0, 8\n  @p1 bra b4\n" \
    "b1:\n  p0 = setp.ge.u32 r0, 4\n  @p0 bra b3\n"                                       \
    "b2:\n  bar.arrive 0:32, 0:32\n  bar.wait 0:32, 0:32\n  bra b5\n"                     \
    "b3:\n  bar.wait 0:32, 0:32\n  bra b5\n"                                              \
    "b4:\n" other "b5:\n" STORE("r5")

static void some_lanes_are_ahead(void **state)
{
    (void)state;
    runs("lanes 8", AHEAD("  bar.wait 0:32, 0:32\n  bar.arrive 0:32, 0:32\n  bar.wait 0:32, 0:32\n"), 16, one);
    runs("lanes 8", AHEAD("  bra b5\n"), 16, one);
}

/* ---- registers as bytes ----------------------------------------------------------------------------------- */

static uint32_t times_three(uint32_t thread)
{
    return thread * 3 % 32 * 5;
}

static void bytes_are_the_warps(void **state)
{
    (void)state;
    runs("lanes 32 regfile 128",
         "  r2 = mul.u32 r0, 4\n  r3 = mul.u32 r0, 5\n  st.regfile.b32 [r2], r3\n  r4 = mul.u32 r0, 3\n"
         "  r4 = and.b32 r4, 31\n  r4 = mul.u32 r4, 4\n  r5 = ld.regfile.b32 [r4]\n" STORE("r5"),
         32, times_three);
}

static uint32_t sum_of_warps(uint32_t thread)
{
    return thread / 8 + 1;
}

/* Each warp has its own, and a byte is seen as part of a word. */
static void warps_do_not_share_them(void **state)
{
    (void)state;
    runs("lanes 8 regfile 4",
         "  r2 = sreg.warpid.b32\n  r2 = add.u32 r2, 1\n  st.regfile.b8 [0:32], r2\n  bar.sync 0:32, 0:32\n"
         "  r5 = ld.regfile.u32 [0:32]\n" STORE("r5"),
         32, sum_of_warps);
}

/* Each block finds zeros, whatever the one before it has left: in compiled code, too, which begins blocks by itself. */
static void blocks_find_them_zero(void **state)
{
    struct lanes t;
    (void)state;
    lanes_open_as(&t, "lanes 32 regfile 4",
                  "  r5 = ld.regfile.b32 [0:32]\n  r6 = mov.b32 7\n  st.regfile.b32 [0:32], r6\n" STORE("r5"));
    t.launch.grid[0] = 64;
    t.launch.threads = 1;
    for (unsigned i = 0; i < 2; i++) {
        t.launch.engine = i ? ATOLL_ENGINE_JIT : ATOLL_ENGINE_INTERPRETER;
        if (!atoll_engine_available(t.launch.engine, NULL))
            continue;
        assert_true(lanes_run(&t, ATOLL_POLICY_DEFAULT));
        for (unsigned l = 0; l < 32; l++)
            assert_int_equal(t.words[l], 0);
    }
    lanes_close(&t);
}

static void a_place_outside_is_a_trap(void **state)
{
    struct lanes t;
    (void)state;
    lanes_open_as(&t, "lanes 8 regfile 64", "  r2 = mul.u32 r0, 16\n  r5 = ld.regfile.b32 [r2]\n" STORE("r5"));
    t.launch.block[0] = 8;
    assert_false(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    assert_non_null(strstr(t.error.message, "4 bytes at register address 0x40; the thread has 64 bytes of register"));
    lanes_close(&t);
}

/* ---- warps side by side ------------------------------------------------------------------------------------- */

static const char *const packable[] = {"lanes 8 packable", "lanes 16 packable"};
static unsigned width; /* of those at hand */

/* The last warp has some of its lanes only. */
static void packed_run(const char *body, uint32_t (*value)(uint32_t thread))
{
    static const uint32_t threads[] = {8, 12, 16, 20, 32, 40, 64, 100};
    for (unsigned i = 0; i < 2; i++) {
        width = 8u << i;
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
            runs(packable[i], body, threads[k], value);
    }
}

static uint32_t own_numbers(uint32_t thread)
{
    return thread / width * 65536 + thread % width * 1024 + 1024 / width;
}

static void packed_warps_have_their_numbers(void **state)
{
    (void)state;
    packed_run("  r2 = sreg.laneid.b32\n  r3 = sreg.warpid.b32\n  r4 = sreg.nwarpid.b32\n"
               "  r3 = mad.u32 r3, 65536, r4\n  r2 = mad.u32 r2, 1024, r3\n" STORE("r2"),
               own_numbers);
}

static uint32_t third_and_bits(uint32_t thread)
{
    return (thread / width * width + 3) * 65536 + (1u << thread / width % width);
}

/* A value of lane 3, of lanes that have not come too; bits of the lane whose number is the warp's. */
static void packed_warps_see_their_own_lanes(void **state)
{
    (void)state;
    packed_run("  r2 = sreg.laneid.whole.b32\n  r3 = sreg.warpid.whole.b32\n  r4 = sreg.tid.x.whole.b32\n"
               "  r8 = rem.whole.u32 r3, 8\n"
               "  p0 = setp.eq.whole.u32 r2, r8\n  r5 = ballot.whole p0, 0xffffffff\n"
               "  r7, _ = shfl.idx.whole r4, 3, 31, 0xffffffff\n  r8 = mul.u32 r7, 65536\n"
               "  r5 = add.u32 r5, r8\n" STORE("r5"),
               third_and_bits);
}

static uint32_t by_warp(uint32_t thread)
{
    return thread / width * 7 + 100;
}

/* An address that all lanes of a warp share, and no others. */
static void packed_warps_have_their_own_addresses(void **state)
{
    (void)state;
    packed_run("  r2 = sreg.warpid.b32\n  rd2 = mulwide.u32 r2, 4\n  rd2 = add.u64 rd2, rd1\n  r3 = mad.u32 r2, 7, "
               "100\n  st.global.b32 [rd2+4096], r3\n  r5 = ld.global.b32 [rd2+4096]\n" STORE("r5"),
               by_warp);
}

static uint32_t by_parity(uint32_t thread)
{
    return thread / width % 2 ? thread % width < 4 ? 13 : 17 : 9;
}

/* Even warps go one way, odd ones another, on which their lanes part; each time what all of a warp write stays in it.
 * r6 is seen by all lanes: those that wait have what the others wrote. */
static void packed_warps_write_their_own_lanes(void **state)
{
    (void)state;
    packed_run("  r2 = sreg.warpid.b32\n  r2 = and.b32 r2, 1\n  r3 = sreg.laneid.b32\n"
               "  r6 = mov.whole.b32 0\n  r5 = mov.whole.b32 0\n"
               "  p0 = setp.eq.u32 r2, 1\n  @p0 bra b2\n"
               "b1:\n  r6 = mov.whole.b32 9\n  p1 = setp.ne.whole.u32 r6, 0\n  @p1 r5 = add.whole.u32 r6, r5\n"
               "  bra b5\n"
               "b2:\n  r6 = add.whole.u32 r6, 3\n  p2 = setp.ge.u32 r3, 4\n  @p2 bra b4\n"
               "b3:\n  r6 = add.whole.u32 r6, 10\n  r5 = mov.b32 r6\n  bra b5\n"
               "b4:\n  r5 = add.u32 r6, 4\n"
               "b5:\n" STORE("r5"),
               by_parity);
}

static uint32_t count_of_lanes(uint32_t thread)
{
    (void)thread;
    return width;
}

/* All lanes of a warp add one, also those that it lacks at the end of the block; of odd ones one lane runs. */
static void packed_warps_access_memory_as_a_whole(void **state)
{
    (void)state;
    packed_run("  r2 = sreg.warpid.whole.b32\n  rd2 = mulwide.whole.u32 r2, 4\n"
               "  rd3 = ld.whole.param.b64 [0:32]\n  rd2 = add.whole.u64 rd2, rd3\n"
               "  r4 = and.b32 r2, 1\n  p0 = setp.eq.u32 r4, 1\n  r3 = sreg.laneid.b32\n"
               "  p1 = setp.ne.u32 r3, 0\n  p0 = and.pred p0, p1\n  @p0 bra b2\n"
               "b1:\n  red.whole.global.add.u32 [rd2+4096], 1:32\n"
               "b2:\n  bar.sync 0:32, 0:32\n  r5 = ld.global.b32 [rd2+4096]\n" STORE("r5"),
               count_of_lanes);
}

static uint32_t of_the_next(uint32_t thread)
{
    return thread / width * 16 + 5;
}

/* Warps come to barriers on different ways, some twice as one; others have left. */
static void packed_warps_meet_at_barriers(void **state)
{
    (void)state;
    packed_run("  r2 = sreg.warpid.b32\n  rd2 = mulwide.u32 r2, 4\n  rd2 = add.u64 rd2, rd1\n"
               "  r3 = and.b32 r2, 1\n  p0 = setp.eq.u32 r3, 1\n  r4 = mov.b32 0\n  r7 = sreg.laneid.b32\n"
               "  r6 = mul.u32 r2, 16\n"
               "b1:\n  r4 = add.u32 r4, 1\n  r8 = add.u32 r6, r4\n  st.global.b32 [rd2+4096], r8\n  @p0 bra b3\n"
               "b2:\n  bar.sync 0:32, 0:32\n  r5 = ld.global.b32 [rd2+4096]\n  bar.sync 0:32, 0:32\n  bra b6\n"
               "b3:\n  p1 = setp.ge.u32 r7, 3\n  @p1 bra b5\n"
               "b4:\n  bar.sync 0:32, 0:32\n  r5 = ld.global.b32 [rd2+4096]\n  bar.sync 0:32, 0:32\n  bra b6\n"
               "b5:\n  bar.sync 0:32, 0:32\n  r5 = ld.global.b32 [rd2+4096]\n  bar.sync 0:32, 0:32\n"
               "b6:\n  p2 = setp.lt.u32 r4, 5\n  @p2 bra b1\n"
               "b7:\n" STORE("r5"),
               of_the_next);
}

/* The warp whose number r3 is waits until the word at rd1 + 8192 is r2, and adds one: they come one after the other.
 * Those that wait stand before those that do not. */
#define ONE_AFTER_THE_OTHER(number)                                                            \
    "  r3 = sreg.warpid.b32\n  r9 = sreg.ntid.x.b32\n  r7 = sreg.laneid.b32\n" number          \
    "b1:\n  r4 = ld.global.volatile.b32 [rd1+8192]\n  p0 = setp.ne.u32 r4, r2\n  @p0 bra b1\n" \
    "b2:\n  p1 = setp.ne.u32 r7, 0\n  r5 = add.u32 r4, 100\n  @p1 bra b4\n"                    \
    "b3:\n  r6 = add.u32 r4, 1\n  st.global.volatile.b32 [rd1+8192], r6\n"                     \
    "b4:\n" STORE("r5")

static uint32_t number_100(uint32_t thread)
{
    return thread / width + 100;
}

/* The launch ends whoever waits for whom: warps that lie side by side have their turns. */
static void packed_warps_wait_for_each_other(void **state)
{
    (void)state;
    packed_run(ONE_AFTER_THE_OTHER("  r2 = mov.b32 r3\n"), number_100);
}

static uint32_t three_a_round(uint32_t thread)
{
    return 3 * 4000 + thread / width;
}

/* Lanes of each warp part and meet in each of 4000 rounds, odd warps on a longer way: what the whole warp counts it
 * counts once on each side and once where they have met, also when the warps take turns. */
static void packed_warps_keep_their_lanes_together(void **state)
{
    (void)state;
    packed_run("  r2 = sreg.warpid.whole.b32\n  r7 = sreg.laneid.b32\n  r6 = mov.whole.b32 r2\n  r3 = and.b32 r2, 1\n"
               "  p0 = setp.eq.u32 r3, 1\n  r4 = mov.b32 0\n"
               "b1:\n  r4 = add.u32 r4, 1\n  r8 = add.u32 r4, r7\n  r8 = and.b32 r8, 1\n"
               "  p1 = setp.eq.u32 r8, 1\n  @p1 bra b4\n"
               "b2:\n  r6 = add.whole.u32 r6, 1\n  st.global.volatile.b32 [rd0+4096], r8\n  @!p0 bra b6\n"
               "b3:\n  r9 = ld.global.volatile.b32 [rd0+4096]\n  bra b6\n"
               "b4:\n  r6 = add.whole.u32 r6, 1\n  st.global.volatile.b32 [rd0+4096], r8\n  @p0 bra b6\n"
               "b5:\n  r9 = ld.global.volatile.b32 [rd0+4096]\n"
               "b6:\n  r6 = add.whole.u32 r6, 1\n  p2 = setp.lt.u32 r4, 4000\n  @p2 bra b1\n"
               "b7:\n" STORE("r6"),
               three_a_round);
}

static unsigned last_warp;

static uint32_t from_the_last(uint32_t thread)
{
    return last_warp - thread / width + 100;
}

static void packed_warps_wait_for_later_ones(void **state)
{
    static const uint32_t threads[] = {16, 32, 40, 64, 128};
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
            char body[1000];
            width = 8u << i;
            last_warp = (threads[k] - 1) / width;
            snprintf(body, sizeof body, ONE_AFTER_THE_OTHER("  r2 = sub.u32 %u:32, r3\n"), last_warp);
            runs(packable[i], body, threads[k], from_the_last);
        }
}

static uint32_t ten_each(uint32_t thread)
{
    (void)thread;
    return 10;
}

/* Lane 0 of each warp takes a lock ten times, and adds one to what only its holder may touch; the others wait for it
 * at the end, as lanes of a vector machine do. */
static void packed_warps_take_locks(void **state)
{
    (void)state;
    packed_run("  r2 = sreg.warpid.b32\n  rd2 = mulwide.u32 r2, 4\n  rd2 = add.u64 rd2, rd1\n"
               "  r7 = sreg.laneid.b32\n  r4 = mov.b32 0\n  p0 = setp.ne.u32 r7, 0\n  @p0 bra b5\n"
               "b1:\n  r3 = atom.global.exch.acq_rel.gpu.b32 [rd1+8192], 1:32\n  p1 = setp.ne.u32 r3, 0\n"
               "  @p1 bra b1\n"
               "b2:\n  r5 = ld.global.volatile.b32 [rd1+8200]\n  r5 = add.u32 r5, 1\n"
               "  st.global.volatile.b32 [rd1+8200], r5\n  r6 = ld.global.b32 [rd2+4096]\n  r6 = add.u32 r6, 1\n"
               "  st.global.b32 [rd2+4096], r6\n"
               "b3:\n  r3 = atom.global.exch.acq_rel.gpu.b32 [rd1+8192], 0:32\n"
               "b4:\n  r4 = add.u32 r4, 1\n  p2 = setp.lt.u32 r4, 10\n  @p2 bra b1\n"
               "b5:\n  bar.sync 0:32, 0:32\n"
               "b6:\n  r2 = sreg.ntid.x.b32\n  r9 = sreg.warpid.b32\n  r5 = ld.global.volatile.b32 [rd1+8200]\n"
               "  r8 = ld.global.b32 [rd2+4096]\n  r3 = sreg.nwarpid.b32\n  r3 = div.u32 1024:32, r3\n"
               "  r2 = add.u32 r2, r3\n  r2 = sub.u32 r2, 1\n  r2 = div.u32 r2, r3\n  r5 = div.u32 r5, r2\n"
               "  p3 = setp.eq.u32 r5, 10\n  r5 = selp.b32 r8, r5, p3\n" STORE("r5"),
               ten_each);
}

static void packed_warps_tell_their_thread(void **state)
{
    struct lanes t;
    (void)state;
    lanes_open_as(&t, "lanes 8 packable",
                  "  r2 = sreg.warpid.b32\n  p0 = setp.ne.u32 r2, 2\n  r3 = sreg.laneid.b32\n"
                  "  p1 = setp.ne.u32 r3, 5\n  p0 = or.pred p0, p1\n  @p0 bra b2\nb1:\n  trap\nb2:\n" STORE("r2"));
    assert_false(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    assert_string_equal(t.trap.cause, "trap");
    assert_int_equal(t.trap.thread[0], 21);
    t.launch.block[0] = 20;
    assert_true(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    assert_int_equal(t.stats.warps, 3);
    lanes_close(&t);
}

static void note_row(void *user, const struct atoll_contention *row)
{
    struct atoll_contention *all = user;
    all->executions += row->executions;
    all->lanes += row->lanes;
    all->passes += row->passes;
}

/* What atomics on shared memory cost is a warp's, whether it lies beside others or, traced, alone. */
static void packed_warps_cost_what_each_costs(void **state)
{
    struct lanes t;
    struct atoll_contention packed = {0}, alone = {0};
    (void)state;
    lanes_open_as(&t, "lanes 8 packable",
                  "  r2 = and.b32 r0, 3\n  p0 = setp.ne.u32 r2, 3\n  r3 = and.b32 r0, 1\n"
                  "  r3 = shl.b32 r3, 2\n  @p0 red.shared.add.u32 [r3], r0\n" STORE("r2"));
    t.launch.block[0] = 44;
    t.launch.dynamic_shared = 64;
    t.launch.contention = note_row;
    t.launch.user = &packed;
    assert_true(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    t.launch.user = &alone;
    t.launch.trace = no_trace;
    assert_true(lanes_run(&t, ATOLL_POLICY_DEFAULT));
    assert_int_equal(packed.executions, 6);
    assert_memory_equal(&packed, &alone, sizeof packed);
    lanes_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_have_their_lanes),
        cmocka_unit_test(lanes_beyond_the_width_do_not_run),
        cmocka_unit_test(blocks_have_a_limit),
        cmocka_unit_test(large_blocks_meet),
        cmocka_unit_test(counts_are_of_threads),
        cmocka_unit_test(barriers_tell_who_is_missing),
        cmocka_unit_test(the_whole_warp_writes),
        cmocka_unit_test(guards_count_for_all_lanes),
        cmocka_unit_test(votes_of_the_whole_warp),
        cmocka_unit_test(lanes_that_wait_keep_what_they_have),
        cmocka_unit_test(lanes_beyond_the_width_keep_what_they_have),
        cmocka_unit_test(arriving_and_waiting),
        cmocka_unit_test(waiting_for_nothing),
        cmocka_unit_test(nobody_else_comes),
        cmocka_unit_test(a_barrier_that_is_not_there),
        cmocka_unit_test(some_lanes_are_ahead),
        cmocka_unit_test(bytes_are_the_warps),
        cmocka_unit_test(warps_do_not_share_them),
        cmocka_unit_test(a_place_outside_is_a_trap),
        cmocka_unit_test(blocks_find_them_zero),
        cmocka_unit_test(packed_warps_have_their_numbers),
        cmocka_unit_test(packed_warps_see_their_own_lanes),
        cmocka_unit_test(packed_warps_have_their_own_addresses),
        cmocka_unit_test(packed_warps_write_their_own_lanes),
        cmocka_unit_test(packed_warps_access_memory_as_a_whole),
        cmocka_unit_test(packed_warps_meet_at_barriers),
        cmocka_unit_test(packed_warps_wait_for_each_other),
        cmocka_unit_test(packed_warps_keep_their_lanes_together),
        cmocka_unit_test(packed_warps_wait_for_later_ones),
        cmocka_unit_test(packed_warps_take_locks),
        cmocka_unit_test(packed_warps_tell_their_thread),
        cmocka_unit_test(packed_warps_cost_what_each_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
