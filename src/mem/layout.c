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
 *
 * Sources: envytools' g80-surface, Mesa's nil/tiling, yuzu's texture decoders. Named choices, where these leave the
 * answer open or differ:
 *   - A block shrinks at every level, level 0 too, while half of it would hold the level (Mesa; others say so for
 * levels from 1 on; drivers make no surface where it matters).
 *   - Slices of a 3D surface with pitch layout follow each other without a gap.
 *   - Only block-linear surfaces have mip levels.
 */
#include <string.h>

#include "mem/layout.h"

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
    s->pitch = s->shape.pitch ? s->shape.pitch : pitch_of(s->row_bytes);
    return !__builtin_mul_overflow(s->pitch, s->height, &s->slice_pitch) &&
           !__builtin_mul_overflow(s->slice_pitch, s->slices, all);
}

static uint64_t pitch_offset(const struct surface *surface, uint64_t x, uint32_t y, uint32_t z)
{
    return z * surface->slice_pitch + y * surface->pitch + x;
}

bool block_log2(uint32_t gobs, uint8_t *log2)
{
    *log2 = 0;
    while (gobs > UINT32_C(1) << *log2 && *log2 < BLOCK_LARGEST)
        ++*log2;
    return gobs == 0 || gobs == UINT32_C(1) << *log2;
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
    s->block_height = shrink(s->shape.block_height, (rows + GOB_ROWS - 1) / GOB_ROWS);
    s->block_depth = shrink(s->shape.block_depth, depth);
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

/* ---- the table ------------------------------------------------------------------------------------------ */

static const struct layout layouts[] = {
    {.name = "pitch", .place = pitch_place, .offset = pitch_offset, .linear = true},
    {.name = "block-linear", .place = block_place, .offset = block_offset, .piece = 16, .gobs = true},
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
