/* cp.async, cp.async.bulk, st.async: sizes, bytes that are not read, what is ignored, guards, barriers, loops of lanes
 * with sizes of their own; by both engines. */
#define ENGINE_TARGET  "sm_90"
#define ENGINE_VERSION "8.6"
#include "engine_text.h"

#define SHARED ".shared .align 16 .b8 tile[4096]; .shared .align 8 .b64 bar;"

/* The words of `out` are numbers of their bytes; each lane has 16 bytes of the tile, filled with 0xee. */
#define FILL                                                                                             \
    "mov.u32 %r2, tile; shl.b32 %r3, %r0, 4; add.u32 %r2, %r2, %r3; cvt.u64.u32 %rd5, %r3;\n"            \
    "add.u64 %rd4, %rd1, %rd5; mov.u32 %r4, 0xeeeeeeee; st.shared.v4.u32 [%r2], {%r4, %r4, %r4, %r4};\n" \
    "bar.sync 0; mov.u32 %r7, %r0;\n"
#define LEAVE                                                                          \
    "\ncp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; bar.sync 0;\n" \
    "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r2]; st.global.v4.u32 [%rd4+1024], {%r5, %r6, %r7, %r8};"

static void fill(struct engine *e)
{
    unsigned char bytes[sizeof e->words];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i % 251 + 1);
    assert_true(atoll_memory_write(e->device, e->out, bytes, sizeof bytes, &e->error));
}

/* Of lane i `size` bytes are copied, of which it reads the first `read(i)`; -1: nothing is copied. */
static void look(const struct engine *e, const char *copy, int size, int (*read)(int lane))
{
    const unsigned char *got = (const unsigned char *)e->words + 1024;
    for (int at = 0; at < 512; at++) {
        int lane = at / 16, byte = at % 16, has = read(lane);
        int want = has < 0 || byte >= size ? 0xee : byte < has ? at % 251 + 1 : 0;
        if (got[at] != want)
            fail_msg("%s: byte %d of lane %d is %d, not %d", copy, byte, lane, got[at], want);
    }
}

static const enum atoll_engine engines[] = {ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT};

static void check(const char *copy, int size, int (*read)(int lane))
{
    for (unsigned i = 0; i < 2; i++) {
        struct engine e;
        char body[3000];
        if (!atoll_engine_available(engines[i], &e.error))
            continue;
        snprintf(body, sizeof body, "%s%s%s", FILL, copy, LEAVE);
        engine_open(&e, SHARED, body);
        e.launch.engine = engines[i];
        fill(&e);
        engine_must_run(&e, 0);
        assert_true(engines[i] == ATOLL_ENGINE_INTERPRETER || e.stats.compiled_blocks == 1);
        look(&e, copy, size, read);
        engine_close(&e);
    }
}

static int all(int lane)
{
    (void)lane;
    return 16;
}

static int number(int lane)
{
    return lane;
}

static int odd(int lane)
{
    return lane % 2 ? 16 : 0;
}

static int odd_alone(int lane)
{
    return lane % 2 ? 16 : -1;
}

static int even_numbers(int lane)
{
    return lane % 2 ? -1 : lane;
}

#define ODD "and.b32 %r9, %r0, 1; setp.eq.u32 %p1, %r9, 1;\n"

static void sizes(void **state)
{
    (void)state;
    check("cp.async.ca.shared.global [%r2], [%rd4], 4;", 4, all);
    check("cp.async.ca.shared::cta.global.L2::128B [%r2], [%rd4], 8;", 8, all);
    check("cp.async.ca.shared.global [%r2], [%rd4], 16;", 16, all);
    check("mov.b64 %rd6, 0; cp.async.cg.shared.global.L2::cache_hint [%r2], [%rd4], 16, %rd6;", 16, all);
}

/* Lanes read as many bytes as their number says; what is more than there is room for is as much as that. */
static void some_bytes(void **state)
{
    (void)state;
    check("cp.async.ca.shared.global [%r2], [%rd4], 4, %r0;", 4, number);
    check("cp.async.ca.shared.global [%r2], [%rd4], 8, %r0;", 8, number);
    check("cp.async.cg.shared.global [%r2], [%rd4], 16, %r0;", 16, number);
    check("mov.b64 %rd6, 0; cp.async.cg.shared.global.L2::cache_hint [%r2], [%rd4], 16, %r7, %rd6;", 16, number);
    check(ODD "@!%p1 cp.async.cg.shared.global [%r2], [%rd4], 16, %r0;", 16, even_numbers);
    /* nothing is read: the address may be anything */
    check(ODD
          "selp.b64 %rd4, %rd4, 0, %p1; selp.b32 %r9, 16, 0, %p1; cp.async.cg.shared.global [%r2], [%rd4], 16, %r9;\n"
          "add.u64 %rd4, %rd1, %rd5;",
          16, odd);
}

static void ignored(void **state)
{
    (void)state;
    check(ODD "cp.async.cg.shared.global [%r2], [%rd4], 16, !%p1;", 16, odd);
    check(ODD "not.pred %p2, %p1; cp.async.ca.shared.global [%r2], [%rd4], 8, %p2;", 8, odd);
    check(ODD "@%p1 cp.async.ca.shared.global [%r2], [%rd4], 16;", 16, odd_alone);
    check(ODD "setp.ne.u32 %p2, %r0, %r0; @%p1 cp.async.ca.shared.global [%r2], [%rd4], 16, %p2;", 16, odd_alone);
}

#define BULK_ALL "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
#define BULK     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "

/* One lane copies for all; each odd lane for itself, which even ones say by their size or by a guard. */
static void bulk(void **state)
{
    (void)state;
    static const char one[] = "setp.eq.u32 %p1, %r0, 5; mov.u32 %r10, 512;\n"
                              "@%p1 mbarrier.init.shared.b64 [bar], 1;\n"
                              "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512; bar.sync 0;\n"
                              "@%p1 " BULK "[tile], [%rd1], %r10, [bar];\n"
                              "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;";
#define EACH(copy)                                                           \
    ODD "setp.eq.u32 %p2, %r0, 0; @%p2 mbarrier.init.shared.b64 [bar], 1;\n" \
        "@%p2 mbarrier.expect_tx.shared.b64 [bar], 256; bar.sync 0;\n" copy  \
        "@%p2 mbarrier.arrive.shared.b64 _, [bar];\n"                        \
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;"
    check(one, 16, all);
    check(EACH("selp.b32 %r9, 16, 0, %p1;" BULK "[%r2], [%rd4], %r9, [bar];\n"), 16, odd_alone);
    check(EACH("selp.b32 %r9, 16, 7, %p1; @%p1 " BULK "[%r2], [%rd4], %r9, [bar];\n"), 16, odd_alone);
    check(EACH("selp.b32 %r9, 16, 7, %p1; not.pred %p3, %p1; @!%p3 " BULK "[%r2], [%rd4], %r9, [bar];\n"), 16,
          odd_alone);
}

/* Lanes with 0 to 3 rounds. */
static void bulk_rounds(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct engine e;
        engine_open(&e, SHARED,
                    "and.b32 %r3, %r0, 3; shl.b32 %r3, %r3, 4; mul.wide.u32 %rd5, %r0, 64; add.u64 %rd4, %rd1, %rd5;\n"
                    "mov.u32 %r2, tile; cvt.u32.u64 %r4, %rd5; add.u32 %r2, %r2, %r4;\n"
                    "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0;\n"
                    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r3;\n" BULK "[%r2], [%rd4], %r3, [bar];\n"
                    "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;\n"
                    "cp.async.bulk.global.shared::cta.bulk_group [%rd4+4096], [%r2], 64;");
        e.launch.engine = engines[i];
        fill(&e);
        if (atoll_engine_available(engines[i], &e.error)) {
            engine_must_run(&e, 0);
            const unsigned char *got = (const unsigned char *)e.words;
            for (unsigned at = 0; at < 2048; at++)
                assert_int_equal(got[4096 + at], at % 64 < 16 * (at / 64 % 4) ? got[at] : 0);
        }
        engine_close(&e);
    }
}

/* Out of shared memory, where it is copied within first. */
static void bulk_back(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, SHARED,
                "setp.ne.u32 %p1, %r0, 0; @%p1 bra DONE; mov.u32 %r2, tile; mov.u32 %r3, 256;\n"
                "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %rd5, [bar], 272;\n"
                "cp.async.bulk.prefetch.L2.global [%rd1], 256;\n"
                "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd1], %r3, [bar];\n"
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2+240], [%r2], 16, [bar];\n"
                "mbarrier.test_wait.shared.b64 %p2, [bar], %rd5; @!%p2 trap;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%rd1+1024], [%r2], %r3;\n"
                "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;\nDONE:");
    fill(&e);
    engine_must_run(&e, 0);
    const unsigned char *got = (const unsigned char *)e.words;
    assert_memory_equal(got, got + 1024, 240);
    assert_memory_equal(got, got + 1024 + 240, 16);
    assert_int_equal(got[1024 + 256], (1024 + 256) % 251 + 1);
    engine_close(&e);
}

/* st.async: the barrier counts the bytes of each lane. */
static void stores(void **state)
{
    (void)state;
    static const char before[] = "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;\n"
                                 "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 512; bar.sync 0;\n"
                                 "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd4]; mov.b64 %rd7, {%r10, %r11};\n";
    static const char after[] = "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;";
#define STORE "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
    static const char *const stores[] = {STORE ".v4.b32 [%r2], {%r10, %r11, %r12, %r13}, [bar];\n",
                                         STORE ".v2.u32 [%r2], {%r10, %r11}, [bar];\n" STORE
                                               ".s32 [%r2+8], %r12, [bar]; " STORE ".b32 [%r2+12], %r13, [bar];\n",
                                         STORE ".b64 [%r2], %rd7, [bar]; mov.b64 %rd7, {%r12, %r13};\n" STORE
                                               ".u64 [%r2+8], %rd7, [bar];\n"};
    for (unsigned i = 0; i < 3; i++) {
        char body[1500];
        snprintf(body, sizeof body, "%s%s%s", before, stores[i], after);
        check(body, 16, all);
    }
}

/* cp.async.mbarrier.arrive changes nothing without .noinc, and is an arrival with it. */
static void arrivals(void **state)
{
    (void)state;
    check("setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;\n"
          "cp.async.ca.shared.global [%r2], [%rd4], 16; cp.async.mbarrier.arrive.shared.b64 [bar];\n"
          "cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; @%p1 "
          "trap;\n"
          "mbarrier.arrive.shared.b64 %rd6, [bar]; mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 trap;",
          16, all);
}

static void expect_stop(const char *copy, const char *part)
{
    struct engine e;
    char body[2000];
    snprintf(body, sizeof body, "%s%s", FILL, copy);
    engine_open(&e, SHARED, body);
    assert_false(engine_run(&e, 0));
    if (!strstr(e.error.message, part))
        fail_msg("%s: '%s' is not in: %s", copy, part, e.error.message);
    engine_close(&e);
}

static void faults(void **state)
{
    (void)state;
    expect_stop("cp.async.cg.shared.global [%r2+4], [%rd4], 16;", "misaligned");
    expect_stop("cp.async.cg.shared.global [%r2], [%rd4+4], 16;", "misaligned");
    expect_stop("cp.async.ca.shared.global [%r2], [%rd4+16384], 4;", "out-of-bounds");
    expect_stop("cp.async.ca.shared.global [%r2], [%rd4+16384], 4, 2;", "out-of-bounds");
    expect_stop("cp.async.ca.shared.global [%r2], [%rd4+2], 4, 2;", "misaligned");
    expect_stop("cp.async.cg.shared.global [%r2], [%rd4+4], 16, 4;", "misaligned");
    expect_stop("mov.u32 %r9, 8; cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r2], %r9;", "no multiple of 16");
    expect_stop("cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r2+8], 16;", "misaligned");
    expect_stop("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd4], [%r2], 16;",
                "cp.reduce.async.bulk");
    expect_stop("cp.async.mbarrier.arrive.shared.b64 [bar];", "mbarrier");
    expect_stop(".reg .b16 %rs<1>; mov.u16 %rs0, 1; " BULK_ALL " [%r2], [%rd4], 16, [bar], %rs0;", "multicast");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),  cmocka_unit_test(some_bytes), cmocka_unit_test(ignored),
        cmocka_unit_test(bulk),   cmocka_unit_test(bulk_back),  cmocka_unit_test(bulk_rounds),
        cmocka_unit_test(stores), cmocka_unit_test(arrivals),   cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
