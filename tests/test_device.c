/* The table of surface handles. */
#include "mem/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 500 };

/* The table looks at nothing but the address of a surface and at its handle. */
static struct surface surfaces[MANY];

static struct device *make(void)
{
    struct device *device;
    assert_true(device_create(1 << 20, &device, NULL));
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
        uint64_t before = surfaces[i].handle;
        if (present[i]) {
            device_remove(device, surfaces[i].handle);
            assert_null(device_surface(device, surfaces[i].handle));
        } else {
            assert_true(device_add_surface(device, &surfaces[i], NULL));
            assert_true(surfaces[i].handle > before); /* never used twice */
        }
        present[i] = !present[i];
        if (step % 100 == 0)
            for (unsigned k = 0; k < MANY; k++) {
                const struct surface_ref *ref = device_surface(device, surfaces[k].handle);
                assert_ptr_equal(ref ? ref->surface : NULL, present[k] ? &surfaces[k] : NULL);
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
    const struct surface_ref a = {.handle = 0x1000, .name = "a"}, b = {.handle = 0x1008, .name = "b"};
    assert_true(device_add_surface(device, &surfaces[0], NULL));
    assert_true(device_add_surface(device, &surfaces[1], NULL));
    assert_true(device_add_reference(device, &a, NULL) && device_add_reference(device, &b, NULL));
    assert_false(device_add_reference(device, &a, &error));
    assert_true(device_bind(device, a.handle, &surfaces[0]) && device_bind(device, b.handle, &surfaces[1]));
    assert_false(device_bind(device, 0x1010, &surfaces[0]));
    assert_false(device_bind(device, surfaces[0].handle, &surfaces[1])); /* a surface is no reference */
    device_remove(device, surfaces[0].handle);
    assert_null(device_surface(device, a.handle)->surface);
    assert_ptr_equal(device_surface(device, b.handle)->surface, &surfaces[1]);
    device_remove(device, b.handle);
    assert_null(device_surface(device, b.handle));
    assert_non_null(device_surface(device, surfaces[1].handle));
    device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_are_found_until_they_are_removed),
        cmocka_unit_test(references_lose_a_removed_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
