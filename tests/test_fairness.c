/* Waiting loops: lanes of a warp, and warps of a block, that spin until others do something must let those do it, in
 * every order; whatever the groups, and whatever the phase in which they change. */
#include "engine_text.h"

static void ends(const char *head, const char *body, uint32_t threads)
{
    struct engine e;
    engine_open(&e, head, body);
    e.launch.block[0] = threads;
    e.launch.time_limit = 20;
    for (int run = 0; run < 6; run++) {
        e.launch.order = (enum atoll_order)(run < 3 ? run : ATOLL_ORDER_SEEDED);
        e.launch.seed = (uint64_t)run;
        assert_true(atoll_memory_write(e.device, e.out, (uint32_t[ENGINE_WORDS]){0}, sizeof e.words, &e.error));
        if (!engine_run(&e, 0))
            fail_msg("order %d, seed %d: %s\n%s", e.launch.order, run, e.error.message, body);
    }
    engine_close(&e);
}

/* Two groups spin; the third, further on in the code or between them, would let both go. */
static void third_group_is_not_starved(void **state)
{
    (void)state;
    ends("",
         "setp.eq.u32 %p0, %r0, 1; @%p0 bra B; setp.eq.u32 %p0, %r0, 2; @%p0 bra C;\n"
         "A: ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p0, %r2, 0; @%p0 bra A; ret;\n"
         "B: ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p0, %r2, 0; @%p0 bra B; ret;\n"
         "C: st.relaxed.gpu.global.u32 [%rd1], 1;",
         3);
    ends("",
         "setp.eq.u32 %p0, %r0, 1; @%p0 bra B; setp.eq.u32 %p0, %r0, 2; @%p0 bra C;\n"
         "A: ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p0, %r2, 0; @%p0 bra A; ret;\n"
         "C: mov.u32 %r3, 0; D: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 3000; @%p0 bra D;\n"
         "st.relaxed.gpu.global.u32 [%rd1], 1; ret;\n"
         "B: ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p0, %r2, 0; @%p0 bra B;",
         3);
}

/* Lane n waits, in a loop of its own, for lane n + 1, which comes later in the code: the last begins. */
static void chain_of_groups(void **state)
{
    (void)state;
    enum { GROUPS = 32 };
    char body[GROUPS * 200] = "";
    size_t n = 0;
    for (int i = 0; i + 1 < GROUPS; i++)
        n += (size_t)snprintf(body + n, sizeof body - n,
                              "setp.ne.u32 %%p0, %%r0, %d; @%%p0 bra N%d;\n"
                              "L%d: ld.volatile.global.u32 %%r2, [%%rd0+4]; setp.eq.u32 %%p0, %%r2, 0; @%%p0 bra L%d;\n"
                              "st.volatile.global.u32 [%%rd0], 1; ret; N%d:\n",
                              i, i, i, i, i);
    snprintf(body + n, sizeof body - n, "st.volatile.global.u32 [%%rd0], 1;");
    ends("", body, GROUPS);
}

/* The one stores 1 and swaps it away before each of its branches; the other waits to see it. */
#define PHASES(between)                                                                                          \
    "setp.ne.u32 %p0, %r3, 0; @%p0 bra P1;\n"                                                                    \
    "L0: st.relaxed.gpu.global.u32 [%rd4], 1; " between                                                          \
    " atom.relaxed.gpu.global.exch.b32 %r2, [%rd4], 0; setp.eq.u32 %p0, %r2, 1; " between " @%p0 bra L0; ret;\n" \
    "P1: atom.relaxed.gpu.global.exch.b32 %r2, [%rd4], 0; setp.eq.u32 %p0, %r2, 0; " between " @%p0 bra P1;"
#define FIRST_LANES "mov.u64 %rd4, %rd1; and.b32 %r2, %r0, 31; setp.ne.u32 %p0, %r2, 0; @%p0 exit; mov.u32 %r3, %r0;\n"

static void loops_in_step(void **state)
{
    (void)state;
    /* of two warps; of two lanes; of two lanes in each of three warps; of halves of a warp; that give way themselves */
    ends("", FIRST_LANES PHASES(""), 64);
    ends("", "mov.u64 %rd4, %rd1; mov.u32 %r3, %r0;\n" PHASES(""), 2);
    ends("",
         "and.b32 %r3, %r0, 31; setp.gt.u32 %p0, %r3, 1; @%p0 exit; shr.u32 %r2, %r0, 5; mul.wide.u32 %rd4, %r2, 4;\n"
         "add.u64 %rd4, %rd4, %rd1;\n" PHASES(""),
         96);
    ends(
        "",
        "and.b32 %r2, %r0, 15; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd4, %rd1; and.b32 %r3, %r0, 16;\n" PHASES(""),
        32);
    ends("", FIRST_LANES PHASES("nanosleep.u32 20;"), 64);
}

/* The same in shared memory, which changes hands within the block only. */
static void loops_in_step_on_shared_memory(void **state)
{
    (void)state;
    ends(".shared .u32 flag;",
         "mov.u32 %r10, flag; st.shared.u32 [%r10], 0; bar.sync 0; and.b32 %r2, %r0, 31; setp.ne.u32 %p0, %r2, 0;\n"
         "@%p0 exit; setp.ne.u32 %p0, %r0, 0; @%p0 bra P1;\n"
         "L0: st.volatile.shared.u32 [%r10], 1; atom.shared.exch.b32 %r2, [%r10], 0; setp.eq.u32 %p0, %r2, 1;\n"
         "@%p0 bra L0; ret;\n"
         "P1: atom.shared.exch.b32 %r2, [%r10], 0; setp.eq.u32 %p0, %r2, 0; @%p0 bra P1;",
         64);
}

/* A lock that is taken in a function: the lane that has it must come back while the others spin in there. */
static const char lock_function[] =
    ".global .u32 lock; .global .u32 count;\n"
    ".func take(.reg .u64 a) { .reg .pred %p; .reg .u32 %r;\n"
    "SPIN: atom.global.cas.b32 %r, [a], 0, 1; setp.ne.u32 %p, %r, 0; @%p bra SPIN; ret; }\n"
    ".func seen(.reg .u64 a) { .reg .pred %p; .reg .u32 %r;\n"
    "SPIN: ld.volatile.global.u32 %r, [a]; setp.eq.u32 %p, %r, 0; @%p bra SPIN; ret; }\n"
    ".func set(.reg .u64 a) { st.volatile.global.u32 [a], 1; ret; }\n"
    ".func leave(.reg .u64 a) { st.volatile.global.u32 [a], 1; exit; }";

static void lock_in_a_function(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, lock_function,
                "mov.u64 %rd4, lock; mov.u64 %rd5, count; call take, (%rd4);\n"
                "ld.volatile.global.u32 %r3, [%rd5]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd5], %r3;\n"
                "membar.gl; atom.global.exch.b32 %r4, [%rd4], 0; st.global.u32 [%rd0], %r3;");
    e.launch.block[0] = 64;
    e.launch.time_limit = 60;
    for (uint32_t order = 0; order < 3; order++) {
        uint32_t sum = 0;
        e.launch.order = (enum atoll_order)order;
        engine_must_run(&e, 0);
        for (uint32_t i = 0; i < 64; i++)
            sum += e.words[i];
        assert_int_equal(sum, 64 * 65 / 2 + 64 * 64 * order); /* count goes on from launch to launch */
    }
    engine_close(&e);
}

/* Lanes wait in a function for lanes of the caller, of another function, of another call of the same one. */
static void waiting_in_a_function(void **state)
{
    (void)state;
    ends(lock_function,
         "setp.ne.u32 %p0, %r0, 0; @%p0 bra ON; call seen, (%rd1); ret; ON: st.volatile.global.u32 [%rd1], 1;", 32);
    ends(lock_function,
         "setp.ge.u32 %p0, %r0, 8; @%p0 bra ON; call seen, (%rd1); call set, (%rd1); ret;\n"
         "ON: add.u64 %rd4, %rd1, 4; setp.ge.u32 %p0, %r0, 16; @%p0 bra LAST; call seen, (%rd4); call set, (%rd1); "
         "ret;\n"
         "LAST: call leave, (%rd4); trap;",
         32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(third_group_is_not_starved),
        cmocka_unit_test(chain_of_groups),
        cmocka_unit_test(loops_in_step),
        cmocka_unit_test(loops_in_step_on_shared_memory),
        cmocka_unit_test(lock_in_a_function),
        cmocka_unit_test(waiting_in_a_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
