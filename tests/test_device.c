/* The table of surface handles. */
#include "mem/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 500, LAST = 0xffff };

/* The table looks at nothing but the address of a surface and at its handle. */
static struct surface surfaces[MANY];

static struct device *make(void)
{
    struct device *device;
    assert_true(device_create(1 << 20, &device, NULL));
    device_limit_headers(device, LAST);
    return device;
}

static void handles_are_found_until_they_are_removed(void **unused)
{
    (void)unused;
    struct device *device = make();
    bool present[MANY] = {false};
    uint32_t random = 1;
    assert_null(device_surface(device, 1));
    for (int step = 0; step < 20000; step++) {
        random = random * 1664525 + 1013904223;
        unsigned i = (random >> 8) % MANY;
        if (present[i]) {
            device_remove(device, surfaces[i].handle);
            assert_null(device_surface(device, surfaces[i].handle));
        } else {
            assert_true(device_add_surface(device, &surfaces[i], DEVICE_HEADER_ANY, NULL));
        }
        present[i] = !present[i];
        if (step % 100 == 0)
            for (unsigned k = 0; k < MANY; k++) {
                const struct surface_ref *ref = device_surface(device, surfaces[k].handle);
                assert_int_equal(ref && ref->surface == &surfaces[k], present[k]);
            }
    }
    assert_null(device_surface(device, 0));
    device_remove(device, 0);
    device_destroy(device);
}

static void references_lose_a_removed_surface(void **unused)
{
    (void)unused;
    struct device *device = make();
    struct atoll_error error;
    const struct surface_ref a = {.handle = 0x10000000, .name = "a"}, b = {.handle = 0x10000008, .name = "b"};
    assert_true(device_add_surface(device, &surfaces[0], DEVICE_HEADER_ANY, NULL));
    assert_true(device_add_surface(device, &surfaces[1], DEVICE_HEADER_ANY, NULL));
    assert_true(device_add_reference(device, &a, NULL) && device_add_reference(device, &b, NULL));
    assert_false(device_add_reference(device, &a, &error));
    assert_true(device_bind(device, a.handle, &surfaces[0]) && device_bind(device, b.handle, &surfaces[1]));
    assert_false(device_bind(device, 0x10000010, &surfaces[0]));
    assert_false(device_bind(device, surfaces[0].handle, &surfaces[1])); /* a surface is no reference */
    device_remove(device, surfaces[0].handle);
    assert_null(device_surface(device, a.handle)->surface);
    assert_ptr_equal(device_surface(device, b.handle)->surface, &surfaces[1]);
    device_remove(device, b.handle);
    assert_null(device_surface(device, b.handle));
    assert_non_null(device_surface(device, surfaces[1].handle));
    device_destroy(device);
}

static void headers_have_indexes(void **unused)
{
    (void)unused;
    struct device *device = make();
    struct atoll_error error = {0};
    assert_int_equal(device_last_header(device), 0);
    assert_true(device_add_surface(device, &surfaces[0], 7, &error));
    assert_int_equal(surfaces[0].handle, 7);
    assert_ptr_equal(device_surface(device, 7)->surface, &surfaces[0]);
    assert_null(device_surface(device, 6));
    assert_null(device_surface(device, 8));
    assert_int_equal(device_last_header(device), 7);
    assert_false(device_add_surface(device, &surfaces[1], 7, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    assert_false(device_add_surface(device, &surfaces[1], LAST + 1, &error));
    assert_string_equal(error.message, "surface header 65536 is out of range: the last possible is 0xffff");
    assert_true(device_is_header(device, LAST) && !device_is_header(device, LAST + 1));
    for (unsigned i = 1; i <= 7; i++) { /* passes over the one that is taken */
        assert_true(device_add_surface(device, &surfaces[i], DEVICE_HEADER_ANY, &error));
        assert_int_equal(surfaces[i].handle, i < 7 ? i : 8);
    }
    assert_true(device_add_surface(device, &surfaces[8], LAST, &error));
    assert_ptr_equal(device_surface(device, LAST)->surface, &surfaces[8]);
    device_remove(device, LAST);
    assert_int_equal(device_last_header(device), 8);
    device_destroy(device);
}

/* Few surfaces at a time, many in all: the table stays small, and an index comes again late. */
static void indexes_go_round(void **unused)
{
    (void)unused;
    struct device *device = make();
    uint32_t last[1024] = {0};
    for (uint32_t i = 1; i <= 100000; i++) {
        struct surface *surface = &surfaces[i % 21];
        if (i > 21)
            device_remove(device, surface->handle);
        assert_true(device_add_surface(device, surface, DEVICE_HEADER_ANY, NULL));
        if (surface->handle > 1023 || (last[surface->handle] && i - last[surface->handle] < 900))
            fail_msg("%u: %u", i, (unsigned)surface->handle);
        last[surface->handle] = i;
    }
    for (uint32_t i = 0; i < 21; i++)
        device_remove(device, surfaces[i].handle);
    assert_int_equal(device_last_header(device), 0);
    device_destroy(device);
}

/* The more there are the more indexes go round, up to all that there may be. */
static void all_indexes_can_be_in_use(void **unused)
{
    (void)unused;
    struct device *device = make();
    struct atoll_error error = {0};
    static bool taken[LAST + 1];
    for (uint32_t i = 1; i <= LAST; i++) {
        assert_true(device_add_surface(device, &surfaces[0], DEVICE_HEADER_ANY, &error));
        uint64_t handle = surfaces[0].handle;
        if (!handle || handle > LAST || taken[handle] || (i > 1023 && handle > 2 * i + 1))
            fail_msg("%u: %u", i, (unsigned)handle);
        taken[handle] = true;
    }
    assert_false(device_add_surface(device, &surfaces[1], DEVICE_HEADER_ANY, &error));
    assert_string_equal(error.message, "all 65535 surface headers are in use");
    device_remove(device, 3);
    assert_true(device_add_surface(device, &surfaces[1], DEVICE_HEADER_ANY, &error));
    assert_int_equal(surfaces[1].handle, 3);
    device_destroy(device);
}

/* Those that surfaces have had, whether they are still there or not. */
static void formats_are_remembered(void **unused)
{
    (void)unused;
    struct device *device = make();
    assert_int_equal(device_formats(device), 0);
    assert_true(device_add_surface(device, &surfaces[1], DEVICE_HEADER_ANY, NULL));
    assert_int_equal(device_formats(device), 1 << 1);
    device_remove(device, surfaces[1].handle);
    assert_true(device_add_surface(device, &surfaces[2], DEVICE_HEADER_ANY, NULL));
    assert_int_equal(device_formats(device), 1 << 1 | 1 << 2);
    device_destroy(device);
}

static int give_formats(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        surfaces[i].shape.format = format_at(i % 3);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_are_found_until_they_are_removed),
        cmocka_unit_test(references_lose_a_removed_surface),
        cmocka_unit_test(headers_have_indexes),
        cmocka_unit_test(indexes_go_round),
        cmocka_unit_test(all_indexes_can_be_in_use),
        cmocka_unit_test(formats_are_remembered),
    };
    return cmocka_run_group_tests(tests, give_formats, NULL);
}
