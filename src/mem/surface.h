/* Surfaces: dimension, extents, format, layout; and the access rules that all families share: byte or sample
 * addressing, clamp, array index width, alignment, partial vectors. */
#ifndef ATOLL_MEM_SURFACE_H
#define ATOLL_MEM_SURFACE_H

#include "base/bitset.h"
#include "lane/lane.h"
#include "mem/format.h"

#define SURFACE_LARGEST (UINT64_C(1) << 40) /* bytes */
/* Coordinates are signed numbers of 32 bits, x of bytes: nothing beyond can be named, and below zero is, as an unsigned
 * number, outside. */
#define SURFACE_ROW_LARGEST    (UINT64_C(1) << 31)
#define SURFACE_EXTENT_LARGEST INT32_MAX

struct surface;
struct held;
struct written;

enum { LAYOUT_SETTINGS = 4 };

/* What a surface is to be. Zeros choose: one level, what suits the layout. */
struct surface_shape {
    uint8_t dim;                           /* enum lane_dim */
    uint32_t width, height, depth, layers; /* texels of level 0; 0 or 1 where the dimension has none */
    const struct format *format;
    const struct layout *layout;
    uint32_t levels;                    /* mip levels in memory, each half as large as the one before */
    uint32_t level;                     /* the one that accesses name */
    uint64_t settings[LAYOUT_SETTINGS]; /* of the layout's own: layout->settings; 0 where it has fewer */
    bool quad; /* formatted loads at (x, y) give red of (x + 1, y), (x, y + 1), (x + 1, y + 1) and (x, y) */
};

enum {
    LEVELS_LARGEST = 16,
    SURFACE_ALIGN = 64, /* of memory, bytes */
    TILE_SHIFT = 16,    /* log2 of a sparse tile's bytes: 64 KiB of the surface's memory */
};

/* What a layout takes besides its name. */
struct layout_setting {
    const char *name;   /* "block-height" */
    const char *what;   /* what layouts without it have none of: "blocks" */
    const char *unit;   /* "bytes" */
    const char *wanted; /* the values that there are; NULL: they depend on the surface */
};

/* A layout is a bijection from (byte column, row, slice) to byte offset. layout.c */
struct layout {
    const char *name;
    struct layout_setting settings[LAYOUT_SETTINGS]; /* name NULL past the last */
    /* Whether setting `i` can have this value, with some surface; whether all can with this one, of rows of `row`
     * bytes. */
    bool (*fits)(unsigned i, uint64_t value);
    bool (*check)(const struct surface_shape *shape, uint64_t row, struct atoll_error *error);
    /* The settings with what was chosen. */
    void (*chosen)(const struct surface *s, uint64_t settings[LAYOUT_SETTINGS]);
    /* Fills in where the level s->shape.level lies - pitch, slice_pitch, blocks - how many bytes of memory come before
     * it and how many there are in all. False: too many to count. */
    bool (*place)(struct surface *s, uint64_t *before, uint64_t *all);
    /* Offset from surface->texels of byte column x of row y of slice z. */
    uint64_t (*offset)(const struct surface *surface, uint64_t x, uint32_t y, uint32_t z);
    uint32_t piece;                /* aligned bytes of a row that lie together; 0: all of them */
    uint8_t tile_width, tile_rows; /* log2, of a layout of tiles: bytes, rows */
    bool blocks;                   /* layout.h has the function for loops */
    bool linear;                   /* offset = z * slice_pitch + y * pitch + x */
    bool levels;                   /* can have mip levels */
};
const struct layout *layout_find(const char *name); /* "pitch", "block-linear", "tile-y" */
const struct layout *layout_at(unsigned index);     /* NULL past the end */
/* Extent of mip level `level`, of one that has `extent` texels at level 0. */
static inline uint32_t level_extent(uint32_t extent, uint32_t level)
{
    return extent >> level ? extent >> level : 1;
}
/* The number of the layout's setting `name`. ATOLL_USAGE: it has no such setting. */
bool layout_setting(const struct layout *layout, const char *name, unsigned *index, struct atoll_error *error);
/* How many mip levels a shape can have. */
uint32_t shape_levels(const struct surface_shape *shape);

/* A surface, seen as the one level of it that accesses name. */
struct surface {
    uint8_t dim;                           /* enum lane_dim */
    uint32_t width, height, depth, layers; /* texels of the level; 1 where unused */
    uint32_t row_bytes;                    /* width * texel bytes */
    uint32_t slices;                       /* depth or layers */
    uint64_t pitch,
        slice_pitch; /* bytes; in layouts of blocks or tiles: between rows of those, and slices of blocks or layers */
    uint8_t block_height, block_depth; /* of the level in layouts of blocks: log2 of the layout's units */
    bool direct;                       /* linear, enabled, no tile is missing: nothing but the range matters */
    bool disabled;                     /* loads give 0; stores and atomics do nothing */
    bool shared;                       /* somebody else's memory: others than surface accesses reach it */
    const struct format *format;
    const struct layout *layout;
    unsigned char *texels; /* the level's first byte; 64-byte aligned */
    uint64_t size;         /* bytes from there to the end of the memory */
    uint64_t handle;
    uint64_t *missing;     /* a bit for each tile of the memory: set = not resident; NULL = all are */
    unsigned char *memory; /* all levels */
    uint64_t memory_size;
    struct surface_shape shape; /* as asked for */
    const char *name;           /* for messages; NULL: none */
    struct written *written;    /* of memory of its own; NULL: all counts as written */
};

/* Memory of zeros for all levels. */
bool surface_make(const struct surface_shape *shape, struct surface **surface, struct atoll_error *error);
/* In memory that is there and has `room` bytes, aligned to SURFACE_ALIGN; it must stay as long as the surface. */
bool surface_make_at(const struct surface_shape *shape, unsigned char *memory, uint64_t room, struct surface **surface,
                     struct atoll_error *error);
/* One level. */
bool surface_create(uint8_t dim, uint32_t width, uint32_t height, uint32_t depth, uint32_t layers,
                    const struct format *format, const struct layout *layout, struct surface **surface,
                    struct atoll_error *error);
void surface_destroy(struct surface *surface);
/* Bytes of memory that a surface of this shape takes, without making it. */
bool surface_measure(const struct surface_shape *shape, uint64_t *bytes, struct atoll_error *error);
/* The same surface seen as another level: borrows everything, is not to be destroyed. */
bool surface_view(const struct surface *surface, uint32_t level, struct surface *view, struct atoll_error *error);
/* The same, of an access that names a level: counted from the surface's own. One that there is not has no texels:
 * everything lies out of bounds. */
void surface_at_level(const struct surface *surface, uint32_t level, struct surface *view);
void surface_disable(struct surface *surface, bool disabled);
/* Takes tiles [first, first + count) of the memory away or gives them back (what they held is kept). */
bool surface_reside(struct surface *surface, uint64_t first, uint64_t count, bool resident, struct atoll_error *error);
static inline uint64_t surface_tiles(const struct surface *surface)
{
    return (surface->memory_size + (1u << TILE_SHIFT) - 1) >> TILE_SHIFT;
}
/* Whether the tile of the byte `offset` after surface->texels is missing. An access never crosses tiles: it is aligned
 * to its size. */
static inline bool surface_missing(const struct surface *surface, uint64_t offset)
{
    uint64_t tile = ((uint64_t)(surface->texels - surface->memory) + offset) >> TILE_SHIFT;
    return surface->missing && bitset_has(surface->missing, tile);
}

/* Copies all texels of the level from / to a tightly packed array (x, then y, then slice). size must be exact. */
bool surface_upload(struct surface *surface, const void *texels, uint64_t size, struct atoll_error *error);
bool surface_download(const struct surface *surface, void *texels, uint64_t size, struct atoll_error *error);
uint64_t surface_packed_size(const struct surface *surface);
/* Value that suq gives (enum lane_suq). */
uint32_t surface_query(const struct surface *surface, enum lane_suq what);

/* What suql gives: of level `level`, counted from the one that accesses name. */
uint32_t surface_level_query(const struct surface *surface, enum lane_suql what, uint32_t level);
/* How many levels there are from the one that accesses name. */
static inline uint32_t surface_levels(const struct surface *surface)
{
    return surface->shape.levels - surface->shape.level;
}

/* Whether an instruction of geometry `access` may name a surface of geometry `surface`. A 1D instruction and a 1D
 * buffer fit together, both ways; a cube is a 2D array on both sides. */
static inline bool surface_dim_fits(uint8_t surface, uint8_t access)
{
    return surface == access || (surface <= LANE_DIM_1D_BUFFER && access <= LANE_DIM_1D_BUFFER);
}
/* The geometry that an access has with a surface: LANE_DIM_ANY is the surface's own. */
static inline uint8_t surface_dim(const struct surface *surface, const struct lane_access *access)
{
    return access->dim == LANE_DIM_ANY ? surface->dim : access->dim;
}

/* Why lanes of an access could not be carried out. */
enum surface_fault { SURFACE_OK, SURFACE_OUT_OF_BOUNDS, SURFACE_MISALIGNED, SURFACE_DIMENSION, SURFACE_FORMAT };

/* One access of a warp. Pointers are to arrays of LANES elements. Registers may be wider than what they get: elements
 * are extended by the signedness of the access's type, and truncated where they come from. */
struct surface_warp {
    const struct surface *surface;
    const struct lane_access *access;
    struct held *held;       /* reductions that the host thread holds back (held.h); NULL: none */
    uint32_t mask;           /* lanes that take part */
    const int32_t *coord[3]; /* in lane_dim's order; of a level that the access names see surface_at_level */
    /* Loads: destinations, NULL = not wanted; formatted ones: components R, G, B, A. Stores (NULL = zeros), reductions
     * and atomics (operand, or compare and new): sources. */
    void *data[8];
    uint8_t width[8]; /* bits of each register */
    unsigned count;   /* of data; tuple without .vec: more than access->vec (loads broadcast, stores use the first) */
    void *old;        /* atomics: destination; NULL = not wanted */
    uint8_t old_width;
    uint32_t faults;          /* out: lanes that faulted; those and only those did nothing */
    uint32_t absent;          /* out: lanes whose tile is not resident: loads and atomics gave 0, stores did nothing */
    enum surface_fault fault; /* out: of the lowest faulting lane */
};

/* Carry out suld / sust / sured / suatom for a warp. Compiled once per instruction set of the host (surface_warp.c);
 * pick the table once. Return false when any lane faulted. */
struct surface_engine {
    bool (*load)(struct surface_warp *);
    bool (*store)(struct surface_warp *);
    bool (*reduce)(struct surface_warp *);
    bool (*atomic)(struct surface_warp *);
};
extern const struct surface_engine surface_engine_base;
#if defined(__x86_64__)
extern const struct surface_engine surface_engine_v3, surface_engine_v4;
#endif

/* Does an access drop what is out of range, in rows in which `room` accesses have room? (A mip level that is not there
 * has no rows, not short ones.) */
static inline bool surface_drops(const struct surface *surface, const struct lane_access *access, uint32_t room)
{
    return lane_clamp_drops(access->clamp) || (access->short_rows && room == 0 && surface->row_bytes);
}

/* The meaning, one lane at a time: byte offset of the access in surface->texels after clamping.
 * SURFACE_OK with *skip set: out of bounds, which is dropped (load zeros, drop stores). `bytes` = whole access size, a
 * power of two up to 16: the vector of an unformatted access, the texel of sust.p, the element of sured.p. */
enum surface_fault surface_resolve(const struct surface *surface, const struct lane_access *access,
                                   const int32_t coord[3], uint32_t bytes, uint64_t *offset, bool *skip);

#endif
