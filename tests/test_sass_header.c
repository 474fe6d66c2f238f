/* Maxwell texture headers: shapes survive being encoded, fields lie where the hardware has them, what cannot be is
 * said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/family.h"
#include "isa/sass/header.h"
#include "mem/layout.h"

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state * UINT64_C(0x2545f4914f6cdd1d) >> 33) % n;
}

/* A surface without memory: what the encoder reads. */
static bool describe(struct surface *s, const struct surface_shape *shape, struct atoll_error *error)
{
    struct surface *made;
    if (!surface_make(shape, &made, error))
        return false;
    *s = *made;
    surface_destroy(made);
    return true;
}

static struct surface_shape random_shape(void)
{
    unsigned formats = 0;
    while (format_at(formats))
        formats++;
    struct surface_shape shape = {.dim = (uint8_t)below(LANE_DIMS), .width = 1 + below(300)};
    bool flat = shape.dim != LANE_DIM_2D && shape.dim != LANE_DIM_2D_ARRAY && shape.dim != LANE_DIM_3D;
    shape.format = format_at(below(formats));
    shape.height = flat ? 1 : 1 + below(100);
    shape.depth = shape.dim == LANE_DIM_3D ? 1 + below(9) : 1;
    shape.layers = shape.dim == LANE_DIM_1D_ARRAY || shape.dim == LANE_DIM_2D_ARRAY ? 1 + below(9) : 1;
    bool pitch = shape.dim == LANE_DIM_1D_BUFFER || (shape.depth == 1 && shape.layers == 1 && below(2));
    shape.layout = layout_find(pitch ? "pitch" : "block-linear");
    shape.levels = pitch ? 1 : 1 + below(shape_levels(&shape));
    shape.level = below(shape.levels);
    for (unsigned i = BLOCK_HEIGHT; i <= BLOCK_DEPTH && !pitch; i++)
        shape.settings[i] = UINT64_C(1) << below(BLOCK_LARGEST + 1);
    if (pitch && shape.dim != LANE_DIM_1D_BUFFER)
        shape.settings[PITCH_BYTES] = (shape.width * shape.format->bytes + 31u) / 32 * 32 + below(5) * 32;
    return shape;
}

static void shapes_survive(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 5000; i++) {
        struct surface_shape shape = random_shape(), back;
        struct surface s;
        struct sass_header header, again;
        struct atoll_error error;
        unsigned char bytes[SASS_HEADER_BYTES];
        uint64_t address = (((uint64_t)below(1u << 16) << 32 | below(1u << 31)) & ~UINT64_C(511)), found;
        if (!describe(&s, &shape, &error) || !sass_header_encode(&s, address, &header, &error))
            fail_msg("%s", error.message);
        sass_header_write(&header, bytes);
        sass_header_read(bytes, &again);
        assert_memory_equal(&header, &again, sizeof header);
        if (!sass_header_decode(&again, &back, &found, &error))
            fail_msg("%s", error.message);
        assert_int_equal(found, address);
        assert_ptr_equal(back.format, shape.format);
        assert_ptr_equal(back.layout, shape.layout);
        assert_int_equal(back.dim, shape.dim);
        assert_int_equal(back.width, shape.width);
        assert_int_equal(back.height ? back.height : 1, shape.height);
        assert_int_equal(back.depth ? back.depth : 1, shape.depth);
        assert_int_equal(back.layers ? back.layers : 1, shape.layers);
        assert_int_equal(back.levels ? back.levels : 1, shape.levels);
        assert_int_equal(back.level, shape.level);
        assert_memory_equal(back.settings, shape.settings, sizeof shape.settings);
        assert_true(describe(&s, &back, &error));
    }
}

/* rgba8unorm, 640 x 480, 3 levels, blocks of 16 GOBs, at 0x123456a00; bit by bit from the table of fields. */
/* `meaning` "none": the header has no such field. */
static void check_field(const struct sass_header *h, const char *name, uint32_t bits, const char *meaning)
{
    struct family_field field;
    for (unsigned i = 0; sass_header_field(h, i, &field); i++)
        if (field.name && strcmp(field.name, name) == 0) {
            assert_int_equal(field.bits, bits);
            assert_string_equal(field.meaning ? field.meaning : "", meaning);
            return;
        }
    assert_string_equal(meaning, "none");
}

static void fields_lie_in_their_places(void **unused)
{
    (void)unused;
    const struct surface_shape shape = {.dim = LANE_DIM_2D,
                                        .width = 640,
                                        .height = 480,
                                        .levels = 3,
                                        .level = 1,
                                        .settings = {[BLOCK_HEIGHT] = 16},
                                        .format = format_find("rgba8unorm"),
                                        .layout = layout_find("block-linear")};
    struct surface s;
    struct sass_header h;
    assert_true(describe(&s, &shape, NULL));
    assert_true(sass_header_encode(&s, 0x123456a00, &h, NULL));
    assert_int_equal(h.word[0], 0x08 | 2 << 7 | 2 << 10 | 2 << 13 | 2 << 16 | 2 << 19 | 3 << 22 | 4 << 25 | 5 << 28);
    assert_int_equal(h.word[1], 0x23456a00);
    assert_int_equal(h.word[2], 1 | 3 << 21);
    assert_int_equal(h.word[3], 4 << 3 | UINT32_C(2) << 28);
    assert_int_equal(h.word[4], 639 | 1 << 23 | UINT32_C(7) << 29);
    assert_int_equal(h.word[5], 479);
    assert_int_equal(h.word[6], 0);
    assert_int_equal(h.word[7], 1 | 2 << 4);
    check_field(&h, "COMPONENTS", 8, "A8B8G8R8");
    check_field(&h, "HEADER_VERSION", 3, "BLOCKLINEAR");
    check_field(&h, "PITCH_BITS_20_TO_5", 0, "none");
}

static struct sass_header good(void)
{
    const struct surface_shape shape = {.dim = LANE_DIM_2D,
                                        .width = 64,
                                        .height = 48,
                                        .format = format_find("r32uint"),
                                        .layout = layout_find("block-linear")};
    struct surface s;
    struct sass_header h;
    assert_true(describe(&s, &shape, NULL));
    assert_true(sass_header_encode(&s, 0, &h, NULL));
    return h;
}

static void bad_headers_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        unsigned low, bits;
        uint32_t value;
        enum atoll_status status;
        const char *why;
    } bad[] = {
        {0, 7, 0x7f, ATOLL_INPUT, "component sizes 0x7f"},
        {0, 7, 0x02, ATOLL_INPUT, "R32_G32_B32 of type UINT"},
        {7, 3, 0, ATOLL_INPUT, "type 0 (reserved)"},
        {31, 1, 1, ATOLL_UNSUPPORTED, "packed"},
        {85, 3, 6, ATOLL_INPUT, "no version 6"},
        {85, 3, 4, ATOLL_UNSUPPORTED, "BLOCKLINEAR_COLOR_KEY"},
        {96, 3, 1, ATOLL_UNSUPPORTED, "side by side"},
        {106, 3, 2, ATOLL_UNSUPPORTED, "side by side"},
        {150, 1, 1, ATOLL_UNSUPPORTED, "sRGB"},
        {151, 4, 15, ATOLL_INPUT, "texture type 15"},
        {151, 4, 6, ATOLL_INPUT, "texture type 6"},
        {224, 4, 1, ATOLL_INPUT, "mip level 1"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct sass_header h = good();
        struct surface_shape shape;
        struct atoll_error error;
        uint64_t address;
        uint32_t mask = ((UINT32_C(1) << bad[i].bits) - 1) << bad[i].low % 32;
        h.word[bad[i].low / 32] = (h.word[bad[i].low / 32] & ~mask) | bad[i].value << bad[i].low % 32;
        assert_false(sass_header_decode(&h, &shape, &address, &error));
        assert_int_equal(error.status, bad[i].status);
        if (!strstr(error.message, bad[i].why))
            fail_msg("'%s' does not say '%s'", error.message, bad[i].why);
    }
}

static void what_no_header_can_say(void **unused)
{
    (void)unused;
    static const struct {
        struct surface_shape shape;
        const char *format, *layout, *why;
        uint64_t address;
    } bad[] = {
        {{.dim = LANE_DIM_2D, .width = 65537, .height = 1}, "r8uint", "block-linear", "width 65537", 0},
        {{.dim = LANE_DIM_2D, .width = 1, .height = 65537}, "r8uint", "pitch", "height 65537", 0},
        {{.dim = LANE_DIM_3D, .width = 1, .height = 1, .depth = 16385}, "r8uint", "block-linear", "layers 16385", 0},
        {{.dim = LANE_DIM_3D, .width = 8, .height = 8, .depth = 2}, "r8uint", "pitch", "2 slices", 0},
        {{.dim = LANE_DIM_2D, .width = 8, .height = 8}, "r8uint", "tile-y", "no word for the layout tile-y", 0},
        {{.dim = LANE_DIM_2D, .width = 8, .height = 8}, "r8uint", "block-linear", "multiple of 512", 256},
        {{.dim = LANE_DIM_2D, .width = 8, .height = 8}, "r8uint", "pitch", "multiple of 32", 16},
        {{.dim = LANE_DIM_2D, .width = 8, .height = 8, .settings = {40}}, "r8uint", "pitch", "pitch 40", 0},
        {{.dim = LANE_DIM_2D, .width = 8, .height = 8, .settings = {1 << 21}}, "r8uint", "pitch", "pitch 2097152", 0},
        {{.dim = LANE_DIM_1D_BUFFER, .width = 8}, "rg32uint", "pitch", "multiple of 8", 4},
        {{.dim = LANE_DIM_2D, .width = 8, .height = 8}, "r8uint", "pitch", "address bits", UINT64_C(1) << 48},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct surface_shape shape = bad[i].shape;
        struct surface s;
        struct sass_header h;
        struct atoll_error error;
        shape.format = format_find(bad[i].format);
        shape.layout = layout_find(bad[i].layout);
        assert_true(describe(&s, &shape, &error));
        assert_false(sass_header_encode(&s, bad[i].address, &h, &error));
        assert_int_equal(error.status, ATOLL_USAGE);
        if (!strstr(error.message, bad[i].why))
            fail_msg("'%s' does not say '%s'", error.message, bad[i].why);
    }
}

/* Any bits: a header or an error, and what comes out can be judged. */
static void random_headers(void **unused)
{
    (void)unused;
    unsigned accepted = 0;
    for (unsigned i = 0; i < 20000; i++) {
        struct sass_header h = good();
        struct surface_shape shape;
        uint64_t address, bytes;
        for (unsigned k = 0; k < 1 + i % 8; k++)
            h.word[below(8)] ^= UINT32_C(1) << below(32);
        struct family_field field;
        for (unsigned k = 0; sass_header_field(&h, k, &field); k++)
            assert_true(!field.name || !field.meaning || *field.meaning);
        if (sass_header_decode(&h, &shape, &address, NULL))
            accepted += surface_measure(&shape, &bytes, NULL);
    }
    assert_true(accepted > 100);
}

static void cubes_are_arrays(void **unused)
{
    (void)unused;
    struct sass_header h = good();
    struct surface_shape shape;
    uint64_t address;
    h.word[4] = (h.word[4] & ~(UINT32_C(15) << 23)) | UINT32_C(8) << 23; /* cube array */
    h.word[5] |= UINT32_C(2) << 16;                                      /* of 3 */
    assert_true(sass_header_decode(&h, &shape, &address, NULL));
    assert_int_equal(shape.dim, LANE_DIM_2D_ARRAY);
    assert_int_equal(shape.layers, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_survive),          cmocka_unit_test(fields_lie_in_their_places),
        cmocka_unit_test(bad_headers_are_refused), cmocka_unit_test(what_no_header_can_say),
        cmocka_unit_test(random_headers),          cmocka_unit_test(cubes_are_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
