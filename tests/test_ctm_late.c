/* Results that come late in programs with flow control: what is not known before the program runs. */
#include "ctm_tex.h"
#include "isa/ctm/text.h"

enum { W = CTM_BLOCK_X, H = CTM_BLOCK_Y, SIZE = 8, SEEDS = 12 };

struct bench {
    struct ctm_run run;
    struct surface *in, *out;
    float texels[SIZE][SIZE][4];
    uint32_t got[W * H][4];
    uint32_t bools, rounds;
};

/* Input 0 is a map of places to places: texel (x, y) has coordinates, all different. */
static void bench_make(struct bench *b, unsigned mode, const char *text, bool uncached)
{
    struct ctm_run *t = &b->run;
    ctm_run_begin(t);
    t->tex_write = (enum ctm_tex_write)mode;
    b->out = ctm_run_surface(t, CTM_PARAM_OUTPUTS, uncached ? "r32float" : "rgba32float", W, H);
    b->in = ctm_run_surface(t, CTM_PARAM_INPUTS, "rgba32float", SIZE, SIZE);
    for (unsigned i = 0; i < SIZE * SIZE; i++) {
        float *texel = b->texels[i / SIZE][i % SIZE];
        texel[0] = (float)((i * 37 + 11) % 64 % SIZE);
        texel[1] = (float)((i * 37 + 11) % 64 / SIZE);
        texel[2] = (float)i;
        texel[3] = -(float)i;
    }
    assert_true(surface_upload(b->in, b->texels, sizeof b->texels, NULL));
    if (!ctm_assemble(&t->arena, text, strlen(text), NULL, &t->program, &t->error))
        fail_msg("%u: %s", t->error.line, t->error.message);
    t->params[CTM_PARAM_INTS] = (unsigned char)b->rounds;
    t->params[CTM_PARAM_INTS + 2] = 1;
    ctm_run_u32(t, CTM_PARAM_BOOLS, b->bools & 1);
    ctm_run_u32(t, CTM_PARAM_BOOLS + 4, b->bools >> 1 & 1);
}

static const uint32_t *bench_go(struct bench *b, unsigned mode, uint32_t seed, const char *text)
{
    bool uncached = strstr(text, ".uncached");
    bench_make(b, mode, text, uncached);
    ctm_run_u32(&b->run, CTM_PARAM_TEX_SEED, seed);
    if (!ctm_run_go(&b->run))
        fail_msg("%s", b->run.error.message);
    memset(b->got, 0, sizeof b->got);
    ctm_run_texels(b->out, b->got);
    ctm_run_end(&b->run);
    return b->got[0];
}

static const float *at(const struct bench *b, float x, float y)
{
    return b->texels[clamp_ref((int64_t)floorf(y), SIZE)][clamp_ref((int64_t)floorf(x), SIZE)];
}

/* In all orders the same: what a guarded program gives. */
static void same_in_all_orders(const char *text, uint32_t bools, uint32_t rounds, uint32_t first[W * H][4])
{
    struct bench b = {.bools = bools, .rounds = rounds};
    memcpy(first, bench_go(&b, CTM_TEX_IMMEDIATE, 0, text), sizeof b.got);
    assert_memory_equal(first, bench_go(&b, CTM_TEX_DEFERRED, 0, text), sizeof b.got);
    for (uint32_t seed = 0; seed < SEEDS; seed++)
        assert_memory_equal(first, bench_go(&b, CTM_TEX_SEEDED, seed, text), sizeof b.got);
}

/* ---- loops --------------------------------------------------------------------------------------------------------
 */

/* Each round looks up where the last one said. */
static void guarded_chains(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               " REP i0\n"
                               " r0 = TEXLD(s0, r0) unscaled wait acquire\n"
                               " ENDREP\n"
                               " out0 = r0 wait\n";
    uint32_t got[W * H][4];
    struct bench b;
    for (uint32_t rounds = 1; rounds < 5; rounds++) {
        same_in_all_orders(text, 0, rounds, got);
        b = (struct bench){.rounds = 0};
        (void)bench_go(&b, 0, 0, text); /* the texels */
        for (unsigned i = 0; i < W * H; i++) {
            const float index[] = {(float)(i % W), (float)(i / W), 0, 1}, *place = index;
            for (uint32_t k = 0; k < rounds; k++)
                place = at(&b, place[0], place[1]);
            assert_memory_equal(got[i], place, sizeof got[i]);
        }
    }
}

/* Nothing waits in the loop: each round sees the old place, and the last result comes after it. */
static void unguarded_chains_do_not_move(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               " REP i0\n"
                               " r0 = TEXLD(s0, r0) unscaled acquire\n"
                               " r1 = r1 + r0\n"
                               " ENDREP\n"
                               " r2 = r0\n"
                               " r0.r = r0.r wait\n"
                               " out0.rg = r0 | out0.a = r2.r\n";
    struct bench b = {.rounds = 3};
    (void)bench_go(&b, CTM_TEX_DEFERRED, 0, text);
    for (unsigned i = 0; i < W * H; i++) {
        const float *first = at(&b, (float)(i % W), (float)(i / W));
        assert_memory_equal(b.got[i], first, 8);
        assert_true(float_of(b.got[i][3]) == (float)(i % W)); /* still the index */
    }
    (void)bench_go(&b, CTM_TEX_IMMEDIATE, 0, text);
    const float *third = at(&b, at(&b, 0, 0)[0], at(&b, 0, 0)[1]);
    third = at(&b, third[0], third[1]);
    assert_memory_equal(b.got[0], third, 8);
}

/* The wait at the top of a loop is for the lookup at its end, and in the first round for none. */
static void results_cross_the_end_of_a_loop(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               " r1 = r0\n"
                               " REP i0\n"
                               " r2.b = r2.b + r1.b wait | r2.a = r2.a + r1.r\n"
                               " r3 = r1\n"
                               " r1 = TEXLD(s0, r3) unscaled acquire\n"
                               " ENDREP\n"
                               " r2.rg = r1 wait\n"
                               " out0 = r2\n";
    uint32_t got[W * H][4];
    struct bench b = {.rounds = 1};
    (void)bench_go(&b, 0, 0, text);
    for (uint32_t rounds = 1; rounds < 4; rounds++) {
        same_in_all_orders(text, 0, rounds, got);
        for (unsigned i = 0; i < W * H; i++) {
            const float index[] = {(float)(i % W), (float)(i / W), 0, 1}, *place = index;
            float sum[2] = {0, 0};
            for (uint32_t k = 0; k < rounds; k++) {
                sum[0] += place[2];
                sum[1] += place[0];
                place = at(&b, place[0], place[1]);
            }
            assert_memory_equal(got[i], place, 8);
            assert_true(float_of(got[i][2]) == sum[0] && float_of(got[i][3]) == sum[1]);
        }
    }
}

/* The destination has aL added: a register a round, all waited for at the end. */
static void relative_destinations(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               " LOOP i0\n"
                               " r[aL+4] = TEXLD(s0, r0) unscaled acquire\n"
                               " r0.r = r0.r + 1\n"
                               " ENDLOOP\n"
                               " r1.r = r4.b wait\n"
                               " r1.g = r5.b\n"
                               " r1.b = r6.b\n"
                               " r1.a = r7.b\n"
                               " out0 = r1\n";
    uint32_t got[W * H][4];
    struct bench b = {.rounds = 1};
    (void)bench_go(&b, 0, 0, text);
    same_in_all_orders(text, 0, 3, got);
    for (unsigned i = 0; i < W * H; i++)
        for (unsigned k = 0; k < 4; k++) {
            float want = k < 3 ? at(&b, (float)(i % W + k), (float)(i / W))[2] : 0;
            assert_true(float_of(got[i][k]) == want);
        }
}

/* ---- branches ------------------------------------------------------------------------------------------------------
 */

/* Whether somebody has waited is known only when the program runs; so is whether an ACQUIRE covers the lookup. */
static void branches_decide(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               " r1 = TEXLD(s0, r0) unscaled\n"
                               " IF b0\n"
                               " TEX_INST_NOP acquire\n"
                               " ENDIF\n"
                               " IF b1\n"
                               " r2 = r2 wait\n"
                               " ENDIF\n"
                               " out0 = r1\n";
    struct bench b;
    for (uint32_t bools = 0; bools < 4; bools++) {
        b = (struct bench){.bools = bools};
        (void)bench_go(&b, CTM_TEX_DEFERRED, 0, text);
        for (unsigned i = 0; i < W * H; i++) {
            static const float zeros[4];
            const float *want = bools == 3 ? at(&b, (float)(i % W), (float)(i / W)) : zeros;
            assert_memory_equal(b.got[i], want, sizeof b.got[i]);
        }
    }
}

/* Processors that are inactive when a lookup is issued get nothing, those that are when it comes get theirs. */
static void masks_are_those_of_the_issue(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               " p.r<0 = r0.r - {4}\n"
                               " IF p.r\n"
                               " r1 = TEXLD(s0, r0) unscaled acquire\n"
                               " r2 = r1\n"
                               " ELSE\n"
                               " r3 = r3 wait\n"
                               " ENDIF\n"
                               " out0.rgb = r1 wait | out0.a = r2.b\n";
    struct bench b = {0};
    (void)bench_go(&b, CTM_TEX_DEFERRED, 0, text);
    for (unsigned i = 0; i < W * H; i++) {
        static const float zeros[4];
        const float *want = i % W < 4 ? at(&b, (float)(i % W), (float)(i / W)) : zeros;
        assert_memory_equal(b.got[i], want, 12);
        assert_int_equal(b.got[i][3], 0);
    }
}

static void kills(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               " r1.rgb = r0 - {4} | r1.a = r0.g - {2}\n"
                               " p.r<0 = r0.r - {1}\n"
                               " KILL_LT_0(r1.ra)\n"
                               " out0 = 1\n";
    static const char predicated[] = ".dpp\n"
                                     " r1.rgb = r0 - {4} | r1.a = r0.g - {2}\n"
                                     " p.g<0 = r0.g - {1}\n"
                                     " (p.g) KILL_LT_0(r1.r)\n"
                                     " out0 = 1\n";
    static const char branch[] = ".dpp\n"
                                 " r1 = r0 - {4}\n"
                                 " p.g<0 = r0.g - {1}\n"
                                 " IF p.g\n"
                                 " KILL_LT_0(r1.r) !WRITE_INACTIVE=1\n"
                                 " ENDIF\n"
                                 " out0 = 1\n";
    struct bench b = {0};
    for (unsigned mode = 0; mode < 3; mode++) {
        (void)bench_go(&b, mode, 1, text);
        for (unsigned i = 0; i < W * H; i++)
            assert_int_equal(b.got[i][0] != 0, i % W >= 4 && i / W >= 2);
        (void)bench_go(&b, mode, 1, predicated);
        for (unsigned i = 0; i < W * H; i++)
            assert_int_equal(b.got[i][0] != 0, i / W >= 1 || i % W >= 4);
        (void)bench_go(&b, mode, 1, branch);
        for (unsigned i = 0; i < W * H; i++)
            assert_int_equal(b.got[i][0] != 0, i / W >= 1 || i % W >= 4);
    }
}

/* ---- uncached writes ------------------------------------------------------------------------------------------------
 */

/* A write a round, each to a place of its own; at the end all are in memory, whichever way they came. */
static void writes_in_loops(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               ".uncached\n"
                               " r1.rgb = r0.rrg | r1.a = 0\n"
                               " REP i0\n"
                               " umrt_own = r1\n"
                               " r2 = TEXLD(s0, r0) unscaled\n" /* makes them late */
                               " r1.r = r1.r + {16}\n"
                               " ENDREP\n"
                               " OUTPUT wait\n";
    uint32_t got[W * H][4];
    same_in_all_orders(text, 0, 3, got);
    const uint32_t *words = got[0];
    for (unsigned i = 0; i < W * H; i++)
        assert_true(float_of(words[i]) == (float)(i % W) + 32);
}

/* A killed processor's writes from before are kept, it makes no more. */
static void kills_stop_writes(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               ".uncached\n"
                               " r1.rgb = r0.rrg | r1.a = 0\n"
                               " umrt_own_acquire = r1\n"
                               " r2 = TEXLD(s0, r0) unscaled\n"
                               " r3 = r0 - {4}\n"
                               " KILL_LT_0(r3.r)\n"
                               " r1.r = r1.r + {16}\n"
                               " umrt_own_acquire = r1 wait\n"
                               " OUTPUT wait\n";
    uint32_t got[W * H][4];
    same_in_all_orders(text, 0, 0, got);
    const uint32_t *words = got[0];
    for (unsigned i = 0; i < W * H; i++)
        assert_true(float_of(words[i]) == (float)(i % W) + (i % W < 4 ? 0.0f : 16.0f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guarded_chains),
        cmocka_unit_test(unguarded_chains_do_not_move),
        cmocka_unit_test(results_cross_the_end_of_a_loop),
        cmocka_unit_test(relative_destinations),
        cmocka_unit_test(branches_decide),
        cmocka_unit_test(masks_are_those_of_the_issue),
        cmocka_unit_test(kills),
        cmocka_unit_test(writes_in_loops),
        cmocka_unit_test(kills_stop_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
