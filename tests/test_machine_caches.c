/* Caches in the seeded order: a missing flush or invalidate shows for some seeds, the same seed shows the same, and a
 * stream that has all of them gives what coherent memory gives. */
#include "machine_rig.h"

#define PROGRAM "set_inst_fmt base=0x10000\n"
#define OUT     "set_out_fmt base=0x20000 pitch=32 format=FLOAT32_4 height=16\nset_domain i1=31 j1=15\n"
#define IN      "set_inp_fmt base=0x30000 pitch=32 format=FLOAT32_4 height=16\n"

enum { BYTES = 32 * 16 * 16, SEEDS = 8 };

static void open_seeded(struct rig *rig, uint64_t seed)
{
    rig_open(rig, &(struct machine_options){.order = ATOLL_ORDER_SEEDED, .seed = seed});
}

/* Elements that are not as they should be. */
static unsigned wrong(struct rig *rig, uint32_t address, const void *want)
{
    const char *have = machine_at(rig->machine, address, BYTES);
    unsigned count = 0;
    for (unsigned i = 0; i < BYTES / 16; i++)
        count += memcmp(have + 16 * i, (const char *)want + 16 * i, 16) != 0;
    return count;
}

static void fill(void *at, float first)
{
    for (unsigned i = 0; i < BYTES / 4; i++)
        ((float *)at)[i] = first + (float)i;
}

static void want_index(float want[BYTES / 4])
{
    for (unsigned i = 0; i < BYTES / 16; i++) {
        const float element[4] = {(float)(i % 32), (float)(i / 32), 0, 1};
        memcpy(want + 4 * i, element, sizeof element);
    }
}

static void test_outputs(void **state)
{
    (void)state;
    float want[BYTES / 4], first[BYTES / 4];
    want_index(want);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rig rig;
        open_seeded(&rig, seed);
        store_index(&rig, 0x10000);
        rig_run(&rig, PROGRAM OUT "start_program");
        unsigned missing = wrong(&rig, 0x20000, want);
        assert_true(missing > 0 && missing < BYTES / 16);
        memcpy(first, machine_at(rig.machine, 0x20000, BYTES), BYTES);
        rig_run(&rig, "flush_out_cache");
        assert_int_equal(wrong(&rig, 0x20000, want), 0);
        rig_close(&rig);
        open_seeded(&rig, seed); /* the same again */
        store_index(&rig, 0x10000);
        rig_run(&rig, PROGRAM OUT "start_program");
        assert_int_equal(wrong(&rig, 0x20000, first), 0);
        rig_close(&rig);
    }
}

/* Two passes, the output of one the input of the next. Without the flush the second reads old bytes. */
static void test_passes(void **state)
{
    (void)state;
    static const char *const streams[] = {
        PROGRAM OUT "start_program\nset_inst_fmt base=0x14000\nset_inp_fmt base=0x20000 pitch=32 format=FLOAT32_4 "
                    "height=16\nset_out_fmt base=0x40000 pitch=32 format=FLOAT32_4 height=16\n"
                    "start_program\nflush_out_cache",
        PROGRAM OUT "start_program\nset_inst_fmt base=0x14000\nset_inp_fmt base=0x20000 pitch=32 format=FLOAT32_4 "
                    "height=16\nset_out_fmt base=0x40000 pitch=32 format=FLOAT32_4 height=16\n"
                    "flush_out_cache\ninv_inp_cache\nstart_program\nflush_out_cache",
    };
    float want[BYTES / 4];
    want_index(want);
    for (unsigned flushed = 0; flushed < 2; flushed++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct rig rig;
            open_seeded(&rig, seed);
            store_index(&rig, 0x10000);
            store_copy(&rig, 0x14000);
            rig_run(&rig, streams[flushed]);
            assert_int_equal(wrong(&rig, 0x40000, want) == 0, flushed);
            rig_close(&rig);
        }
}

static void test_inputs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rig rig;
        open_seeded(&rig, seed);
        store_copy(&rig, 0x10000);
        void *in = machine_at(rig.machine, 0x30000, BYTES);
        fill(in, 1);
        rig_run(&rig, PROGRAM OUT IN "start_program\nflush_out_cache");
        assert_int_equal(wrong(&rig, 0x20000, in), 0);
        fill(in, 5000);
        rig_run(&rig, "start_program\nflush_out_cache");
        unsigned stale = wrong(&rig, 0x20000, in);
        assert_true(stale > 0 && stale < BYTES / 16);
        rig_run(&rig, "inv_inp_cache\nstart_program\nflush_out_cache");
        assert_int_equal(wrong(&rig, 0x20000, in), 0);
        rig_close(&rig);
    }
}

/* Constants and programs: some seeds have them in the cache still. */
static void test_small(void **state)
{
    (void)state;
    unsigned stale[2] = {0};
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        struct rig rig;
        open_seeded(&rig, seed);
        store_constant(&rig, 0x10000, 0);
        float *constant = machine_at(rig.machine, 0x28000, 16), *out = machine_at(rig.machine, 0x20000, BYTES);
        *constant = 1;
        rig_run(&rig, PROGRAM OUT "set_constf_fmt base=0x28000\nstart_program\nflush_out_cache");
        assert_true(*out == 1);
        *constant = 2;
        rig_run(&rig, "start_program\nflush_out_cache");
        stale[0] += *out != 2;
        rig_run(&rig, "inv_constf_cache\nstart_program\nflush_out_cache");
        assert_true(*out == 2);
        store_constant(&rig, 0x10000, 1);
        constant[4] = 3;
        rig_run(&rig, "inv_constf_cache\nstart_program\nflush_out_cache");
        stale[1] += *out != 3;
        rig_run(&rig, "inv_inst_cache\ninv_constf_cache\nstart_program\nflush_out_cache");
        assert_true(*out == 3);
        rig_close(&rig);
    }
    assert_true(stale[0] > 0 && stale[0] < 2 * SEEDS);
    assert_true(stale[1] > 0 && stale[1] < 2 * SEEDS);
}

/* The conditional output cache serves reads and writes: they see each other; memory and the CPU need the commands. */
static void test_conditional(void **state)
{
    (void)state;
    static const char setup[] = PROGRAM OUT
        "set_cond_out_fmt base=0x38000 pitch=32 format=FLOAT32_1 height=16\nset_cond_out_mask writemask=1\n"
        "set_cond_val value=5.0\nset_cond_test condition=gt\nset_cond_loc loc=PE\nstart_program\nflush_out_cache\n";
    unsigned stale = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rig rig;
        open_seeded(&rig, seed);
        store_index(&rig, 0x10000);
        float want[BYTES / 4], five[BYTES / 16];
        want_index(want);
        float *cond = machine_at(rig.machine, 0x38000, sizeof five);
        for (unsigned i = 0; i < BYTES / 16; i++)
            five[i] = 5;
        rig_run(&rig, setup);
        assert_int_equal(wrong(&rig, 0x20000, want), 0);
        assert_memory_not_equal(cond, five, sizeof five);
        /* Seen through its cache it is 5 everywhere. */
        memset(machine_at(rig.machine, 0x20000, BYTES), 0, BYTES);
        rig_run(&rig, "set_cond_test condition=eq\nstart_program\nflush_out_cache\nflush_cond_out_cache");
        assert_int_equal(wrong(&rig, 0x20000, want), 0);
        assert_memory_equal(cond, five, sizeof five);
        /* What the CPU writes is seen after the invalidate. */
        memset(cond, 0, sizeof five);
        memset(machine_at(rig.machine, 0x20000, BYTES), 0, BYTES);
        rig_run(&rig, "set_cond_test condition=gt\nset_cond_out_mask\nstart_program\nflush_out_cache");
        stale += wrong(&rig, 0x20000, want) != 0;
        rig_run(&rig, "inv_cond_out_cache\nstart_program\nflush_out_cache");
        assert_int_equal(wrong(&rig, 0x20000, want), 0);
        assert_true(cond[0] == 0);
        rig_close(&rig);
    }
    assert_true(stale > 0);
}

/* Clean lines are never written: what the CPU wrote meanwhile stays. Other orders have no caches. */
static void test_neighbours(void **state)
{
    (void)state;
    struct rig rig;
    open_seeded(&rig, 3);
    store_index(&rig, 0x10000);
    char *memory = machine_at(rig.machine, 0x20000, BYTES);
    rig_run(&rig, PROGRAM OUT "set_domain i0=1 i1=1\nset_out_mask writemask=1\nstart_program");
    memset(memory, 0x55, BYTES);
    rig_run(&rig, "flush_out_cache");
    for (unsigned i = 0; i < BYTES; i++)
        if (i / 4 != 4)
            assert_int_equal(memory[i], 0x55);
    rig_close(&rig);
    rig_open(&rig, NULL);
    store_index(&rig, 0x10000);
    float want[BYTES / 4];
    want_index(want);
    rig_run(&rig, PROGRAM OUT "start_program");
    assert_int_equal(wrong(&rig, 0x20000, want), 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs), cmocka_unit_test(test_passes),      cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_small),   cmocka_unit_test(test_conditional), cmocka_unit_test(test_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
