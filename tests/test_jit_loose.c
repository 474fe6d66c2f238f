/* f32 arithmetic whose results are finished late, if ever: NaNs, subnormals and what is rounded to normal numbers, in
 * loops, across barriers and calls of the interpreter, give the bits that the interpreter gives. Programs at random;
 * SEED and COUNT. */
#include "lanes_run.h"

#include "engine/compiler.h"
#include "given.h"
#include "skip.h"

enum { TEXT = 1 << 14, PROGRAMS = 60, PIECES = 9 };

struct gen {
    char text[TEXT];
    size_t length;
    uint64_t random;
    unsigned ftz; /* of 8 instructions so many flush */
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

static const char *ftz(struct gen *g)
{
    return draw(g, 8) < g->ftz ? ".ftz" : "";
}

/* One of the registers that hold floats; of these r4 to r6 are written by what finishes its results alone. */
static unsigned number(struct gen *g)
{
    return 1 + draw(g, 6);
}

static unsigned finished(struct gen *g)
{
    return 4 + draw(g, 3);
}

static unsigned any(struct gen *g)
{
    return 1 + draw(g, 3);
}

/* Random bits in r9 as numbers of a kind: any, small ones, subnormals, those near the least normal number, around 1,
 * NaN and infinities. */
static void say_number(struct gen *g, unsigned to)
{
    static const uint32_t kinds[][2] = {{UINT32_MAX, 0},          {0x82ffffff, 0},          {0x807fffff, 0},
                                        {0x80800003, 0x007ffffc}, {0x80ffffff, 0x3f000000}, {UINT32_MAX, 0x7f800000}};
    const uint32_t *kind = kinds[draw(g, 6)];
    say(g, "  r9 = mad.u32 r9, 0x9e3779b1, %u\n  r8 = shr.u32 r9, 7\n  r9 = xor.b32 r9, r8\n", draw(g, 1u << 30));
    say(g, "  r%u = and.b32 r9, %u\n  r%u = or.b32 r%u, %u\n", to, kind[0], to, to, kind[1]);
}

/* A register, or a number with which arithmetic may be its other operand. */
static const char *source(struct gen *g, char text[16])
{
    static const char *const neutral[] = {"0x3f800000", "0xbf800000", "0", "0x80000000"};
    if (!draw(g, 4))
        return neutral[draw(g, 4)];
    snprintf(text, 16, "r%u", number(g));
    return text;
}

/* A register, or one of the numbers of which a few operations make subnormals, or are. */
static const char *known(struct gen *g, char text[16])
{
    static const char *const numbers[] = {"0",          "0x80000000", "0x3f800000", "0x00800000", "1",
                                          "0x807fffff", "0x27000000", "0x18800000", "0x5f000000", "0x7f800000"};
    if (draw(g, 2))
        return numbers[draw(g, sizeof numbers / sizeof *numbers)];
    snprintf(text, 16, "r%u", finished(g));
    return text;
}

static void say_two(struct gen *g, unsigned d)
{
    static const char *const two[] = {"add", "sub", "mul", "mul", "div", "min", "max"}, *const sats[] = {"", "",
                                                                                                         ".sat"};
    unsigned i = draw(g, 7);
    const char *sat = i < 4 ? sats[draw(g, 3)] : "", *round = i < 3 && !*sat && !draw(g, 6) ? ".rz" : "";
    char a[16], b[16];
    say(g, "  %sr%u = %s%s%s%s.f32 %s, %s\n", draw(g, 4) ? "" : "@p1 ", d, two[i], round, ftz(g), sat, source(g, a),
        source(g, b));
}

/* As hardware has them, and correctly rounded. */
static void say_approximated(struct gen *g)
{
    static const char *const functions[] = {"rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"};
    const char *guard = draw(g, 3) ? "" : "@p1 ", *approx = draw(g, 4) ? ".approx" : "";
    unsigned i = draw(g, 9);
    if (i < 7)
        say(g, "  %sr%u = %s%s%s.f32 r%u\n", guard, any(g), functions[i], ftz(g), approx, number(g));
    else
        say(g, "  %sr%u = div%s.approx%s.f32 r%u, r%u\n", guard, any(g), ftz(g), i == 7 ? "" : ".clamp", number(g),
            number(g));
}

static void say_arithmetic(struct gen *g)
{
    static const char *const others[] = {"rcp", "sqrt", "ex2", "neg", "abs", "neg.nan", "abs.nan"}, *const rounds[] = {
                                                                                                        "rni", "rzi",
                                                                                                        "rmi", "rpi"};
    static const char *const tests[] = {"lt", "geu", "eq", "neu"};
    char a[3][16];
    switch (draw(g, 13)) {
    case 12:
        say(g, "  r%u = cvt.%s%s.f32.f32 r%u\n", finished(g), rounds[draw(g, 4)], ftz(g), number(g));
        break;
    case 11:
        say(g, "  r%u = cvt.f32.s32 %u\n", finished(g), draw(g, 2));
        break;
    case 7:
        say_approximated(g);
        break;
    case 6: /* while others wait elsewhere, it and what follows is the interpreter's */
        say(g, "  r8 = activemask\n  r%u, p3 = shfl.bfly r%u, 1, 31, r8\n", any(g), finished(g));
        break;
    case 0:
        say(g, "  r%u = fma%s.f32 %s, %s, %s\n", finished(g), ftz(g), source(g, a[0]), source(g, a[1]),
            source(g, a[2]));
        break;
    case 1: /* by the host, or where that takes subnormals for zero, by bits */
        say(g, "  p0 = setp.%s%s.f32 r%u, %s\n", tests[draw(g, 4)], draw(g, 3) ? ftz(g) : "", number(g),
            known(g, a[0]));
        break;
    case 2:
        say(g, "  r%u = selp.b32 %s, %s, p0\n", finished(g), known(g, a[0]), known(g, a[1]));
        break;
    case 3:
        say(g, "  %sr%u = mov.b32 %s\n", draw(g, 2) ? "@p0 " : "", finished(g), known(g, a[0]));
        break;
    case 4:
        say(g, "  r%u = cvt.f32.s32 r%u\n", finished(g), number(g));
        break;
    case 5:
        say(g, "  %sr%u = %s%s.f32 r%u\n", draw(g, 2) ? "@p1 " : "", any(g), others[draw(g, 7)], ftz(g), number(g));
        break;
    default:
        say_two(g, finished(g));
    }
}

/* A loop of some turns, which lanes leave one after the other, in which registers are loose. */
static void generate(struct gen *g, uint64_t seed, unsigned turns)
{
    static const unsigned ftzs[] = {8, 8, 0, 5};
    *g = (struct gen){.random = seed * UINT64_C(0x9e3779b97f4a7c15), .ftz = ftzs[seed % 4]};
    say(g, "  r9 = mul.u32 r0, 0x85ebca6b\n  r7 = mov.b32 0\n  p1 = setp.lt.s32 r9, 0\n  p0 = setp.lt.u32 r0, 7\n");
    for (unsigned r = 1; r <= 3; r++) {
        say_number(g, r);
        if (draw(g, 2)) /* nobody knows what it is */
            say(g, "  st.global.b32 [rd0+%u], r%u\n  r%u = ld.global.b32 [rd0+%u]\n", 8192 + 1024 * r, r, r,
                8192 + 1024 * r);
    }
    say(g, "  r4 = mul%s.f32 r1, r2\n  r5 = add%s.f32 r3, r4\n  r6 = sub%s.f32 r1, r3\n", ftz(g), ftz(g), ftz(g));
    say(g, "b1:\n");
    for (unsigned i = 0; i < PIECES; i++)
        say_arithmetic(g);
    say(g, "  r7 = add.u32 r7, 1\n  p2 = setp.eq.u32 r7, %u\n  @p2 bra b3\nb2:\n", turns);
    for (unsigned i = 0; i < PIECES; i++)
        say_arithmetic(g);
    if (turns > 100)
        say(g, "  bra b1\nb3:\n");
    else
        say(g, "  r8 = and.b32 r0, 3\n  p3 = setp.ge.u32 r8, r7\n  @p3 bra b1\nb3:\n  bar.sync 0, 0\n");
    for (unsigned r = 1; r <= 6; r++)
        say(g, "  st.global.b32 [rd0+%u], r%u\n", 1024 * r, r);
    say(g, "  exit");
}

static void same(const char *body)
{
    static uint32_t words[LANES_WORDS];
    static struct lanes t;
    lanes_open_as(&t, "", body);
    t.launch.block[0] = 64;
    t.launch.engine = ATOLL_ENGINE_INTERPRETER;
    assert_true(lanes_run(&t, ATOLL_POLICY_FRONTIER));
    memcpy(words, t.words, sizeof words);
    t.launch.engine = ATOLL_ENGINE_JIT;
    assert_true(lanes_run(&t, ATOLL_POLICY_FRONTIER));
    if (t.stats.not_compiled)
        fail_msg("not compiled: %s\n%s", t.stats.not_compiled, body);
    for (unsigned i = 0; i < LANES_WORDS; i++)
        if (words[i] != t.words[i])
            fail_msg("word %u: %08x, interpreted %08x\n%s", i, (unsigned)t.words[i], (unsigned)words[i], body);
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

static void programs_are_the_same(void **state)
{
    (void)state;
    static struct gen g;
    if (!available())
        skip();
    uint64_t first = given_seed(1), count = given_count(PROGRAMS);
    for (uint64_t seed = first; seed < first + count; seed++) {
        generate(&g, seed, 5);
        same(g.text);
    }
}

/* A warp uses its turns up: compiled code is left in the middle, and entered again. */
static void long_loops(void **state)
{
    (void)state;
    static struct gen g;
    if (!available())
        skip();
    for (uint64_t seed = 100; seed < 108; seed++) {
        generate(&g, seed, 20000);
        same(g.text);
    }
}

/* Products that are rounded up to the least normal number, and are tiny or not. Sums of them are compared, given away,
 * and seen by operations that do not flush. */
static void at_the_least_normal_number(void **state)
{
    (void)state;
    static const char *const last[] = {"r5 = mov.b32 r4", "r5 = ex2.ftz.f32 r4",
                                       "p1 = setp.gt.f32 r4, 0\n  r5 = selp.b32 1, 2, p1",
                                       "p1 = setp.gt.ftz.f32 r4, 0\n  r5 = selp.b32 1, 2, p1", "r5 = xor.b32 r4, r2"};
    char body[700];
    if (!available())
        skip();
    for (unsigned i = 0; i < sizeof last / sizeof *last; i++) {
        snprintf(body, sizeof body,
                 "  r1 = sub.u32 0x3f800000, r0\n  r2 = mov.b32 0x00800000\n  r3 = sub.u32 0x00800010, r0\n"
                 "  r4 = mul.ftz.f32 r1, r2\n  %s\n  st.global.b32 [rd0], r5\n  r4 = mul.ftz.f32 r3, r1\n  %s\n"
                 "  st.global.b32 [rd0+1024], r5\n  r4 = sub.ftz.f32 r3, r2\n  r4 = mul.ftz.f32 r4, r4\n"
                 "  r4 = sub.ftz.f32 r4, r3\n  r4 = add.ftz.f32 r4, r2\n  %s\n  st.global.b32 [rd0+2048], r5\n  exit",
                 last[i], last[i], last[i]);
        same(body);
    }
}

/* The same of constants, which LLVM computes with, and of what it knows to be one of some constants. */
static void constants_at_the_least_normal_number(void **state)
{
    (void)state;
    static const char *const numbers[][2] = {{"0x00800000", "0x3f7fffff"}, {"0x3f7fffff", "0x80800000"},
                                             {"0x20000001", "0x1ffffffe"}, {"0x1a000000", "0x9a000000"},
                                             {"0x00ffffff", "0x3f000000"}, {"0x19800000", "0x9a000000"}};
    char body[900];
    if (!available())
        skip();
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *a = numbers[i][0], *b = numbers[i][1];
        snprintf(body, sizeof body,
                 "  r1 = mov.b32 %s\n  r2 = mov.b32 %s\n  r4 = mul.ftz.f32 r1, r2\n  st.global.b32 [rd0], r4\n"
                 "  r4 = mul.ftz.f32 r1, %s\n  st.global.b32 [rd0+1024], r4\n  r4 = fma.ftz.f32 %s, r2, 0x00800000\n"
                 "  st.global.b32 [rd0+2048], r4\n  r4 = div.ftz.f32 r1, 0x40000000\n  st.global.b32 [rd0+3072], r4\n"
                 "  p0 = setp.lt.u32 r0, 5\n  r5 = selp.b32 %s, %s, p0\n  r4 = mul.ftz.f32 r5, r2\n"
                 "  st.global.b32 [rd0+4096], r4\n  r4 = mul.ftz.f32 %s, %s\n  st.global.b32 [rd0+5120], r4\n  exit",
                 a, b, b, a, a, b, a, b);
        same(body);
    }
}

/* r1: small numbers, of both signs, which LLVM cannot know. */
#define SMALL_NUMBERS                                                                                    \
    "  r1 = mul.u32 r0, 0x00041234\n  r9 = and.b32 r0, 1\n  r9 = shl.b32 r9, 31\n  r1 = or.b32 r1, r9\n" \
    "  st.global.b32 [rd0], r1\n  r1 = ld.global.b32 [rd0]\n  r4 = cvt.f32.s32 1\n  p0 = setp.lt.u32 r0, 40\n"

/* What is one of some constants in some lanes, and what is compared with 0. The three last operations are there for the
 * host to flush: less arithmetic is not worth it (loose.c). */
static void choices_of_constants(void **state)
{
    (void)state;
    static const char *const does[] = {
        "r2 = selp.b32 r1, 0x27000000, p0\n  r2 = mul.ftz.f32 r2, 0x27000000\n  r2 = mul.ftz.f32 r2, 0x27000000\n"
        "  r2 = mul.ftz.f32 r2, 0x54000000",
        "r2 = mov.b32 0x27000000\n  @p0 r2 = mov.b32 r1\n  r2 = mul.ftz.f32 r2, 0x27000000\n"
        "  r2 = mul.ftz.f32 r2, 0x27000000\n  r2 = mul.ftz.f32 r2, 0x54000000",
        "r2 = mov.b32 0x007fffff\n  @p0 r2 = mov.b32 r1\n  r2 = rcp.ftz.f32 r2",
        "r2 = selp.b32 0x007fffff, 0x80000001, p0\n  r2 = mul.ftz.f32 r2, 0x5f000000",
        "r2 = selp.b32 r1, 0, p0\n  r2 = add.ftz.f32 r2, 0x27000000\n  r2 = mul.ftz.f32 r2, 0x27000000\n"
        "  r2 = mul.ftz.f32 r2, 0x27000000\n  r2 = mul.ftz.f32 r2, 0x54000000",
        "r2 = selp.b32 3, 5, p0\n  r2 = add.u32 r2, 1\n  r2 = cvt.f32.s32 r2\n  r2 = mul.ftz.f32 r2, 0x27000000\n"
        "  r2 = mul.ftz.f32 r2, 0x27000000\n  r2 = mul.ftz.f32 r2, 0x27000000\n  r2 = mul.ftz.f32 r2, 0x54000000",
        "r2 = selp.b32 r1, 0x7f800000, p0\n  r2 = rcp.ftz.f32 r2\n  r2 = add.ftz.f32 r2, 0x00800000\n"
        "  r2 = mul.ftz.f32 r2, 0x3f000000\n  r2 = mul.ftz.f32 r2, 0x54000000",
        "r2 = mov.b32 0x3f800000\nb1:\n  r2 = mul.ftz.f32 r2, 0x18800000\n  r4 = sub.u32 r4, 0x3f800000\n"
        "  p1 = setp.ne.u32 r4, 0\n  @p1 bra b1\nb2:\n  r2 = mul.ftz.f32 r2, 0x5f000000",
        "r2 = mov.b32 64\n  r2 = shl.b32 r2, 16\n  @p0 r2 = mov.b32 r1\n  r2 = rcp.ftz.f32 r2",
        "r2 = mov.b32 64\n  r2 = shl.b32 r2, 16\n  r2 = sqrt.ftz.f32 r2",
        "r2 = mov.b32 7\n  r2 = cvt.f32.s32 r2\n  r2 = mul.ftz.f32 r2, 0x00800000\n  r2 = div.ftz.f32 r2, r1",
        "p1 = setp.eq.ftz.f32 r1, 0\n  r2 = selp.b32 1, 2, p1",
        "p1 = setp.neu.ftz.f32 r1, 0x80000000\n  r2 = selp.b32 1, 2, p1",
        "p1 = setp.equ.ftz.f32 0, r1\n  r2 = selp.b32 1, 2, p1",
        "p1 = setp.ne.ftz.f32 r1, 0\n  r2 = selp.b32 1, 2, p1",
        "p1 = setp.eq.ftz.f32 r1, 0x00000001\n  r2 = selp.b32 1, 2, p1"};
    char body[2000];
    if (!available())
        skip();
    for (unsigned i = 0; i < sizeof does / sizeof *does; i++) {
        snprintf(body, sizeof body,
                 SMALL_NUMBERS "  %s\n  st.global.b32 [rd0+1024], r2\n  r5 = ld.global.b32 [rd0]\n"
                               "  r5 = add.ftz.f32 r5, r5\n  r5 = mul.ftz.f32 r5, r5\n  r5 = add.ftz.f32 r5, r5\n"
                               "  st.global.b32 [rd0+2048], r5\n  exit",
                 does[i]);
        same(body);
    }
}

/* Arithmetic that is its operand: what LLVM makes of it flushes nothing. */
static void neutral_operands(void **state)
{
    (void)state;
    static const char *const does[] = {"mul.ftz.f32 r1, 0x3f800000",
                                       "mul.ftz.f32 0xbf800000, r1",
                                       "add.ftz.f32 r1, 0x80000000",
                                       "add.ftz.f32 r1, 0",
                                       "sub.ftz.f32 r1, 0",
                                       "sub.ftz.f32 0x80000000, r1",
                                       "div.ftz.f32 r1, 0x3f800000",
                                       "fma.ftz.f32 r1, 0x3f800000, 0x80000000",
                                       "fma.ftz.f32 0, 0x80000000, r1",
                                       "mul.ftz.f32 r1, r4",
                                       "add.ftz.f32 r5, r1",
                                       "mul.ftz.f32 r1, r6",
                                       "fma.ftz.f32 r4, r1, r5",
                                       "cvt.rmi.ftz.f32.f32 r1",
                                       "cvt.rpi.ftz.f32.f32 r1",
                                       "add.ftz.f32 r1, r1",
                                       "mul.ftz.f32 r1, r7",
                                       "sub.ftz.f32 r1, r8",
                                       "fma.ftz.f32 r7, r1, r8",
                                       "cvt.rmi.ftz.f32.f32 0x80000001",
                                       "cvt.rpi.ftz.f32.f32 0x00400000",
                                       "fma.ftz.f32 0x00400000, 0x3fc00000, 0x00000001",
                                       "sqrt.ftz.f32 0x00400000",
                                       "mul.ftz.f32 0x00400000, 0x5e000000",
                                       "mul.ftz.f32 r9, 0x5e000000",
                                       "cvt.rmi.ftz.f32.f32 r9",
                                       "sqrt.ftz.f32 r9"};
    char body[2000];
    if (!available())
        skip();
    for (unsigned i = 0; i < sizeof does / sizeof *does; i++) {
        snprintf(
            body, sizeof body,
            SMALL_NUMBERS
            "  r5 = mov.b32 0x80000000\n  r6 = selp.b32 0x3f800000, r4, p0\n  r2 = %s\n"
            "  st.global.b32 [rd0+1024], r2\n  r3 = mul.ftz.f32 r2, 0x3f800000\n  r3 = add.ftz.f32 r3, 0x80000000\n"
            "  st.global.b32 [rd0+2048], r3\n  r3 = sub.ftz.f32 r3, 0\n  r2 = neg.ftz.f32 r3\n"
            "  st.global.b32 [rd0+3072], r2\n  exit",
            does[i]);
        same(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_the_same),      cmocka_unit_test(long_loops),
        cmocka_unit_test(at_the_least_normal_number), cmocka_unit_test(constants_at_the_least_normal_number),
        cmocka_unit_test(neutral_operands),           cmocka_unit_test(choices_of_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
