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
    b->run.launch.seed = seed;
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

/* A RETURN goes behind calls, not to its JUMP_ADDR, here 0: no lookup is issued again, so both results are under way
 * until the last instruction waits. */
static void calls_are_no_loops(void **unused)
{
    (void)unused;
    static const char text[] = ".dpp\n"
                               ".end 4\n"
                               " r1 = TEXLD(s0, r0) unscaled\n"
                               " CALL f\n"
                               " r1 = TEXLD(s0, r0.gggg) unscaled acquire wait\n"
                               " CALL f\n"
                               " out0 = r2 wait\n"
                               "f: r2 = r2 + r1\n"
                               " RETURN\n";
    struct bench b = {0};
    (void)bench_go(&b, CTM_TEX_DEFERRED, 0, text);
    for (unsigned i = 0; i < W * H; i++)
        for (unsigned c = 0; c < 4; c++)
            assert_int_equal(b.got[i][c], 0);
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

/* ---- random programs
 * -------------------------------------------------------------------------------------------------- Structured ones
 * whose every use waits: the three orders give the same. Without the waits a seed still repeats. */

struct maker {
    struct text out;
    uint32_t state;
    bool guarded;
    unsigned left, loops; /* statements to come; loops around */
};

static uint32_t draw(struct maker *m, uint32_t below)
{
    m->state = m->state * 1664525 + 1013904223;
    return (m->state >> 8) % below;
}

static const char *flags(struct maker *m, bool lookup)
{
    static const char *const texts[] = {"", " wait", " acquire", " wait acquire"};
    unsigned wait = m->guarded || draw(m, 3) == 0, acquire = lookup && (m->guarded || draw(m, 3) == 0);
    return texts[wait + 2 * acquire];
}

static void make_plain(struct maker *m)
{
    static const char *const masks[] = {"", ".rg", ".ba", ".r", ".rgb", ".g"};
    const char *mask = masks[draw(m, 6)];
    unsigned dst = draw(m, 5), a = draw(m, 5), b = draw(m, 5);
    static const char *const preds[] = {"", "", "", "(p.r) ", "(!p.g) "};
    const char *pred = preds[draw(m, 5)];
    if (draw(m, 2))
        text_printf(&m->out, "%sr%u%s = TEXLD(s0, r%u) unscaled%s\n", pred, dst, mask, a, flags(m, true));
    else if (draw(m, 4))
        text_printf(&m->out, "%sr%u%s = r%u + r%u%s\n", pred, dst, mask, a, b, flags(m, false));
    else
        text_printf(&m->out, "p.rg<0 = r%u - {2}%s\n", a, flags(m, false));
}

static void make_block(struct maker *m, unsigned depth);

static void make_statement(struct maker *m, unsigned depth)
{
    unsigned kind = depth < 3 ? draw(m, 8) : 7;
    if (kind == 0 && m->loops < 2) {
        text_printf(&m->out, "REP i%u%s\n", draw(m, 2), m->guarded ? " wait" : "");
        m->loops++;
        make_block(m, depth + 1);
        m->loops--;
        text_printf(&m->out, "ENDREP\n");
    } else if (kind <= 2) {
        static const char *const conditions[] = {"b0", "!b1", "p.r", "!p.g"};
        text_printf(&m->out, "IF %s\n", conditions[draw(m, 4)]);
        make_block(m, depth + 1);
        if (draw(m, 2)) {
            text_printf(&m->out, "ELSE\n");
            make_block(m, depth + 1);
        }
        text_printf(&m->out, "ENDIF\n");
    } else {
        make_plain(m);
    }
}

static void make_block(struct maker *m, unsigned depth)
{
    for (unsigned n = 1 + draw(m, 4); n > 0 && m->left > 0; n--) {
        m->left--;
        make_statement(m, depth);
    }
    make_plain(m);
}

static void random_structures(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 300; i++) {
        struct maker m = {.state = i * 77 + 5, .guarded = i % 3 != 0, .left = 14};
        struct bench b = {.bools = i, .rounds = i % 4};
        uint32_t first[W * H][4];
        text_printf(&m.out, ".dpp\n");
        for (unsigned n = 0; n < 4; n++)
            make_block(&m, 0);
        text_printf(&m.out, "r0 = r0 + r1 wait\nr0 = r0 + r2\nr0 = r0 + r3\nout0 = r0 + r4\n");
        assert_true(text_ok(&m.out));
        const char *text = m.out.bytes;
        if (m.guarded) {
            same_in_all_orders(text, b.bools, b.rounds, first);
        } else {
            memcpy(first, bench_go(&b, CTM_TEX_SEEDED, i, text), sizeof first);
            assert_memory_equal(first, bench_go(&b, CTM_TEX_SEEDED, i, text), sizeof first);
            (void)bench_go(&b, CTM_TEX_DEFERRED, i, text);
        }
        text_free(&m.out);
    }
}

/* The same program with loops and branches, and as what it comes to: late results are the same. Loops have no lookup
 * without ACQUIRE and no two for one place, where there are choices (docs/ctm.md, "Choices"). */
struct pair {
    struct text looped, flat;
    bool to_looped, to_flat;
    struct state {
        uint32_t random;
        unsigned lookups, left;
    } at;
    unsigned loops;
    uint32_t bools, rounds;
};

static uint32_t pick(struct pair *p, uint32_t below)
{
    p->at.random = p->at.random * 1664525 + 1013904223;
    return (p->at.random >> 8) % below;
}

static void put(struct pair *p, const char *line, bool only_looped)
{
    if (p->to_looped)
        text_printf(&p->looped, "%s\n", line);
    if (p->to_flat && !only_looped)
        text_printf(&p->flat, "%s\n", line);
}

static void pair_block(struct pair *p, unsigned depth);

static void pair_plain(struct pair *p)
{
    static const char *const masks[] = {"", ".rg", ".ba", ".r"}, *const preds[] = {"", "", "(p.r) ", "(!p.g) "};
    char line[120];
    const char *pred = preds[pick(p, 4)], *mask = masks[pick(p, 4)], *wait = pick(p, 4) ? "" : " wait";
    unsigned dst = pick(p, 12), a = pick(p, 12), b = pick(p, 12), kind = pick(p, 4);
    if (kind < 2 && p->at.lookups < 12)
        snprintf(line, sizeof line, "%sr%u%s = TEXLD(s0, r%u) unscaled%s%s", pred, p->at.lookups++, mask, a, wait,
                 p->loops || pick(p, 2) ? " acquire" : "");
    else if (kind < 3)
        snprintf(line, sizeof line, "%sr%u%s = r%u + r%u%s", pred, dst, mask, a, b, wait);
    else
        snprintf(line, sizeof line, "p.rg<0 = r%u - {2}%s", a, wait);
    put(p, line, false);
}

static void pair_loop(struct pair *p, unsigned depth)
{
    bool to_looped = p->to_looped, to_flat = p->to_flat;
    put(p, "REP i0", true);
    p->loops++;
    p->to_flat = false;
    struct state begin = p->at;
    pair_block(p, depth);
    p->to_looped = false;
    p->to_flat = to_flat;
    for (uint32_t k = 0; k < p->rounds; k++) {
        p->at = begin;
        pair_block(p, depth);
    }
    if (!p->rounds) {
        p->at = begin;
        p->to_flat = false;
        pair_block(p, depth);
    }
    p->to_looped = to_looped;
    p->to_flat = to_flat;
    p->loops--;
    put(p, "ENDREP", true);
}

static void pair_branch(struct pair *p, unsigned depth)
{
    unsigned which = pick(p, 2);
    bool to_flat = p->to_flat, taken = p->bools >> which & 1;
    put(p, which ? "IF b1" : "IF b0", true);
    p->to_flat = to_flat && taken;
    pair_block(p, depth);
    if (pick(p, 2)) {
        put(p, "ELSE", true);
        p->to_flat = to_flat && !taken;
        pair_block(p, depth);
    }
    p->to_flat = to_flat;
    put(p, "ENDIF", true);
}

static void pair_block(struct pair *p, unsigned depth)
{
    for (unsigned n = 1 + pick(p, 4); n > 0 && p->at.left > 0; n--) {
        unsigned kind = pick(p, 6);
        p->at.left--;
        if (kind == 0 && depth < 3 && p->loops < 2)
            pair_loop(p, depth + 1);
        else if (kind <= 2 && depth < 3)
            pair_branch(p, depth + 1);
        else
            pair_plain(p);
    }
    pair_plain(p);
}

static void unrolled_programs_are_the_same(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 500; i++) {
        struct pair p = {
            .at = {i * 99 + 3, 0, 16}, .bools = i, .rounds = i / 4 % 4, .to_looped = true, .to_flat = true};
        struct bench b = {.bools = i, .rounds = p.rounds};
        uint32_t first[W * H][4];
        put(&p, ".dpp", false);
        for (unsigned n = 0; n < 4; n++)
            pair_block(&p, 0);
        for (unsigned n = 1; n < 12; n++) {
            char line[40];
            snprintf(line, sizeof line, "r0 = r0 + r%u%s", n, n == 6 ? " wait" : "");
            put(&p, line, false);
        }
        put(&p, "out0 = r0", false);
        assert_true(text_ok(&p.looped) && text_ok(&p.flat));
        memcpy(first, bench_go(&b, CTM_TEX_DEFERRED, 0, p.flat.bytes), sizeof first);
        if (memcmp(first, bench_go(&b, CTM_TEX_DEFERRED, 0, p.looped.bytes), sizeof first) != 0)
            fail_msg("program %u, b0-b1 %u, %u rounds:\n%s\n%s", i, i & 3, p.rounds, p.looped.bytes, p.flat.bytes);
        text_free(&p.looped);
        text_free(&p.flat);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guarded_chains),
        cmocka_unit_test(unguarded_chains_do_not_move),
        cmocka_unit_test(results_cross_the_end_of_a_loop),
        cmocka_unit_test(relative_destinations),
        cmocka_unit_test(calls_are_no_loops),
        cmocka_unit_test(branches_decide),
        cmocka_unit_test(masks_are_those_of_the_issue),
        cmocka_unit_test(kills),
        cmocka_unit_test(writes_in_loops),
        cmocka_unit_test(kills_stop_writes),
        cmocka_unit_test(random_structures),
        cmocka_unit_test(unrolled_programs_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
