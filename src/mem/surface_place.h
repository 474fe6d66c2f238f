/* Where the lanes of a surface access go: what surface_warp.c and surface_atomic.c begin with. Compiled once per
 * instruction set of the host (KERNEL_SET). */
#ifndef ATOLL_MEM_SURFACE_PLACE_H
#define ATOLL_MEM_SURFACE_PLACE_H

#include "mem/held.h"
#include "mem/lanes.h"
#include "mem/layout.h"

#include <string.h>

#ifndef KERNEL_SET
#define KERNEL_SET base
#endif
#define SET_PASTE2(a, b) a##_##b
#define SET_PASTE(a, b)  SET_PASTE2(a, b)
#define SET_NAME(name)   SET_PASTE(name, KERNEL_SET)

#define INLINE static inline __attribute__((always_inline))
#define ALL    UINT32_MAX

enum { ACCESS_LARGEST = 16 }; /* bytes */

/* log2 of the bytes of a type that a surface access can have; 255: none. */
static unsigned type_shift(uint8_t type)
{
    static const uint8_t shifts[LANE_TYPES] = {
        [LANE_VOID] = 255, [LANE_PRED] = 255, [LANE_B16] = 1,    [LANE_B32] = 2,   [LANE_B64] = 3,
        [LANE_B128] = 255, [LANE_U16] = 1,    [LANE_U32] = 2,    [LANE_U64] = 3,   [LANE_S16] = 1,
        [LANE_S32] = 2,    [LANE_S64] = 3,    [LANE_F16] = 1,    [LANE_BF16] = 1,  [LANE_F32] = 2,
        [LANE_F64] = 3,    [LANE_F16X2] = 2,  [LANE_BF16X2] = 2, [LANE_U16X2] = 2, [LANE_S16X2] = 2,
    };
    return type < LANE_TYPES ? shifts[type] : 255;
}

/* ---- where the lanes go ------------------------------------------------------------------------------------ */

struct place {
    const struct surface *surface;
    uint32_t go;    /* lanes that access memory */
    uint32_t zero;  /* lanes that read zeros or drop what they store */
    uint32_t joins; /* lane i's bytes lie right after lane i - 1's */
    bool whole;     /* all 32 lanes are one run */
    unsigned part;  /* each so many lanes are one run, of all lanes: 16 or 8, blocks as wide; 0: not so */
    uint32_t scale; /* bytes of one step of x */
    unsigned naxes; /* coordinates beyond x */
    const int32_t *coord[3];
    uint64_t stride[3]; /* bytes of one step of coord[i] */
    uint32_t last[3];   /* largest valid coord[i] */
    int32_t clamped[3][LANES];
    uint64_t offset[LANES]; /* where each lane goes, unless the layout is linear */
};

INLINE unsigned char *address(const struct place *p, unsigned lane)
{
    const struct surface *s = p->surface;
    if (__builtin_expect(!s->layout->linear, 0))
        return s->texels + p->offset[lane];
    uint64_t offset = (uint64_t)(uint32_t)p->coord[0][lane] * p->scale;
    for (unsigned i = 1; i <= p->naxes; i++)
        offset += (uint64_t)(uint32_t)p->coord[i][lane] * p->stride[i];
    return s->texels + offset;
}

/* Row and slice of each lane, from the coordinates beyond x. Lanes that do not go anywhere get a nonsense. */
static void rows_and_slices(const struct place *p, uint32_t row[LANES], uint32_t slice[LANES])
{
    static const int32_t zeros[LANES];
    bool layers_only = p->surface->dim == LANE_DIM_1D_ARRAY;
    memcpy(row, p->naxes > 0 && !layers_only ? p->coord[1] : zeros, sizeof zeros);
    memcpy(slice, layers_only ? p->coord[1] : p->naxes > 1 ? p->coord[2] : zeros, sizeof zeros);
}

/* Where each lane goes in a layout that is not linear. */
static void place_lanes(struct place *p)
{
    const struct surface *s = p->surface;
    uint32_t row[LANES], slice[LANES];
    rows_and_slices(p, row, slice);
    if (s->layout->blocks) {
        for (unsigned lane = 0; lane < LANES; lane++)
            p->offset[lane] =
                layout_block_offset(s, (uint64_t)(uint32_t)p->coord[0][lane] * p->scale, row[lane], slice[lane]);
        return;
    }
    for (uint32_t todo = p->go; todo; todo &= todo - 1) {
        unsigned lane = (unsigned)__builtin_ctz(todo);
        p->offset[lane] =
            s->layout->offset(s, (uint64_t)(uint32_t)p->coord[0][lane] * p->scale, row[lane], slice[lane]);
    }
}

/* Where the lanes of p->go lie in the surface. */
INLINE void lane_offsets(const struct place *p, uint64_t offsets[LANES])
{
    if (!p->surface->layout->linear) {
        memcpy(offsets, p->offset, sizeof p->offset);
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        offsets[lane] = (uint64_t)(uint32_t)p->coord[0][lane] * p->scale;
    for (unsigned i = 1; i <= p->naxes; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            offsets[lane] += (uint64_t)(uint32_t)p->coord[i][lane] * p->stride[i];
}

static void set_axes(struct place *p, uint8_t dim)
{
    const struct surface *s = p->surface;
    const uint8_t *axes = lane_geometries[dim].axes;
    p->naxes = lane_geometries[dim].coordinates - 1u;
    for (unsigned i = 0; i < p->naxes; i++) {
        bool row = axes[i] == LANE_AXIS_ROW;
        p->stride[i + 1] = row ? s->pitch : s->slice_pitch;
        p->last[i + 1] = (row ? s->height : s->slices) - 1;
    }
}

/* Lanes whose position follows from their left neighbour's by `step` in x. */
INLINE uint32_t neighbours(const struct place *p, uint32_t step)
{
    uint32_t bits = lanes_continue(p->coord[0], step);
    for (unsigned i = 1; i <= p->naxes; i++)
        bits &= lanes_continue(p->coord[i], 0);
    return bits;
}

/* Lanes of a run where all runs have as many: 16, 8; 0: they have not. `joins` as in struct place. */
INLINE unsigned parts_of(uint32_t joins)
{
    if ((joins | 0x00010001) == ALL)
        return LANES / 2;
    return (joins | 0x01010101) == ALL ? LANES / 4 : 0;
}

/* Whether a run of `count` lanes from `start` lies in range as a whole: its first and last lane decide. */
INLINE bool run_inside(const struct place *p, unsigned start, unsigned count, uint32_t step, uint32_t misaligned)
{
    int64_t first = p->coord[0][start];
    bool inside = first >= 0 && first + (int64_t)(count - 1) * step <= p->last[0] && !((uint32_t)first & misaligned);
    for (unsigned i = 1; i <= p->naxes; i++)
        inside = inside && (uint32_t)p->coord[i][start] <= p->last[i];
    return inside;
}

/* .clamp: every coordinate to the nearest valid one. Signed, except for layers and where the surface decides. */
static void clamp_near(struct place *p, uint8_t dim)
{
    bool any = dim == LANE_DIM_ANY;
    for (unsigned i = 0; i <= p->naxes; i++) {
        const int32_t *from = p->coord[i];
        int32_t *to = p->clamped[i], last = (int32_t)p->last[i];
        if (any || (i > 0 && lane_geometries[dim].axes[i - 1] == LANE_AXIS_LAYER))
            for (unsigned lane = 0; lane < LANES; lane++)
                to[lane] = (uint32_t)from[lane] < (uint32_t)last ? from[lane] : last;
        else
            for (unsigned lane = 0; lane < LANES; lane++) {
                int32_t v = from[lane] > 0 ? from[lane] : 0;
                to[lane] = v < last ? v : last;
            }
        p->coord[i] = to;
    }
}

static void all_fault(struct surface_warp *w, struct place *p, enum surface_fault fault)
{
    p->go = p->zero = p->joins = 0;
    p->whole = false;
    p->part = 0;
    w->faults = w->mask;
    w->absent = 0;
    w->fault = w->mask ? fault : SURFACE_OK;
}

/* The general case: lanes differ in what becomes of them. */
static void settle(struct surface_warp *w, struct place *p, uint32_t step, uint32_t misaligned, bool fits)
{
    const struct lane_access *a = w->access;
    uint32_t bad = misaligned ? lanes_test(p->coord[0], misaligned) & w->mask : 0;
    uint32_t inside = fits ? lanes_upto(p->coord[0], p->last[0]) : 0;
    for (unsigned i = 1; i <= p->naxes; i++)
        inside &= lanes_upto(p->coord[i], p->last[i]);
    uint32_t outside = w->mask & ~inside & ~bad;
    w->faults = bad;
    if (outside && a->clamp == LANE_CLAMP_NEAR && fits) {
        clamp_near(p, a->dim);
        p->joins = neighbours(p, step);
    } else if (lane_clamp_drops(a->clamp)) {
        p->zero = outside;
    } else {
        w->faults |= outside;
    }
    p->go = w->mask & ~w->faults & ~p->zero;
    if (w->faults)
        w->fault = bad & w->faults & -w->faults ? SURFACE_MISALIGNED : SURFACE_OUT_OF_BOUNDS;
    p->whole = p->go == ALL && (p->joins | 1) == ALL;
}

/* What the layout, and tiles that are not resident, make of lanes that are in range. Runs are the bytes that lie side
 * by side. */
static void settle_places(struct surface_warp *w, struct place *p, uint32_t bytes)
{
    const struct surface *s = p->surface;
    uint64_t offsets[LANES];
    if (!s->layout->linear)
        place_lanes(p);
    lane_offsets(p, offsets);
    for (uint32_t todo = s->missing ? p->go : 0; todo; todo &= todo - 1) {
        unsigned lane = (unsigned)__builtin_ctz(todo);
        w->absent |= (uint32_t)surface_missing(s, offsets[lane]) << lane;
    }
    p->go &= ~w->absent;
    p->zero |= w->absent;
    p->joins = 0;
    for (unsigned lane = 1; lane < LANES; lane++)
        p->joins |= (uint32_t)(offsets[lane] == offsets[lane - 1] + bytes) << lane;
    p->whole = false;
    p->part = 0;
}

/* Nobody goes anywhere, and everybody is content. */
static void all_zero(const struct surface_warp *w, struct place *p)
{
    p->go = p->joins = 0;
    p->zero = w->mask;
    p->whole = false;
    p->part = 0;
}

/* Fills in *p and the faults of *w for accesses of 1 << shift bytes. */
INLINE void locate(struct surface_warp *w, unsigned shift, struct place *p)
{
    const struct surface *s = w->surface;
    const struct lane_access *a = w->access;
    p->surface = s;
    w->faults = w->absent = 0;
    w->fault = SURFACE_OK;
    if (__builtin_expect(s->disabled, 0)) {
        all_zero(w, p);
        return;
    }
    uint32_t bytes = UINT32_C(1) << shift;
    if (!surface_dim_fits(s->dim, a->dim) && (a->dim != LANE_DIM_ANY || bytes != s->format->bytes)) {
        all_fault(w, p, a->dim == LANE_DIM_ANY ? SURFACE_FORMAT : SURFACE_DIMENSION);
        return;
    }
    bool byte_unit = a->unit == LANE_UNIT_BYTE;
    uint32_t step = byte_unit ? bytes : 1, misaligned = step - 1;
    uint32_t room = s->row_bytes >> shift; /* accesses that fit in a row */
    p->scale = byte_unit ? 1 : bytes;
    p->last[0] = room ? (room - 1) * step : 0;
    for (unsigned i = 0; i < 3; i++)
        p->coord[i] = w->coord[i];
    set_axes(p, surface_dim(s, a));
    p->zero = 0;
    p->go = w->mask;
    p->joins = neighbours(p, step);
    p->whole = (p->joins | 1) == ALL && w->mask == ALL && room && run_inside(p, 0, LANES, step, misaligned);
    p->part = 0;
    if (!p->whole) {
        p->part = w->mask == ALL && room ? parts_of(p->joins) : 0;
        for (unsigned start = 0; p->part && start < LANES; start += p->part)
            if (!run_inside(p, start, p->part, step, misaligned))
                p->part = 0;
        if (!p->part)
            settle(w, p, step, misaligned, room != 0);
    }
    if (__builtin_expect(!s->direct, 0))
        settle_places(w, p, bytes);
}

/* ---- what an access is ------------------------------------------------------------------------------------ */

/* log2 of the bytes of the whole access, and of its element in *es; 255: no such access. */
INLINE unsigned access_shift(const struct lane_access *a, unsigned *es)
{
    *es = type_shift(a->type);
    bool vec_ok = a->vec == 1 || a->vec == 2 || a->vec == 4;
    if (*es == 255 || !vec_ok || ((unsigned)a->vec << *es) > ACCESS_LARGEST)
        return 255;
    return *es + (unsigned)__builtin_ctz(a->vec);
}

static void clear_lanes(unsigned char *packed, unsigned shift, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        memset(packed + ((size_t)__builtin_ctz(lanes) << shift), 0, (size_t)1 << shift);
}

/* Loads and stores, and reductions that cannot be held back, come after those of the host thread that are. */
INLINE void settle_held(const struct surface_warp *w)
{
    if (w->held && w->held->any)
        held_merge_surface(w->held, w->surface);
}

/* surface_atomic.c */
bool SET_NAME(surface_reduce)(struct surface_warp *w);
bool SET_NAME(surface_atomic)(struct surface_warp *w);

#endif
