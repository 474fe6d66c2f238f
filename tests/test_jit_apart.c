/* Compiled code computes with the components of rows as they lie in memory where all of them are computed with in the
 * same way: programs at random that do so in part, in another order, or not at all give what the interpreter gives.
 * SEED and COUNT. */
#include "given.h"
#include "jit_rig.h"
#include "random_text.h"

enum { ROWS = 3, GROUPS = 5, FIRST = 10 /* register of the first group of four */ };

static unsigned reg(unsigned group, unsigned k)
{
    return FIRST + 4 * group + k;
}

/* What a thread has of each row, before the others' is loaded: any bits, or numbers near each other. */
static void fill(struct random_text *t)
{
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned k = 0; k < 4; k++) {
            random_say(
                t, "mad.lo.u32 %%r6, %%r6, 1664525, 1013904223; shr.u32 %%r7, %%r6, 11; xor.b32 %%r%u, %%r6, %%r7; ",
                reg(0, k));
            if (random_draw(t, 2))
                random_say(t, "and.b32 %%r%u, %%r%u, 0x83ffffff; or.b32 %%r%u, %%r%u, 0x3c000000; ", reg(0, k),
                           reg(0, k), reg(0, k), reg(0, k));
        }
        random_say(t, "st.shared.v4.b32 [%%r3+%u], {%%r%u, %%r%u, %%r%u, %%r%u};\n", row * 4096, reg(0, 0), reg(0, 1),
                   reg(0, 2), reg(0, 3));
    }
    random_say(t, "bar.sync 0;\n");
}

static void load(struct random_text *t, unsigned group)
{
    unsigned at = 4096 * random_draw(t, ROWS);
    if (random_draw(t, 4))
        random_say(t, "ld.shared.v4.b32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%r4+%u];\n", reg(group, 0), reg(group, 1),
                   reg(group, 2), reg(group, 3), at);
    else /* rows of two */
        random_say(t, "ld.shared.v2.b32 {%%r%u, %%r%u}, [%%r5+%u];\n", reg(group, 0), reg(group, 1), at);
}

struct source {
    unsigned kind, group;
    uint32_t constant;
};

static struct source source(struct random_text *t)
{
    static const uint32_t constants[] = {0x3f400000, 1, 5, 16, 171, 255, 0xffff, 0x80000000};
    return (struct source){random_draw(t, 8), random_draw(t, GROUPS),
                           constants[random_draw(t, sizeof constants / sizeof *constants)]};
}

/* The operand of a component: of another group, the same one mostly, or what all lanes have. */
static void operand(struct random_text *t, const char *op, const struct source *from, unsigned k)
{
    if (from->kind < 6)
        random_say(t, ", %%r%u", reg(from->group, random_draw(t, 40) ? k : random_draw(t, 4)));
    else if (from->kind == 6)
        random_say(t, ", 0%c%08x", strstr(op, "f32") ? 'f' : 'x', from->constant);
    else
        random_say(t, ", %%r8");
}

/* Of kernels in which all flush LLVM is told so. */
static void say_name(struct random_text *t, const char *name, bool flushes)
{
    const char *type = strstr(name, ".f32");
    if (flushes && type && !strstr(name, ".ftz"))
        random_say(t, "%.*s.ftz%s", (int)(type - name), name, type);
    else
        random_say(t, "%s", name);
}

static void compute(struct random_text *t, bool flushes)
{
    static const struct {
        const char *name;
        unsigned sources;
    } ops[] = {{"add.f32", 2},    {"sub.f32", 2},         {"mul.f32", 2}, {"fma.rn.f32", 3}, {"add.ftz.f32", 2},
               {"add.u32", 2},    {"sub.u32", 2},         {"add.u32", 2}, {"xor.b32", 2},    {"and.b32", 2},
               {"and.b32", 2},    {"shr.u32", 2},         {"shl.b32", 2}, {"or.b32", 2},     {"mul.lo.u32", 2},
               {"mad.lo.u32", 3}, {"cvt.rmi.f32.f32", 1}, {"max.f32", 2}, {"add.rz.f32", 2}, {"neg.f32", 1}};
    unsigned op = random_draw(t, sizeof ops / sizeof *ops), order = random_draw(t, 24), to = random_draw(t, GROUPS),
             many = random_draw(t, 4) ? 4 : 2 + random_draw(t, 2);
    struct source from[] = {source(t), source(t), source(t)};
    for (unsigned i = 0; i < many; i++) {
        unsigned k = order < 12 ? i : i ^ (order & 3); /* not all by number */
        if (random_draw(t, 60) == 0)
            random_say(t, "@%%p1 ");
        bool moves = random_draw(t, 40) == 0;
        const char *name = moves ? "mov.b32" : ops[op].name;
        say_name(t, name, flushes);
        random_say(t, " %%r%u", reg(to, k));
        for (unsigned s = 0; s < (moves ? 1 : ops[op].sources); s++)
            operand(t, name, &from[s], k);
        random_say(t, ";\n");
    }
}

static void program(struct random_text *t, bool flushes)
{
    random_say(
        t, "mov.u32 %%r2, cell; shl.b32 %%r3, %%r0, 4; add.u32 %%r3, %%r3, %%r2; xor.b32 %%r6, %%r1, 0x5bd1e995;\n"
           "shl.b32 %%r5, %%r0, 3; add.u32 %%r5, %%r5, %%r2; cvt.u32.u64 %%r8, %%rd2; add.u32 %%r8, %%r8, 0x3e800000;\n"
           "mov.u32 %%r4, %%r3; and.b32 %%r9, %%r0, 3; setp.ne.u32 %%p1, %%r9, 2;\n");
    fill(t);
    for (unsigned group = 0; group < GROUPS; group++)
        load(t, group);
    for (unsigned n = 3 + random_draw(t, 30); n; n--)
        if (random_draw(t, 6))
            compute(t, flushes);
        else
            load(t, random_draw(t, GROUPS));
    random_say(t, "mov.u32 %%r6, 7;\n");
    for (unsigned r = FIRST; r < reg(GROUPS, 0); r++)
        random_say(t, "mad.lo.u32 %%r6, %%r6, 31, %%r%u; shr.u32 %%r7, %%r6, 15; xor.b32 %%r6, %%r6, %%r7;\n", r);
    random_say(t, "%s", RESULT);
}

static void programs_at_random(void **state)
{
    (void)state;
    static const uint32_t blocks[][2] = {{32, 2}, {64, 3}, {75, 1}, {256, 2}};
    static struct random_text t;
    static char where[sizeof t.at + 100];
    struct engine e;
    if (!available())
        skip();
    uint64_t first = given_seed(1), count = given_count(24);
    for (uint64_t seed = first; seed < first + count; seed++) {
        t = (struct random_text){.random = seed};
        program(&t, seed % 3 == 0);
        engine_open(&e, ".shared .align 16 .b8 cell[16384];", t.at);
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t *shape = blocks[(seed + 3 * i) % (sizeof blocks / sizeof *blocks)];
            e.launch.block[0] = shape[0];
            e.launch.grid[0] = shape[1];
            snprintf(where, sizeof where, "seed %u, blocks of %u threads\n%s", (unsigned)seed, shape[0], t.at);
            same_or_near(&e, 3, where, true);
        }
        engine_close(&e);
    }
}

/* Sums of small numbers, which narrow.c would compute in 16 bits, one by one. */
static void small_numbers(void **state)
{
    (void)state;
    struct engine e;
    if (!available())
        skip();
    engine_open(
        &e, ".shared .align 16 .b8 cell[16384];",
        "mov.u32 %r2, cell; shl.b32 %r3, %r0, 4; add.u32 %r3, %r3, %r2; mul.lo.u32 %r6, %r1, 2654435761;\n"
        "shr.u32 %r7, %r6, 7; st.shared.v4.b32 [%r3], {%r6, %r7, %r1, %r6};\n"
        "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r3]; and.b32 %r14, %r10, 0xff; and.b32 %r15, %r11, 0xff;\n"
        "and.b32 %r16, %r12, 0xff; and.b32 %r17, %r13, 0xff; add.u32 %r14, %r14, 5; add.u32 %r15, %r15, 5;\n"
        "add.u32 %r16, %r16, 5; add.u32 %r17, %r17, 5; mad.lo.u32 %r6, %r14, 3, %r15;\n"
        "mad.lo.u32 %r6, %r16, %r6, %r17; " RESULT);
    same_or_near(&e, 3, "small numbers", true);
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_numbers), cmocka_unit_test(programs_at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
