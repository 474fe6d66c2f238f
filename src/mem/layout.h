/* Settings of the layouts; the block-linear address function, for loops over lanes as well as for the table (layout.c).
 */
#ifndef ATOLL_MEM_LAYOUT_H
#define ATOLL_MEM_LAYOUT_H

#include "mem/surface.h"

/* Settings of the layouts. */
enum { PITCH_BYTES = 0 };                   /* pitch, and the layouts of tiles */
enum { BLOCK_HEIGHT = 0, BLOCK_DEPTH = 1 }; /* block-linear: GOBs */
enum {
    PITCH_UNIT = 8,    /* bytes; headers of surfaces may ask for more */
    BLOCK_LARGEST = 5, /* log2: 32 GOBs */
    TILE_BYTES = 12,   /* log2, of the tiles of a layout of tiles: 4 KiB */
};

/* log2 of a block's GOBs, of which 0 counts as 1; of others than powers of two, something. */
static inline uint8_t block_log2(uint64_t gobs)
{
    return gobs ? (uint8_t)__builtin_ctzll(gobs) : 0;
}

/* A GOB. */
enum { GOB_WIDTH = 64 /* bytes */, GOB_ROWS = 8, GOB_SHIFT = 9 /* log2 of its bytes */ };

/* Offset of byte (x, y) of slice z, of a surface whose bytes a `word` can count; `inside`: in a GOB. */
#define LAYOUT_BLOCK_OFFSET(name, word)                                                                              \
    static inline word name(const struct surface *s, word x, word y, word z)                                         \
    {                                                                                                                \
        unsigned bh = s->block_height, bd = s->block_depth;                                                          \
        word block =                                                                                                 \
            (z >> bd) * (word)s->slice_pitch + (y >> (3 + bh)) * (word)s->pitch + (x >> 6 << (GOB_SHIFT + bh + bd)); \
        word gob = (z & (((word)1 << bd) - 1)) << bh | (y >> 3 & (((word)1 << bh) - 1));                             \
        word inside = (x & 0x20) << 3 | (y & 6) << 5 | (x & 0x10) << 1 | (y & 1) << 4 | (x & 0xf);                   \
        return block + (gob << GOB_SHIFT) + inside;                                                                  \
    }
LAYOUT_BLOCK_OFFSET(layout_block_offset, uint64_t)
LAYOUT_BLOCK_OFFSET(layout_block_offset_32, uint32_t)

#endif
