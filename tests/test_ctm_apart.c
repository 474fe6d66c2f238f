/* Programs of CTM whose processors go apart (docs/ctm.md, "Apart"): which they are, and that nobody sees it. */
#include "ctm_run.h"
#include "isa/ctm/text.h"

enum { W = CTM_BLOCK_X, H = CTM_BLOCK_Y };

struct bench {
    struct ctm_run run;
    struct surface *out;
    float texels[H][W][4];
};

/* i0: 200 rounds, aL from 3 in steps of 2; i1: 90 rounds; c[k]: k, k + 1/4 ... Input 0 is output 0; input 1 is not
 * bound. */
static void bench_make(struct bench *b, const char *text, bool together)
{
    static const unsigned char ints[] = {200, 3, 2, 0, 90, 0, 1, 0};
    struct ctm_run *t = &b->run;
    ctm_run_begin(t);
    t->together = together;
    b->out = ctm_run_surface(t, CTM_PARAM_OUTPUTS, "rgba32float", W, H);
    memcpy(t->params + CTM_PARAM_INPUTS, t->params + CTM_PARAM_OUTPUTS, 8);
    memcpy(t->params + CTM_PARAM_INTS, ints, sizeof ints);
    for (unsigned i = 0; i < CTM_FLOATS * CTM_CHANNELS; i++) {
        float value = (float)i / 4;
        memcpy(t->params + CTM_PARAM_FLOATS + 4 * i, &value, sizeof value);
    }
    for (unsigned i = 0; i < W * H * 4; i++)
        b->texels[i / (W * 4)][i / 4 % W][i % 4] = (float)(i * 37 % 101);
    assert_true(surface_upload(b->out, b->texels, sizeof b->texels, NULL));
    if (!ctm_assemble(&t->arena, text, strlen(text), NULL, &t->program, &t->error))
        fail_msg("%u: %s", t->error.line, t->error.message);
}

static bool goes_apart(const char *text, bool together)
{
    struct bench b = {0};
    bench_make(&b, text, together);
    assert_true(ctm_run_lower(&b.run));
    const struct lane_func *f = &b.run.lanes.funcs[0];
    bool apart = false;
    for (uint32_t i = 0; i < f->ninsts; i++)
        apart |= f->insts[i].op == LANE_OP_barwarp;
    ctm_run_end(&b.run);
    return apart;
}

static void which(void **unused)
{
    static const struct {
        bool apart;
        const char *body;
    } rows[] = {
        {true, "alu<0 = r0.r - 3\n IF alu\n r1 = 1\n ENDIF\n"},
        {true, "p.r<0 = r0.r - 3\n IF !p.r\n r1 = 1\n ELSE\n r1 = 2 wait\n ENDIF\n"},
        {true, "LOOP i0\n alu<0 = r0.r - 3\n BREAK IF alu\n r1 = c[aL+1]\n ENDLOOP\n"},
        {true, "alu<0 = r0.r - 3\n IF alu\n r1 = TEXLD(s0, r0.rgrg) acquire\n r2 = r1 wait\n ENDIF\n"},
        {true, "REP i0\n alu<0 = r0.r - 3\n IF alu\n CONTINUE\n ENDIF\n KILL_LT_0(r0.r)\n ENDREP\n"},
        /* The same for all: a branch of the group is as good. */
        {false, "REP i0\n r1 = r1 + 1\n ENDREP\n"},
        {false, "IF b0\n r1 = 1\n ENDIF\n"},
        /* Others count. */
        {false, "alu<0 = r0.r - 3\n IF alu\n r1.rgb = mdh(r0, r2, r0)\n ENDIF\n"},
        {false, "alu<0 = r0.r - 3\n IF alu\n r1 = 1 write_inactive\n ENDIF\n"},
        {false, "alu<0 = r0.r - 3\n IF alu\n r1 = 1 last\n ENDIF\n"},
        /* A result comes for the group: the wait in the branch is everybody's. */
        {false, "r1 = TEXLD(s0, r0.rgrg) acquire\n alu<0 = r0.r - 3\n IF alu\n r2 = 1 wait\n ENDIF\n r3 = r1\n"},
        /* Calls; flow instructions that are no statement; ELSE outside of IF. */
        {false, "alu<0 = r0.r - 3\n IF alu\n CALL sub\n ENDIF\n FC JUMP func=0xff addr=past\nsub: r1 = 1\n "
                "RETURN\npast: r1 = 2\n"},
        {false, "alu<0 = r0.r - 3\n FC JUMP func=0x0f addr=past\n r1 = 1\npast: r1 = 2\n"},
        {false, "alu<0 = r0.r - 3\n FC JUMP func=0x0f b0=incr b1=decr addr=past\n r1 = 1\n FC JUMP any b0=decr "
                "pop=1\npast: r1 = 2\n"},
        {false, "alu<0 = r0.r - 3\n IF alu\n REP i0\n FC JUMP b1=decr pop=1 else addr=past\npast: ENDREP\n ENDIF\n"},
    };
    (void)unused;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        snprintf(text, sizeof text, ".dpp\n %s out0 = r1 wait last\n", rows[i].body);
        if (goes_apart(text, false) != rows[i].apart)
            fail_msg("%s: %s", rows[i].apart ? "together" : "apart", text);
        assert_false(goes_apart(text, true));
    }
    assert_false(goes_apart(
        ".dpp\n.uncached\n alu<0 = r0.r - 3\n IF alu\n umrt_same.rgb = r0 wait\n ENDIF\n r1 = 1 last\n", false));
}

/* The texels of both ways to run it; it ends well, or stops with a message. */
static void both(const char *text, const char *message)
{
    struct bench way[2];
    assert_true(goes_apart(text, false));
    for (unsigned i = 0; i < 2; i++) {
        struct bench *b = &way[i];
        memset(b, 0, sizeof *b);
        bench_make(b, text, i);
        bool ok = ctm_run_go(&b->run);
        if (ok != !message || (message && !strstr(b->run.error.message, message)))
            fail_msg("%s: %s", i ? "together" : "apart", ok ? "ends" : b->run.error.message);
        memset(b->texels, 0, sizeof b->texels);
        ctm_run_texels(b->out, b->texels);
        ctm_run_end(&b->run);
    }
    assert_memory_equal(way[0].texels, way[1].texels, sizeof way[0].texels);
}

/* Some are done thousands of branches before others, which look at what those have to write. */
static void outputs_wait(void **unused)
{
    (void)unused;
    both(".dpp\n"
         " r1.r = r0.r * 8 + r0.g\n"
         " REP i0\n"
         "     alu<0 = r1.r - r2.r\n"
         "     BREAK IF alu\n"
         "     r2.r = r2.r + 1\n"
         "     REP i1\n"
         "         r3.r = r3.r + 1\n"
         "     ENDREP\n"
         " ENDREP\n"
         " r4.r = 7 - r0.r\n"
         " r4.g = r0.g\n"
         " r5 = TEXLD(s0, r4.rgrg) unscaled wait acquire\n"
         " out0 = r5 + r3.rrrr wait last\n",
         NULL);
}

/* Is some loop one block? */
static bool is_turned(const char *text)
{
    struct bench b = {0};
    bench_make(&b, text, false);
    assert_true(ctm_run_lower(&b.run));
    const struct lane_func *f = &b.run.lanes.funcs[0];
    bool turned = false;
    for (uint32_t k = 0; k < f->nblocks; k++) {
        const struct lane_inst *last =
            f->blocks[k].count ? &f->insts[f->blocks[k].first + f->blocks[k].count - 1] : NULL;
        turned |= last && last->op == LANE_OP_bra && last->aux == k;
    }
    ctm_run_end(&b.run);
    return turned;
}

/* A BREAK at the start of a loop: left at once, in some round, when no rounds are left. Not where somebody reads behind
 * the loop what decides, or more comes before it than is worth it. */
static void loops_are_turned(void **unused)
{
    static const struct {
        bool turned;
        const char *text;
    } rows[] = {
        {true,
         " REP i1\n alu<0 = r0.r * 9 - r2.r\n BREAK IF alu\n r2.r = r2.r + 1\n r1.r = r1.r * 0.5 + r0.g\n ENDREP\n"},
        {true, " REP i1\n alu<0 = r0.r - 3\n BREAK IF alu\n r2.r = r2.r + 1\n r1.r = r1.r + r2.r\n ENDREP\n"},
        {true, " REP i0\n r3.r = r2.r + r0.g\n alu<0 = r0.r * 48 - r3.r\n BREAK IF alu\n r3.r = r2.r * 2\n"
               " r2.r = r2.r + 1\n r1.r = r3.r\n ENDREP\n"},
        {true, " REP i1\n alu<0 = r2.r - r0.r\n BREAK IF !alu\n r2.r = r2.r + 0.25\n r1.r = r1.r + 1\n ENDREP\n"},
        {false,
         " REP i1\n r3.r = r0.r * 9 - r2.r\n alu<0 = r3.r\n BREAK IF alu\n r2.r = r2.r + 1\n ENDREP\n r1.r = r3.r\n"},
        {false, " REP i1\n r2.r = r2.r + 1\n alu<0 = r0.r * 9 - r2.r\n BREAK IF alu\n ENDREP\n r1.r = r2.r\n"},
    };
    (void)unused;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        snprintf(text, sizeof text, ".dpp\n%s out0 = r1 wait last\n", rows[i].text);
        if (is_turned(text) != rows[i].turned)
            fail_msg("%s: turned, or not, in row %u", text, i);
        both(text, NULL);
    }
}

/* Each processor has its own rounds and aL, and an inner loop gives it back. */
static void loops_with_al(void **unused)
{
    (void)unused;
    both(".dpp\n"
         " LOOP i0\n"
         "     r1 = r1 + c[aL+1]\n"
         "     r2.r = r2.r + 1\n"
         "     alu<0 = r0.r * 7 - r2.r\n"
         "     BREAK IF alu\n"
         "     LOOP i1\n"
         "         r3.r = r3.r + 1\n"
         "         p.r<0 = r3.r * 0.25 - r0.g\n"
         "         CONTINUE IF p.r\n"
         "         r1.r = r1.r + c[aL].b\n"
         "         alu<0 = r0.g * 24 - r3.r\n"
         "         BREAK IF alu\n"
         "     ENDLOOP\n"
         "     r4.g = r4.g + c[aL].g\n"
         " ENDLOOP\n"
         " out0.rgb = r1 + r4.ggg | out0.a = r3.r wait last\n",
         NULL);
}

/* What nobody carries out stops nobody; what somebody does stops all. */
static void stops(void **unused)
{
    (void)unused;
    both(".dpp\n REP i0\n alu<0 = r0.r - 4\n p.r<0 = r0.r - 4\n CONTINUE IF alu\n BREAK IF p.r\n r1 = TEXLD(s1, "
         "r0.rgrg) acquire\n ENDREP\n out0 = r1 wait last\n",
         "in1 is not bound");
    both(".dpp\n REP i0\n alu<0 = r0.r - 4\n p.r<0 = r0.r - 4\n CONTINUE IF alu\n BREAK IF !p.r\n r1 = TEXLD(s1, "
         "r0.rgrg) acquire\n ENDREP\n"
         " out0 = r1 wait last\n",
         NULL);
    both(".dpp\n REP i0\n alu<0 = r0.r - 4\n p.r<0 = r0.r - 4\n CONTINUE IF alu\n BREAK IF !p.r\n r1.rgb = r0 "
         "!RGB_OP=0x6\n ENDREP\n"
         " out0 = r1 wait last\n",
         NULL);
    both(".dpp\n alu<0 = r0.r - 4\n IF alu\n r1.rgb = r0 !RGB_OP=0x6\n ENDIF\n out0 = r1 wait last\n",
         "reserved RGB_OP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which),         cmocka_unit_test(outputs_wait), cmocka_unit_test(loops_are_turned),
        cmocka_unit_test(loops_with_al), cmocka_unit_test(stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
