/* Compiled kernels whose lanes may wait at many places: loops around a switch, machines of states. */
#include "jit_rig.h"
#include "random_text.h"

#include "base/hard.h"

/* %r10: what each lane has drawn so far; %r12: the next state; %r7: rounds. */
#define DRAW "mad.lo.u32 %%r10, %%r10, 1664525, 1013904223; shr.u32 %%r11, %%r10, 9; "

/* What a state does to %r6. */
static void act(struct random_text *t, unsigned state)
{
    switch (random_draw(t, 9)) {
    case 0:
        random_say(t, "mad.lo.u32 %%r6, %%r6, 5, %u; ", state);
        break;
    case 1:
        random_say(t, "xor.b32 %%r6, %%r6, %%r10; ");
        break;
    case 2:
        random_say(t, "st.shared.u32 [%%r3], %%r6; ld.shared.u32 %%r9, [%%r3]; add.u32 %%r6, %%r9, %u; ", state);
        break;
    case 3:
        random_say(t, "red.shared.add.u32 [%%r2+4096], %u; ", state);
        break;
    case 4:
        random_say(t, "and.b32 %%r9, %%r10, 3; @%%p9 add.u32 %%r6, %%r6, %%r9; setp.eq.u32 %%p9, %%r9, 1; ");
        break;
    case 5: /* a loop of its own */
        random_say(t, "and.b32 %%r14, %%r11, 7; I%u: add.u32 %%r6, %%r6, %%r14; sub.u32 %%r14, %%r14, 1; ", state);
        random_say(t, "setp.gt.s32 %%p1, %%r14, 0; @%%p1 bra I%u; ", state);
        break;
    case 6: /* a side of its own */
        random_say(t, "setp.lt.u32 %%p1, %%r11, 4000000; @%%p1 bra I%u; add.u32 %%r6, %%r6, %u; I%u: ", state, state,
                   state);
        break;
    case 7:
        random_say(t, "cvt.rn.f32.u32 %%f1, %%r11; sqrt.rn.f32 %%f1, %%f1; cvt.rzi.u32.f32 %%r9, %%f1; "
                      "add.u32 %%r6, %%r6, %%r9; ");
        break;
    default:
        random_say(t, "activemask.b32 %%r9; popc.b32 %%r9, %%r9; shr.u32 %%r9, %%r9, 5; add.u32 %%r6, %%r6, %%r9; ");
    }
}

/* Where lanes go whose number is %r12, of `count`: by a table, or by asking. */
static void choose(struct random_text *t, unsigned count, bool table, unsigned which)
{
    if (table) {
        random_say(t, "T%u: .branchtargets ", which);
        for (unsigned i = 0; i < count; i++)
            random_say(t, "%sS%u", i ? ", " : "", i);
        random_say(t, "; brx.idx %%r12, T%u;\n", which);
        return;
    }
    for (unsigned i = 0; i + 1 < count; i++)
        random_say(t, "setp.eq.u32 %%p1, %%r12, %u; @%%p1 bra S%u; ", i, i);
    random_say(t, "bra S%u;\n", count - 1);
}

static void begin(struct random_text *t, unsigned rounds)
{
    random_say(t, "%s mad.lo.u32 %%r10, %%r1, 2654435761, 12345; mov.u32 %%r13, %u; mov.u32 %%r12, 0; ", PLACES,
               rounds);
    random_say(t, "setp.eq.u32 %%p9, %%r0, 5; ");
}

/* A loop around a switch. `extra`: what else there is in each round. */
static void make_switch(struct random_text *t, unsigned count, bool table, unsigned rounds, const char *extra)
{
    begin(t, rounds);
    random_say(t, "L: " DRAW "rem.u32 %%r12, %%r11, %u;\n", count);
    choose(t, count, table, 0);
    for (unsigned i = 0; i < count; i++) {
        random_say(t, "S%u: ", i);
        act(t, i);
        random_say(t, i + 1 < count ? "bra E;\n" : "\n");
    }
    random_say(t, "E: %s add.u32 %%r7, %%r7, 1; setp.lt.u32 %%p0, %%r7, %%r13; @%%p0 bra L;\n%s", extra, RESULT);
}

/* Every state goes to any other by itself: nothing is common to all of them. */
static void make_machine(struct random_text *t, unsigned count, unsigned rounds, bool exits)
{
    begin(t, rounds);
    for (unsigned i = 0; i < count; i++) {
        random_say(t, "S%u: " DRAW, i);
        act(t, i);
        random_say(t, "rem.u32 %%r12, %%r11, %u; add.u32 %%r7, %%r7, 1; ", count);
        random_say(t, "setp.ge.u32 %%p0, %%r7, %%r13; @%%p0 bra E;\n");
        if (exits && i % 7 == 3)
            random_say(t, "setp.eq.u32 %%p1, %%r12, %u; @%%p1 st.global.u32 [%%rd0], %%r6; @%%p1 exit; ", i);
        if (i % 5 == 2)
            random_say(t, "add.u32 %%r12, %%r12, 1; setp.ge.u32 %%p1, %%r12, %u; @%%p1 mov.u32 %%r12, 0; ", count);
        choose(t, count, true, i);
    }
    random_say(t, "E: %s", RESULT);
}

static void both(struct random_text *t, const char *what, bool counts)
{
    print_message("%s\n", what);
    everywhere(CELLS, t->at, 5, counts && !HARD(false, true));
}

static void switches(void **state)
{
    static const struct {
        const char *what, *extra;
        bool waits; /* some lanes, for all rounds that are left */
    } rows[] = {
        {"nothing else", "", false},
        {"a barrier in each round", EXCHANGE, false},
        {"lanes that leave", "setp.eq.u32 %p1, %r12, 9; @%p1 bra D; ", true},
        {"lanes that exit", "setp.eq.u32 %p1, %r12, 9; @%p1 exit; ", false},
        {"an interpreter's work", "setp.ne.u32 %p1, %r7, 3; @%p1 bra F; nanosleep.u32 20; F: ", false},
        {"a vote", "vote.sync.ballot.b32 %r9, %p9, -1; add.u32 %r6, %r6, %r9; ", false},
        {"a trap", "setp.eq.u32 %p1, %r6, 77; setp.eq.or.u32 %p1, %r7, 17, %p1; @%p1 ld.global.u32 %r9, [%rd10]; ",
         false},
    };
    static struct random_text t;
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned k = 0; k < 2; k++) {
            t = (struct random_text){.random = i + 1};
            make_switch(&t, k ? 30 : 70, k == 0, 20, rows[i].extra);
            if (i == 2)
                random_say(&t, "D: st.global.u32 [%%rd0], %%r7;");
            both(&t, rows[i].what, !rows[i].waits);
        }
}

static void machines(void **state)
{
    static struct random_text t;
    (void)state;
    if (!available())
        skip();
    for (unsigned i = 0; i < 3; i++) {
        t = (struct random_text){.random = i + 1};
        make_machine(&t, 12 + 11 * i, 40, i % 2);
        both(&t, "a machine of states", false);
    }
}

/* Numbers beyond the table trap, as ever. */
static void beyond_the_table(void **state)
{
    static struct random_text t;
    (void)state;
    if (!available())
        skip();
    t = (struct random_text){.random = 1};
    make_switch(&t, 40, true, 30, "");
    char *rem = strstr(t.at, "rem.u32 %r12, %r11, 40;");
    assert_non_null(rem);
    memcpy(rem, "rem.u32 %r12, %r11, 41;", 23);
    both(&t, "a number beyond the table", false);
}

/* Turns are used up, and lanes wait for long in all: code goes on where it was left. */
static void long_ones(void **state)
{
    static struct random_text t;
    struct engine e;
    (void)state;
    if (!available())
        skip();
    for (unsigned i = 0; i < 2; i++) {
        t = (struct random_text){.random = 5};
        if (i)
            make_switch(&t, 40, true, 9000, "");
        else
            make_machine(&t, 30, 9000, false);
        engine_open(&e, CELLS, t.at);
        e.launch.block[0] = 64;
        same_or_near(&e, 5, i ? "a long switch" : "a long machine", i == 1 && !HARD(false, true));
        engine_close(&e);
    }
}

/* Lanes of a warp that wait for each other, behind a switch of few ways and of many. */
static void locks(void **state)
{
    static struct random_text t;
    struct engine e;
    (void)state;
    if (!available())
        skip();
    for (unsigned count = 3; count <= 30; count += 27) {
        t = (struct random_text){.random = 3};
        make_switch(&t, count, true, 12,
                    "K: atom.shared.cas.b32 %r9, [%r2+4092], 0, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra K; "
                    "ld.volatile.shared.u32 %r9, [%r2+4088]; add.u32 %r9, %r9, 1; st.volatile.shared.u32 [%r2+4088], "
                    "%r9; membar.cta; atom.shared.exch.b32 %r9, [%r2+4092], 0; ");
        random_say(&t, "bar.sync 0; ld.shared.u32 %%r6, [%%r2+4088]; st.global.u32 [%%rd0], %%r6;");
        engine_open(&e, CELLS, t.at);
        for (unsigned warps = 1; warps <= 4; warps++) {
            e.launch.block[0] = 32 * warps;
            same_or_near(&e, 5, "locks", false);
            assert_int_equal(e.words[0], 12 * 32 * warps);
        }
        engine_close(&e);
    }
}

/* Much code in which many registers live wherever lanes are sent on: left to the interpreter (JIT_TANGLE). */
static void tangles(void **state)
{
    enum { STATES = 30, WORK = 22, FIRST = 14, BEYOND = 39 }; /* registers that no state's own work uses */
    static struct random_text t;
    static struct outcome out;
    struct engine e;
    (void)state;
    if (!available())
        skip();
    t = (struct random_text){.random = 2};
    begin(&t, 3);
    for (unsigned r = FIRST; r < BEYOND; r++)
        random_say(&t, "add.u32 %%r%u, %%r1, %u; ", r, r);
    for (unsigned i = 0; i < STATES; i++) {
        random_say(&t, "S%u: " DRAW, i);
        for (unsigned k = 0; k < WORK; k++) {
            unsigned r = FIRST + (i + k) % (BEYOND - FIRST);
            random_say(&t, "mad.hi.u32 %%r%u, %%r10, %%r%u, %%r6; ", r, r);
        }
        random_say(&t, "rem.u32 %%r12, %%r11, %u; add.u32 %%r7, %%r7, 1; setp.ge.u32 %%p0, %%r7, %%r13; @%%p0 bra E;\n",
                   STATES);
        choose(&t, STATES, true, i);
    }
    random_say(&t, "E: %s", RESULT);
    engine_open(&e, CELLS, t.at);
    launch_by(&e, ATOLL_ENGINE_JIT, 5, &out);
    assert_true(out.ok);
    assert_non_null(out.stats.not_compiled);
    assert_string_equal(out.stats.not_compiled, "more code than is compiled");
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches),  cmocka_unit_test(machines), cmocka_unit_test(beyond_the_table),
        cmocka_unit_test(long_ones), cmocka_unit_test(locks),    cmocka_unit_test(tangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
