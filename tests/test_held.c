/* Surface reductions that host threads hold back: others see them when they must, and none is lost. */
#include "engine_text.h"

#include "base/hard.h"
#include "skip.h"

enum { ROUNDS = 300, BLOCKS = 64, SURFACES = 6 };

static uint32_t texel(const struct atoll_surface *surface, unsigned x)
{
    uint32_t texels[16 * 4];
    assert_true(atoll_surface_read(surface, texels, sizeof texels, &(struct atoll_error){0}));
    return texels[x];
}

static struct atoll_surface *another(struct engine *e, uint32_t width, uint32_t height)
{
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D, .width = width, .height = height, .format = "r32uint"};
    struct atoll_surface *surface;
    assert_true(atoll_surface_create(e->device, &desc, &surface, &e->error));
    return surface;
}

/* Two blocks of a warp on two host threads hand a texel over, round after round: block 0 adds 1 with each lane and then
 * raises a flag, by `release`; block 1 waits for it, must find the sum, and answers. The flag is out[0], the answer
 * out[1], errors out[2]. The surface is small enough for 32 additions to be worth a merge. */
static void hand_over(const char *release)
{
    char body[2048];
    struct engine e;
    snprintf(body, sizeof body,
             "mov.u32 %%r2, 0; mov.u32 %%r3, 0; setp.ne.u32 %%p1, %%r38, 0; @%%p1 bra TAKE;\n"
             "GIVE: add.u32 %%r2, %%r2, 1; sured.b.add.2d.u32.trap [%%rd2, {%%r3, %%r3}], 1;\n"
             "%s\n"
             "WAIT: ld.acquire.gpu.u32 %%r4, [%%rd1+4]; setp.lt.u32 %%p2, %%r4, %%r2; @%%p2 bra WAIT;\n"
             "setp.lt.u32 %%p3, %%r2, %d; @%%p3 bra GIVE; bra DONE;\n"
             "TAKE: add.u32 %%r2, %%r2, 1; shl.b32 %%r6, %%r2, 5;\n"
             "LOOK: ld.acquire.gpu.u32 %%r4, [%%rd1]; setp.lt.u32 %%p2, %%r4, %%r2; @%%p2 bra LOOK;\n"
             "suld.b.2d.b32.trap {%%r5}, [%%rd2, {%%r3, %%r3}]; setp.eq.u32 %%p4, %%r5, %%r6;\n"
             "@!%%p4 red.global.add.u32 [%%rd1+8], 1;\n"
             "st.release.gpu.u32 [%%rd1+4], %%r2; setp.lt.u32 %%p3, %%r2, %d; @%%p3 bra TAKE;\n"
             "DONE:",
             release, ROUNDS, ROUNDS);
    engine_open(&e, "", body);
    struct atoll_surface *small = another(&e, 1, 1);
    uint32_t sum;
    e.launch.grid[0] = 2;
    e.launch.order = ATOLL_ORDER_PARALLEL;
    e.launch.threads = 2;
    e.launch.time_limit = 60;
    engine_must_run(&e, atoll_surface_handle(small));
    assert_true(atoll_surface_read(small, &sum, sizeof sum, &e.error));
    assert_int_equal(e.words[1], ROUNDS);
    assert_int_equal(e.words[2], 0);
    assert_int_equal(sum, 32 * ROUNDS);
    atoll_surface_destroy(small);
    engine_close(&e);
}

static void releases_come_after(void **state)
{
    (void)state;
    if (HARD(false, true))
        skip_because("in the hard build lanes change at every branch: who raises the flag does not speak for others");
    hand_over("fence.acq_rel.gpu; red.relaxed.gpu.global.max.u32 [%rd1], %r2;");
    hand_over("membar.gl; st.global.u32 [%rd1], %r2;");
    hand_over("st.release.gpu.u32 [%rd1], %r2;");
    hand_over("st.volatile.u32 [%rd1], %r2;");
    hand_over("red.release.gpu.global.max.u32 [%rd1], %r2;");
    hand_over("atom.acq_rel.gpu.global.exch.b32 %r7, [%rd1], %r2;");
}

/* Each block reduces a surface of its own and waits, without any order, for the other's. */
static void waiting_blocks_go_on(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r3, 0; setp.eq.u32 %p0, %r38, 0; selp.u64 %rd4, %rd2, %rd3, %p0; selp.u64 %rd5, %rd3, %rd2, "
                "%p0;\n"
                "sured.b.add.2d.u32.trap [%rd4, {%r3, %r3}], 1;\n"
                "WAIT: suld.b.2d.b32.trap {%r4}, [%rd5, {%r3, %r3}]; setp.lt.u32 %p1, %r4, 32; @%p1 bra WAIT;");
    struct atoll_surface *other = another(&e, 16, 4);
    e.launch.grid[0] = 2;
    e.launch.order = ATOLL_ORDER_PARALLEL;
    e.launch.threads = 2;
    e.launch.time_limit = 60;
    engine_must_run(&e, atoll_surface_handle(other));
    assert_int_equal(texel(e.surface, 0), 32);
    assert_int_equal(texel(other, 0), 32);
    atoll_surface_destroy(other);
    engine_close(&e);
}

/* A block's last work may be what another waits for: it is done when its host thread runs out of blocks. */
static void the_end_of_a_thread_is_enough(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r3, 0; setp.eq.u32 %p0, %r38, 0; @%p0 bra WAIT;\n"
                "sured.b.or.2d.b32.trap [%rd3, {%r3, %r3}], 5; bra DONE;\n"
                "WAIT: suld.b.2d.b32.trap {%r4}, [%rd3, {%r3, %r3}]; setp.ne.u32 %p1, %r4, 5; @%p1 bra WAIT;\n"
                "DONE:");
    e.launch.grid[0] = 2;
    e.launch.order = ATOLL_ORDER_PARALLEL;
    e.launch.threads = 2;
    e.launch.time_limit = 60;
    engine_must_run(&e, 0);
    engine_close(&e);
}

/* What ran before a trap has happened, as without holding anything back; of the trapping warp too. */
static void traps_leave_what_happened(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r3, 0; sured.b.add.2d.u32.trap [%rd3, {%r3, %r3}], 1;\n"
                "mov.u64 %rd4, 0; setp.eq.u32 %p0, %r38, 5; @%p0 st.global.u32 [%rd4], %r3;\n"
                "mov.u32 %r4, 4; sured.b.add.2d.u32.trap [%rd3, {%r4, %r3}], 1;");
    e.launch.grid[0] = BLOCKS;
    assert_false(engine_run(&e, 0));
    assert_string_equal(e.trap.cause, "null");
    assert_int_equal(texel(e.surface, 0), 6 * 32);
    assert_int_equal(texel(e.surface, 1), 5 * 32);
    engine_close(&e);
}

/* The instruction limit stops a kernel that never ends; lanes 16 to 31 of a reduction out of range trap alone. */
static void limits_and_faulting_reductions_too(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r3, 0; shl.b32 %r4, %r0, 2; setp.eq.u64 %p0, %rd2, 0; @!%p0 bra OUT;\n"
                "sured.b.add.2d.u32.trap [%rd3, {%r3, %r3}], 1;\n"
                "AGAIN: bra AGAIN;\n"
                "OUT: sured.b.add.2d.u32.trap [%rd3, {%r4, %r3}], 7;");
    e.launch.instruction_limit = 100000;
    assert_false(engine_run(&e, 0));
    assert_int_equal(e.error.status, ATOLL_LIMIT);
    assert_int_equal(texel(e.surface, 0), 32);
    assert_false(engine_run(&e, 1));
    assert_string_equal(e.trap.cause, "out-of-bounds");
    assert_int_equal(texel(e.surface, 0), 39);
    assert_int_equal(texel(e.surface, 15), 7);
    engine_close(&e);
}

/* More surfaces than are held, one of them too large; each thread takes the surface of its number, so that one
 * instruction reduces several. Loads in between are more than holding is worth, and it ends. */
static void many_surfaces(void **state)
{
    (void)state;
    struct engine e;
    struct atoll_surface *surfaces[SURFACES];
    uint64_t handles[SURFACES];
    engine_open(&e, "",
                "mov.u32 %r3, 0; mov.u32 %r7, 0; rem.u32 %r2, %r1, 6; mul.wide.u32 %rd4, %r2, 8;\n"
                "add.u64 %rd4, %rd4, %rd1; ld.global.u64 %rd5, [%rd4];\n"
                "AGAIN: sured.b.add.2d.u32.trap [%rd5, {%r3, %r3}], 1;\n"
                "and.b32 %r8, %r7, 7; setp.ne.u32 %p0, %r8, 7; @%p0 bra NEXT;\n"
                "sured.b.max.2d.u32.trap [%rd5, {4, %r3}], %r7; suld.b.2d.b32.trap {%r9}, [%rd5, {4, %r3}];\n"
                "setp.lt.u32 %p2, %r9, %r7; @%p2 st.global.u32 [%rd1+48], 1;\n"
                "NEXT: add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 100; @%p1 bra AGAIN;");
    for (unsigned i = 0; i < SURFACES; i++) {
        surfaces[i] = i == 1 ? another(&e, 1024, 1024) : another(&e, 16, 4);
        handles[i] = atoll_surface_handle(surfaces[i]);
    }
    e.launch.grid[0] = BLOCKS;
    e.launch.block[0] = 96;
    e.launch.threads = 4;
    for (int order = 0; order < 3; order++) {
        static uint32_t texels[1024 * 1024];
        e.launch.order = (enum atoll_order)order;
        assert_true(atoll_memory_write(e.device, e.out, handles, sizeof handles, &e.error));
        engine_must_run(&e, 0);
        assert_int_equal(e.words[12], 0);
        for (unsigned i = 0; i < SURFACES; i++) {
            assert_true(atoll_surface_read(surfaces[i], texels, atoll_surface_size(surfaces[i]), &e.error));
            assert_int_equal(texels[0], (order + 1) * BLOCKS * 96 / SURFACES * 100);
            assert_int_equal(texels[1], 95);
        }
    }
    for (unsigned i = 0; i < SURFACES; i++)
        atoll_surface_destroy(surfaces[i]);
    engine_close(&e);
}

/* A surface's texels have no address: what a pointer reaches is never held. The texel goes up while memory is read. */
static void pointers_see_their_own(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
                "AGAIN: sured.b.add.2d.u32.trap [%rd3, {%r3, %r3}], 1; red.global.add.u32 [%rd0], 1;\n"
                "suld.b.2d.b32.trap {%r5}, [%rd3, {%r3, %r3}]; ld.global.u32 %r6, [%rd0];\n"
                "add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 10; @%p0 bra AGAIN;\n"
                "st.global.u32 [%rd0+128], %r5;");
    engine_must_run(&e, 0);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(e.words[i], 10);
        assert_int_equal(e.words[32 + i], 320);
    }
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_come_after),
        cmocka_unit_test(waiting_blocks_go_on),
        cmocka_unit_test(the_end_of_a_thread_is_enough),
        cmocka_unit_test(traps_leave_what_happened),
        cmocka_unit_test(limits_and_faulting_reductions_too),
        cmocka_unit_test(many_surfaces),
        cmocka_unit_test(pointers_see_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
