/* Where the lanes of a surface access go: what surface_warp.c and surface_atomic.c begin with. Compiled once per
 * instruction set of the host (KERNEL_SET). */
#ifndef ATOLL_MEM_SURFACE_PLACE_H
#define ATOLL_MEM_SURFACE_PLACE_H

#include "base/inline.h"
#include "lane/passes.h"
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

#define ALL UINT32_MAX

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

enum { EIGHT = 8 };

struct place {
    const struct surface *surface;
    uint32_t go;     /* lanes that access memory */
    uint32_t zero;   /* lanes that read zeros or drop what they store */
    bool whole;      /* all 32 lanes go, and are one run */
    bool runs;       /* all go, and the lanes of each row are a run */
    uint32_t starts; /* of stores: where passes begin (lane/passes.h) */
    unsigned part;   /* lanes of a row, of all lanes: 32, 16 or 8, blocks as wide; 0: they are where they are */
    /* At the first eight lanes of each row: where x counts from, in the surface's row that is nearest, and x of the
     * first lane, in accesses; how far out that is does not matter. */
    unsigned char *row[LANES / EIGHT];
    int32_t x[LANES / EIGHT];
    uint32_t room, bytes; /* accesses in a row of the surface; bytes of one */
    uint32_t scale;       /* bytes of one step of x */
    unsigned naxes;       /* coordinates beyond x */
    const int32_t *coord[3];
    uint64_t stride[3]; /* bytes of one step of coord[i] */
    uint32_t last[3];   /* largest valid coord[i] */
    bool positive[3];   /* coord[i] is an unsigned number */
    int32_t clamped[3][LANES];
};

INLINE unsigned first_of_row(const struct place *p, unsigned eight)
{
    return eight & ~(p->part / EIGHT - 1);
}

INLINE unsigned char *row_of(const struct place *p, unsigned eight)
{
    return p->row[first_of_row(p, eight)];
}

/* x of the first lane of an eight. */
INLINE int32_t x_of(const struct place *p, unsigned eight)
{
    unsigned first = first_of_row(p, eight);
    return p->x[first] + (int32_t)((eight - first) * EIGHT);
}

/* Where the run begins that is the row of lanes from `start` on. */
INLINE unsigned char *address(const struct place *p, unsigned start)
{
    return p->row[start / EIGHT] + (int64_t)p->x[start / EIGHT] * p->bytes;
}

/* Where x leads, in accesses. */
INLINE int32_t nearest_in_row(const struct place *p, int32_t x)
{
    int32_t last = (int32_t)p->room - 1;
    x = x > 0 ? x : 0;
    return x < last ? x : last;
}

/* Row and slice of each lane, from the coordinates beyond x. Lanes that do not go anywhere get a nonsense. */
INLINE void rows_and_slices(const struct place *p, const int32_t **row, const int32_t **slice)
{
    static const int32_t zeros[LANES];
    bool layers_only = p->surface->dim == LANE_DIM_1D_ARRAY;
    *row = p->naxes > 0 && !layers_only ? p->coord[1] : zeros;
    *slice = layers_only ? p->coord[1] : p->naxes > 1 ? p->coord[2] : zeros;
}

/* Where lanes that are in rows lie; lanes out of range: where the nearest texel does. Then those of linear layouts, and
 * all others. For surfaces whose bytes a `word` can count. */
#define LANE_OFFSETS(word, block_offset)                                                                            \
    INLINE void row_offsets_##word(const struct place *p, word *restrict offsets)                                   \
    {                                                                                                               \
        int32_t last = (int32_t)p->room - 1;                                                                        \
        for (unsigned n = 0; n < LANES / EIGHT; n++) {                                                              \
            word row = (word)(row_of(p, n) - p->surface->texels), bytes = p->bytes;                                 \
            int32_t first = x_of(p, n);                                                                             \
            for (unsigned i = 0; i < EIGHT; i++) {                                                                  \
                int32_t x = first + (int32_t)i > 0 ? first + (int32_t)i : 0;                                        \
                offsets[n * EIGHT + i] = row + (word)(x < last ? x : last) * bytes;                                 \
            }                                                                                                       \
        }                                                                                                           \
    }                                                                                                               \
    INLINE void linear_offsets_##word(const struct place *p, word *restrict offsets)                                \
    {                                                                                                               \
        const int32_t *restrict x = p->coord[0];                                                                    \
        word scale = p->scale;                                                                                      \
        for (unsigned l = 0; l < LANES; l++)                                                                        \
            offsets[l] = (word)(uint32_t)x[l] * scale;                                                              \
        for (unsigned i = 1; i <= p->naxes; i++) {                                                                  \
            const int32_t *restrict at = p->coord[i];                                                               \
            word stride = (word)p->stride[i];                                                                       \
            for (unsigned l = 0; l < LANES; l++)                                                                    \
                offsets[l] += (word)(uint32_t)at[l] * stride;                                                       \
        }                                                                                                           \
    }                                                                                                               \
    INLINE void other_offsets_##word(const struct place *p, word *restrict offsets)                                 \
    {                                                                                                               \
        const struct surface *s = p->surface;                                                                       \
        const int32_t *x = p->coord[0], *row, *slice;                                                               \
        word scale = p->scale;                                                                                      \
        rows_and_slices(p, &row, &slice);                                                                           \
        for (unsigned l = 0; s->layout->blocks && l < LANES; l++)                                                   \
            offsets[l] = block_offset(s, (word)(uint32_t)x[l] * scale, (uint32_t)row[l], (uint32_t)slice[l]);       \
        for (uint32_t todo = s->layout->blocks ? 0 : p->go; todo; todo &= todo - 1) {                               \
            unsigned l = (unsigned)__builtin_ctz(todo);                                                             \
            offsets[l] =                                                                                            \
                (word)s->layout->offset(s, (uint64_t)(uint32_t)x[l] * scale, (uint32_t)row[l], (uint32_t)slice[l]); \
        }                                                                                                           \
    }                                                                                                               \
    /* Of the lanes of p->go; 0 for others. */                                                                      \
    static void offsets_##word(const struct place *p, word *restrict offsets)                                       \
    {                                                                                                               \
        uint32_t go = p->go;                                                                                        \
        if (p->part)                                                                                                \
            row_offsets_##word(p, offsets);                                                                         \
        else if (go && p->surface->layout->linear)                                                                  \
            linear_offsets_##word(p, offsets);                                                                      \
        else if (go)                                                                                                \
            other_offsets_##word(p, offsets);                                                                       \
        for (unsigned l = 0; go != ALL && l < LANES; l++)                                                           \
            offsets[l] = go >> l & 1 ? offsets[l] : 0;                                                              \
    }
LANE_OFFSETS(uint64_t, layout_block_offset)
LANE_OFFSETS(uint32_t, layout_block_offset_32)

/* Can 32 bits count the surface's bytes? */
INLINE bool is_small(const struct surface *s)
{
    return s->size <= UINT32_MAX;
}

/* Where the lanes of p->go lie in the surface; 0 for others. */
static void lane_offsets(const struct place *p, uint64_t *restrict offsets)
{
    uint32_t small[LANES];
    if (__builtin_expect(!is_small(p->surface), 0)) {
        offsets_uint64_t(p, offsets);
        return;
    }
    offsets_uint32_t(p, small);
    for (unsigned l = 0; l < LANES; l++)
        offsets[l] = small[l];
}

/* Layers are unsigned numbers, and so is everything where the surface decides. */
static void set_axes(struct place *p, uint8_t access_dim)
{
    const struct surface *s = p->surface;
    bool any = access_dim == LANE_DIM_ANY;
    uint8_t dim = any ? s->dim : access_dim;
    p->positive[0] = any;
    const uint8_t *axes = lane_geometries[dim].axes;
    p->naxes = lane_geometries[dim].coordinates - 1u;
    for (unsigned i = 0; i < p->naxes; i++) {
        bool row = axes[i] == LANE_AXIS_ROW;
        p->stride[i + 1] = row ? s->pitch : s->slice_pitch;
        p->last[i + 1] = (row ? s->height : s->slices) - 1;
        p->positive[i + 1] = any || axes[i] == LANE_AXIS_LAYER;
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

/* Lanes of a row where all rows have as many: 32, 16, 8; 0: they have not. `joins`: lane i follows lane i - 1. */
INLINE unsigned parts_of(uint32_t joins)
{
    if ((joins | 1) == ALL)
        return LANES;
    if ((joins | 0x00010001) == ALL)
        return LANES / 2;
    return (joins | 0x01010101) == ALL ? LANES / 4 : 0;
}

/* Lanes of a row, as parts_of: what blocks make of a picture is found with less work. */
INLINE unsigned find_rows(const struct place *p, uint32_t step)
{
    const int32_t *x = p->coord[0], *y = p->coord[1];
    if (p->naxes == 1 && x[LANES / 4] == x[0] && lanes_8x4(x, step, y))
        return LANES / 4;
    if (p->naxes == 1 && x[LANES / 4] != x[0] && lanes_16x2(x, step, y)) {
        bool whole = (uint32_t)x[LANES / 2] == (uint32_t)x[0] + LANES / 2 * step && y[LANES / 2] == y[0];
        return whole ? LANES : LANES / 2;
    }
    return parts_of(neighbours(p, step));
}

/* .clamp: every coordinate to the nearest valid one. */
static void clamp_near(struct place *p)
{
    for (unsigned i = 0; i <= p->naxes; i++) {
        const int32_t *from = p->coord[i];
        int32_t *to = p->clamped[i], last = (int32_t)p->last[i];
        if (p->positive[i])
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
    p->go = p->zero = 0;
    p->whole = p->runs = false;
    p->part = 0;
    w->faults = w->mask;
    w->absent = 0;
    w->fault = w->mask ? fault : SURFACE_OK;
}

INLINE bool no_faults(struct surface_warp *w)
{
    w->faults = w->absent = 0;
    w->fault = SURFACE_OK;
    return true;
}

/* What becomes of lanes that are misaligned, in range, or neither. */
INLINE void judge(struct surface_warp *w, struct place *p, uint32_t bad, uint32_t inside, bool near)
{
    uint32_t outside = w->mask & ~inside & ~bad;
    bad &= w->mask;
    w->faults = bad;
    p->zero = 0;
    if (surface_drops(w->surface, w->access, p->room))
        p->zero = outside;
    else if (!near)
        w->faults |= outside;
    p->go = w->mask & ~w->faults & ~p->zero;
    if (w->faults)
        w->fault = bad & w->faults & -w->faults ? SURFACE_MISALIGNED : SURFACE_OUT_OF_BOUNDS;
}

/* The general case: each lane for itself. */
static void settle(struct surface_warp *w, struct place *p, uint32_t misaligned)
{
    bool fits = p->room, near = w->access->clamp == LANE_CLAMP_NEAR && fits;
    uint32_t bad = misaligned ? lanes_test(p->coord[0], misaligned) : 0;
    uint32_t inside = fits ? lanes_upto(p->coord[0], p->last[0]) : 0;
    for (unsigned i = 1; i <= p->naxes; i++)
        inside &= lanes_upto(p->coord[i], p->last[i]);
    if (near && w->mask & ~inside & ~bad)
        clamp_near(p);
    judge(w, p, bad, inside, near);
}

INLINE int64_t nearest(int64_t v, int64_t first, int64_t last)
{
    v = v < first ? first : v;
    return v < last ? v : last;
}

/* Where the row of lanes from `start` on is: *in, *bad: lanes of it, from bit 0. `by`: log2 of a step of x. False: x
 * goes beyond the largest number in it. */
INLINE bool settle_row(struct place *p, unsigned start, unsigned by, uint32_t *in, uint32_t *bad)
{
    unsigned part = p->part;
    uint32_t lanes = ALL >> (LANES - part);
    bool positive = p->positive[0], inside = true;
    int64_t v = positive ? (int64_t)(uint32_t)p->coord[0][start] : p->coord[0][start];
    if (v + ((int64_t)(part - 1) << by) > (positive ? (int64_t)UINT32_MAX : INT32_MAX))
        return false;
    *bad = v & ((1 << by) - 1) ? lanes : 0;
    int64_t room = p->room, x = nearest(v >> by, -(int64_t)LANES, room);
    uint64_t from = (uint64_t)nearest(-x, 0, part), to = (uint64_t)nearest(room - x, 0, part);
    unsigned char *row = p->surface->texels;
    for (unsigned i = 1; i <= p->naxes; i++) {
        int32_t at = p->coord[i][start];
        bool in_range = (uint32_t)at <= p->last[i];
        at = in_range ? at : at < 0 && !p->positive[i] ? 0 : (int32_t)p->last[i];
        row += (uint64_t)(uint32_t)at * p->stride[i];
        inside = inside && in_range;
    }
    p->x[start / EIGHT] = (int32_t)x;
    p->row[start / EIGHT] = row;
    *in = inside ? (uint32_t)((UINT64_C(1) << to) - (UINT64_C(1) << from)) & lanes : 0;
    return true;
}

/* Is the row of lanes from `start` on in range as a whole? */
INLINE bool row_inside(const struct place *p, unsigned start, uint32_t step)
{
    int64_t first = p->coord[0][start];
    bool inside = first >= 0 && first + (int64_t)(p->part - 1) * step <= p->last[0] && !(first & (step - 1));
    for (unsigned i = 1; i < 3; i++)
        inside = inside && (i > p->naxes || (uint32_t)p->coord[i][start] <= p->last[i]);
    return inside;
}

/* Rows of which all lanes go and are in range, so that no lane has to be looked at. x counts from their first
 * texel. */
INLINE bool rows_inside(struct place *p, uint32_t step)
{
    for (unsigned start = 0; start < LANES; start += p->part) {
        if (!row_inside(p, start, step))
            return false;
        unsigned char *row = p->surface->texels + (uint64_t)(uint32_t)p->coord[0][start] * p->scale;
        for (unsigned i = 1; i <= p->naxes; i++)
            row += (uint64_t)(uint32_t)p->coord[i][start] * p->stride[i];
        p->row[start / EIGHT] = row;
        p->x[start / EIGHT] = 0;
    }
    p->go = ALL;
    p->zero = 0;
    p->runs = true;
    p->whole = p->part == LANES;
    return true;
}

/* All lanes are in rows of p->part. False: not quite. */
INLINE bool settle_rows(struct surface_warp *w, struct place *p, unsigned by)
{
    uint32_t inside = 0, bad = 0, in, wrong;
    for (unsigned start = 0; start < LANES; start += p->part) {
        if (!settle_row(p, start, by, &in, &wrong))
            return false;
        inside |= in << start;
        bad |= wrong << start;
    }
    judge(w, p, bad, inside & ~bad, w->access->clamp == LANE_CLAMP_NEAR);
    p->whole = p->runs = false;
    return true;
}

/* The same where any geometry is at hand; rare. */
static __attribute__((noinline)) bool settle_any_rows(struct surface_warp *w, struct place *p, unsigned by)
{
    return settle_rows(w, p, by);
}

/* What tiles that are not resident make of lanes that are in range. */
static void settle_tiles(struct surface_warp *w, struct place *p)
{
    uint64_t offsets[LANES];
    lane_offsets(p, offsets);
    for (uint32_t todo = p->go; todo; todo &= todo - 1) {
        unsigned lane = (unsigned)__builtin_ctz(todo);
        w->absent |= (uint32_t)surface_missing(w->surface, offsets[lane]) << lane;
    }
    p->go &= ~w->absent;
    p->zero |= w->absent;
}

/* Nobody goes anywhere, and everybody is content. */
static void all_zero(const struct surface_warp *w, struct place *p)
{
    p->go = 0;
    p->zero = w->mask;
    p->whole = p->runs = false;
    p->part = 0;
}

/* Fills in *p and the faults of *w for accesses of 1 << shift bytes. */
INLINE void locate(struct surface_warp *w, unsigned shift, struct place *p)
{
    const struct surface *s = w->surface;
    const struct lane_access *a = w->access;
    p->surface = s;
    (void)no_faults(w);
    if (__builtin_expect(s->disabled, 0)) {
        all_zero(w, p);
        return;
    }
    uint32_t bytes = UINT32_C(1) << shift;
    if (!surface_dim_fits(s->dim, a->dim) && (a->dim != LANE_DIM_ANY || bytes != s->format->bytes)) {
        all_fault(w, p, a->dim == LANE_DIM_ANY ? SURFACE_FORMAT : SURFACE_DIMENSION);
        return;
    }
    uint32_t step = a->unit == LANE_UNIT_BYTE ? bytes : 1;
    p->bytes = bytes;
    p->room = s->row_bytes >> shift;
    p->scale = bytes / step;
    p->last[0] = p->room ? (p->room - 1) * step : 0;
    for (unsigned i = 0; i < 3; i++)
        p->coord[i] = w->coord[i];
    set_axes(p, a->dim);
    p->whole = p->runs = false;
    p->part = 0;
    if (s->layout->linear && !s->missing && p->room - 1 < INT32_MAX - LANES)
        p->part = find_rows(p, step);
    if (p->part && ((w->mask == ALL && rows_inside(p, step)) || settle_any_rows(w, p, step > 1 ? shift : 0)))
        return;
    p->part = 0;
    settle(w, p, step - 1);
    if (__builtin_expect(s->missing != NULL, 0))
        settle_tiles(w, p);
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

#define CLEAR(bits)                                        \
    INLINE void clear_##bits(void *packed, uint32_t lanes) \
    {                                                      \
        uint##bits##_t *to = packed;                       \
        for (unsigned i = 0; i < LANES; i++)               \
            to[i] = lanes >> i & 1 ? 0 : to[i];            \
    }
CLEAR(8)
CLEAR(16)
CLEAR(32)
CLEAR(64)

/* Accesses of 1 << shift bytes. */
static void clear_lanes(void *packed, unsigned shift, uint32_t lanes)
{
    if (!lanes)
        return;
    switch (shift) {
    case 0:
        clear_8(packed, lanes);
        break;
    case 1:
        clear_16(packed, lanes);
        break;
    case 2:
        clear_32(packed, lanes);
        break;
    case 3:
        clear_64(packed, lanes);
        break;
    default:
        for (; lanes; lanes &= lanes - 1)
            memset((unsigned char *)packed + 16 * (size_t)__builtin_ctz(lanes), 0, 16);
    }
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
