/* Kernels run by the interpreter and by compiled code, in blocks of many shapes: results, traps, messages and counters
 * are the interpreter's. */
#ifndef ATOLL_TESTS_JIT_RIG_H
#define ATOLL_TESTS_JIT_RIG_H

#include "engine/compiler.h"
#include "engine_text.h"
#include "skip.h"

static inline bool available(void)
{
    const char *why = "this build has none";
    if (compiler_find() && compiler_find()->available(&why))
        return true;
    print_message("skipped: no compiler: %s\n", why);
    return false;
}

/* What a launch leaves. */
struct outcome {
    bool ok;
    struct atoll_stats stats;
    struct atoll_trap trap;
    struct atoll_error error;
    uint32_t words[ENGINE_WORDS];
};

static inline void launch_by(struct engine *e, enum atoll_engine engine, uint64_t n, struct outcome *to)
{
    static const uint32_t none[ENGINE_WORDS];
    assert_true(atoll_memory_write(e->device, e->out, none, sizeof none, &e->error));
    e->launch.engine = engine;
    e->stats = (struct atoll_stats){0};
    e->trap = (struct atoll_trap){0};
    e->error = (struct atoll_error){0};
    to->ok = engine_run(e, n);
    to->stats = e->stats;
    to->trap = e->trap;
    to->error = e->error;
    memcpy(to->words, e->words, sizeof to->words);
}

static inline void compare_counters(const struct atoll_stats *a, const struct atoll_stats *b)
{
    assert_int_equal(a->warp_instructions, b->warp_instructions);
    assert_int_equal(a->lane_instructions, b->lane_instructions);
    assert_int_equal(a->divergent_branches, b->divergent_branches);
    assert_int_equal(a->barriers, b->barriers);
    assert_int_equal(a->global_accesses, b->global_accesses);
    assert_int_equal(a->shared_accesses, b->shared_accesses);
    assert_int_equal(a->atomics, b->atomics);
}

/* By both engines. `where`: for messages. `counts`: nobody waits so long that the interpreter lets others go first,
 * which compiled code does only where a loop may wait for them. */
static inline void same_or_near(struct engine *e, uint64_t n, const char *where, bool counts)
{
    static struct outcome a, b;
    launch_by(e, ATOLL_ENGINE_INTERPRETER, n, &a);
    launch_by(e, ATOLL_ENGINE_JIT, n, &b);
    if (b.stats.not_compiled)
        fail_msg("not compiled: %s\n%s", b.stats.not_compiled, where);
    if (a.error.status == ATOLL_LIMIT && (b.error.status == ATOLL_LIMIT || !counts))
        return; /* where it was by then is no result */
    if (a.ok != b.ok || strcmp(a.error.message, b.error.message) != 0)
        fail_msg("'%s' by the interpreter; '%s'\n%s", a.error.message, b.error.message, where);
    for (unsigned i = 0; i < ENGINE_WORDS; i++)
        if (a.words[i] != b.words[i])
            fail_msg("word %u: %u by the interpreter; %u\n%s", i, a.words[i], b.words[i], where);
    assert_int_equal(a.error.status, b.error.status);
    assert_int_equal(a.trap.line, b.trap.line);
    assert_memory_equal(a.trap.block, b.trap.block, sizeof a.trap.block);
    assert_memory_equal(a.trap.thread, b.trap.thread, sizeof a.trap.thread);
    if (!a.ok || !counts)
        return;
    compare_counters(&a.stats, &b.stats); /* what calls keep in local memory is no part of it: test_inline.c */
    assert_int_equal(a.stats.local_accesses, b.stats.local_accesses);
    assert_int_equal(a.stats.surface_accesses, b.stats.surface_accesses);
}

static const uint32_t shapes[][2] = {{32, 2}, {64, 3}, {20, 2}, {96, 2}, {75, 3}, {256, 4}, {1000, 2}, {1024, 2}};

/* In blocks of many shapes. */
static inline void everywhere(const char *head, const char *body, uint64_t n, bool counts)
{
    struct engine e;
    char where[100];
    engine_open(&e, head, body);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        e.launch.block[0] = shapes[i][0];
        e.launch.grid[0] = shapes[i][1];
        snprintf(where, sizeof where, "blocks of %u threads", shapes[i][0]);
        same_or_near(&e, n, where, counts);
    }
    engine_close(&e);
}

#define CELLS ".shared .u32 cell[1025];"
/* %r3: address of the thread's cell; %r4: of the one half a block away; %r5: number of the warp. */
#define PLACES                                                                                                       \
    "mov.u32 %r2, cell; shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, %r2; shr.u32 %r5, %r0, 5; shr.u32 %r4, %r39, 1;\n"    \
    "add.u32 %r4, %r4, %r0; rem.u32 %r4, %r4, %r39; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r2; mov.u32 %r6, %r0;\n" \
    "mov.u32 %r7, 0; cvt.u32.u64 %r8, %rd2;\n"
#define EXCHANGE "st.shared.u32 [%r3], %r6; bar.sync 0; ld.shared.u32 %r9, [%r4]; bar.sync 0; add.u32 %r6, %r6, %r9;\n"
#define RESULT   "st.global.u32 [%rd0], %r6;"

#endif
