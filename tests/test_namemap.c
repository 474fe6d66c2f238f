/* The hash table: names and structs as keys, the first or the last index, growth, memory of an arena. */
#include "base/namemap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void names_of_every_length(void **unused)
{
    (void)unused;
    static const char text[] = "a name that is longer than the words in which it is hashed";
    struct namemap map = {0};
    assert_true(namemap_find(&map, text, 3) == UINT32_MAX && !namemap_key(&map, text, 3));
    for (uint32_t length = 0; length < sizeof text; length++)
        assert_true(namemap_add(&map, text, length, length));
    for (uint32_t length = 0; length < sizeof text; length++) {
        char other[sizeof text];
        memcpy(other, text, sizeof text);
        assert_int_equal(namemap_find(&map, other, length), length);
        for (uint32_t i = 0; i < length; i++) { /* every byte counts */
            other[i] ^= 1;
            assert_int_equal(namemap_find(&map, other, length), UINT32_MAX);
            other[i] ^= 1;
        }
    }
    assert_true(namemap_add(&map, text, 5, 99) && namemap_find(&map, text, 5) == 5);
    assert_true(namemap_set(&map, text, 5, 99) && namemap_find(&map, text, 5) == 99);
    namemap_free(&map);
    assert_int_equal(namemap_find(&map, text, 5), UINT32_MAX);
}

/* Keys that begin a struct lead to it; numbers in order and multiples of a power of two are hashed well enough. */
static void structs_in_an_arena(void **unused)
{
    (void)unused;
    struct thing {
        uint64_t key[2];
        uint32_t value;
    } wanted = {0};
    struct arena arena = {0};
    struct namemap map = {.arena = &arena};
    for (uint32_t i = 0; i < 100000; i++) {
        struct thing *thing = arena_alloc(&arena, sizeof *thing);
        *thing = (struct thing){{i % 1000, (uint64_t)(i / 1000) << 56}, i};
        assert_true(namemap_add(&map, thing, sizeof thing->key, 0));
    }
    assert_int_equal(map.count, 100000);
    for (uint32_t i = 0; i < 100000; i++) {
        wanted = (struct thing){{i % 1000, (uint64_t)(i / 1000) << 56}, 0};
        const struct thing *thing = namemap_key(&map, &wanted, sizeof wanted.key);
        assert_true(thing && thing->value == i);
    }
    wanted.key[0] = 1000;
    assert_null(namemap_key(&map, &wanted, sizeof wanted.key));
    namemap_free(&map);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_every_length),
        cmocka_unit_test(structs_in_an_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
