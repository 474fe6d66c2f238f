/* Lists of what threads know (tap/race_clock.h), against tables: adding, joining, sharing, in any order. A block's
 * entry stands for all of its warps and threads up to its time. */
#include "tap/race_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BLOCKS = 3, WARPS = 2, THREADS = 4, LISTS = 6, ROUNDS = 20000, TIMES = 40 };

/* The last time that is known: of a block, of its warps, of its threads. */
struct table {
    uint32_t block[BLOCKS], warp[BLOCKS][WARPS], thread[BLOCKS][THREADS];
};

static uint32_t draw(uint64_t *random, uint32_t n)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random >> 33) % n;
}

static void raise_to(uint32_t *to, uint32_t time)
{
    *to = *to > time ? *to : time;
}

static void add(struct clock_room *room, struct clock_list **list, struct table *table, uint64_t *random)
{
    uint32_t block = draw(random, BLOCKS), kind = draw(random, 4), time = 1 + draw(random, TIMES);
    uint32_t warp = draw(random, WARPS), thread = draw(random, THREADS);
    clock_add(room, list,
              kind == 0   ? clock_block(block)
              : kind == 1 ? clock_warp(block, warp)
                          : clock_thread(block, thread),
              time);
    raise_to(kind == 0   ? &table->block[block]
             : kind == 1 ? &table->warp[block][warp]
                         : &table->thread[block][thread],
             time);
}

static void join(struct table *to, const struct table *from)
{
    for (unsigned b = 0; b < BLOCKS; b++) {
        raise_to(&to->block[b], from->block[b]);
        for (unsigned w = 0; w < WARPS; w++)
            raise_to(&to->warp[b][w], from->warp[b][w]);
        for (unsigned t = 0; t < THREADS; t++)
            raise_to(&to->thread[b][t], from->thread[b][t]);
    }
}

static uint32_t most(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t ab = a > b ? a : b;
    return ab > c ? ab : c;
}

static void compare(const struct clock_list *list, const struct table *table)
{
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t w = 0; w < WARPS; w++)
            for (uint32_t t = 0; t < THREADS; t++) {
                uint32_t known = most(table->block[b], table->warp[b][w], table->thread[b][t]);
                assert_true(known == 0 || clock_has(list, b, w, t, known));
                assert_false(clock_has(list, b, w, t, known + 1));
            }
}

static void test_random(void **state)
{
    (void)state;
    struct clock_room room = {0};
    struct clock_list *lists[LISTS] = {0};
    struct table tables[LISTS] = {0};
    uint64_t random = 0x9e3779b97f4a7c15;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t to = draw(&random, LISTS), from = draw(&random, LISTS);
        switch (draw(&random, 8)) {
        case 0:
            clock_drop(&room, &lists[to]);
            tables[to] = (struct table){0};
            break;
        case 1: { /* shared: nobody may change it */
            struct clock_list *shared = clock_share(lists[from]);
            clock_drop(&room, &lists[to]);
            lists[to] = shared;
            tables[to] = tables[from];
            break;
        }
        case 2:
        case 3:
            clock_join(&room, &lists[to], lists[from]);
            join(&tables[to], &tables[from]);
            break;
        default:
            add(&room, &lists[to], &tables[to], &random);
        }
        for (unsigned i = 0; i < LISTS; i++)
            compare(lists[i], &tables[i]);
    }
    for (unsigned i = 0; i < LISTS; i++)
        clock_drop(&room, &lists[i]);
    assert_false(room.failed);
    assert_int_equal(room.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
