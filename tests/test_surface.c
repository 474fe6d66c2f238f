/* Surfaces: creation and its limits, layouts, copies, queries, and the rules of an access. */
#include "mem/surface.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct surface *make(uint8_t dim, uint32_t w, uint32_t h, uint32_t d, uint32_t layers, const char *format)
{
    struct surface *s;
    assert_true(surface_create(dim, w, h, d, layers, format_find(format), layout_find("pitch"), &s, NULL));
    return s;
}

static enum atoll_status refused(uint8_t dim, uint32_t w, uint32_t h, uint32_t d, uint32_t layers, const char *format)
{
    struct surface *s;
    struct atoll_error error = {0};
    assert_false(surface_create(dim, w, h, d, layers, format_find(format), layout_find("pitch"), &s, &error));
    assert_null(s);
    assert_true(error.message[0]);
    return error.status;
}

static void bad_shapes_are_refused(void **unused)
{
    (void)unused;
    assert_int_equal(refused(LANE_DIM_2D, 0, 4, 1, 1, "r8uint"), ATOLL_USAGE);
    assert_int_equal(refused(LANE_DIM_2D, 4, 0, 1, 1, "r8uint"), ATOLL_USAGE);
    assert_int_equal(refused(LANE_DIM_2D, 4, 4, 2, 1, "r8uint"), ATOLL_USAGE);
    assert_int_equal(refused(LANE_DIM_1D, 4, 4, 1, 1, "r8uint"), ATOLL_USAGE);
    assert_int_equal(refused(LANE_DIMS, 4, 4, 1, 1, "r8uint"), ATOLL_USAGE);
    assert_int_equal(refused(LANE_DIM_2D, 4, 4, 1, 1, "no format"), ATOLL_USAGE);
    assert_int_equal(refused(LANE_DIM_1D, UINT32_MAX, 1, 1, 1, "r8uint"), ATOLL_USAGE);
    assert_int_equal(refused(LANE_DIM_1D_BUFFER, (1u << 27) + 1, 1, 1, 1, "rgba32uint"), ATOLL_USAGE);
    assert_int_equal(refused(LANE_DIM_3D, 1 << 27, INT32_MAX, INT32_MAX, 1, "rgba32uint"), ATOLL_LIMIT);
    assert_int_equal(refused(LANE_DIM_3D, 1, INT32_MAX, INT32_MAX, 1, "r8uint"), ATOLL_LIMIT);
}

static void the_largest_buffer_can_be_made(void **unused)
{
    (void)unused;
    struct surface *s = make(LANE_DIM_1D_BUFFER, 1u << 27, 0, 0, 0, "rgba32uint");
    struct lane_access a = {.dim = LANE_DIM_1D_BUFFER, .clamp = LANE_CLAMP_NEAR, .unit = LANE_UNIT_BYTE};
    uint64_t offset;
    bool skip;
    assert_int_equal(surface_resolve(s, &a, (int32_t[3]){INT32_MAX - 15}, 16, &offset, &skip), SURFACE_OK);
    assert_int_equal(offset, (UINT64_C(1) << 31) - 16);
    surface_destroy(s);
}

/* Every byte of every surface has a place of its own. */
static void layouts_are_bijections(void **unused)
{
    (void)unused;
    static const char *const names[] = {"pitch"};
    for (unsigned n = 0; n < sizeof names / sizeof names[0]; n++)
        for (uint32_t width = 1; width < 1200; width += width < 70 ? 1 : 97) {
            struct surface *s;
            assert_true(
                surface_create(LANE_DIM_3D, width, 5, 3, 1, format_find("rg8uint"), layout_find(names[n]), &s, NULL));
            unsigned char *seen = calloc(1, s->size);
            assert_non_null(seen);
            for (uint32_t z = 0; z < 3; z++)
                for (uint32_t y = 0; y < 5; y++)
                    for (uint32_t x = 0; x < s->row_bytes; x++) {
                        uint64_t at = s->layout->offset(s, x, y, z);
                        assert_true(at < s->size);
                        assert_int_equal(seen[at]++, 0);
                        if (s->layout->linear)
                            assert_int_equal(at, z * s->slice_pitch + y * s->pitch + x);
                    }
            free(seen);
            surface_destroy(s);
        }
    assert_null(layout_find("none"));
    assert_null(layout_find(NULL));
}

static void copies_are_packed(void **unused)
{
    (void)unused;
    struct surface *s = make(LANE_DIM_2D_ARRAY, 3, 5, 0, 2, "rg8uint");
    unsigned char in[60], out[60];
    struct atoll_error error;
    for (unsigned i = 0; i < 60; i++)
        in[i] = (unsigned char)(i + 1);
    assert_int_equal(surface_packed_size(s), 60);
    assert_true(surface_upload(s, in, 60, &error));
    assert_int_equal(s->texels[s->slice_pitch + 2 * s->pitch + 1], 30 + 2 * 6 + 1 + 1);
    assert_true(surface_download(s, out, 60, &error));
    assert_memory_equal(in, out, 60);
    assert_false(surface_upload(s, in, 59, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    assert_false(surface_download(s, out, 61, &error));
    assert_int_equal((uintptr_t)s->texels % 64, 0);
    surface_destroy(s);
}

static void queries(void **unused)
{
    (void)unused;
    struct surface *s = make(LANE_DIM_2D_ARRAY, 3, 5, 0, 2, "rg8uint");
    static const uint32_t want[LANE_SUQS] = {3, 5, 1, 0x10da, 0x10b2, 2, 0};
    for (unsigned i = 0; i < LANE_SUQS; i++)
        assert_int_equal(surface_query(s, (enum lane_suq)i), want[i]);
    surface_destroy(s);
    s = make(LANE_DIM_1D, 9, 0, 0, 0, "r32float");
    assert_int_equal(surface_query(s, LANE_SUQ_HEIGHT), 1);
    assert_int_equal(surface_query(s, LANE_SUQ_ARRAY_SIZE), 0);
    surface_destroy(s);
}

struct answer {
    enum surface_fault fault;
    bool skip;
    uint64_t offset;
};

static struct answer ask(const struct surface *s, uint8_t clamp, uint32_t bytes, int32_t x, int32_t y, int32_t z)
{
    struct lane_access a = {.dim = s->dim, .clamp = clamp, .unit = LANE_UNIT_BYTE};
    struct answer r;
    r.fault = surface_resolve(s, &a, (int32_t[3]){x, y, z}, bytes, &r.offset, &r.skip);
    return r;
}

/* Measured on an RTX 3060. */
static void clamp_keeps_the_whole_access_inside(void **unused)
{
    (void)unused;
    struct surface *s = make(LANE_DIM_1D, 32, 0, 0, 0, "r8uint");
    assert_int_equal(ask(s, LANE_CLAMP_NEAR, 1, 32, 0, 0).offset, 31);
    assert_int_equal(ask(s, LANE_CLAMP_NEAR, 1, -1, 0, 0).offset, 0);
    assert_int_equal(ask(s, LANE_CLAMP_NEAR, 1, INT32_MIN, 0, 0).offset, 0);
    surface_destroy(s);
    s = make(LANE_DIM_1D, 24, 0, 0, 0, "r8uint");
    for (int32_t x = 16; x < 64; x += 16) {
        assert_int_equal(ask(s, LANE_CLAMP_NEAR, 16, x, 0, 0).fault, SURFACE_OK);
        assert_int_equal(ask(s, LANE_CLAMP_NEAR, 16, x, 0, 0).offset, 0);
        assert_true(ask(s, LANE_CLAMP_ZERO, 16, x, 0, 0).skip);
        assert_int_equal(ask(s, LANE_CLAMP_ZERO, 16, x, 0, 0).fault, SURFACE_OK);
        assert_int_equal(ask(s, LANE_CLAMP_TRAP, 16, x, 0, 0).fault, SURFACE_OUT_OF_BOUNDS);
    }
    surface_destroy(s);
}

/* Row sizes 1..17 x access sizes 1..16: the place is the last multiple that fits. */
static void clamp_over_all_sizes(void **unused)
{
    (void)unused;
    for (uint32_t row = 1; row <= 17; row++)
        for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
            struct surface *s = make(LANE_DIM_1D, row, 0, 0, 0, "r8uint");
            for (int32_t x = -48; x <= 48; x++) {
                struct answer near = ask(s, LANE_CLAMP_NEAR, bytes, x, 0, 0);
                struct answer zero = ask(s, LANE_CLAMP_ZERO, bytes, x, 0, 0);
                bool inside = x >= 0 && (uint32_t)x + bytes <= row;
                if ((uint32_t)x % bytes) {
                    assert_int_equal(near.fault, SURFACE_MISALIGNED);
                    assert_int_equal(zero.fault, SURFACE_MISALIGNED);
                    continue;
                }
                assert_int_equal(zero.skip, !inside);
                assert_int_equal(near.fault, row < bytes ? SURFACE_OUT_OF_BOUNDS : SURFACE_OK);
                if (row >= bytes)
                    assert_int_equal(near.offset, inside ? (uint32_t)x : x < 0 ? 0 : row / bytes * bytes - bytes);
            }
            surface_destroy(s);
        }
}

static void rows_slices_and_layers(void **unused)
{
    (void)unused;
    struct surface *s = make(LANE_DIM_3D, 4, 3, 2, 0, "r32uint");
    assert_int_equal(ask(s, LANE_CLAMP_NEAR, 4, 4, 9, 9).offset, s->slice_pitch + 2 * s->pitch + 4);
    assert_int_equal(ask(s, LANE_CLAMP_NEAR, 4, 4, -9, -9).offset, 4);
    assert_int_equal(ask(s, LANE_CLAMP_TRAP, 4, 4, 0, -1).fault, SURFACE_OUT_OF_BOUNDS);
    surface_destroy(s);
    s = make(LANE_DIM_2D_ARRAY, 4, 3, 0, 5, "r32uint");
    assert_int_equal(ask(s, LANE_CLAMP_NEAR, 4, 0, 0, -1).offset, 4 * s->slice_pitch); /* unsigned: the last layer */
    assert_int_equal(ask(s, LANE_CLAMP_NEAR, 4, -4, -1, 1).offset, s->slice_pitch);    /* named choice */
    assert_true(ask(s, LANE_CLAMP_ZERO, 4, 0, 0, -1).skip);
    surface_destroy(s);
    s = make(LANE_DIM_1D_ARRAY, 4, 0, 0, 5, "r32uint");
    assert_int_equal(ask(s, LANE_CLAMP_TRAP, 4, 8, 3, -77).offset, 3 * s->slice_pitch + 8); /* the third is ignored */
    surface_destroy(s);
}

static void samples_are_scaled(void **unused)
{
    (void)unused;
    struct surface *s = make(LANE_DIM_1D, 5, 0, 0, 0, "rg16uint");
    struct lane_access a = {.dim = LANE_DIM_1D, .clamp = LANE_CLAMP_ZERO, .unit = LANE_UNIT_SAMPLE, .formatted = true};
    uint64_t offset;
    bool skip;
    assert_int_equal(surface_resolve(s, &a, (int32_t[3]){3}, 4, &offset, &skip), SURFACE_OK);
    assert_int_equal(offset, 12);
    surface_resolve(s, &a, (int32_t[3]){5}, 4, &offset, &skip);
    assert_true(skip);
    surface_resolve(s, &a, (int32_t[3]){INT32_MAX}, 4, &offset, &skip);
    assert_true(skip);
    surface_destroy(s);
}

static void geometries_must_fit(void **unused)
{
    (void)unused;
    for (uint8_t have = 0; have < LANE_DIMS; have++)
        for (uint8_t want = 0; want < LANE_DIMS; want++) {
            struct surface *s;
            assert_true(surface_create(have, 4, have == LANE_DIM_2D || have >= LANE_DIM_2D_ARRAY, have == LANE_DIM_3D,
                                       have == LANE_DIM_1D_ARRAY || have == LANE_DIM_2D_ARRAY, format_find("r8uint"),
                                       layout_find("pitch"), &s, NULL));
            struct lane_access a = {.dim = want};
            uint64_t offset;
            bool skip, fits = have == want || (have <= LANE_DIM_1D_BUFFER && want <= LANE_DIM_1D_BUFFER);
            assert_int_equal(surface_resolve(s, &a, (int32_t[3]){0}, 1, &offset, &skip),
                             fits ? SURFACE_OK : SURFACE_DIMENSION);
            surface_destroy(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(the_largest_buffer_can_be_made),
        cmocka_unit_test(layouts_are_bijections),
        cmocka_unit_test(copies_are_packed),
        cmocka_unit_test(queries),
        cmocka_unit_test(clamp_keeps_the_whole_access_inside),
        cmocka_unit_test(clamp_over_all_sizes),
        cmocka_unit_test(rows_slices_and_layers),
        cmocka_unit_test(samples_are_scaled),
        cmocka_unit_test(geometries_must_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
