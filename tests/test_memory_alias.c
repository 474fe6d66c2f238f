/* Two addresses of one memory (atoll_memory_alias). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

enum { BYTES = 10000 };

struct fixture {
    struct atoll_device *device;
    uint64_t memory, alias;
    struct atoll_error error;
};

static int open_device(void **state)
{
    static struct fixture f;
    memset(&f, 0, sizeof f);
    struct atoll_device_options options = {.memory_limit = 1 << 20};
    assert_true(atoll_device_create(&options, &f.device, &f.error));
    assert_true(atoll_memory_alloc(f.device, BYTES, &f.memory, &f.error));
    *state = &f;
    return 0;
}

static int close_device(void **state)
{
    struct fixture *f = *state;
    atoll_device_destroy(f->device);
    return 0;
}

static uint32_t word_at(struct fixture *f, uint64_t address)
{
    uint32_t word = 0;
    assert_true(atoll_memory_read(f->device, address, &word, sizeof word, &f->error));
    return word;
}

static void put(struct fixture *f, uint64_t address, uint32_t word)
{
    assert_true(atoll_memory_write(f->device, address, &word, sizeof word, &f->error));
}

static void both_are_the_same_bytes(void **state)
{
    struct fixture *f = *state;
    uint64_t third;
    put(f, f->memory + 8, 7);
    assert_true(atoll_memory_alias(f->device, f->memory, &f->alias, &f->error));
    assert_true(f->alias != f->memory && f->alias % 256 == 0);
    assert_int_equal(word_at(f, f->alias + 8), 7);
    put(f, f->alias + 9996, 8);
    assert_int_equal(word_at(f, f->memory + 9996), 8);
    assert_true(atoll_memory_alias(f->device, f->alias, &third, &f->error));
    put(f, third, 9);
    assert_int_equal(word_at(f, f->memory), 9);
    /* As long as the memory, to the byte. */
    uint32_t word;
    assert_false(atoll_memory_read(f->device, f->alias + BYTES - 2, &word, sizeof word, &f->error));
}

static void each_is_freed_on_its_own(void **state)
{
    struct fixture *f = *state;
    uint64_t fresh;
    assert_true(atoll_memory_alias(f->device, f->memory, &f->alias, &f->error));
    put(f, f->memory, 5);
    assert_true(atoll_memory_free(f->device, f->memory, &f->error));
    assert_int_equal(word_at(f, f->alias), 5);
    assert_true(atoll_memory_alloc(f->device, BYTES, &fresh, &f->error));
    assert_int_equal(word_at(f, fresh), 0);
    put(f, fresh, 6);
    assert_int_equal(word_at(f, f->alias), 5);
    assert_true(atoll_memory_free(f->device, f->alias, &f->error));
    assert_false(atoll_memory_free(f->device, f->alias, &f->error));
}

static void the_limit_counts_memory_once(void **state)
{
    struct fixture *f = *state;
    uint64_t large, more;
    assert_true(atoll_memory_alloc(f->device, 900000, &large, &f->error));
    for (unsigned i = 0; i < 4; i++)
        assert_true(atoll_memory_alias(f->device, large, &more, &f->error));
    assert_false(atoll_memory_alloc(f->device, 900000, &more, &f->error));
    assert_true(atoll_memory_free(f->device, large, &f->error));
    assert_true(atoll_memory_alloc(f->device, 900000, &more, &f->error));
}

static void mistakes_are_told(void **state)
{
    struct fixture *f = *state;
    assert_false(atoll_memory_alias(f->device, f->memory + 4, &f->alias, &f->error));
    assert_non_null(strstr(f->error.message, "begins at"));
    assert_false(atoll_memory_alias(f->device, 0x1234500, &f->alias, &f->error));
    assert_false(atoll_memory_alias(f->device, f->memory, NULL, &f->error));
    assert_false(atoll_memory_alias(NULL, f->memory, &f->alias, &f->error));
}

/* Two instructions, one by each address, in blocks that meet in the memory only by the alias: block b adds to word b by
 * the one and to word 255 - b by the other. No increment is lost, compiled and interpreted. */
static const char adds[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
                           ".reg .b64 %a, %b, %o;\n.reg .b32 %i, %k, %n;\n.reg .pred %p;\n"
                           "ld.param.u64 %a, [a];\nld.param.u64 %b, [b];\nld.param.u32 %n, [n];\n"
                           "mov.u32 %i, %ctaid.x;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %a, %a, %o;\n"
                           "sub.u32 %i, 255, %i;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %b, %b, %o;\nmov.u32 %k, 0;\n"
                           "L: red.global.add.u32 [%a], 1;\nred.global.add.u32 [%b], 1;\n"
                           "add.u32 %k, %k, 1;\nsetp.lt.u32 %p, %k, %n;\n@%p bra L;\nret;\n}\n";

static void kernels_meet_in_it(void **state)
{
    struct fixture *f = *state;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    enum { ROUNDS = 300, RUNS = 4 };
    assert_true(atoll_memory_alias(f->device, f->memory, &f->alias, &f->error));
    assert_true(atoll_module_load(f->device, adds, sizeof adds - 1, NULL, &module, &f->error));
    assert_true(atoll_module_kernel(module, "k", &kernel, &f->error));
    struct {
        uint64_t a, b;
        uint32_t n, unused;
    } given = {f->memory, f->alias, ROUNDS, 0};
    for (unsigned run = 0; run < RUNS; run++) {
        struct atoll_launch_options launch = {
            .grid = {256, 1, 1}, .block = {1, 1, 1}, .parameters = &given, .parameter_bytes = 20, .threads = 2};
        assert_true(atoll_launch(kernel, &launch, NULL, NULL, &f->error));
    }
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(word_at(f, f->memory + 4 * i), 2 * ROUNDS * RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_are_the_same_bytes, open_device, close_device),
        cmocka_unit_test_setup_teardown(each_is_freed_on_its_own, open_device, close_device),
        cmocka_unit_test_setup_teardown(the_limit_counts_memory_once, open_device, close_device),
        cmocka_unit_test_setup_teardown(mistakes_are_told, open_device, close_device),
        cmocka_unit_test_setup_teardown(kernels_meet_in_it, open_device, close_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
