/* The layouts: where the texels of a surface lie in its memory.
 *
 *   pitch         offset = slice * slice_pitch + row * pitch + column
 *   block-linear  NVIDIA's. A GOB is 64 bytes x 8 rows; bytes in a GOB lie in the order
 *
 *                   bit of the offset   8      7    6    5      4    3..0
 *                   is bit              x5     y2   y1   x4     y0   x3..x0     (x: byte column, y: row, of the GOB)
 *
 *                 2^block_height GOBs below each other, 2^block_depth of these behind each other are a block; blocks go
 *                 right, then down, then back. All mip levels of a layer follow each other; layers follow each other at
 *                 multiples of the block size of level 0.
 *   tile-x, tile-y, tile-4
 *                 Intel's. Tiles of 4 KiB go right, then down; each slice or layer begins with a tile. Bits of the byte
 *                 column (u) and the row (v) in a tile:
 *
 *                   bit of the offset         11 10  9  8  7  6  5  4  3..0
 *                   tile-x, 512 bytes x 8     v2 v1 v0 u8 u7 u6 u5 u4  u3..u0
 *                   tile-y, 128 bytes x 32    u6 u5 u4 v4 v3 v2 v1 v0  u3..u0
 *                   tile-4, 128 bytes x 32    v4 v3 u6 v2 u5 u4 v1 v0  u3..u0
 *
 *   tile-r580     ATI's, of texels of 2 to 16 bytes. Micro-tiles of 32 bytes are 16 bytes x 2 rows, of 16-byte texels
 *                 32 bytes x 1 row; 8 x 8 of them are a macro-tile of 2 KiB. Macro-tiles go right, then down; each
 * slice or layer begins with one. With column (u) and row (v) of the micro-tile among all:
 *
 *                   bit of the offset         10     9      8      7      6   5   4..0
 *                                             v2^u3  v3^u2  v1^u2  v2^u1  v0  u0  in the micro-tile, by rows
 *
 * Sources: envytools' g80-surface, Mesa's nil/tiling, yuzu's texture decoders. Of tiles Mesa's docs/isl/tiling.rst
 * (whose last table gives X-tiles 16 rows, against its text and all else) and isl_tilememcpy_tiled_unittest.cpp, Linux'
 * drm_fourcc.h at I915_FORMAT_MOD_X_TILED, _Y_TILED and _4_TILED. Of R580 the functions of Mesa's radeon_span.c (2 and
 * 4 bytes) and the table of r300_texture_desc.c (the others), as docs/ctm.md, "Memory" has it. Named choices, where
 * these leave the answer open or differ:
 *   - A block shrinks at every level, level 0 too, while half of it would hold the level (Mesa; others say so for
 * levels from 1 on; drivers make no surface where it matters).
 *   - Slices of a 3D surface with pitch layout follow each other without a gap.
 *   - Only block-linear surfaces have mip levels.
 *   - Slices of tiled surfaces begin on whole tiles; hardware lets them begin at rows within.
 *   - Bit 6 of an address in a tile is as it is. Machines before Broadwell may exclusive-or it with bits 9 and 10,
 *     depending on the memory that they have.
 */
#include "mem/layout.h"

#include <inttypes.h>
#include <string.h>

/* ---- mip levels ----------------------------------------------------------------------------------------- */

uint32_t shape_levels(const struct surface_shape *shape)
{
    uint32_t largest = shape->width | shape->height | shape->depth, levels = 1;
    while (levels < LEVELS_LARGEST && largest >> levels)
        levels++;
    return levels;
}

/* ---- pitch ---------------------------------------------------------------------------------------------- */

/* Rows begin on cache lines, so that a warp's row of texels is as few vector copies as it can be. Long rows take an odd
 * number of lines: with a power of two the texels of a column would fall into few sets of the cache (a warp's store to
 * a column of 4096-texel rows takes 3 times as long). */
static uint64_t pitch_of(uint64_t row_bytes)
{
    uint64_t lines = (row_bytes + 63) / 64;
    return 64 * (lines >= 16 ? lines | 1 : lines);
}

static bool pitch_place(struct surface *s, uint64_t *before, uint64_t *all)
{
    *before = 0;
    s->pitch = s->shape.settings[PITCH_BYTES] ? s->shape.settings[PITCH_BYTES] : pitch_of(s->row_bytes);
    return !__builtin_mul_overflow(s->pitch, s->height, &s->slice_pitch) &&
           !__builtin_mul_overflow(s->slice_pitch, s->slices, all);
}

static uint64_t pitch_offset(const struct surface *surface, uint64_t x, uint32_t y, uint32_t z)
{
    return z * surface->slice_pitch + y * surface->pitch + x;
}

static bool pitch_check(const struct surface_shape *s, uint64_t row, struct atoll_error *error)
{
    uint64_t pitch = s->settings[PITCH_BYTES];
    if (pitch && s->dim == LANE_DIM_1D_BUFFER)
        return error_set(error, ATOLL_USAGE, "a 1D buffer has one row: it has no pitch");
    if (pitch && (pitch < row || pitch % PITCH_UNIT || pitch > SURFACE_LARGEST))
        return error_set(error, ATOLL_USAGE,
                         "a pitch of %" PRIu64 " bytes for rows of %" PRIu64
                         ": must be a multiple of %d that is no smaller than the row",
                         pitch, row, PITCH_UNIT);
    return true;
}

static void pitch_chosen(const struct surface *s, uint64_t settings[LAYOUT_SETTINGS])
{
    settings[PITCH_BYTES] = s->pitch;
}

/* ---- block-linear --------------------------------------------------------------------------------------- */

/* log2 of the GOBs that a block of a level has in one direction, where the level has `gobs`. */
static uint8_t shrink(uint8_t block, uint32_t gobs)
{
    while (block > 0 && gobs <= UINT32_C(1) << (block - 1))
        block--;
    return block;
}

/* The blocks of level `n`, and its bytes in *size. */
static bool block_level(struct surface *s, uint32_t n, uint64_t *size)
{
    uint64_t row = (uint64_t)level_extent(s->shape.width, n) * s->format->bytes;
    uint32_t rows = level_extent(s->shape.height, n), depth = level_extent(s->shape.depth, n);
    s->block_height = shrink(block_log2(s->shape.settings[BLOCK_HEIGHT]), (rows + GOB_ROWS - 1) / GOB_ROWS);
    s->block_depth = shrink(block_log2(s->shape.settings[BLOCK_DEPTH]), depth);
    uint64_t across = (row + GOB_WIDTH - 1) / GOB_WIDTH, block = UINT64_C(1)
                                                                 << (GOB_SHIFT + s->block_height + s->block_depth);
    uint64_t down = ((uint64_t)rows + ((uint64_t)GOB_ROWS << s->block_height) - 1) >> (3 + s->block_height);
    uint64_t back = ((uint64_t)depth + (UINT64_C(1) << s->block_depth) - 1) >> s->block_depth;
    s->pitch = across * block; /* at most 2^25 * 2^19 */
    return !__builtin_mul_overflow(s->pitch, down, &s->slice_pitch) &&
           !__builtin_mul_overflow(s->slice_pitch, back, size);
}

static bool block_place(struct surface *s, uint64_t *before, uint64_t *all)
{
    uint64_t layer = 0, size, align = 0;
    *before = 0;
    for (uint32_t n = 0; n < s->shape.levels; n++) {
        if (!block_level(s, n, &size))
            return false;
        if (n == 0)
            align = UINT64_C(1) << (GOB_SHIFT + s->block_height + s->block_depth);
        if (n == s->shape.level)
            *before = layer;
        if (__builtin_add_overflow(layer, size, &layer))
            return false;
    }
    if (!block_level(s, s->shape.level, &size))
        return false;
    if (s->layers == 1) {
        *all = layer;
        return true;
    }
    s->slice_pitch = (layer + align - 1) & ~(align - 1);
    return layer <= UINT64_MAX - align && !__builtin_mul_overflow(s->slice_pitch, s->layers, all);
}

static uint64_t block_offset(const struct surface *surface, uint64_t x, uint32_t y, uint32_t z)
{
    return layout_block_offset(surface, x, y, z);
}

/* A power of two up to the largest. */
static bool block_fits(unsigned i, uint64_t gobs)
{
    (void)i;
    return (gobs & (gobs - 1)) == 0 && gobs <= UINT64_C(1) << BLOCK_LARGEST;
}

#define BLOCK_WANTED "1, 2, 4, 8, 16 or 32"

static bool block_check(const struct surface_shape *s, uint64_t row, struct atoll_error *error)
{
    (void)row;
    for (unsigned i = BLOCK_HEIGHT; i <= BLOCK_DEPTH; i++)
        if (!block_fits(i, s->settings[i]))
            return error_set(error, ATOLL_USAGE, "blocks of %" PRIu64 " x %" PRIu64 " GOBs: must be " BLOCK_WANTED,
                             s->settings[BLOCK_HEIGHT], s->settings[BLOCK_DEPTH]);
    return true;
}

static void block_chosen(const struct surface *s, uint64_t settings[LAYOUT_SETTINGS])
{
    for (unsigned i = BLOCK_HEIGHT; i <= BLOCK_DEPTH; i++)
        settings[i] = s->shape.settings[i] ? s->shape.settings[i] : 1;
}

/* ---- tiles ---------------------------------------------------------------------------------------------- */

static uint64_t tiles_of(uint64_t extent, uint8_t tile)
{
    return (extent + (UINT64_C(1) << tile) - 1) >> tile;
}

/* A pitch is a multiple of `unit` bytes: `what`. 0: chosen. */
static bool pitch_fits(uint64_t pitch, uint64_t row, uint64_t unit, const char *what, struct atoll_error *error)
{
    if (pitch && (pitch < row || pitch % unit || pitch > SURFACE_LARGEST))
        return error_set(error, ATOLL_USAGE,
                         "a pitch of %" PRIu64 " bytes for rows of %" PRIu64 ": must be a multiple of %" PRIu64
                         ", %s, that is no smaller than the row",
                         pitch, row, unit, what);
    return true;
}

static bool tile_check(const struct surface_shape *s, uint64_t row, struct atoll_error *error)
{
    return pitch_fits(s->settings[PITCH_BYTES], row, UINT64_C(1) << s->layout->tile_width, "the width of a tile",
                      error);
}

static bool tile_place(struct surface *s, uint64_t *before, uint64_t *all)
{
    const struct layout *layout = s->layout;
    uint64_t row = s->shape.settings[PITCH_BYTES] ? s->shape.settings[PITCH_BYTES] : s->row_bytes;
    *before = 0;
    s->pitch = tiles_of(row, layout->tile_width) << TILE_BYTES;
    return !__builtin_mul_overflow(s->pitch, tiles_of(s->height, layout->tile_rows), &s->slice_pitch) &&
           !__builtin_mul_overflow(s->slice_pitch, s->slices, all);
}

static void tile_chosen(const struct surface *s, uint64_t settings[LAYOUT_SETTINGS])
{
    settings[PITCH_BYTES] = s->pitch >> s->layout->tile_rows;
}

/* Where the tile of a byte begins. */
static uint64_t tile_start(const struct surface *s, uint64_t x, uint32_t y, uint32_t z)
{
    return z * s->slice_pitch + (y >> s->layout->tile_rows) * s->pitch + (x >> s->layout->tile_width << TILE_BYTES);
}

static uint64_t tile_x_offset(const struct surface *s, uint64_t x, uint32_t y, uint32_t z)
{
    return tile_start(s, x, y, z) + ((y & 7) << 9 | (x & 0x1ff));
}

static uint64_t tile_y_offset(const struct surface *s, uint64_t x, uint32_t y, uint32_t z)
{
    return tile_start(s, x, y, z) + ((x & 0x70) << 5 | (y & 0x1f) << 4 | (x & 0xf));
}

static uint64_t tile_4_offset(const struct surface *s, uint64_t x, uint32_t y, uint32_t z)
{
    uint64_t block = (y & 0x18) << 7 | (x & 0x40) << 3 | (y & 4) << 6 | (x & 0x30) << 2;
    return tile_start(s, x, y, z) + (block | (y & 3) << 4 | (x & 0xf));
}

/* ---- R580's tiles --------------------------------------------------------------------------------------- */

enum { MACRO_BYTES = 11, MACRO_ACROSS = 3 }; /* log2: 2 KiB, 8 x 8 micro-tiles */

/* log2 of a micro-tile's bytes of a row, and of its rows. */
static inline uint8_t micro_width(const struct format *format)
{
    return format->bytes == 16 ? 5 : 4;
}

static inline uint8_t micro_rows(const struct format *format)
{
    return format->bytes == 16 ? 0 : 1;
}

/* A pitch is a number of fours of texels (R580's registers); macro-tiles that it ends within are whole. */
static bool macro_check(const struct surface_shape *s, uint64_t row, struct atoll_error *error)
{
    if (s->format->bytes < 2)
        return error_set(error, ATOLL_USAGE, "texels of %u byte: a surface of layout %s has texels of 2, 4, 8 or 16",
                         s->format->bytes, s->layout->name);
    return pitch_fits(s->settings[PITCH_BYTES], row, 4u * s->format->bytes, "four texels", error);
}

static bool macro_place(struct surface *s, uint64_t *before, uint64_t *all)
{
    uint64_t row = s->shape.settings[PITCH_BYTES] ? s->shape.settings[PITCH_BYTES] : s->row_bytes;
    *before = 0;
    s->pitch = tiles_of(row, (uint8_t)(micro_width(s->format) + MACRO_ACROSS)) << MACRO_BYTES;
    return !__builtin_mul_overflow(s->pitch, tiles_of(s->height, (uint8_t)(micro_rows(s->format) + MACRO_ACROSS)),
                                   &s->slice_pitch) &&
           !__builtin_mul_overflow(s->slice_pitch, s->slices, all);
}

static void macro_chosen(const struct surface *s, uint64_t settings[LAYOUT_SETTINGS])
{
    settings[PITCH_BYTES] = s->pitch >> (micro_rows(s->format) + MACRO_ACROSS);
}

static uint64_t macro_offset(const struct surface *s, uint64_t x, uint32_t y, uint32_t z)
{
    uint8_t width = micro_width(s->format), rows = micro_rows(s->format);
    uint64_t u = x >> width, v = y >> rows;
    uint64_t macro = z * s->slice_pitch + (v >> MACRO_ACROSS) * s->pitch + (u >> MACRO_ACROSS << MACRO_BYTES);
    uint64_t micro = (((v >> 2) ^ (u >> 3)) & 1) << 5 | (((v >> 3) ^ (u >> 2)) & 1) << 4 |
                     (((v >> 1) ^ (u >> 2)) & 1) << 3 | (((v >> 2) ^ (u >> 1)) & 1) << 2 | (v & 1) << 1 | (u & 1);
    uint64_t inside = (y & ((UINT64_C(1) << rows) - 1)) << width | (x & ((UINT64_C(1) << width) - 1));
    return macro + (micro << 5) + inside;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

#define TILES(name_, width, rows, together, offset_)                                                           \
    {                                                                                                          \
        .name = name_, .settings = {[PITCH_BYTES] = {"pitch", "pitch", "bytes", NULL}}, .check = tile_check,   \
        .chosen = tile_chosen, .place = tile_place, .offset = offset_, .tile_width = width, .tile_rows = rows, \
        .piece = together                                                                                      \
    }

static const struct layout layouts[] = {
    {.name = "pitch",
     .settings = {[PITCH_BYTES] = {"pitch", "pitch", "bytes", NULL}},
     .check = pitch_check,
     .chosen = pitch_chosen,
     .place = pitch_place,
     .offset = pitch_offset,
     .linear = true},
    {.name = "block-linear",
     .settings = {[BLOCK_HEIGHT] = {"block-height", "blocks", "GOBs", BLOCK_WANTED " GOBs"},
                  [BLOCK_DEPTH] = {"block-depth", "blocks", "GOBs", BLOCK_WANTED " GOBs"}},
     .fits = block_fits,
     .check = block_check,
     .chosen = block_chosen,
     .place = block_place,
     .offset = block_offset,
     .piece = 16,
     .blocks = true,
     .levels = true},
    TILES("tile-x", 9, 3, 512, tile_x_offset),
    TILES("tile-y", 7, 5, 16, tile_y_offset),
    TILES("tile-4", 7, 5, 16, tile_4_offset),
    {.name = "tile-r580",
     .settings = {[PITCH_BYTES] = {"pitch", "pitch", "bytes", NULL}},
     .check = macro_check,
     .chosen = macro_chosen,
     .place = macro_place,
     .offset = macro_offset,
     .piece = 16},
};

const struct layout *layout_at(unsigned index)
{
    return index < sizeof layouts / sizeof layouts[0] ? &layouts[index] : NULL;
}

const struct layout *layout_find(const char *name)
{
    for (unsigned i = 0; name && layout_at(i); i++)
        if (strcmp(layouts[i].name, name) == 0)
            return &layouts[i];
    return NULL;
}

static const struct layout_setting *setting_of(const struct layout *layout, const char *name)
{
    for (unsigned i = 0; i < LAYOUT_SETTINGS && layout->settings[i].name; i++)
        if (strcmp(layout->settings[i].name, name) == 0)
            return &layout->settings[i];
    return NULL;
}

bool layout_setting(const struct layout *layout, const char *name, unsigned *index, struct atoll_error *error)
{
    const struct layout_setting *found = setting_of(layout, name), *other = NULL;
    for (unsigned i = 0; !found && !other && layout_at(i); i++)
        other = setting_of(&layouts[i], name);
    if (!found)
        return error_set(error, ATOLL_USAGE, "a surface of layout %s has no %s", layout->name,
                         other ? other->what : name);
    *index = (unsigned)(found - layout->settings);
    return true;
}
