/* Questions to 32 lanes at once against what they mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mem/lanes.h"

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void signs(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (unsigned turn = 0; turn < 1000; turn++) {
        int64_t v[32];
        uint32_t want = 0;
        for (unsigned i = 0; i < 32; i++) {
            v[i] = (int64_t)(turn % 3 ? next(&state) : (uint64_t)(i % 3) - 1);
            want |= (uint32_t)(v[i] < 0) << i;
        }
        assert_int_equal(lanes_negative(v), want);
    }
}

static void ranges(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (unsigned turn = 0; turn < 1000; turn++) {
        int32_t v[32];
        uint32_t last = (uint32_t)next(&state), with = (uint32_t)next(&state) & 7, upto = 0, test = 0;
        for (unsigned i = 0; i < 32; i++) {
            v[i] = (int32_t)(i % 4 ? (uint32_t)next(&state) : last + i % 3 - 1);
            upto |= (uint32_t)((uint32_t)v[i] <= last) << i;
            test |= (uint32_t)(((uint32_t)v[i] & with) != 0) << i;
        }
        assert_int_equal(lanes_upto(v, last), upto);
        assert_int_equal(lanes_test(v, with), test);
    }
}

static void places(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (unsigned turn = 0; turn < 1000; turn++) {
        uint32_t x[32], y[32], scale = (uint32_t)next(&state), pitch = (uint32_t)next(&state);
        uint64_t first = next(&state), to[32];
        for (unsigned i = 0; i < 32; i++) {
            x[i] = (uint32_t)next(&state);
            y[i] = (uint32_t)next(&state);
        }
        lanes_places(to, first, x, scale, y, pitch);
        for (unsigned i = 0; i < 32; i++)
            assert_true(to[i] == first + (uint64_t)x[i] * scale + (uint64_t)y[i] * pitch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs),
        cmocka_unit_test(ranges),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
