/* Surfaces: creation, copies in and out, queries, and surface_resolve: the rules of an access, one lane at a time.
 * surface_warp.c does the same for 32 lanes at once and is held against this file.
 *
 * Named choices, where the PTX ISA and measurements leave the answer open:
 *   - A misaligned x faults under every clamp policy, and is looked at before the range (RTX 3060 measurement: faults;
 *     which of two faults is reported first is ours).
 *   - Negative x and y clamp to 0 with array surfaces too, as they do without layers (RTX 3060 measurement). Kepler's
 *     code clamps them as unsigned there. The layer index is unsigned: -1 clamps to the last layer.
 *   - A row shorter than one access has no place to clamp to: the access says what .clamp is there (short_rows).
 *   - sust.p and sured.p scale x by the size of what they access: the texel, or the reduction's element.
 *   - An element of sured.p of another size than the texel is allowed. suatom by the surface's format too.
 *   - A disabled surface has no extents: nothing faults. Loads and atomics of it, of texels out of range under .zero
 * and of sparse tiles that are not resident return 0 in every component; stores do nothing.
 *   - The accesses of LANE_DIM_ANY, which do not know what is bound, must have the texel's size.
 *   - LANE_CLAMP_NEAR finds no texel in a mip level that there is not, and faults.
 *   - A residency predicate is false where the texel's tile is not resident and true otherwise, out of range and on
 *     disabled surfaces too. (A front end whose predicate is the opposite inverts it.)
 */
#include "mem/surface.h"

#include "mem/written.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (UINT64_C(2) << 20)

/* ---- creation ----------------------------------------------------------------------------------------- */

struct owner {
    struct surface surface;
    void *memory; /* what calloc gave; NULL: the memory is somebody else's */
};

static bool check_extent(const char *name, bool used, uint32_t *value, const char *dim, struct atoll_error *error)
{
    if (used && *value == 0)
        return error_set(error, ATOLL_USAGE, "%s of a %s surface is 0: must be at least 1", name, dim);
    if (!used && *value > 1)
        return error_set(error, ATOLL_USAGE, "%s of a %s surface is %" PRIu32 ": must be 0 or 1", name, dim, *value);
    if (*value > SURFACE_EXTENT_LARGEST)
        return error_set(error, ATOLL_USAGE, "%s of a %s surface is %" PRIu32 ": must be below 2^31", name, dim,
                         *value);
    if (*value == 0)
        *value = 1;
    return true;
}

static bool check_extents(struct surface_shape *s, struct atoll_error *error)
{
    const char *name = lane_geometries[s->dim].name;
    return check_extent("width", true, &s->width, name, error) &&
           check_extent("height", lane_has_axis(s->dim, LANE_AXIS_ROW), &s->height, name, error) &&
           check_extent("depth", lane_has_axis(s->dim, LANE_AXIS_SLICE), &s->depth, name, error) &&
           check_extent("layers", lane_has_axis(s->dim, LANE_AXIS_LAYER), &s->layers, name, error);
}

static bool check_levels(struct surface_shape *s, struct atoll_error *error)
{
    uint32_t most = s->layout->levels ? shape_levels(s) : 1;
    if (s->levels == 0)
        s->levels = 1;
    if (s->levels > most && !s->layout->levels)
        return error_set(error, ATOLL_USAGE, "%" PRIu32 " mip levels: a surface of layout %s has one", s->levels,
                         s->layout->name);
    if (s->levels > most)
        return error_set(error, ATOLL_USAGE,
                         "%" PRIu32 " mip levels: a surface of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                         " texels has at most %" PRIu32,
                         s->levels, s->width, s->height, s->depth, most);
    if (s->level >= s->levels)
        return error_set(error, ATOLL_USAGE, "mip level %" PRIu32 ": the surface has levels 0 to %" PRIu32, s->level,
                         s->levels - 1);
    return true;
}

static bool check_layout(const struct surface_shape *s, uint64_t row, struct atoll_error *error)
{
    if (!s->layout->linear && s->dim == LANE_DIM_1D_BUFFER)
        return error_set(error, ATOLL_USAGE, "a 1D buffer is linear memory: its layout cannot be %s", s->layout->name);
    for (unsigned i = 0; i < LAYOUT_SETTINGS; i++)
        if (s->settings[i] && !s->layout->settings[i].name)
            return error_set(error, ATOLL_USAGE, "a surface of layout %s has no setting %u", s->layout->name, i);
    return s->layout->check(s, row, error);
}

/* Everything but the memory. *before: bytes of memory before the level. */
static bool measure(struct surface *s, uint64_t *before, struct atoll_error *error)
{
    struct surface_shape *shape = &s->shape;
    if (shape->dim >= LANE_DIMS)
        return error_set(error, ATOLL_USAGE, "no such surface dimension: %u", shape->dim);
    if (!shape->format || !shape->layout)
        return error_set(error, ATOLL_USAGE, "a surface needs a %s", shape->format ? "layout" : "format");
    if (!check_extents(shape, error) || !check_levels(shape, error))
        return false;
    uint64_t row = (uint64_t)shape->width * shape->format->bytes;
    if (row > SURFACE_ROW_LARGEST)
        return error_set(error, ATOLL_USAGE, "a row of %" PRIu32 " texels of %u bytes: must be at most 2^31 bytes",
                         shape->width, shape->format->bytes);
    if (!check_layout(shape, row, error))
        return false;
    s->dim = shape->dim;
    s->format = shape->format;
    s->layout = shape->layout;
    s->width = level_extent(shape->width, shape->level);
    s->height = level_extent(shape->height, shape->level);
    s->depth = level_extent(shape->depth, shape->level);
    s->layers = shape->layers;
    s->row_bytes = s->width * s->format->bytes;
    s->slices = s->depth > s->layers ? s->depth : s->layers;
    if (!s->layout->place(s, before, &s->memory_size) || s->memory_size > SURFACE_LARGEST)
        return error_set(
            error, ATOLL_LIMIT,
            "a surface of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " texels of %u bytes: must be at most 2^40 "
            "bytes",
            shape->width, shape->height, shape->depth > shape->layers ? shape->depth : shape->layers, s->format->bytes);
    assert(*before <= s->memory_size && s->slices && s->height && s->width);
    s->size = s->memory_size - *before;
    return true;
}

bool surface_measure(const struct surface_shape *shape, uint64_t *bytes, struct atoll_error *error)
{
    struct surface measured = {.shape = *shape};
    uint64_t before;
    if (!measure(&measured, &before, error))
        return false;
    *bytes = measured.memory_size;
    return true;
}

/* Nothing but the range of the coordinates matters. */
static void set_direct(struct surface *s)
{
    s->direct = s->layout->linear && !s->disabled && !s->missing && !s->shape.quad;
}

/* calloc leaves large memory untouched until it is used. Fewer, larger pages make the first use of it cheaper. */
static bool allocate(struct owner *owner)
{
    struct surface *s = &owner->surface;
    bool huge = s->memory_size >= 2 * HUGE_PAGE;
    uint64_t align = huge ? HUGE_PAGE : SURFACE_ALIGN;
    owner->memory = calloc(1, s->memory_size + align);
    if (!owner->memory)
        return false;
    uintptr_t start = ((uintptr_t)owner->memory + align - 1) & ~(uintptr_t)(align - 1);
    s->memory = (unsigned char *)start;
#if defined(MADV_HUGEPAGE)
    if (huge) /* a hint: failure changes nothing */
        (void)madvise(s->memory, s->memory_size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
    return true;
}

static bool no_memory(uint64_t bytes, struct atoll_error *error)
{
    return error_set(error, ATOLL_MEMORY, "the host has no memory for a surface of %" PRIu64 " bytes", bytes);
}

static bool no_room(const struct surface *s, uint64_t room, struct atoll_error *error)
{
    char padded[120] = "";
    if (s->layout->linear && s->pitch > s->row_bytes)
        snprintf(padded, sizeof padded,
                 ": its rows of %" PRIu32 " bytes are padded to %" PRIu64
                 " (the layout's pitch, pitch=BYTES, changes that)",
                 s->row_bytes, s->pitch);
    return error_set(error, ATOLL_USAGE,
                     "a surface of %" PRIu64 " bytes does not fit in the %" PRIu64 " that are there%s", s->memory_size,
                     room, padded);
}

/* `given` NULL: in memory of its own. */
static bool make(const struct surface_shape *shape, unsigned char *given, uint64_t room, struct surface **surface,
                 struct atoll_error *error)
{
    *surface = NULL;
    uint64_t before;
    struct owner *owner = calloc(1, sizeof *owner);
    if (!owner)
        return error_memory(error);
    struct surface *s = &owner->surface;
    s->shape = *shape;
    bool ok = measure(s, &before, error);
    if (ok && given)
        ok = s->memory_size <= room || no_room(s, room, error);
    else if (ok)
        ok = allocate(owner) || no_memory(s->memory_size, error);
    if (!ok) {
        free(owner);
        return false;
    }
    if (given) {
        assert((uintptr_t)given % SURFACE_ALIGN == 0);
        s->memory = given;
        s->shared = true;
    }
    s->texels = s->memory + before;
    set_direct(s);
    *surface = s;
    return true;
}

bool surface_make(const struct surface_shape *shape, struct surface **surface, struct atoll_error *error)
{
    return make(shape, NULL, 0, surface, error);
}

bool surface_make_at(const struct surface_shape *shape, unsigned char *memory, uint64_t room, struct surface **surface,
                     struct atoll_error *error)
{
    return make(shape, memory, room, surface, error);
}

bool surface_create(uint8_t dim, uint32_t width, uint32_t height, uint32_t depth, uint32_t layers,
                    const struct format *format, const struct layout *layout, struct surface **surface,
                    struct atoll_error *error)
{
    const struct surface_shape shape = {.dim = dim,
                                        .width = width,
                                        .height = height,
                                        .depth = depth,
                                        .layers = layers,
                                        .format = format,
                                        .layout = layout};
    return surface_make(&shape, surface, error);
}

void surface_destroy(struct surface *surface)
{
    struct owner *owner = (struct owner *)surface; /* its first member */
    if (!owner)
        return;
    free(surface->missing);
    written_free(surface->written);
    free(owner->memory);
    free(owner);
}

bool surface_view(const struct surface *surface, uint32_t level, struct surface *view, struct atoll_error *error)
{
    uint64_t before;
    *view = *surface;
    view->shape.level = level;
    if (!measure(view, &before, error))
        return false;
    view->texels = view->memory + before;
    return true;
}

void surface_at_level(const struct surface *surface, uint32_t level, struct surface *view)
{
    if (level < surface_levels(surface) && surface_view(surface, surface->shape.level + level, view, NULL))
        return;
    *view = *surface;
    view->width = view->row_bytes = 0;
}

void surface_disable(struct surface *surface, bool disabled)
{
    surface->disabled = disabled;
    set_direct(surface);
}

bool surface_reside(struct surface *surface, uint64_t first, uint64_t count, bool resident, struct atoll_error *error)
{
    uint64_t tiles = surface_tiles(surface);
    if (first > tiles || count > tiles - first)
        return error_set(error, ATOLL_USAGE,
                         "tiles %" PRIu64 " to %" PRIu64 ": the surface has %" PRIu64 " tiles of 64 KiB, from 0", first,
                         first + count - 1, tiles);
    if (!surface->missing && !(surface->missing = calloc(tiles / 64 + 1, sizeof *surface->missing)))
        return error_memory(error);
    for (uint64_t tile = first; tile < first + count; tile++)
        if (resident)
            bitset_remove(surface->missing, tile);
        else
            bitset_add(surface->missing, tile);
    set_direct(surface);
    return true;
}

/* ---- copies -------------------------------------------------------------------------------------------- */

uint64_t surface_packed_size(const struct surface *surface)
{
    return (uint64_t)surface->row_bytes * surface->height * surface->slices;
}

/* Copies all rows between the surface and a packed array; exactly one of `in` and `out` is given. */
static void copy_rows(const struct surface *s, const unsigned char *in, unsigned char *out)
{
    uint32_t most = s->layout->piece ? s->layout->piece : s->row_bytes, piece;
    uint64_t at = 0;
    for (uint32_t z = 0; z < s->slices; z++)
        for (uint32_t y = 0; y < s->height; y++)
            for (uint32_t x = 0; x < s->row_bytes; x += piece, at += piece) {
                unsigned char *texel = s->texels + s->layout->offset(s, x, y, z);
                piece = s->row_bytes - x < most ? s->row_bytes - x : most;
                assert(piece && texel + piece <= s->texels + s->size);
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

/* Extent of coordinate `index` at a level; 0: there is no such coordinate. */
static uint32_t level_coordinate(const struct surface *surface, unsigned index, uint32_t level)
{
    const struct lane_geometry *geometry = &lane_geometries[surface->dim];
    if (index >= geometry->coordinates)
        return 0;
    switch (index ? geometry->axes[index - 1] : LANE_AXIS_NONE) {
    case LANE_AXIS_ROW:
        return level_extent(surface->height, level);
    case LANE_AXIS_SLICE:
        return level_extent(surface->depth, level);
    case LANE_AXIS_LAYER:
        return surface->layers;
    default: /* the first */
        return level_extent(surface->width, level);
    }
}

/* memory_layout is 1 for surfaces with linear memory layout, else 0 (PTX ISA, "suq"): pitch and buffers are linear,
 * block-linear is not. The channel enums are OpenCL's. */
uint32_t surface_query(const struct surface *surface, enum lane_suq what)
{
    switch (what) {
    case LANE_SUQ_FIRST:
    case LANE_SUQ_SECOND:
    case LANE_SUQ_THIRD:
        return level_coordinate(surface, what - LANE_SUQ_FIRST, 0);
    case LANE_SUQ_CHANNEL_DATA_TYPE:
        return surface->format->cl_type;
    case LANE_SUQ_CHANNEL_ORDER:
        return surface->format->cl_order;
    case LANE_SUQ_ARRAY_SIZE:
        return lane_has_axis(surface->dim, LANE_AXIS_LAYER) ? surface->layers : 0;
    default: /* LANE_SUQ_MEMORY_LAYOUT */
        return surface->layout->linear || surface->dim == LANE_DIM_1D_BUFFER;
    }
}

uint32_t surface_level_query(const struct surface *surface, enum lane_suql what, uint32_t level)
{
    if (what == LANE_SUQL_LEVELS)
        return surface_levels(surface);
    if (what == LANE_SUQL_SAMPLES)
        return 1;
    return level < surface_levels(surface) ? level_coordinate(surface, what - LANE_SUQL_FIRST, level) : 0;
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
    *skip = surface->disabled;
    *offset = 0;
    if (surface->disabled)
        return SURFACE_OK;
    bool any = access->dim == LANE_DIM_ANY;
    uint8_t dim = surface_dim(surface, access);
    if (!surface_dim_fits(surface->dim, dim))
        return SURFACE_DIMENSION;
    if (any && bytes != surface->format->bytes)
        return SURFACE_FORMAT;
    int64_t x = any ? (int64_t)(uint32_t)coord[0] : coord[0], y = 0, z = 0;
    /* In units of one access: there is room for row_bytes / bytes of them. */
    if (access->unit == LANE_UNIT_BYTE) {
        if (x & (int64_t)(bytes - 1))
            return SURFACE_MISALIGNED;
        x /= bytes;
    }
    const struct lane_geometry *geometry = &lane_geometries[dim];
    for (unsigned i = 1; i < geometry->coordinates; i++) {
        bool is_unsigned = any || geometry->axes[i - 1] == LANE_AXIS_LAYER;
        int64_t v = is_unsigned ? (int64_t)(uint32_t)coord[i] : coord[i];
        if (geometry->axes[i - 1] == LANE_AXIS_ROW)
            y = v;
        else
            z = v;
    }
    bool inside = settle(&x, surface->row_bytes / bytes, access->clamp);
    inside = settle(&y, surface->height, access->clamp) && inside;
    inside = settle(&z, surface->slices, access->clamp) && inside;
    assert(!inside || (x >= 0 && (uint64_t)x * bytes + bytes <= surface->row_bytes && z < surface->slices));
    if (inside)
        *offset = surface->layout->offset(surface, (uint64_t)x * bytes, (uint32_t)y, (uint32_t)z);
    assert(!inside || *offset + bytes <= surface->size);
    *skip = inside ? surface_missing(surface, *offset) : surface_drops(surface, access, surface->row_bytes / bytes);
    return inside || *skip ? SURFACE_OK : SURFACE_OUT_OF_BOUNDS;
}
