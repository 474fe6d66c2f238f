/* How far ahead compiled code asks for memory: as far as blocks have gone on, if they go on evenly. */
#include "engine/jit/ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROW = 128, TURNS = 32 };

static unsigned char memory[1 << 20];

/* What is asked for behind the row, after `n` blocks that loaded their rows `by` bytes apart (the second one `odd`
 * bytes further). */
static int64_t learnt(uint64_t n, int64_t by, int64_t odd)
{
    struct site site = {.row = NULL};
    struct worker worker = {.sites = &site};
    struct jit_code code = {.naheads = 1, .aheads = {{.site = 0, .bytes = ROW}}};
    for (worker.compiled = 1; worker.compiled <= n; worker.compiled++) {
        ahead_learn(&worker, &code);
        int64_t at = (int64_t)worker.compiled * by + (worker.compiled == 2 ? odd : 0);
        site.row = memory + sizeof memory / 2 + at;
    }
    ahead_learn(&worker, &code);
    return site.ahead;
}

static void blocks_that_go_on_evenly_are_followed(void **state)
{
    (void)state;
    assert_int_equal(learnt(3, 16384, 0), 16384 - ROW);
    assert_int_equal(learnt(3, -4096, 0), -4096 - ROW);
    assert_int_equal(learnt(20, 1024, 0), 1024 - ROW);
}

static void others_are_not(void **state)
{
    (void)state;
    assert_int_equal(learnt(0, 16384, 0), 0);
    assert_int_equal(learnt(2, 16384, 0), 0);
    assert_int_equal(learnt(3, 16384, 64), 0);
    assert_int_equal(learnt(3, 0, 0), 0);
    assert_int_equal(learnt(3, 1 << 17, 0), 0);
}

static void it_is_learnt_again(void **state)
{
    (void)state;
    struct site site = {.ahead = 77, .row = memory, .before = memory, .by = 0};
    struct worker worker = {.sites = &site, .compiled = TURNS + 5};
    struct jit_code code = {.naheads = 1, .aheads = {{.site = 0, .bytes = ROW}}};
    ahead_learn(&worker, &code);
    assert_int_equal(site.ahead, 77);
    for (worker.compiled = 2 * TURNS + 2; worker.compiled < 2 * TURNS + 5; worker.compiled++) {
        site.row += 512;
        ahead_learn(&worker, &code);
    }
    assert_int_equal(site.ahead, 512 - ROW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_go_on_evenly_are_followed),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(it_is_learnt_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
