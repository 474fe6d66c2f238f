/* Kernels with tokens in compiled code: what they give, in which order their lanes run, and what is counted, is the
 * interpreter's. */
#include "stack_make.h"

#include "engine/compiler.h"
#include "skip.h"

static void launch_by(struct lanes *t, enum atoll_engine engine)
{
    t->launch.engine = engine;
    if (!lanes_run(t, ATOLL_POLICY_STACK))
        fail_msg("%s", t->error.message);
}

/* Runs by both engines. Returns why the kernel was not compiled; NULL: it was. */
static const char *same(struct lanes *t, const char *body)
{
    static uint32_t words[LANES_WORDS];
    launch_by(t, ATOLL_ENGINE_INTERPRETER);
    struct atoll_stats stats = t->stats;
    memcpy(words, t->words, sizeof words);
    launch_by(t, ATOLL_ENGINE_JIT);
    if (t->stats.not_compiled)
        return t->stats.not_compiled;
    if (memcmp(words, t->words, sizeof words) != 0)
        fail_msg("results differ\n%s", body);
    assert_int_equal(stats.warp_instructions, t->stats.warp_instructions);
    assert_int_equal(stats.lane_instructions, t->stats.lane_instructions);
    assert_int_equal(stats.divergent_branches, t->stats.divergent_branches);
    assert_int_equal(stats.barriers, t->stats.barriers);
    assert_int_equal(stats.atomics, t->stats.atomics);
    return NULL;
}

static bool available(void)
{
    const char *why = "this build has none";
    if (compiler_find() && compiler_find()->available(&why))
        return true;
    print_message("skipped: no compiler: %s\n", why);
    return false;
}

static void programs_are_the_same(void **state)
{
    (void)state;
    static struct gen g;
    static char body[2 * TEXT];
    static struct lanes t;
    uint64_t parted = 0;
    if (!available())
        skip();
    for (uint64_t seed = 1; seed <= 12; seed++) {
        generate(&g, seed, true, body);
        lanes_open(&t, body);
        t.launch.block[0] = 24;
        t.launch.grid[0] = 3;
        const char *why = same(&t, body);
        if (why)
            fail_msg("seed %u: not compiled: %s\n%s", (unsigned)seed, why, body);
        parted += t.stats.divergent_branches;
        lanes_close(&t);
    }
    assert_true(parted > 300);
}

/* A kernel of a warp that is not full, which has to be compiled. */
static void runs(const char *body)
{
    struct lanes t;
    if (!available())
        skip();
    lanes_open(&t, body);
    t.launch.block[0] = 24;
    const char *why = same(&t, body);
    if (why)
        fail_msg("not compiled: %s\n%s", why, body);
    lanes_close(&t);
}

static void refused(const char *body, const char *reason)
{
    struct lanes t;
    if (!available())
        skip();
    lanes_open(&t, body);
    const char *why = same(&t, body);
    assert_non_null(why);
    assert_string_equal(why, reason);
    lanes_close(&t);
}

#define STORE "  st.global.b32 [rd0], r1\n"
/* Shows in which order lanes come: between warps that is not specified, so there is one. */
#define COUNT "  r2 = atom.global.add.u32 [rd1+4096], 1:32\n  r1 = mad.u32 r1, 64, r2\n"

/* Lanes leave the loop one by one, and none of them waits for the others. */
static void sides_that_never_meet(void **state)
{
    (void)state;
    runs("  r1 = mov.b32 0\n  r3 = mov.b32 r0\n"
         "b1:\n" COUNT "  r3 = sub.u32 r3, 1\n  p0 = setp.lt.s32 r3, 0\n  @!p0 bra b1\n"
         "b2:\n" COUNT STORE "  exit");
}

/* A barrier counts the whole warp while one of its sides waits on the stack. */
static void barriers_on_one_side(void **state)
{
    (void)state;
    runs("  r1 = mov.b32 0\n  r3 = and.b32 r0, 3\n  p0 = setp.eq.u32 r3, 0\n  push.sync b3\n  @p0 bra b2\n"
         "b1:\n" COUNT "  bar.sync 0, 0\n" COUNT "  pop.sync\n"
         "b2:\n" COUNT "  pop.sync\n"
         "b3:\n" COUNT STORE "  exit");
}

static void lanes_exit_on_the_way(void **state)
{
    (void)state;
    runs("  r1 = mov.b32 0\n  r3 = and.b32 r0, 3\n  p0 = setp.eq.u32 r3, 0\n  p1 = setp.eq.u32 r3, 1\n"
         "  push.sync b5\n  @p0 bra b3\n"
         "b1:\n" COUNT STORE "  @p1 exit\n"
         "b2:\n" COUNT "  pop.sync\n"
         "b3:\n" COUNT STORE "  @p0 exit\n"
         "b4:\n  pop.sync\n"
         "b5:\n" COUNT STORE "  pop.exit");
}

/* More turns than a warp has at once, with lanes that wait: compiled code is left, and entered again. */
static void long_loops(void **state)
{
    (void)state;
    runs("  r1 = mov.b32 0\n  r3 = mul.u32 r0, 500\n  r4 = mov.b32 0\n  push.break b4\n"
         "b1:\n  push.continue b3\n  p0 = setp.eq.u32 r4, r3\n  @p0 pop.break\n"
         "b2:\n  r1 = mad.u32 r1, 5, r4\n  pop.continue\n"
         "b3:\n  r4 = add.u32 r4, 1\n  bra b1\n"
         "b4:\n" COUNT STORE "  exit");
}

/* A shuffle sees the lanes that run with it, no others. */
static void shuffles_between_sides(void **state)
{
    (void)state;
    runs("  r1 = mov.b32 r0\n  r3 = and.b32 r0, 1\n  p0 = setp.eq.u32 r3, 0\n  push.sync b3\n  @p0 bra b2\n"
         "b1:\n  r1, p1 = shfl.bfly r1, 1, 31, 0xffffffff\n  pop.sync\n"
         "b2:\n  r1, p1 = shfl.bfly r1, 2, 31, 0xffffffff\n  pop.sync\n"
         "b3:\n  r2, p1 = shfl.bfly r1, 4, 31, 0xffffffff\n  r1 = mad.u32 r1, 100, r2\n" STORE "  exit");
}

static void what_is_not_compiled(void **state)
{
    (void)state;
    /* a function with two callers; a jump table */
    refused("  r1 = mov.b32 1\n  push.return b1\n  bra b3\n"
            "b1:\n  push.return b2\n  bra b3\n"
            "b2:\n" STORE "  exit\n"
            "b3:\n  r1 = add.u32 r1, r1\n  pop.return",
            "tokens that are not the same on all ways");
    refused("  r2 = and.b32 r0, 1\n  brx r2 {b1, b2}\nb1:\n  exit\nb2:\n  exit", "a jump table between tokens");
    refused("  p0 = setp.eq.u32 r0, 0\n  @p0 push.sync b1\n  exit\nb1:\n  exit",
            "a token that not all lanes are given");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_the_same),
        cmocka_unit_test(sides_that_never_meet),
        cmocka_unit_test(barriers_on_one_side),
        cmocka_unit_test(lanes_exit_on_the_way),
        cmocka_unit_test(long_loops),
        cmocka_unit_test(shuffles_between_sides),
        cmocka_unit_test(what_is_not_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
