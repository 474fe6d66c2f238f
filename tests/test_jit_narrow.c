/* Compiled code computes with numbers that are known to be small in 16 bits, and with bytes of texels before it takes
 * them apart: what kernels compute with bytes is what the interpreter computes. Programs at random; SEED and COUNT. */
#include "given.h"
#include "jit_rig.h"
#include "random_text.h"

enum { HALVES = 16, WORDS = 8 };

static unsigned half(struct random_text *t)
{
    return random_draw(t, HALVES);
}

static unsigned word(struct random_text *t)
{
    return 10 + random_draw(t, WORDS);
}

/* Factors and shifts of quotients, and others. */
struct factor {
    uint32_t by;
    unsigned shift;
};

static struct factor factor(struct random_text *t)
{
    static const struct factor known[] = {{954437177, 33},  {3435973837u, 34}, {2863311531u, 33}, {1717986919, 34},
                                          {613566757, 32},  {3524075731u, 37}, {65537, 16},       {1, 0},
                                          {4294967295u, 32}};
    unsigned k = random_draw(t, 2 * sizeof known / sizeof *known);
    if (k < sizeof known / sizeof *known)
        return known[k];
    return (struct factor){(uint32_t)t->random >> random_draw(t, 32), random_draw(t, 64)};
}

static void product(struct random_text *t)
{
    struct factor f = factor(t);
    random_say(t, "mul.wide.u32 %%rd10, %%r%u, %u; shr.u64 %%rd10, %%rd10, %u; ", word(t), f.by, f.shift);
    if (random_draw(t, 2))
        random_say(t, "cvt.u16.u64 %%h%u, %%rd10;\n", half(t));
    else
        random_say(t, "cvt.u32.u64 %%r%u, %%rd10;\n", word(t));
}

/* Sums of bytes of texels, divided. */
static void filter(struct random_text *t)
{
    struct factor f = factor(t);
    unsigned rounds = 1 + random_draw(t, 12), more = random_draw(t, 3) ? random_draw(t, 30) : 0;
    bool stored = random_draw(t, 2);
    for (unsigned i = 0; i <= rounds; i++) {
        random_say(t, "suld.b.2d.v4.b8.zero {%%h0, %%h1, %%h2, %%h3}, [%%rd3, {%%r%u, %%r4}];\n",
                   random_draw(t, 2) ? 3 : 5);
        for (unsigned k = 0; k < 4; k++)
            random_say(t, i ? "cvt.u32.u16 %%r%u, %%h%u; add.u32 %%r%u, %%r%u, %%r%u; " : "cvt.u32.u16 %%r%u, %%h%u; ",
                       i ? 14 + k : 10 + k, k, 10 + k, 10 + k, 14 + k);
    }
    for (unsigned k = 0; k < 4; k++) {
        random_say(t, "add.u32 %%r%u, %%r%u, %u; mul.wide.u32 %%rd10, %%r%u, %u; ", 10 + k, 10 + k, more, 10 + k, f.by);
        random_say(t, "shr.u64 %%rd10, %%rd10, %u; cvt.u16.u64 %%h%u, %%rd10; ", f.shift, k);
    }
    if (stored)
        random_say(t, "sust.b.2d.v4.b8.trap [%%rd3, {%%r3, %%r4}], {%%h0, %%h1, %%h2, %%h3};\n");
}

static void texels(struct random_text *t, bool store)
{
    unsigned first = 4 * random_draw(t, HALVES / 4);
    const char *at = "[%rd3, {%r3, %r4}]";
    if (!random_draw(t, 3) && !store)
        at = "[%rd3, {%r5, %r4}]";
    if (store)
        random_say(t, "sust.b.2d.v4.b8.trap %s, {%%h%u, %%h%u, %%h%u, %%h%u};\n", at, first, first + 1, first + 2,
                   first + 3);
    else
        random_say(t, "suld.b.2d.v4.b8.zero {%%h%u, %%h%u, %%h%u, %%h%u}, %s;\n", first, first + 1, first + 2,
                   first + 3, at);
}

/* The same for all four bytes of a texel, as filters have it. */
static void of_bytes(struct random_text *t)
{
    static const char *const texts[] = {"add.u16 %%h%u, %%h%u, %%h%u; ", "or.b16 %%h%u, %%h%u, %%h%u; ",
                                        "xor.b16 %%h%u, %%h%u, %%h%u; ", "sub.u16 %%h%u, %%h%u, %%h%u; "};
    static const char *const by[] = {"and.b16 %%h%u, %%h%u, %u; ", "shr.u16 %%h%u, %%h%u, %u; ",
                                     "add.u16 %%h%u, %%h%u, %u; ", "mul.lo.u16 %%h%u, %%h%u, %u; "};
    unsigned to = 4 * random_draw(t, HALVES / 4), a = 4 * random_draw(t, HALVES / 4),
             b = 4 * random_draw(t, HALVES / 4), n = random_draw(t, 4);
    static const unsigned constants[] = {255, 3, 4, 9};
    for (unsigned k = 0; k < 4; k++)
        if (a != b)
            random_say(t, texts[n], to + k, a + k, b + k);
        else
            random_say(t, by[n], to + k, a + k, constants[n]);
    random_say(t, "\n");
}

static void of_words(struct random_text *t)
{
    static const char *const two[] = {"add.u32", "sub.u32", "and.b32", "mul.lo.u32", "min.u32"};
    switch (random_draw(t, 6)) {
    case 0:
    case 1:
        random_say(t, "cvt.u32.u16 %%r%u, %%h%u; ", word(t), half(t));
        break;
    case 2:
        random_say(t, "cvt.u16.u32 %%h%u, %%r%u; ", half(t), word(t));
        break;
    case 3:
        random_say(t, "shr.u32 %%r%u, %%r%u, %u; ", word(t), word(t), random_draw(t, 34));
        break;
    case 4:
        random_say(t, "add.u32 %%r%u, %%r%u, %u; ", word(t), word(t), random_draw(t, 300));
        break;
    default:
        random_say(t, "%s %%r%u, %%r%u, %%r%u; ", two[random_draw(t, 5) * random_draw(t, 2)], word(t), word(t),
                   word(t));
    }
}

static void statement(struct random_text *t)
{
    switch (random_draw(t, 13)) {
    case 12:
        filter(t);
        break;
    case 0:
    case 1:
        texels(t, false);
        break;
    case 2:
        texels(t, true);
        break;
    case 3:
        product(t);
        break;
    case 4:
        random_say(t, "mul.hi.u32 %%r%u, %%r%u, %u;\n", word(t), word(t), (uint32_t)t->random);
        break;
    case 5:
    case 6:
    case 7:
        of_bytes(t);
        break;
    default:
        for (unsigned n = 1 + random_draw(t, 4); n; n--)
            of_words(t);
    }
}

/* A thread has a texel; the other column is its neighbour's. */
static void begin(struct random_text *t, uint64_t seed)
{
    *t = (struct random_text){.random = seed};
    random_say(t, ".reg .b16 %%h<%u>; shl.b32 %%r3, %%r0, 2; mov.u32 %%r4, %%tid.y; mad.lo.u32 %%r1, %%r4, 16, %%r0;\n",
               HALVES);
    random_say(t, "add.u32 %%r5, %%r3, 4; mad.lo.u32 %%r6, %%r1, %u, 12345; mul.wide.u32 %%rd0, %%r1, 4;\n",
               2654435761u);
    random_say(t, "add.u64 %%rd0, %%rd0, %%rd1; sust.b.2d.b32.trap [%%rd3, {%%r3, %%r4}], {%%r6};\n");
    for (unsigned i = 0; i < HALVES; i++)
        random_say(t, "cvt.u16.u32 %%h%u, %%r%u; ", i, i % 2 ? 6 : 0);
    for (unsigned i = 10; i < 10 + WORDS; i++)
        random_say(t, "and.b32 %%r%u, %%r6, %u; ", i, (1u << i) - 1);
}

static void end(struct random_text *t)
{
    for (unsigned i = 0; i < HALVES; i++)
        random_say(t, "cvt.u32.u16 %%r7, %%h%u; mad.lo.u32 %%r6, %%r6, 31, %%r7; ", i);
    for (unsigned i = 10; i < 10 + WORDS; i++)
        random_say(t, "mad.lo.u32 %%r6, %%r6, 37, %%r%u; ", i);
    random_say(
        t, "suld.b.2d.b32.trap {%%r7}, [%%rd3, {%%r3, %%r4}]; add.u32 %%r6, %%r6, %%r7; st.global.u32 [%%rd0], %%r6;");
}

static void try(const struct random_text *t, uint64_t seed, unsigned rows)
{
    unsigned threads = 16 * rows;
    struct engine e;
    uint32_t want[64];
    engine_open(&e, "", t->at);
    e.launch.block[0] = 16;
    e.launch.block[1] = rows;
    e.launch.engine = ATOLL_ENGINE_INTERPRETER;
    engine_must_run(&e, 0);
    memcpy(want, e.words, sizeof want);
    e.launch.engine = ATOLL_ENGINE_JIT;
    engine_must_run(&e, 0);
    for (unsigned i = 0; i < threads; i++)
        if (e.words[i] != want[i])
            fail_msg("seed %llu, thread %u of %u: %08x by the interpreter, %08x\n%s", (unsigned long long)seed, i,
                     threads, want[i], e.words[i], t->at);
    engine_close(&e);
}

static void programs_at_random(void **state)
{
    (void)state;
    static struct random_text t;
    if (!available())
        skip();
    uint64_t first = given_seed(1), count = given_count(60);
    for (uint64_t seed = first; seed < first + count; seed++) {
        begin(&t, seed);
        for (unsigned n = 4 + random_draw(&t, 40); n; n--)
            statement(&t);
        end(&t);
        try(&t, seed, 4);
        try(&t, seed, 3);
    }
}

/* Masks of sums of bytes, more than are left as they are (sums.c); one of what is the same for all warps. */
static void masks_of_sums(void **state)
{
    (void)state;
    static struct random_text t;
    if (!available())
        skip();
    t = (struct random_text){.random = 1};
    random_say(&t, "mov.u32 %%r10, %%laneid; cvt.u32.u64 %%r11, %%rd2; add.u32 %%r11, %%r11, 305419896;\n"
                   "shr.u32 %%r12, %%r11, %%r10; and.b32 %%r13, %%r12, 255; mad.lo.u32 %%r6, %%r1, 40503, 12345;\n");
    for (unsigned i = 0; i < 16; i++)
        random_say(&t, "shr.u32 %%r14, %%r6, %u; and.b32 %%r14, %%r14, 255; add.u32 %%r13, %%r13, %%r14;\n", i);
    random_say(&t, "st.global.u32 [%%rd0], %%r13;");
    for (unsigned rows = 1; rows <= 4; rows++)
        try(&t, 0, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_at_random),
        cmocka_unit_test(masks_of_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
