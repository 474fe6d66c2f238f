/* Surfaces: creation and its limits, layouts, copies, queries, and the rules of an access. */
#include "mem/layout.h"

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

static struct surface *make_shape(struct surface_shape shape, const char *format, const char *layout)
{
    struct surface *s;
    shape.format = format_find(format);
    shape.layout = layout_find(layout);
    assert_true(surface_make(&shape, &s, NULL));
    return s;
}

/* Marks the bytes of the level in `seen`, the memory's map; none may be taken already. */
static void mark(const struct surface *s, unsigned char *seen)
{
    for (uint32_t z = 0; z < s->slices; z++)
        for (uint32_t y = 0; y < s->height; y++)
            for (uint32_t x = 0; x < s->row_bytes; x++) {
                uint64_t at = s->layout->offset(s, x, y, z);
                if (at >= s->size)
                    fail_msg("%u %u %u lies at %llu", x, y, z, (unsigned long long)at);
                if (s->texels[at] || seen[(uint64_t)(s->texels - s->memory) + at]++)
                    fail_msg("%u %u %u lies where another byte lies", x, y, z);
                if (s->layout->linear && at != z * s->slice_pitch + y * s->pitch + x)
                    fail_msg("%u %u %u is out of the row", x, y, z);
                if (s->layout->piece && x % s->layout->piece && at != s->layout->offset(s, x - 1, y, z) + 1)
                    fail_msg("%u %u %u is out of its piece", x, y, z);
            }
}

/* Every byte of every level of a surface has a place of its own. */
static void check_bijection(struct surface_shape shape, const char *layout)
{
    struct surface *s = make_shape(shape, "rg8uint", layout), view;
    unsigned char *seen = calloc(1, s->memory_size);
    uint64_t bytes;
    assert_non_null(seen);
    for (uint32_t level = 0; level < s->shape.levels; level++) {
        assert_true(surface_view(s, level, &view, NULL));
        mark(&view, seen);
    }
    assert_true(surface_measure(&s->shape, &bytes, NULL));
    assert_int_equal(bytes, s->memory_size);
    free(seen);
    surface_destroy(s);
}

static void layouts_are_bijections(void **unused)
{
    (void)unused;
    for (unsigned n = 0; layout_at(n); n++)
        for (uint32_t width = 1; width < 1200; width += width < 70 ? 1 : 97)
            check_bijection((struct surface_shape){.dim = LANE_DIM_3D, .width = width, .height = 5, .depth = 3},
                            layout_at(n)->name);
    for (uint64_t pitch = 64; pitch < 256; pitch += PITCH_UNIT)
        check_bijection((struct surface_shape){.dim = LANE_DIM_2D, .width = 31, .height = 9, .settings = {pitch}},
                        "pitch");
    assert_null(layout_find("none"));
    assert_null(layout_find(NULL));
}

/* All block sizes, extents around their edges, all levels, layers and slices. */
static void block_linear_levels_are_bijections(void **unused)
{
    (void)unused;
    static const uint32_t heights[] = {1, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130};
    for (uint8_t block = 0; block <= BLOCK_LARGEST; block++)
        for (unsigned i = 0; i < sizeof heights / sizeof heights[0]; i++) {
            struct surface_shape shape = {.width = 1 + i * 9, .height = heights[i], .settings = {UINT64_C(1) << block}};
            shape.dim = LANE_DIM_2D;
            shape.levels = shape_levels(&shape);
            check_bijection(shape, "block-linear");
            shape.dim = LANE_DIM_2D_ARRAY;
            shape.layers = 3;
            check_bijection(shape, "block-linear");
            shape.dim = LANE_DIM_3D;
            shape.layers = 0;
            shape.depth = 5 + block;
            shape.settings[BLOCK_DEPTH] = UINT64_C(1) << i % (BLOCK_LARGEST + 1);
            check_bijection(shape, "block-linear");
        }
}

/* By hand from the bit order of a GOB, and the order of GOBs in a block and of blocks. */
static void block_linear_places(void **unused)
{
    (void)unused;
    struct surface *s =
        make_shape((struct surface_shape){.dim = LANE_DIM_2D, .width = 256, .height = 64, .settings = {2}}, "r8uint",
                   "block-linear");
    static const struct {
        uint32_t x, y;
        uint64_t at;
    } places[] = {{1, 0, 1},
                  {15, 0, 15},
                  {16, 0, 32},
                  {32, 0, 256},
                  {0, 1, 16},
                  {0, 2, 64},
                  {0, 4, 128},
                  {63, 7, 511},
                  {0, 8, 512},
                  {64, 0, 1024},
                  {0, 16, 4096},
                  {5, 17, 4096 + 16 + 5},
                  {255, 63, 256 * 64 - 1}};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++)
        assert_int_equal(s->layout->offset(s, places[i].x, places[i].y, 0), places[i].at);
    assert_int_equal(s->memory_size, 256 * 64);
    surface_destroy(s);
    /* 3D: within a block y goes before z; blocks go right, down, back */
    s = make_shape(
        (struct surface_shape){.dim = LANE_DIM_3D, .width = 128, .height = 32, .depth = 8, .settings = {2, 4}},
        "r8uint", "block-linear");
    assert_int_equal(s->layout->offset(s, 0, 8, 0), 512);
    assert_int_equal(s->layout->offset(s, 0, 0, 1), 1024);
    assert_int_equal(s->layout->offset(s, 64, 0, 0), 4096);
    assert_int_equal(s->layout->offset(s, 0, 16, 0), 8192);
    assert_int_equal(s->layout->offset(s, 0, 0, 4), 16384);
    surface_destroy(s);
}

/* By hand from the bits of a tile, and the order of tiles. */
static void tile_places(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t x, y;
        uint64_t at[3]; /* tile-x, tile-y, tile-4; of rows of 1024 bytes */
    } places[] = {{15, 0, {15, 15, 15}},          {16, 0, {16, 512, 64}},
                  {32, 0, {32, 1024, 128}},       {64, 0, {64, 2048, 512}},
                  {0, 1, {512, 16, 16}},          {0, 2, {1024, 32, 32}},
                  {0, 4, {2048, 64, 256}},        {0, 8, {8192, 128, 1024}},
                  {0, 16, {16384, 256, 2048}},    {127, 31, {3 * 8192 + 7 * 512 + 127, 4095, 4095}},
                  {128, 0, {128, 4096, 4096}},    {512, 0, {4096, 16384, 16384}},
                  {0, 32, {32768, 32768, 32768}}, {1023, 63, {65535, 65535, 65535}}};
    static const char *const names[] = {"tile-x", "tile-y", "tile-4"};
    for (unsigned n = 0; n < 3; n++) {
        struct surface *s =
            make_shape((struct surface_shape){.dim = LANE_DIM_2D_ARRAY, .width = 1000, .height = 60, .layers = 2},
                       "r8uint", names[n]);
        for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++)
            assert_int_equal(s->layout->offset(s, places[i].x, places[i].y, 0), places[i].at[n]);
        assert_int_equal(s->layout->offset(s, 0, 0, 1), 65536); /* on a tile */
        assert_int_equal(s->memory_size, 2 * 65536);
        uint64_t settings[LAYOUT_SETTINGS] = {0};
        s->layout->chosen(s, settings);
        assert_int_equal(settings[PITCH_BYTES], 1024);
        surface_destroy(s);
        s = make_shape((struct surface_shape){.dim = LANE_DIM_2D, .width = 10, .height = 33, .settings = {1536}},
                       "r8uint", names[n]);
        assert_int_equal(s->layout->offset(s, 0, 32, 0), 32 * 1536);
        assert_int_equal(s->memory_size, (n ? 64 : 40) * 1536);
        surface_destroy(s);
    }
}

/* By hand from the bits of R580's tiles: macro-tiles of 2 KiB, micro-tiles of 32 bytes. */
static void r580_places(void **unused)
{
    (void)unused;
    static const struct {
        const char *format;
        uint32_t x, y; /* texels */
        uint64_t at;
    } places[] = {
        /* micro-tiles of 8 x 2, macro-tiles of 64 x 16; rows of 128 texels: two macro-tiles */
        {"r16unorm", 7, 0, 14},
        {"r16unorm", 0, 1, 16},
        {"r16unorm", 8, 0, 32},
        {"r16unorm", 0, 2, 64},
        {"r16unorm", 16, 0, 128},
        {"r16unorm", 0, 4, 256},
        {"r16unorm", 32, 0, 512 + 256},
        {"r16unorm", 0, 8, 1024 + 128},
        {"r16unorm", 64, 0, 2048 + 1024},
        {"r16unorm", 0, 16, 2 * 2048 + 512},
        /* 4 x 2, 32 x 16; rows of 128: four */
        {"rgba8unorm", 3, 1, 28},
        {"rgba8unorm", 4, 0, 32},
        {"r32float", 32, 16, 5 * 2048 + 1024 + 512},
        /* 2 x 2, 16 x 16; rows of 128: eight */
        {"rg32float", 1, 1, 24},
        {"rg32float", 2, 2, 96},
        {"rg32float", 0, 16, 8 * 2048 + 512},
        /* 2 x 1, 16 x 8; rows of 128: eight */
        {"rgba32float", 1, 0, 16},
        {"rgba32float", 2, 0, 32},
        {"rgba32float", 0, 1, 64},
        {"rgba32float", 0, 2, 256},
        {"rgba32float", 0, 4, 1024 + 128},
        {"rgba32float", 16, 8, 9 * 2048 + 1024 + 512},
    };
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct surface *s = make_shape((struct surface_shape){.dim = LANE_DIM_2D, .width = 128, .height = 32},
                                       places[i].format, "tile-r580");
        if (s->layout->offset(s, (uint64_t)places[i].x * s->format->bytes, places[i].y, 0) != places[i].at)
            fail_msg("%s %u %u", places[i].format, places[i].x, places[i].y);
        assert_int_equal(s->memory_size, 128 * 32 * s->format->bytes);
        surface_destroy(s);
    }
}

/* All sizes of texels; pitches that end within a macro-tile are those of the next whole one. */
static void r580_is_a_bijection(void **unused)
{
    (void)unused;
    static const char *const formats[] = {"r16unorm", "rgba8unorm", "rg32float", "rgba32float"};
    static const uint64_t across[] = {128, 128, 128, 256}, down[] = {16, 16, 16, 8};
    for (unsigned i = 0; i < 4; i++)
        for (uint32_t width = 1; width < 200; width += 1 + width / 4) {
            struct surface_shape shape = {.dim = LANE_DIM_3D, .width = width, .height = 3 + width / 2, .depth = 2};
            shape.format = format_find(formats[i]);
            uint32_t texel = shape.format->bytes, fours = (width + 3) / 4 + width % 3;
            shape.settings[PITCH_BYTES] = width % 2 ? UINT64_C(4) * texel * fours : 0;
            struct surface *s = make_shape(shape, formats[i], "tile-r580");
            unsigned char *seen = calloc(1, s->memory_size);
            uint64_t settings[LAYOUT_SETTINGS] = {0}, pitch = shape.settings[PITCH_BYTES];
            assert_non_null(seen);
            mark(s, seen);
            s->layout->chosen(s, settings);
            pitch = pitch ? pitch : (uint64_t)width * texel;
            assert_int_equal(settings[PITCH_BYTES], (pitch + across[i] - 1) / across[i] * across[i]);
            assert_int_equal(s->memory_size,
                             2 * settings[PITCH_BYTES] * ((s->height + down[i] - 1) / down[i] * down[i]));
            free(seen);
            surface_destroy(s);
        }
}

/* Memory that is there: its bytes are the texels. */
static void memory_of_others(void **unused)
{
    (void)unused;
    _Alignas(SURFACE_ALIGN) unsigned char memory[4 * 24] = {0};
    struct surface_shape shape = {.dim = LANE_DIM_2D, .width = 5, .height = 4, .settings = {24}};
    struct surface *s;
    struct atoll_error error = {0};
    unsigned char texels[5 * 4 * 2], out[sizeof texels];
    shape.format = format_find("r16unorm");
    shape.layout = layout_find("pitch");
    for (unsigned i = 0; i < sizeof texels; i++)
        texels[i] = (unsigned char)(i + 1);
    assert_false(surface_make_at(&shape, memory, sizeof memory - 1, &s, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    assert_true(surface_make_at(&shape, memory, sizeof memory, &s, &error));
    assert_true(s->shared && s->texels == memory);
    assert_true(surface_upload(s, texels, sizeof texels, &error));
    assert_memory_equal(memory + 24, texels + 10, 10);
    memory[3 * 24] = 99;
    assert_true(surface_download(s, out, sizeof out, &error));
    assert_int_equal(out[30], 99);
    surface_destroy(s);
    assert_int_equal(memory[3 * 24], 99);
}

static void mip_levels(void **unused)
{
    (void)unused;
    struct surface_shape shape = {
        .dim = LANE_DIM_2D_ARRAY, .width = 100, .height = 60, .layers = 2, .levels = 7, .settings = {4}};
    struct surface *s = make_shape(shape, "rgba8unorm", "block-linear"), view;
    /* 400 bytes x 60 rows: 7 x 2 blocks of 2048; 200 x 30: 4 x 1; 100 x 15: 2 x 1 of 1024; 48 x 7: 512; three more */
    static const struct {
        uint32_t width, height, block;
        uint64_t start;
    } want[] = {{100, 60, 2, 0},  {50, 30, 2, 28672}, {25, 15, 1, 36864}, {12, 7, 0, 38912},
                {6, 3, 0, 39424}, {3, 1, 0, 39936},   {1, 1, 0, 40448}};
    for (uint32_t n = 0; n < 7; n++) {
        assert_true(surface_view(s, n, &view, NULL));
        assert_int_equal(view.width, want[n].width);
        assert_int_equal(view.height, want[n].height);
        assert_int_equal(view.block_height, want[n].block);
        assert_int_equal(view.texels - view.memory, want[n].start);
        assert_int_equal(view.slice_pitch, 40960);
        assert_int_equal(view.size, s->memory_size - want[n].start);
    }
    assert_false(surface_view(s, 7, &view, NULL));
    surface_destroy(s);
    shape.level = 3; /* an access names this one */
    s = make_shape(shape, "rgba8unorm", "block-linear");
    assert_int_equal(s->width, 12);
    assert_int_equal(surface_query(s, LANE_SUQ_SECOND), 7);
    assert_int_equal(s->texels - s->memory, 38912);
    surface_destroy(s);
}

struct answer {
    enum surface_fault fault;
    bool skip;
    uint64_t offset;
};

static struct answer ask_access(const struct surface *s, struct lane_access a, uint32_t bytes, int32_t x, int32_t y,
                                int32_t z)
{
    struct answer r;
    r.fault = surface_resolve(s, &a, (int32_t[3]){x, y, z}, bytes, &r.offset, &r.skip);
    return r;
}

static struct answer ask(const struct surface *s, uint8_t clamp, uint32_t bytes, int32_t x, int32_t y, int32_t z)
{
    struct lane_access a = {.dim = s->dim, .clamp = clamp, .unit = LANE_UNIT_BYTE};
    return ask_access(s, a, bytes, x, y, z);
}

static struct answer ask_short(const struct surface *s, uint32_t bytes, int32_t x)
{
    struct lane_access a = {.dim = s->dim, .clamp = LANE_CLAMP_NEAR, .unit = LANE_UNIT_BYTE, .short_rows = true};
    return ask_access(s, a, bytes, x, 0, 0);
}

/* A level that an access names counts from the surface's own; one that there is not has no texels. */
static void levels_of_accesses(void **unused)
{
    (void)unused;
    struct surface_shape shape = {.dim = LANE_DIM_2D, .width = 16, .height = 8, .levels = 4, .level = 1};
    struct surface *s = make_shape(shape, "r32uint", "block-linear"), want, view;
    static const uint32_t beyond[] = {3, 4, UINT32_MAX};
    for (uint32_t level = 0; level < 3; level++) {
        surface_at_level(s, level, &view);
        assert_true(surface_view(s, 1 + level, &want, NULL));
        assert_int_equal(view.width, 16 >> (1 + level));
        assert_ptr_equal(view.texels, want.texels);
    }
    for (unsigned i = 0; i < 3; i++) {
        surface_at_level(s, beyond[i], &view);
        assert_int_equal(ask(&view, LANE_CLAMP_TRAP, 4, 0, 0, 0).fault, SURFACE_OUT_OF_BOUNDS);
        assert_int_equal(ask(&view, LANE_CLAMP_NEAR, 4, 0, 0, 0).fault, SURFACE_OUT_OF_BOUNDS);
        assert_true(ask(&view, LANE_CLAMP_ZERO, 4, 0, 0, 0).skip);
        assert_true(ask(&view, LANE_CLAMP_BORDER, 4, 0, 0, 0).skip);
    }
    surface_destroy(s);
}

/* Three coordinates in the order of the surface, all unsigned; the access is a texel. */
static void any_geometry(void **unused)
{
    (void)unused;
    static const struct {
        struct surface_shape shape;
        uint32_t row, slice; /* of the coordinates 1, 2, 3 */
    } cases[] = {
        {{.dim = LANE_DIM_1D, .width = 4}, 0, 0},
        {{.dim = LANE_DIM_1D_BUFFER, .width = 4}, 0, 0},
        {{.dim = LANE_DIM_1D_ARRAY, .width = 4, .layers = 5}, 0, 2},
        {{.dim = LANE_DIM_2D, .width = 4, .height = 5}, 2, 0},
        {{.dim = LANE_DIM_2D_ARRAY, .width = 4, .height = 5, .layers = 6}, 2, 3},
        {{.dim = LANE_DIM_3D, .width = 4, .height = 5, .depth = 6}, 2, 3},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct surface *s = make_shape(cases[i].shape, "rg16uint", "pitch");
        struct lane_access a = {.dim = LANE_DIM_ANY, .unit = LANE_UNIT_SAMPLE};
        int32_t at[3] = {1, 2, 3}, first = s->dim <= LANE_DIM_1D_BUFFER ? 1 : 2;
        uint64_t offset;
        bool skip;
        assert_int_equal(surface_resolve(s, &a, at, 4, &offset, &skip), SURFACE_OK);
        assert_int_equal(offset, s->layout->offset(s, 4, cases[i].row, cases[i].slice));
        assert_int_equal(surface_resolve(s, &a, at, 2, &offset, &skip), SURFACE_FORMAT);
        assert_int_equal(surface_resolve(s, &a, at, 8, &offset, &skip), SURFACE_FORMAT);
        a.clamp = LANE_CLAMP_NEAR;
        at[0] = at[1] = -1; /* the largest number, not a small one */
        assert_int_equal(surface_resolve(s, &a, at, 4, &offset, &skip), SURFACE_OK);
        assert_int_equal(
            offset, s->layout->offset(s, 12, cases[i].row ? 4 : 0, s->dim == LANE_DIM_1D_ARRAY ? 4 : cases[i].slice));
        a.clamp = LANE_CLAMP_TRAP;
        at[0] = 0;
        assert_int_equal(surface_resolve(s, &a, at, 4, &offset, &skip),
                         first == 1 ? SURFACE_OK : SURFACE_OUT_OF_BOUNDS);
        surface_destroy(s);
    }
}

static enum atoll_status refused_shape(struct surface_shape shape, const char *layout)
{
    struct surface *s;
    struct atoll_error error = {0};
    shape.format = format_find("r32uint");
    shape.layout = layout_find(layout);
    assert_false(surface_make(&shape, &s, &error));
    assert_null(s);
    return error.status;
}

static void bad_layouts_are_refused(void **unused)
{
    (void)unused;
    struct surface_shape shape = {.dim = LANE_DIM_2D, .width = 16, .height = 16};
    static const uint64_t pitches[] = {32, 65, 84, UINT64_MAX - 31};
    for (unsigned i = 0; i < 4; i++) {
        shape.settings[PITCH_BYTES] = pitches[i];
        assert_int_equal(refused_shape(shape, "pitch"), ATOLL_USAGE);
    }
    shape.settings[BLOCK_HEIGHT] = 64;
    assert_int_equal(refused_shape(shape, "block-linear"), ATOLL_USAGE);
    shape.settings[BLOCK_HEIGHT] = 0;
    shape.levels = 2;
    assert_int_equal(refused_shape(shape, "pitch"), ATOLL_USAGE);
    shape.levels = 6;
    assert_int_equal(refused_shape(shape, "block-linear"), ATOLL_USAGE);
    shape.levels = 5;
    shape.level = 5;
    assert_int_equal(refused_shape(shape, "block-linear"), ATOLL_USAGE);
    shape.level = 0;
    shape.settings[BLOCK_DEPTH] = 3;
    assert_int_equal(refused_shape(shape, "block-linear"), ATOLL_USAGE);
    shape.settings[BLOCK_DEPTH] = 1;
    shape.levels = 1;
    assert_int_equal(refused_shape(shape, "pitch"), ATOLL_USAGE);
    assert_int_equal(refused_shape((struct surface_shape){.dim = LANE_DIM_1D_BUFFER, .width = 4}, "block-linear"),
                     ATOLL_USAGE);
    static const struct {
        const char *layout;
        uint64_t pitch;
    } tiles[] = {{"tile-x", 256},   {"tile-x", 768},   {"tile-y", 64},
                 {"tile-y", 192},   {"tile-4", 160},   {"tile-4", UINT64_MAX - 127},
                 {"tile-r580", 64}, {"tile-r580", 136}};
    for (unsigned i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        shape = (struct surface_shape){.dim = LANE_DIM_2D, .width = 33, .height = 16};
        shape.settings[PITCH_BYTES] = tiles[i].pitch;
        assert_int_equal(refused_shape(shape, tiles[i].layout), ATOLL_USAGE);
        shape.settings[PITCH_BYTES] = 0;
        shape.levels = 2;
        assert_int_equal(refused_shape(shape, tiles[i].layout), ATOLL_USAGE);
        shape = (struct surface_shape){.dim = LANE_DIM_3D, .width = 1 << 29, .height = INT32_MAX, .depth = INT32_MAX};
        assert_int_equal(refused_shape(shape, tiles[i].layout), ATOLL_LIMIT);
        assert_int_equal(refused_shape((struct surface_shape){.dim = LANE_DIM_1D_BUFFER, .width = 4}, tiles[i].layout),
                         ATOLL_USAGE);
    }
    shape = (struct surface_shape){.dim = LANE_DIM_3D, .width = 1 << 29, .height = INT32_MAX, .depth = INT32_MAX};
    assert_int_equal(refused_shape(shape, "block-linear"), ATOLL_LIMIT);
    shape = (struct surface_shape){
        .dim = LANE_DIM_2D_ARRAY, .width = 32, .height = 1, .layers = INT32_MAX, .settings = {32}};
    assert_int_equal(refused_shape(shape, "block-linear"), ATOLL_LIMIT);
}

static void block_linear_copies(void **unused)
{
    (void)unused;
    struct surface *s = make_shape(
        (struct surface_shape){
            .dim = LANE_DIM_2D_ARRAY, .width = 29, .height = 21, .layers = 3, .levels = 3, .settings = {2}},
        "rg8uint", "block-linear");
    struct surface view;
    unsigned char in[29 * 21 * 3 * 2], out[sizeof in], below[14 * 10 * 3 * 2];
    memset(below, 0xee, sizeof below);
    for (unsigned i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 7 + i / 256);
    assert_true(surface_view(s, 1, &view, NULL));
    assert_true(surface_upload(s, in, sizeof in, NULL) && surface_upload(&view, below, sizeof below, NULL));
    assert_true(surface_download(s, out, sizeof out, NULL));
    assert_memory_equal(in, out, sizeof in);
    assert_int_equal(s->texels[s->layout->offset(s, 40, 20, 2)], in[2 * 29 * 21 * 2 + 20 * 58 + 40]);
    surface_destroy(s);
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
    static const uint32_t want[LANE_SUQS] = {3, 5, 2, 0x10da, 0x10b2, 2, 1};
    for (unsigned i = 0; i < LANE_SUQS; i++)
        assert_int_equal(surface_query(s, (enum lane_suq)i), want[i]);
    surface_destroy(s);
    s = make(LANE_DIM_1D, 9, 0, 0, 0, "r32float");
    assert_int_equal(surface_query(s, LANE_SUQ_SECOND), 0);
    assert_int_equal(surface_query(s, LANE_SUQ_THIRD), 0);
    assert_int_equal(surface_query(s, LANE_SUQ_ARRAY_SIZE), 0);
    surface_destroy(s);
    s = make(LANE_DIM_1D_ARRAY, 9, 0, 0, 4, "r32float");
    assert_int_equal(surface_query(s, LANE_SUQ_SECOND), 4);
    assert_int_equal(surface_query(s, LANE_SUQ_THIRD), 0);
    surface_destroy(s);
    s = make(LANE_DIM_3D, 9, 2, 3, 0, "r32float");
    assert_int_equal(surface_query(s, LANE_SUQ_SECOND), 2);
    assert_int_equal(surface_query(s, LANE_SUQ_THIRD), 3);
    surface_destroy(s);
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
                assert_false(near.skip);
                near = ask_short(s, bytes, x);
                assert_int_equal(near.fault, SURFACE_OK);
                assert_int_equal(near.skip, row < bytes);
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

static void disabled_and_sparse(void **unused)
{
    (void)unused;
    struct surface *s = make(LANE_DIM_2D, 1024, 128, 0, 0, "r32uint"); /* 3 tiles: rows of 4160 bytes */
    struct atoll_error error;
    assert_int_equal(surface_tiles(s), (1024 * 4 + 64) * 128 / 65536 + 1);
    assert_true(s->direct);
    assert_true(surface_reside(s, 1, 1, false, &error));
    assert_false(s->direct);
    for (int32_t y = 0; y < 128; y++)
        for (int32_t x = 0; x < 4096; x += 1020) {
            struct answer r = ask(s, LANE_CLAMP_TRAP, 4, x, y, 0);
            assert_int_equal(r.fault, SURFACE_OK);
            assert_int_equal(r.skip, r.offset >> 16 == 1);
            assert_int_equal(surface_missing(s, r.offset), r.skip);
        }
    assert_true(surface_reside(s, 0, surface_tiles(s), true, &error));
    assert_false(ask(s, LANE_CLAMP_TRAP, 4, 0, 16, 0).skip);
    assert_false(surface_reside(s, surface_tiles(s), 1, false, &error));
    assert_false(surface_reside(s, 1, UINT64_MAX, false, &error));
    surface_disable(s, true);
    assert_true(ask(s, LANE_CLAMP_TRAP, 4, 1, 5000, 0).skip); /* neither misaligned nor out of range */
    assert_int_equal(ask(s, LANE_CLAMP_TRAP, 4, 1, 5000, 0).fault, SURFACE_OK);
    surface_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(the_largest_buffer_can_be_made),
        cmocka_unit_test(layouts_are_bijections),
        cmocka_unit_test(block_linear_levels_are_bijections),
        cmocka_unit_test(block_linear_places),
        cmocka_unit_test(tile_places),
        cmocka_unit_test(r580_places),
        cmocka_unit_test(r580_is_a_bijection),
        cmocka_unit_test(memory_of_others),
        cmocka_unit_test(mip_levels),
        cmocka_unit_test(levels_of_accesses),
        cmocka_unit_test(any_geometry),
        cmocka_unit_test(bad_layouts_are_refused),
        cmocka_unit_test(block_linear_copies),
        cmocka_unit_test(disabled_and_sparse),
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
