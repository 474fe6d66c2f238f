/* Random structured programs with tokens: both policies give what each lane gives when it runs alone. */
#include "stack_make.h"

static void policies_agree(void **state)
{
    (void)state;
    static struct gen g;
    static char body[2 * TEXT];
    static struct lanes t;
    uint32_t alone[32];
    uint64_t parted = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        generate(&g, seed, false, body);
        lanes_open(&t, body);
        t.launch.instruction_limit = 100000000;
        for (int way = 0; way < 5; way++) {
            t.launch.grid[0] = way ? 1 : 32; /* at first each lane is a block of its own */
            t.launch.block[0] = way ? 32 : 1;
            t.launch.order = way > 2 ? ATOLL_ORDER_SEEDED : ATOLL_ORDER_DETERMINISTIC;
            t.launch.seed = seed;
            if (!lanes_run(&t, way & 1 ? ATOLL_POLICY_STACK : ATOLL_POLICY_FRONTIER))
                fail_msg("seed %u, way %d: %s\n%s", (unsigned)seed, way, t.error.message, body);
            if (way == 0)
                memcpy(alone, t.words, sizeof alone);
            if (memcmp(alone, t.words, sizeof alone) != 0)
                fail_msg("seed %u: way %d differs\n%s", (unsigned)seed, way, body);
            parted += t.stats.divergent_branches;
        }
        lanes_close(&t);
    }
    assert_true(parted > 10000); /* the programs are worth it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(policies_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
