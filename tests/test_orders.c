/* The seeded order mixes lanes of a warp as it mixes warps: PTX for sm_70 and later alone lets them part anywhere. */
#define ENGINE_TARGET  "sm_80"
#define ENGINE_VERSION "8.0"
#include "engine_text.h"

enum { SEEDS = 200, THREADS = 64 };

/* Neighbours exchange values through shared memory; `between` the store and the load. */
static const char exchange[] = "mul.lo.u32 %%r3, %%r0, 4; mov.u32 %%r4, buffer; add.u32 %%r3, %%r3, %%r4;\n"
                               "xor.b32 %%r5, %%r3, 4; add.u32 %%r6, %%r0, 1; st.shared.u32 [%%r3], %%r6;\n"
                               "%s\nld.shared.u32 %%r7, [%%r5]; st.global.u32 [%%rd0], %%r7;";
static const char buffer[] = ".shared .align 4 .b32 buffer[64];";

static void open_exchange(struct engine *e, const char *between)
{
    char body[1000];
    snprintf(body, sizeof body, exchange, between);
    engine_open(e, buffer, body);
    e->launch.block[0] = THREADS;
    e->launch.order = ATOLL_ORDER_SEEDED;
}

/* How many threads, of all seeds, did not get their neighbour's value. */
static unsigned missed(struct engine *e)
{
    unsigned count = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        e->launch.seed = seed;
        engine_must_run(e, 0);
        for (uint32_t i = 0; i < THREADS; i++)
            count += e->words[i] != (i ^ 1) + 1;
    }
    return count;
}

static void lanes_part(void **state)
{
    struct engine e;
    (void)state;
    open_exchange(&e, "");
    assert_true(missed(&e) > 0);
    engine_close(&e);
}

static void meetings_hold(void **state)
{
    static const char *const between[] = {"bar.warp.sync -1;", "bar.sync 0;", "shfl.sync.idx.b32 %r8, %r6, 0, 31, -1;"};
    struct engine e;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        open_exchange(&e, between[i]);
        assert_int_equal(missed(&e), 0);
        engine_close(&e);
    }
}

/* All lanes take part in what the whole warp does, wherever they parted. */
static void warp_operations_are_whole(void **state)
{
    struct engine e;
    (void)state;
    engine_open(&e, "",
                "mov.u32 %r20, 0; mov.u32 %r21, 0;\n"
                "LOOP: ld.volatile.global.u32 %r3, [%rd0]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd0], %r3;\n"
                "redux.sync.add.u32 %r4, %r3, -1; add.u32 %r20, %r20, %r4;\n"
                "shfl.sync.down.b32 %r5, %r3, 1, 31, -1; add.u32 %r20, %r20, %r5;\n"
                "add.u32 %r21, %r21, 1; setp.lt.u32 %p0, %r21, 5; @%p0 bra LOOP; st.global.u32 [%rd0], %r20;");
    e.launch.order = ATOLL_ORDER_SEEDED;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        e.launch.seed = seed;
        assert_true(atoll_memory_write(e.device, e.out, (uint32_t[32]){0}, 128, &e.error));
        engine_must_run(&e, 0);
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(e.words[i], 33 * (1 + 2 + 3 + 4 + 5));
    }
    engine_close(&e);
}

/* A seed repeats its order to the last value, also where lanes race. */
static void seeds_repeat(void **state)
{
    uint32_t first[THREADS];
    struct engine e;
    (void)state;
    open_exchange(&e, "");
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        e.launch.seed = seed;
        engine_must_run(&e, 0);
        memcpy(first, e.words, sizeof first);
        engine_must_run(&e, 0);
        assert_memory_equal(first, e.words, sizeof first);
    }
    engine_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_part),
        cmocka_unit_test(meetings_hold),
        cmocka_unit_test(warp_operations_are_whole),
        cmocka_unit_test(seeds_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
