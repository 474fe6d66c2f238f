/* Compiled kernels in which some warps of a block have nothing to do between two barriers. */
#include "jit_rig.h"
#include "random_text.h"

/* A loop whose rounds end at a barrier: in each of them those work for which %p1 is false. %r10: 512, 256 ... */
static void make_rounds(struct random_text *t, const char *condition, const char *work, const char *behind)
{
    random_say(t,
               "%s st.shared.u32 [%%r3], %%r6; mov.u32 %%r10, 512; mov.u32 %%r11, 3; mov.u32 %%r12, %%r0; bar.sync 0;\n"
               "L: %s @%%p1 bra B;\n%s B: bar.sync 0;\n"
               "%s shr.u32 %%r10, %%r10, 1; setp.ne.u32 %%p2, %%r10, 0; @%%p2 bra L;\n"
               "ld.shared.u32 %%r9, [%%r3]; mad.lo.u32 %%r6, %%r6, 7, %%r9; mad.lo.u32 %%r6, %%r11, 65536, %%r6;\n"
               "add.u32 %%r6, %%r6, %%r12; D: %s",
               PLACES, condition, work, behind, RESULT);
}

#define FEWER "setp.ge.u32 %p1, %r0, %r10;"
#define WORK                                                                                    \
    "shl.b32 %r13, %r10, 2; add.u32 %r13, %r13, %r3; ld.shared.u32 %r9, [%r13]; ld.shared.u32 " \
    "%r7, [%r3]; add.u32 %r7, %r7, %r9; st.shared.u32 [%r3], %r7; add.u32 %r6, %r6, 1;"

static const struct {
    const char *what, *condition, *work, *behind;
} rows[] = {
    {"a reduction", FEWER, WORK, ""},
    {"the other way round", "setp.lt.u32 %p2, %r0, %r10; not.pred %p1, %p2;", WORK, ""},
    {"those above", "setp.lt.u32 %p1, %r0, %r10;", "add.u32 %r6, %r6, %r10;", ""},
    {"numbers with a sign", "sub.u32 %r13, %r0, 300; setp.ge.s32 %p1, %r13, %r10;", "add.u32 %r6, %r6, 3;", ""},
    {"numbers that wrap around", "sub.u32 %r13, %r0, 300; setp.ge.u32 %p1, %r13, %r10;", "add.u32 %r6, %r6, 3;", ""},
    {"one thread", "setp.ne.u32 %p1, %r0, %r10;", "st.shared.u32 [%r3], %r10;", ""},
    {"all but one thread", "setp.eq.u32 %p1, %r0, %r10;", "st.shared.u32 [%r3], %r10;", ""},
    {"a multiple", "shl.b32 %r13, %r0, 3; setp.ge.u32 %p1, %r13, %r10;", WORK, ""},
    {"by the block", "mad.lo.u32 %r13, %r38, 70, %r0; setp.ge.u32 %p1, %r13, %r10;", "add.u32 %r6, %r6, 3;", ""},
    {"two conditions", "setp.ge.u32 %p1, %r0, %r10; setp.eq.u32 %p3, %r10, 32; or.pred %p1, %p1, %p3;", WORK, ""},
    {"lanes by turns", "and.b32 %r13, %r0, %r10; setp.eq.u32 %p1, %r13, 0;", "add.u32 %r6, %r6, %r10;", ""},
    {"warps by turns", "and.b32 %r13, %r5, %r10; setp.eq.u32 %p1, %r13, 0;", "add.u32 %r6, %r6, %r10;", ""},
    {"all or none", "and.b32 %r13, %r10, 84; setp.eq.u32 %p1, %r13, 0;", "add.u32 %r6, %r6, %r10;", ""},
    {"64 bits", "cvt.u64.u32 %rd8, %r0; cvt.u64.u32 %rd9, %r10; setp.ge.u64 %p1, %rd8, %rd9;", WORK, ""},
    {"floats", "cvt.rn.f32.u32 %f1, %r10; setp.lt.f32 %p1, %f1, 0f42000000;", "add.u32 %r6, %r6, %r10;", ""},
    {"what each round changes", FEWER, WORK, "mad.lo.u32 %r11, %r11, 5, %r10; add.u32 %r12, %r12, %r11;"},
    {"what only some change", FEWER, "add.u32 %r11, %r11, %r10;", "add.u32 %r12, %r12, %r11;"},
    {"what a vote says", FEWER, WORK, "vote.sync.ballot.b32 %r13, %p1, -1; add.u32 %r12, %r12, %r13;"},
    {"a division", FEWER, WORK, "div.u32 %r13, 1000, %r10; add.u32 %r11, %r11, %r13;"},
    {"a barrier inside", FEWER, "add.u32 %r6, %r6, 1; bar.sync 0;", ""},
    {"another barrier", FEWER, "add.u32 %r6, %r6, 1; bar.sync 1;", ""},
    {"a barrier that traps: the warp that came last is the first", FEWER, "add.u32 %r6, %r6, 1; bar.arrive 2, 2048;",
     ""},
    {"those that exit", FEWER, "setp.eq.u32 %p3, %r10, 64; @%p3 st.global.u32 [%rd0], %r6; @%p3 exit; " WORK, ""},
    {"those that leave", FEWER, "setp.eq.u32 %p3, %r10, 64; @%p3 bra D; " WORK, ""},
    {"a trap", FEWER, "setp.eq.u32 %p3, %r10, 8; setp.eq.and.u32 %p3, %r0, 3, %p3; @%p3 ld.global.u32 %r9, [%rd10];",
     ""},
    {"an interpreter's work", FEWER, "setp.eq.u32 %p3, %r10, 32; @!%p3 bra F; nanosleep.u32 20; F:" WORK, ""},
    {"a clock", FEWER, WORK, "mov.u32 %r13, %clock; add.u32 %r12, %r12, %r13;"},
    {"sides of two kinds", FEWER, WORK,
     "setp.eq.u32 %p3, %r10, 16; @%p3 bra G; add.u32 %r11, %r11, 5; bra H; G: add.u32 %r11, %r11, 9; H:"},
};

static void kinds(void **state)
{
    static struct random_text t;
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        t = (struct random_text){.random = 1};
        make_rounds(&t, rows[i].condition, rows[i].work, rows[i].behind);
        print_message("%s\n", rows[i].what);
        everywhere(CELLS, t.at, 5, true);
    }
}

/* Warps that have exited, or of which some lanes have, before the rounds begin. */
static void some_warps(void **state)
{
    static const char *const leave[] = {
        "setp.eq.u32 %p1, %r5, 1; @%p1 exit; ",
        "setp.gt.u32 %p1, %r5, 2; @%p1 exit; ",
        "rem.u32 %r13, %r0, 70; setp.eq.u32 %p1, %r13, 5; @%p1 exit; ",
        "setp.eq.u32 %p1, %r5, 1; @!%p1 bra W; bar.sync 3, 32; W: ",
    };
    static struct random_text t;
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof leave / sizeof *leave; i++)
        for (size_t k = 0; k < 3; k++) {
            t = (struct random_text){.random = 1};
            random_say(&t, "shr.u32 %%r5, %%r0, 5; %s", leave[i]);
            make_rounds(&t, rows[k].condition, rows[k].work, rows[k].behind);
            print_message("%s; %s\n", rows[k].what, leave[i]);
            everywhere(CELLS, t.at, 5, true);
        }
}

/* Rounds without end: limits and a launch that is stopped hold where all warps have nothing to do, too. */
static void without_end(void **state)
{
    struct engine e;
    (void)state;
    if (!available())
        skip();
    engine_open(&e, CELLS,
                "L: setp.ge.u32 %p1, %r0, 5000; @!%p1 bra B; st.shared.u32 [cell], %r0; B: bar.sync 0; bra L;");
    e.launch.block[0] = 256;
    e.launch.instruction_limit = 1000000;
    for (unsigned engine = 0; engine < 2; engine++) {
        e.launch.engine = engine ? ATOLL_ENGINE_JIT : ATOLL_ENGINE_INTERPRETER;
        assert_false(engine_run(&e, 0));
        assert_int_equal(e.error.status, ATOLL_LIMIT);
    }
    engine_close(&e);
}

/* Conditions, work and what is behind, at random. */
static void at_random(void **state)
{
    static const char *const compare[] = {"ge.u32", "lt.u32", "gt.s32", "le.s32", "eq.u32", "ne.u32"};
    static const char *const with[] = {"%r0", "%r12", "%r5", "%r1"};
    static struct random_text condition, work, behind, t;
    (void)state;
    if (!available())
        skip();
    for (unsigned i = 0; i < 60; i++) {
        condition = work = behind = t = (struct random_text){.random = i + 1};
        random_say(&condition, "mad.lo.u32 %%r13, %s, %u, %u; setp.%s %%p1, %%r13, %%r10;",
                   with[random_draw(&condition, 4)], 1 + random_draw(&condition, 3),
                   random_draw(&condition, 2) * (random_draw(&condition, 900) - 450),
                   compare[random_draw(&condition, 6)]);
        random_say(&work, "%s", random_draw(&work, 2) ? WORK : "add.u32 %r6, %r6, %r10;");
        if (random_draw(&work, 3) == 0)
            random_say(&work, " setp.eq.u32 %%p3, %%r10, %u; @%%p3 add.u32 %%r11, %%r11, 1;",
                       1u << random_draw(&work, 9));
        for (unsigned k = random_draw(&behind, 3); k > 0; k--)
            random_say(&behind, "mad.lo.u32 %%r%u, %%r%u, %u, %%r%u; ", 11 + random_draw(&behind, 2),
                       11 + random_draw(&behind, 2), random_draw(&behind, 4), 10 + random_draw(&behind, 3));
        make_rounds(&t, condition.at, work.at, behind.at);
        everywhere(CELLS, t.at, 5, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(some_warps),
        cmocka_unit_test(without_end),
        cmocka_unit_test(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
