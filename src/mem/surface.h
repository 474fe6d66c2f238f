/* Surfaces: dimension, extents, format, layout; and the access rules that all families share: byte or sample
 * addressing, clamp, array index width, alignment, partial vectors. */
#ifndef ATOLL_MEM_SURFACE_H
#define ATOLL_MEM_SURFACE_H

#include "lane/lane.h"
#include "mem/format.h"

struct surface;
struct held;

/* A layout is a bijection from (byte column, row, slice) to byte offset. */
struct layout {
    const char *name;
    /* Bytes that a surface of `row_bytes` x rows x slices takes. */
    uint64_t (*size)(uint64_t row_bytes, uint32_t rows, uint32_t slices);
    /* Offset of byte column x of row y of slice z. */
    uint64_t (*offset)(const struct surface *surface, uint64_t x, uint32_t y, uint32_t z);
    bool linear; /* bytes of a row are consecutive: offset = z * slice_pitch + y * pitch + x */
};
const struct layout *layout_find(const char *name); /* "pitch" */

struct surface {
    uint8_t dim;                           /* enum lane_dim */
    uint32_t width, height, depth, layers; /* texels; 1 where unused */
    uint32_t row_bytes;                    /* width * texel bytes */
    uint32_t slices;                       /* depth or layers */
    uint64_t pitch, slice_pitch;           /* bytes */
    const struct format *format;
    const struct layout *layout;
    unsigned char *texels; /* layout->size bytes, 64-byte aligned */
    uint64_t handle;
    uint64_t size; /* of texels */
};

bool surface_create(uint8_t dim, uint32_t width, uint32_t height, uint32_t depth, uint32_t layers,
                    const struct format *format, const struct layout *layout, struct surface **surface,
                    struct atoll_error *error);
void surface_destroy(struct surface *surface);
/* Copies all texels from / to a tightly packed array (x, then y, then slice). size must be exact. */
bool surface_upload(struct surface *surface, const void *texels, uint64_t size, struct atoll_error *error);
bool surface_download(const struct surface *surface, void *texels, uint64_t size, struct atoll_error *error);
uint64_t surface_packed_size(const struct surface *surface);
/* Value that suq gives (enum lane_suq). */
uint32_t surface_query(const struct surface *surface, enum lane_suq what);

/* Whether an instruction of geometry `access` may name a surface of geometry `surface`. A 1D instruction and a 1D
 * buffer fit together, both ways; a cube is a 2D array on both sides. */
static inline bool surface_dim_fits(uint8_t surface, uint8_t access)
{
    return surface == access || (surface <= LANE_DIM_1D_BUFFER && access <= LANE_DIM_1D_BUFFER);
}

/* Why lanes of an access could not be carried out. */
enum surface_fault { SURFACE_OK, SURFACE_OUT_OF_BOUNDS, SURFACE_MISALIGNED, SURFACE_DIMENSION, SURFACE_FORMAT };

/* One access of a warp. Pointers are to arrays of LANES elements. */
struct surface_warp {
    const struct surface *surface;
    const struct lane_access *access;
    struct held *held;       /* reductions that the host thread holds back (held.h); NULL: none */
    uint32_t mask;           /* lanes that take part */
    const int32_t *coord[3]; /* in lane_dim's order */
    void *data[8];           /* loads: destinations; stores and reductions: sources. May be NULL (sink) */
    uint8_t width[8];        /* bits of each register: elements are zero-extended / truncated */
    unsigned count;  /* of data; tuple without .vec: more than access->vec (loads broadcast, stores use the first) */
    uint32_t faults; /* out: lanes that faulted; those and only those did nothing */
    enum surface_fault fault; /* out: of the lowest faulting lane */
};

/* Carry out suld / sust / sured for a warp. Compiled once per instruction set of the host (surface_warp.c);
 * pick the table once. Return false when any lane faulted. */
struct surface_engine {
    bool (*load)(struct surface_warp *);
    bool (*store)(struct surface_warp *);
    bool (*reduce)(struct surface_warp *);
};
extern const struct surface_engine surface_engine_base;
#if defined(__x86_64__)
extern const struct surface_engine surface_engine_v3, surface_engine_v4;
#endif

/* The meaning, one lane at a time: byte offset of the access in surface->texels after clamping.
 * SURFACE_OK with *skip set: .zero and out of bounds (load zeros, drop stores). `bytes` = whole access size, a power of
 * two up to 16: the vector of an unformatted access, the texel of sust.p, the element of sured.p. */
enum surface_fault surface_resolve(const struct surface *surface, const struct lane_access *access,
                                   const int32_t coord[3], uint32_t bytes, uint64_t *offset, bool *skip);

#endif
