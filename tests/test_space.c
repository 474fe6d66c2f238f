/* The device address space. */
#include "mem/space.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct space *make(uint64_t limit)
{
    struct space *s;
    assert_true(space_create(limit, &s, NULL));
    return s;
}

static uint64_t alloc(struct space *s, uint64_t size, bool heap)
{
    uint64_t address = 0;
    struct atoll_error error;
    assert_true(space_alloc(s, size, false, heap, &address, &error));
    assert_int_equal(address % 256, 0);
    assert_true(address >= SPACE_GLOBAL);
    return address;
}

static void allocations_are_exact_and_zero(void **unused)
{
    (void)unused;
    struct space *s = make(1 << 30);
    struct space_block block;
    uint64_t a = alloc(s, 1000, false), b = alloc(s, 10, false);
    assert_true(space_find(s, a + 999, &block));
    assert_int_equal(block.address, a);
    assert_int_equal(block.size, 1000);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(block.host[i], 0);
    assert_false(space_find(s, a + 1000, &block));
    assert_false(space_find(s, a - 1, &block));
    assert_false(space_find(s, 0, &block));
    assert_false(space_find(s, UINT64_MAX, &block));
    assert_true(b >= a + 1000 + 0x10000);
    assert_true(space_nearest(s, a + 5000, &block));
    assert_int_equal(block.address, a);
    assert_false(space_nearest(s, a - 1, &block));
    space_destroy(s);
}

static void freed_memory_is_gone_and_comes_back_zero(void **unused)
{
    (void)unused;
    struct space *s = make(1 << 20);
    struct space_block block;
    for (unsigned heap = 0; heap < 2; heap++)
        for (unsigned i = 0; i < (heap ? 3000 : 100); i++) {
            uint64_t generation = space_generation(s), a = alloc(s, heap ? 300 : 1 << 20, heap);
            assert_true(space_find(s, a, &block));
            assert_int_equal(block.host[100], 0);
            memset(block.host, 0xff, block.size);
            assert_int_equal(space_generation(s), generation);
            assert_true(space_free(s, a, heap, NULL));
            assert_int_not_equal(space_generation(s), generation);
            assert_false(space_find(s, a, &block));
        }
    space_destroy(s);
}

static void wrong_frees_are_refused(void **unused)
{
    (void)unused;
    struct space *s = make(1 << 20);
    struct atoll_error error;
    uint64_t a = alloc(s, 100, false), h = alloc(s, 100, true);
    assert_false(space_free(s, a + 16, false, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    assert_false(space_free(s, a, true, &error));
    assert_false(space_free(s, h, false, &error));
    assert_false(space_free(s, 0, false, &error));
    assert_true(space_free(s, a, false, &error));
    assert_false(space_free(s, a, false, &error));
    assert_true(space_free(s, h, true, &error));
    assert_false(space_free(s, h, true, &error));
    space_destroy(s);
}

static void allocations_of_no_bytes_have_addresses_of_their_own(void **unused)
{
    (void)unused;
    struct space *s = make(1000);
    struct space_block block;
    struct atoll_error error;
    const uint64_t a = alloc(s, 0, false), b = alloc(s, 0, false), c = alloc(s, 1000, false);
    assert_true(a != b && b != c && a >= SPACE_GLOBAL && a % 256 == 0);
    assert_true(space_find(s, a, &block));
    assert_true(block.address == a && block.size == 0);
    assert_false(space_find(s, a + 1, &block));
    assert_true(space_find(s, c, &block));
    assert_true(space_free(s, a, false, &error));
    assert_false(space_find(s, a, &block));
    assert_false(space_free(s, a, false, &error));
    assert_true(space_free(s, b, false, &error));
    space_destroy(s);
}

static void limits_hold(void **unused)
{
    (void)unused;
    struct space *s = make(1000);
    struct atoll_error error;
    uint64_t a;
    assert_false(space_alloc(s, 1001, false, false, &a, &error));
    assert_int_equal(error.status, ATOLL_LIMIT);
    assert_false(space_alloc(s, UINT64_MAX, false, false, &a, &error));
    assert_int_equal(error.status, ATOLL_LIMIT);
    a = alloc(s, 600, false);
    assert_false(space_alloc(s, 401, false, true, &a, &error));
    alloc(s, 400, true);
    space_destroy(s);
    assert_false(space_create(0, &s, &error));
    assert_false(space_create(UINT64_MAX, &s, &error));
    assert_null(s);
}

/* More allocations than a host has mappings. */
static void many_small_heap_allocations(void **unused)
{
    (void)unused;
    enum { MANY = 100000 };
    struct space *s = make(UINT64_C(1) << 32);
    uint64_t *all = malloc(MANY * sizeof *all);
    assert_non_null(all);
    struct space_block block;
    for (unsigned i = 0; i < MANY; i++)
        all[i] = alloc(s, 1 + i % 500, true);
    for (unsigned i = 0; i < MANY; i++) {
        assert_true(space_find(s, all[i], &block));
        assert_int_equal(block.size, 1 + i % 500);
        assert_false(space_find(s, all[i] + block.size, &block));
    }
    for (unsigned i = 0; i < MANY; i++)
        assert_true(space_free(s, all[i * UINT64_C(7919) % MANY], true, NULL));
    assert_false(space_nearest(s, UINT64_MAX, &block));
    free(all);
    space_destroy(s);
}

/* Random allocations and frees: no two overlap, and each is found. */
static void random_use(void **unused)
{
    (void)unused;
    enum { SLOTS = 64 };
    struct space *s = make(1 << 28);
    struct {
        uint64_t address, size;
        bool heap;
    } slots[SLOTS] = {0};
    srand(1);
    for (unsigned i = 0; i < 20000; i++) {
        unsigned n = (unsigned)rand() % SLOTS;
        struct space_block block;
        if (slots[n].address) {
            assert_true(space_find(s, slots[n].address + slots[n].size - 1, &block));
            assert_int_equal(block.address, slots[n].address);
            assert_int_equal(block.host[0], n);
            assert_int_equal(block.host[block.size - 1], n);
            assert_true(space_free(s, slots[n].address, slots[n].heap, NULL));
            slots[n].address = 0;
            continue;
        }
        slots[n].size = 1 + (uint64_t)rand() % (rand() % 8 ? 3000 : 3000000);
        slots[n].heap = rand() % 2;
        slots[n].address = alloc(s, slots[n].size, slots[n].heap);
        assert_true(space_find(s, slots[n].address, &block));
        assert_int_equal(block.host[block.size / 2], 0);
        memset(block.host, (int)n, block.size);
    }
    space_destroy(s);
}

static void *churn(void *space)
{
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t a;
        struct space_block block;
        if (!space_alloc(space, 64 + i, false, true, &a, NULL) || !space_find(space, a, &block))
            return NULL;
        memset(block.host, 1, block.size);
        if (!space_free(space, a, true, NULL))
            return NULL;
    }
    return space;
}

static void threads_may_allocate(void **unused)
{
    (void)unused;
    struct space *s = make(1 << 24);
    pthread_t threads[3];
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, churn, s), 0);
    for (unsigned i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_ptr_equal(result, s);
    }
    space_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_exact_and_zero),
        cmocka_unit_test(freed_memory_is_gone_and_comes_back_zero),
        cmocka_unit_test(wrong_frees_are_refused),
        cmocka_unit_test(allocations_of_no_bytes_have_addresses_of_their_own),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(many_small_heap_allocations),
        cmocka_unit_test(random_use),
        cmocka_unit_test(threads_may_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
