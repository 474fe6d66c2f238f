/* The seam between engines and what they share (engine/executor.h): an engine that only carries out one instruction
 * after the other runs as the interpreter does, to the last counter, trace and message. */
#include "lanes_run.h"

#include "base/text.h"
#include "engine/run.h"
#include "engine/warp/trace.h"

static bool prepare(struct program *program, struct func *func, struct atoll_error *error)
{
    return executor_portable()->prepare(program, func, error);
}

static void begin(struct warp *warp)
{
    executor_portable()->begin(warp);
}

static bool step(struct warp *warp)
{
    return executor_portable()->step(warp);
}

static const struct decoded *place(const struct step *at)
{
    return executor_portable()->place(at);
}

static void run(struct warp *warp)
{
    bool traced = warp->worker->run->launch->trace != NULL, on = true;
    if (!warp->pc)
        warp->pc = warp_next(warp);
    while (on && warp->pc) {
        struct traced line = {.at = NULL};
        const struct decoded *at = warp_at(warp);
        if (traced)
            traced_begin(&line, warp, at);
        on = step(warp);
        traced_end(&line, warp, on && warp->pc && place(warp->pc) == at + 1);
    }
}

static const struct executor stepper = {
    .name = "stepper", .prepare = prepare, .begin = begin, .run = {run, run, run}, .step = step, .place = place};

static void keep(void *user, const char *line, size_t length)
{
    text_add(user, line, length);
}

/* What a launch leaves. */
struct result {
    uint32_t words[LANES_WORDS];
    struct atoll_stats stats;
    char message[sizeof(((struct atoll_error *)0)->message)];
    struct text trace;
};

static void run_on(const struct executor *executor, struct lanes *t, enum atoll_policy policy, bool traced,
                   struct result *result)
{
    *result = (struct result){0};
    program_destroy(t->program);
    assert_true(program_create_on(executor, t->device, &t->module, 0, NULL, &t->program, &t->error));
    t->launch.trace = traced ? keep : NULL;
    t->launch.user = &result->trace;
    if (!lanes_run(t, policy))
        memcpy(result->message, t->error.message, sizeof result->message);
    memcpy(result->words, t->words, sizeof result->words);
    result->stats = t->stats;
    result->stats.seconds = 0;
}

static void same(const char *body, uint32_t threads, const char *message)
{
    struct lanes t;
    struct result want, got;
    lanes_open(&t, body);
    t.launch.block[0] = threads;
    t.launch.grid[0] = 3;
    t.launch.time_limit = 60;
    t.launch.engine = ATOLL_ENGINE_INTERPRETER; /* the statistics would tell of compiling */
    for (unsigned i = 0; i < 4; i++) {
        enum atoll_policy policy = i & 1 ? ATOLL_POLICY_STACK : ATOLL_POLICY_FRONTIER;
        run_on(executor_portable(), &t, policy, i & 2, &want);
        run_on(&stepper, &t, policy, i & 2, &got);
        assert_memory_equal(want.words, got.words, sizeof want.words);
        assert_string_equal(want.message, got.message);
        assert_memory_equal(&want.stats, &got.stats, sizeof want.stats);
        assert_int_equal(want.trace.length, got.trace.length);
        assert_true((i & 2) == (want.trace.length ? 2 : 0));
        if (want.trace.length)
            assert_memory_equal(want.trace.bytes, got.trace.bytes, want.trace.length);
        if (policy == ATOLL_POLICY_STACK && !strstr(want.message, message))
            fail_msg("%s", want.message);
        text_free(&want.trace);
        text_free(&got.trace);
    }
    lanes_close(&t);
}

static void loops_and_tokens(void **state)
{
    (void)state;
    same("  r2 = and.b32 r0, 7\n  r3 = mov.b32 0\n  push.break b3\n"
         "b1:\n  r3 = add.u32 r3, 3\n  p0 = setp.eq.u32 r2, 0\n  @p0 pop.break\n"
         "b2:\n  r2 = sub.u32 r2, 1\n  bra b1\n"
         "b3:\n  r1 = activemask\n  r1 = xor.b32 r1, r3\n  st.global.b32 [rd0], r1\n  exit",
         70, "");
}

static void barriers_and_atomics(void **state)
{
    (void)state;
    same("  r2 = atom.global.add.b32 [rd1+4096], r0\n  bar.sync 0, 0\n"
         "b1:\n  r3 = ld.global.volatile.b32 [rd1+4096]\n  p0 = setp.gt.u32 r0, 40\n  @p0 trap\n"
         "  st.global.b32 [rd0], r3\n  exit",
         70, "the kernel executed trap");
}

/* Lanes that spin on a lock whose holder waits for them: turns are used up, and the warp is watched. */
static void livelock(void **state)
{
    (void)state;
    same("  push.sync b3\n"
         "b1:\n  r2 = atom.global.cas.b32 [rd1], 0:32, 1:32 !10\n  p0 = setp.ne.u32 r2, 0 !11\n  @p0 bra b1 !12\n"
         "b2:\n  pop.sync !13\n"
         "b3:\n  r3 = ld.global.volatile.b32 [rd1+4] !14\n  r3 = add.u32 r3, 1\n"
         "  st.global.volatile.b32 [rd1+4], r3\n  r4 = atom.global.exch.b32 [rd1], 0:32\n  exit",
         32, "nothing changes any more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_and_tokens),
        cmocka_unit_test(barriers_and_atomics),
        cmocka_unit_test(livelock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
