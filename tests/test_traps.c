/* What stops a launch: each cause with its place, and the limits. */
#include "engine_text.h"

/* Line of the first line of a body. */
enum { BODY = 12 };

static void traps(const char *head, const char *body, uint64_t n, const char *cause, uint32_t thread)
{
    struct engine e;
    engine_open(&e, head, body);
    e.launch.grid[0] = 2;
    e.launch.integer_division_trap = true;
    if (engine_run(&e, n))
        fail_msg("%s: no trap", body);
    assert_int_equal(e.error.status, ATOLL_TRAP);
    assert_string_equal(e.trap.cause, cause);
    assert_string_equal(e.trap.kernel, "k");
    assert_int_equal(e.trap.line, BODY);
    assert_int_equal(e.error.line, BODY);
    assert_int_equal(e.trap.block[0], 0);
    assert_int_equal(e.trap.thread[0], thread);
    assert_non_null(strstr(e.error.message, "kernel 'k'"));
    engine_close(&e);
}

static void addresses(void **state)
{
    (void)state;
    traps("", "ld.global.u32 %r2, [%rd2];", 0, "null", 0);
    traps("", "st.global.u32 [%rd0+16380], %r0;", 0, "out-of-bounds", 1);
    traps("", "ld.u32 %r2, [%rd2];", UINT64_MAX - 3, "out-of-bounds", 0);
    traps("", "st.global.u32 [%rd1+2], %r0;", 0, "misaligned", 0);
    traps("", "atom.global.add.u32 %r2, [%rd1+1], 1;", 0, "misaligned", 0);
    traps(".shared .u32 cell[4];", "mov.u32 %r2, cell; mad.lo.u32 %r2, %r0, 4, %r2; st.shared.u32 [%r2], 1;", 0,
          "out-of-bounds", 4);
    traps(".const .u32 c = 5;", "mov.u64 %rd4, c; st.global.u32 [%rd4], 1;", 0, "read-only", 0);
    traps("", ".local .u32 cell[2]; mov.u64 %rd4, cell; st.local.u32 [%rd4+64], 1;", 0, "out-of-bounds", 0);
}

static void surfaces(void **state)
{
    (void)state;
    traps("", "shl.b32 %r2, %r0, 2; suld.b.2d.b32.trap %r3, [%rd3, {%r2, 0}];", 0, "out-of-bounds", 16);
    traps("", "sust.b.2d.b32.zero [%rd3, {2, 0}], %r0;", 0, "misaligned", 0);
    traps("", "suld.b.2d.b32.zero %r2, [%rd2, {0, 0}];", 0x1234567890, "bad-handle", 0);
    traps("", "suld.b.2d.b32.zero %r2, [%rd2, {0, 0}];", 0, "null", 0);
    traps(".global .surfref S;", "suld.b.2d.b32.zero %r2, [S, {0, 0}];", 0, "unbound-surface", 0);
    traps("", "suld.b.3d.b32.zero %r2, [%rd3, {0, 0, 0, 0}];", 0, "wrong-dimension", 0);
}

static void instructions(void **state)
{
    (void)state;
    traps("", "setp.eq.u32 %p0, %r0, 9; @%p0 trap;", 0, "trap", 9);
    traps("", "sub.u32 %r2, %r0, 6; div.u32 %r3, 100, %r2; st.global.u32 [%rd0], %r3;", 0, "division-by-zero", 6);
    traps("", "cvt.u32.u64 %r2, %rd2; bar.sync %r2;", 16, "bad-barrier", 0);
}

/* A trap that does not fire is an instruction like others: it lies in the middle of a block, lanes that wait elsewhere
 * stay there, and it counts once. */
static void traps_that_do_not_fire(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint64_t instructions;
    } cases[] = {
        {"mov.u32 %r2, 7; setp.lt.u32 %p0, %r0, 16; setp.gt.u32 %p1, %r0, 1000; @%p0 bra LATER;\n"
         "@%p1 trap; mul.lo.u32 %r2, %r0, 3; LATER: st.global.u32 [%rd0], %r2;",
         17},
        {"setp.gt.u32 %p1, %r0, 1000; @%p1 trap; @%p1 trap; @%p1 trap; mul.lo.u32 %r2, %r0, 3;\n"
         "setp.lt.u32 %p0, %r0, 16; selp.u32 %r2, 7, %r2, %p0; st.global.u32 [%rd0], %r2;",
         18},
    };
    for (int i = 0; i < 6; i++) {
        struct engine e;
        engine_open(&e, "", cases[i % 2].body);
        e.launch.order = (enum atoll_order)(i / 2);
        engine_must_run(&e, 0);
        for (uint32_t k = 0; k < 32; k++)
            assert_int_equal(e.words[k], k < 16 ? 7 : 3 * k);
        assert_int_equal(e.stats.warp_instructions, cases[i % 2].instructions);
        engine_close(&e);
    }
}

static void division_by_zero_gives_ones(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "div.u32 %r2, %r0, 0; rem.u32 %r3, %r0, 0; st.global.u32 [%rd0], %r2; st.global.u32 [%rd0+128], %r3;");
    engine_must_run(&e, 0);
    assert_int_equal(e.words[5], UINT32_MAX);
    assert_int_equal(e.words[37], UINT32_MAX);
    engine_close(&e);
}

static void limits(void **state)
{
    (void)state;
    struct engine e;
    volatile int interrupt = 1;
    engine_open(&e, "", "LOOP: add.u32 %r2, %r2, 1; bra LOOP;");
    e.launch.instruction_limit = 100000;
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_LIMIT);
    e.launch.instruction_limit = 0;
    e.launch.time_limit = 0.05;
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_LIMIT);
    e.launch.time_limit = 0;
    e.launch.interrupt = &interrupt;
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_INTERRUPTED);
    engine_close(&e);
}

/* A row of words that begins just below shared memory, through an offset. */
static void row_before_shared_memory(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, ".shared .align 4 .u32 cell[64];",
                "mov.u32 %r3, cell; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r3; ld.shared.u32 %r4, [%r2+-16];\n"
                "st.global.u32 [%rd0], %r4;");
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_TRAP);
    assert_int_equal(e.trap.thread[0], 0);
    engine_close(&e);
}

/* A grid far too large to finish stops in time, whatever a block does. */
static void enormous_grid(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "", "");
    e.launch.grid[0] = 2147483647;
    e.launch.grid[1] = e.launch.grid[2] = 65535;
    e.launch.time_limit = 0.05;
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_LIMIT);
    engine_close(&e);
}

static void endless_recursion(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, ".func f() { call f; ret; }", "call f;");
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_TRAP);
    engine_close(&e);
}

static size_t traced;
static void count_lines(void *user, const char *line, size_t size)
{
    (void)user;
    (void)line;
    traced += size > 0;
}

/* A trace shows every instruction, also those that otherwise run once. */
static void trace(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "", "st.global.u32 [%rd0], %r0;");
    e.launch.trace = count_lines;
    engine_must_run(&e, 0);
    assert_int_equal(traced, e.stats.warp_instructions);
    assert_int_equal(e.words[31], 31);
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),     cmocka_unit_test(surfaces),
        cmocka_unit_test(instructions),  cmocka_unit_test(division_by_zero_gives_ones),
        cmocka_unit_test(limits),        cmocka_unit_test(row_before_shared_memory),
        cmocka_unit_test(enormous_grid), cmocka_unit_test(endless_recursion),
        cmocka_unit_test(trace),         cmocka_unit_test(traps_that_do_not_fire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
