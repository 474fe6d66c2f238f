/* Surfaces: creation, copies in and out, queries, and surface_resolve: the rules of an access, one lane at a time.
 * surface_warp.c does the same for 32 lanes at once and is held against this file.
 *
 * Named choices, where the PTX ISA and measurements leave the answer open:
 *   - A misaligned x faults under every clamp policy, and is looked at before the range (RTX 3060 measurement: faults;
 *     which of two faults is reported first is ours).
 *   - Negative x and y clamp to 0 with array surfaces too, as they do without layers (RTX 3060 measurement). Kepler's
 *     code clamps them as unsigned there. The layer index is unsigned: -1 clamps to the last layer.
 *   - A row shorter than one access has no place to clamp to: .clamp faults as .trap does.
 *   - sust.p and sured.p scale x by the size of what they access: the texel, or the reduction's element.
 *   - sured.p on formats that are neither uint nor sint is unsigned; an element of another size than the texel is
 * allowed.
 */
#include "mem/surface.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ROW_LARGEST     (UINT64_C(1) << 31) /* x is a signed 32-bit byte offset: nothing beyond is addressable */
#define SURFACE_LARGEST (UINT64_C(1) << 40) /* bytes */
#define HUGE_PAGE       (UINT64_C(2) << 20)

/* ---- layouts ------------------------------------------------------------------------------------------ */

/* Rows begin on cache lines, so that a warp's row of texels is as few vector copies as it can be. Long rows take an odd
 * number of lines: with a power of two the texels of a column would fall into few sets of the cache (a warp's store to
 * a column of 4096-texel rows takes 3 times as long). */
static uint64_t pitch_of(uint64_t row_bytes)
{
    uint64_t lines = (row_bytes + 63) / 64;
    return 64 * (lines >= 16 ? lines | 1 : lines);
}

static uint64_t pitch_size(uint64_t row_bytes, uint32_t rows, uint32_t slices)
{
    return pitch_of(row_bytes) * rows * slices;
}

static uint64_t pitch_offset(const struct surface *surface, uint64_t x, uint32_t y, uint32_t z)
{
    return z * surface->slice_pitch + y * surface->pitch + x;
}

static const struct layout layouts[] = {
    {"pitch", pitch_size, pitch_offset, true},
};

const struct layout *layout_find(const char *name)
{
    for (unsigned i = 0; name && i < sizeof layouts / sizeof layouts[0]; i++)
        if (strcmp(layouts[i].name, name) == 0)
            return &layouts[i];
    return NULL;
}

/* ---- creation ----------------------------------------------------------------------------------------- */

struct owner {
    struct surface surface;
    void *memory; /* what calloc gave */
};

struct extents {
    const char *name;
    bool height, depth, layers; /* used */
};

static const struct extents dims[LANE_DIMS] = {
    [LANE_DIM_1D] = {"1D", false, false, false},
    [LANE_DIM_1D_BUFFER] = {"1D buffer", false, false, false},
    [LANE_DIM_1D_ARRAY] = {"1D array", false, false, true},
    [LANE_DIM_2D] = {"2D", true, false, false},
    [LANE_DIM_2D_ARRAY] = {"2D array", true, false, true},
    [LANE_DIM_3D] = {"3D", true, true, false},
};

static bool check_extent(const char *name, bool used, uint32_t *value, const char *dim, struct atoll_error *error)
{
    if (used && *value == 0)
        return error_set(error, ATOLL_USAGE, "%s of a %s surface is 0: must be at least 1", name, dim);
    if (!used && *value > 1)
        return error_set(error, ATOLL_USAGE, "%s of a %s surface is %" PRIu32 ": must be 0 or 1", name, dim, *value);
    if (*value > INT32_MAX)
        return error_set(error, ATOLL_USAGE, "%s of a %s surface is %" PRIu32 ": must be below 2^31", name, dim,
                         *value);
    if (*value == 0)
        *value = 1;
    return true;
}

static bool check_extents(struct surface *s, struct atoll_error *error)
{
    const struct extents *use = &dims[s->dim];
    return check_extent("width", true, &s->width, use->name, error) &&
           check_extent("height", use->height, &s->height, use->name, error) &&
           check_extent("depth", use->depth, &s->depth, use->name, error) &&
           check_extent("layers", use->layers, &s->layers, use->name, error);
}

static bool measure(struct surface *s, struct atoll_error *error)
{
    uint64_t row = (uint64_t)s->width * s->format->bytes;
    if (row > ROW_LARGEST)
        return error_set(error, ATOLL_USAGE, "a row of %" PRIu32 " texels of %u bytes: must be at most 2^31 bytes",
                         s->width, s->format->bytes);
    s->row_bytes = (uint32_t)row;
    s->slices = s->depth > s->layers ? s->depth : s->layers;
    s->pitch = pitch_of(row);
    /* Checked before any product: each step stays below 2^31 * 2^40. */
    bool fits = s->pitch <= SURFACE_LARGEST / s->height;
    s->slice_pitch = fits ? s->pitch * s->height : 0;
    fits = fits && s->slice_pitch <= SURFACE_LARGEST / s->slices;
    s->size = fits ? s->layout->size(row, s->height, s->slices) : 0;
    if (!fits || s->size > SURFACE_LARGEST)
        return error_set(error, ATOLL_LIMIT,
                         "a surface of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                         " texels of %u bytes: must be at most 2^40 "
                         "bytes",
                         s->width, s->height, s->slices, s->format->bytes);
    return true;
}

/* calloc leaves large memory untouched until it is used. Fewer, larger pages make the first use of it cheaper. */
static bool allocate(struct owner *owner)
{
    struct surface *s = &owner->surface;
    bool huge = s->size >= 2 * HUGE_PAGE;
    uint64_t align = huge ? HUGE_PAGE : 64;
    owner->memory = calloc(1, s->size + align);
    if (!owner->memory)
        return false;
    uintptr_t start = ((uintptr_t)owner->memory + align - 1) & ~(uintptr_t)(align - 1);
    s->texels = (unsigned char *)start;
#if defined(MADV_HUGEPAGE)
    if (huge) /* a hint: failure changes nothing */
        (void)madvise(s->texels, s->size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
    return true;
}

bool surface_create(uint8_t dim, uint32_t width, uint32_t height, uint32_t depth, uint32_t layers,
                    const struct format *format, const struct layout *layout, struct surface **surface,
                    struct atoll_error *error)
{
    *surface = NULL;
    if (dim >= LANE_DIMS)
        return error_set(error, ATOLL_USAGE, "no such surface dimension: %u", dim);
    if (!format || !layout)
        return error_set(error, ATOLL_USAGE, "a surface needs a %s", format ? "layout" : "format");
    struct owner *owner = calloc(1, sizeof *owner);
    if (!owner)
        return error_memory(error);
    owner->surface = (struct surface){.dim = dim,
                                      .width = width,
                                      .height = height,
                                      .depth = depth,
                                      .layers = layers,
                                      .format = format,
                                      .layout = layout};
    if (!check_extents(&owner->surface, error) || !measure(&owner->surface, error)) {
        free(owner);
        return false;
    }
    if (!allocate(owner)) {
        error_set(error, ATOLL_MEMORY, "the host has no memory for a surface of %" PRIu64 " bytes",
                  owner->surface.size);
        free(owner);
        return false;
    }
    *surface = &owner->surface;
    return true;
}

void surface_destroy(struct surface *surface)
{
    struct owner *owner = (struct owner *)surface; /* its first member */
    if (!owner)
        return;
    free(owner->memory);
    free(owner);
}

/* ---- copies -------------------------------------------------------------------------------------------- */

uint64_t surface_packed_size(const struct surface *surface)
{
    return (uint64_t)surface->row_bytes * surface->height * surface->slices;
}

/* Copies all rows between the surface and a packed array; exactly one of `in` and `out` is given. */
static void copy_rows(const struct surface *s, const unsigned char *in, unsigned char *out)
{
    uint32_t piece = s->layout->linear ? s->row_bytes : 1; /* bytes known to lie together */
    uint64_t at = 0;
    for (uint32_t z = 0; z < s->slices; z++)
        for (uint32_t y = 0; y < s->height; y++)
            for (uint32_t x = 0; x < s->row_bytes; x += piece, at += piece) {
                unsigned char *texel = s->texels + s->layout->offset(s, x, y, z);
                if (in)
                    memcpy(texel, in + at, piece);
                else
                    memcpy(out + at, texel, piece);
            }
}

static bool check_size(const struct surface *surface, uint64_t size, struct atoll_error *error)
{
    if (size == surface_packed_size(surface))
        return true;
    return error_set(error, ATOLL_USAGE, "%" PRIu64 " bytes for a surface of %" PRIu64, size,
                     surface_packed_size(surface));
}

bool surface_upload(struct surface *surface, const void *texels, uint64_t size, struct atoll_error *error)
{
    if (!check_size(surface, size, error))
        return false;
    copy_rows(surface, texels, NULL);
    return true;
}

bool surface_download(const struct surface *surface, void *texels, uint64_t size, struct atoll_error *error)
{
    if (!check_size(surface, size, error))
        return false;
    copy_rows(surface, NULL, texels);
    return true;
}

/* ---- queries ------------------------------------------------------------------------------------------- */

/* Named choices: extents that the dimension does not have read 1, as a texture header stores them; memory_layout is 0
 * for every surface (the PTX ISA: 1 for linear memory, which no CUDA surface has); the channel enums are OpenCL's. */
uint32_t surface_query(const struct surface *surface, enum lane_suq what)
{
    switch (what) {
    case LANE_SUQ_WIDTH:
        return surface->width;
    case LANE_SUQ_HEIGHT:
        return surface->height;
    case LANE_SUQ_DEPTH:
        return surface->depth;
    case LANE_SUQ_CHANNEL_DATA_TYPE:
        return surface->format->cl_type;
    case LANE_SUQ_CHANNEL_ORDER:
        return surface->format->cl_order;
    case LANE_SUQ_ARRAY_SIZE:
        return dims[surface->dim].layers ? surface->layers : 0;
    default: /* LANE_SUQ_MEMORY_LAYOUT */
        return 0;
    }
}

/* ---- the law ------------------------------------------------------------------------------------------- */

/* Moves *v into [0, count) if the policy is .clamp; false if it is outside. */
static bool settle(int64_t *v, int64_t count, uint8_t clamp)
{
    if (*v >= 0 && *v < count)
        return true;
    if (clamp != LANE_CLAMP_NEAR || count <= 0)
        return false;
    *v = *v < 0 ? 0 : count - 1;
    return true;
}

enum surface_fault surface_resolve(const struct surface *surface, const struct lane_access *access,
                                   const int32_t coord[3], uint32_t bytes, uint64_t *offset, bool *skip)
{
    *skip = false;
    *offset = 0;
    if (!surface_dim_fits(surface->dim, access->dim))
        return SURFACE_DIMENSION;
    int64_t x = coord[0], y = 0, z = 0;
    /* In units of one access: there is room for row_bytes / bytes of them. */
    if (access->unit == LANE_UNIT_BYTE) {
        if (x & (int64_t)(bytes - 1))
            return SURFACE_MISALIGNED;
        x /= bytes;
    }
    if (dims[access->dim].height)
        y = coord[1];
    if (dims[access->dim].depth)
        z = coord[2];
    if (dims[access->dim].layers)
        z = (uint32_t)coord[dims[access->dim].height ? 2 : 1];
    bool inside = settle(&x, surface->row_bytes / bytes, access->clamp);
    inside = settle(&y, surface->height, access->clamp) && inside;
    inside = settle(&z, surface->slices, access->clamp) && inside;
    if (inside)
        *offset = surface->layout->offset(surface, (uint64_t)x * bytes, (uint32_t)y, (uint32_t)z);
    *skip = !inside && access->clamp == LANE_CLAMP_ZERO;
    return inside || *skip ? SURFACE_OK : SURFACE_OUT_OF_BOUNDS;
}
