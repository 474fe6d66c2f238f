/* Fragment programs as the open driver for R580's silicon lays them out (tests/data/ctm_words, made by its make.py from
 * the registers' bits alone): the words print as the text beside them, the text assembles to the words, and what they
 * compute is what plain C computes, for every index pair. */
#include "ctm_run.h"

#include "isa/ctm/text.h"

#include <math.h>

enum { W = 16, H = 8, UNITS = 4, CONSTANTS = 8, LINE = 400, ROUNDS = 5 };

/* What one index pair sees: constants, inputs; and what it gives. */
struct pair {
    const float (*c)[4];
    const float (*texels)[W * H][4]; /* [unit][y * W + x] */
    float i, j;
    float out[2][4];
    bool killed;
};

static int clamp(float v, int most)
{
    float f = floorf(v);
    return f < 0 ? 0 : f > (float)most ? most : (int)f;
}

static const float *fetch(const struct pair *p, int unit, float x, float y)
{
    return p->texels[unit][clamp(y, H - 1) * W + clamp(x, W - 1)];
}

static float saturate(float v)
{
    return v > 1 ? 1 : v > 0 ? v : 0;
}

/* ---- what the programs compute ------------------------------------------------------------------------------------
 */

static void lookup(struct pair *p)
{
    memcpy(p->out[0], fetch(p, 0, p->i * p->c[0][0] * W, p->j * p->c[0][1] * H), sizeof p->out[0]);
}

static void modulate(struct pair *p)
{
    const float *s = fetch(p, 0, p->i, p->j), *t = fetch(p, 3, p->i, p->j);
    for (int n = 0; n < 4; n++)
        p->out[0][n] = saturate(s[n] * t[n] + p->c[4][n]);
}

static void dependent(struct pair *p)
{
    const float *s = fetch(p, 0, p->i, p->j);
    float x = s[1] * p->c[1][0] + p->c[2][0], y = s[3] * p->c[1][1] + p->c[2][1];
    memcpy(p->out[0], fetch(p, 1, x, y), sizeof p->out[0]);
}

static void light(struct pair *p)
{
    const float *s = fetch(p, 0, p->i, p->j);
    float n[3] = {2 * s[0] - 1, 2 * s[1] - 1, 2 * s[2] - 1};
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    float lit = (n[0] * p->c[5][0] + n[1] * p->c[5][1] + n[2] * p->c[5][2]) / length;
    for (int k = 0; k < 4; k++)
        p->out[0][k] = saturate(lit);
}

static void project(struct pair *p)
{
    const float *s = fetch(p, 2, p->i * p->c[0][0] / p->c[0][3] * W, p->j * p->c[0][1] / p->c[0][3] * H);
    for (int n = 0; n < 3; n++)
        p->out[0][n] = s[n];
    p->out[0][3] = s[3] * p->c[0][3];
}

static void lrp(struct pair *p)
{
    const float *x = fetch(p, 0, p->i, p->j), *y = fetch(p, 1, p->i, p->j);
    for (int n = 0; n < 4; n++) {
        int to = n == 3 ? 3 : 2 - n; /* the last instruction reads .bgra */
        float mixed = p->c[3][n] * (x[n] - y[n]) + y[n];
        p->out[0][to] = (p->c[6][n] + (1 - mixed) * mixed) * 0.5f;
    }
}

static void kill(struct pair *p)
{
    const float *s = fetch(p, 0, p->i, p->j);
    float d[4];
    for (int n = 0; n < 4; n++)
        d[n] = s[n] - p->c[0][n];
    p->killed = d[0] < 0 || d[3] < 0;
    p->out[0][0] = d[1] >= 0 ? s[0] : p->c[1][0];
    p->out[0][1] = d[2] >= 0 ? s[1] : p->c[1][1];
    p->out[0][2] = d[1] >= 0 ? s[2] : p->c[1][2];
    p->out[0][3] = s[3];
}

static void swizzle(struct pair *p)
{
    const float *c0 = p->c[0], *c1 = p->c[1];
    float r1[4] = {(-c0[2] * fabsf(c1[1]) - 1) * 2, (-c0[3] * fabsf(c1[1]) - 0.5f) * 2,
                   (-c0[0] * fabsf(c1[3]) - fabsf(c0[0])) * 2, (-c0[1] + fabsf(c1[2])) / 4};
    float dp4 = r1[0] * c1[2] + r1[1] * c1[1] + r1[2] * c1[0] - r1[3] * c1[3];
    float d2a = r1[0] * c0[1] + r1[1] * c0[0] + c1[2];
    p->out[0][0] = dp4;
    p->out[0][1] = dp4;
    p->out[0][2] = d2a;
    p->out[0][3] = d2a * c1[3] + 0.5f;
}

static void power(struct pair *p)
{
    float turns = p->i * p->c[0][1] + p->c[0][2], fraction = turns - floorf(turns);
    double angle = 2 * 3.14159265358979323846 * (double)fraction;
    float power = powf(fabsf(p->c[0][0]), p->c[0][3]);
    p->out[0][0] = (float)sin(angle);
    p->out[0][1] = (float)cos(angle);
    p->out[0][2] = power + 0.5f;
    p->out[0][3] = power;
}

static void targets(struct pair *p)
{
    const float *c0 = p->c[0], *c1 = p->c[1];
    float green = fminf(p->j, c0[1]), alpha = fmaxf(p->i, c0[3]);
    for (int n = 0; n < 4; n++) {
        p->out[0][n] = (n == 3 ? alpha : green) > 0.5f ? c1[n] : c0[n];
        p->out[1][n] = n == 1 ? green : n == 3 ? alpha : c1[n];
    }
}

static void branch(struct pair *p)
{
    const float *c1 = p->c[1];
    const float other[4] = {p->i * c1[2] + c1[0], p->j * c1[2] + c1[1], c1[2], c1[3] / 2};
    memcpy(p->out[0], p->i < p->c[0][0] ? c1 : other, sizeof p->out[0]);
}

static void loop(struct pair *p)
{
    float *r1 = p->out[0];
    memcpy(r1, p->c[0], sizeof p->out[0]);
    for (int round = 0; round < ROUNDS; round++) {
        r1[0] = r1[0] * p->c[1][0] + r1[1];
        r1[3] += 1;
        if (p->j < r1[3])
            break;
    }
}

static const struct {
    const char *name;
    void (*compute)(struct pair *);
    float tolerance; /* relative; where the ALU's approximations take part */
    unsigned killed; /* at least, and at least as many live */
    float c[CONSTANTS][4];
} programs[] = {
    {"lookup", lookup, 0, 0, {{0.07f, 0.13f}}},
    {"modulate", modulate, 0, 0, {[4] = {0.25f, -0.125f, 0.5f, 0.0625f}}},
    {"dependent", dependent, 0, 0, {[1] = {18, 9}, [2] = {-1, 0.25f}}}, /* some are out of range */
    {"light", light, 1e-5f, 0, {[5] = {0.6f, 0.48f, 0.64f}}},
    {"project", project, 0, 0, {{0.1f, 0.2f, 0, 2}}},
    {"lrp", lrp, 0, 0, {[3] = {0.25f, 0.5f, 0.75f, 0.1f}, [6] = {1, -2, 0.3f, 4}}},
    {"kill", kill, 0, 20, {{-0.1f, 0.4f, 0.5f, 0}, {7, 8, 9, 10}}},
    {"swizzle", swizzle, 0, 0, {{0.7f, -1.1f, 2.3f, -0.3f}, {1.7f, -0.6f, -0.9f, 3.1f}}},
    {"power", power, 1e-5f, 0, {{-5, 0.0371f, -0.3f, 1.7f}}},
    {"targets", targets, 0, 0, {{2, 3, 0.25f, 0.75f}, {-5, 6, 7, -8}}},
    {"branch", branch, 0, 0, {{6.5f}, {3, 4, 0.5f, 10}}},
    {"loop", loop, 0, 0, {{1, 2, 3, 0}, {1.5f}}},
};

/* ---- words and text ------------------------------------------------------------------------------------------------
 */

static void same_words(const struct ctm_inst *got, const struct ctm_inst *want, const char *text)
{
    for (unsigned w = 0; w < CTM_WORDS; w++)
        if (got->word[w] != want->word[w])
            fail_msg("'%s': W%u is 0x%08x, not 0x%08x", text, w, got->word[w], want->word[w]);
}

/* A line: six words, W0 first, and the text. */
static struct ctm_inst read_line(char *line)
{
    struct ctm_inst inst, again;
    struct atoll_error error = {0};
    char out[ISA_TEXT], *text = line;
    for (unsigned w = 0; w < CTM_WORDS; w++)
        inst.word[w] = (uint32_t)strtoul(text, &text, 16);
    text += strspn(text, " ");
    text[strcspn(text, "\n")] = 0;
    ctm_print_inst(&inst, out);
    assert_string_equal(out, text);
    if (!ctm_parse_inst(text, strlen(text), &again, &error))
        fail_msg("'%s': %u: %s", text, error.column, error.message);
    same_words(&again, &inst, text);
    return inst;
}

/* The program of a file; its whole text assembles to the same words, too. */
static void read_program(struct ctm_run *t, const char *name)
{
    char path[1024], line[LINE];
    struct text text = {0};
    struct ctm_program again;
    snprintf(path, sizeof path, "%s/ctm_words/%s.txt", DATA_DIR, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s: cannot be opened", path);
    while (fgets(line, LINE, file))
        if (line[0] != '#')
            ctm_run_add(t, read_line(line));
    fclose(file);
    ctm_derive(&t->program);
    ctm_print(&t->program, &text);
    assert_true(text_ok(&text));
    if (!ctm_assemble(&t->arena, text.bytes, text.length, NULL, &again, &t->error))
        fail_msg("%s: %u: %s\n%s", name, t->error.line, t->error.message, text.bytes);
    assert_int_equal(again.ninsts, t->program.ninsts);
    for (uint32_t i = 0; i < again.ninsts; i++)
        same_words(&again.insts[i], &t->program.insts[i], name);
    assert_memory_equal(again.info, t->program.info, sizeof again.info);
    text_free(&text);
}

static void words_are_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct ctm_run t;
        ctm_run_begin(&t);
        read_program(&t, programs[i].name);
        ctm_run_end(&t);
    }
}

/* ---- what they compute ----------------------------------------------------------------------------------------------
 */

static float texels[UNITS][W * H][4];

/* From -1/4 to 1, the same in every run. */
static void make_texels(void)
{
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof texels / sizeof(float); i++) {
        seed = seed * 1664525 + 1013904223;
        (&texels[0][0][0])[i] = (float)(seed >> 8) / 13421773 - 0.25f;
    }
}

static void bind(struct ctm_run *t, const float c[CONSTANTS][4], struct surface *out[2])
{
    for (unsigned unit = 0; unit < UNITS; unit++) {
        struct surface *s = ctm_run_surface(t, CTM_PARAM_INPUTS + 8 * unit, "rgba32float", W, H);
        assert_true(surface_upload(s, texels[unit], sizeof texels[unit], NULL));
    }
    for (unsigned target = 0; target < 2; target++) {
        out[target] = ctm_run_surface(t, CTM_PARAM_OUTPUTS + 8 * target, "rgba32float", W, H);
        float first[W * H][4];
        for (unsigned i = 0; i < W * H * 4; i++)
            (&first[0][0])[i] = -77;
        assert_true(surface_upload(out[target], first, sizeof first, NULL));
    }
    memcpy(t->params + CTM_PARAM_FLOATS, c, CONSTANTS * sizeof c[0]);
    ctm_run_u32(t, CTM_PARAM_INTS, ROUNDS);
    t->launch.grid[0] = W;
    t->launch.grid[1] = H;
}

static void is_near(const char *name, const struct pair *p, unsigned target, const float *got, float tolerance)
{
    for (int n = 0; n < 4; n++) {
        float want = p->killed ? -77 : p->out[target][n];
        if (!(fabsf(got[n] - want) <= tolerance * fmaxf(1, fabsf(want))))
            fail_msg("%s: out%u of (%g, %g) has %.9g in channel %d, not %.9g", name, target, (double)p->i, (double)p->j,
                     (double)got[n], n, (double)want);
    }
}

static unsigned compare(size_t which, struct surface *const out[2], bool second)
{
    float got[2][W * H][4];
    unsigned killed = 0;
    for (unsigned target = 0; target < 2; target++)
        ctm_run_texels(out[target], got[target]);
    for (unsigned i = 0; i < W * H; i++) {
        struct pair p = {.c = programs[which].c,
                         .texels = (const float(*)[W * H][4]) texels,
                         .i = (float)(i % W),
                         .j = (float)(i / W)};
        programs[which].compute(&p);
        killed += p.killed;
        for (unsigned target = 0; target < (second ? 2 : 1); target++)
            is_near(programs[which].name, &p, target, got[target][i], programs[which].tolerance);
    }
    return killed;
}

static void words_compute(void **state)
{
    (void)state;
    make_texels();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        for (unsigned late = CTM_TEX_DEFERRED; late <= CTM_TEX_SEEDED; late++) { /* all lookups are guarded */
            struct ctm_run t;
            struct surface *out[2];
            ctm_run_begin(&t);
            t.tex_write = (enum ctm_tex_write)late;
            read_program(&t, programs[i].name);
            bind(&t, programs[i].c, out);
            if (!ctm_run_go(&t))
                fail_msg("%s: %s", programs[i].name, t.error.message);
            unsigned killed = compare(i, out, ctm_has(&t.program.outputs, 1));
            assert_in_range(killed, programs[i].killed, W * H - programs[i].killed);
            ctm_run_end(&t);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_text), cmocka_unit_test(words_compute)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
