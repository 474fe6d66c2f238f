/* Votes, ballots, shuffles, reductions and fences in compiled code, and operations that are the interpreter's there:
 * they give what the interpreter gives, whichever lanes run. */
#include "lanes_run.h"

#include "engine/compiler.h"
#include "skip.h"

enum { TEXT = 1 << 14, PROGRAMS = 40, PIECES = 14 };

static void launch_by(struct lanes *t, enum atoll_engine engine, bool *ok)
{
    t->launch.engine = engine;
    *ok = lanes_run(t, ATOLL_POLICY_FRONTIER);
}

/* By both engines, with blocks of `threads`. */
static void same(const char *attributes, const char *body, uint32_t threads)
{
    static uint32_t words[LANES_WORDS];
    static struct lanes t;
    bool ok[2];
    lanes_open_as(&t, attributes, body);
    t.launch.block[0] = threads;
    t.launch.grid[0] = 2;
    launch_by(&t, ATOLL_ENGINE_INTERPRETER, &ok[0]);
    struct atoll_stats stats = t.stats;
    struct atoll_trap trap = t.trap;
    struct atoll_error error = t.error;
    memcpy(words, t.words, sizeof words);
    launch_by(&t, ATOLL_ENGINE_JIT, &ok[1]);
    if (t.stats.not_compiled)
        fail_msg("not compiled: %s\n%s", t.stats.not_compiled, body);
    if (memcmp(words, t.words, sizeof words) != 0 || ok[0] != ok[1])
        fail_msg("results differ, %u threads\n%s", (unsigned)threads, body);
    if (ok[0]) {
        assert_int_equal(stats.warp_instructions, t.stats.warp_instructions);
        assert_int_equal(stats.lane_instructions, t.stats.lane_instructions);
        assert_int_equal(stats.divergent_branches, t.stats.divergent_branches);
    } else {
        assert_string_equal(error.message, t.error.message);
        assert_memory_equal(trap.thread, t.trap.thread, sizeof trap.thread);
    }
    lanes_close(&t);
}

static bool available(void)
{
    const char *why = "this build has none";
    if (compiler_find() && compiler_find()->available(&why))
        return true;
    print_message("skipped: no compiler: %s\n", why);
    return false;
}

/* ---- random programs --------------------------------------------------------------------------------------------- */

struct gen {
    char text[TEXT];
    size_t length;
    uint64_t random;
};

static uint32_t draw(struct gen *g, uint32_t n)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return (uint32_t)(g->random >> 33) % n;
}

static void say(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g->length += (size_t)vsnprintf(g->text + g->length, TEXT - g->length, format, args);
    va_end(args);
    assert_true(g->length < TEXT);
}

/* Members: all, or those that run. r4 has the latter. */
static const char *members(struct gen *g, bool whole)
{
    return whole && draw(g, 3) ? "0xffffffff" : "r4";
}

/* Of r1, whose bits differ, to r2 and p1. `whole`: all lanes that are left come here. */
static void say_operation(struct gen *g, const char *guard, bool whole)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"}, *const votes[] = {"all", "any", "uni"};
    static const char *const sums[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                       "max.s32", "and.b32", "or.b32",  "xor.b32"};
    static const char *const clamps[] = {"31", "0", "0x1c1f", "0x1800", "r3"}, *const by[] = {"1", "2", "16", "r5",
                                                                                              "r3"};
    unsigned mode = draw(g, 4);
    say(g, "  %s", guard);
    switch (draw(g, 7)) {
    case 0:
        say(g, "p1 = vote.%s p0, %s\n", votes[draw(g, 3)], members(g, whole));
        break;
    case 1:
        say(g, "r2 = ballot p0, %s\n", members(g, whole));
        break;
    case 2:
        say(g, "r2, p1 = elect %s\n", members(g, whole));
        break;
    case 3:
        say(g, "r2 = redux.%s r1, %s\n", sums[draw(g, 9)], members(g, whole));
        break;
    case 4:
        say(g, draw(g, 2) ? "r2 = activemask\n" : "fence.gpu\n");
        break;
    case 5:
        say(g, "barwarp %s\n", members(g, whole));
        break;
    default:
        say(g, "r2, p1 = shfl.%s r1, %s, %s, %s\n", modes[mode], by[draw(g, 5)], clamps[draw(g, 5)], members(g, whole));
    }
}

static void say_pieces(struct gen *g, bool whole)
{
    static const char *const guards[] = {"", "", "", "@p2 ", "@!p2 ", "@p3 "};
    for (unsigned i = 0; i < PIECES; i++) {
        say(g, "  r2 = mov.b32 7\n");
        say_operation(g, guards[draw(g, whole ? 2 : 6)], whole);
        say(g, "  r1 = mad.u32 r1, 0x10003, r2\n  r6 = selp.b32 1, 0, p1\n  r1 = add.u32 r1, r6\n");
        say(g, "  p0 = setp.lt.s32 r1, %u\n", draw(g, 1000));
    }
}

/* Some lanes leave at first; others part, and meet again. r5 is the same for all. */
static void generate(struct gen *g, uint64_t seed)
{
    *g = (struct gen){.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    say(g, "  r1 = mul.u32 r0, 0x9e3779b1\n  r3 = and.b32 r0, 15\n  r5 = sreg.ctaid.x.b32\n  p0 = setp.lt.s32 r1, 0\n");
    say(g, "  p1 = setp.eq.u32 r3, 1\n  p2 = setp.lt.u32 r3, 9\n  p3 = setp.gt.u32 r3, 99\n");
    say(g, "  p4 = setp.eq.u32 r3, %u\n  @p4 exit\nb1:\n  r4 = activemask\n", draw(g, 20));
    say_pieces(g, true);
    say(g, "  @p2 bra b3\nb2:\n  r4 = activemask\n");
    say_pieces(g, false);
    say(g, "b3:\n  r4 = activemask\n");
    say_pieces(g, false);
    say(g, "  st.global.b32 [rd0], r1\n  exit");
}

static void programs_are_the_same(void **state)
{
    (void)state;
    static struct gen g;
    static const uint32_t threads[] = {32, 21, 64};
    if (!available())
        skip();
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        generate(&g, seed);
        same("", g.text, threads[seed % 3]);
    }
}

/* ---- what random programs do not have ---------------------------------------------------------------------------- */

/* Packed warps have their own bits and lanes. */
static void of_packed_warps(void **state)
{
    (void)state;
    static const char body[] =
        "  r1 = mul.u32 r0, 0x9e3779b1\n  p0 = setp.lt.s32 r1, 0\n  p1 = setp.lt.u32 r0, 13\n"
        "  r2 = ballot.whole p0, 0xffffffff\n"
        "  r3, p2 = shfl.idx.whole r1, 5, 31, 0xffffffff\n  r4, p3 = shfl.idx.whole r1, 3, 0x1f, 0xffffffff\n"
        "  @p1 r2 = xor.b32 r2, r3\n  r2 = mad.u32 r2, 3, r4\n  r5 = selp.b32 1, 2, p2\n  r2 = add.u32 r2, r5\n"
        "  st.global.b32 [rd0], r2\n  exit";
    if (!available())
        skip();
    same("lanes 8 packable", body, 40);
    same("lanes 16 packable", body, 27);
    same("lanes 16", body, 16);
}

/* Steps of no lanes are left out, those of some are not. */
static void of_guarded_steps(void **state)
{
    (void)state;
    static const char *const last[] = {"99", "12"};
    char body[600];
    if (!available())
        skip();
    for (unsigned i = 0; i < 2; i++) {
        snprintf(body, sizeof body,
                 "  p0 = setp.eq.u32 r0, %s\n  @p0 fault.overflow \"too far\"\n  p1 = setp.lt.u32 r0, 0\n"
                 "  r2 = mov.b32 1\n  @p1 r2 = div.u32 r0, r2\n  @p0 r2 = div.u32 r0, r2\n  @p1 trap\n"
                 "  @p1 unsupported \"nothing\"\n  st.global.b32 [rd0], r2\n  exit",
                 last[i]);
        same("", body, 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_the_same),
        cmocka_unit_test(of_packed_warps),
        cmocka_unit_test(of_guarded_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
